//! A cantilever of concrete grows until it breaks: `cargo run --release -p smithereens-stress --example cantilever`.

use glam::DVec3;
use smithereens_stress::{Breaking, Joint, Material, Node, Section, Stress, StressError, Structure};

/// How long a piece is, and how deep and wide, in metres.
const PIECE: f64 = 0.25;
const DEPTH: f64 = 0.5;
const DENSITY: f64 = 2400.0;

/// So many pieces in a row, the first one joined to a wall.
fn beam(pieces: u32) -> Structure {
    let size = DVec3::new(PIECE, DEPTH, DEPTH);
    let end = Section::rectangle(DVec3::Y * DEPTH, DVec3::Z * DEPTH);
    let mut beam = Structure { materials: vec![Material::concrete()], ..Structure::default() };
    beam.nodes.push(Node::held(DVec3::X * (-0.5 * PIECE)));
    for piece in 0..pieces {
        let start = DVec3::X * (PIECE * f64::from(piece));
        beam.nodes.push(Node::boxed(start + DVec3::X * (0.5 * PIECE), size, DENSITY));
        beam.joints.push(Joint::new(piece, piece + 1, start, DVec3::X, end));
    }
    beam
}

fn main() -> Result<(), StressError> {
    let strength = Material::concrete().tension;
    let theory = (strength * DEPTH / (3.0 * DENSITY * 9.81)).sqrt();
    println!("Beam theory: it breaks at {theory:.2} m.\n\n  length  of its strength  worst joint  falls");
    for pieces in (4..).step_by(2) {
        let mut stress = Stress::new(beam(pieces))?;
        stress.set_gravity(DVec3::NEG_Y * 9.81)?;
        let broken = stress.break_overloaded(&Breaking::default());
        let length = PIECE * f64::from(pieces);
        match broken.joints.first() {
            Some((joint, worst)) => {
                let falls = broken.falling().count();
                println!("{length:6.2} m  {:13.0} %  {joint:11}  {falls:2} pieces", worst.ratio * 100.0);
                println!("\nIt broke by {:?} at x = {:.2} m.", worst.failure, worst.point.x);
                return Ok(());
            }
            None => {
                let (joint, worst) = stress.highest().expect("a beam has joints");
                println!("{length:6.2} m  {:13.0} %  {joint:11}", worst.ratio * 100.0);
            }
        }
    }
    Ok(())
}
