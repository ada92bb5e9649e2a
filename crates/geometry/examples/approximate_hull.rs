//! How tight a hull of few vertices fits: a table on the terminal, and a plot in the file named (Müller et al. 2013,
//! Figure 13).
//!
//! `cargo run --release -p smithereens-geometry --example approximate_hull -- docs/pictures/approximate-hull.svg`

use std::fmt::Write;
use std::time::Instant;

use smithereens_geometry::{Convex, Fit};
use smithereens_testing::subjects::subject;

fn main() -> std::io::Result<()> {
    let bunny = subject("bunny-70k.ply");
    let points = &bunny.solid.mesh().positions;
    let hull = Convex::hull(points).map_or(1.0, |hull| hull.volume());
    let ratio = |fit: Fit| fit.around(points).volume() / hull;
    println!("{}, {} vertices: volume over that of the true hull", bunny.name, points.len());
    let fixed = [("AABB", Fit::Aabb), ("14-dop", Fit::Dop14), ("26-dop", Fit::Dop26)];
    let mut lines = vec![("true hull", 1.0)];
    for (name, fit) in fixed {
        lines.push((name, ratio(fit)));
        println!("{name:>12} {:.3}", ratio(fit));
    }
    let mut curve = Vec::new();
    for vertices in 4..=20 {
        let fit = Fit::Hull { vertices };
        curve.push((vertices, ratio(fit)));
        println!("{vertices:>12} {:.3}  {:.1} ms", ratio(fit), milliseconds(|| ratio(fit)));
    }
    match std::env::args().nth(1) {
        Some(file) => std::fs::write(file, plot(&lines, &curve)),
        None => Ok(()),
    }
}

/// The shortest time of some runs.
fn milliseconds(run: impl Fn() -> f64) -> f64 {
    let once = |_| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..15).map(once).fold(f64::INFINITY, f64::min)
}

/// Lines across and a curve, as SVG.
fn plot(lines: &[(&str, f64)], curve: &[(u8, f64)]) -> String {
    let x = |vertices: u8| 50.0 + f64::from(vertices - 4) * 34.0;
    let y = |ratio: f64| 340.0 - (ratio - 1.0) * 225.0;
    let mut svg = String::from(
        "<svg xmlns='http://www.w3.org/2000/svg' width='700' height='400' font-family='sans-serif' font-size='13'>\n<rect width='700' height='400' fill='white'/>\n",
    );
    for (name, ratio) in lines {
        let (y, label) = (y(*ratio), format!("{name} {ratio:.2}"));
        let _ = writeln!(
            svg,
            "<path d='M50 {y:.1}H594' stroke='#999' stroke-dasharray='4 3'/><text x='600' y='{:.1}'>{label}</text>",
            y + 4.0
        );
    }
    let path: Vec<String> = curve.iter().map(|&(n, ratio)| format!("{:.1} {:.1}", x(n), y(ratio))).collect();
    let _ = writeln!(svg, "<path d='M{}' fill='none' stroke='#c33' stroke-width='2.5'/>", path.join("L"));
    for &(vertices, _) in curve.iter().step_by(2) {
        let _ = writeln!(svg, "<text x='{:.1}' y='362' text-anchor='middle'>{vertices}</text>", x(vertices));
    }
    svg + "<text x='322' y='388' text-anchor='middle'>vertices of the approximate hull (red): volume over the true hull's</text>\n</svg>\n"
}
