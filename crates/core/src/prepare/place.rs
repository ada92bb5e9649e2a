//! How nodes are to be placed: what to reach, and how long to search for it.

use glam::DVec3;
use smithereens_geometry::Solid;

use super::search::Search;
use crate::awake::awake;

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
                Goal::Pieces(count) => search.of_pieces(count.max(1), &mut tell),
                Goal::Concavity(most) => search.of_concavity(most.max(0.0), &mut tell),
            }
        })
    }
}
