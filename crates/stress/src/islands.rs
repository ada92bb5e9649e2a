//! Which nodes hang together, and what holds them.

use glam::DVec3;

use crate::balance::{Mass, acceleration, relieved, total};
use crate::block::{Block, Six, add, halves, six};
use crate::hierarchy::Springs;
use crate::link::{GROUND, Link};
use crate::net::merged;
use crate::{Node, Stress};

/// Nodes that hang together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Island {
    /// Its nodes in order. Held ones are in none.
    pub nodes: Vec<u32>,
    /// Whether a joint binds it to a held node. If none does, it falls.
    pub is_held: bool,
}

/// Sets of nodes, joined one by one.
struct Sets(Vec<u32>);

impl Sets {
    fn root(&mut self, mut node: u32) -> u32 {
        while self.0[node as usize] != node {
            let above = self.0[self.0[node as usize] as usize];
            self.0[node as usize] = above;
            node = above;
        }
        node
    }

    /// Joins two sets under the lower of their roots, so that a root is the first node of its set.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// The islands of a structure, as far as solving needs to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    /// Whether joints have been removed since they were found.
    is_known: bool,
    /// The unknowns of each island that nothing holds.
    loose: Vec<Vec<u32>>,
    /// What holds one node of each of those.
    pub pins: Vec<Link>,
    /// The links of each unknown.
    start: Vec<u32>,
    of: Vec<u32>,
}

/// How many nodes are looked at for a way around a joint that has gone.
const DETOUR: usize = 48;

impl Parts {
    fn list(&mut self, unknowns: usize, links: &[Link]) {
        let ends = |link: &Link| [link.a, link.b].into_iter().filter(|&end| end != GROUND);
        self.start = vec![0; unknowns + 2];
        links.iter().flat_map(ends).for_each(|end| self.start[end as usize + 2] += 1);
        (2..self.start.len()).for_each(|at| self.start[at] += self.start[at - 1]);
        self.of = vec![0; self.start[unknowns + 1] as usize];
        for (index, link) in (0..).zip(links) {
            for end in ends(link) {
                let at = &mut self.start[end as usize + 1];
                self.of[*at as usize] = index;
                *at += 1;
            }
        }
        self.start.pop();
    }

    /// The links of an unknown.
    pub fn links_of(&self, unknown: u32) -> &[u32] {
        &self.of[self.start[unknown as usize] as usize..self.start[unknown as usize + 1] as usize]
    }

    /// Takes note that a link has gone. If a short way leads around it, islands stay what they are.
    pub fn forget(&mut self, links: &[Link], gone: usize) {
        let Link { a, b, .. } = links[gone];
        self.is_known = self.is_known && a != GROUND && b != GROUND && self.leads_around(links, a, b);
    }

    fn leads_around(&self, links: &[Link], from: u32, to: u32) -> bool {
        let mut met = vec![from];
        let mut next = 0;
        while next < met.len() && met.len() < DETOUR {
            for &index in self.links_of(met[next]) {
                let link = &links[index as usize];
                let other = if link.a == met[next] { link.b } else { link.a };
                if link.along > 0.0 && other == to {
                    return true;
                }
                if link.along > 0.0 && other != GROUND && !met.contains(&other) {
                    met.push(other);
                }
            }
            next += 1;
        }
        false
    }
}

impl Stress {
    /// The nodes that hang together by joints that are not broken.
    pub fn islands(&self) -> Vec<Island> {
        let nodes = self.node_of.len();
        let (mut sets, is_held) = self.sets();
        let mut islands: Vec<Island> = Vec::new();
        let mut place = vec![u32::MAX; nodes];
        for (node, &unknown) in (0..).zip(&self.unknown_of).filter(|(_, unknown)| **unknown != GROUND) {
            let root = sets.root(unknown) as usize;
            if place[root] == u32::MAX {
                place[root] = islands.len() as u32;
                islands.push(Island { nodes: Vec::new(), is_held: is_held[root] });
            }
            islands[place[root] as usize].nodes.push(node);
        }
        islands
    }

    /// Sets of unknowns, and of each root whether something holds its set.
    fn sets(&self) -> (Sets, Vec<bool>) {
        let mut sets = Sets((0..self.node_of.len() as u32).collect());
        let whole =
            || self.links.iter().zip(&self.is_broken).filter(|(_, broken)| !**broken).map(|(link, _)| link);
        whole().filter(|l| l.a != GROUND && l.b != GROUND).for_each(|l| sets.join(l.a, l.b));
        let mut is_held = vec![false; self.node_of.len()];
        for link in whole().filter(|link| (link.a == GROUND) != (link.b == GROUND)) {
            let end = if link.a == GROUND { link.b } else { link.a };
            is_held[sets.root(end) as usize] = true;
        }
        (sets, is_held)
    }

    /// Finds islands that nothing holds, and pins one node of each.
    pub(crate) fn hold_islands(&mut self) {
        if self.parts.is_known {
            return;
        }
        if self.parts.start.is_empty() {
            self.parts.list(self.node_of.len(), &self.links);
        }
        self.parts.is_known = true;
        let (mut sets, is_held) = self.sets();
        let mut place = vec![u32::MAX; is_held.len()];
        let mut loose: Vec<Vec<u32>> = Vec::new();
        for unknown in 0..self.node_of.len() as u32 {
            let root = sets.root(unknown) as usize;
            if !is_held[root] {
                if place[root] == u32::MAX {
                    place[root] = loose.len() as u32;
                    loose.push(Vec::new());
                }
                loose[place[root] as usize].push(unknown);
            }
        }
        let mut is_pinned = vec![false; loose.len()];
        for pin in &self.parts.pins {
            let root = sets.root(pin.b) as usize;
            is_pinned[place[root] as usize] = true;
        }
        for (island, _) in loose.iter().zip(is_pinned).filter(|(_, pinned)| !pinned) {
            self.pin(island);
        }
        self.are_loads_changed |= !loose.is_empty();
        self.parts.loose = loose;
    }

    /// Holds the node of an island that is nearest to its middle, as stiffly as its joints do.
    fn pin(&mut self, island: &[u32]) {
        let whole = total(island.iter().map(|&unknown| self.mass(unknown)));
        let away = |unknown: &u32| self.centres[*unknown as usize].distance_squared(whole.centre);
        let nearest = island.iter().min_by(|x, y| away(x).total_cmp(&away(y)));
        let &unknown = nearest.expect("an island has a node");
        let (origin, turn) = halves(&self.motions[unknown as usize]);
        let centre = self.centres[unknown as usize];
        for &other in island {
            let (place, rotation) = halves(&self.motions[other as usize]);
            let moved = origin + turn.cross(self.centres[other as usize] - centre);
            self.motions[other as usize] = six(place - moved, rotation - turn);
        }
        let (mut stiffness, mut reach) = (0.0, 0.0);
        for &index in self.parts.links_of(unknown) {
            let link = &self.links[index as usize];
            stiffness += link.weight() / 3.0;
            reach = f64::max(reach, link.arm_a.length().min(link.arm_b.length()));
        }
        let pin = Link::pin(unknown, centre, stiffness, reach);
        if let Some(preconditioner) = &mut self.preconditioner {
            preconditioner.change_link(None, &pin.times(0.0), &pin);
        }
        self.parts.pins.push(pin);
        self.refresh_diagonals(&[unknown]);
    }

    /// An unknown as a body. A node without inertia is taken for a ball that reaches to its joints.
    fn mass(&self, unknown: u32) -> Mass {
        let Node { mass, centre, mut inertia, .. } =
            self.structure.nodes[self.node_of[unknown as usize] as usize];
        if inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z <= 0.0 {
            let links = self.parts.links_of(unknown);
            let arms = links.iter().map(|&index| self.links[index as usize].point.distance(centre));
            let radius = arms.sum::<f64>() / links.len().max(1) as f64;
            inertia = glam::DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius));
        }
        Mass { mass, centre, inertia }
    }

    /// Takes from the loads on islands that nothing holds what accelerates them as a whole.
    pub(crate) fn relieve(&self, applied: &mut [Six]) {
        for island in &self.parts.loose {
            let whole = total(island.iter().map(|&unknown| self.mass(unknown)));
            let loads =
                island.iter().map(|&unknown| (self.centres[unknown as usize], applied[unknown as usize]));
            let rate = acceleration(&whole, loads);
            for &unknown in island {
                let own = &mut applied[unknown as usize];
                *own = relieved(own, &self.mass(unknown), &whole, rate);
            }
        }
    }

    /// What a hierarchy is made of.
    pub(crate) fn springs(&self) -> Springs<'_> {
        let visit = self.unknown_of.iter().copied().filter(|&unknown| unknown != GROUND).collect();
        let mut ground: Vec<(u32, Block)> = Vec::new();
        for link in self.links.iter().chain(&self.parts.pins).filter(|link| link.along > 0.0) {
            if link.a == GROUND && link.b != GROUND {
                ground.push((link.b, link.block(link.arm_b, link.arm_b, 1.0)));
            } else if link.b == GROUND && link.a != GROUND {
                ground.push((link.a, link.block(link.arm_a, link.arm_a, 1.0)));
            }
        }
        let ground = merged(ground);
        Springs { centres: &self.centres, links: &self.links, ground, visit }
    }

    /// Changes the spring of a joint, and all that follows from it.
    pub(crate) fn change_link(&mut self, index: usize, new: Link) {
        let old = std::mem::replace(&mut self.links[index], new);
        self.pull_again(index, &old);
        self.changed.extend([new.a, new.b].into_iter().filter(|&end| end != GROUND));
        if let Some(preconditioner) = &mut self.preconditioner {
            preconditioner.change_link(Some(index), &old, &new);
            self.refresh_diagonals(&[new.a, new.b]);
        }
    }

    /// Sums up anew what binds unknowns to all others.
    fn refresh_diagonals(&mut self, unknowns: &[u32]) {
        let Some(preconditioner) = &mut self.preconditioner else { return };
        for &unknown in unknowns.iter().filter(|&&unknown| unknown != GROUND) {
            let (mut all, mut ground): (Block, Block) = ([0.0; 36], [0.0; 36]);
            let own = self.parts.links_of(unknown).iter().map(|&index| &self.links[index as usize]);
            for link in own.chain(self.parts.pins.iter().filter(|pin| pin.b == unknown)) {
                let arm = if link.a == unknown { link.arm_a } else { link.arm_b };
                let block: Block = link.block(arm, arm, 1.0);
                add(&mut all, &block);
                if link.a == GROUND || link.b == GROUND {
                    add(&mut ground, &block);
                }
            }
            preconditioner.set_diagonal(unknown, &all, &ground);
        }
    }
}
