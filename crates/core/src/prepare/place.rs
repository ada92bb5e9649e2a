//! Where to put the nodes: the search for those whose pieces hulls fit best.

use std::sync::Arc;

use glam::DVec3;
use smithereens_geometry::{Fit, Solid};

use super::absorb::absorb;
use super::cells::{Cells, Price};
use super::decomposition::Decomposition;
use super::descent::Descent;
use super::relax::spread;
use super::samples::Samples;
use crate::awake::awake;
use crate::draw::Draw;

/// What to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// So many pieces, fitted as well as they can be.
    Pieces(usize),
    /// As few pieces as will do for hulls that exceed the solid's volume by at most this part of it.
    Concavity(f64),
}

/// How long to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Some tens of milliseconds: for dragging and previews.
    Instant,
    /// About a second.
    #[default]
    Full,
}

/// How nodes are placed.
///
/// ```
/// use smithereens::{prepare::{Decomposition, Effort, Goal, Placement}, Aabb, Convex, Fit, Slot, Solid};
/// let solid = Solid::new(Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0)))?;
/// let placement = Placement { goal: Goal::Pieces(4), effort: Effort::Instant, seed: 0 };
/// let nodes = placement.nodes(&solid, |_| ());
/// assert_eq!(Decomposition::new(solid, nodes, Fit::Dop26)?.compound().pieces().len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// What to reach.
    pub goal: Goal,
    /// How long to search.
    pub effort: Effort,
    /// Another seed, another way through the search.
    pub seed: u64,
}

impl Default for Placement {
    fn default() -> Placement {
        Placement { goal: Goal::Pieces(32), effort: Effort::Full, seed: 0 }
    }
}

/// With much fewer points, a search makes hulls smaller on the lattice that are not in the solid.
const POINTS: usize = 30_000;
const POINTS_INSTANT: usize = 8_000;
/// How often nodes are moved to the middle of their cells at the start.
const RELAXATIONS: usize = 15;
const RELAXATIONS_INSTANT: usize = 8;
const STARTS_INSTANT: usize = 4;
/// How often each node is moved.
const ROUNDS: usize = 13;
/// What a part too many costs, of the solid's volume.
const PART_TOO_MANY: f64 = 0.04;
/// Nobody wants more pieces than this from a goal of concavity.
const MOST_PIECES: usize = 1024;

impl Placement {
    /// The same for solids of these volumes that are parts of one body: a goal of pieces is shared out by volume, one each at least.
    ///
    /// ```
    /// use smithereens::prepare::{Goal, Placement};
    /// let placement = Placement { goal: Goal::Pieces(10), ..Placement::default() };
    /// let goals: Vec<Goal> = placement.shared_out(&[16.0, 3.0, 0.1]).iter().map(|p| p.goal).collect();
    /// assert_eq!(goals, [Goal::Pieces(7), Goal::Pieces(2), Goal::Pieces(1)]);
    /// ```
    pub fn shared_out(&self, volumes: &[f64]) -> Vec<Placement> {
        let Goal::Pieces(count) = self.goal else { return vec![*self; volumes.len()] };
        let mut shares = vec![1; volumes.len()];
        for _ in volumes.len()..count {
            // The next piece goes where pieces are largest; of equals, to the first.
            let size = |part: usize| volumes[part] / shares[part] as f64;
            let larger = |a: usize, b: usize| if size(b) > size(a) { b } else { a };
            if let Some(largest) = (0..volumes.len()).reduce(larger) {
                shares[largest] += 1;
            }
        }
        shares.into_iter().map(|share| Placement { goal: Goal::Pieces(share), ..*self }).collect()
    }

    /// Finds nodes for a solid, on all threads of the pool. `tell` hears how much of the search is done, from 0 to 1.
    /// The same bits on any number of threads.
    pub fn nodes(&self, solid: &Solid, mut tell: impl FnMut(f64) + Send) -> Vec<DVec3> {
        awake(|| {
            let search = Search::new(solid, self.effort, self.seed);
            match self.goal {
                Goal::Pieces(count) => search.of_pieces(count.max(1), &mut tell).nodes,
                Goal::Concavity(most) => search.of_concavity(most.max(0.0), &mut tell).nodes,
            }
        })
    }
}

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

    fn better(self, other: Candidate, most: usize) -> Candidate {
        let surplus = |c: &Candidate| c.pieces.saturating_sub(most);
        if (surplus(&other), other.ratio) < (surplus(&self), self.ratio) { other } else { self }
    }
}

struct Search {
    solid: Arc<Solid>,
    samples: Samples,
    effort: Effort,
    seed: u64,
}

impl Search {
    fn new(solid: &Solid, effort: Effort, seed: u64) -> Search {
        let points = if effort == Effort::Full { POINTS } else { POINTS_INSTANT };
        Search { solid: Arc::new(solid.clone()), samples: Samples::new(solid, points), effort, seed }
    }

    /// Measures nodes in the solid itself. Nodes inside a solid always cut something.
    fn candidate(&self, nodes: Vec<DVec3>) -> Candidate {
        match Decomposition::new(self.solid.clone(), nodes.clone(), Fit::Aabb) {
            Ok(exact) => Candidate::of(&exact),
            Err(_) => Candidate { nodes, pieces: usize::MAX, ratio: f64::INFINITY },
        }
    }

    fn of_pieces(&self, count: usize, tell: &mut (impl FnMut(f64) + Send)) -> Candidate {
        match self.effort {
            _ if self.is_too_thin() => self.candidate(vec![self.solid.mass().center]),
            Effort::Instant => self.relaxed(count),
            Effort::Full => self.descended(count, tell),
        }
    }

    /// What is too thin for the lattice stays in one piece.
    fn is_too_thin(&self) -> bool {
        self.samples.points.is_empty()
    }

    /// Evenly spread nodes: fewer than pieces are wanted, if their cells hold several parts.
    fn start(&self, count: usize, first: usize, relaxations: usize) -> Cells<'_> {
        let mut nodes = count;
        loop {
            let cells = Cells::new(&self.samples, spread(&self.samples, nodes, first, relaxations));
            let surplus = (cells.total().parts as usize).saturating_sub(count);
            if surplus == 0 || nodes <= 1 {
                return cells;
            }
            nodes -= surplus.div_ceil(2).min(nodes - 1);
        }
    }

    /// The best of some spreads.
    fn relaxed(&self, count: usize) -> Candidate {
        let price = self.price(count);
        let spreads = (0..STARTS_INSTANT).map(|start| {
            let first = self.samples.points.len() * start / STARTS_INSTANT + self.seed as usize % 1000;
            let cells = self.start(count, first, RELAXATIONS_INSTANT);
            (price.of(&cells.total()), cells.nodes().to_vec())
        });
        let best = spreads.reduce(|best, next| if next.0 < best.0 { next } else { best });
        self.candidate(best.map_or_else(Vec::new, |best| best.1))
    }

    fn price(&self, parts: usize) -> Price {
        Price { parts, part_too_many: PART_TOO_MANY * self.samples.volume }
    }

    /// The best of a descent on the samples: at its start, half way and at its end, measured in the solid itself.
    fn descended(&self, count: usize, tell: &mut (impl FnMut(f64) + Send)) -> Candidate {
        let cells = self.start(count, 0, RELAXATIONS);
        let mut best = self.candidate(cells.nodes().to_vec());
        let mut draw = Draw::new(self.seed);
        let mut descent = Descent::new(cells, self.price(count), self.samples.volume, &mut draw);
        for round in 1..=ROUNDS {
            descent.round();
            tell(round as f64 / (ROUNDS + 1) as f64);
            if round == ROUNDS / 2 || round == ROUNDS {
                let nodes = descent.nodes().to_vec();
                best = best.better(self.without_slivers(nodes, count), count);
            }
        }
        tell(1.0);
        best
    }

    /// Nodes moved a little so that their cells cut no more pieces than wanted, if they can be.
    fn without_slivers(&self, nodes: Vec<DVec3>, count: usize) -> Candidate {
        match Decomposition::new(self.solid.clone(), nodes.clone(), Fit::Aabb) {
            Ok(mut exact) => {
                absorb(&mut exact, count, &mut Draw::new(self.seed));
                Candidate::of(&exact)
            }
            Err(_) => Candidate { nodes, pieces: usize::MAX, ratio: f64::INFINITY },
        }
    }

    /// Doubles the pieces until they fit, then closes in on the least number that does.
    fn of_concavity(&self, most: f64, tell: &mut (impl FnMut(f64) + Send)) -> Candidate {
        let fits = |c: &Candidate| c.ratio <= 1.0 + most;
        let (mut low, mut high) = (0, 1);
        let mut best = self.of_pieces(high, &mut |_| ());
        while !fits(&best) && high < MOST_PIECES {
            (low, high) = (high, high * 2);
            best = self.of_pieces(high, &mut |_| ());
        }
        let rounds = f64::from(usize::BITS - (high - low).leading_zeros());
        let mut done = 0.0;
        while high - low > 1 {
            let middle = (low + high) / 2;
            let next = self.of_pieces(middle, &mut |_| ());
            if fits(&next) {
                (high, best) = (middle, next);
            } else {
                low = middle;
            }
            done += 1.0;
            tell(done / rounds);
        }
        best
    }
}
