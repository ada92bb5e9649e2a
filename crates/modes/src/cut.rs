//! The set of cells that gains most when it moves: minimise cut(S) − gain(S).
//!
//! A minimum cut by push-relabel, highest label first (Goldberg and Tarjan 1988; Cherkassky and Goldberg 1997), with global relabelling and
//! the gap heuristic. Weights become integers first, so that flow is neither lost nor made, and the work ends. Only the first phase
//! runs: it gives the cut, and flow that cannot reach the sink need not go back.

use rayon::prelude::*;

use crate::partition::Partition;

/// Whether each cell is in the largest best set: what gains nothing and costs nothing is in it too.
///
/// What hangs together is solved on its own, each part on whatever thread: there is no flow between parts.
pub(crate) fn best_set(edges: &[[u32; 2]], weights: &[f64], gains: &[f64]) -> Vec<bool> {
    let total = weights.iter().sum::<f64>() + gains.iter().map(|gain| gain.abs()).sum::<f64>();
    let scale = if total > 0.0 { WHOLE / total } else { 0.0 };
    let parts = Partition::connected(gains.len(), edges, |_, _| true);
    let mut problems = vec![Problem::default(); parts.count()];
    let names: Vec<u32> = (gains.iter().enumerate())
        .map(|(cell, gain)| {
            let gains = &mut problems[parts.of(cell)].gains;
            gains.push((gain * scale) as i64);
            gains.len() as u32 - 1
        })
        .collect();
    for (edge, weight) in edges.iter().zip(weights) {
        let problem = &mut problems[parts.of(edge[0] as usize)];
        problem.edges.push(edge.map(|cell| names[cell as usize]));
        problem.rooms.push((weight * scale) as i64);
    }
    let sets: Vec<Vec<bool>> = problems.par_iter().map(Problem::solve).collect();
    names.iter().enumerate().map(|(cell, &name)| sets[parts.of(cell)][name as usize]).collect()
}

/// A part, in whole numbers.
#[derive(Clone, Debug, Default)]
struct Problem {
    edges: Vec<[u32; 2]>,
    rooms: Vec<i64>,
    gains: Vec<i64>,
}

impl Problem {
    fn solve(&self) -> Vec<bool> {
        let mut flow = Flow::new(self);
        flow.run();
        flow.labels.iter().map(|&label| label >= flow.unreached).collect()
    }
}

/// All weights and gains together are at most this, so that no sum overflows.
const WHOLE: f64 = (1_u64 << 40) as f64;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Default)]
struct Arc {
    to: u32,
    back: u32,
    room: i64,
}

struct Flow {
    first: Vec<u32>,
    arcs: Vec<Arc>,
    excess: Vec<i64>,
    sinks: Vec<i64>,
    labels: Vec<u32>,
    /// The label of cells from which the sink cannot be reached.
    unreached: u32,
    current: Vec<u32>,
    /// How many cells have each label.
    population: Vec<u32>,
    active: Buckets,
    queue: Vec<u32>,
    relabels: usize,
}

/// Cells with excess, by label: stacks threaded through one list.
struct Buckets {
    heads: Vec<u32>,
    next: Vec<u32>,
    highest: usize,
}

impl Buckets {
    fn push(&mut self, cell: usize, label: u32) {
        self.next[cell] = self.heads[label as usize];
        self.heads[label as usize] = cell as u32;
        self.highest = self.highest.max(label as usize);
    }

    fn pop(&mut self) -> Option<(usize, u32)> {
        while self.heads[self.highest] == NONE {
            if self.highest == 0 {
                return None;
            }
            self.highest -= 1;
        }
        let cell = self.heads[self.highest];
        self.heads[self.highest] = self.next[cell as usize];
        Some((cell as usize, self.highest as u32))
    }
}

impl Flow {
    fn new(Problem { edges, rooms, gains }: &Problem) -> Flow {
        let cells = gains.len();
        let mut first = vec![0_u32; cells + 1];
        edges.iter().flatten().for_each(|&cell| first[cell as usize + 1] += 1);
        for cell in 0..cells {
            first[cell + 1] += first[cell];
        }
        let (mut next, mut arcs) = (first.clone(), vec![Arc::default(); edges.len() * 2]);
        for (&[a, b], &room) in edges.iter().zip(rooms) {
            let (here, there) = (next[a as usize], next[b as usize]);
            arcs[here as usize] = Arc { to: b, back: there, room };
            arcs[there as usize] = Arc { to: a, back: here, room };
            next[a as usize] += 1;
            next[b as usize] += 1;
        }
        Flow {
            current: first[..cells].to_vec(),
            first,
            arcs,
            excess: gains.iter().map(|&gain| gain.max(0)).collect(),
            sinks: gains.iter().map(|&gain| (-gain).max(0)).collect(),
            labels: vec![0; cells],
            unreached: cells as u32 + 1,
            population: vec![0; cells + 2],
            active: Buckets { heads: vec![NONE; cells + 2], next: vec![NONE; cells], highest: 0 },
            queue: Vec::with_capacity(cells),
            relabels: 0,
        }
    }

    fn run(&mut self) {
        self.measure();
        while let Some((cell, label)) = self.active.pop() {
            // A gap may have lifted it since it was pushed.
            if self.labels[cell] == label {
                self.discharge(cell);
            }
            if self.relabels > self.labels.len().max(64) {
                self.measure();
            }
        }
        self.measure();
    }

    /// Labels become true distances to the sink, and buckets are filled anew.
    fn measure(&mut self) {
        self.relabels = 0;
        self.labels.fill(self.unreached);
        self.queue.clear();
        for (cell, _) in self.sinks.iter().enumerate().filter(|(_, sink)| **sink > 0) {
            self.labels[cell] = 1;
            self.queue.push(cell as u32);
        }
        let mut at = 0;
        while let Some(&cell) = self.queue.get(at) {
            at += 1;
            let label = self.labels[cell as usize] + 1;
            for arc in &self.arcs[self.first[cell as usize] as usize..self.first[cell as usize + 1] as usize]
            {
                if self.labels[arc.to as usize] == self.unreached && self.arcs[arc.back as usize].room > 0 {
                    self.labels[arc.to as usize] = label;
                    self.queue.push(arc.to);
                }
            }
        }
        self.population.fill(0);
        self.active.heads.fill(NONE);
        self.active.highest = 0;
        for cell in 0..self.labels.len() {
            self.population[self.labels[cell] as usize] += 1;
            self.current[cell] = self.first[cell];
            if self.excess[cell] > 0 && self.labels[cell] < self.unreached {
                self.active.push(cell, self.labels[cell]);
            }
        }
    }

    /// Pushes all excess of a cell on, lifting it as needed.
    fn discharge(&mut self, cell: usize) {
        while self.labels[cell] < self.unreached {
            if self.labels[cell] == 1 {
                let drained = self.excess[cell].min(self.sinks[cell]);
                self.sinks[cell] -= drained;
                self.excess[cell] -= drained;
            }
            self.push(cell);
            if self.excess[cell] == 0 {
                return;
            }
            self.lift(cell);
        }
    }

    fn push(&mut self, cell: usize) {
        let (label, end) = (self.labels[cell], self.first[cell + 1]);
        let mut excess = self.excess[cell];
        let mut at = self.current[cell];
        while excess > 0 && at < end {
            let Arc { to, back, room } = self.arcs[at as usize];
            let other = to as usize;
            if room > 0 && self.labels[other] + 1 == label {
                let amount = excess.min(room);
                self.arcs[at as usize].room -= amount;
                self.arcs[back as usize].room += amount;
                if self.excess[other] == 0 {
                    self.active.push(other, self.labels[other]);
                }
                self.excess[other] += amount;
                excess -= amount;
            }
            if excess > 0 {
                at += 1;
            }
        }
        self.excess[cell] = excess;
        self.current[cell] = at;
    }

    fn lift(&mut self, cell: usize) {
        self.relabels += 1;
        let arcs = &self.arcs[self.first[cell] as usize..self.first[cell + 1] as usize];
        let reach = arcs.iter().filter(|arc| arc.room > 0).map(|arc| self.labels[arc.to as usize] + 1).min();
        let lowest = if self.sinks[cell] > 0 { 1 } else { reach.unwrap_or(self.unreached) };
        let old = self.labels[cell];
        self.population[old as usize] -= 1;
        let label = if self.population[old as usize] == 0 {
            // Nobody is left at this distance: whatever is farther cannot reach the sink.
            self.strand(old);
            self.unreached
        } else {
            lowest.min(self.unreached)
        };
        self.labels[cell] = label;
        self.population[label as usize] += 1;
        self.current[cell] = self.first[cell];
    }

    fn strand(&mut self, beyond: u32) {
        for label in &mut self.labels {
            if *label > beyond && *label < self.unreached {
                self.population[*label as usize] -= 1;
                *label = self.unreached;
                self.population[self.unreached as usize] += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn cost(edges: &[[u32; 2]], weights: &[f64], gains: &[f64], is_in: impl Fn(usize) -> bool) -> f64 {
        let cut = edges.iter().zip(weights).filter(|(e, _)| is_in(e[0] as usize) != is_in(e[1] as usize));
        let gain = gains.iter().enumerate().filter(|(cell, _)| is_in(*cell));
        cut.map(|(_, weight)| weight).sum::<f64>() - gain.map(|(_, gain)| gain).sum::<f64>()
    }

    #[test]
    fn no_set_of_five_hundred_small_graphs_is_better() {
        let mut random = Pcg64::seed_from_u64(1);
        for round in 0..500 {
            let cells = random.random_range(1..=11_usize);
            let pairs: Vec<[u32; 2]> = (0..cells as u32).flat_map(|a| (0..a).map(move |b| [a, b])).collect();
            let edges: Vec<_> = pairs.into_iter().filter(|_| random.random_bool(0.5)).collect();
            // Whole numbers in one half of the rounds: many ties.
            let number = |x: f64| if round % 2 == 0 { x.round() } else { x };
            let weights: Vec<f64> = edges.iter().map(|_| number(random.random_range(0.0..4.0))).collect();
            let gains: Vec<f64> = (0..cells).map(|_| number(random.random_range(-5.0..5.0))).collect();
            let set = best_set(&edges, &weights, &gains);
            let found = cost(&edges, &weights, &gains, |cell| set[cell]);
            let all = 0..1_u32 << cells;
            let best = all
                .map(|bits| cost(&edges, &weights, &gains, |cell| bits >> cell & 1 == 1))
                .fold(f64::INFINITY, f64::min);
            assert!((found - best).abs() < 1e-12, "round {round}: {found} instead of {best}");
        }
    }

    #[test]
    fn ties_go_to_the_larger_set() {
        assert!(best_set(&[], &[], &[]).is_empty());
        assert_eq!(best_set(&[[0, 1]], &[1.0], &[0.0, 0.0]), [true, true]);
        assert_eq!(best_set(&[[0, 1]], &[1.0], &[2.0, -2.0]), [true, false]);
        assert_eq!(best_set(&[[0, 1]], &[1.0], &[0.5, -1.0]), [false, false]);
        assert_eq!(best_set(&[], &[], &[1.0, -1.0]), [true, false]);
    }
}
