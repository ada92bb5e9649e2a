//! Modes of a sweep as a picture: some of them as deformed meshes, all of them as a plot.

use std::fmt::{Error, Write};

use glam::DVec2;

use crate::exploded::energy::Exploded;
use crate::exploded::mode::Mode;

const WIDTH: f64 = 1000.0;
/// The plot, from its upper left to its lower right.
const PLOT: [DVec2; 2] = [DVec2::new(110.0, 185.0), DVec2::new(890.0, 325.0)];
const STRAIN: &str = "#2b6cb0";
const JUMPS: &str = "#c2410c";
/// The first fragment's colour, the last one's, and that of what is between them.
const FILLS: [&str; 3] = ["#bfd7ea", "#f6c9a0", "#8fbf6a"];
/// Which of the sweep's modes are drawn: from fracture to vibration.
const DRAWN: [usize; 5] = [4, 20, 24, 27, 36];

/// Meshes in a row, over the plot of energies.
pub fn picture(exploded: &Exploded, modes: &[Mode]) -> Result<String, Error> {
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} 380' font-family='sans-serif' font-size='13' \
         text-anchor='middle' fill='#222'><rect width='{WIDTH}' height='380' fill='#fff'/>"
    );
    for (place, &index) in DRAWN.iter().enumerate() {
        let middle = WIDTH / DRAWN.len() as f64 * (place as f64 + 0.5);
        mesh(&mut svg, exploded, &modes[index], DVec2::new(middle, 70.0))?;
        let letter = char::from(b'a' + place as u8);
        write!(svg, "<text x='{middle}' y='145'>{letter}: ω = {}</text>", number(modes[index].omega))?;
    }
    plot(&mut svg, modes)?;
    Ok(svg + "</svg>\n")
}

fn number(omega: f64) -> String {
    if omega < 0.01 { format!("{omega:.4}") } else { format!("{omega:.2}") }
}

/// The triangles where a mode moves them to, in a colour for each fragment.
fn mesh(svg: &mut String, exploded: &Exploded, mode: &Mode, middle: DVec2) -> Result<(), Error> {
    let place = |f: usize, c: usize| {
        let by = DVec2::from_slice(&mode.motion[6 * f + 2 * c..]);
        let moved = exploded.mesh.corners(f)[c] + 0.12 * by;
        format!("{:.1},{:.1}", middle.x + 86.0 * moved.x, middle.y - 86.0 * moved.y)
    };
    let fragments = mode.fragments(exploded);
    let last = fragments.iter().copied().max().unwrap_or(0);
    for fragment in 0..=last {
        let own = (0..fragments.len()).filter(|&f| fragments[f] == fragment);
        let path: String =
            own.map(|f| format!("M{} {} {}z", place(f, 0), place(f, 1), place(f, 2))).collect();
        let fill = match fragment {
            0 => FILLS[0],
            _ if fragment == last => FILLS[1],
            _ => FILLS[2],
        };
        writeln!(svg, "<path d='{path}' fill='{fill}' stroke='#445' stroke-width='.4'/>")?;
    }
    Ok(())
}

/// Where a weight and a share of the energy are in the plot.
fn place(modes: &[Mode], omega: f64, share: f64) -> DVec2 {
    let [first, last] = [0, modes.len() - 1].map(|i| libm::log10(modes[i].omega));
    let along = DVec2::new((libm::log10(omega) - first) / (last - first), 1.0 - share);
    PLOT[0] + along * (PLOT[1] - PLOT[0])
}

fn plot(svg: &mut String, modes: &[Mode]) -> Result<(), Error> {
    let (low, high) = (PLOT[0], PLOT[1]);
    for mode in modes.iter().step_by(8) {
        let at = place(modes, mode.omega, 0.0);
        write!(svg, "<path d='M{:.1},{} V{}' stroke='#ddd'/>", at.x, low.y, high.y)?;
        write!(
            svg,
            "<text x='{:.1}' y='{}'>{}</text>",
            at.x,
            high.y + 18.0,
            libm::round(mode.omega * 1e6) / 1e6
        )?;
    }
    for (share, text) in [(0.0, "0"), (0.5, "½"), (1.0, "1")] {
        let y = place(modes, 1.0, share).y;
        write!(svg, "<path d='M{},{y} H{}' stroke='#ddd'/>", low.x, high.x)?;
        write!(svg, "<text x='{}' y='{}' text-anchor='end'>{text}</text>", low.x - 8.0, y + 4.0)?;
    }
    curve(svg, modes, STRAIN, Mode::share)?;
    curve(svg, modes, JUMPS, |mode| 1.0 - mode.share())?;
    for (&index, letter) in DRAWN.iter().zip(["a", "b", "c", "d", "e"]) {
        let at = place(modes, modes[index].omega, 1.0);
        write!(svg, "<text x='{:.1}' y='{:.1}'>{letter}</text>", at.x, at.y - 7.0)?;
    }
    let words = |x: f64, y: f64, colour: &str, text: &str| {
        format!("<text x='{x}' y='{y}' fill='{colour}'>{text}</text>")
    };
    *svg += &words(330.0, 210.0, JUMPS, "share of jumps, ω E_D");
    *svg += &words(330.0, 310.0, STRAIN, "share of strain, ½ uᵀQu");
    *svg += &words(500.0, 366.0, "#222", "ω, what a jump costs");
    Ok(())
}

fn curve(svg: &mut String, modes: &[Mode], colour: &str, share: impl Fn(&Mode) -> f64) -> Result<(), Error> {
    let places: Vec<DVec2> = modes.iter().map(|mode| place(modes, mode.omega, share(mode))).collect();
    let points: String = places.iter().map(|at| format!("{:.1},{:.1} ", at.x, at.y)).collect();
    write!(svg, "<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='2'/>")?;
    for at in places {
        write!(svg, "<circle cx='{:.1}' cy='{:.1}' r='2.4' fill='{colour}'/>", at.x, at.y)?;
    }
    Ok(())
}
