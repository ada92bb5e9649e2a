//! The times of a simulation, drawn as SVG.

use std::fmt::Write;

use super::chronicle::Chronicle;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 44.0;
/// The least that is drawn, in milliseconds: the scale is logarithmic.
const LEAST: f64 = 0.01;

/// The time of each step as a line, of fractures within it as another, and each fracture as a dot, over the frames.
pub fn svg(chronicle: &Chronicle) -> String {
    let (steps, events) = (chronicle.step_times(), chronicle.event_times());
    let most = steps.iter().map(|s| s.0).chain(events.iter().map(|e| e.1)).fold(1.0, f64::max);
    let top = libm::ceil(libm::log10(most)).max(0.0);
    let low = libm::log10(LEAST);
    let x = |frame: f64| LEFT + (WIDTH - LEFT - RIGHT) * frame / steps.len().max(1) as f64;
    let y = |ms: f64| {
        let up = (libm::log10(ms.max(LEAST)) - low) / (top - low);
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * up
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"14\">milliseconds a step (grey), fractures in it (red), a fracture (dot)</text>\n"
    );
    for power in low as i32..=top as i32 {
        let at = y(libm::pow(10.0, f64::from(power)));
        writeln!(
            text,
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0,
            libm::pow(10.0, f64::from(power))
        )
        .ok();
    }
    line(&mut text, "#888", steps.iter().enumerate().map(|(i, s)| (x(i as f64), y(s.0))));
    line(&mut text, "#c33", steps.iter().enumerate().map(|(i, s)| (x(i as f64), y(s.1))));
    for (step, ms) in &events {
        let (x, y) = (x(step.saturating_sub(1) as f64), y(*ms));
        writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"#236\"/>").ok();
    }
    writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">frame {}</text>\n</svg>",
        WIDTH - RIGHT,
        HEIGHT - 14.0,
        steps.len()
    )
    .ok();
    text
}

fn line(text: &mut String, color: &str, points: impl Iterator<Item = (f64, f64)>) {
    let path: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    writeln!(text, "<polyline fill=\"none\" stroke=\"{color}\" points=\"{}\"/>", path.join(" ")).ok();
}
