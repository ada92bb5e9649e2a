//! Which bodies move as one on the next coarser level, and in which order they are swept.
//!
//! Bodies are joined in pairs along their stiffest bonds, pairs with pairs, and once more: eight become one (Notay, *An
//! aggregation-based algebraic multigrid method*, 2010). Between two parallel pairs there are two bonds, so that pairs grow to
//! squares and squares to cubes, and no thought of geometry is needed.
//!
//! Unlike there, bodies are joined across the way to the ground first, and along it last. Loads go that way, and what they bend, stretch and
//! shear lies along it, while sections across stay plane: that is what beam theory starts from. What is as wide as it is long has no such sections, and
//! is joined across once less.

/// A graph by its neighbours, with weights.
pub(crate) struct Graph {
    start: Vec<u32>,
    to: Vec<(u32, f64)>,
}

/// In no aggregate: nothing binds it.
pub(crate) const ALONE: u32 = u32::MAX;

/// A bond that is so much weaker than the stiffest one of both its ends joins no aggregate: across it things move.
const WEAK: f64 = 0.1;

/// Rounds of joining in pairs.
const ROUNDS: usize = 3;

/// How many of them join only what is as far from the ground, in what is slender; in what is not, one less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Across {
    /// So that cubes grow, of two pieces a side: of single pieces, those that lie in a row are too soft to move as one.
    Two = 2,
    /// All.
    Three = 3,
}

/// What is at least so many times as long as it is wide is slender.
const SLENDER: usize = 2;

/// If a round across the way to the ground leaves more than this part of the bodies, it is done again in all directions.
const FEW_JOINED: f64 = 0.7;

/// What becomes of a node that nothing binds.
#[derive(Clone, Copy, PartialEq)]
enum Lone {
    /// It is in no aggregate: a body of its own needs none.
    IsLeftOut,
    /// It is one: joined from others, whose common motion no finer level sees.
    Stays,
}

impl Graph {
    /// Of pairs with their weights.
    pub fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32, f64)> + Clone) -> Graph {
        let mut start = vec![0u32; nodes + 2];
        edges.clone().for_each(|(a, b, _)| {
            start[a as usize + 2] += 1;
            start[b as usize + 2] += 1;
        });
        (2..start.len()).for_each(|at| start[at] += start[at - 1]);
        let mut to = vec![(0, 0.0); start[nodes + 1] as usize];
        for (a, b, weight) in edges {
            for (from, other) in [(a, b), (b, a)] {
                let at = &mut start[from as usize + 1];
                to[*at as usize] = (other, weight);
                *at += 1;
            }
        }
        start.pop();
        Graph { start, to }
    }

    fn len(&self) -> usize {
        self.start.len() - 1
    }

    fn neighbours(&self, node: usize) -> &[(u32, f64)] {
        &self.to[self.start[node] as usize..self.start[node + 1] as usize]
    }

    /// An order in which neighbours come in different runs: nodes of one run do not wait for each other.
    pub fn sweep_order(&self) -> Vec<u32> {
        let mut colours = vec![u8::MAX; self.len()];
        for node in 0..self.len() {
            let taken = |used: u128, &(other, _): &(u32, f64)| match colours[other as usize] {
                colour if colour < 127 => used | 1 << colour,
                _ => used,
            };
            let used = self.neighbours(node).iter().fold(0u128, taken);
            colours[node] = used.trailing_ones().min(127) as u8;
        }
        let mut nodes: Vec<u32> = (0..self.len() as u32).collect();
        nodes.sort_by_key(|&node| colours[node as usize]);
        nodes
    }

    /// The aggregate of each node, and how many there are. Nodes that nothing binds are [`ALONE`]. Some nodes are bound to the ground.
    pub fn aggregates(&self, grounded: impl Iterator<Item = u32>, across: Across) -> (Vec<u32>, usize) {
        let layers = self.layers(grounded);
        let across = across as usize - usize::from(!self.is_slender(&layers));
        let (careful, count) = self.joined(WEAK, across, &layers);
        if count * 2 <= self.len() { (careful, count) } else { self.joined(0.0, across, &layers) }
    }

    /// Whether the way to the ground is long next to what lies across it, half of the way up.
    fn is_slender(&self, layers: &[u32]) -> bool {
        let farthest = layers.iter().copied().filter(|&layer| layer != u32::MAX).max().unwrap_or(0);
        let Some(start) = layers.iter().position(|&layer| layer == farthest / 2) else { return true };
        let (end, _) = self.far_across(start as u32, layers);
        let (_, width) = self.far_across(end, layers);
        farthest as usize + 1 >= width * SLENDER
    }

    /// Of the nodes that hang together with one within its layer, the farthest, and how many lie in a row from one to the other.
    fn far_across(&self, start: u32, layers: &[u32]) -> (u32, usize) {
        let mut is_met = vec![false; self.len()];
        is_met[start as usize] = true;
        let mut met = vec![(start, 1)];
        let mut next = 0;
        while let Some(&(node, count)) = met.get(next) {
            for &(other, _) in self.neighbours(node as usize) {
                let is_across = layers[other as usize] == layers[start as usize];
                if is_across && !std::mem::replace(&mut is_met[other as usize], true) {
                    met.push((other, count + 1));
                }
            }
            next += 1;
        }
        met[next - 1]
    }

    /// How many bonds each node is from the ground.
    fn layers(&self, grounded: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut layers = vec![u32::MAX; self.len()];
        let mut met: Vec<u32> = grounded.collect();
        met.iter().for_each(|&node| layers[node as usize] = 0);
        let mut next = 0;
        while let Some(&node) = met.get(next) {
            let farther = layers[node as usize] + 1;
            for &(other, _) in self.neighbours(node as usize) {
                if layers[other as usize] == u32::MAX {
                    layers[other as usize] = farther;
                    met.push(other);
                }
            }
            next += 1;
        }
        layers
    }

    fn joined(&self, weak: f64, across: usize, layers: &[u32]) -> (Vec<u32>, usize) {
        let (mut of, mut count) = self.pairs_across(weak, Lone::IsLeftOut, layers);
        let mut layers = layers_of(&of, count, layers);
        for round in 1..ROUNDS {
            let graph = self.contracted(&of, count);
            let (next, fewer) = if round < across {
                graph.pairs_across(weak, Lone::Stays, &layers)
            } else {
                graph.pairs(weak, Lone::Stays, |_, _| true)
            };
            of.iter_mut().filter(|of| **of != ALONE).for_each(|of| *of = next[*of as usize]);
            (layers, count) = (layers_of(&next, fewer, &layers), fewer);
        }
        (of, count)
    }

    /// Joins nodes that are as far from the ground; if those are too few, all.
    fn pairs_across(&self, weak: f64, lone: Lone, layers: &[u32]) -> (Vec<u32>, usize) {
        let across = self.pairs(weak, lone, |a, b| layers[a] == layers[b]);
        let are_enough = across.1 as f64 <= self.len() as f64 * FEW_JOINED;
        if are_enough { across } else { self.pairs(weak, lone, |_, _| true) }
    }

    /// Joins each node with the unjoined neighbour that it is bound to most, of those that it may be joined with.
    fn pairs(&self, weak: f64, lone: Lone, may_join: impl Fn(usize, usize) -> bool) -> (Vec<u32>, usize) {
        let most = |node: usize| self.neighbours(node).iter().map(|n| n.1).fold(0.0, f64::max);
        let most: Vec<f64> = (0..self.len()).map(most).collect();
        let mut of = vec![ALONE; self.len()];
        let mut count = 0;
        for node in 0..self.len() {
            let is_left_out = lone == Lone::IsLeftOut && self.neighbours(node).is_empty();
            if of[node] != ALONE || is_left_out {
                continue;
            }
            let mut best: Option<(u32, f64)> = None;
            for &(other, weight) in self.neighbours(node) {
                let is_strong = weight >= weak * most[node].min(most[other as usize]);
                let is_open = of[other as usize] == ALONE && may_join(node, other as usize);
                if is_open && is_strong && best.is_none_or(|best| weight > best.1) {
                    best = Some((other, weight));
                }
            }
            of[node] = count;
            if let Some((other, _)) = best {
                of[other as usize] = count;
            }
            count += 1;
        }
        (of, count as usize)
    }

    /// The graph of aggregates: weights between them add up. One that nothing binds any more has no neighbours, and stays.
    fn contracted(&self, of: &[u32], count: usize) -> Graph {
        let (ends, members) = members(of, count);
        let (mut start, mut to) = (vec![0u32], Vec::<(u32, f64)>::with_capacity(self.to.len() / 2));
        let mut slot = vec![u32::MAX; count];
        for own in 0..count {
            let first = to.len();
            let nodes = &members[ends[own] as usize..ends[own + 1] as usize];
            for &(other, weight) in nodes.iter().flat_map(|&node| self.neighbours(node as usize)) {
                let other = of[other as usize];
                if other as usize == own {
                    continue;
                }
                match to.get_mut(slot[other as usize] as usize) {
                    Some(known) if slot[other as usize] as usize >= first => known.1 += weight,
                    _ => {
                        slot[other as usize] = to.len() as u32;
                        to.push((other, weight));
                    }
                }
            }
            start.push(to.len() as u32);
        }
        Graph { start, to }
    }
}

/// The layer of each aggregate.
fn layers_of(of: &[u32], count: usize, layers: &[u32]) -> Vec<u32> {
    let mut own = vec![u32::MAX; count];
    for (&of, &layer) in of.iter().zip(layers).filter(|(of, _)| **of != ALONE) {
        own[of as usize] = own[of as usize].min(layer);
    }
    own
}

/// The nodes of each aggregate, in order: where each one's start, and all of them.
pub(crate) fn members(of: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; count + 2];
    of.iter().filter(|of| **of != ALONE).for_each(|of| start[*of as usize + 2] += 1);
    (2..start.len()).for_each(|at| start[at] += start[at - 1]);
    let mut nodes = vec![0; start[count + 1] as usize];
    for (node, &of) in (0..).zip(of).filter(|(_, of)| **of != ALONE) {
        nodes[start[of as usize + 1] as usize] = node;
        start[of as usize + 1] += 1;
    }
    start.pop();
    (start, nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall of so many nodes a row and so many rows, on the ground.
    fn is_slender(wide: u32, high: u32) -> bool {
        let nodes = wide * high;
        let right = (0..nodes).filter(move |node| node % wide + 1 < wide).map(|node| (node, node + 1, 1.0));
        let up = (0..nodes - wide).map(move |node| (node, node + wide, 1.0));
        let graph = Graph::new(nodes as usize, right.chain(up));
        graph.is_slender(&graph.layers(0..wide))
    }

    #[test]
    fn a_pillar_is_slender_and_a_wall_is_not() {
        assert!(is_slender(5, 40) && is_slender(1, 2));
        assert!(!is_slender(20, 20) && !is_slender(40, 5));
    }

    #[test]
    fn what_nothing_holds_counts_as_slender() {
        let graph = Graph::new(2, std::iter::once((0, 1, 1.0)));
        assert!(graph.is_slender(&graph.layers(std::iter::empty())));
    }
}
