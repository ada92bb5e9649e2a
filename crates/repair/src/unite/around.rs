//! The order of triangles around an edge, exact.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::Unfit;
use super::layers::Layer;
use super::points::{Points, cross, sign};

type Direction = [BigInt; 3];

/// A layer at an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoke {
    pub low: u32,
    pub high: u32,
    pub layer: u32,
    /// Whether the layer runs from the low end to the high one.
    pub upward: bool,
}

/// All layers at all edges: those of an edge side by side, counter-clockwise seen from its high end.
pub(super) fn spokes(points: &Points, layers: &[Layer]) -> Result<Vec<Spoke>, Unfit> {
    let mut spokes: Vec<Spoke> = (0..layers.len() * 3)
        .map(|edge| {
            let corners = layers[edge / 3].corners;
            let (a, b) = (corners[edge % 3], corners[(edge + 1) % 3]);
            Spoke { low: a.min(b), high: a.max(b), layer: edge as u32 / 3, upward: a < b }
        })
        .collect();
    spokes.sort_unstable_by_key(|s| (s.low, s.high, s.layer));
    for fan in spokes.chunk_by_mut(same_edge) {
        let rise = |s: &Spoke| layers[s.layer as usize].rise * if s.upward { 1 } else { -1 };
        if fan.iter().map(rise).sum::<i32>() != 0 {
            return Err(Unfit::Open);
        }
        if fan.len() > 2 {
            sort(points, layers, fan)?;
        }
    }
    Ok(spokes)
}

/// Whether two spokes are at the same edge.
pub(super) fn same_edge(a: &Spoke, b: &Spoke) -> bool {
    (a.low, a.high) == (b.low, b.high)
}

/// The normal of a layer as if it ran up its edge: the way it leaves the edge, turned by a right angle.
fn normal(layers: &[Layer], spoke: &Spoke) -> Direction {
    layers[spoke.layer as usize].normal.map(|x| BigInt::from(if spoke.upward { x } else { -x }))
}

fn sort(points: &Points, layers: &[Layer], fan: &mut [Spoke]) -> Result<(), Unfit> {
    let axis = points.direction(fan[0].low, fan[0].high);
    let mut sorted: Vec<(Spoke, Direction)> = fan.iter().map(|s| (*s, normal(layers, s))).collect();
    let first = sorted[0].1.clone();
    sorted.sort_by(|(_, a), (_, b)| compare(&axis, &first, a, b));
    // Layers that leave an edge in the same direction cover each other, and should have been one.
    if sorted.windows(2).any(|pair| compare(&axis, &first, &pair[0].1, &pair[1].1) == Ordering::Equal) {
        return Err(Unfit::Folded);
    }
    fan.iter_mut().zip(sorted).for_each(|(to, (from, _))| *to = from);
    Ok(())
}

/// The spoke of a fan that comes first, counter-clockwise from a direction across its edge.
pub(super) fn first_after(points: &Points, layers: &[Layer], fan: &[Spoke], direction: &Direction) -> usize {
    let axis = points.direction(fan[0].low, fan[0].high);
    let start = cross(&axis, direction);
    let normals: Vec<Direction> = fan.iter().map(|s| normal(layers, s)).collect();
    (1..fan.len()).fold(0, |best, i| {
        if compare(&axis, &start, &normals[i], &normals[best]) == Ordering::Less { i } else { best }
    })
}

/// The order of two directions around an axis, from a first one on.
fn compare(axis: &Direction, first: &Direction, a: &Direction, b: &Direction) -> Ordering {
    let half = |direction| half_turn(axis, first, direction);
    half(a).cmp(&half(b)).then_with(|| 0.cmp(&triple(a, b, axis)))
}

/// Where a direction is, seen from the first: there, in the half turn after it, across, in the half turn before it.
fn half_turn(axis: &Direction, first: &Direction, direction: &Direction) -> i32 {
    match triple(first, direction, axis) {
        0 if sign(&dot(first, direction)) > 0 => 0,
        1 => 1,
        0 => 2,
        _ => 3,
    }
}

fn dot(a: &Direction, b: &Direction) -> BigInt {
    (0..3).map(|k| &a[k] * &b[k]).sum()
}

fn triple(a: &Direction, b: &Direction, c: &Direction) -> i32 {
    sign(&dot(&cross(a, b), c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_sorted_around_an_axis() {
        let direction = |x: i64, y: i64| [x, y, 5].map(BigInt::from);
        let axis = [0, 0, 3].map(BigInt::from);
        let around = [(1, 0), (3, 1), (0, 2), (-2, 1), (-1, 0), (-5, -1), (0, -1), (9, -1)]
            .map(|(x, y)| direction(x, y));
        for first in 0..8 {
            for a in 0..8 {
                for b in 0..8 {
                    let expected = ((a + 8 - first) % 8).cmp(&((b + 8 - first) % 8));
                    let flat = around.clone().map(|[x, y, _]| [x, y, BigInt::ZERO]);
                    assert_eq!(compare(&axis, &flat[first], &flat[a], &flat[b]), expected);
                }
            }
        }
    }
}
