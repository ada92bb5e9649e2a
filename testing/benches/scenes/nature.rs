//! From an impact on a model that breaks by nature to fragments in a world.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use serde_json::json;
use smithereens::Compound;
use smithereens::pattern::PatternKind;
use smithereens_simulate::modes::{Brittle, BrittleOptions, Weakness};
use smithereens_simulate::{Break, Hit, Material, NewBody, Options, Pose, World};
use smithereens_testing::subjects;
use smithereens_testing::table::Table;

const RUNS: usize = 20;
/// How many times harder than what gives all of a body the speed at which its pieces part.
const HARD: f64 = 4.0;

/// Prints a line a model; times are those of the best of some runs, all in milliseconds.
pub fn table() {
    let columns = ["model", "convexes", "fragments", "added", "spawned", "with faces", "target", "saved, kB"];
    let mut table = Table::new("From an impact to fragments in a world; times in milliseconds", &columns);
    for subject in subjects::watertight() {
        let brittle = Brittle::of(&subject.solid, &BrittleOptions::default()).expect("a solid has modes");
        let (compound, weakness) = (brittle.compound, Arc::new(brittle.weakness));
        let runs: Vec<Run> = (0..RUNS).map(|_| run(&compound, &weakness)).collect();
        let best = |of: fn(&Run) -> f64| runs.iter().map(of).fold(f64::INFINITY, f64::min) * 1e3;
        table.row(vec![
            json!(subject.name),
            json!(compound.pieces().len()),
            json!(runs[0].fragments),
            json!(best(|run| run.added)),
            json!(best(|run| run.spawned)),
            json!(best(|run| run.with_faces)),
            json!(2.0),
            json!(weakness.to_bytes().map_or(0, |bytes| bytes.len() / 1000)),
        ]);
    }
}

struct Run {
    fragments: usize,
    added: f64,
    spawned: f64,
    with_faces: f64,
}

fn run(compound: &Compound, weakness: &Arc<Weakness>) -> Run {
    let mut world = World::new(Options { smallest: 0.0, ..Options::default() }, Material::table());
    let new =
        NewBody { weakness: Some(weakness.clone()), ..NewBody::at(compound.clone(), Pose::at(DVec3::Y)) };
    let start = Instant::now();
    let body = world.add(new).expect("a body");
    let added = start.elapsed().as_secs_f64();
    let bounds = compound.bounds();
    let how = Break { above: HARD, pattern: PatternKind::Voronoi, cells: 2, radius: 10.0 * bounds.extent() };
    let direction = bounds.center() - bounds.max;
    world.hit(&Hit { body, at: bounds.max + DVec3::Y, direction, how });
    world.step();
    let spawned = world.times.fracture.as_secs_f64();
    let start = Instant::now();
    for (_, body) in world.destruction.bodies() {
        drop(black_box(body.compound().visible_faces()));
    }
    let with_faces = spawned + start.elapsed().as_secs_f64();
    Run { fragments: world.destruction.bodies().count(), added, spawned, with_faces }
}
