//! Random draws: the same bits from the same seed on every machine.

use std::f64::consts::TAU;

use glam::DVec3;
use rand::{RngExt, SeedableRng};

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

    /// One of `0..count`.
    pub fn below(&mut self, count: u64) -> u64 {
        self.0.random_range(0..count.max(1))
    }

    /// A unit vector, all equally likely.
    pub fn direction(&mut self) -> DVec3 {
        let z = 2.0 * self.unit() - 1.0;
        let (sine, cosine) = libm::sincos(self.unit() * TAU);
        let flat = libm::sqrt((1.0 - z * z).max(0.0));
        DVec3::new(flat * cosine, flat * sine, z)
    }
}
