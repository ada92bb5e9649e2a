//! Grain: what makes a grey surface read as stone. Noise through the volume, so that cut faces continue it.

use glam::{IVec3, Vec3};

use crate::sampling::{hash, unit};

/// Mottling and roughness of a material that goes through its whole volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// The size of the largest features, as a length in the scene.
    pub size: f32,
    /// How far the colour strays: 0 is uniform, 0.3 is lively.
    pub contrast: f32,
    /// How far the surface normal tilts: 0 is smooth, 0.3 is rough-hewn.
    pub bump: f32,
}

const OCTAVES: u32 = 4;

/// Noise at a point in the grain's own scale, about -1 to 1, and its gradient: octaves of halved size and weight.
pub(crate) fn turbulence(point: Vec3) -> (f32, Vec3) {
    let (mut value, mut gradient) = (0.0, Vec3::ZERO);
    let (mut frequency, mut weight) = (1.0, 0.6);
    for octave in 0..OCTAVES {
        let (v, g) = lattice_noise(point * frequency, octave);
        value += v * weight;
        gradient += g * (weight * frequency);
        // Not a power of two: lattice planes of different octaves must not coincide.
        frequency *= 2.17;
        weight *= 0.55;
    }
    (value, gradient)
}

/// Smoothly interpolated random values on integer points, and the gradient.
fn lattice_noise(point: Vec3, salt: u32) -> (f32, Vec3) {
    let cell = point.floor();
    let f = point - cell;
    let corner = cell.as_ivec3();
    let fade = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    let slope = f * f * (f * (f - 2.0) + 1.0) * 30.0;
    let at = |x, y, z| lattice_value(corner.wrapping_add(IVec3::new(x, y, z)), salt);
    let along_x = |y, z| {
        let (a, b) = (at(0, y, z), at(1, y, z));
        (a + (b - a) * fade.x, b - a)
    };
    let along_y = |z| {
        let ((a, da), (b, db)) = (along_x(0, z), along_x(1, z));
        (a + (b - a) * fade.y, da + (db - da) * fade.y, b - a)
    };
    let ((a, ax, ay), (b, bx, by)) = (along_y(0), along_y(1));
    let gradient = Vec3::new(ax + (bx - ax) * fade.z, ay + (by - ay) * fade.z, b - a);
    (a + (b - a) * fade.z, gradient * slope)
}

fn lattice_value(at: IVec3, salt: u32) -> f32 {
    let mixed = (at.x as u32).wrapping_mul(0x8da6_b343)
        ^ (at.y as u32).wrapping_mul(0xd816_3841)
        ^ (at.z as u32).wrapping_mul(0xcb1a_b31f)
        ^ salt.wrapping_mul(0x9e37_79b9);
    unit(hash(mixed)) * 2.0 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_the_slope() {
        let step = 1e-3;
        for i in 0..100 {
            let p = Vec3::new(i as f32 * 0.37 - 9.0, i as f32 * 0.11, 3.3 - i as f32 * 0.23);
            let (_, gradient) = lattice_noise(p, 1);
            for (axis, unit) in Vec3::AXES.into_iter().enumerate() {
                let slope = (lattice_noise(p + unit * step, 1).0 - lattice_noise(p - unit * step, 1).0)
                    / (2.0 * step);
                assert!((slope - gradient[axis]).abs() < 0.02, "{p}: {slope} {gradient}");
            }
        }
    }

    #[test]
    fn far_and_broken_points_are_harmless() {
        turbulence(Vec3::splat(1e30));
        turbulence(Vec3::NAN);
    }
}
