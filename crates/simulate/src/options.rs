//! What a world does, and how much of it a step.

use std::time::Duration;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use smithereens::Fit;

/// How bodies break, and how much of that a step may take. Lengths in metres, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Decides which patterns are drawn, and how they are turned.
    pub seed: u64,
    /// How long fractures may take a step; what is not done then goes on in the next. None: as long as they take, and a step is the same
    /// on any machine.
    pub budget: Option<Duration>,
    /// Fragments of less volume are retired: they are gone from the world, and counted.
    pub smallest: f64,
    /// Pieces thinner than this do not collide, and fragments of such pieces alone are retired: contacts would miss them, or jitter.
    pub thinnest: f64,
    /// Fragments whose hull holds no more air than this part of their volume collide as that hull: one collider instead of one a piece.
    /// Negative: none does.
    pub lump: f64,
    /// For how long contacts do not break a new fragment: rubble that settles would grind itself to powder.
    pub cool_down: f64,
    /// Contacts that close at less speed than this break nothing.
    pub slowest: f64,
    /// For how long a body must have been still to come to rest: it is held then, until it is hit or something leaves its side. Less than Rapier
    /// takes to put it to sleep, which is half a second. Infinite: none is.
    pub rest_after: f64,
    /// When more bodies than this are awake, those that are still come to rest sooner, the sooner the more there are.
    pub most_awake: usize,
    /// Hits by contact that have waited for longer are dropped, and counted: what breaks long after it was hit looks odd.
    pub patience: f64,
    /// More bodies than this are not kept: the smallest are retired, those at rest first.
    pub most_bodies: usize,
    /// Whether forces are followed through bodies: bonds that bear more than their material does break, and what nothing holds any more falls.
    pub stress: bool,
    /// What weighs on bodies that are held, in metres per second squared: that of the world.
    pub gravity: DVec3,
    /// For how many steps the fragments of a ductile body bend before they are put together again. Zero: ductile materials break as brittle ones.
    pub bend_steps: u64,
    /// How convexes are fitted to the pieces that fractures make.
    #[serde(with = "crate::saved::fit")]
    pub fit: Fit,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            budget: None,
            smallest: 2e-6,
            thinnest: 0.002,
            lump: 0.25,
            cool_down: 0.3,
            slowest: 0.5,
            rest_after: 0.4,
            most_awake: usize::MAX,
            patience: 0.25,
            most_bodies: usize::MAX,
            stress: false,
            gravity: DVec3::NEG_Y * 9.81,
            bend_steps: 6,
            fit: Fit::Dop26,
        }
    }
}
