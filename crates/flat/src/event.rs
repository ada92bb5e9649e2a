//! What happened in a step.

use std::time::Duration;

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::BodyId;

/// Why a body broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// A call asked for it.
    Hit,
    /// A contact was harder than its material is strong.
    Contact,
    /// A projectile went through it.
    Shot,
    /// Its bonds bore more than they can.
    Stress,
}

/// A body that broke.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The step in which it did.
    pub step: u64,
    /// The body. It lives on as the largest part that the impact did not reach, if there is one.
    pub body: BodyId,
    /// Why it did.
    pub cause: Cause,
    /// Where, in the world.
    pub at: DVec2,
    /// Pieces that the impact reached.
    pub touched: usize,
    /// How many fragments there are, the rest of the body included.
    pub fragments: usize,
    /// The bodies that came to be.
    pub born: Vec<BodyId>,
    /// Pieces that became debris.
    pub debris: usize,
    /// The time it took.
    #[serde(skip)]
    pub time: Duration,
}

/// What is gone from the world, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Retired {
    /// Bodies that left the box.
    pub left: usize,
    /// Bodies over the cap.
    pub over_cap: usize,
    /// Pieces of debris: over their cap, out of the box, or at the end of their time.
    pub debris: usize,
    /// Slivers too small even for debris.
    pub slivers: usize,
    /// The area of all of it, in square metres.
    pub area: f64,
    /// What that weighed, in kilograms.
    pub mass: f64,
}
