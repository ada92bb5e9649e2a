//! Where dust comes from: faces that a fracture has just exposed.

use glam::{DVec3, Quat, Vec3, Vec3A};
use serde::{Deserialize, Serialize};

use crate::convert::narrow;
use crate::particle::Particle;
use crate::{Options, random};

/// Dust from a triangle of a face that was just exposed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Puff {
    /// The triangle, counterclockwise as seen from outside: dust leaves it along its normal.
    pub corners: [DVec3; 3],
    /// How fast the face itself moves, in metres a second.
    pub velocity: DVec3,
    /// How much dust there is, in kilograms.
    pub mass: f64,
}

/// A particle that is to be, of a puff. What it is like takes longer to find out than to know that it is: all of a step are asked side by side.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Newborn {
    pub puff: Puff,
    /// Its part of the puff's mass, and of what has waited.
    pub mass: f64,
    pub seed: u32,
}

impl Newborn {
    pub fn particle(&self, options: &Options) -> Particle {
        self.puff.particle(options, self.mass, self.seed)
    }
}

/// The size of the patches of a face whose dust swirls together, in cells.
const PATCH: f32 = 1.0;
/// The energy of the whirls that dust is born with, as a share of that of its own speed.
const STIRRED: f32 = 0.15;

impl Puff {
    /// How many particles it is, by chance where it is a fraction; none where a number is not finite or there is no dust.
    pub(crate) fn count(&self, options: &Options, seed: u32) -> Option<usize> {
        let is_finite = self.corners.iter().chain([&self.velocity]).all(|v| narrow(*v).is_some());
        if !(is_finite && self.mass > 0.0 && self.mass <= 1e12) {
            return None;
        }
        let [a, b, c] = self.corners;
        let wanted = 0.5 * (b - a).cross(c - a).length() * options.per_area;
        let wanted = wanted.min(options.most_particles as f64);
        Some((wanted + f64::from(random::unit(seed, 1))) as usize)
    }

    /// One of its particles.
    fn particle(&self, options: &Options, mass: f64, seed: u32) -> Particle {
        let chance = |what| random::unit(seed, what);
        let [a, b, c] = self.corners.map(|corner| corner.as_vec3());
        let normal = (b - a).cross(c - a).normalize_or(Vec3::Y);
        // Uniform on the triangle (Osada et al. 2002).
        let root = chance(2).sqrt();
        let at = a * (1.0 - root) + b * (root * (1.0 - chance(3))) + c * (root * chance(3));
        let speed = options.speed as f32;
        let away = normal * (speed * (0.3 + 1.4 * chance(4))) + random::cube(seed, 5) * (0.4 * speed);
        let blend = |[low, high]: [f64; 2], share: f32| (low + (high - low) * f64::from(share)) as f32;
        // Fine dust is the most of it: evenly spread in the logarithm would need one, the square does.
        let fine = chance(8) * chance(8);
        let radius = options.radius as f32 * (0.7 + 0.6 * chance(6));
        Particle {
            at: (at + normal * (0.5 * radius * chance(7))).into(),
            age: 0.0,
            velocity: (self.velocity.as_vec3() + away).into(),
            life: blend(options.life, chance(9)),
            turn: orientation(at / (PATCH * options.cell as f32), options.seed),
            energy: Vec3A::splat(STIRRED * away.length_squared() / 3.0),
            fall: blend(options.fall, fine),
            mass,
            radius,
            seed,
        }
    }
}

/// The same for neighbours, so that they swirl together.
fn orientation(place: Vec3, seed: u32) -> Quat {
    let axis = random::smooth_direction(place, seed);
    let arrow = random::smooth_direction(place, seed ^ 0x5bd1_e995);
    let first = (arrow - axis * arrow.dot(axis)).normalize_or(axis.any_orthonormal_vector());
    Quat::from_mat3(&glam::Mat3::from_cols(first, axis.cross(first), axis)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_lie_evenly_on_the_triangle() {
        let corners = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Z * -4.0];
        let puff = Puff { corners, velocity: DVec3::ZERO, mass: 1.0 };
        let options = Options::default();
        assert_eq!(puff.count(&options, 3).unwrap() / 10, 32);
        let all: Vec<Particle> =
            (0..4000).map(|seed| puff.particle(&options, 1.0, random::hash(seed))).collect();
        let mean = all.iter().fold(Vec3A::ZERO, |sum, p| sum + p.at) / 4000.0;
        assert!((mean - Vec3A::new(4.0 / 3.0, mean.y, -4.0 / 3.0)).length() < 0.06, "{mean}");
        assert!(all.iter().all(|p| p.at.y >= 0.0 && p.at.x >= 0.0 && p.at.x - p.at.z <= 4.001));
        assert!(all.iter().map(|p| p.velocity.y).sum::<f32>() / 4000.0 > 1.0, "along the normal");
    }

    #[test]
    fn a_fraction_of_a_particle_is_one_as_often() {
        let small = DVec3::splat(0.05);
        let puff = Puff {
            corners: [DVec3::ZERO, DVec3::X * small, DVec3::Y * small],
            velocity: DVec3::ZERO,
            mass: 1.0,
        };
        let count: usize =
            (0..20_000).filter_map(|seed| puff.count(&Options::default(), random::hash(seed))).sum();
        assert!((count as f64 / 20_000.0 - 0.05).abs() < 0.01, "{count}");
    }

    #[test]
    fn nonsense_is_no_puff() {
        let sound = Puff { corners: [DVec3::ZERO, DVec3::X, DVec3::Y], velocity: DVec3::ZERO, mass: 1.0 };
        let options = Options::default();
        for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Puff { mass, ..sound }.count(&options, 1), None);
        }
        assert_eq!(Puff { velocity: DVec3::NAN, ..sound }.count(&options, 1), None);
        assert_eq!(Puff { corners: [DVec3::INFINITY; 3], ..sound }.count(&options, 1), None);
        let point = Puff { corners: [DVec3::ONE; 3], ..sound };
        assert!(point.particle(&options, 1.0, 1).at.is_finite());
    }
}
