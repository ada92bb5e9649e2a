//! What happened in a step.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::BodyId;

/// A fracture that came to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The step in which it ended.
    pub step: u64,
    /// The body that broke. It lives on as the largest of what it was before, if a fragment kept pieces of it in place.
    pub body: BodyId,
    /// The time it took, over all steps.
    pub time: Duration,
    /// Pieces that the impact reached.
    pub touched: usize,
    /// How many fragments there are, the rest of the body included.
    pub fragments: usize,
    /// The bodies that came to be.
    pub born: Vec<BodyId>,
    /// Fragments too small or too thin to be bodies.
    pub retired: usize,
}

/// What is gone from the world, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Retired {
    /// Fragments too small to be bodies.
    pub small: usize,
    /// Fragments too thin to collide.
    pub thin: usize,
    /// Bodies over the cap.
    pub over_cap: usize,
    /// Chips of debris: over their cap, or at the end of their time.
    pub debris: usize,
    /// The mass of what became neither debris nor dust, in kilograms, with what fractures dropped.
    pub mass: f64,
}

impl Retired {
    /// How many bodies, and fragments that were to be some.
    pub(crate) fn all(&self) -> usize {
        self.small + self.thin + self.over_cap
    }
}
