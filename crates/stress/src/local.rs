//! What a local change calls for near it, before the whole structure is asked.
//!
//! A joint that breaks sheds its load on its neighbours. Their motions, with all others at rest, take a direct solve of a few dozen bodies; what is
//! left then is small and smooth, and takes one step of the whole instead of several.

use crate::Stress;
use crate::block::{Block, Six, add};
use crate::factor::{Envelope, Factor};
use crate::link::{GROUND, Link, load};
use crate::net::Net;

/// So many bodies around a change.
const REGION: usize = 40;
/// More changes than this are not local.
const MOST_CHANGES: usize = 24;

impl Stress {
    /// Solves near what has changed since the last solve.
    pub(crate) fn relax_near_changes(&mut self) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        let is_whole = self.preconditioner.as_ref().is_some_and(|p| !p.is_direct());
        if !is_whole || changed.is_empty() || changed.len() > MOST_CHANGES {
            return;
        }
        let region = self.region(changed);
        let mut links: Vec<u32> =
            region.iter().flat_map(|&body| self.parts.links_of(body)).copied().collect();
        links.sort_unstable();
        links.dedup();
        let motions = self.solve_region(&region, &links);
        for (&body, motion) in region.iter().zip(&motions) {
            add(&mut self.motions[body as usize], motion);
        }
        links.iter().for_each(|&index| self.pull_again(index as usize, &self.links[index as usize].clone()));
    }

    /// The bodies next to some, in order.
    fn region(&self, mut bodies: Vec<u32>) -> Vec<u32> {
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
        bodies.sort_unstable();
        bodies
    }

    /// How some bodies move under what is left of their loads, with all others at rest.
    fn solve_region(&self, region: &[u32], links: &[u32]) -> Vec<Six> {
        let place = |body: u32| region.binary_search(&body).map_or(GROUND, |at| at as u32);
        let mut net = Net {
            centres: region.iter().map(|&body| self.centres[body as usize]).collect(),
            ..Net::default()
        };
        net.diagonal = vec![[0.0; 36]; region.len()];
        let own = links.iter().map(|&index| &self.links[index as usize]).chain(&self.parts.pins);
        for link in own.filter(|link| link.along > 0.0) {
            let (a, b) = (place(link.a), place(link.b));
            for (end, arm) in [(a, link.arm_a), (b, link.arm_b)] {
                if end != GROUND {
                    let block: Block = link.block(arm, arm, 1.0);
                    add(&mut net.diagonal[end as usize], &block);
                }
            }
            if a != GROUND && b != GROUND {
                net.pairs.push((a, b));
                net.blocks.push(link.block(link.arm_a, link.arm_b, -1.0));
            }
        }
        let mut factor = Factor::new(Envelope::new(region.len(), &net.pairs));
        let edges = net.pairs.iter().zip(&net.blocks).map(|(&(a, b), block)| (a, b, block));
        factor.decompose(&net.diagonal, edges);
        let loads: Vec<Six> = region.iter().map(|&body| self.rest[body as usize]).collect();
        let mut motions = loads.clone();
        factor.solve(&loads, &mut motions);
        motions
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
