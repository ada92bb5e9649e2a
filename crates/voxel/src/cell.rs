//! Cells: what is nearer to one seed than to any other, as the half-spaces between the seed and each other one. No face of the diagram is built.
//!
//! Seeds are moved to the nearest of sixteen steps a voxel. Then squared distances are whole numbers, and on which side of a bisector something lies is known without
//! rounding.

use std::ops::Range;

use glam::DVec3;
use wide::f64x4;

use crate::morton::decode;
use crate::payload::Normal;
use crate::sides::Linear;
use crate::trunk::Trunk;
use crate::{Error, Grid, Seeds};

/// Steps along an edge of a voxel.
pub(crate) const STEPS: i64 = 16;
/// How many cubes away from the grid a seed may be: farther off, sums would leave 32 bits.
const FARTHEST: f64 = 4.0;

/// A seed in steps from the origin of the grid.
pub(crate) type Point = [i64; 3];

/// The plane between a seed and another: 2 (other - seed) · x - (|other|² - |seed|²), below zero where the seed is nearer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bisector {
    pub slope: [i32; 3],
    pub offset: i64,
    /// The sum of the slope's parts, without signs. A whole number, as all here that has a fraction to spare: none comes near 2⁵³.
    pub steepness: f64,
    /// The sum of the slope's parts with the signs of each octant.
    pub corners: [f64; 8],
    /// The greatest value of a point that counts as the seed's: 0 if ties are its own, -1 if not.
    pub tie: i32,
    /// The normal towards the other seed.
    pub normal: Normal,
}

impl Bisector {
    fn between(seed: Point, other: Point, is_first: bool) -> Bisector {
        let slope: [i64; 3] = std::array::from_fn(|k| 2 * (other[k] - seed[k]));
        let square = |p: Point| p.iter().map(|x| x * x).sum::<i64>();
        let corner =
            |q: usize| (0..3).map(|k| if q >> k & 1 == 1 { slope[k] } else { -slope[k] }).sum::<i64>();
        let steepness: i64 = slope.iter().map(|x| x.abs()).sum();
        Bisector {
            slope: slope.map(|x| x as i32),
            offset: square(seed) - square(other),
            steepness: steepness as f64,
            corners: std::array::from_fn(|q| corner(q) as f64),
            tie: if is_first { 0 } else { -1 },
            normal: Normal::of(DVec3::from_array(slope.map(|x| x as f64))),
        }
    }

    /// Its value at a point.
    pub fn at(&self, point: Point) -> i64 {
        (0..3).map(|k| i64::from(self.slope[k]) * point[k]).sum::<i64>() + self.offset
    }

    /// What it is on a brick, from its value in the middle of that. Only for bricks that it crosses: others' values may be too large.
    pub fn on_brick(&self, middle: f64) -> Linear {
        let step = self.slope.map(|x| x * STEPS as i32);
        let corner = middle + (3 * STEPS / 2) as f64 * self.corners[0];
        let reach = (STEPS / 2) as f64 * self.steepness;
        Linear { start: corner as i32, step, reach: reach as i32, tie: self.tie }
    }

    /// Which octants of a place lie beyond the plane, and which it crosses, from its value in the middle and a quarter of the side of the place.
    #[inline]
    pub fn octants(&self, middle: f64, quarter: f64) -> (u32, u32) {
        let (middle, by) = (f64x4::splat(middle), f64x4::splat(quarter));
        let reach = quarter * self.steepness;
        let (beyond, before) = (f64x4::splat(reach), f64x4::splat(-reach));
        let (mut out, mut within) = (0, 0);
        for (shift, corners) in [(0, &self.corners[..4]), (4, &self.corners[4..])] {
            let [a, b, c, d] = *corners else { continue };
            let values = middle + by * f64x4::new([a, b, c, d]);
            out |= values.simd_gt(beyond).to_bitmask() << shift;
            within |= values.simd_lt(before).to_bitmask() << shift;
        }
        (out, !(out | within) & 0xff)
    }
}

/// All seeds in steps, without those that lie where another does.
pub(crate) struct Sites {
    pub points: Vec<Point>,
    pub objects: Vec<u32>,
}

impl Sites {
    pub fn of(seeds: &Seeds, grid: &Grid) -> Result<Sites, Error> {
        let limit = (1.0 + FARTHEST) * f64::from(grid.resolution());
        let mut all = Vec::with_capacity(seeds.points().len());
        for (index, (&point, &object)) in seeds.points().iter().zip(seeds.objects()).enumerate() {
            let place = grid.place(point);
            if place.abs().max_element() > limit {
                return Err(Error::Far { index, point });
            }
            all.push(((place * STEPS as f64).to_array().map(|x| x.round() as i64), index, object));
        }
        // Of those at one place the first counts.
        all.sort_unstable();
        all.dedup_by_key(|(point, ..)| *point);
        all.sort_unstable_by_key(|&(_, index, _)| index);
        Ok(Sites {
            points: all.iter().map(|(point, ..)| *point).collect(),
            objects: all.iter().map(|(.., object)| *object).collect(),
        })
    }

    /// The plane between two seeds, seen from the first.
    pub fn bisector(&self, seed: usize, other: usize) -> Bisector {
        Bisector::between(self.points[seed], self.points[other], seed < other)
    }

    /// All planes around a seed, in order of the others; there is one to itself that means nothing.
    pub fn bisectors(&self, seed: usize) -> Vec<Bisector> {
        (0..self.points.len()).map(|other| self.bisector(seed, other)).collect()
    }

    /// Puts those of some seeds on the stack that can be nearest somewhere in a place.
    pub fn enter(&self, stack: &mut Vec<u32>, seeds: Range<usize>, middle: Point, half: i64) {
        let start = stack.len();
        let square = |seed: u32| -> i64 {
            let point = self.points[seed as usize];
            (0..3).map(|k| (point[k] - middle[k]).pow(2)).sum()
        };
        let apart = |a: u32, b: u32| -> i64 {
            let (p, q) = (self.points[a as usize], self.points[b as usize]);
            (0..3).map(|k| (p[k] - q[k]).abs()).sum()
        };
        let Some(&nearest) = stack[seeds.clone()].iter().min_by_key(|&&seed| (square(seed), seed)) else {
            return;
        };
        let least = square(nearest);
        for index in seeds {
            let seed = stack[index];
            // The difference of squared distances changes by twice their distance along each axis.
            if square(seed) - least <= 2 * half * apart(seed, nearest) {
                stack.push(seed);
            }
        }
        // The same between any two that are left, as long as they are few.
        let mut index = start;
        while index < stack.len() && stack.len() - start <= FEW {
            let (seed, distance) = (stack[index], square(stack[index]));
            let beaten =
                stack[start..].iter().any(|&other| distance - square(other) > 2 * half * apart(seed, other));
            if beaten {
                stack.remove(index);
            } else {
                index += 1;
            }
        }
    }
}

/// So many seeds are compared with each other.
const FEW: usize = 32;

/// Half the side of a place in steps.
pub(crate) fn half_side(trunk: &Trunk, depth: usize) -> i64 {
    (2 * STEPS) << (trunk.depth() - depth)
}

/// The middle of the place of a code, of which this is half the side.
pub(crate) fn middle_of(code: u32, half: i64) -> Point {
    decode(code).map(|x| (2 * i64::from(x) + 1) * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bisector_is_the_difference_of_squared_distances() {
        let (seed, other) = ([5, -70, 300], [90, 41, -3]);
        let (plane, turned) = (Bisector::between(seed, other, true), Bisector::between(other, seed, false));
        let square = |a: Point, b: Point| (0..3).map(|k| (a[k] - b[k]).pow(2)).sum::<i64>();
        for point in [[0, 0, 0], [17, -4, 99], [-300, 20, 5]] {
            assert_eq!(plane.at(point), square(point, seed) - square(point, other));
            assert_eq!(turned.at(point), -plane.at(point));
        }
        assert_eq!((plane.tie, turned.tie), (0, -1));
        let middle = [32, 32, 32];
        let linear = plane.on_brick(plane.at(middle) as f64);
        assert_eq!(linear.at(crate::brick::bit([1, 2, 3])), plane.at([24, 40, 56]));
    }
}
