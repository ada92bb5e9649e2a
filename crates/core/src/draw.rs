//! Random draws: the same bits from the same seed on every machine.

use std::f64::consts::TAU;

use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use smithereens_geometry::Aabb;

/// A source of random numbers.
pub(crate) struct Draw(Pcg64Mcg);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(Pcg64Mcg::seed_from_u64(seed))
    }

    /// From zero to one, one excluded.
    pub fn unit(&mut self) -> f64 {
        self.0.random()
    }

    /// From `-reach` to `reach`.
    pub fn about_zero(&mut self, reach: f64) -> f64 {
        (self.unit() * 2.0 - 1.0) * reach
    }

    /// A point of a box, all equally likely.
    pub fn in_box(&mut self, bounds: &Aabb) -> DVec3 {
        let place = DVec3::new(self.unit(), self.unit(), self.unit());
        bounds.min + bounds.size() * place
    }

    /// About normally distributed, with a deviation of one along each axis: a sum of six draws each.
    pub fn normal(&mut self) -> DVec3 {
        let mut one = || (0..6).map(|_| self.about_zero(1.0)).sum::<f64>() * std::f64::consts::FRAC_1_SQRT_2;
        DVec3::new(one(), one(), one())
    }

    /// A unit vector, all equally likely.
    pub fn direction(&mut self) -> DVec3 {
        let z = self.about_zero(1.0);
        let (sine, cosine) = libm::sincos(self.unit() * TAU);
        let flat = libm::sqrt((1.0 - z * z).max(0.0));
        DVec3::new(flat * cosine, flat * sine, z)
    }
}
