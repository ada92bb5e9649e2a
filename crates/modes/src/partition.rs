//! Which cells belong together.

/// A number for each cell: cells with the same number belong together. Numbers run from zero in the order of their first cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    of_cell: Vec<u32>,
    count: usize,
}

impl Partition {
    /// The number of each cell.
    pub fn of_cells(&self) -> &[u32] {
        &self.of_cell
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of a cell.
    pub(crate) fn of(&self, cell: usize) -> usize {
        self.of_cell[cell] as usize
    }

    /// All cells in one.
    pub(crate) fn whole(cells: usize) -> Partition {
        Partition { of_cell: vec![0; cells], count: 1 }
    }

    /// What hangs together over the edges that `joins` says yes to.
    pub(crate) fn connected(
        cells: usize,
        edges: &[[u32; 2]],
        joins: impl Fn(usize, [usize; 2]) -> bool,
    ) -> Partition {
        let mut forest = Forest::new(cells);
        for (index, edge) in edges.iter().enumerate() {
            if joins(index, edge.map(|cell| cell as usize)) {
                forest.join(edge[0], edge[1]);
            }
        }
        forest.partition()
    }

    /// What hangs together over edges whose cells have the same numbers, here and in `other`.
    pub(crate) fn refined(&self, edges: &[[u32; 2]], other: &Partition) -> Partition {
        Partition::connected(self.of_cell.len(), edges, |_, [a, b]| {
            self.of_cell[a] == self.of_cell[b] && other.of_cell[a] == other.of_cell[b]
        })
    }

    /// Cells that have the numbers of `self`'s parts in `parts`.
    pub(crate) fn through(&self, parts: &Partition) -> Partition {
        Partition::numbered(self.of_cell.iter().map(|&part| parts.of_cell[part as usize]))
    }

    /// Renumbers any labels in the order in which they come.
    pub(crate) fn numbered(labels: impl Iterator<Item = u32> + Clone) -> Partition {
        let most = labels.clone().max().map_or(0, |label| label as usize + 1);
        let (mut names, mut count) = (vec![u32::MAX; most], 0);
        let of_cell = labels
            .map(|label| {
                let name = &mut names[label as usize];
                if *name == u32::MAX {
                    *name = count;
                    count += 1;
                }
                *name
            })
            .collect();
        Partition { of_cell, count: count as usize }
    }

    /// Takes labels that are numbered as they should be.
    pub(crate) fn from_numbered(of_cell: Vec<u32>, count: usize) -> Partition {
        Partition { of_cell, count }
    }

    /// For each number, one cell that has it.
    pub(crate) fn first_cells(&self) -> Vec<usize> {
        let mut first = vec![usize::MAX; self.count];
        for (cell, &number) in self.of_cell.iter().enumerate().rev() {
            first[number as usize] = cell;
        }
        first
    }

    /// Sums a quantity of cells.
    pub(crate) fn sums(&self, of_cells: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        for (&number, value) in self.of_cell.iter().zip(of_cells) {
            sums[number as usize] += value;
        }
        sums
    }
}

/// Union-find. The lowest member speaks for a set, so that names do not depend on the order of joins.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    parents: Vec<u32>,
}

impl Forest {
    pub fn new(members: usize) -> Forest {
        Forest { parents: (0..members as u32).collect() }
    }

    pub fn root(&mut self, mut member: u32) -> u32 {
        while self.parents[member as usize] != member {
            let above = self.parents[self.parents[member as usize] as usize];
            self.parents[member as usize] = above;
            member = above;
        }
        member
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    pub fn partition(mut self) -> Partition {
        let (mut of_cell, mut count) = (vec![0; self.parents.len()], 0);
        for member in 0..self.parents.len() as u32 {
            let root = self.root(member);
            of_cell[member as usize] = if root == member {
                count += 1;
                count - 1
            } else {
                of_cell[root as usize]
            };
        }
        Partition { of_cell, count: count as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_in_the_order_of_cells() {
        let edges = [[4, 2], [0, 3]];
        let parts = Partition::connected(5, &edges, |_, _| true);
        assert_eq!((parts.of_cells(), parts.count()), (&[0, 1, 2, 0, 2][..], 3));
        assert_eq!(parts.first_cells(), [0, 1, 2]);
        assert_eq!(Partition::numbered([7, 7, 2, 9, 2].into_iter()).of_cells(), [0, 0, 1, 2, 1]);
    }

    #[test]
    fn a_refinement_is_connected() {
        // Cells 0 and 2 agree in both partitions but do not touch.
        let edges = [[0, 1], [1, 2]];
        let whole = Partition::connected(3, &edges, |_, _| true);
        let middle = Partition::numbered([0, 1, 0].into_iter());
        assert_eq!(whole.refined(&edges, &middle).count(), 3);
    }
}
