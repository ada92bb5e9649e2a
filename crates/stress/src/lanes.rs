//! Eight bodies side by side: one number of each in a register.
//!
//! Bodies that do not wait for each other are swept together, and what one does to another takes the same few products for all: no number has to
//! change its place in a register. Where a machine has registers of eight (AVX2), `pulp` finds that out at run time and lets safe code use them; elsewhere `wide`
//! makes two registers of four of them. Both multiply, then add, lane by lane: the bits are the same.

use std::ops::{Add, Mul, Sub};

use wide::{f32x8, f64x8};

use crate::block::{Real, Six};

/// So many bodies.
pub(crate) const LANES: usize = 8;

/// A number of each of eight bodies; or a row, the six numbers of a body and two zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Eight<T>(pub [T; LANES]);

impl<T: Real> Eight<T> {
    /// The row of a body.
    #[inline(always)]
    pub fn row(x: &Six<T>) -> Eight<T> {
        let none = T::default();
        Eight([x[0], x[1], x[2], x[3], x[4], x[5], none, none])
    }
}

/// A number of each of eight bodies in a register.
pub(crate) trait Lanes: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    type Number: Real;

    /// These numbers. Any register will do to show that there are such.
    fn with(self, numbers: &Eight<Self::Number>) -> Self;
    fn numbers(self) -> Eight<Self::Number>;
    /// Six numbers of each of eight bodies from their rows.
    fn turned(self, rows: [&Eight<Self::Number>; LANES]) -> [Self; 6];
    /// The rows of eight bodies from six numbers of each.
    fn rows(x: [Self; 6]) -> [Self; LANES];

    /// Several times these numbers.
    #[inline(always)]
    fn with_each<const N: usize>(self, numbers: &[Eight<Self::Number>; N]) -> [Self; N] {
        let mut all = [self; N];
        for k in 0..N {
            all[k] = self.with(&numbers[k]);
        }
        all
    }

    #[inline(always)]
    fn gather(self, rows: &[Eight<Self::Number>], at: &[u32; LANES]) -> [Self; 6] {
        let [a, b, c, d, e, f, g, h] = *at;
        let row = |at: u32| &rows[at as usize];
        self.turned([row(a), row(b), row(c), row(d), row(e), row(f), row(g), row(h)])
    }

    #[inline(always)]
    fn scatter(x: [Self; 6], rows: &mut [Eight<Self::Number>], at: &[u32; LANES]) {
        let own = Self::rows(x);
        for k in 0..LANES {
            rows[at[k] as usize] = own[k].numbers();
        }
    }

    /// Subtracts from rows, one after the other: some may be the same.
    #[inline(always)]
    fn scatter_less(x: [Self; 6], rows: &mut [Eight<Self::Number>], at: &[u32; LANES]) {
        let own = Self::rows(x);
        for k in 0..LANES {
            let row = &mut rows[at[k] as usize];
            *row = (own[k].with(row) - own[k]).numbers();
        }
    }

    #[inline(always)]
    fn zero(self) -> Self {
        self.with(&Eight::default())
    }
}

/// What is done in registers, whatever they are.
pub(crate) trait Task<T: Real> {
    type Output;
    fn run<L: Lanes<Number = T>>(self, lanes: L) -> Self::Output;
}

/// Runs a task in the widest registers of this machine.
#[inline]
pub(crate) fn run_wide<O: Task<f32>>(task: O) -> O::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = avx::Wide::find() {
        return wide.run(task);
    }
    run_plainly(task)
}

/// Runs a task in the registers that every machine has.
#[inline(never)]
pub(crate) fn run_plainly<O: Task<f32>>(task: O) -> O::Output {
    task.run(f32x8::ZERO)
}

impl Lanes for f32x8 {
    type Number = f32;

    #[inline(always)]
    fn with(self, numbers: &Eight<f32>) -> f32x8 {
        f32x8::new(numbers.0)
    }

    #[inline(always)]
    fn numbers(self) -> Eight<f32> {
        Eight(self.to_array())
    }

    #[inline(always)]
    fn turned(self, rows: [&Eight<f32>; LANES]) -> [f32x8; 6] {
        let [a, b, c, d, e, f, ..] = f32x8::transpose(rows.map(|row| f32x8::new(row.0)));
        [a, b, c, d, e, f]
    }

    #[inline(always)]
    fn rows([a, b, c, d, e, f]: [f32x8; 6]) -> [f32x8; LANES] {
        f32x8::transpose([a, b, c, d, e, f, f32x8::ZERO, f32x8::ZERO])
    }
}

impl Lanes for f64x8 {
    type Number = f64;

    #[inline(always)]
    fn with(self, numbers: &Eight<f64>) -> f64x8 {
        f64x8::new(numbers.0)
    }

    #[inline(always)]
    fn numbers(self) -> Eight<f64> {
        Eight(self.to_array())
    }

    #[inline(always)]
    fn turned(self, rows: [&Eight<f64>; LANES]) -> [f64x8; 6] {
        std::array::from_fn(|k| f64x8::new(rows.map(|row| row.0[k])))
    }

    #[inline(always)]
    fn rows(x: [f64x8; 6]) -> [f64x8; LANES] {
        let x = x.map(|x| x.to_array());
        std::array::from_fn(|body| f64x8::new(Eight::row(&x.map(|x| x[body])).0))
    }
}

/// Registers of eight.
#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::{__m128, __m256};
    use std::ops::{Add, Mul, Sub};

    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, cast};

    use super::{Eight, LANES, Lanes, Task};

    /// A register, and the word of `pulp` that there are such.
    #[derive(Clone, Copy)]
    pub struct Wide(V3, __m256);

    struct Run<O>(Wide, O);

    impl<O: Task<f32>> NullaryFnOnce for Run<O> {
        type Output = O::Output;

        #[inline(always)]
        fn call(self) -> O::Output {
            self.1.run(self.0)
        }
    }

    impl Wide {
        #[inline]
        pub fn find() -> Option<Wide> {
            V3::try_new().map(|v3| Wide(v3, cast([0.0f32; LANES])))
        }

        #[inline]
        pub fn run<O: Task<f32>>(self, task: O) -> O::Output {
            self.0.vectorize(Run(self, task))
        }

        #[inline(always)]
        fn low_of(self, x: Wide) -> Wide {
            Wide(self.0, self.0.avx._mm256_shuffle_ps::<0x44>(self.1, x.1))
        }

        #[inline(always)]
        fn high_of(self, x: Wide) -> Wide {
            Wide(self.0, self.0.avx._mm256_shuffle_ps::<0xee>(self.1, x.1))
        }

        #[inline(always)]
        fn mixed(self, x: Wide) -> [Wide; 2] {
            let avx = self.0.avx;
            [
                Wide(self.0, avx._mm256_unpacklo_ps(self.1, x.1)),
                Wide(self.0, avx._mm256_unpackhi_ps(self.1, x.1)),
            ]
        }

        /// Four by four numbers, turned, in both halves.
        #[inline(always)]
        fn quarters([a, b, c, d]: [Wide; 4]) -> [Wide; 4] {
            let ([e, f], [g, h]) = (a.mixed(b), c.mixed(d));
            [e.low_of(g), e.high_of(g), f.low_of(h), f.high_of(h)]
        }

        /// Half a row of one body and half a row of another.
        #[inline(always)]
        fn halves(self, [low, high]: [&Eight<f32>; 2], half: usize) -> Wide {
            let four = |x: &Eight<f32>| cast::<[f32; 4], __m128>(x.0.as_chunks().0[half]);
            let avx = self.0.avx;
            let (low, high) = (avx._mm256_castps128_ps256(four(low)), four(high));
            Wide(self.0, avx._mm256_insertf128_ps::<1>(low, high))
        }
    }

    impl Add for Wide {
        type Output = Wide;

        #[inline(always)]
        fn add(self, x: Wide) -> Wide {
            Wide(self.0, self.0.avx._mm256_add_ps(self.1, x.1))
        }
    }

    impl Sub for Wide {
        type Output = Wide;

        #[inline(always)]
        fn sub(self, x: Wide) -> Wide {
            Wide(self.0, self.0.avx._mm256_sub_ps(self.1, x.1))
        }
    }

    impl Mul for Wide {
        type Output = Wide;

        #[inline(always)]
        fn mul(self, x: Wide) -> Wide {
            Wide(self.0, self.0.avx._mm256_mul_ps(self.1, x.1))
        }
    }

    impl Lanes for Wide {
        type Number = f32;

        #[inline(always)]
        fn with(self, numbers: &Eight<f32>) -> Wide {
            Wide(self.0, cast(numbers.0))
        }

        #[inline(always)]
        fn numbers(self) -> Eight<f32> {
            Eight(cast(self.1))
        }

        #[inline(always)]
        fn turned(self, rows: [&Eight<f32>; LANES]) -> [Wide; 6] {
            let pair = |body: usize, half| self.halves([rows[body], rows[body + 4]], half);
            let [a, b, c, d] = Wide::quarters([pair(0, 0), pair(1, 0), pair(2, 0), pair(3, 0)]);
            let [e, f, ..] = Wide::quarters([pair(0, 1), pair(1, 1), pair(2, 1), pair(3, 1)]);
            [a, b, c, d, e, f]
        }

        #[inline(always)]
        fn rows([a, b, c, d, e, f]: [Wide; 6]) -> [Wide; LANES] {
            let zero = a.zero();
            let (first, last) = (Wide::quarters([a, b, c, d]), Wide::quarters([e, f, zero, zero]));
            let (v3, avx) = (a.0, a.0.avx);
            let mut rows = [zero; LANES];
            for body in 0..LANES / 2 {
                let (low, high) = (first[body].1, last[body].1);
                rows[body] = Wide(v3, avx._mm256_permute2f128_ps::<0x20>(low, high));
                rows[body + 4] = Wide(v3, avx._mm256_permute2f128_ps::<0x31>(low, high));
            }
            rows
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes numbers from rows to registers and back, less what has been there.
    struct ThereAndBack<'a>(&'a mut [Eight<f32>], [u32; LANES]);

    impl Task<f32> for ThereAndBack<'_> {
        type Output = [[f32; LANES]; 6];

        fn run<L: Lanes<Number = f32>>(self, lanes: L) -> [[f32; LANES]; 6] {
            let x = lanes.gather(self.0, &self.1);
            L::scatter_less(x, self.0, &self.1);
            L::scatter_less(x, self.0, &self.1);
            x.map(|x| x.numbers().0)
        }
    }

    fn rows() -> Vec<Eight<f32>> {
        let row = |body: i32| Eight::row(&std::array::from_fn(|k| (10 * body + k as i32) as f32));
        (0..12).map(row).collect()
    }

    fn check(run: fn(ThereAndBack) -> [[f32; LANES]; 6]) {
        let (mut left, at) = (rows(), [3, 1, 4, 1, 5, 9, 2, 6]);
        let x = run(ThereAndBack(&mut left, at));
        for (lane, body) in at.into_iter().enumerate() {
            (0..6).for_each(|k| assert_eq!(x[k][lane], rows()[body as usize].0[k]));
        }
        for (body, (left, was)) in (0..).zip(left.iter().zip(rows())) {
            let times = at.iter().filter(|at| **at == body).count() as f32 * 2.0;
            assert_eq!(*left, Eight(was.0.map(|x| x - times * x)));
        }
    }

    #[test]
    fn rows_are_turned_and_turned_back_and_may_be_the_same() {
        check(|task| run_wide(task));
        check(|task| run_plainly(task));
    }
}
