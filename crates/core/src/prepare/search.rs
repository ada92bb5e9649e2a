//! The search for nodes whose pieces hulls fit best.
//!
//! 1. Nodes are spread evenly over samples of the solid, from several starts.
//! 2. All nodes at once go down the slope of the hulls' volume ([`Glide`]), on the samples. The start goes on whose cells fit best in the
//!    solid itself.
//! 3. Nodes that are missed least are taken to where hulls hold most air, where that helps.
//! 4. The same descent in the solid itself, where there is nothing between samples to be mistaken about.
//! 5. Slivers go to the cell next to them, so that there are as many pieces as asked for.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::Solid;

use super::absorb::absorb;
use super::cells::{Cells, Price};
use super::decomposition::{DecomposeError, Decomposition};
use super::glide::Glide;
use super::place::Effort;
use super::relax::{far_apart, relaxed};
use super::samples::Samples;
use super::slopes::hulls_and_slopes;
use crate::draw::Draw;

/// Samples of the solid. With much fewer, a search makes hulls smaller on the lattice that are not in the solid.
const POINTS: usize = 6_000;
const POINTS_INSTANT: usize = 2_500;
/// How often the nodes of a spread are moved to the middle of their cells.
const RELAXATIONS: usize = 15;
const RELAXATIONS_INSTANT: usize = 5;
/// From how many spreads of nodes a search starts, how many steps down the slope it takes from each, how many go on, and how many more steps those
/// take before the best is chosen.
const STARTS: usize = 4;
const STEPS: usize = 5;
const FINALISTS: usize = 3;
const FINAL_STEPS: usize = 4;
/// How many nodes all spreads of an instant search have together, how many steps the nodes of the best of them take together, and how many rounds
/// of relocations: many nodes, which evenly spread fit well, take few.
const NODES_INSTANT: usize = 72;
const NODE_STEPS_INSTANT: usize = 96;
const NODE_ROUNDS_INSTANT: usize = 24;
/// How many more steps the best start takes on the samples before nodes change places.
const MORE_STEPS: usize = 2;
/// How often nodes are tried in another place, in how many places at once, how many nodes are thought of for it, and how many steps all take then.
const RELOCATIONS: usize = 6;
const TOGETHER: usize = 2;
const DONORS: usize = 16;
const RELOCATION_STEPS: usize = 5;
/// After how many of them a relocation may be given up.
const PATIENCE: usize = 2;
/// Relocations end after so many in a row that helped nothing, or after one for so many nodes.
const VAIN: usize = 2;
const NODES_A_VAIN: usize = 12;
/// How many steps are taken in the solid itself, if not so many in a row gained less than this part of the air in the hulls.
const POLISHING_STEPS: usize = 24;
const IDLE_STEPS: usize = 6;
const IDLE_GAIN: f64 = 0.001;
/// The length of the first steps, of the size of an average cell.
const FIRST_STEP: f64 = 0.06;
const FIRST_POLISHING_STEP: f64 = 0.03;
/// How often a node is taken away at most for pieces too many, of how many the one that is missed least, and how many steps the others take then.
const REMOVALS: usize = 3;
const NEIGHBOURS: usize = 6;
const REMOVAL_STEPS: usize = 8;
/// Hulls that fit this much worse after slivers went, of the solid's volume, are worth some more steps.
const SPOILT: f64 = 0.002;
/// What a part too many costs on the samples, of the solid's volume.
const PART_TOO_MANY: f64 = 0.04;
/// What a piece too many costs in the solid itself, of its volume: where starts are compared, over the number of pieces; later, when
/// it may still be absorbed, over the square of that, as what another piece gains falls with it.
const PIECE_TOO_MANY_AT_START: f64 = 1.0;
const PIECE_TOO_MANY: f64 = 0.6;
/// Nobody wants more pieces than this from a goal of concavity.
const MOST_PIECES: usize = 1024;

/// Nodes, how many pieces their cells cut, and how well hulls fit those.
#[derive(Clone, Debug)]
struct Candidate {
    nodes: Vec<DVec3>,
    pieces: usize,
    ratio: f64,
}

impl Candidate {
    fn of(exact: &Decomposition) -> Candidate {
        let pieces = exact.compound().pieces().len();
        Candidate { nodes: exact.nodes().to_vec(), pieces, ratio: exact.hull_ratio() }
    }

    /// What nodes are judged by: a piece too many is worth a fit a little worse.
    fn price(&self, most: usize, piece_too_many: f64) -> f64 {
        self.ratio + piece_too_many * self.pieces.saturating_sub(most) as f64
    }
}

pub(super) struct Search<'a> {
    solid: &'a Solid,
    /// A copy to cut, made when it is asked for: an instant search cuts nothing.
    shared: OnceLock<Arc<Solid>>,
    samples: Samples,
    effort: Effort,
    seed: u64,
}

impl Search<'_> {
    pub fn new(solid: &Solid, effort: Effort, seed: u64) -> Search<'_> {
        let points = if effort == Effort::Full { POINTS } else { POINTS_INSTANT };
        Search { solid, shared: OnceLock::new(), samples: Samples::new(solid, points), effort, seed }
    }

    /// Cuts the solid itself.
    fn sketch(&self, nodes: Vec<DVec3>) -> Result<Decomposition, DecomposeError> {
        Decomposition::sketch(self.shared.get_or_init(|| Arc::new(self.solid.clone())), nodes)
    }

    /// The best nodes found for so many pieces.
    pub fn of_pieces(&self, count: usize, tell: &mut (impl FnMut(f64) + Send)) -> Vec<DVec3> {
        // What is too thin for the lattice stays in one piece.
        if self.samples.points.is_empty() {
            return vec![self.solid.mass().center];
        }
        let price = self.price(count);
        if self.effort == Effort::Instant {
            return self.preview(count, &price).map_or_else(Vec::new, |cells| cells.nodes().to_vec());
        }
        let Some(start) = self.start(count, &price, |done| tell(0.3 * done)) else { return Vec::new() };
        let start = self.glided(start, &price, MORE_STEPS);
        let cells = self.relocated(start, &price, RELOCATIONS, |done| tell(0.3 + 0.2 * done));
        let (nodes, loose) = (cells.nodes().to_vec(), piece_too_many(count));
        let found = self.polished(nodes, count, loose, POLISHING_STEPS, |done| tell(0.5 + 0.4 * done));
        let found = self.without_slivers(found, count);
        tell(1.0);
        found.nodes
    }

    /// Doubles the pieces until they fit, then closes in on the least number that does.
    pub fn of_concavity(&self, most: f64, tell: &mut (impl FnMut(f64) + Send)) -> Vec<DVec3> {
        let of_pieces = |count: usize| self.candidate(self.of_pieces(count, &mut |_| ()));
        let fits = |c: &Candidate| c.ratio <= 1.0 + most;
        let (mut low, mut high) = (0, 1);
        let mut best = of_pieces(high);
        while !fits(&best) && high < MOST_PIECES {
            (low, high) = (high, high * 2);
            best = of_pieces(high);
        }
        let rounds = f64::from(usize::BITS - (high - low).leading_zeros());
        let mut done = 0.0;
        while high - low > 1 {
            let middle = (low + high) / 2;
            let next = of_pieces(middle);
            if fits(&next) {
                (high, best) = (middle, next);
            } else {
                low = middle;
            }
            done += 1.0;
            tell(done / rounds);
        }
        best.nodes
    }

    fn price(&self, parts: usize) -> Price {
        Price { parts, part_too_many: PART_TOO_MANY * self.samples.volume }
    }

    /// Measures nodes in the solid itself. Nodes inside a solid always cut something.
    fn candidate(&self, nodes: Vec<DVec3>) -> Candidate {
        match self.sketch(nodes.clone()) {
            Ok(exact) => Candidate::of(&exact),
            Err(_) => Candidate { nodes, pieces: usize::MAX, ratio: f64::INFINITY },
        }
    }

    /// The best of some spreads, after some steps down the slope and some nodes taken elsewhere.
    fn preview(&self, count: usize, price: &Price) -> Option<Cells<'_>> {
        let spreads = (NODES_INSTANT / count).max(1);
        let spread = (0..spreads).into_par_iter().map(|start| {
            let cells = self.spread(count, start, spreads, RELAXATIONS_INSTANT);
            (price.of(&cells.total()), cells)
        });
        let cells = self.glided(cheapest_of(spread.collect())?.1, price, NODE_STEPS_INSTANT / count);
        Some(self.relocated(cells, price, NODE_ROUNDS_INSTANT / count, |_| ()))
    }

    /// That of some spreads which after some steps down the slope is best: on the samples first, then in the solid itself.
    fn start(&self, count: usize, price: &Price, mut tell: impl FnMut(f64)) -> Option<Cells<'_>> {
        let spread = (0..STARTS).into_par_iter().map(|start| {
            let cells = self.glided(self.spread(count, start, STARTS, RELAXATIONS), price, STEPS);
            (price.of(&cells.total()), cells)
        });
        let mut spread: Vec<(f64, Cells)> = spread.collect();
        spread.sort_by(|x, y| x.0.total_cmp(&y.0));
        spread.truncate(FINALISTS);
        tell(0.6);
        let glided = spread.into_par_iter().map(|(_, cells)| {
            let cells = self.glided(cells, price, FINAL_STEPS);
            let piece_too_many = PIECE_TOO_MANY_AT_START / count as f64;
            (self.candidate(cells.nodes().to_vec()).price(count, piece_too_many), cells)
        });
        let cheapest = cheapest_of(glided.collect());
        tell(1.0);
        cheapest.map(|(_, cells)| cells)
    }

    /// Evenly spread nodes: fewer than pieces are wanted, if their cells hold several parts.
    fn spread(&self, count: usize, start: usize, starts: usize, relaxations: usize) -> Cells<'_> {
        let first = self.samples.points.len() * start / starts + self.seed as usize % 1000;
        let mut nodes = far_apart(&self.samples.points, count, first);
        loop {
            let spread = relaxed(&self.samples.points, nodes.clone(), relaxations);
            let cells = Cells::unmeasured(&self.samples, spread);
            let surplus = cells.parts().saturating_sub(count);
            if surplus == 0 || nodes.len() <= 1 {
                return cells.measured();
            }
            nodes.truncate(nodes.len() - surplus.div_ceil(2).min(nodes.len() - 1));
        }
    }

    /// The size of an average cell.
    fn size(&self, nodes: usize) -> f64 {
        (self.samples.volume / nodes.max(1) as f64).cbrt()
    }

    /// Cells on the samples, after some steps down the slope.
    fn glided<'a>(&self, cells: Cells<'a>, price: &Price, steps: usize) -> Cells<'a> {
        self.glided_to(f64::INFINITY, cells, price, steps)
    }

    /// The same, but gives up when steps as good as those so far would not lead to a goal.
    fn glided_to<'a>(&self, goal: f64, mut best: Cells<'a>, price: &Price, steps: usize) -> Cells<'a> {
        let mut glide = Glide::new(best.nodes().len(), self.size(best.nodes().len()), FIRST_STEP);
        let mut next =
            |cells: &Cells, total: f64| glide.next(cells.nodes(), cells.costs(price), total, cells.slopes());
        let first = price.of(&best.total());
        let mut least = first;
        let mut nodes = next(&best, least);
        let mut tried = best.clone();
        for step in 1..=steps {
            tried.move_all(nodes);
            let total = price.of(&tried.total());
            nodes = next(&tried, total);
            if total < least {
                least = total;
                std::mem::swap(&mut best, &mut tried);
            }
            if step >= PATIENCE && (least - goal) * step as f64 > (first - least) * (steps - step) as f64 {
                break;
            }
        }
        best
    }

    /// Cells after nodes have been taken from where they are missed least to where hulls hold most air, as long as that helps.
    fn relocated<'a>(
        &'a self,
        mut best: Cells<'a>,
        price: &Price,
        rounds: usize,
        mut tell: impl FnMut(f64),
    ) -> Cells<'a> {
        let mut failures = 0;
        let mut donors = Vec::new();
        let most_failures = (best.nodes().len() / NODES_A_VAIN).max(VAIN);
        for round in 0..rounds {
            if failures == most_failures {
                break;
            }
            if failures == 0 {
                let smallest: Vec<usize> = best.by_volume().into_iter().take(DONORS).collect();
                donors = by_price_without(&best, &smallest, price);
            }
            let by_air = best.by_air();
            let first = (failures * TOGETHER).min(by_air.len().saturating_sub(TOGETHER));
            let receivers = &by_air[first..by_air.len().min(first + TOGETHER)];
            let relocate = |&receiver: &usize| self.relocated_to(receiver, &donors, &best, price);
            match cheapest_of(receivers.par_iter().filter_map(relocate).collect()) {
                Some((total, next)) if total < price.of(&best.total()) => (best, failures) = (next, 0),
                _ => failures += 1,
            }
            tell(round as f64 / rounds as f64);
        }
        best
    }

    /// Cells after the first of some nodes that can has gone to share a cell, with what they cost then.
    fn relocated_to<'a>(
        &'a self,
        receiver: usize,
        donors: &[usize],
        cells: &Cells<'a>,
        price: &Price,
    ) -> Option<(f64, Cells<'a>)> {
        let donor = donors.iter().copied().find(|&donor| donor != receiver)?;
        let half = cells.half_way_to_farthest(receiver);
        let mut nodes = cells.nodes().to_vec();
        nodes[donor] = nodes[receiver] + half;
        nodes[receiver] -= half;
        let goal = price.of(&cells.total());
        let mut next = cells.clone();
        next.move_all(nodes);
        let next = self.glided_to(goal, next, price, RELOCATION_STEPS);
        Some((price.of(&next.total()), next))
    }

    /// Nodes after some steps down the slope in the solid itself.
    fn polished(
        &self,
        nodes: Vec<DVec3>,
        count: usize,
        piece_too_many: f64,
        steps: usize,
        mut tell: impl FnMut(f64),
    ) -> Candidate {
        let mut glide = Glide::new(nodes.len(), self.size(nodes.len()), FIRST_POLISHING_STEP);
        let mut best = Candidate { nodes: nodes.clone(), pieces: usize::MAX, ratio: f64::INFINITY };
        let mut least = f64::INFINITY;
        let Ok(mut exact) = self.sketch(nodes) else { return best };
        let mut idle = 0;
        for step in 1..=steps {
            let (hulls, slopes) = hulls_and_slopes(&exact);
            let ratio = hulls.iter().sum::<f64>() / self.solid.volume();
            let pieces = exact.compound().pieces().len();
            let found = Candidate { nodes: exact.nodes().to_vec(), pieces, ratio };
            let price = found.price(count, piece_too_many);
            let next = glide.next(exact.nodes(), hulls, price, &slopes);
            idle = if price < least - (least - 1.0) * IDLE_GAIN { 0 } else { idle + 1 };
            if price < least {
                (best, least) = (found, price);
            }
            tell(step as f64 / steps as f64);
            if step == steps || idle == IDLE_STEPS || exact.set_nodes(next).is_err() {
                break;
            }
        }
        best
    }

    /// Fewer pieces, where there are too many: nodes moved a little so that slivers go to the cell next to them, or nodes taken away.
    fn without_slivers(&self, mut found: Candidate, count: usize) -> Candidate {
        for _ in 0..REMOVALS {
            if found.pieces <= count {
                break;
            }
            let Ok(mut exact) = self.sketch(found.nodes.clone()) else {
                break;
            };
            let before = found.ratio;
            absorb(&mut exact, count, &mut Draw::new(self.seed));
            found = Candidate::of(&exact);
            if found.pieces > count && found.nodes.len() > 1 {
                let nodes = self.with_one_less(&exact, count);
                found = self.polished(nodes, count, piece_too_many(count), REMOVAL_STEPS, |_| ());
            } else if found.ratio > before + SPOILT {
                found = self.polished(found.nodes, count, PIECE_TOO_MANY, REMOVAL_STEPS, |_| ());
            }
        }
        found
    }

    /// The nodes without the one that is missed least, of those whose cells hold several pieces and of their neighbours.
    fn with_one_less(&self, exact: &Decomposition, count: usize) -> Vec<DVec3> {
        let nodes = exact.nodes();
        let crowded = (0..nodes.len()).filter(|&node| exact.pieces_of(node).len() > 1);
        let mut tried: Vec<usize> = crowded.flat_map(|node| nearest_nodes(nodes, node, NEIGHBOURS)).collect();
        tried.sort_unstable();
        tried.dedup();
        let cells = Cells::new(&self.samples, nodes.to_vec());
        let least = by_price_without(&cells, &tried, &self.price(count)).first().copied().unwrap_or(0);
        (0..nodes.len()).filter(|&node| node != least).map(|node| nodes[node]).collect()
    }
}

/// Of cells, each with what it costs, the first of the cheapest.
fn cheapest_of(cells: Vec<(f64, Cells<'_>)>) -> Option<(f64, Cells<'_>)> {
    cells.into_iter().reduce(|best, next| if next.0 < best.0 { next } else { best })
}

/// Nodes in order of what all would cost without them, on the samples, least first.
fn by_price_without(cells: &Cells, nodes: &[usize], price: &Price) -> Vec<usize> {
    let without = |&node: &usize| (cells.price_without(node, price), node);
    let mut order: Vec<(f64, usize)> = nodes.par_iter().map(without).collect();
    order.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    order.into_iter().map(|(_, node)| node).collect()
}

/// What a piece too many costs while it may still be absorbed.
fn piece_too_many(count: usize) -> f64 {
    PIECE_TOO_MANY / (count * count) as f64
}

/// A node and those nearest to it.
fn nearest_nodes(nodes: &[DVec3], node: usize, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by(|&a, &b| {
        let far = |other: usize| nodes[other].distance_squared(nodes[node]);
        far(a).total_cmp(&far(b)).then(a.cmp(&b))
    });
    order.truncate(count);
    order
}
