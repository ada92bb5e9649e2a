//! Random numbers for tests: the same on every machine.

use std::f64::consts::TAU;

use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A seeded source of what tests draw.
#[derive(Clone, Debug)]
pub struct Chance(Pcg64Mcg);

impl Chance {
    /// The source of a seed.
    pub fn new(seed: u64) -> Chance {
        Chance(Pcg64Mcg::seed_from_u64(seed))
    }

    /// From zero to one.
    pub fn unit(&mut self) -> f64 {
        self.0.random()
    }

    /// From `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// One of `0..count`.
    pub fn below(&mut self, count: usize) -> usize {
        self.0.random_range(0..count.max(1) as u64) as usize
    }

    /// Any number.
    pub fn bits(&mut self) -> u64 {
        self.0.random()
    }

    /// A point of the cube from -1 to 1.
    pub fn point(&mut self) -> DVec3 {
        DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    /// A unit vector.
    pub fn direction(&mut self) -> DVec3 {
        let z = self.between(-1.0, 1.0);
        let (sine, cosine) = libm::sincos(self.unit() * TAU);
        let flat = libm::sqrt((1.0 - z * z).max(0.0));
        DVec3::new(flat * cosine, flat * sine, z)
    }

    /// A number whose logarithm is spread evenly from that of `low` to that of `high`.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    /// The point, each coordinate moved by at most `most` of the steps that doubles have there.
    pub fn ulps(&mut self, point: DVec3, most: usize) -> DVec3 {
        let mut moved = point.to_array();
        for x in &mut moved {
            for _ in 0..self.below(most + 1) {
                *x = if self.below(2) == 0 { x.next_up() } else { x.next_down() };
            }
        }
        DVec3::from_array(moved)
    }
}
