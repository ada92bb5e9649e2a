//! Changes to a hierarchy that is kept: a joint breaks, opens or closes.
//!
//! A link counts on every level until both its ends are in one body. There its change is added; aggregates stay what they are.

use glam::DVec3;

use crate::aggregate::ALONE;
use crate::block::{Block, Real, add};
use crate::hierarchy::{Hierarchy, Top};
use crate::link::{GROUND, Link};
use crate::net::{INSIDE, Net};

/// What a link was, and what it is.
struct Change<'a> {
    old: &'a Link,
    new: &'a Link,
    /// What stiffnesses are divided by.
    unit: f64,
}

impl Change<'_> {
    /// The change of what binds two bodies, or a body to itself.
    fn block(&self, a: DVec3, b: DVec3) -> Block {
        let mut block = self.new.block(self.new.point - a, self.new.point - b, 1.0 / self.unit);
        add(&mut block, &self.old.block(self.old.point - a, self.old.point - b, -1.0 / self.unit));
        block
    }
}

impl<T: Real> Hierarchy<T> {
    /// Takes a change of a link, or of a pin, to all levels but for the first one's diagonal.
    pub fn change_link(&mut self, index: Option<usize>, old: &Link, new: &Link) {
        let pair = index.map_or(INSIDE, |index| self.pair_of[index]);
        let change = Change { old, new, unit: self.unit };
        let (mut ends, mut pair) = ([new.a, new.b], pair);
        if let Some(fine) = &mut self.fine {
            if pair != INSIDE {
                fine.set_bond(pair as usize, (new.a, new.b), &new.tie(-1.0 / self.unit));
                pair = fine.coarse.above[pair as usize];
            }
            ends = ends.map(|end| above(&fine.coarse.of, end));
        }
        for middle in &mut self.middle {
            if !apply(&mut middle.net, &change, ends, pair) {
                return;
            }
            let level = &mut middle.level;
            if pair != INSIDE {
                level.set_bond(
                    pair as usize,
                    middle.net.pairs[pair as usize],
                    &middle.net.blocks[pair as usize].map(T::of),
                );
                pair = level.coarse.above[pair as usize];
            } else {
                level.set_ground(&middle.net.ground);
            }
            for end in ends.into_iter().filter(|&end| end != GROUND) {
                level.set_diagonal_of(end as usize, &middle.net.diagonal[end as usize]);
            }
            ends = ends.map(|end| above(&level.coarse.of, end));
        }
        let is_direct = self.is_direct();
        let Top { net, is_stale, .. } = &mut self.top;
        if apply(net, &change, ends, pair) {
            self.drift += change_of(&change) / trace(net, ends);
            *is_stale |= is_direct || self.drift > MOST_DRIFT;
        }
    }

    /// Sets what binds a body of the first level to all others, and to the ground.
    pub fn set_diagonal(&mut self, body: u32, all: &Block, ground: &Block) {
        if let Some(fine) = &mut self.fine {
            fine.set_diagonal_of(body as usize, &all.map(|x| x / self.unit));
            fine.set_ground_of(body, &ground.map(|x| x / self.unit));
        }
    }

    /// Factors the top level if it has changed by more than a little.
    pub fn settle(&mut self) {
        if self.top.is_stale {
            self.drift = 0.0;
            self.top.settle();
        }
    }
}

/// The top level keeps its factor until a body of it has lost this part of its stiffness. What is near a change is solved apart, so that an old factor
/// hardly takes a step more, and a new one takes a third of a step.
const MOST_DRIFT: f64 = 0.1;

fn above(of: &[u32], end: u32) -> u32 {
    // What is alone has no body above, and binds nothing there: like the ground, which is in no level.
    if end == GROUND || of[end as usize] == ALONE { GROUND } else { of[end as usize] }
}

/// Changes a net. Nothing changes there if both ends are in one body, or in none.
fn apply(net: &mut Net, change: &Change, ends: [u32; 2], pair: u32) -> bool {
    let [a, b] = ends;
    if a == b {
        return false;
    }
    let centre = |end: u32| net.centres[end as usize];
    if a == GROUND || b == GROUND {
        let body = a.min(b);
        let block = change.block(centre(body), centre(body));
        net.add_ground(body, &block);
        return true;
    }
    let between = change.block(centre(a), centre(b)).map(|x| -x);
    for end in ends {
        let own = change.block(centre(end), centre(end));
        add(&mut net.diagonal[end as usize], &own);
    }
    net.add_block(pair, a, &between);
    true
}

fn change_of(change: &Change) -> f64 {
    (change.old.weight() - change.new.weight()).abs() / change.unit
}

/// The least that binds one of two bodies.
fn trace(net: &Net, ends: [u32; 2]) -> f64 {
    let linear = |end: u32| net.diagonal.get(end as usize).map_or(f64::INFINITY, |d| d[0] + d[7] + d[14]);
    linear(ends[0]).min(linear(ends[1])).max(f64::MIN_POSITIVE)
}
