//! Disjoint sets of indices.

/// Disjoint sets; the root of a set is always its least member, so that the answer does not depend on
/// the order of the joins.
#[derive(Clone, Debug, Default)]
pub struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// `len` sets of one member each.
    pub fn new(len: usize) -> UnionFind {
        UnionFind { parent: (0..len as u32).collect() }
    }

    /// Starts anew with `len` sets, keeping the memory.
    pub fn reset(&mut self, len: usize) {
        self.parent.clear();
        self.parent.extend(0..len as u32);
    }

    /// The least member of the set that `index` is in.
    #[inline]
    pub fn root(&mut self, mut index: u32) -> u32 {
        while self.parent[index as usize] != index {
            let grandparent = self.parent[self.parent[index as usize] as usize];
            self.parent[index as usize] = grandparent;
            index = grandparent;
        }
        index
    }

    /// Makes the sets of `a` and `b` one.
    #[inline]
    pub fn join(&mut self, a: u32, b: u32) {
        if self.parent[a as usize] != self.parent[b as usize] {
            let root = self.root(a);
            self.join_root(root, b);
        }
    }

    /// Makes the set of `root` and that of `member` one. Returns the root of both.
    #[inline]
    pub fn join_root(&mut self, root: u32, member: u32) -> u32 {
        if self.parent[member as usize] == root {
            return root;
        }
        let other = self.root(member);
        let (low, high) = (root.min(other), root.max(other));
        self.parent[high as usize] = low;
        low
    }
}
