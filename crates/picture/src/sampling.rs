//! Where samples go: Owen-scrambled Sobol points, different in every pixel, the same in every run.
//!
//! After Burley, "Practical Hash-based Owen Scrambling" (JCGT 2020): a 2D Sobol sequence, its order and its
//! digits scrambled by hashes, one independent pair of dimensions for each use.

use glam::{Vec2, Vec3};

/// What a pair of sample dimensions is used for: pairs of different use are independent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {
    Lens,
    Sun,
    Sky,
}

/// The samples of one pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Samples {
    seed: u32,
}

impl Samples {
    pub fn of_pixel(index: u32, seed: u32) -> Samples {
        Samples { seed: hash(index ^ hash(seed)) }
    }

    /// The `index`th point of a pair of dimensions, in the unit square.
    pub fn point(self, index: u32, what: Use) -> Vec2 {
        let seed = hash(self.seed ^ (what as u32 + 1).wrapping_mul(0x9e37_79b9));
        let shuffled = scramble(index, seed);
        let x = scramble(shuffled.reverse_bits(), hash(seed ^ 0x1234_5678));
        let y = scramble(sobol_second(shuffled), hash(seed ^ 0x8765_4321));
        Vec2::new(unit(x), unit(y))
    }
}

/// A well-mixed 32-bit hash ("lowbias32").
pub(crate) fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// The top 24 bits as a number in `0..1`, exact in single precision.
pub(crate) fn unit(x: u32) -> f32 {
    (x >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Maps `0..1` to `-1..1` with the density of a tent: the pixel filter.
pub(crate) fn tent(x: f32) -> f32 {
    if x < 0.5 { (2.0 * x).sqrt() - 1.0 } else { 1.0 - (2.0 - 2.0 * x).sqrt() }
}

/// Maps the unit square to the unit disc, keeping areas and neighbours (Shirley and Chiu).
pub(crate) fn disc(point: Vec2) -> Vec2 {
    let p = point * 2.0 - 1.0;
    if p.x.abs() > p.y.abs() {
        let (sin, cos) = libm::sincosf(std::f32::consts::FRAC_PI_4 * (p.y / p.x));
        Vec2::new(cos, sin) * p.x
    } else if p.y != 0.0 {
        let (sin, cos) = libm::sincosf(std::f32::consts::FRAC_PI_4 * (p.x / p.y));
        Vec2::new(sin, cos) * p.y
    } else {
        Vec2::ZERO
    }
}

/// A direction above the surface, with density proportional to the cosine.
pub(crate) fn cosine_hemisphere(point: Vec2, normal: Vec3) -> Vec3 {
    let d = disc(point);
    let (tangent, bitangent) = normal.any_orthonormal_pair();
    let up = (1.0 - d.length_squared()).max(0.0).sqrt();
    tangent * d.x + bitangent * d.y + normal * up
}

/// The second dimension of the Sobol sequence; the first is the index with its bits reversed.
fn sobol_second(mut index: u32) -> u32 {
    let (mut direction, mut x) = (1 << 31, 0);
    while index != 0 {
        if index & 1 == 1 {
            x ^= direction;
        }
        index >>= 1;
        direction ^= direction >> 1;
    }
    x
}

/// Owen scrambling of all 32 digits at once (the Laine–Karras hash, with Vegdahl's constants).
fn scramble(x: u32, seed: u32) -> u32 {
    let mut x = x.reverse_bits();
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul((seed >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x.reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_points_fall_in_sixteen_squares() {
        for pixel in 0..50 {
            let samples = Samples::of_pixel(pixel, 7);
            let mut seen = 0_u32;
            for i in 0..16 {
                let p = samples.point(i, Use::Sky) * 4.0;
                seen |= 1 << (p.x as u32 + 4 * p.y as u32);
            }
            assert_eq!(seen, 0xffff, "pixel {pixel}");
        }
    }

    #[test]
    fn mapped_points_stay_where_they_belong() {
        let samples = Samples::of_pixel(3, 1);
        for i in 0..256 {
            let p = samples.point(i, Use::Sun);
            assert!(disc(p).length() <= 1.0 + 1e-6);
            assert!(tent(p.x).abs() <= 1.0);
            let normal = Vec3::new(0.36, 0.48, -0.8);
            let d = cosine_hemisphere(p, normal);
            assert!((d.length() - 1.0).abs() < 1e-5 && d.dot(normal) >= -1e-6);
        }
        assert_eq!(disc(Vec2::splat(0.5)), Vec2::ZERO);
    }
}
