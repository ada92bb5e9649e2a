//! Decomposing models by nodes: all cells, one dragged node, and the search for nodes.

use glam::DVec3;
use serde_json::json;
use smithereens::Fit;
use smithereens::prepare::{Decomposition, Effort, Goal, Placement};
use smithereens_testing::chance::Chance;
use smithereens_testing::subjects::{Subject, subject};

use crate::clock::{Effort as Repeat, Times, on_threads, repeat, timed};
use smithereens_testing::table::{Table, verdict};

const NODES: usize = 12;
const PIECES: usize = 32;
/// How far a node is dragged, of the extent.
const DRAG: f64 = 0.01;

/// What is done to a model, and how long it may take in milliseconds.
const ACTS: [(&str, Act, f64); 4] = [
    ("12 nodes, all cells", all_cells, 100.0),
    ("12 nodes, one dragged", drag, 20.0),
    ("instant search, 32 pieces", instant, 50.0),
    ("full search, 32 pieces", full, 1000.0),
];

/// Milliseconds of each repetition.
type Act = fn(&Subject, &Repeat) -> Vec<f64>;

/// Times of all acts on two models.
pub fn times(effort: &Repeat) -> Table {
    let columns = ["model", "triangles", "what", "threads", "median", "least", "yardstick", "target", ""];
    let mut table = Table::new("Decomposition, milliseconds", &columns);
    for file in ["armadillo.obj", "bunny-70k.ply"] {
        let subject = subject(file);
        for (name, act, target) in ACTS {
            let times = Times::new(on_threads(2, || act(&subject, effort)));
            table.row(vec![
                json!(subject.name),
                json!(subject.solid.mesh().faces.len()),
                json!(name),
                json!(2),
                json!(times.median()),
                json!(times.min()),
                json!(effort.slowness()),
                json!(target),
                verdict(times.median(), Some(target)),
            ]);
        }
    }
    table
}

fn decomposed(subject: &Subject) -> Decomposition {
    let nodes = subject.seeds(NODES, 1).0;
    Decomposition::new(subject.solid.clone(), nodes, Fit::HULL)
        .unwrap_or_else(|error| panic!("{}: {error}", subject.name))
}

fn all_cells(subject: &Subject, effort: &Repeat) -> Vec<f64> {
    repeat(effort, || timed(|| decomposed(subject)).1)
}

fn drag(subject: &Subject, effort: &Repeat) -> Vec<f64> {
    let mut decomposition = decomposed(subject);
    let mut chance = Chance::new(2);
    let reach = subject.solid.mesh().bounds().extent() * DRAG;
    repeat(effort, || {
        let node = chance.below(NODES);
        let to: DVec3 = decomposition.nodes()[node] + chance.point() * reach;
        timed(|| decomposition.move_node(node, to)).1
    })
}

fn search(subject: &Subject, effort: &Repeat, way: Effort) -> Vec<f64> {
    let placement = Placement { goal: Goal::Pieces(PIECES), effort: way, seed: 0 };
    repeat(effort, || timed(|| placement.nodes(&subject.solid, |_| ())).1)
}

fn instant(subject: &Subject, effort: &Repeat) -> Vec<f64> {
    search(subject, effort, Effort::Instant)
}

fn full(subject: &Subject, effort: &Repeat) -> Vec<f64> {
    let once = Repeat { least: effort.least.min(3), most: effort.most.min(3), yardstick: None, ..*effort };
    search(subject, &once, Effort::Full)
}
