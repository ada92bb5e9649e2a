//! What it takes to make models ready to break by nature, and to break them: `cargo bench -p smithereens-modes --bench bodies`.
//!
//! First, every model at the default number of cells, ten modes: cutting cells, finding modes, the table of impacts, pieces with skins and convexes. Then, best of some
//! runs: from an impact to the list of fragments, to fragments, and to the faces that are seen of them: pieces are meshed beforehand, and drawn in whichever fragment they are. Then the same models with smooth faults; broken ones in cages; and more cells of one. Prints tables and writes them to `target/bodies.json`.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use smithereens::Solid;
use smithereens_modes::{Brittle, BrittleOptions, CellOptions, Projection, Strike};
use smithereens_repair::{RepairOptions, cage, repair};
use smithereens_testing::models;
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
    let all: Vec<Value> = vec![table.to_json(), smoothed().to_json(), caged().to_json(), finer().to_json()];
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("."));
    std::fs::write(target.join("bodies.json"), format!("{:#}\n", json!(all)))
}

/// What smooth faults take in place of those along cells.
fn smoothed() -> Table {
    let columns = ["model", "triangles", "pieces", "convexes", "pieces, ms", "all, s", "target"];
    let mut table = Table::new("Smooth faults", &columns);
    for subject in subjects::watertight() {
        let start = Instant::now();
        let options = BrittleOptions { smooth: 1.0, ..BrittleOptions::default() };
        let brittle = Brittle::of(&subject.solid, &options).expect("a solid has modes");
        let all = start.elapsed().as_secs_f64();
        table.row(vec![
            json!(subject.name),
            json!(subject.solid.mesh().triangle_count()),
            json!(brittle.weakness.pieces()),
            json!(brittle.compound.pieces().len()),
            json!(brittle.times.pieces),
            json!(all),
            json!(5.0),
        ]);
    }
    table
}

/// Models that have to be mended, in cages; and one with more triangles than any.
fn caged() -> Table {
    let columns = ["model", "triangles", "cage, ms", "cells", "pieces", "convexes", "all, s", "target"];
    let mut table = Table::new("In cages", &columns);
    let broken = models::MODELS.iter().filter(|model| {
        matches!(
            model.condition,
            models::Condition::Open | models::Condition::Soup | models::Condition::NonManifold
        )
    });
    for model in broken {
        let Some(path) = models::model_path(model.file) else { continue };
        let mesh = smithereens_formats::read(&path).expect("a model").mesh;
        let solid = repair(&mesh, &RepairOptions::default()).expect("it can be mended").solid;
        table.row(caged_row(model.file, &solid));
    }
    table.row(caged_row("knot", &subjects::knot(2_000_000)));
    table
}

fn caged_row(name: &str, solid: &Solid) -> Vec<Value> {
    let start = Instant::now();
    let cage = cage(solid.mesh(), 96).expect("a solid has an extent");
    let caging = start.elapsed().as_secs_f64() * 1e3;
    let go_on = |_| std::ops::ControlFlow::Continue(());
    let brittle =
        Brittle::in_cage(solid, &cage, &BrittleOptions::default(), go_on).expect("a cage has modes");
    vec![
        json!(name),
        json!(solid.mesh().triangle_count()),
        json!(caging),
        json!(brittle.cells.graph().cells().len()),
        json!(brittle.weakness.pieces()),
        json!(brittle.compound.pieces().len()),
        json!(start.elapsed().as_secs_f64()),
        json!(5.0),
    ]
}

/// More cells of one model: times a scalar mode, eigenvectors included.
fn finer() -> Table {
    let columns =
        ["cells", "faces", "cells, ms", "ms a scalar mode", "goal", "pieces, ms", "paper, ms a mode"];
    let mut table = Table::new("More cells of a model", &columns);
    let subject = subjects::subject("bunny-70k.ply");
    for (count, goal, paper) in [
        (6_800, 20.0, Some(2860.0)),
        (13_500, 40.0, Some(11600.0)),
        (56_000, 150.0, None),
        (112_000, 300.0, None),
    ] {
        let cells = CellOptions { count, ..CellOptions::default() };
        let options = BrittleOptions { cells, ..BrittleOptions::default() };
        let brittle = Brittle::of(&subject.solid, &options).expect("a solid has modes");
        let graph = brittle.cells.graph();
        table.row(vec![
            json!(graph.cells().len()),
            json!(graph.faces().len()),
            json!(brittle.times.cells),
            json!(brittle.times.modes / brittle.modes.scalar.len() as f64),
            json!(goal),
            json!(brittle.times.pieces),
            json!(paper),
        ]);
    }
    table
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
