//! Where the 64 voxels of a brick lie to a plane between two seeds.
//!
//! Everything is a whole number of 32 bits: no rounding decides where a voxel belongs. Where a machine has registers of eight (AVX2), `pulp` finds that out at run
//! time and lets safe code use them; elsewhere `wide` makes two registers of four of them. Whole numbers are the same in both.

use wide::i32x8;

/// A linear function on a brick: below zero on this side of the plane, above on the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    /// At the middle of the first voxel.
    pub start: i32,
    /// From voxel to voxel along each axis.
    pub step: [i32; 3],
    /// How much more or less it is anywhere in a voxel than at its middle.
    pub reach: i32,
    /// The greatest value of a middle on this side: 0 if a tie goes here, -1 if not.
    pub tie: i32,
}

/// Three masks of the voxels of a brick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    /// They have a point on this side, or on the plane.
    pub meets: u64,
    /// They have none on the other side, nor on the plane.
    pub within: u64,
    /// Their middles are on this side.
    pub owned: u64,
}

/// Bit i says whether number i is greater.
#[inline(always)]
fn greater(a: i32x8, b: i32x8) -> u64 {
    u64::from(a.simd_gt(b).to_bitmask())
}

impl Linear {
    /// The value in the middle of each of eight voxels: the first two rows of the brick.
    #[inline(always)]
    fn rows(&self) -> [i32; 8] {
        std::array::from_fn(|i| self.start + (i as i32 & 3) * self.step[0] + (i as i32 >> 2) * self.step[1])
    }

    /// Where the voxels lie.
    #[inline]
    pub fn sides(&self) -> Sides {
        let [beyond, before, other] = [self.reach, -self.reach, self.tie].map(i32x8::splat);
        let (by_two, by_layer) = (i32x8::splat(2 * self.step[1]), i32x8::splat(self.step[2]));
        let mut layer = i32x8::new(self.rows());
        let (mut misses, mut within, mut foreign) = (0, 0, 0);
        for z in 0..4 {
            for (half, values) in [(0, layer), (8, layer + by_two)] {
                let shift = 16 * z + half;
                misses |= greater(values, beyond) << shift;
                within |= greater(before, values) << shift;
                foreign |= greater(values, other) << shift;
            }
            layer += by_layer;
        }
        Sides { meets: !misses, within, owned: !foreign }
    }

    /// The value at the middle of a voxel.
    pub fn at(&self, bit: u32) -> i64 {
        let at = crate::brick::place(bit);
        let steps: i64 = (0..3).map(|k| i64::from(self.step[k]) * i64::from(at[k])).sum();
        i64::from(self.start) + steps
    }
}

/// What finds sides on this machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finder {
    #[cfg(target_arch = "x86_64")]
    wide: Option<pulp::x86::V3>,
}

impl Default for Finder {
    fn default() -> Finder {
        Finder {
            #[cfg(target_arch = "x86_64")]
            wide: pulp::x86::V3::try_new(),
        }
    }
}

impl Finder {
    /// The sides of a plane.
    #[inline]
    pub fn find_one(&self, plane: &Linear) -> Sides {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = self.wide {
            return wide.vectorize(avx::FindOne { wide, plane });
        }
        plane.sides()
    }

    /// The sides of each plane.
    #[inline]
    pub fn find(&self, planes: &[Linear], sides: &mut Vec<Sides>) {
        sides.clear();
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = self.wide {
            return wide.vectorize(avx::Find { wide, planes, sides });
        }
        sides.extend(planes.iter().map(Linear::sides));
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::{__m256, __m256i};

    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, cast};

    use super::{Linear, Sides};

    /// Finds sides in registers of eight.
    pub(super) struct Find<'a> {
        pub wide: V3,
        pub planes: &'a [Linear],
        pub sides: &'a mut Vec<Sides>,
    }

    /// Finds those of one plane.
    pub(super) struct FindOne<'a> {
        pub wide: V3,
        pub plane: &'a Linear,
    }

    impl NullaryFnOnce for FindOne<'_> {
        type Output = Sides;

        #[inline(always)]
        fn call(self) -> Sides {
            sides(self.wide, self.plane)
        }
    }

    impl NullaryFnOnce for Find<'_> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            for plane in self.planes {
                self.sides.push(sides(self.wide, plane));
            }
        }
    }

    #[inline(always)]
    fn sides(wide: V3, plane: &Linear) -> Sides {
        let splat = |x: i32| -> __m256i { wide.avx._mm256_set1_epi32(x) };
        let greater = |a: __m256i, b: __m256i| {
            let mask: __m256 = cast(wide.avx2._mm256_cmpgt_epi32(a, b));
            u64::from(wide.avx._mm256_movemask_ps(mask) as u32)
        };
        let [beyond, before, other] = [plane.reach, -plane.reach, plane.tie].map(splat);
        let (by_two, by_layer) = (splat(2 * plane.step[1]), splat(plane.step[2]));
        let mut layer: __m256i = cast(plane.rows());
        let (mut misses, mut within, mut foreign) = (0, 0, 0);
        for z in 0..4 {
            for (half, values) in [(0, layer), (8, wide.avx2._mm256_add_epi32(layer, by_two))] {
                let shift = 16 * z + half;
                misses |= greater(values, beyond) << shift;
                within |= greater(before, values) << shift;
                foreign |= greater(values, other) << shift;
            }
            layer = wide.avx2._mm256_add_epi32(layer, by_layer);
        }
        Sides { meets: !misses, within, owned: !foreign }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::chance::Chance;

    #[test]
    fn masks_are_what_single_voxels_say() {
        let mut chance = Chance::new(3);
        let mut draw = |most: i32| chance.below(2 * most as usize) as i32 - most;
        for round in 0..500 {
            let most = if round % 2 == 0 { 6 } else { 100_000 };
            let step = [draw(most), draw(most), draw(most)];
            let reach = step.iter().map(|s| s.abs()).sum::<i32>() / 2;
            let plane = Linear { start: draw(4 * most), step, reach, tie: -(round & 1) };
            let sides = plane.sides();
            let mut found = Vec::new();
            Finder::default().find(&[plane, plane], &mut found);
            assert_eq!(found, [sides, sides]);
            for bit in 0..64 {
                let value = plane.at(bit) as i32;
                assert_eq!(sides.meets >> bit & 1 == 1, value <= reach);
                assert_eq!(sides.within >> bit & 1 == 1, value < -reach);
                assert_eq!(sides.owned >> bit & 1 == 1, value <= plane.tie);
            }
        }
    }
}
