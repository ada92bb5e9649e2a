//! Hits on compounds of many pieces: the time should follow the hit, not the compound.

use glam::DVec3;
use serde_json::json;
use smithereens::pattern::Pattern;
use smithereens::{Aabb, Compound, Convex, FractureOptions, Impact, Report, fracture};
use smithereens_testing::chance::Chance;
use smithereens_testing::subjects::subject;

use crate::clock::{Effort, Times, on_threads, timed};
use crate::whole::{STAGES, stages};
use smithereens_testing::table::{Table, verdict};

const CELLS: usize = 30;
/// Of the extent of the compound.
const REACH: f64 = 0.08;
const BOXES_A_SIDE: usize = 31;

/// A compound, places on its surface, and how long a hit may take in milliseconds.
struct Target {
    name: String,
    compound: Compound,
    surface: Vec<DVec3>,
    reach: f64,
    target: f64,
}

/// Hits on a model in a hundred pieces, and on a block of thirty thousand boxes.
pub fn times(effort: &Effort) -> Table {
    let mut columns =
        vec!["compound", "pieces", "touched", "cells", "threads", "hits", "median", "p90", "least"];
    columns.extend(STAGES.iter().map(|s| s.0));
    columns.extend(["yardstick", "target", ""]);
    let mut table = Table::new("A local hit, milliseconds", &columns);
    for target in [decomposed("armadillo.obj", 100, 2.0), block(3.0)] {
        for threads in [1, 2] {
            let hits = if effort.is_quick() { 5 } else { 100 };
            let (times, reports) = on_threads(threads, || strike(&target, hits, effort));
            let mut row = vec![
                json!(target.name),
                json!(target.compound.pieces().len()),
                json!(reports.iter().map(|r| r.touched).sum::<usize>() / hits),
                json!(CELLS),
                json!(threads),
                json!(hits),
                json!(times.median()),
                json!(times.quantile(0.9)),
                json!(times.min()),
            ];
            row.extend(stages(&reports).iter().map(|s| json!(s)));
            row.extend([
                json!(effort.slowness()),
                json!(target.target),
                verdict(times.median(), Some(target.target)),
            ]);
            table.row(row);
        }
    }
    table
}

/// Times and reports of hits at random places of the surface, each on the compound as it was.
fn strike(target: &Target, hits: usize, effort: &Effort) -> (Times, Vec<Report>) {
    let mut chance = Chance::new(8);
    let radius = target.compound.bounds().extent() * target.reach;
    let points: Vec<DVec3> = (0..CELLS).map(|_| chance.point() * radius).collect();
    let pattern = Pattern::from_points(&points, Aabb::cube(radius * 1.2))
        .unwrap_or_else(|error| panic!("{}: {error}", target.name));
    let hit = |_| {
        let point = target.surface[chance.below(target.surface.len())];
        let impact = Impact { radius, direction: chance.direction(), ..Impact::at(point) };
        effort.take(|| {
            let (broken, took) =
                timed(|| fracture(&target.compound, &pattern, &impact, &FractureOptions::default()));
            (took, broken.map(|b| b.report).unwrap_or_default())
        })
    };
    let (times, reports) = (0..hits).map(hit).unzip();
    (Times::new(times), reports)
}

/// A model cut into pieces that still hang together: all cells have one colour.
fn decomposed(file: &str, pieces: usize, target: f64) -> Target {
    let subject = subject(file);
    let pattern = subject.pattern(pieces, 1).unwrap_or_else(|error| panic!("{file}: {error}"));
    let pattern = pattern.coloured(|_| 0);
    let impact = Impact::at(DVec3::ZERO);
    let broken = fracture(&subject.whole(), &pattern, &impact, &FractureOptions::default())
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    let largest = broken.fragments.into_iter().max_by_key(|f| f.compound.pieces().len());
    let compound = largest.map_or_else(|| subject.whole(), |f| f.compound);
    let surface = subject.solid.mesh().positions.clone();
    Target { name: subject.name, compound, surface, reach: REACH, target }
}

/// A block of unit boxes, bonded where they meet.
fn block(target: f64) -> Target {
    let side = BOXES_A_SIDE;
    let corner = |i: usize| DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
    let boxes: Vec<Convex> =
        (0..side * side * side).map(|i| Convex::from_box(&Aabb::new(corner(i), corner(i) + 1.0))).collect();
    let compound =
        Compound::from_convexes(boxes).unwrap_or_else(|error| panic!("boxes have volume: {error}"));
    let surface = (0..side * side * side)
        .filter(|i| i % side == 0)
        .map(|i| corner(i) + DVec3::new(0.0, 0.5, 0.5))
        .collect();
    Target { name: "block of boxes".to_owned(), compound, surface, reach: REACH, target }
}
