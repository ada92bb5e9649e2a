//! Solids broken whole, into few cells and many.

use glam::DVec3;
use smithereens::{FractureOptions, Impact, fracture};
use smithereens_testing::subjects::Subject;

use crate::verdict::{Row, Verdict, caught};

const CELLS: [usize; 4] = [30, 90, 300, 1000];
const SEEDS: [u64; 3] = [1, 2, 3];

/// One row for each number of cells.
pub fn rows(subject: &Subject) -> impl Iterator<Item = Row> {
    CELLS.into_iter().map(|cells| row(subject, cells))
}

fn row(subject: &Subject, cells: usize) -> Row {
    let mut row = Row { name: subject.name.clone(), cells: cells.to_string(), ..Row::default() };
    for seed in SEEDS {
        let verdict = caught(|| run(subject, cells, seed)).unwrap_or_else(Verdict::failed);
        row.add(&format!("seed {seed}"), verdict);
    }
    row
}

fn run(subject: &Subject, cells: usize, seed: u64) -> Verdict {
    let compound = subject.whole();
    let pattern = match subject.pattern(cells, seed) {
        Ok(pattern) => pattern,
        Err(error) => return Verdict::failed(error.to_string()),
    };
    match fracture(&compound, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default()) {
        Ok(broken) => Verdict::of(&compound, &broken, 1e-9),
        Err(error) => Verdict::failed(error.to_string()),
    }
}
