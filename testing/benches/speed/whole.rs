//! Whole objects broken at once: how long, and with how much memory.

use std::time::Duration;

use glam::DVec3;
use serde_json::json;
use smithereens::pattern::Pattern;
use smithereens::{Compound, Fracture, FractureOptions, Impact, Report, StageTimes, fracture};
use smithereens_testing::subjects::{Subject, subject};

use crate::clock::{Effort, Times, milliseconds, on_threads, repeat, timed};
use crate::heap::growth_during;
use smithereens_testing::table::{Table, verdict};

/// A model, a number of cells, and in how many milliseconds they should be done.
const CASES: [(&str, usize, Option<f64>); 7] = [
    ("bunny.off", 90, Some(3.0)),
    ("bunny-70k.ply", 90, None),
    ("bunny-70k.ply", 300, None),
    ("armadillo.obj", 300, Some(15.0)),
    ("armadillo.obj", 1000, Some(40.0)),
    ("dragon.ply", 300, None),
    ("dragon.ply", 1000, None),
];
/// The heap at its fullest may be this many times the input.
const MOST_MEMORY: f64 = 4.0;

type StageOf = fn(&StageTimes) -> Duration;

/// The stages of a report.
pub const STAGES: [(&str, StageOf); 5] = [
    ("align", |t| t.align),
    ("intersect", |t| t.intersect),
    ("weld", |t| t.weld),
    ("bonds", |t| t.bonds),
    ("gather", |t| t.gather),
];

/// What a model broken over and over showed.
pub struct Broken {
    /// Making the pattern.
    pub pattern: Times,
    /// Breaking the model along it.
    pub fracture: Times,
    /// Both.
    pub sum: Times,
    stages: Vec<f64>,
    fragments: usize,
}

/// Makes the pattern and breaks the subject along it, as often as the effort says.
pub fn measure(subject: &Subject, cells: usize, threads: usize, effort: &Effort) -> Broken {
    let (points, bounds) = subject.seeds(cells, 1);
    let compound = subject.whole();
    let runs = on_threads(threads, || {
        repeat(effort, || {
            let (pattern, made) = timed(|| Pattern::from_points(&points, bounds));
            let pattern = pattern.unwrap_or_else(|error| panic!("{}: {error}", subject.name));
            let (broken, took) = timed(|| break_whole(&compound, &pattern));
            (made, took, broken.report)
        })
    });
    Broken {
        pattern: Times::new(runs.iter().map(|r| r.0).collect()),
        fracture: Times::new(runs.iter().map(|r| r.1).collect()),
        sum: Times::new(runs.iter().map(|r| r.0 + r.1).collect()),
        stages: stages(&runs.iter().map(|r| r.2).collect::<Vec<_>>()),
        fragments: runs.first().map_or(0, |r| r.2.fragments),
    }
}

/// The median of each stage.
pub fn stages(reports: &[Report]) -> Vec<f64> {
    let median =
        |of: StageOf| Times::new(reports.iter().map(|r| milliseconds(of(&r.times))).collect()).median();
    STAGES.iter().map(|s| median(s.1)).collect()
}

fn break_whole(compound: &Compound, pattern: &Pattern) -> Fracture {
    fracture(compound, pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default())
        .unwrap_or_else(|error| panic!("an impact in place is sound: {error}"))
}

/// Times of all cases.
pub fn times(effort: &Effort) -> Table {
    let mut columns = vec!["model", "triangles", "cells", "fragments", "threads", "pattern", "fracture"];
    columns.extend(["sum, median", "sum, least"]);
    columns.extend(STAGES.iter().map(|s| s.0));
    columns.extend(["yardstick", "target", ""]);
    let mut table = Table::new("A whole object, milliseconds", &columns);
    for (file, cells, target) in CASES {
        let subject = subject(file);
        for threads in [1, 2] {
            let all = measure(&subject, cells, threads, effort);
            let mut row = vec![
                json!(subject.name),
                json!(subject.solid.mesh().faces.len()),
                json!(cells),
                json!(all.fragments),
                json!(threads),
                json!(all.pattern.median()),
                json!(all.fracture.median()),
                json!(all.sum.median()),
                json!(all.sum.min()),
            ];
            row.extend(all.stages.iter().map(|s| json!(s)));
            row.extend([json!(effort.slowness()), json!(target), verdict(all.sum.median(), target)]);
            table.row(row);
        }
    }
    table
}

/// The heap of the case with a target.
pub fn memory() -> Table {
    const MIB: f64 = 1024.0 * 1024.0;
    let columns = [
        "model",
        "cells",
        "threads",
        "input MiB",
        "peak above it MiB",
        "fragments MiB",
        "(input + peak) / input",
        "target",
        "",
    ];
    let mut table = Table::new("The heap while breaking a whole object", &columns);
    let (file, cells) = ("armadillo.obj", 300);
    let subject = subject(file);
    let input = subject.solid.mesh().heap_bytes() as f64;
    let compound = subject.whole();
    let pattern = subject.pattern(cells, 1).unwrap_or_else(|error| panic!("{file}: {error}"));
    for threads in [1, 2] {
        // The pool's own memory is there before and after.
        let [peak, kept] = on_threads(threads, || {
            drop(break_whole(&compound, &pattern));
            let (_broken, growth) = growth_during(|| break_whole(&compound, &pattern));
            growth
        });
        let ratio = (input + peak) / input;
        table.row(vec![
            json!(subject.name),
            json!(cells),
            json!(threads),
            json!(input / MIB),
            json!(peak / MIB),
            json!(kept / MIB),
            json!(ratio),
            json!(MOST_MEMORY),
            verdict(ratio, Some(MOST_MEMORY)),
        ]);
    }
    table
}
