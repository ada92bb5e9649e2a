//! One hit after another, each on the largest compound that is left.

use glam::DVec3;
use smithereens::pattern::Pattern;
use smithereens::{Aabb, Compound, FractureOptions, Impact, fracture};
use smithereens_testing::chance::Chance;
use smithereens_testing::subjects::Subject;

use crate::verdict::{Row, Verdict, caught};

const HITS: usize = 20;
const CELLS: usize = 15;
/// Of the volume, after all hits.
const DRIFT: f64 = 1e-8;

/// Twenty hits on a subject.
pub fn row(subject: &Subject) -> Row {
    let mut row = Row { name: subject.name.clone(), cells: CELLS.to_string(), ..Row::default() };
    row.add("seed 20", caught(|| run(subject, 20)).unwrap_or_else(Verdict::failed));
    row
}

fn run(subject: &Subject, seed: u64) -> Verdict {
    let mut chance = Chance::new(seed);
    let volume = subject.solid.volume();
    let extent = subject.solid.mesh().bounds().extent();
    let mut compounds = vec![subject.whole()];
    let mut all = Verdict::default();
    let mut lost = 0.0;
    for number in 1..=HITS {
        let target = take_largest(&mut compounds);
        let radius = extent * chance.between(0.1, 0.3);
        let points: Vec<DVec3> = (0..CELLS).map(|_| chance.point() * radius).collect();
        let mesh = target.pieces()[chance.below(target.pieces().len())].to_mesh();
        let point = mesh.positions[chance.below(mesh.positions.len())];
        let impact = Impact { radius, direction: chance.direction(), ..Impact::at(point) };
        let pattern = match Pattern::from_points(&points, Aabb::cube(radius * 1.2)) {
            Ok(pattern) => pattern,
            Err(error) => return Verdict::failed(format!("hit {number}: {error}")),
        };
        let broken = match fracture(&target, &pattern, &impact, &FractureOptions::default()) {
            Ok(broken) => broken,
            Err(error) => return Verdict::failed(format!("hit {number}: {error}")),
        };
        let one = Verdict::of(&target, &broken, 1e-9);
        all.open += one.open;
        all.fault = all.fault.or(one.fault.map(|fault| format!("hit {number}: {fault}")));
        lost += broken.report.dropped.volume;
        compounds.extend(broken.fragments.into_iter().map(|f| f.compound));
    }
    let after: f64 = compounds.iter().map(|c| c.mass().volume).sum();
    all.fragments = compounds.len();
    all.error = (after + lost - volume).abs() / volume;
    if all.error > DRIFT && all.fault.is_none() {
        all.fault = Some(format!("volume {volume} became {after}"));
    }
    all
}

/// The compound of the greatest volume: there is always one, since a fracture never loses the object.
fn take_largest(compounds: &mut Vec<Compound>) -> Compound {
    let volume = |i: &usize| compounds[*i].mass().volume;
    let largest = (0..compounds.len()).max_by(|a, b| volume(a).total_cmp(&volume(b)));
    compounds.swap_remove(largest.unwrap_or(0))
}
