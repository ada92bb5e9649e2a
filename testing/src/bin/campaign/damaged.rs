//! Damaged meshes, by seed, through all that a user does with them: inspect, repair, decompose, break.

use std::time::{Duration, Instant};

use glam::DVec3;
use rayon::prelude::*;
use smithereens::pattern::Uniform;
use smithereens::prepare::{Decomposition, Effort, Goal, Placement};
use smithereens::{Fit, FractureOptions, Impact, fracture};
use smithereens_repair::{RepairOptions, inspect, repair};
use smithereens_testing::adversarial::volume_slack;
use smithereens_testing::damage::damaged_case;

use crate::verdict::{Row, Verdict, caught};

/// Cases in one row, for something to watch.
const A_ROW: u64 = 100;
const PIECES: usize = 8;
const CELLS: usize = 12;
/// Where a mesh needs a new surface: coarse, as the shapes are simple and a thousand.
const RESOLUTION: u32 = 48;
/// Nothing as small as these meshes may take longer.
const LONGEST: Duration = Duration::from_secs(30);

/// Rows of a hundred cases each. A row's name tells how many were refused.
pub fn rows(from: u64, cases: u64) -> impl Iterator<Item = Row> {
    let end = from + cases;
    (from..end).step_by(A_ROW as usize).map(move |first| row(first, end.min(first + A_ROW)))
}

fn row(first: u64, end: u64) -> Row {
    let verdicts: Vec<(bool, Verdict)> = (first..end).into_par_iter().map(verdict).collect();
    let refused = verdicts.iter().filter(|v| !v.0).count();
    let name = format!("seeds {first} to {}, {refused} refused", end - 1);
    let mut row = Row { name, cells: CELLS.to_string(), ..Row::default() };
    for (seed, (_, verdict)) in (first..end).zip(verdicts) {
        row.add(&format!("seed {seed}"), verdict);
    }
    row
}

/// Whether a mesh was mended, and what came of it.
fn verdict(seed: u64) -> (bool, Verdict) {
    let start = Instant::now();
    let (mended, mut verdict) =
        caught(|| run(seed)).unwrap_or_else(|fault| (true, Verdict::failed(format!("panic: {fault}"))));
    if start.elapsed() > LONGEST && verdict.fault.is_none() {
        verdict.fault = Some(format!("took {:?}", start.elapsed()));
    }
    (mended, verdict)
}

fn run(seed: u64) -> (bool, Verdict) {
    let case = damaged_case(seed);
    let advice = inspect(&case.mesh).advice().to_owned();
    let solid =
        match repair(&case.mesh, &RepairOptions { resolution: RESOLUTION, ..RepairOptions::default() }) {
            Ok(repaired) => repaired.solid,
            Err(error) if error.to_string().is_empty() || advice.is_empty() => {
                return (false, Verdict::failed(format!("{}: refused without a reason", case.name)));
            }
            Err(_) => return (false, Verdict::default()),
        };
    let is_tangled = inspect(solid.mesh()).verdict != smithereens_repair::Verdict::Sound;
    let relative = 1e-9 + volume_slack(solid.mesh()) / solid.volume();
    let placement = Placement { goal: Goal::Pieces(PIECES), effort: Effort::Instant, seed };
    let nodes = placement.nodes(&solid, |_| ());
    let broken =
        Decomposition::new(solid, nodes, Fit::Dop26).map_err(|e| e.to_string()).and_then(|prepared| {
            let compound = prepared.compound();
            let bounds = compound.bounds().grown(compound.bounds().extent() * 0.01);
            let pattern = Uniform { cells: CELLS, bounds, seed }.pattern().map_err(|e| e.to_string())?;
            let broken = fracture(compound, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default())
                .map_err(|e| e.to_string())?;
            let verdict = if is_tangled { Verdict::of_tangled } else { Verdict::of };
            Ok(verdict(compound, &broken, relative))
        });
    let mut verdict = broken.unwrap_or_else(Verdict::failed);
    verdict.fault = verdict.fault.map(|fault| format!("{}: {fault}", case.name));
    (true, verdict)
}
