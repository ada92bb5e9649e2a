//! Nodes spread evenly: the first guess of a search, and good enough for a preview.

use glam::DVec3;
use rayon::prelude::*;

use super::samples::Samples;

/// Spreads nodes over the samples: far from each other first, then each to the middle of its cell, over and over (Lloyd 1982).
pub(super) fn spread(samples: &Samples, count: usize, first: usize, rounds: usize) -> Vec<DVec3> {
    let mut nodes = far_apart(&samples.points, count, first);
    for _ in 0..rounds {
        relax(&samples.points, &mut nodes);
    }
    nodes
}

/// Points each farthest from all before it, beginning with one of them.
fn far_apart(points: &[DVec3], count: usize, first: usize) -> Vec<DVec3> {
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

/// Moves each node to the middle of the points nearest to it.
fn relax(points: &[DVec3], nodes: &mut [DVec3]) {
    let tasks = points.par_chunks(POINTS_A_TASK).map(|points| {
        let mut sums = vec![(DVec3::ZERO, 0.0); nodes.len()];
        for &point in points {
            let (sum, count) = &mut sums[nearest(nodes, point).0];
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

/// The node nearest to a point and the square of how far it is; the first of several.
#[inline]
pub(super) fn nearest(nodes: &[DVec3], point: DVec3) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (index, node) in nodes.iter().enumerate() {
        let reach = node.distance_squared(point);
        if reach < best.1 {
            best = (index, reach);
        }
    }
    best
}
