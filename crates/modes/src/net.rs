//! What the solvers see of a graph: masses, edges and weights, on any level of coarseness.

use crate::partition::Partition;

/// Masses joined by edges. No two edges join the same pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Net {
    pub masses: Vec<f64>,
    pub edges: Vec<[u32; 2]>,
    /// What it costs to open an edge by one.
    pub weights: Vec<f64>,
    /// How stiff an edge is: weight over distance.
    pub stiffness: Vec<f64>,
    first: Vec<u32>,
    arcs: Vec<Arc>,
}

/// An edge, seen from one of its ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arc {
    pub to: u32,
    pub edge: u32,
}

impl Net {
    pub fn new(masses: Vec<f64>, edges: Vec<[u32; 2]>, weights: Vec<f64>, stiffness: Vec<f64>) -> Net {
        let mut first = vec![0; masses.len() + 1];
        for cell in edges.iter().flatten() {
            first[*cell as usize + 1] += 1;
        }
        for cell in 0..masses.len() {
            first[cell + 1] += first[cell];
        }
        let (mut next, mut arcs) = (first.clone(), vec![Arc::default(); edges.len() * 2]);
        for (edge, &[a, b]) in (0..).zip(&edges) {
            for (from, to) in [(a, b), (b, a)] {
                arcs[next[from as usize] as usize] = Arc { to, edge };
                next[from as usize] += 1;
            }
        }
        Net { masses, edges, weights, stiffness, first, arcs }
    }

    /// The same with the edges of each cell listed.
    pub fn linked(self) -> Net {
        Net::new(self.masses, self.edges, self.weights, self.stiffness)
    }

    pub fn len(&self) -> usize {
        self.masses.len()
    }

    /// The edges of a cell.
    pub fn arcs(&self, cell: usize) -> &[Arc] {
        &self.arcs[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    /// Lets all cells with one number become one. Edges between the same two are added, in the order of cells.
    pub fn aggregate(&self, groups: &Partition) -> Net {
        let members = Members::new(groups);
        let masses = groups.sums(&self.masses);
        let (mut edges, mut weights, mut stiffness) = (Vec::new(), Vec::new(), Vec::new());
        // Where the edge from this group to each other one is, if it was made for this group.
        let mut slots = vec![u32::MAX; groups.count()];
        for group in 0..groups.count() {
            let start = edges.len();
            for &cell in members.of(group) {
                for arc in self.arcs(cell as usize) {
                    let other = groups.of(arc.to as usize);
                    if other <= group {
                        continue;
                    }
                    let slot = slots[other] as usize;
                    let slot = if slot >= start && slot < edges.len() {
                        slot
                    } else {
                        slots[other] = edges.len() as u32;
                        edges.push([group as u32, other as u32]);
                        weights.push(0.0);
                        stiffness.push(0.0);
                        edges.len() - 1
                    };
                    weights[slot] += self.weights[arc.edge as usize];
                    stiffness[slot] += self.stiffness[arc.edge as usize];
                }
            }
        }
        Net::new(masses, edges, weights, stiffness)
    }

    /// The sum of weights times jumps: the energy of values.
    pub fn energy(&self, values: &[f64]) -> f64 {
        let jump = |edge: &[u32; 2]| (values[edge[0] as usize] - values[edge[1] as usize]).abs();
        self.edges.iter().zip(&self.weights).map(|(edge, weight)| weight * jump(edge)).sum()
    }

    /// The product of two vectors, weighed by mass.
    pub fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        self.masses.iter().zip(a).zip(b).map(|((mass, a), b)| mass * a * b).sum()
    }
}

/// The cells of each group, in order.
struct Members {
    first: Vec<u32>,
    cells: Vec<u32>,
}

impl Members {
    fn new(groups: &Partition) -> Members {
        let mut first = vec![0; groups.count() + 1];
        for &group in groups.of_cells() {
            first[group as usize + 1] += 1;
        }
        for group in 0..groups.count() {
            first[group + 1] += first[group];
        }
        let (mut next, mut cells) = (first.clone(), vec![0; groups.of_cells().len()]);
        for (cell, &group) in (0..).zip(groups.of_cells()) {
            cells[next[group as usize] as usize] = cell;
            next[group as usize] += 1;
        }
        Members { first, cells }
    }

    fn of(&self, group: usize) -> &[u32] {
        &self.cells[self.first[group] as usize..self.first[group + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_edges_add_up() {
        let edges = vec![[0, 1], [1, 2], [2, 3], [3, 0]];
        let square = Net::new(vec![1.0, 2.0, 3.0, 4.0], edges, vec![1.0, 2.0, 4.0, 8.0], vec![1.0; 4]);
        let halves = square.aggregate(&Partition::numbered([0, 0, 1, 1].into_iter()));
        assert_eq!((halves.masses.as_slice(), halves.edges.as_slice()), (&[3.0, 7.0][..], &[[0, 1]][..]));
        assert_eq!((halves.weights.as_slice(), halves.stiffness.as_slice()), (&[10.0][..], &[2.0][..]));
    }
}
