//! Beams of ever finer pieces against theory.

use glam::{DVec3, USizeVec3};
use serde_json::json;
use smithereens_stress::{Options, Stress, Structure};
use smithereens_testing::table::Table;

use crate::GRAVITY;
use crate::graphs::boxes;

/// Highest stress as a part of theory's, for beams ten times as long as deep.
pub fn table() -> Table {
    let columns =
        ["pieces along × across", "hanging bar", "cantilever, its length", "beam between two walls"];
    let mut table = Table::new("Finer pieces: what theory gives is one", &columns);
    for across in [1usize, 2, 4, 8, 16] {
        let along = across * 10;
        let size = DVec3::new(1.0, 1.0, across as f64) / across as f64;
        // The first and the last layer are held: theirs is no part of the beam.
        let beam = |is_held: fn(USizeVec3, USizeVec3) -> bool, layers: usize| {
            boxes([along + layers, across, 1], size, is_held)
        };
        let first = |at: USizeVec3, _: USizeVec3| at.x == 0;
        let both = |at: USizeVec3, counts: USizeVec3| at.x == 0 || at.x + 1 == counts.x;
        let weight = 2400.0 * 9.81;
        let strength = 3e6;
        let hanging = worst(beam(first, 1), DVec3::X * 9.81) / (weight * 10.0 / strength);
        let bent = worst(beam(first, 1), GRAVITY) / (3.0 * weight * 100.0 / strength);
        let between = worst(beam(both, 2), GRAVITY) / (0.5 * weight * 100.0 / strength);
        let name = format!("{along} × {across}");
        // Stress goes with the square of a cantilever's length.
        table.row(vec![json!(name), json!(hanging), json!(1.0 / bent.sqrt()), json!(between)]);
    }
    table
}

fn worst(structure: Structure, gravity: DVec3) -> f64 {
    let exact = Options { accuracy: 1e-6, ..Options::default() };
    let mut stress = Stress::with_options(structure, exact).expect("a sound structure");
    stress.set_gravity(gravity).expect("a number");
    stress.solve();
    stress.highest().map_or(0.0, |(_, most)| most.ratio)
}
