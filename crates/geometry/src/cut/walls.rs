//! The planes of a cell side by side, for testing a point against all of them at once.

use glam::DVec3;

use crate::{Halfspace, Plane, Side};

/// Four planes with their normals pointing out, one a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    x: [f64; 4],
    y: [f64; 4],
    z: [f64; 4],
    offset: [f64; 4],
    /// A point that is farther beyond the plane is cut away: zero, or the next number below it if a point on the plane is too.
    limit: [f64; 4],
}

/// The greatest number below zero.
const BELOW_ZERO: f64 = -f64::from_bits(1);

impl Lanes {
    /// No planes: every point is infinitely far inside.
    const NONE: Lanes =
        Lanes { x: [0.0; 4], y: [0.0; 4], z: [0.0; 4], offset: [f64::INFINITY; 4], limit: [0.0; 4] };

    /// How far beyond each plane a point is: the same bits as [`Halfspace::depth`].
    #[inline]
    fn depths(&self, point: DVec3) -> [f64; 4] {
        std::array::from_fn(|i| {
            (self.x[i] * point.x + self.y[i] * point.y + self.z[i] * point.z) - self.offset[i]
        })
    }

    /// How many of the points each plane cuts away.
    #[inline]
    pub fn count_lost(&self, points: impl Iterator<Item = DVec3>) -> [u64; 4] {
        points.fold([0; 4], |lost, point| {
            let depths = self.depths(point);
            std::array::from_fn(|i| lost[i] + (depths[i] > self.limit[i]) as u64)
        })
    }
}

/// The planes of a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walls {
    lanes: Vec<Lanes>,
}

impl Walls {
    pub fn new(halfspaces: &[Halfspace]) -> Walls {
        let lanes = halfspaces.chunks(4).map(|chunk| {
            let mut lanes = Lanes::NONE;
            for (i, halfspace) in chunk.iter().enumerate() {
                let Plane { normal, offset } = halfspace.outward();
                (lanes.x[i], lanes.y[i], lanes.z[i]) = (normal.x, normal.y, normal.z);
                lanes.offset[i] = offset;
                lanes.limit[i] = if halfspace.side == Side::Front { BELOW_ZERO } else { 0.0 };
            }
            lanes
        });
        Walls { lanes: lanes.collect() }
    }

    /// The planes, four at a time.
    pub fn lanes(&self) -> &[Lanes] {
        &self.lanes
    }

    /// How far beyond the two walls that it is nearest to a point is, the nearest first; `None` if it is beyond any.
    #[inline]
    pub fn nearest_two(&self, point: DVec3) -> Option<[f64; 2]> {
        let (mut first, mut second) = ([f64::NEG_INFINITY; 4], [f64::NEG_INFINITY; 4]);
        for lanes in &self.lanes {
            let depths = lanes.depths(point);
            second = std::array::from_fn(|i| greater(second[i], lesser(first[i], depths[i])));
            first = std::array::from_fn(|i| greater(first[i], depths[i]));
            if greatest(first) > 0.0 {
                return None;
            }
        }
        let pairs = (0..4).map(|i| [first[i], second[i]]);
        pairs.reduce(|a, b| [greater(a[0], b[0]), greater(lesser(a[0], b[0]), greater(a[1], b[1]))])
    }

    /// The walls that a point is beyond.
    #[inline]
    pub fn beyond(&self, point: DVec3) -> impl Iterator<Item = u32> {
        self.lanes.iter().zip(0..).flat_map(move |(lanes, index)| {
            let depths = lanes.depths(point);
            (0..4).filter(move |&lane| depths[lane as usize] > 0.0).map(move |lane| index * 4 + lane)
        })
    }

    /// Whether a point is inside of all walls but one by more than `margin`.
    #[inline]
    pub fn clearly_hold(&self, point: DVec3, but: u32, margin: f64) -> bool {
        self.lanes.iter().zip(0..).all(|(lanes, index)| {
            let mut depths = lanes.depths(point);
            if index == but / 4 {
                depths[but as usize % 4] = f64::NEG_INFINITY;
            }
            greatest(depths) < -margin
        })
    }
}

#[inline]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greatest of four numbers.
#[inline]
fn greatest([a, b, c, d]: [f64; 4]) -> f64 {
    greater(greater(a, b), greater(c, d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Convex};

    #[test]
    fn a_box_holds_what_is_in_it_and_knows_the_walls_that_a_point_is_beyond() {
        let cube = Convex::from_box(&Aabb::cube(1.0));
        let halfspaces: Vec<Halfspace> = cube.faces().iter().map(|f| f.halfspace()).collect();
        let walls = Walls::new(&halfspaces);
        for i in 0..1000u32 {
            let point = DVec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64) * 0.37 - 1.6;
            let beyond: Vec<u32> = (0..6).filter(|&w| halfspaces[w as usize].excludes(point)).collect();
            let mut depths: Vec<f64> = halfspaces.iter().map(|h| h.depth(point)).collect();
            depths.sort_by(f64::total_cmp);
            assert_eq!(walls.nearest_two(point), beyond.is_empty().then_some([depths[5], depths[4]]));
            assert_eq!(walls.beyond(point).collect::<Vec<_>>(), beyond);
            let lost = walls.lanes().iter().flat_map(|lanes| lanes.count_lost(std::iter::once(point)));
            assert!(lost.zip(0..).all(|(lost, wall)| (lost == 1) == beyond.contains(&wall)));
            for but in 0..6 {
                let all_but = beyond.iter().all(|&w| w == but);
                assert_eq!(walls.clearly_hold(point, but, 1e-9), all_but);
            }
        }
        assert_eq!(walls.nearest_two(DVec3::X), Some([0.0, -1.0]));
        assert!(!walls.clearly_hold(DVec3::new(0.0, 1.0, 0.0), 0, 1e-9));
        let ties = |halfspace: Halfspace| {
            Walls::new(&[halfspace]).lanes()[0].count_lost(std::iter::once(DVec3::X))[0] == 1
        };
        for halfspace in halfspaces {
            assert_eq!(ties(halfspace), halfspace.excludes(DVec3::X));
            assert_eq!(ties(halfspace.complement()), halfspace.complement().excludes(DVec3::X));
        }
    }
}
