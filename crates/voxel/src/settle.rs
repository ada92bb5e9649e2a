//! Which nodes of a new tree hang together, found once, from the bricks up.

use crate::touch::{SIBLINGS, touch};
use crate::trunk::{Node, Spot, Trunk};

/// A depth that no place has: all the way down to voxels.
pub(crate) const VOXELS: usize = usize::MAX;

/// Marks the nodes of a tree that hang together.
pub(crate) fn settle(trunk: &mut Trunk) {
    for depth in (0..trunk.depth()).rev() {
        for index in 0..trunk.levels[depth].len() {
            let whole = is_whole(trunk, depth, trunk.levels[depth][index]);
            trunk.levels[depth][index].whole = whole;
        }
    }
}

/// Whether a node hangs together, as far as that can be said from its children: each of them must.
pub(crate) fn is_whole(trunk: &Trunk, depth: usize, node: Node) -> bool {
    let spots: [Spot; 8] = std::array::from_fn(|octant| node.child(octant as u32));
    if !spots.iter().all(|&spot| trunk.is_whole(depth + 1, spot)) {
        return false;
    }
    let mut rest = node.children | node.internal;
    // What each octant hangs together with so far.
    let mut sets: [u8; 8] = std::array::from_fn(|octant| 1 << octant & rest);
    for (a, b, by) in SIBLINGS {
        let (p, q) = (sets[a as usize], sets[b as usize]);
        if p == q || p == 0 || q == 0 || !touch(trunk, depth + 1, spots[a as usize], spots[b as usize], by) {
            continue;
        }
        let joined = p | q;
        (0..8).filter(|octant| joined >> octant & 1 == 1).for_each(|octant| sets[octant] = joined);
        if joined == rest {
            return true;
        }
    }
    rest &= rest.wrapping_sub(1);
    rest == 0
}
