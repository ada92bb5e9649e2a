//! How far a cell reaches, and so which points may still cut it.
//!
//! The bisector with a point at q, seen from the cell's own point, cuts away a vertex v if q·v > q·q / 2.
//! Over the box around the cell and a box of points that sum is greatest axis by axis: the *pull* of each.

use glam::DVec3;

use crate::Aabb;
use crate::trivalent::{Four, greater, greatest};

/// How far a cell reaches from its point.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// Squared distance of the farthest vertex.
    squared: f64,
    /// The box around the vertices and the point.
    bounds: Aabb,
}

impl Reach {
    pub fn of(positions: &[Four]) -> Reach {
        let (mut squared, mut min, mut max) = ([0.0; 4], Four::default(), Four::default());
        for &Four { x, y, z } in positions {
            min = Four { x: lesser(x, min.x), y: lesser(y, min.y), z: lesser(z, min.z) };
            max = Four { x: greater(x, max.x), y: greater(y, max.y), z: greater(z, max.z) };
            let length = std::array::from_fn(|i| x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
            squared = greater(length, squared);
        }
        let least = |four: [f64; 4]| four.into_iter().fold(0.0, |a, b| if b < a { b } else { a });
        let min = DVec3::new(least(min.x), least(min.y), least(min.z));
        let max = DVec3::new(greatest(max.x), greatest(max.y), greatest(max.z));
        Reach { squared: greatest(squared), bounds: Aabb { min, max } }
    }

    /// Whether the bisector with a point in this direction, at this squared distance, passes by the cell.
    #[inline]
    pub fn misses(&self, to: DVec3, distance: f64) -> bool {
        let most = (to * self.bounds.min).max(to * self.bounds.max);
        distance > 4.0 * self.squared || most.x + most.y + most.z < distance * 0.5
    }

    /// The pull along an axis of points between two coordinates.
    #[inline]
    pub fn pull(&self, axis: usize, low: f64, high: f64) -> f64 {
        let pull = |v: f64| {
            let q = v.max(low).min(high);
            q * (v - q * 0.5)
        };
        pull(self.bounds.min[axis]).max(pull(self.bounds.max[axis]))
    }

    /// Whether points between two coordinates along an axis, wherever along the others, may cut the cell.
    pub fn meets(&self, axis: usize, low: f64, high: f64) -> bool {
        let most = |axis: usize| self.pull(axis, f64::NEG_INFINITY, f64::INFINITY);
        let others = most((axis + 1) % 3) + most((axis + 2) % 3);
        self.pull(axis, low, high) + others > 0.0
    }
}

fn lesser(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
}
