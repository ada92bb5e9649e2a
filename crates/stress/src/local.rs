//! What a local change calls for near it, before the whole structure is asked.
//!
//! A joint that breaks sheds its load on its neighbours. Their motions, with all others at rest, take a direct solve of a few dozen bodies; what is
//! left then is small and smooth, and takes few steps of the whole. Aggregates that have lost a joint do not move as one any more, so that
//! steps would be worst just there: in every step the bodies near the change follow the others, by the same direct solve.

use crate::Stress;
use crate::block::{Block, Six, add};
use crate::factor::{Envelope, Factor};
use crate::link::{GROUND, Link, load};

/// So many bodies around a change.
const REGION: usize = 40;
/// More changes than this are not local.
const MOST_CHANGES: usize = 24;

/// Some bodies near a change, as if all others were at rest.
pub(crate) struct Region {
    pub bodies: Vec<u32>,
    springs: Vec<Spring>,
    factor: Factor,
}

/// A spring of a region's bodies.
struct Spring {
    link: Link,
    /// Where its ends are among the bodies, or [`GROUND`].
    places: [u32; 2],
    /// Which joint it is; none is a pin.
    joint: Option<u32>,
}

impl Region {
    fn new(bodies: Vec<u32>, springs: Vec<Spring>) -> Region {
        let (mut diagonal, mut pairs, mut blocks) = (vec![[0.0; 36]; bodies.len()], Vec::new(), Vec::new());
        for Spring { link, places, .. } in &springs {
            for (place, arm) in places.iter().zip([link.arm_a, link.arm_b]).filter(|end| *end.0 != GROUND) {
                let block: Block = link.block(arm, arm, 1.0);
                add(&mut diagonal[*place as usize], &block);
            }
            if !places.contains(&GROUND) {
                pairs.push((places[0], places[1]));
                blocks.push(link.block(link.arm_a, link.arm_b, -1.0));
            }
        }
        let mut factor = Factor::new(Envelope::new(bodies.len(), &pairs));
        factor.decompose(&diagonal, pairs.iter().zip(&blocks).map(|(&(a, b), block)| (a, b, block)));
        Region { bodies, springs, factor }
    }

    /// How the bodies move under their part of the loads.
    fn solve(&self, loads: &[Six]) -> Vec<Six> {
        let loads: Vec<Six> = self.bodies.iter().map(|&body| loads[body as usize]).collect();
        let mut motions = loads.clone();
        self.factor.solve(&loads, &mut motions);
        motions
    }

    /// Lets the bodies follow a motion of the whole: they move until nothing resists it here any more.
    pub fn follow(&self, motion: &mut [Six], resistance: &mut [Six]) {
        let back = self.solve(resistance);
        for (&body, back) in self.bodies.iter().zip(&back) {
            (0..6).for_each(|k| motion[body as usize][k] -= back[k]);
        }
        self.springs.iter().for_each(|spring| spring.pull(&back, resistance));
    }
}

impl Spring {
    /// Adds to loads what it pulls by when the bodies of its region move.
    fn pull(&self, motions: &[Six], loads: &mut [Six]) {
        let Spring { link, places, .. } = self;
        let still = [0.0; 6];
        let [a, b] = places.map(|place| motions.get(place as usize).unwrap_or(&still));
        let (force, moment) = link.pull(a, b);
        for (end, arm, sign) in [(link.a, link.arm_a, 1.0), (link.b, link.arm_b, -1.0)] {
            if let Some(own) = loads.get_mut(end as usize) {
                add(own, &load(arm, force * sign, moment * sign));
            }
        }
    }
}

impl Stress {
    /// Solves near what has changed since the last solve. Nothing if that is nowhere, or everywhere.
    pub(crate) fn relax_near_changes(&mut self) -> Option<Region> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        let is_whole = self.preconditioner.as_ref().is_some_and(|p| !p.is_direct());
        if changed.len() > MOST_CHANGES {
            changed.clear();
        }
        if !is_whole || changed.is_empty() && self.hard.is_empty() {
            return None;
        }
        let region = self.region_of(self.next_to(changed));
        self.relax(&region);
        Some(region)
    }

    /// Some bodies, and those that steps gain little on.
    pub(crate) fn region_of(&self, mut bodies: Vec<u32>) -> Region {
        bodies.extend(&self.hard);
        bodies.sort_unstable();
        bodies.dedup();
        let springs = self.springs_of(&bodies);
        Region::new(bodies, springs)
    }

    /// Moves the bodies of a region until nothing of their loads is left.
    pub(crate) fn relax(&mut self, region: &Region) {
        let motions = region.solve(&self.rest);
        for (&body, motion) in region.bodies.iter().zip(&motions) {
            add(&mut self.motions[body as usize], motion);
        }
        for spring in &region.springs {
            match spring.joint {
                Some(joint) => self.pull_again(joint as usize, &spring.link),
                None => spring.pull(&motions, &mut self.rest),
            }
        }
    }

    /// The springs of some bodies: joints in order, then pins.
    fn springs_of(&self, bodies: &[u32]) -> Vec<Spring> {
        let mut joints: Vec<u32> =
            bodies.iter().flat_map(|&body| self.parts.links_of(body)).copied().collect();
        joints.sort_unstable();
        joints.dedup();
        let place = |body: u32| bodies.binary_search(&body).map_or(GROUND, |at| at as u32);
        let joints = joints.into_iter().map(|joint| (self.links[joint as usize], Some(joint)));
        let pins = self.parts.pins.iter().map(|pin| (*pin, None));
        joints
            .chain(pins)
            .map(|(link, joint)| Spring { link, places: [place(link.a), place(link.b)], joint })
            .filter(|spring| spring.link.along > 0.0 && spring.places != [GROUND; 2])
            .collect()
    }

    /// Some bodies and those around them.
    pub(crate) fn next_to(&self, mut bodies: Vec<u32>) -> Vec<u32> {
        let (mut next, most) = (0, bodies.len() + REGION);
        while next < bodies.len() && bodies.len() < most {
            for &index in self.parts.links_of(bodies[next]) {
                let link = &self.links[index as usize];
                for end in [link.a, link.b].into_iter().filter(|&end| end != GROUND && link.along > 0.0) {
                    if !bodies.contains(&end) {
                        bodies.push(end);
                    }
                }
            }
            next += 1;
        }
        bodies
    }

    /// Pulls by a link at the motions as they are, instead of what it pulled by when it was `old`.
    pub(crate) fn pull_again(&mut self, index: usize, old: &Link) {
        let new = self.links[index];
        let still = [0.0; 6];
        let at = |unknown: u32| self.motions.get(unknown as usize).unwrap_or(&still);
        let pull = new.pull(at(new.a), at(new.b));
        let was = std::mem::replace(&mut self.pulls[index], pull);
        let arms = [(new.a, 1.0, new.arm_a, old.arm_a), (new.b, -1.0, new.arm_b, old.arm_b)];
        for (end, sign, new_arm, old_arm) in arms {
            if let Some(rest) = self.rest.get_mut(end as usize) {
                add(rest, &load(new_arm, pull.0 * sign, pull.1 * sign));
                add(rest, &load(old_arm, was.0 * -sign, was.1 * -sign));
            }
        }
    }
}
