//! Random draws: the same bits from the same seed on every machine.

use std::f64::consts::TAU;

use glam::DVec2;
use rand::{RngExt, SeedableRng};

use crate::Aabb;

/// A source of random numbers.
pub(crate) struct Draw(rand_pcg::Pcg64Mcg);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(SeedableRng::seed_from_u64(seed))
    }

    /// From zero to one, one excluded.
    pub fn unit(&mut self) -> f64 {
        self.0.random()
    }

    /// From `-reach` to `reach`.
    pub fn about_zero(&mut self, reach: f64) -> f64 {
        reach * (2.0 * self.unit() - 1.0)
    }

    /// A point of a box, all equally likely.
    pub fn in_box(&mut self, bounds: &Aabb) -> DVec2 {
        let [x, y] = [self.unit(), self.unit()];
        bounds.min + bounds.size() * DVec2::new(x, y)
    }

    /// A unit vector, all equally likely.
    pub fn direction(&mut self) -> DVec2 {
        at_angle(self.unit() * TAU)
    }
}

/// The unit vector at an angle from the x axis.
pub(crate) fn at_angle(angle: f64) -> DVec2 {
    let (sine, cosine) = libm::sincos(angle);
    DVec2::new(cosine, sine)
}
