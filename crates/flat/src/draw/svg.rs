//! A picture as SVG.

use std::fmt::Write as _;

use glam::DVec2;

use super::picture::{Ink, Mark, Picture};

impl Picture {
    /// The text of an SVG file.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
        );
        let [top, bottom] = self.background.map(hex);
        let _ = writeln!(
            text,
            "<defs><linearGradient id=\"sky\" x2=\"0\" y2=\"1\"><stop stop-color=\"{top}\"/><stop offset=\"1\" stop-color=\"{bottom}\"/></linearGradient></defs>"
        );
        let _ = writeln!(text, "<rect width=\"{width}\" height=\"{height}\" fill=\"url(#sky)\"/>");
        for mark in &self.marks {
            match mark {
                Mark::Fill { loops, ink } => {
                    let path: String = loops.iter().map(|points| path(points) + "Z").collect();
                    let _ = writeln!(
                        text,
                        "<path d=\"{path}\" fill=\"{}\"{}/>",
                        hex(ink.colour),
                        cover("fill", *ink)
                    );
                }
                Mark::Stroke { lines, width, ink } => {
                    let path: String = lines.iter().map(|points| path(points)).collect();
                    let (colour, cover) = (hex(ink.colour), cover("stroke", *ink));
                    let round = "stroke-linecap=\"round\" stroke-linejoin=\"round\"";
                    let _ = writeln!(
                        text,
                        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width:.2}\" {round}{cover}/>"
                    );
                }
            }
        }
        text + "</svg>\n"
    }
}

fn path(points: &[DVec2]) -> String {
    let mut text = String::new();
    for (index, point) in points.iter().filter(|point| point.is_finite()).enumerate() {
        let _ = write!(text, "{}{:.2} {:.2}", if index == 0 { "M" } else { "L" }, point.x, point.y);
    }
    text
}

fn hex(colour: [f32; 3]) -> String {
    let [red, green, blue] = colour.map(|x| (x.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn cover(what: &str, ink: Ink) -> String {
    if ink.cover >= 1.0 { String::new() } else { format!(" {what}-opacity=\"{:.3}\"", ink.cover) }
}
