//! What binds bodies, for eight pairs of them at once: as blocks, or as the springs that blocks are made of.
//!
//! The blocks of coarse levels are sums of many. Those of the first level have one spring each, whose arms, normal and stiffness are half as many numbers as
//! its block has: half as much memory to wait for.

use std::ops::{Add, Mul, Sub};

use crate::block::{Block, Real, Spring, transposed};
use crate::lanes::{Eight, Lanes};

/// What binds eight pairs of bodies, each a row and a column of the stiffness matrix.
pub(crate) trait Bonds<T: Real>: Clone + Default + std::fmt::Debug {
    /// What binds a pair.
    type One: Clone;

    /// The same, seen from the other body.
    fn turned(one: &Self::One) -> Self::One;
    fn set(&mut self, lane: usize, one: &Self::One);
    /// The loads on the rows that resist motions of the columns.
    fn pull<L: Lanes<Number = T>>(&self, motion: &[L; 6]) -> [L; 6];
    /// The loads on the columns that resist motions of the rows.
    fn push<L: Lanes<Number = T>>(&self, motion: &[L; 6]) -> [L; 6];
}

/// Blocks, each mapping a motion of its row to a load on its column, column by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks<T>([[Eight<T>; 6]; 6]);

impl<T: Real> Bonds<T> for Blocks<T> {
    type One = Block<T>;

    fn turned(one: &Block<T>) -> Block<T> {
        transposed(one)
    }

    fn set(&mut self, lane: usize, one: &Block<T>) {
        self.0.as_flattened_mut().iter_mut().zip(one).for_each(|(to, x)| to.0[lane] = *x);
    }

    #[inline(always)]
    fn pull<L: Lanes<Number = T>>(&self, x: &[L; 6]) -> [L; 6] {
        let mut sum = *x;
        for (sum, column) in sum.iter_mut().zip(&self.0) {
            *sum = sum_of_six(|row| x[row].with(&column[row]) * x[row]);
        }
        sum
    }

    #[inline(always)]
    fn push<L: Lanes<Number = T>>(&self, x: &[L; 6]) -> [L; 6] {
        let mut sum = *x;
        for (row, sum) in sum.iter_mut().enumerate() {
            *sum = sum_of_six(|column| x[column].with(&self.0[column][row]) * x[column]);
        }
        sum
    }
}

/// A spring at the end of two arms: from the column's centre, and from the row's.
#[derive(Clone, Debug)]
pub(crate) struct Tie<T> {
    pub spring: Spring<T>,
    pub arms: [[T; 3]; 2],
}

/// Springs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ties<T> {
    across: Eight<T>,
    more: Eight<T>,
    normal: [Eight<T>; 3],
    /// Of a symmetric matrix: its first column, the rest of its second, and its last number.
    angular: [Eight<T>; 6],
    arms: [[Eight<T>; 3]; 2],
}

impl<T: Real> Bonds<T> for Ties<T> {
    type One = Tie<T>;

    fn turned(Tie { spring, arms: [a, b] }: &Tie<T>) -> Tie<T> {
        Tie { spring: *spring, arms: [*b, *a] }
    }

    fn set(&mut self, lane: usize, Tie { spring, arms }: &Tie<T>) {
        self.across.0[lane] = spring.across;
        self.more.0[lane] = spring.more;
        self.normal.iter_mut().zip(spring.normal).for_each(|(to, x)| to.0[lane] = x);
        let angular = [0, 1, 2, 4, 5, 8].map(|at| spring.angular[at]);
        self.angular.iter_mut().zip(angular).for_each(|(to, x)| to.0[lane] = x);
        let own = self.arms.as_flattened_mut().iter_mut();
        own.zip(arms.as_flattened()).for_each(|(to, x)| to.0[lane] = *x);
    }

    #[inline(always)]
    fn pull<L: Lanes<Number = T>>(&self, motion: &[L; 6]) -> [L; 6] {
        self.load(motion, &self.arms[0], &self.arms[1])
    }

    #[inline(always)]
    fn push<L: Lanes<Number = T>>(&self, motion: &[L; 6]) -> [L; 6] {
        self.load(motion, &self.arms[1], &self.arms[0])
    }
}

impl<T: Real> Ties<T> {
    /// The loads at the ends of some arms that resist motions at the ends of others.
    #[inline(always)]
    fn load<L: Lanes<Number = T>>(
        &self,
        motion: &[L; 6],
        from: &[Eight<T>; 3],
        to: &[Eight<T>; 3],
    ) -> [L; 6] {
        let lanes = motion[0];
        let [x, y, z, u, v, w] = moved(motion, &lanes.with_each(from));
        let [a, b, c] = lanes.with_each(&self.normal);
        let (across, along) = (lanes.with(&self.across), lanes.with(&self.more) * (a * x + b * y + c * z));
        let [f, g, h] = [across * x + a * along, across * y + b * along, across * z + c * along];
        let [xx, xy, xz, yy, yz, zz] = lanes.with_each(&self.angular);
        let [i, j, k] = [xx * u + xy * v + xz * w, xy * u + yy * v + yz * w, xz * u + yz * v + zz * w];
        let [a, b, c] = lanes.with_each(to);
        [f, g, h, i + (b * h - c * g), j + (c * f - a * h), k + (a * g - b * f)]
    }
}

/// A motion at the end of an arm.
#[inline(always)]
pub(crate) fn moved<N: Copy + Add<Output = N> + Sub<Output = N> + Mul<Output = N>>(
    &[x, y, z, u, v, w]: &[N; 6],
    &[a, b, c]: &[N; 3],
) -> [N; 6] {
    [x + (v * c - w * b), y + (w * a - u * c), z + (u * b - v * a), u, v, w]
}

/// Symmetric blocks: the upper triangle, column by column.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Symmetric<T>([Eight<T>; 21]);

impl<T: Real> Symmetric<T> {
    pub fn set(&mut self, lane: usize, block: &Block) {
        for column in 0..6 {
            for row in 0..=column {
                self.0[place(row, column)].0[lane] = T::of(block[6 * column + row]);
            }
        }
    }

    #[inline(always)]
    pub fn times<L: Lanes<Number = T>>(&self, x: &[L; 6]) -> [L; 6] {
        let mut sum = *x;
        for (row, sum) in sum.iter_mut().enumerate() {
            *sum = sum_of_six(|column| x[column].with(&self.0[place(row, column)]) * x[column]);
        }
        sum
    }
}

/// In pairs, which do not wait for each other.
#[inline(always)]
pub(crate) fn sum_of_six<N: Add<Output = N>>(x: impl Fn(usize) -> N) -> N {
    ((x(0) + x(1)) + (x(2) + x(3))) + (x(4) + x(5))
}

/// Where a number of a symmetric block is.
#[inline(always)]
const fn place(row: usize, column: usize) -> usize {
    let (low, high) = if row < column { (row, column) } else { (column, row) };
    high * (high + 1) / 2 + low
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt, SeedableRng};
    use wide::f64x8;

    use super::*;
    use crate::block::times;
    use crate::lanes::LANES;

    fn some(rng: &mut impl Rng) -> f64 {
        rng.random_range(-1.0..1.0)
    }

    fn tie(rng: &mut impl Rng) -> Tie<f64> {
        let [a, b, c, d, e, f]: [f64; 6] = std::array::from_fn(|_| some(rng));
        let spring = Spring {
            across: some(rng),
            more: some(rng),
            normal: std::array::from_fn(|_| some(rng)),
            angular: [a, b, c, b, d, e, c, e, f],
        };
        Tie { spring, arms: std::array::from_fn(|_| std::array::from_fn(|_| some(rng))) }
    }

    /// A number of each body in registers: those of the bodies in rows.
    fn turned(rows: &[Eight<f64>; LANES]) -> [f64x8; 6] {
        f64x8::ZERO.turned(rows.each_ref())
    }

    #[test]
    fn springs_do_what_their_blocks_do() {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(1);
        let (mut ties, mut blocks) = (Ties::<f64>::default(), Blocks::default());
        let all: [Tie<f64>; LANES] = std::array::from_fn(|_| tie(&mut rng));
        let block = |Tie { spring, arms: [a, b] }: &Tie<f64>| spring.block(*a, *b);
        for (lane, own) in all.iter().enumerate() {
            ties.set(lane, own);
            blocks.set(lane, &block(own));
        }
        let rows = std::array::from_fn(|_| Eight::row(&std::array::from_fn(|_| some(&mut rng))));
        let x = turned(&rows);
        let found = [ties.push(&x), blocks.push(&x), ties.pull(&x), blocks.pull(&x)];
        for (lane, own) in all.iter().enumerate() {
            let motion = std::array::from_fn(|k| rows[lane].0[k]);
            let [pushed, pulled] = [own.clone(), Ties::turned(own)].map(|own| times(&block(&own), &motion));
            for (found, wanted) in found.iter().zip([pushed, pushed, pulled, pulled]) {
                (0..6).for_each(|k| assert!((found[k].to_array()[lane] - wanted[k]).abs() < 1e-12));
            }
        }
    }

    #[test]
    fn half_of_a_symmetric_block_is_enough() {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(2);
        let mut symmetric = Symmetric::<f64>::default();
        let all: [Block; LANES] = std::array::from_fn(|_| {
            let half: Block = std::array::from_fn(|_| some(&mut rng));
            std::array::from_fn(|at| half[at] + half[at % 6 * 6 + at / 6])
        });
        all.iter().enumerate().for_each(|(lane, block)| symmetric.set(lane, block));
        let rows = std::array::from_fn(|_| Eight::row(&std::array::from_fn(|_| some(&mut rng))));
        let found = symmetric.times(&turned(&rows));
        for (lane, block) in all.iter().enumerate() {
            let wanted = times(block, &std::array::from_fn(|k| rows[lane].0[k]));
            (0..6).for_each(|k| assert!((found[k].to_array()[lane] - wanted[k]).abs() < 1e-12));
        }
    }
}
