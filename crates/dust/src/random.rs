//! Chance that is the same in every run: hashes of counters.

use glam::Vec3;

/// A well-mixed hash ("lowbias32").
pub(crate) fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// From 0 to 1, of a seed and what it is for.
pub(crate) fn unit(seed: u32, what: u32) -> f32 {
    (hash(seed ^ what.wrapping_mul(0x9e37_79b9)) >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// A point of the cube from -1 to 1.
pub(crate) fn cube(seed: u32, what: u32) -> Vec3 {
    Vec3::new(unit(seed, what), unit(seed, what ^ 0x100), unit(seed, what ^ 0x200)) * 2.0 - 1.0
}

/// Smooth in space: the directions of the corners of a unit lattice, blended.
pub(crate) fn smooth_direction(point: Vec3, seed: u32) -> Vec3 {
    let base = point.floor();
    let f = point - base;
    let fade = f * f * (3.0 - 2.0 * f);
    let cell = base.as_ivec3();
    let corner = |i: i32| {
        let at = cell + glam::IVec3::new(i & 1, i >> 1 & 1, i >> 2);
        let mixed = (at.x as u32).wrapping_mul(0x8da6_b343)
            ^ (at.y as u32).wrapping_mul(0xd816_3841)
            ^ (at.z as u32).wrapping_mul(0xcb1a_b31f);
        let far = (at - cell).as_vec3();
        let weight = (far * fade + (1.0 - far) * (1.0 - fade)).element_product();
        cube(hash(mixed ^ seed), 1) * weight
    };
    (0..8).map(corner).fold(Vec3::ZERO, |sum, v| sum + v).normalize_or(Vec3::X)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_point_alike_and_strangers_do_not() {
        let (mut near, mut far) = (0.0, 0.0);
        for i in 0..500 {
            let at = cube(i, 7) * 40.0;
            let here = smooth_direction(at, 3);
            near += here.dot(smooth_direction(at + 0.05, 3)) / 500.0;
            far += here.dot(smooth_direction(at + 9.0, 3)) / 500.0;
        }
        assert!(near > 0.95 && far.abs() < 0.15, "{near} {far}");
    }
}
