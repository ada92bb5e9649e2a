//! What it takes to make models ready to break by nature, and to break them: `cargo bench -p smithereens-modes --bench bodies`.
//!
//! Every model at the default number of cells, ten modes: cutting cells, finding modes, the table of impacts, pieces with skins and convexes. Then, best of some
//! runs: from an impact to the list of fragments, to fragments, and to the faces that are seen of them: pieces are meshed beforehand, and drawn in whichever fragment they are. Prints a table and writes it to `target/bodies.json`.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use smithereens_modes::{Brittle, BrittleOptions, Projection, Strike};
use smithereens_testing::subjects::{self, Subject};
use smithereens_testing::table::Table;

const RUNS: usize = 40;

fn main() -> std::io::Result<()> {
    let columns = [
        "model",
        "triangles",
        "cells",
        "pieces",
        "convexes",
        "cells, ms",
        "modes, ms",
        "table, ms",
        "pieces, ms",
        "all, s",
        "target",
        "list, µs",
        "fragments, ms",
        "faces, ms",
        "target, ms",
    ];
    let mut table = Table::new("Bodies that break by nature", &columns);
    for subject in subjects::watertight() {
        table.row(row(&subject));
    }
    let all: Vec<Value> = vec![table.to_json()];
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("."));
    std::fs::write(target.join("bodies.json"), format!("{:#}\n", json!(all)))
}

fn row(subject: &Subject) -> Vec<Value> {
    let start = Instant::now();
    let brittle = Brittle::of(&subject.solid, &BrittleOptions::default()).expect("a solid has modes");
    let all = start.elapsed().as_secs_f64();
    let bounds = subject.solid.mesh().bounds();
    let strike = Strike {
        point: bounds.max,
        impulse: (bounds.center() - bounds.max).normalize() * brittle.weakness.volume() * 2.0,
        density: 1.0,
        threshold: 1.0,
        radius: f64::INFINITY,
        projection: Projection::Modes,
    };
    let broken = || brittle.weakness.fracture(&brittle.compound, &strike).expect("a sound strike");
    let list = best(|| drop(black_box(brittle.weakness.strike(&strike, |_| true))));
    let fragments = best(|| drop(black_box(broken())));
    let faces = best(|| {
        let broken = broken();
        broken.fragments.iter().for_each(|fragment| drop(black_box(fragment.compound.visible_faces())));
    });
    let times = &brittle.times;
    vec![
        json!(subject.name),
        json!(subject.solid.mesh().triangle_count()),
        json!(brittle.cells.graph().cells().len()),
        json!(brittle.weakness.pieces()),
        json!(brittle.compound.pieces().len()),
        json!(times.cells),
        json!(times.modes),
        json!(times.table),
        json!(times.pieces),
        json!(all),
        json!(5.0),
        json!(list * 1e6),
        json!(fragments * 1e3),
        json!(faces * 1e3),
        json!(2.0),
    ]
}

/// The shortest of some runs, in seconds.
fn best(run: impl Fn()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..RUNS).map(time).fold(f64::INFINITY, f64::min)
}
