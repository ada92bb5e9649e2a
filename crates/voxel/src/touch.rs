//! What hangs together: a walk over all places of a tree that share a face, an edge or a corner.
//!
//! Where a subtree is known to hang together, it is one thing; where two things are known to belong together, nothing more is looked at. So it takes as
//! long as there are places that are not known yet, and a tree that is known to be whole takes nothing.

use smithereens_geometry::UnionFind;

use crate::brick::{coarse, reach};
use crate::trunk::{Spot, Trunk};

/// What is known of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// Nothing is there.
    None,
    /// All of it is one thing.
    One(u32),
    /// Its octants have these labels.
    Octants(u32),
    /// A brick, of which these are the parts.
    Parts { first: u32, count: u32 },
}

/// A place of the tree and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub spot: Spot,
    pub label: Label,
}

/// A part of a brick: its voxels and its label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub mask: u64,
    pub thing: u32,
}

/// The labels of a tree's places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    pub octants: Vec<[Label; 8]>,
    pub parts: Vec<Part>,
}

/// Joins things that touch.
pub(crate) struct Joiner<'a> {
    pub trunk: &'a Trunk,
    pub labels: &'a Labels,
    pub things: &'a mut UnionFind,
    /// At this depth a place is full if anything is in it: one more than that of bricks stands for their octants, two more for their voxels.
    pub floor: usize,
}

/// Pairs of octants that touch: of two places side by side in each of 27 directions.
const PAIRS: [[(u8, u8, u8); 16]; 27] = pairs();
/// How many of them there are.
const COUNTS: [usize; 27] = counts();
/// Pairs of octants of one place, and the direction from one to the other.
pub(crate) const SIBLINGS: [(u8, u8, u8); 28] = siblings();

/// The number of a direction.
const fn direction(by: [i32; 3]) -> usize {
    ((by[0] + 1) + 3 * (by[1] + 1) + 9 * (by[2] + 1)) as usize
}

/// The direction of a number.
const fn along(direction: usize) -> [i32; 3] {
    let direction = direction as i32;
    [direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1]
}

/// From an octant of one place to an octant of the place in a direction, if they touch.
const fn step(a: usize, b: usize, by: [i32; 3]) -> Option<[i32; 3]> {
    let mut step = [0; 3];
    let mut axis = 0;
    while axis < 3 {
        step[axis] = 2 * by[axis] + (b >> axis & 1) as i32 - (a >> axis & 1) as i32;
        if step[axis] < -1 || step[axis] > 1 {
            return None;
        }
        axis += 1;
    }
    Some(step)
}

const fn counts() -> [usize; 27] {
    let mut counts = [0; 27];
    let mut d = 0;
    while d < 27 {
        let mut pair = 0;
        while pair < 64 {
            counts[d] += (d != 13 && step(pair % 8, pair / 8, along(d)).is_some()) as usize;
            pair += 1;
        }
        d += 1;
    }
    counts
}

/// Those that share a face come first, then an edge, then a corner: the first that is looked at mostly is enough.
const fn pairs() -> [[(u8, u8, u8); 16]; 27] {
    let mut all = [[(0, 0, 0); 16]; 27];
    let mut d = 0;
    while d < 27 {
        let mut count = 0;
        let mut order = 0;
        while order <= 3 {
            let mut pair = 0;
            while pair < 64 {
                if d != 13
                    && let Some(by) = step(pair % 8, pair / 8, along(d))
                    && by[0].abs() + by[1].abs() + by[2].abs() == order
                {
                    all[d][count] = ((pair % 8) as u8, (pair / 8) as u8, direction(by) as u8);
                    count += 1;
                }
                pair += 1;
            }
            order += 1;
        }
        d += 1;
    }
    all
}

const fn siblings() -> [(u8, u8, u8); 28] {
    let mut all = [(0, 0, 0); 28];
    let mut count = 0;
    let mut order = 1;
    while order <= 3 {
        let mut pair = 0;
        while pair < 64 {
            let (a, b) = (pair / 8, pair % 8);
            if a < b
                && let Some(by) = step(a, b, [0; 3])
                && by[0].abs() + by[1].abs() + by[2].abs() == order
            {
                all[count] = (a as u8, b as u8, direction(by) as u8);
                count += 1;
            }
            pair += 1;
        }
        order += 1;
    }
    all
}

/// Whether anything of two places side by side at a depth touches.
pub(crate) fn touch(trunk: &Trunk, depth: usize, a: Spot, b: Spot, by: u8) -> bool {
    let (a, b) = match (a, b) {
        (Spot::Empty, _) | (_, Spot::Empty) => return false,
        (Spot::Full, Spot::Full) => return true,
        both => both,
    };
    if depth == trunk.depth() {
        let solid = |spot| match spot {
            Spot::Node(brick) => trunk.bricks[brick as usize].solid(),
            _ => !0,
        };
        return reach(solid(a), along(by as usize)) & solid(b) != 0;
    }
    let pairs = &PAIRS[by as usize][..COUNTS[by as usize]];
    pairs.iter().any(|&(p, q, by)| {
        let (a, b) = (trunk.child(depth, a, p.into()), trunk.child(depth, b, q.into()));
        touch(trunk, depth + 1, a, b, by)
    })
}

impl Joiner<'_> {
    /// Joins what touches within a place that is not one thing.
    pub fn within(&mut self, depth: usize, place: Place) {
        if let Label::Octants(at) = place.label {
            let octants: [Place; 8] = std::array::from_fn(|q| self.octant(depth, place, q as u32));
            if depth + 1 < self.trunk.depth() {
                octants.iter().for_each(|&octant| self.within(depth + 1, octant));
            }
            debug_assert!((at as usize) < self.labels.octants.len());
            self.siblings(depth + 1, &octants);
        }
    }

    /// Joins octants of one place, which are at this depth.
    pub fn siblings(&mut self, depth: usize, octants: &[Place; 8]) {
        for (a, b, by) in SIBLINGS {
            self.across(depth, octants[a as usize], octants[b as usize], by);
        }
    }

    /// Joins what touches of two places side by side at this depth.
    fn across(&mut self, depth: usize, a: Place, b: Place, by: u8) {
        if a.label == Label::None || b.label == Label::None || self.are_one(a, b) {
            return;
        }
        if let (Label::One(a), Label::One(b)) = (a.label, b.label)
            && depth >= self.floor
        {
            self.things.join(a, b);
            return;
        }
        if let (Spot::Full, Spot::Full, Label::One(a), Label::One(b)) = (a.spot, b.spot, a.label, b.label) {
            self.things.join(a, b);
            return;
        }
        if depth == self.trunk.depth() {
            return self.across_bricks(a, b, by);
        }
        let pairs = &PAIRS[by as usize][..COUNTS[by as usize]];
        for &(p, q, by) in pairs {
            let (a, b) = (self.octant(depth, a, u32::from(p)), self.octant(depth, b, u32::from(q)));
            self.across(depth + 1, a, b, by);
        }
    }

    fn are_one(&mut self, a: Place, b: Place) -> bool {
        match (a.label, b.label) {
            (Label::One(a), Label::One(b)) => self.things.root(a) == self.things.root(b),
            _ => false,
        }
    }

    fn across_bricks(&mut self, a: Place, b: Place, by: u8) {
        let by = along(by as usize);
        let (first, second) = (self.parts(a), self.parts(b));
        let labels = self.labels;
        let each = |(single, range): (Part, std::ops::Range<usize>)| {
            std::iter::once(single).filter(|part| part.mask != 0).chain(labels.parts[range].iter().copied())
        };
        for one in each(first) {
            let reached = reach(one.mask, by);
            for other in each(second.clone()).filter(|other| reached & other.mask != 0) {
                self.things.join(one.thing, other.thing);
            }
        }
    }

    /// The parts of a brick: a single one, or those in a range.
    fn parts(&self, place: Place) -> (Part, std::ops::Range<usize>) {
        let none = Part { mask: 0, thing: 0 };
        match place.label {
            Label::One(thing) => (Part { mask: self.mask(place.spot), thing }, 0..0),
            Label::Parts { first, count } => (none, first as usize..(first + count) as usize),
            _ => (none, 0..0),
        }
    }

    fn mask(&self, spot: Spot) -> u64 {
        match spot {
            Spot::Node(brick) => {
                let solid = self.trunk.bricks[brick as usize].solid();
                if self.floor == self.trunk.depth() + 1 { coarse(solid) } else { solid }
            }
            Spot::Full => !0,
            Spot::Empty => 0,
        }
    }

    fn octant(&self, depth: usize, place: Place, octant: u32) -> Place {
        let spot = self.trunk.child(depth, place.spot, octant);
        let label = match (place.label, spot) {
            (_, Spot::Empty) => Label::None,
            (Label::Octants(at), _) => self.labels.octants[at as usize][octant as usize],
            (label, _) => label,
        };
        Place { spot, label }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_that_touch() {
        for d in (0..27).filter(|&d| d != 13) {
            let by = along(d);
            let order = by.iter().map(|x| x.abs()).sum::<i32>();
            assert_eq!(COUNTS[d], [0, 16, 4, 1][order as usize], "{by:?}");
            assert_eq!(direction(by), d);
        }
        assert_eq!(
            SIBLINGS
                .iter()
                .filter(|(_, _, by)| along(*by as usize).iter().map(|x| x.abs()).sum::<i32>() == 1)
                .count(),
            12
        );
        assert!(SIBLINGS.iter().all(|(a, b, _)| a < b));
    }
}
