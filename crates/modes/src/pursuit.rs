//! Cut pursuit: the mode nearest to a heading, exactly, piece by piece.
//!
//! With pieces fixed, the mode is a small linear programme. Its prices say which set of cells, moved on its own, would lower the
//! energy most: a minimum cut. Pieces are split along it, and the programme is solved again, until no set gains. Then the heading turns to the
//! answer, as in the paper's iteration (Sellán et al. 2022, Algorithm 1; Brandt and Hildebrandt 2017), until it stays.
//! Landrieu and Obozinski 2017 gave the idea its name.

use crate::cut::best_set;
use crate::net::Net;
use crate::partition::Partition;
use crate::programme::Programme;

/// Pieces that move alike to this part of the largest motion are one.
pub(crate) const ALIKE: f64 = 1e-5;
/// Energies that fall by less than this part may go in circles.
const FALLS: f64 = 1e-7;
/// More pieces than this are not tried: a dense programme of them takes minutes. Only stars and the like have so many.
const MOST_PIECES: usize = 2000;
/// A programme that ends with a larger error has no answer.
const USABLE: f64 = 1e-5;

/// What is already taken: the modes so far, and the pieces on which all of them are constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken<'a> {
    pub pieces: &'a Partition,
    /// For each mode, its value on each piece. The constant comes first.
    pub values: &'a [Vec<f64>],
}

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effort {
    pub turns: usize,
    pub cuts: usize,
    pub iterations: usize,
    pub most_pieces: usize,
}

/// A mode: pieces and how each moves.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub pieces: Partition,
    pub values: Vec<f64>,
}

impl Found {
    /// The motion of each cell.
    pub fn spread(&self) -> Vec<f64> {
        self.pieces.of_cells().iter().map(|&piece| self.values[piece as usize]).collect()
    }
}

/// When to be content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pains {
    /// A cut must gain so much of the energy to be worth a split.
    pub gain: f64,
    /// A heading that turns by less than this part of its largest entry stays.
    pub turn: f64,
    /// An island of it must gain so much, or it stays: chips would be no end of pieces.
    pub least: f64,
    /// Cuts a turn at most.
    pub cuts: usize,
    /// Turns at most.
    pub turns: usize,
}

impl Pains {
    /// Until nothing gains.
    pub const EXACT: Pains = Pains { gain: 1e-5, turn: 1e-5, least: 0.0, cuts: 40, turns: 30 };
    /// On a coarse net: what is lost is less than what coarseness costs.
    pub const COARSE: Pains = Pains { gain: 1e-3, turn: 1e-2, least: 3e-4, cuts: 40, turns: 30 };
    /// On a net whose heading comes from a coarser one: it is nearly right.
    pub const FINE: Pains = Pains { gain: 1e-3, turn: 1e-2, least: 3e-4, cuts: 3, turns: 2 };
}

/// The search on one net.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pursuit<'a> {
    pub net: &'a Net,
    pub taken: Taken<'a>,
    /// Cuts may go so many cells away from the borders of pieces; anywhere if there is no limit.
    pub band: Option<u32>,
    pub pains: Pains,
}

/// The answer for one heading.
pub(crate) struct Answer {
    /// Pieces of the programme: within `taken`.
    pub pieces: Partition,
    pub values: Vec<f64>,
    /// The same with pieces that move alike as one.
    pub merged: Found,
}

impl Pursuit<'_> {
    /// Turns the heading until it stays. `None` if numbers do not allow an answer, or there are too many pieces.
    pub fn run(&self, mut heading: Vec<f64>, mut start: Partition, effort: &mut Effort) -> Option<Found> {
        let mut last = None;
        for _ in 0..self.pains.turns {
            effort.turns += 1;
            let answer = self.solve(&heading, start, effort)?;
            let mut motion = answer.merged.spread();
            let length = self.net.dot(&motion, &motion).sqrt();
            motion.iter_mut().for_each(|value| *value /= length);
            let most = motion.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            let turn = motion.iter().zip(&heading).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            start = answer.merged.pieces.refined(&self.net.edges, self.taken.pieces);
            heading = motion;
            last = Some(answer);
            if turn < self.pains.turn * most {
                break;
            }
        }
        last.and_then(|answer| self.settle(answer))
    }

    /// The mode of least energy along a heading, found by splitting.
    pub(crate) fn solve(&self, heading: &[f64], start: Partition, effort: &mut Effort) -> Option<Answer> {
        let (mut pieces, mut least, mut cuts) = (start, f64::INFINITY, 0);
        loop {
            effort.most_pieces = effort.most_pieces.max(pieces.count());
            if pieces.count() > MOST_PIECES {
                return None;
            }
            let (answer, prices) = self.solve_pieces(heading, pieces, effort)?;
            let motion = answer.merged.spread();
            let energy = self.net.energy(&motion);
            let gains = self.gains(heading, &prices, &motion);
            let set = self.cut(&answer, &motion, &gains);
            effort.cuts += 1;
            cuts += 1;
            let (set, gain) = self.worthwhile(&motion, &gains, set, self.pains.least * energy);
            if gain < self.pains.gain * energy || cuts >= self.pains.cuts {
                return Some(answer);
            }
            // Merged pieces only where energies fall: else splits and merges go in circles.
            let base = if energy < least * (1.0 - FALLS) { &answer.merged.pieces } else { &answer.pieces };
            least = least.min(energy);
            let of = |cell: usize| (base.of(cell), set[cell], self.taken.pieces.of(cell));
            pieces = Partition::connected(self.net.len(), &self.net.edges, |_, [a, b]| of(a) == of(b));
        }
    }

    /// The programme on pieces: the answer, and the price of each row.
    fn solve_pieces(
        &self,
        heading: &[f64],
        pieces: Partition,
        effort: &mut Effort,
    ) -> Option<(Answer, Vec<f64>)> {
        let net = self.net;
        let (edges, weights) = borders(net, &pieces);
        let masses = pieces.sums(&net.masses);
        let within: Vec<usize> =
            pieces.first_cells().iter().map(|&cell| self.taken.pieces.of(cell)).collect();
        let row = |values: &Vec<f64>| {
            masses.iter().zip(&within).map(|(mass, &piece)| mass * values[piece]).collect()
        };
        let mut rows: Vec<Vec<f64>> = self.taken.values.iter().map(row).collect();
        let heavy: Vec<f64> = net.masses.iter().zip(heading).map(|(mass, value)| mass * value).collect();
        rows.push(pieces.sums(&heavy));
        let mut targets = vec![0.0; rows.len()];
        *targets.last_mut()? = 1.0;
        let unknowns = pieces.count();
        let solution = Programme { unknowns, edges: &edges, weights: &weights, rows, targets }.solve();
        effort.iterations += solution.iterations;
        if solution.error.is_nan() || solution.error > USABLE {
            return None;
        }
        let merged = merge(&pieces, &edges, &masses, &solution.x, ALIKE);
        Some((Answer { pieces, values: solution.x, merged }, solution.prices))
    }

    /// What each cell would gain by moving up: the rows' prices, less what its open edges cost.
    fn gains(&self, heading: &[f64], prices: &[f64], motion: &[f64]) -> Vec<f64> {
        let (&along, taken) = prices.split_last().unwrap_or((&0.0, &[]));
        let mut of_pieces = vec![0.0; self.taken.pieces.count()];
        for (values, price) in self.taken.values.iter().zip(taken) {
            of_pieces.iter_mut().zip(values).for_each(|(sum, value)| *sum += price * value);
        }
        let cells = self.net.masses.iter().zip(heading).zip(self.taken.pieces.of_cells());
        let mut gains: Vec<f64> =
            cells.map(|((mass, value), &piece)| mass * (along * value + of_pieces[piece as usize])).collect();
        for (edge, weight) in self.net.edges.iter().zip(&self.net.weights) {
            let [a, b] = edge.map(|cell| cell as usize);
            let jump = motion[a] - motion[b];
            if jump != 0.0 {
                gains[a] -= weight * jump.signum();
                gains[b] += weight * jump.signum();
            }
        }
        gains
    }

    /// Of a set the islands that gain at least so much each, and what they gain: their cells' gains, less the closed edges that open.
    fn worthwhile(&self, motion: &[f64], gains: &[f64], mut set: Vec<bool>, least: f64) -> (Vec<bool>, f64) {
        let is_closed = |[a, b]: [usize; 2]| motion[a] == motion[b];
        let joins = |_: usize, [a, b]: [usize; 2]| set[a] && set[b] && is_closed([a, b]);
        let islands = Partition::connected(self.net.len(), &self.net.edges, joins);
        let mut gained = islands.sums(gains);
        for (edge, weight) in self.net.edges.iter().zip(&self.net.weights) {
            let [a, b] = edge.map(|cell| cell as usize);
            if set[a] != set[b] && is_closed([a, b]) {
                gained[islands.of(if set[a] { a } else { b })] -= weight;
            }
        }
        let mut total = 0.0;
        let mut is_counted = vec![false; islands.count()];
        for (cell, is_in) in set.iter_mut().enumerate().filter(|(_, is_in)| **is_in) {
            let island = islands.of(cell);
            *is_in = gained[island] > least;
            if *is_in && !std::mem::replace(&mut is_counted[island], true) {
                total += gained[island];
            }
        }
        (set, total)
    }

    /// The set that gains most. Outside the band, pieces stay whole.
    fn cut(&self, answer: &Answer, motion: &[f64], gains: &[f64]) -> Vec<bool> {
        let names = match self.band {
            None => Partition::from_numbered((0..self.net.len() as u32).collect(), self.net.len()),
            Some(width) => self.band_names(&answer.pieces, width),
        };
        let (mut edges, mut weights) = (Vec::new(), Vec::new());
        for (edge, &weight) in self.net.edges.iter().zip(&self.net.weights) {
            let [a, b] = edge.map(|cell| cell as usize);
            let ends = [names.of_cells()[a], names.of_cells()[b]];
            if motion[a] == motion[b] && ends[0] != ends[1] {
                edges.push(ends);
                weights.push(weight);
            }
        }
        let set = best_set(&edges, &weights, &names.sums(gains));
        names.of_cells().iter().map(|&name| set[name as usize]).collect()
    }

    /// Cells near borders have names of their own; all others have their piece's.
    fn band_names(&self, pieces: &Partition, width: u32) -> Partition {
        const FAR: u32 = u32::MAX;
        let (mut steps, mut near) = (vec![FAR; self.net.len()], Vec::new());
        for edge in &self.net.edges {
            if pieces.of_cells()[edge[0] as usize] != pieces.of_cells()[edge[1] as usize] {
                near.extend(
                    edge.iter().filter(|&&cell| std::mem::replace(&mut steps[cell as usize], 0) == FAR),
                );
            }
        }
        let mut at = 0;
        while let Some(&cell) = near.get(at) {
            at += 1;
            let step = steps[cell as usize] + 1;
            for arc in self.net.arcs(cell as usize).iter().filter(|_| step <= width) {
                if steps[arc.to as usize] == FAR {
                    steps[arc.to as usize] = step;
                    near.push(arc.to);
                }
            }
        }
        let mut names: Vec<u32> = pieces.of_cells().iter().map(|&piece| near.len() as u32 + piece).collect();
        (0..).zip(&near).for_each(|(name, &cell)| names[cell as usize] = name);
        Partition::from_numbered(names, near.len() + pieces.count())
    }
}

/// Edges between pieces, with the weights of all edges of cells there.
pub(crate) fn borders(net: &Net, pieces: &Partition) -> (Vec<[u32; 2]>, Vec<f64>) {
    let mut crossing: Vec<([u32; 2], f64)> = Vec::new();
    for (edge, &weight) in net.edges.iter().zip(&net.weights) {
        let [a, b] = edge.map(|cell| pieces.of_cells()[cell as usize]);
        if a != b {
            crossing.push(([a.min(b), a.max(b)], weight));
        }
    }
    // A stable sort: weights are added in the order of edges.
    crossing.sort_by_key(|(ends, _)| *ends);
    let runs = crossing.chunk_by(|a, b| a.0 == b.0);
    runs.map(|run| (run[0].0, run.iter().map(|(_, weight)| weight).sum::<f64>())).unzip()
}

/// Neighbours that move alike become one, with their mean motion.
pub(crate) fn merge(pieces: &Partition, edges: &[[u32; 2]], masses: &[f64], x: &[f64], alike: f64) -> Found {
    let most = x.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let alike = Partition::connected(x.len(), edges, |_, [a, b]| (x[a] - x[b]).abs() < alike * most);
    let heavy: Vec<f64> = masses.iter().zip(x).map(|(mass, x)| mass * x).collect();
    let values = alike.sums(&heavy).iter().zip(alike.sums(masses)).map(|(sum, mass)| sum / mass).collect();
    Found { pieces: pieces.through(&alike), values }
}
