//! What dust costs: `cargo bench -p smithereens-testing --bench dust [-- steps|sprites|scene]`.
//!
//! Steps of dust all around an arena of 40 m, on one thread and on two, pictures with and without it, and the parts of
//! all steps of a scene. Prints the tables of `docs/algorithms/dust.md` and writes
//! them to `target/dust.json`.

use std::path::Path;
use std::time::Instant;

use glam::{DQuat, DVec3, dvec3};
use serde_json::{Value, json};
use smithereens_dust::{Blocker, Dust, Mover, Options, Puff, Report, Shape};
use smithereens_testing::chance::Chance;
use smithereens_testing::table::Table;

mod scene;
mod sprites;

const STEP: f64 = 1.0 / 60.0;
/// Steps before the clock runs, and with it.
const FIRST: usize = 60;
const TIMED: usize = 120;

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| {
        !words.iter().any(|w| ["steps", "sprites", "scene"].contains(&w.as_str()))
            || words.iter().any(|w| w == name)
    };
    let mut tables = Vec::new();
    if is_wanted("steps") {
        tables.push(steps().to_json());
    }
    if is_wanted("sprites") {
        tables.push(sprites::table().to_json());
    }
    if is_wanted("scene") {
        tables.push(scene::table().to_json());
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("."));
    std::fs::write(target.join("dust.json"), format!("{:#}\n", Value::Array(tables)))
}

fn steps() -> Table {
    let columns = [
        "particles",
        "movers",
        "threads",
        "cells",
        "cell, m",
        "step",
        "99 of 100",
        "advect",
        "project",
        "obstacles",
        "particles, ms",
        "keep",
    ];
    let mut table = Table::new("Steps of dust around an arena; times in milliseconds", &columns);
    for particles in [10_000, 50_000, 100_000] {
        for movers in [0, 1_000] {
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                table.row(pool.install(|| run(particles, movers, threads)));
            }
        }
    }
    table
}

/// Dust all around an arena with its wall standing, and as many particles as told.
pub(crate) fn arena(particles: usize) -> Dust {
    let options = Options { most_particles: particles, life: [60.0, 120.0], ..Options::default() };
    let mut dust = Dust::new(options).expect("sound options");
    let bay = |i: u32| {
        let turn = DQuat::from_rotation_y(f64::from(i) / 48.0 * std::f64::consts::TAU);
        Blocker { shape: Shape::Box(dvec3(1.0, 3.0, 0.4)), at: turn * dvec3(0.0, 3.0, 18.0), turn }
    };
    dust.set_blockers(&(0..48).map(bay).collect::<Vec<_>>());
    let mut chance = Chance::new(1);
    while dust.books().aloft < 40.0 {
        let turn = DQuat::from_rotation_y(chance.unit() * std::f64::consts::TAU);
        let at = turn * dvec3(0.0, chance.between(0.5, 6.0), chance.between(16.0, 20.0));
        let corners = [at, at + turn * DVec3::X, at + DVec3::Y];
        let mass = 40.0 / (particles as f64 / 20.0);
        dust.add(&Puff { corners, velocity: turn * DVec3::Z * chance.between(-3.0, 3.0), mass });
    }
    dust
}

/// Fragments that fall from the wall and begin anew on the floor.
fn rubble(count: usize, step: usize) -> Vec<Mover> {
    let mut chance = Chance::new(2);
    let fragment = |_| {
        let turn = DQuat::from_rotation_y(chance.unit() * std::f64::consts::TAU);
        let (height, half) = (chance.between(0.0, 6.0), chance.magnitude(0.08, 0.6));
        let y = (height - step as f64 * STEP * 6.0).rem_euclid(6.0);
        Mover {
            shape: Shape::Box(DVec3::splat(half)),
            at: turn * dvec3(0.0, y, 18.0 + chance.between(-2.0, 2.0)),
            turn,
            velocity: dvec3(0.0, -6.0, 0.0),
            spin: chance.direction() * 3.0,
        }
    };
    (0..count).map(fragment).collect()
}

fn run(particles: usize, movers: usize, threads: usize) -> Vec<Value> {
    let mut dust = arena(particles);
    let mut step = |at: usize| {
        let movers = rubble(movers, at);
        let start = Instant::now();
        let report = dust.step(STEP, &movers).expect("a step");
        (report, start.elapsed().as_secs_f64() * 1e3)
    };
    (0..FIRST).for_each(|at| _ = step(at));
    let timed: Vec<(Report, f64)> = (FIRST..FIRST + TIMED).map(&mut step).collect();
    let mean =
        |of: &dyn Fn(&Report) -> f64| timed.iter().map(|(report, _)| of(report)).sum::<f64>() / TIMED as f64;
    let mut whole: Vec<f64> = timed.iter().map(|(_, time)| *time).collect();
    whole.sort_by(f64::total_cmp);
    let last = &timed[TIMED - 1].0;
    vec![
        json!(last.particles),
        json!(movers),
        json!(threads),
        json!(last.cells),
        json!(last.cell),
        json!(whole.iter().sum::<f64>() / TIMED as f64),
        json!(whole[TIMED * 99 / 100]),
        json!(mean(&|r| r.times.advect.milliseconds())),
        json!(mean(&|r| r.times.project.milliseconds())),
        json!(mean(&|r| r.times.obstacles.milliseconds())),
        json!(mean(&|r| r.times.particles.milliseconds())),
        json!(mean(&|r| r.times.keep.milliseconds())),
    ]
}
