//! Four particles side by side, one in each lane.
//!
//! A particle alone takes some 700 instructions of arithmetic a step; four together take hardly more than one. Lanes do not know of each other, and
//! there is no fused multiplication: each particle gets the bits that it would get alone, on any machine.

use std::ops::{Add, Mul, Sub};

use glam::{Quat, Vec3A};
use wide::f32x4;

/// How many there are.
pub(crate) const LANES: usize = 4;

/// A vector for each of four particles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vec3x4 {
    pub x: f32x4,
    pub y: f32x4,
    pub z: f32x4,
}

/// A rotation for each of four particles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quatx4 {
    /// What is imaginary.
    pub v: Vec3x4,
    pub w: f32x4,
}

impl Vec3x4 {
    #[inline(always)]
    pub fn new(x: f32x4, y: f32x4, z: f32x4) -> Vec3x4 {
        Vec3x4 { x, y, z }
    }

    /// The same for all.
    #[inline(always)]
    pub fn splat(all: Vec3A) -> Vec3x4 {
        Vec3x4::new(f32x4::splat(all.x), f32x4::splat(all.y), f32x4::splat(all.z))
    }

    #[inline(always)]
    pub fn from_lanes(lanes: [Vec3A; LANES]) -> Vec3x4 {
        Vec3x4::new(lanes.map(|v| v.x).into(), lanes.map(|v| v.y).into(), lanes.map(|v| v.z).into())
    }

    #[inline(always)]
    pub fn to_lanes(self) -> [Vec3A; LANES] {
        let [x, y, z] = [self.x, self.y, self.z].map(f32x4::to_array);
        std::array::from_fn(|lane| Vec3A::new(x[lane], y[lane], z[lane]))
    }

    #[inline(always)]
    pub fn dot(self, other: Vec3x4) -> f32x4 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub fn length_squared(self) -> f32x4 {
        self.dot(self)
    }

    #[inline(always)]
    pub fn element_sum(self) -> f32x4 {
        self.x + self.y + self.z
    }

    /// Does the same with x, y and z.
    #[inline(always)]
    pub fn map(self, each: impl Fn(f32x4) -> f32x4) -> Vec3x4 {
        Vec3x4::new(each(self.x), each(self.y), each(self.z))
    }

    /// Those that are longer than `most` are shortened to it.
    #[inline(always)]
    pub fn clamp_length_max(self, most: f32) -> Vec3x4 {
        let squared = self.length_squared();
        let is_long = squared.simd_gt(f32x4::splat(most * most));
        if !is_long.any() {
            return self;
        }
        let length = is_long.select(squared.sqrt(), f32x4::ONE);
        let most = is_long.select(f32x4::splat(most), f32x4::ONE);
        self.map(|along| most * (along / length))
    }
}

impl Quatx4 {
    #[inline(always)]
    pub fn from_lanes(lanes: [Quat; LANES]) -> Quatx4 {
        let v = Vec3x4::new(lanes.map(|q| q.x).into(), lanes.map(|q| q.y).into(), lanes.map(|q| q.z).into());
        Quatx4 { v, w: lanes.map(|q| q.w).into() }
    }

    #[inline(always)]
    pub fn to_lanes(self) -> [Quat; LANES] {
        let (v, w) = (self.v.to_lanes(), self.w.to_array());
        std::array::from_fn(|lane| Quat::from_xyzw(v[lane].x, v[lane].y, v[lane].z, w[lane]))
    }

    /// Where the first axis is turned to.
    #[inline(always)]
    pub fn first_axis(self) -> Vec3x4 {
        let Vec3x4 { x, y, z } = self.v;
        let (along, across) = (x * 2.0, self.w * 2.0);
        let rest = self.w * self.w - self.v.dot(self.v);
        Vec3x4::new(rest + x * along, y * along + z * across, z * along - y * across)
    }

    /// Where the third axis is turned to.
    #[inline(always)]
    pub fn third_axis(self) -> Vec3x4 {
        let Vec3x4 { x, y, z } = self.v;
        let (along, across) = (z * 2.0, self.w * 2.0);
        let rest = self.w * self.w - self.v.dot(self.v);
        Vec3x4::new(x * along + y * across, y * along - x * across, rest + z * along)
    }

    /// The sum of this and of this times a small rotation before it, by half its angle along its axis; nearly of length 1.
    #[inline(always)]
    pub fn turned_by(self, half: Vec3x4) -> Quatx4 {
        let (Vec3x4 { x, y, z }, w) = (self.v, self.w);
        let v = Vec3x4::new(
            x + (half.x * w + half.y * z - half.z * y),
            y + (half.y * w + half.z * x - half.x * z),
            z + (half.x * y - half.y * x + half.z * w),
        );
        let w = w - (half.x * x + half.y * y + half.z * z);
        // A step of Newton's towards length 1, where it nearly is: no root.
        let scale = f32x4::splat(1.5) - (v.dot(v) + w * w) * 0.5;
        Quatx4 { v: v * scale, w: w * scale }
    }
}

impl Add for Vec3x4 {
    type Output = Vec3x4;
    #[inline(always)]
    fn add(self, other: Vec3x4) -> Vec3x4 {
        Vec3x4::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for Vec3x4 {
    type Output = Vec3x4;
    #[inline(always)]
    fn sub(self, other: Vec3x4) -> Vec3x4 {
        Vec3x4::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

/// Element by element.
impl Mul for Vec3x4 {
    type Output = Vec3x4;
    #[inline(always)]
    fn mul(self, other: Vec3x4) -> Vec3x4 {
        Vec3x4::new(self.x * other.x, self.y * other.y, self.z * other.z)
    }
}

impl Mul<f32x4> for Vec3x4 {
    type Output = Vec3x4;
    #[inline(always)]
    fn mul(self, scale: f32x4) -> Vec3x4 {
        Vec3x4::new(self.x * scale, self.y * scale, self.z * scale)
    }
}

impl Mul<f32> for Vec3x4 {
    type Output = Vec3x4;
    #[inline(always)]
    fn mul(self, scale: f32) -> Vec3x4 {
        self * f32x4::splat(scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::chance::Chance;

    fn vectors(chance: &mut Chance) -> [Vec3A; LANES] {
        std::array::from_fn(|_| (chance.point() * 3.0).as_vec3a())
    }

    #[test]
    fn lanes_are_what_one_alone_is() {
        let mut chance = Chance::new(4);
        for _ in 0..500 {
            let (a, b) = (vectors(&mut chance), vectors(&mut chance));
            let (fa, fb) = (Vec3x4::from_lanes(a), Vec3x4::from_lanes(b));
            let short = fa.clamp_length_max(2.0).to_lanes();
            for lane in 0..LANES {
                assert_eq!((fa + fb).to_lanes()[lane], a[lane] + b[lane]);
                assert_eq!((fa - fb * 2.0).to_lanes()[lane], a[lane] - b[lane] * 2.0);
                assert_eq!(fa.dot(fb).to_array()[lane], a[lane].dot(b[lane]));
                assert_eq!(short[lane], a[lane].clamp_length_max(2.0));
            }
        }
    }

    #[test]
    fn rotations_turn_as_those_of_one_do() {
        let mut chance = Chance::new(5);
        for _ in 0..500 {
            let turns: [Quat; LANES] = std::array::from_fn(|_| {
                Quat::from_axis_angle(chance.direction().as_vec3(), chance.between(-3.0, 3.0) as f32)
            });
            let halves = vectors(&mut chance).map(|v| v * 0.02);
            let four = Quatx4::from_lanes(turns);
            let turned = four.turned_by(Vec3x4::from_lanes(halves)).to_lanes();
            for lane in 0..LANES {
                let (turn, half) = (turns[lane], halves[lane]);
                assert!(four.first_axis().to_lanes()[lane].distance(turn * Vec3A::X) < 1e-6);
                assert!(four.third_axis().to_lanes()[lane].distance(turn * Vec3A::Z) < 1e-6);
                let expected = Quat::from_scaled_axis((half * 2.0).into()) * turn;
                let axes = [Vec3A::X, Vec3A::Y].map(|axis| (turned[lane] * axis).distance(expected * axis));
                assert!(axes.into_iter().all(|far| far < 2e-3), "{half}: {axes:?}");
                assert!((turned[lane].length() - 1.0).abs() < 1e-4);
            }
        }
    }
}
