//! Cases made to break cutters, by seed: even ones are points, odd ones are patterns of any kind.

use glam::DVec3;
use rayon::prelude::*;
use smithereens::pattern::Pattern;
use smithereens::{Compound, Fit, FractureOptions, Impact, fracture};
use smithereens_geometry::Solid;
use smithereens_testing::adversarial::{pattern_case, point_case, volume_slack};

use crate::verdict::{Row, Verdict, caught};

/// Cases in one row, for something to watch.
const A_ROW: u64 = 1000;

/// Rows of a thousand cases each.
pub fn rows(from: u64, cases: u64) -> impl Iterator<Item = Row> {
    let end = from + cases;
    (from..end).step_by(A_ROW as usize).map(move |first| row(first, end.min(first + A_ROW)))
}

fn row(first: u64, end: u64) -> Row {
    let verdicts: Vec<Verdict> = (first..end).into_par_iter().map(verdict).collect();
    let name = format!("seeds {first} to {}", end - 1);
    let mut row = Row { name, cells: "–".to_owned(), ..Row::default() };
    for (seed, verdict) in (first..end).zip(verdicts) {
        row.add(&format!("seed {seed}"), verdict);
    }
    row
}

fn verdict(seed: u64) -> Verdict {
    caught(|| run(seed)).unwrap_or_else(|fault| Verdict::failed(format!("panic: {fault}")))
}

fn run(seed: u64) -> Verdict {
    let (name, solid, pattern) = if seed.is_multiple_of(2) {
        let case = point_case(seed);
        match Pattern::from_points(&case.points, case.bounds) {
            Ok(pattern) => (case.name, case.solid, pattern),
            Err(error) => return Verdict::failed(format!("{}: {error}", case.name)),
        }
    } else {
        let case = pattern_case(seed);
        (case.name, case.solid, case.pattern)
    };
    let mut verdict = broken(solid, &pattern);
    let kind = name.split_once(": ").map_or(name.as_str(), |(_, kind)| kind);
    verdict.fault = verdict.fault.map(|fault| format!("{kind}: {fault}"));
    verdict
}

fn broken(solid: Solid, pattern: &Pattern) -> Verdict {
    let relative = 1e-9 + volume_slack(solid.mesh()) / solid.volume();
    let compound = Compound::from_solid(solid, Fit::Dop26);
    match fracture(&compound, pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default()) {
        Ok(broken) => Verdict::of(&compound, &broken, relative),
        Err(error) => Verdict::failed(error.to_string()),
    }
}
