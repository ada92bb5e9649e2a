//! Breaks a box and says what came of it: `cargo run --release -p smithereens --example shatter`

use glam::DVec3;
use smithereens::pattern::Uniform;
use smithereens::{Aabb, Compound, Convex, Fit, FractureOptions, Impact, Slot, Solid, fracture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
    let compound = Compound::from_solid(Solid::new(mesh)?, Fit::Dop26);
    let pattern = Uniform { cells: 20, bounds: Aabb::cube(2.0), seed: 1 }.pattern()?;

    let broken = fracture(&compound, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default())?;

    for (index, fragment) in broken.fragments.iter().enumerate() {
        let mass = fragment.compound.mass();
        println!("fragment {index}: volume {:.4}, centre {:.2}", mass.volume, mass.center);
    }
    let sum: f64 = broken.fragments.iter().map(|f| f.compound.mass().volume).sum();
    println!("{} fragments, together {sum} of {}", broken.fragments.len(), compound.mass().volume);
    println!("in {:.2} ms", broken.report.times.total().as_secs_f64() * 1e3);
    Ok(())
}
