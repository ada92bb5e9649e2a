//! Which triangles lie together: a tree without places, that holds wherever its triangles are moved as one.

use crate::scene::Triangle;
use crate::split::{Bounds, Item, quarter};

/// Triangles in a leaf, at most.
pub(crate) const LEAF: usize = 4;

/// A branch of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Branch {
    Absent,
    Node(u32),
    Leaf(u32),
}

/// A tree over triangles, four branches a node. A node comes before those below it; the first is the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub nodes: Vec<[Branch; 4]>,
    /// The triangles of each leaf.
    pub leaves: Vec<Quartet>,
}

/// Up to four triangles; those that are absent come last.
pub(crate) type Quartet = [Option<u32>; LEAF];

impl Plan {
    pub fn new(triangles: &[Triangle]) -> Plan {
        let item = |(id, t): (u32, &Triangle)| Item { bounds: Bounds::of_points(t.corners), id };
        let mut items: Vec<Item> = (0..).zip(triangles).map(item).collect();
        let mut plan = Plan::default();
        if !items.is_empty() {
            plan.add_node(&mut items, 0);
        }
        plan
    }

    /// Adds the node over `items`, and all below it.
    fn add_node(&mut self, items: &mut [Item], depth: usize) -> u32 {
        let index = self.nodes.len();
        self.nodes.push([Branch::Absent; 4]);
        let lengths = quarter(items, LEAF, depth);
        let mut rest = items;
        for (slot, length) in lengths.into_iter().enumerate().filter(|&(_, length)| length > 0) {
            let part;
            (part, rest) = rest.split_at_mut(length);
            self.nodes[index][slot] = if length <= LEAF {
                self.add_leaf(part)
            } else {
                Branch::Node(self.add_node(part, depth + 1))
            };
        }
        index as u32
    }

    fn add_leaf(&mut self, items: &[Item]) -> Branch {
        self.leaves.push(std::array::from_fn(|lane| items.get(lane).map(|item| item.id)));
        Branch::Leaf(self.leaves.len() as u32 - 1)
    }
}
