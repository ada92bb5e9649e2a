//! Bodies and the stiffness between them, on a level where several nodes move as one.

use glam::DVec3;

use crate::aggregate::{ALONE, Graph};
use crate::block::{Block, add, carried, transposed};
use crate::link::Link;

/// No edge of the next level: both ends are in the same body.
pub(crate) const INSIDE: u32 = u32::MAX;

/// Bodies, and the blocks of the stiffness matrix that bind them.
///
/// Blocks on the diagonal follow from the others, because a motion of everything as one meets no resistance but the ground's: so
/// rounding never makes a motion stiff that is not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Net {
    pub centres: Vec<DVec3>,
    pub pairs: Vec<(u32, u32)>,
    /// One for each pair; its row is the first of the pair.
    pub blocks: Vec<Block>,
    /// What binds bodies to the ground, in order of the bodies.
    pub ground: Vec<(u32, Block)>,
    /// The blocks on the diagonal.
    pub diagonal: Vec<Block>,
}

impl Net {
    /// Springs between bodies, each a pair of its own.
    pub fn of_links<'a>(
        centres: &[DVec3],
        links: impl Iterator<Item = &'a Link>,
        ground: Vec<(u32, Block)>,
    ) -> Net {
        let (mut pairs, mut blocks) = (Vec::new(), Vec::new());
        for link in links {
            pairs.push((link.a, link.b));
            blocks.push(link.block(link.arm_a, link.arm_b, -1.0));
        }
        Net { centres: centres.to_vec(), pairs, blocks, ground, diagonal: Vec::new() }
    }

    /// Bodies of aggregates: pairs of theirs without stiffness yet, and the pair that each finer pair belongs to.
    pub fn of_aggregates(
        centres: &[DVec3],
        of: &[u32],
        count: usize,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> (Net, Vec<u32>) {
        let mut middle = vec![(DVec3::ZERO, 0.0); count];
        for (centre, of) in centres.iter().zip(of).filter(|(_, of)| **of != ALONE) {
            let (sum, weight) = &mut middle[*of as usize];
            *sum += *centre;
            *weight += 1.0;
        }
        let centres = middle.into_iter().map(|(sum, weight)| sum / weight).collect();
        let (pairs, above) = merged_pairs(of, count, pairs);
        let blocks = vec![[0.0; 36]; pairs.len()];
        (Net { centres, pairs, blocks, ground: Vec::new(), diagonal: Vec::new() }, above)
    }

    /// Adds what binds the ends of a finer pair, seen from the bodies that they are in.
    pub fn add_block(&mut self, pair: u32, row: u32, block: &Block) {
        let to = &mut self.blocks[pair as usize];
        if self.pairs[pair as usize].0 == row { add(to, block) } else { add(to, &transposed(block)) }
    }

    /// The graph of its bodies.
    pub fn graph(&self) -> Graph {
        let weight = |block: &Block| -(block[0] + block[7] + block[14]);
        let edges =
            self.pairs.iter().zip(&self.blocks).map(move |(pair, block)| (pair.0, pair.1, weight(block)));
        Graph::new(self.centres.len(), edges)
    }

    /// Renames bodies: `order` lists them as they come.
    pub fn renumber(&mut self, order: &[u32]) -> Vec<u32> {
        let mut new_of = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&old, new)| new_of[old as usize] = new);
        self.centres = order.iter().map(|&old| self.centres[old as usize]).collect();
        self.pairs.iter_mut().for_each(|p| *p = (new_of[p.0 as usize], new_of[p.1 as usize]));
        self.ground.iter_mut().for_each(|g| g.0 = new_of[g.0 as usize]);
        self.ground.sort_by_key(|g| g.0);
        new_of
    }

    /// Sums up the diagonal.
    pub fn find_diagonal(&mut self) {
        let mut diagonal = vec![[0.0; 36]; self.centres.len()];
        self.ground.iter().for_each(|(body, block)| add(&mut diagonal[*body as usize], block));
        for (&(a, b), block) in self.pairs.iter().zip(&self.blocks) {
            let [a, b] = [a, b].map(|body| body as usize);
            let away = self.centres[b] - self.centres[a];
            subtract(&mut diagonal[a], &carried(block, DVec3::ZERO, away));
            subtract(&mut diagonal[b], &carried(&transposed(block), DVec3::ZERO, -away));
        }
        self.diagonal = diagonal;
    }

    /// Adds to what binds a body to the ground.
    pub fn add_ground(&mut self, body: u32, block: &Block) {
        match self.ground.binary_search_by_key(&body, |ground| ground.0) {
            Ok(at) => add(&mut self.ground[at].1, block),
            Err(at) => self.ground.insert(at, (body, *block)),
        }
        add(&mut self.diagonal[body as usize], block);
    }
}

/// Blocks in order of their bodies, those of one body added up.
pub(crate) fn merged(mut blocks: Vec<(u32, Block)>) -> Vec<(u32, Block)> {
    blocks.sort_by_key(|(body, _)| *body);
    blocks.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            add(&mut kept.1, &next.1);
        }
        is_same
    });
    blocks
}

fn subtract(from: &mut Block, block: &Block) {
    from.iter_mut().zip(block).for_each(|(from, x)| *from -= x);
}

/// The pairs of aggregates that have a bond, and which of them each bond belongs to.
fn merged_pairs(
    of: &[u32],
    count: usize,
    pairs: impl Iterator<Item = (u32, u32)> + Clone,
) -> (Vec<(u32, u32)>, Vec<u32>) {
    let ends = |(a, b): (u32, u32)| {
        let (x, y) = (of[a as usize], of[b as usize]);
        (x.min(y), x.max(y))
    };
    // Bonds by the lower of their aggregates, then a look at the few pairs that it has so far.
    let mut start = vec![0u32; count + 2];
    let (mut above, mut bonds) = (Vec::new(), 0);
    for (low, high) in pairs.clone().map(ends) {
        if low != high {
            start[low as usize + 2] += 1;
            bonds += 1;
        }
        above.push(INSIDE);
    }
    (2..start.len()).for_each(|at| start[at] += start[at - 1]);
    let mut sorted = vec![(0u32, 0u32); bonds];
    for (index, (low, high)) in (0..).zip(pairs.map(ends)).filter(|(_, (low, high))| low != high) {
        let at = &mut start[low as usize + 1];
        sorted[*at as usize] = (index, high);
        *at += 1;
    }
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for low in 0..count {
        let first = merged.len();
        for &(index, high) in &sorted[start[low] as usize..start[low + 1] as usize] {
            let known = merged[first..].iter().position(|pair| pair.1 == high);
            above[index as usize] = known.map_or(merged.len(), |known| first + known) as u32;
            if known.is_none() {
                merged.push((low as u32, high));
            }
        }
    }
    (merged, above)
}
