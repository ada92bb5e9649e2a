//! Which voxels of a brick meet a cell, exactly.
//!
//! A voxel that meets the half-space of each plane need not meet the cell: the corner between two planes may pass it by. The paper asks in which cells the corners
//! of a voxel lie (Section 4.3), which misses cells that reach into a voxel and hold none of its corners. Here it is decided by duality: a voxel misses the cell if
//! and only if some mean of the planes, with weights of zero or more, is above zero in all of the voxel. Such a mean is greatest for weights at
//! which all but one, all but two or none of the parts of its slope vanish: for one plane, for two that cancel along an axis, or for three that cancel along two.
//! (Four that cancel along all three would say that the cell is empty, and its seed is in it.) All of it in whole numbers.

use crate::brick::bits;
use crate::cell::{Bisector, STEPS};
use crate::sides::{Finder, Linear, Sides};

/// The voxels of a brick, to a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Membership {
    /// They have a point in common with the cell.
    pub meets: u64,
    /// They have none in common with any other.
    pub within: u64,
    /// Their middles are in the cell.
    pub owned: u64,
    /// Through which voxels each plane goes.
    pub crossed: Vec<u64>,
    linear: Vec<Linear>,
    sides: Vec<Sides>,
    pub finder: Finder,
}

impl Membership {
    /// Of a cell with these planes, each with its value in the middle of the brick. Voxels not asked for are said to meet the cell if they meet all of its
    /// half-spaces.
    pub fn find<'a>(&mut self, asked: u64, planes: impl Iterator<Item = (&'a Bisector, f64)>) {
        self.crossed.clear();
        self.linear.clear();
        (self.meets, self.within, self.owned) = (!0, !0, !0);
        let (mut once, mut twice) = (0_u64, 0_u64);
        self.linear.extend(planes.map(|(plane, middle)| plane.on_brick(middle)));
        self.finder.find(&self.linear, &mut self.sides);
        for &Sides { meets, within, owned } in &self.sides {
            self.meets &= meets;
            self.within &= within;
            self.owned &= owned;
            let crossed = meets & !within;
            twice |= once & crossed;
            once |= crossed;
            self.crossed.push(crossed);
        }
        // Where the middle is in the cell there is nothing to ask.
        for bit in bits(asked & twice & self.meets & !self.owned) {
            if self.misses(bit) {
                self.meets &= !(1 << bit);
            }
        }
    }

    /// Whether a voxel that meets every half-space misses the cell.
    fn misses(&self, bit: u32) -> bool {
        let here = |(linear, crossed): (&Linear, &u64)| {
            let plane = Plane { value: linear.at(bit), slope: linear.step.map(|x| i64::from(x) / STEPS) };
            (crossed >> bit & 1 == 1).then_some(plane)
        };
        let mut planes = [Plane::default(); MOST];
        let mut count = 0;
        for plane in self.linear.iter().zip(&self.crossed).filter_map(here) {
            // More than so many planes through one voxel are seeds nearer to each other than its size.
            if count < MOST {
                planes[count] = plane;
                count += 1;
            }
        }
        let planes = &planes[..count];
        if planes.iter().any(|plane| plane.deepest_is_in(planes)) {
            return false;
        }
        for (j, q) in planes.iter().enumerate() {
            for (i, p) in planes[..j].iter().enumerate() {
                if two_miss(p, q) || planes[..i].iter().any(|o| three_miss([o, p, q])) {
                    return true;
                }
            }
        }
        false
    }
}

/// So many planes through one voxel are looked at.
const MOST: usize = 24;

/// A plane through a voxel: its value in the middle, and its slope.
#[derive(Clone, Copy, Debug, Default)]
struct Plane {
    value: i64,
    slope: [i64; 3],
}

impl Plane {
    /// Whether the corner of the voxel that lies deepest in the half-space lies in all others: mostly that is enough.
    fn deepest_is_in(&self, others: &[Plane]) -> bool {
        let corner = self.slope.map(|x| if x > 0 { -STEPS / 2 } else { STEPS / 2 });
        others.iter().all(|other| other.value + (0..3).map(|k| other.slope[k] * corner[k]).sum::<i64>() <= 0)
    }
}

/// Whether a mean of two planes is above zero in all of a voxel.
fn two_miss(p: &Plane, q: &Plane) -> bool {
    (0..3).any(|axis| {
        let (a, b) = (p.slope[axis], q.slope[axis]);
        if (a < 0) == (b < 0) || a == 0 || b == 0 {
            return false;
        }
        let (on_p, on_q) = (b.abs(), a.abs());
        let reach: i64 = (0..3).map(|k| (on_p * p.slope[k] + on_q * q.slope[k]).abs()).sum();
        on_p * p.value + on_q * q.value > STEPS / 2 * reach
    })
}

/// Whether a mean of three planes is above zero in all of a voxel.
fn three_miss(planes: [&Plane; 3]) -> bool {
    (0..3).any(|axis| {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let along = |k: usize| planes.map(|plane| i128::from(plane.slope[k]));
        let [a, b] = [along(u), along(v)];
        let mut weights = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        if weights.iter().all(|&weight| weight <= 0) {
            weights = weights.map(|weight| -weight);
        }
        if weights.iter().any(|&weight| weight < 0) {
            return false;
        }
        let mean = |of: [i128; 3]| (0..3).map(|k| weights[k] * of[k]).sum::<i128>();
        let value = mean(planes.map(|plane| i128::from(plane.value)));
        value > i128::from(STEPS / 2) * mean(along(axis)).abs()
    })
}
