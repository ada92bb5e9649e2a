//! Nodes spread evenly: the first guess of a search, and good enough for a preview.

use glam::DVec3;
use rayon::prelude::*;

use super::around::Around;
use super::samples::NONE;

/// Moves each node to the middle of its cell, over and over (Lloyd 1982).
pub(super) fn relaxed(points: &[DVec3], mut nodes: Vec<DVec3>, rounds: usize) -> Vec<DVec3> {
    let (mut cells, mut rooms) = (vec![NONE; points.len()], vec![0.0; points.len()]);
    let mut before = nodes.clone();
    for _ in 0..rounds {
        let around = Around::new(&nodes, &before);
        let next = middles(points, &around, &mut cells, &mut rooms, &nodes);
        before = std::mem::replace(&mut nodes, next);
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

/// The middles of the points nearest to each node.
fn middles(
    points: &[DVec3],
    around: &Around,
    cells: &mut [u32],
    rooms: &mut [f64],
    nodes: &[DVec3],
) -> Vec<DVec3> {
    let tasks = cells.par_chunks_mut(POINTS_A_TASK).zip(rooms.par_chunks_mut(POINTS_A_TASK));
    let tasks = points.par_chunks(POINTS_A_TASK).zip(tasks).map(|(points, (cells, rooms))| {
        let mut sums = vec![(DVec3::ZERO, 0.0); nodes.len()];
        around.follow(points.iter().copied(), cells, rooms);
        for (&point, &cell) in points.iter().zip(&*cells) {
            let (sum, count) = &mut sums[cell as usize];
            *sum += point;
            *count += 1.0;
        }
        sums
    });
    // Added up in order, whatever thread was first.
    let tasks: Vec<Vec<(DVec3, f64)>> = tasks.collect();
    let middle = |(index, &node): (usize, &DVec3)| {
        let (sum, count) =
            tasks.iter().fold((DVec3::ZERO, 0.0), |all, task| (all.0 + task[index].0, all.1 + task[index].1));
        if count > 0.0 { sum / count } else { node }
    };
    nodes.iter().enumerate().map(middle).collect()
}
