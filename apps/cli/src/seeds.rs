//! Seeds of Voronoi cells, inside the solid only: as many fragments as cells were asked for, not a tenth of that
//! because the rest of the box is air.

use std::f64::consts::TAU;

use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use smithereens::{Aabb, Inside};

/// Draws a seed before giving up: a sheet may fill little of its box.
const DRAWS_PER_SEED: usize = 20_000;
/// Density falls with the distance to the power of minus this.
const FALLOFF: f64 = 1.5;
/// Seeds within this many radii are those asked for: cells of seeds a little farther out reach into the radius too.
const CORE: f64 = 1.15;
/// Most seeds beyond that, for each of those asked for.
const MOST_BEYOND: usize = 4;

/// A source of points.
pub struct Seeds<'a> {
    inside: Inside<'a>,
    random: Pcg64Mcg,
}

impl<'a> Seeds<'a> {
    /// Points inside a solid; another seed, other points.
    pub fn new(inside: Inside<'a>, seed: u64) -> Seeds<'a> {
        Seeds { inside, random: Pcg64Mcg::seed_from_u64(seed) }
    }

    fn unit(&mut self) -> f64 {
        self.random.random()
    }

    /// Points spread evenly; fewer than `count` where the solid is too thin to be found.
    pub fn evenly(&mut self, count: usize, bounds: &Aabb) -> Vec<DVec3> {
        let mut points = Vec::with_capacity(count);
        for _ in 0..count.saturating_mul(DRAWS_PER_SEED) {
            if points.len() == count {
                break;
            }
            let place = DVec3::new(self.unit(), self.unit(), self.unit());
            let point = bounds.min + bounds.size() * place;
            if self.inside.contains(point) {
                points.push(point);
            }
        }
        points
    }

    /// Points that crowd about `center`, out to `farthest` from it.
    pub fn crowding(&mut self, count: usize, center: DVec3, farthest: f64) -> Vec<DVec3> {
        let mut points = Vec::with_capacity(count);
        for _ in 0..count.saturating_mul(DRAWS_PER_SEED) {
            if points.len() == count {
                break;
            }
            let point = center + self.about(farthest);
            if self.inside.contains(point) {
                points.push(point);
            }
        }
        points
    }

    /// Points for a hit of this radius in a cube of this half side: `count` within reach, and others around them as dense
    /// as at its border, so that the crater is bounded by cells and not by the cube.
    pub fn within_reach(&mut self, count: usize, center: DVec3, radius: f64, half: f64) -> Vec<DVec3> {
        let core = radius * CORE;
        let (mut points, mut draws) = (Vec::with_capacity(2 * count), 0.0);
        for _ in 0..count.saturating_mul(DRAWS_PER_SEED) {
            if points.len() == count {
                break;
            }
            draws += 1.0;
            let point = center + self.about(core);
            if self.inside.contains(point) {
                points.push(point);
            }
        }
        if points.is_empty() {
            return points;
        }
        let border_density = draws * (3.0 - FALLOFF) / (2.0 * TAU * core * core * core);
        let draws = border_density * 8.0 * half * half * half;
        let all = points.len() * (1 + MOST_BEYOND);
        for _ in 0..draws as usize {
            let offset = DVec3::new(self.unit(), self.unit(), self.unit()) * (2.0 * half) - half;
            let is_beyond = offset.length() > core && points.len() < all;
            if is_beyond && self.inside.contains(center + offset) {
                points.push(center + offset);
            }
        }
        points
    }

    fn about(&mut self, farthest: f64) -> DVec3 {
        // A shell's volume grows as r², so r^(2 - falloff) of all points lie in it.
        let distance = farthest * libm::pow(self.unit(), 1.0 / (3.0 - FALLOFF));
        let z = self.unit() * 2.0 - 1.0;
        let (sine, cosine) = libm::sincos(self.unit() * TAU);
        let flat = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(flat * cosine, flat * sine, z) * distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torus;

    #[test]
    fn seeds_lie_in_the_solid_and_repeat() {
        let mesh = torus::mesh();
        let draw = |seed| Seeds::new(Inside::of(&mesh), seed).evenly(200, &mesh.bounds());
        let points = draw(1);
        assert_eq!(points.len(), 200);
        assert!(points.iter().all(|&p| torus::distance(p) < 0.02));
        assert_eq!(points, draw(1));
        assert_ne!(points, draw(2));
    }

    #[test]
    fn a_hit_in_the_air_has_no_seeds() {
        let mesh = torus::mesh();
        let mut seeds = Seeds::new(Inside::of(&mesh), 0);
        assert!(seeds.within_reach(3, DVec3::splat(50.0), 1.0, 1.5).is_empty());
        let near = seeds.within_reach(40, DVec3::X, 0.3, 0.45);
        assert_eq!(near.iter().filter(|p| p.distance(DVec3::X) < 0.345).count(), 40);
    }
}
