//! A bone from fracture to vibration, as jumps get dearer: Figure 12 of Sellán et al. 2022, drawn and as a table.
//! `cargo run --release -p smithereens-modes --example strain -- strain.svg`.

#[path = "strain/draw.rs"]
mod draw;
#[path = "../tests/exploded/mod.rs"]
mod exploded;

use exploded::energy::{Exploded, Strain};
use exploded::mesh::bone;
use exploded::mode::{Mode, sweep};

/// From a ten-thousandth to ten, eight weights a decade.
fn weights() -> impl Iterator<Item = f64> {
    (0..=40).map(|step| libm::pow(10.0, -4.0 + f64::from(step) / 8.0))
}

/// Both energies as numbers; what is below the solver's digits is nothing.
fn energies(mode: &Mode) -> String {
    let number = |energy: f64| if energy < 1e-9 { "0".into() } else { format!("{energy:.1e}") };
    format!(
        "{} | {} | {:.1} %",
        number(mode.strain),
        number(mode.omega * mode.discontinuity),
        100.0 * mode.share()
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let materials = [Strain::Elastic { poisson: 0.3 }, Strain::Gradient];
    let shapes = materials.map(|strain| Exploded::new(bone(), strain));
    let [elastic, gradient] = shapes.each_ref().map(|shape| sweep(shape, weights()));
    println!(
        "| ω | elastic: strain | jumps | share of strain | gradient: strain | jumps | share of strain |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (e, g) in elastic.iter().zip(&gradient).step_by(4) {
        println!("| {:.1e} | {} | {} |", e.omega, energies(e), energies(g));
    }
    let path = std::env::args().nth(1).unwrap_or_else(|| "strain.svg".into());
    Ok(std::fs::write(path, draw::picture(&shapes[0], &elastic)?)?)
}
