//! Where the 64 voxels of a brick lie to a plane between two seeds.
//!
//! Everything is a whole number of 32 bits: no rounding decides where a voxel belongs. Where a machine has registers of sixteen or of eight (AVX-512, AVX2), `pulp` finds that out
//! at run time and lets safe code use them; elsewhere `wide` makes two registers of four of one of eight. Whole numbers are the same in all.

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
pub(crate) enum Finder {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Eight(pulp::x86::V3),
    #[cfg(target_arch = "x86_64")]
    Sixteen(pulp::x86::V4),
}

impl Default for Finder {
    fn default() -> Finder {
        Finder::all().last().copied().unwrap_or(Finder::Plain)
    }
}

impl Finder {
    /// All that this machine has, the widest last.
    fn all() -> Vec<Finder> {
        let mut all = vec![Finder::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(pulp::x86::V3::try_new().map(Finder::Eight));
            all.extend(pulp::x86::V4::try_new().map(Finder::Sixteen));
        }
        all
    }

    /// The sides of a plane.
    #[inline]
    pub fn find_one(self, plane: &Linear) -> Sides {
        match self {
            Finder::Plain => plane.sides(),
            #[cfg(target_arch = "x86_64")]
            Finder::Eight(wide) => wide.vectorize(avx::FindOne { wide, plane }),
            #[cfg(target_arch = "x86_64")]
            Finder::Sixteen(wide) => wide.vectorize(avx::FindOne { wide, plane }),
        }
    }

    /// The sides of each plane.
    #[inline]
    pub fn find(self, planes: &[Linear], sides: &mut Vec<Sides>) {
        sides.clear();
        match self {
            Finder::Plain => sides.extend(planes.iter().map(Linear::sides)),
            #[cfg(target_arch = "x86_64")]
            Finder::Eight(wide) => wide.vectorize(avx::Find { wide, planes, sides }),
            #[cfg(target_arch = "x86_64")]
            Finder::Sixteen(wide) => wide.vectorize(avx::Find { wide, planes, sides }),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::{__m256, __m256i, __m512i};

    use pulp::x86::{V3, V4};
    use pulp::{NullaryFnOnce, cast};

    use super::{Linear, Sides};

    /// Registers of some width.
    pub(super) trait Wide: Copy {
        fn sides(self, plane: &Linear) -> Sides;
    }

    /// Finds sides.
    pub(super) struct Find<'a, W> {
        pub wide: W,
        pub planes: &'a [Linear],
        pub sides: &'a mut Vec<Sides>,
    }

    impl<W: Wide> NullaryFnOnce for Find<'_, W> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            for plane in self.planes {
                self.sides.push(self.wide.sides(plane));
            }
        }
    }

    /// Finds those of one plane.
    pub(super) struct FindOne<'a, W> {
        pub wide: W,
        pub plane: &'a Linear,
    }

    impl<W: Wide> NullaryFnOnce for FindOne<'_, W> {
        type Output = Sides;

        #[inline(always)]
        fn call(self) -> Sides {
            self.wide.sides(self.plane)
        }
    }

    impl Wide for V3 {
        #[inline(always)]
        fn sides(self, plane: &Linear) -> Sides {
            let splat = |x: i32| -> __m256i { self.avx._mm256_set1_epi32(x) };
            let (add, times) = (
                |a: __m256i, b: __m256i| self.avx2._mm256_add_epi32(a, b),
                |a: [i32; 8], b: i32| self.avx2._mm256_mullo_epi32(cast(a), splat(b)),
            );
            let greater = |a: __m256i, b: __m256i| {
                let mask: __m256 = cast(self.avx2._mm256_cmpgt_epi32(a, b));
                u64::from(self.avx._mm256_movemask_ps(mask) as u32)
            };
            let [beyond, before, other] = [plane.reach, -plane.reach, plane.tie].map(splat);
            let (by_two, by_layer) = (splat(2 * plane.step[1]), splat(plane.step[2]));
            let along_x = times([0, 1, 2, 3, 0, 1, 2, 3], plane.step[0]);
            let along_y = times([0, 0, 0, 0, 1, 1, 1, 1], plane.step[1]);
            let mut layer = add(splat(plane.start), add(along_x, along_y));
            let (mut misses, mut within, mut foreign) = (0, 0, 0);
            for z in 0..4 {
                for (half, values) in [(0, layer), (8, add(layer, by_two))] {
                    let shift = 16 * z + half;
                    misses |= greater(values, beyond) << shift;
                    within |= greater(before, values) << shift;
                    foreign |= greater(values, other) << shift;
                }
                layer = add(layer, by_layer);
            }
            Sides { meets: !misses, within, owned: !foreign }
        }
    }

    impl Wide for V4 {
        #[inline(always)]
        fn sides(self, plane: &Linear) -> Sides {
            let splat = |x: i32| -> __m512i { self.avx512f._mm512_set1_epi32(x) };
            let (add, times) = (
                |a: __m512i, b: __m512i| self.avx512f._mm512_add_epi32(a, b),
                |a: [i32; 16], b: i32| self.avx512f._mm512_mullo_epi32(cast(a), splat(b)),
            );
            let greater = |a: __m512i, b: __m512i| u64::from(self.avx512f._mm512_cmpgt_epi32_mask(a, b));
            let [beyond, before, other] = [plane.reach, -plane.reach, plane.tie].map(splat);
            let by_layer = splat(plane.step[2]);
            let along_x = times([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], plane.step[0]);
            let along_y = times([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3], plane.step[1]);
            let mut layer = add(splat(plane.start), add(along_x, along_y));
            let (mut misses, mut within, mut foreign) = (0, 0, 0);
            for z in 0..4 {
                misses |= greater(layer, beyond) << (16 * z);
                within |= greater(before, layer) << (16 * z);
                foreign |= greater(layer, other) << (16 * z);
                layer = add(layer, by_layer);
            }
            Sides { meets: !misses, within, owned: !foreign }
        }
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
            for finder in Finder::all() {
                let mut found = Vec::new();
                finder.find(&[plane, plane], &mut found);
                assert_eq!((found, finder.find_one(&plane)), (vec![sides, sides], sides), "{finder:?}");
            }
            for bit in 0..64 {
                let value = plane.at(bit) as i32;
                assert_eq!(sides.meets >> bit & 1 == 1, value <= reach);
                assert_eq!(sides.within >> bit & 1 == 1, value < -reach);
                assert_eq!(sides.owned >> bit & 1 == 1, value <= plane.tie);
            }
        }
    }
}
