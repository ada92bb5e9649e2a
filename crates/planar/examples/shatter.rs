//! A window with holes, broken by a web where it was hit, and a shape by its first fracture modes: two pictures as SVG.
//!
//! `cargo run -p smithereens-planar --example shatter` writes `out/planar-web.svg` and `out/planar-modes.svg`.

use std::fmt::Write as _;

use glam::DVec2;
use smithereens_planar::modes::{Brittle, BrittleOptions, CellOptions, Mode};
use smithereens_planar::pattern::Web;
use smithereens_planar::{Compound, FractureOptions, Impact, Merged, Piece, Shape, fracture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("out")?;
    let ring = |at: DVec2, radius: f64, lobes: f64, depth: f64| -> Vec<DVec2> {
        let corner =
            |angle: f64| at + DVec2::from_angle(angle) * radius * (1.0 + depth * (lobes * angle).cos());
        (0..120).map(|i| corner(f64::from(i) * std::f64::consts::TAU / 120.0)).collect()
    };
    let holes = [ring(DVec2::new(-1.0, 0.5), 0.3, 1.0, 0.0), ring(DVec2::new(-0.2, -0.7), 0.25, 5.0, 0.3)];
    let body = Compound::from_shape(&Shape::new(&ring(DVec2::ZERO, 1.6, 5.0, 0.15), &holes)?);
    let web = Web { sectors: 15, rings: 6, radius: 0.9, ..Web::default() }.pattern()?;
    let impact = Impact { radius: 0.85, ..Impact::at(DVec2::new(0.55, 0.3)) };
    let broken = fracture(&body, &web, &impact, &FractureOptions::default())?;
    let drawn = (0..).zip(&broken.fragments).flat_map(|(number, fragment)| {
        let away = (fragment.compound.mass().center - impact.point) * 0.12;
        let shift = fragment.colour.map_or(DVec2::ZERO, |_| away);
        fragment.compound.pieces().iter().map(move |piece| (&**piece, number, shift))
    });
    std::fs::write("out/planar-web.svg", svg(drawn, 1, 1.9))?;
    let shape = Shape::new(&ring(DVec2::ZERO, 1.2, 3.0, 0.45), &[ring(DVec2::ZERO, 0.3, 1.0, 0.0)])?;
    let cells = CellOptions { count: 900, ..CellOptions::default() };
    let brittle = Brittle::of(&shape, &BrittleOptions { cells, modes: 4, ..BrittleOptions::default() })?;
    let of_mode = |mode: &Mode| {
        let of_cell = |&cell: &u32| mode.pieces.of_cells()[cell as usize];
        let groups: Vec<u32> = brittle.cells.of_piece().iter().map(of_cell).collect();
        brittle.cells.compound().merged(&groups)
    };
    let apart: Vec<Merged> = brittle.modes.scalar.iter().map(of_mode).collect();
    let drawn = apart.iter().enumerate().flat_map(|(mode, merged)| {
        let pieces = merged.compound.pieces().iter().zip(&merged.group_of);
        pieces.map(move |(piece, &group)| (&**piece, group, DVec2::X * (3.8 * mode as f64)))
    });
    std::fs::write("out/planar-modes.svg", svg(drawn, 4, 1.9))?;
    Ok(())
}

/// Pieces, each in the colour of its number and moved by so much, in squares side by side.
fn svg<'a>(pieces: impl Iterator<Item = (&'a Piece, u32, DVec2)>, squares: usize, half: f64) -> String {
    let (left, width, high) = (-half, 2.0 * half * squares as f64, 2.0 * half);
    let head = format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='{left} {left} {width} {high}'");
    let mut text = format!("{head} width='{}'><g stroke-width='0.012'>\n", 480 * squares.min(2));
    for (piece, number, shift) in pieces {
        let colour = format!("hsl({},45%,{}%)", (number * 137) % 360, 55 + (number * 7) % 20);
        let corners = piece.convex().corners().map(|c| c + shift).map(|c| format!("{:.4},{:.4} ", c.x, -c.y));
        let points: String = corners.collect();
        let _ = writeln!(text, "<polygon points='{points}' fill='{colour}' stroke='{colour}'/>");
    }
    text + "</g></svg>\n"
}
