//! What dust is like, and what it may cost.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::Error;

/// What dust is like, and what it may cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The side of a cell of air, in metres: whirls smaller than that are the particles' own.
    pub cell: f64,
    /// The most cells of air. When dust fills more room, cells grow.
    pub most_cells: usize,
    /// The most particles. Beyond them the oldest are retired.
    pub most_particles: usize,
    /// How high the floor is, in metres along y, if there is one.
    pub floor: Option<f64>,
    /// In metres a second squared.
    pub gravity: DVec3,
    /// Particles for a square metre of broken face.
    pub per_area: f64,
    /// How fast dust leaves a face, in metres a second.
    pub speed: f64,
    /// For how long particles are seen, at least and at most, in seconds.
    pub life: [f64; 2],
    /// How fast the finest and the coarsest dust settles in still air, in metres a second.
    pub fall: [f64; 2],
    /// The radius of a new particle's cloud, in metres.
    pub radius: f64,
    /// How fast that grows, in square metres a second.
    pub spread: f64,
    /// How many square metres a kilogram of dust can hide.
    pub extinction: f64,
    /// How strong whirls below the size of a cell are: 1 is as measured in real air, 0 is none.
    pub swirl: f64,
    /// Cycles of pressure a step: one leaves about a tenth of what a still picture of the flow would.
    pub cycles: u32,
    /// A box in which air is worked out even without dust, from its lowest corner to its highest.
    pub always: Option<[DVec3; 2]>,
    /// Another seed, other dust.
    pub seed: u32,
}

impl Default for Options {
    /// Stone dust over a floor at height 0.
    fn default() -> Options {
        Options {
            cell: 0.5,
            most_cells: 49_152,
            most_particles: 50_000,
            floor: Some(0.0),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            per_area: 40.0,
            speed: 1.5,
            life: [5.0, 12.0],
            fall: [0.02, 0.25],
            radius: 0.2,
            spread: 0.03,
            extinction: 40.0,
            swirl: 1.0,
            cycles: 1,
            always: None,
            seed: 0,
        }
    }
}

impl Options {
    /// Whether dust can be like that; the first option that it cannot have.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let [brief, long] = self.life;
        let [fine, coarse] = self.fall;
        let vectors = [self.gravity].into_iter().chain(self.always.into_iter().flatten());
        let checks = [
            ("cell", (1e-3..=1e3).contains(&self.cell), "0.001 to 1000 metres"),
            ("most_cells", (512..=1 << 24).contains(&self.most_cells), "512 to 16,777,216"),
            ("most_particles", (1..=1 << 24).contains(&self.most_particles), "1 to 16,777,216"),
            ("floor", self.floor.unwrap_or(0.0).abs() <= 1e6, "finite"),
            ("gravity", self.gravity.abs().max_element() <= 1e4, "finite"),
            ("per_area", (0.0..=1e6).contains(&self.per_area), "0 to a million"),
            ("speed", (0.0..=1e3).contains(&self.speed), "0 to 1000 m/s"),
            ("life", brief > 0.0 && brief <= long && long <= 1e6, "two times above 0, in order"),
            ("fall", fine > 0.0 && fine <= coarse && coarse <= 100.0, "two speeds above 0, in order"),
            ("radius", self.radius > 0.0 && self.radius <= 1e3, "above 0"),
            ("spread", (0.0..=1e3).contains(&self.spread), "0 to 1000"),
            ("extinction", (0.0..=1e6).contains(&self.extinction), "0 to a million"),
            ("swirl", (0.0..=10.0).contains(&self.swirl), "0 to 10"),
            ("cycles", (1..=100).contains(&self.cycles), "1 to 100"),
            ("always", vectors.map(|v| v.abs().max_element()).all(|most| most <= 1e6), "finite"),
        ];
        match checks.into_iter().find(|(_, is_sound, _)| !is_sound) {
            Some((option, _, allowed)) => Err(Error::Option { option, allowed }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_cannot_be_are_named() {
        assert_eq!(Options::default().check(), Ok(()));
        let bad = [
            ("cell", Options { cell: f64::NAN, ..Options::default() }),
            ("most_cells", Options { most_cells: 0, ..Options::default() }),
            ("life", Options { life: [3.0, 2.0], ..Options::default() }),
            ("gravity", Options { gravity: DVec3::splat(f64::NAN), ..Options::default() }),
            ("floor", Options { floor: Some(f64::INFINITY), ..Options::default() }),
            ("always", Options { always: Some([DVec3::NAN, DVec3::ONE]), ..Options::default() }),
        ];
        for (name, options) in bad {
            let error = options.check().unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
