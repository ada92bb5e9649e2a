//! How time grows: with points, with cells, with triangles.

use glam::DVec3;
use serde_json::json;
use smithereens_geometry::{Aabb, voronoi};
use smithereens_testing::chance::Chance;
use smithereens_testing::subjects::{Subject, knot, subject};

use crate::clock::{Effort, Times, on_threads, repeat, timed};
use crate::whole::measure;
use smithereens_testing::table::Table;

/// Voronoi cells of random points in a box.
pub fn points(effort: &Effort) -> Table {
    let columns = ["points", "threads", "median", "least", "µs a point"];
    let mut table = Table::new("Voronoi cells of random points in a box, milliseconds", &columns);
    let counts = [1_000, 10_000, 100_000];
    let counts = if effort.is_quick() { &counts[..2] } else { &counts };
    for &count in counts {
        let mut chance = Chance::new(1);
        let points: Vec<DVec3> = (0..count).map(|_| chance.point()).collect();
        for threads in [1, 2] {
            let run = || timed(|| voronoi(&points, &Aabb::cube(1.0))).1;
            let times = Times::new(on_threads(threads, || repeat(effort, run)));
            let (median, least) = (times.median(), times.min());
            let each = median * 1e3 / count as f64;
            table.row(vec![json!(count), json!(threads), json!(median), json!(least), json!(each)]);
        }
    }
    table
}

/// One model, ever more cells.
pub fn cells(effort: &Effort) -> Table {
    let columns = ["model", "cells", "pattern", "fracture", "sum", "sum, least", "µs a cell"];
    let mut table = Table::new("Growth with cells: one thread, milliseconds", &columns);
    let subject = subject("bunny-70k.ply");
    let counts = [30, 100, 300, 1000, 3000];
    let counts = if effort.is_quick() { &counts[..3] } else { &counts };
    for &cells in counts {
        let all = measure(&subject, cells, 1, effort);
        let each = all.sum.median() * 1e3 / cells as f64;
        table.row(vec![
            json!(subject.name),
            json!(cells),
            json!(all.pattern.median()),
            json!(all.fracture.median()),
            json!(all.sum.median()),
            json!(all.sum.min()),
            json!(each),
        ]);
    }
    table
}

/// As many cells, ever more triangles: models, then one shape made ever finer.
pub fn triangles(effort: &Effort) -> Table {
    const CELLS: usize = 300;
    let columns = ["model", "triangles", "pattern", "fracture", "fracture, least", "ns a triangle"];
    let mut table = Table::new("Growth with triangles: 300 cells, one thread, milliseconds", &columns);
    for subject in finer_and_finer(effort) {
        let all = measure(&subject, CELLS, 1, effort);
        let count = subject.solid.mesh().faces.len();
        let each = all.fracture.median() * 1e6 / count as f64;
        table.row(vec![
            json!(subject.name),
            json!(count),
            json!(all.pattern.median()),
            json!(all.fracture.median()),
            json!(all.fracture.min()),
            json!(each),
        ]);
    }
    table
}

fn finer_and_finer(effort: &Effort) -> Vec<Subject> {
    let models = ["bunny.off", "bunny-70k.ply", "armadillo.obj", "dragon.ply"];
    let mut all: Vec<Subject> = models.into_iter().map(subject).collect();
    let counts = [10_000, 40_000, 160_000, 640_000];
    let counts = if effort.is_quick() { &counts[..2] } else { &counts };
    all.extend(counts.iter().map(|&count| Subject { name: "knot".to_owned(), solid: knot(count) }));
    all
}
