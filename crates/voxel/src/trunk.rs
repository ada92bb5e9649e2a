//! The tree itself: nodes level by level, and bricks at its ends.
//!
//! Every level, and the bricks, are in Morton order, and the children of a node lie side by side. So every subtree is one run of each level, and is
//! copied as such.

use crate::brick::Brick;
use crate::look::Cuts;

/// A node above the bricks: eight children, each a node, internal or empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// The first of its children that are nodes, or bricks, in the next level.
    pub first: u32,
    /// Which children are nodes.
    pub children: u8,
    /// Which are wholly internal.
    pub internal: u8,
    /// Whether all in it is known to hang together. Where this is not set, it is not known.
    pub whole: bool,
}

/// What is at a place of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// Nothing.
    Empty,
    /// Wholly internal.
    Full,
    /// This node of its level, or this brick.
    Node(u32),
}

impl Node {
    /// The child in an octant.
    pub fn child(&self, octant: u32) -> Spot {
        let bit = 1 << octant;
        if self.children & bit != 0 {
            Spot::Node(self.first + (self.children & (bit - 1)).count_ones())
        } else if self.internal & bit != 0 {
            Spot::Full
        } else {
            Spot::Empty
        }
    }
}

/// Nodes and bricks. The root is the only node of the first level; where there are no levels it is the only brick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trunk {
    pub levels: Vec<Vec<Node>>,
    pub bricks: Vec<Brick>,
    pub cuts: Cuts,
}

impl Trunk {
    /// Of so many levels of nodes.
    pub fn new(depth: usize) -> Trunk {
        Trunk { levels: vec![Vec::new(); depth], ..Trunk::default() }
    }

    /// Starts anew, and keeps the memory.
    pub fn reset(&mut self, depth: usize) {
        self.levels.resize(depth, Vec::new());
        self.levels.iter_mut().for_each(Vec::clear);
        self.bricks.clear();
        self.cuts.clear();
    }

    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    pub fn root(&self) -> Spot {
        if self.bricks.is_empty() { Spot::Empty } else { Spot::Node(0) }
    }

    /// How many nodes, or bricks, there are so far at a depth.
    pub fn len(&self, depth: usize) -> u32 {
        self.levels.get(depth).map_or(self.bricks.len(), Vec::len) as u32
    }

    /// What is in an octant of a spot at a depth above the bricks.
    pub fn child(&self, depth: usize, spot: Spot, octant: u32) -> Spot {
        match spot {
            Spot::Node(index) => self.levels[depth][index as usize].child(octant),
            other => other,
        }
    }

    /// Whether all that is at a spot is known to hang together.
    pub fn is_whole(&self, depth: usize, spot: Spot) -> bool {
        match spot {
            Spot::Node(index) if depth == self.depth() => !self.bricks[index as usize].is_parted(),
            Spot::Node(index) => self.levels[depth][index as usize].whole,
            _ => true,
        }
    }

    /// The runs that the subtree of a node takes, from its own level down to the bricks.
    pub fn runs(&self, depth: usize, index: u32) -> impl Iterator<Item = std::ops::Range<u32>> + '_ {
        let mut run = index..index + 1;
        (depth..=self.depth()).map(move |depth| {
            let here = run.clone();
            if let Some(level) = self.levels.get(depth) {
                let (first, last) = (level[run.start as usize], level[run.end as usize - 1]);
                run = first.first..last.first + last.children.count_ones();
            }
            here
        })
    }

    /// Adds a copy of a subtree of another tree at the same depth. Bricks look where they did.
    pub fn copy(&mut self, from: &Trunk, depth: usize, index: u32) {
        let runs: [_; 11] = {
            let mut runs = from.runs(depth, index);
            std::array::from_fn(|_| runs.next().unwrap_or_default())
        };
        for (below, run) in runs.iter().enumerate().take(self.depth() - depth) {
            let next = &runs[below + 1];
            let shift = self.len(depth + below + 1).wrapping_sub(next.start);
            let nodes = &from.levels[depth + below][run.start as usize..run.end as usize];
            let moved = nodes.iter().map(|node| Node { first: node.first.wrapping_add(shift), ..*node });
            self.levels[depth + below].extend(moved);
        }
        let bricks = &runs[self.depth() - depth];
        self.bricks.extend_from_slice(&from.bricks[bricks.start as usize..bricks.end as usize]);
    }

    /// Builds the levels above bricks that are in order, all at once, from the bricks up. `is_internal` is asked for every empty place of a node
    /// by its depth and code.
    pub fn grow(&mut self, is_internal: impl Fn(usize, u32) -> bool) {
        let mut codes: Vec<u32> = self.bricks.iter().map(Brick::code).collect();
        for depth in (0..self.depth()).rev() {
            let mut parents: Vec<u32> = Vec::new();
            let mut nodes: Vec<Node> = Vec::new();
            for (index, code) in (0..).zip(&codes) {
                if parents.last() != Some(&(code >> 3)) {
                    parents.push(code >> 3);
                    nodes.push(Node { first: index, ..Node::default() });
                }
                if let Some(node) = nodes.last_mut() {
                    node.children |= 1 << (code & 7);
                }
            }
            for (node, parent) in nodes.iter_mut().zip(&parents) {
                let empty = (0..8).filter(|octant| node.children >> octant & 1 == 0);
                node.internal = empty
                    .filter(|&octant| is_internal(depth + 1, parent << 3 | octant))
                    .map(|o| 1 << o)
                    .sum();
            }
            self.levels[depth] = nodes;
            codes = parents;
        }
    }

    /// Bytes of nodes and bricks.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| size_of_val(&**level)).sum::<usize>() + size_of_val(&*self.bricks)
    }

    /// Calls `full` for every place that is wholly internal, by its depth and code, in Morton order.
    pub fn each_full(&self, mut full: impl FnMut(usize, u32)) {
        if self.depth() > 0 && !self.bricks.is_empty() {
            self.full_below(0, 0, 0, &mut full);
        }
    }

    fn full_below(&self, depth: usize, index: u32, code: u32, full: &mut impl FnMut(usize, u32)) {
        let node = self.levels[depth][index as usize];
        for octant in 0..8 {
            match node.child(octant) {
                Spot::Full => full(depth + 1, code << 3 | octant),
                Spot::Node(child) if depth + 1 < self.depth() => {
                    self.full_below(depth + 1, child, code << 3 | octant, full);
                }
                _ => {}
            }
        }
    }

    /// What is at a code of a depth, and the depth at which it was found: a place within what is full or empty is that.
    pub fn find(&self, depth: usize, code: u32) -> Spot {
        let mut spot = self.root();
        for above in 0..depth.min(self.depth()) {
            spot = self.child(above, spot, code >> (3 * (depth - above - 1)) & 7);
        }
        spot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Look;

    fn some_tree() -> Trunk {
        let mut trunk = Trunk::new(3);
        let codes = [0, 1, 9, 63, 64, 65, 300, 511];
        trunk.bricks = codes.map(|code| Brick::new(code, 1, 0, Look::default())).to_vec();
        trunk.grow(|depth, code| depth == 3 && code == 2);
        trunk
    }

    #[test]
    fn a_subtree_is_a_run_of_each_level() {
        let trunk = some_tree();
        assert_eq!(trunk.runs(0, 0).map(|run| run.len()).collect::<Vec<_>>(), [1, 4, 6, 8][..]);
        assert_eq!(trunk.find(3, 2), Spot::Full);
        assert_eq!(trunk.find(3, 3), Spot::Empty);
        assert_eq!(trunk.find(3, 9), Spot::Node(2));
        let mut full = Vec::new();
        trunk.each_full(|depth, code| full.push((depth, code)));
        assert_eq!(full, [(3, 2)]);
    }

    #[test]
    fn a_copied_subtree_is_the_same() {
        let trunk = some_tree();
        let mut copy = Trunk::new(3);
        copy.levels[1].push(Node::default());
        copy.copy(&trunk, 1, 1);
        assert_eq!(copy.bricks, trunk.bricks[4..6]);
        let node = copy.levels[1][1];
        assert_eq!((node.first, node.children), (0, trunk.levels[1][1].children));
        let mut again = Trunk::new(3);
        again.copy(&trunk, 0, 0);
        assert_eq!(again, trunk);
    }
}
