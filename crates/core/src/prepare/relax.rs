//! Nodes spread evenly: the first guess of a search, and good enough for a preview.

use glam::DVec3;
use rayon::prelude::*;

use super::around::Around;

/// Moves each node to the middle of its cell, over and over (Lloyd 1982).
pub(super) fn relaxed(points: &[DVec3], mut nodes: Vec<DVec3>, rounds: usize) -> Vec<DVec3> {
    let mut cells = vec![0; points.len()];
    for _ in 0..rounds {
        relax(points, &mut cells, &mut nodes);
    }
    nodes
}

/// Points each farthest from all before it, beginning with one of them.
pub(super) fn far_apart(points: &[DVec3], count: usize, first: usize) -> Vec<DVec3> {
    let mut nodes = Vec::with_capacity(count);
    let mut reach = vec![f64::INFINITY; points.len()];
    let mut next = first % points.len().max(1);
    while nodes.len() < count.min(points.len()) {
        let node = points[next];
        nodes.push(node);
        let mut farthest = f64::NEG_INFINITY;
        for (index, (point, reach)) in points.iter().zip(&mut reach).enumerate() {
            *reach = reach.min(point.distance_squared(node));
            if *reach > farthest {
                (farthest, next) = (*reach, index);
            }
        }
    }
    nodes
}

const POINTS_A_TASK: usize = 4096;

/// Moves each node to the middle of the points nearest to it, which are looked for around the cells they were in.
fn relax(points: &[DVec3], cells: &mut [u32], nodes: &mut [DVec3]) {
    let around = Around::new(nodes);
    let tasks = points.par_chunks(POINTS_A_TASK).zip(cells.par_chunks_mut(POINTS_A_TASK));
    let tasks = tasks.map(|(points, cells)| {
        let mut sums = vec![(DVec3::ZERO, 0.0); nodes.len()];
        for (&point, cell) in points.iter().zip(cells) {
            *cell = around.nearest(nodes, *cell, point);
            let (sum, count) = &mut sums[*cell as usize];
            *sum += point;
            *count += 1.0;
        }
        sums
    });
    // Added up in order, whatever thread was first.
    let tasks: Vec<Vec<(DVec3, f64)>> = tasks.collect();
    for (index, node) in nodes.iter_mut().enumerate() {
        let (sum, count) =
            tasks.iter().fold((DVec3::ZERO, 0.0), |all, task| (all.0 + task[index].0, all.1 + task[index].1));
        if count > 0.0 {
            *node = sum / count;
        }
    }
}
