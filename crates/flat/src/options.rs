//! What a world does.

use glam::DVec2;
use serde::{Deserialize, Serialize};
use smithereens_planar::Aabb;
use thiserror::Error;

/// Why a world cannot be so.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum OptionsError {
    /// A number is out of range.
    #[error("the world's {name} is {value}: {wanted}")]
    OutOfRange {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        wanted: &'static str,
    },
    /// Bodies that are there weigh what goes with it.
    #[error("the depth of a world stays as it was made, {0} m: make another world")]
    Depth(f64),
}

/// How bodies move and break. Lengths in metres, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Decides which patterns are drawn, and how they are turned.
    pub seed: u64,
    /// In metres per second squared.
    pub gravity: DVec2,
    /// The length of a step.
    pub step: f64,
    /// How thick everything is: what weighs, and what joints bear, goes with it.
    pub depth: f64,
    /// Fragments of less area, in square metres, become debris.
    pub smallest: f64,
    /// Pieces thinner than this do not collide, and fragments of such pieces alone become debris.
    pub thinnest: f64,
    /// The box that bodies and projectiles live in: what leaves it is gone. None: there is no end.
    pub bounds: Option<Aabb>,
    /// Whether forces are followed through bodies: bonds that bear more than their material does break, and what nothing holds any more falls.
    pub stress: bool,
    /// For how long contacts do not break a new fragment: rubble that settles would grind itself to powder.
    pub cool_down: f64,
    /// Contacts that close at less speed than this break nothing.
    pub slowest: f64,
    /// How long debris is there.
    pub debris_life: f64,
    /// More pieces of debris than this are not kept: the oldest go.
    pub most_debris: usize,
    /// More bodies than this are not kept: the smallest go.
    pub most_bodies: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            gravity: DVec2::NEG_Y * 9.81,
            step: 1.0 / 60.0,
            depth: 1.0,
            smallest: 4e-4,
            thinnest: 0.004,
            bounds: None,
            stress: false,
            cool_down: 0.3,
            slowest: 1.0,
            debris_life: 4.0,
            most_debris: 4000,
            most_bodies: usize::MAX,
        }
    }
}

impl Options {
    /// Says which number is out of range, if one is.
    pub(crate) fn check(&self) -> Result<(), OptionsError> {
        const AMOUNT: &str = "give zero or a positive number";
        let is_amount = |x: f64| x.is_finite() && x >= 0.0;
        let all = [
            ("gravity", self.gravity.length(), self.gravity.is_finite(), "give finite numbers"),
            ("step", self.step, (1e-4..=0.1).contains(&self.step), "give 0.0001 to 0.1 s"),
            ("depth", self.depth, is_amount(self.depth) && self.depth > 0.0, "give a positive length"),
            ("smallest", self.smallest, is_amount(self.smallest), AMOUNT),
            ("thinnest", self.thinnest, is_amount(self.thinnest), AMOUNT),
            ("cool_down", self.cool_down, is_amount(self.cool_down), AMOUNT),
            ("slowest", self.slowest, is_amount(self.slowest), AMOUNT),
            ("debris_life", self.debris_life, is_amount(self.debris_life), AMOUNT),
        ];
        match all.into_iter().find(|(_, _, is_sound, _)| !is_sound) {
            Some((name, value, _, wanted)) => Err(OptionsError::OutOfRange { name, value, wanted }),
            None => Ok(()),
        }
    }
}
