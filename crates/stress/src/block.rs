//! Six by six blocks: what a motion of one rigid body does to the load on another.
//!
//! A motion is a displacement and a small rotation, a load is a force and a torque, both about a body's centre: linear part
//! first. Blocks are kept column by column, because a product adds up columns, which needs no sums across a register.

use glam::{DMat3, DVec3};
use wide::f32x4;

/// A motion or a load: linear part, then angular part.
pub(crate) type Six<T = f64> = [T; 6];

/// A six by six matrix, column by column.
pub(crate) type Block<T = f64> = [T; 36];

/// A number that sweeps run in: `f32` where there are many blocks, `f64` where digits count.
pub(crate) trait Real:
    Copy
    + Default
    + PartialOrd
    + std::fmt::Debug
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::AddAssign
    + std::ops::SubAssign
    + std::ops::Neg<Output = Self>
{
    /// A block as it lies in memory.
    type Packed: Copy + Default + std::fmt::Debug;
    /// A sum of products of transposed blocks and vectors.
    type Sum: Copy + Default;

    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
    fn pack(block: &Block<Self>) -> Self::Packed;
    /// A block times a vector.
    fn times(block: &Self::Packed, x: &Six<Self>) -> Six<Self>;
    /// Adds a transposed block times a vector to a sum.
    fn add_transposed(sum: &mut Self::Sum, block: &Self::Packed, x: &Six<Self>);
    fn total(sum: &Self::Sum) -> Six<Self>;
}

/// Registers of four, written out: left alone, compilers gather lanes one by one. A pair of columns fills three of them, and the
/// middle one has the end of the first column and the start of the second. Those of `glam` will not do: Rapier has them computed number by number.
impl Real for f32 {
    type Packed = [f32x4; 9];
    type Sum = [f32x4; 9];

    #[inline(always)]
    fn of(value: f64) -> f32 {
        value as f32
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn pack(block: &Block<f32>) -> [f32x4; 9] {
        std::array::from_fn(|at| f32x4::new(std::array::from_fn(|k| block[4 * at + k])))
    }

    #[inline(always)]
    fn times(block: &[f32x4; 9], x: &Six<f32>) -> Six<f32> {
        let (mut first, mut middle, mut last) = (f32x4::ZERO, f32x4::ZERO, f32x4::ZERO);
        for pair in 0..3 {
            let (even, odd) = (x[2 * pair], x[2 * pair + 1]);
            first += block[3 * pair] * f32x4::splat(even);
            middle += block[3 * pair + 1] * f32x4::new([even, even, odd, odd]);
            last += block[3 * pair + 2] * f32x4::splat(odd);
        }
        let ([m0, m1, m2, m3], [l0, l1, l2, l3]) = (middle.to_array(), last.to_array());
        let [a, b, c, d] = (first + f32x4::new([m2, m3, l0, l1])).to_array();
        [a, b, c, d, m0 + l2, m1 + l3]
    }

    #[inline(always)]
    fn add_transposed(sum: &mut [f32x4; 9], block: &[f32x4; 9], x: &Six<f32>) {
        let low = f32x4::new([x[0], x[1], x[2], x[3]]);
        let high = f32x4::new([x[2], x[3], x[4], x[5]]);
        let middle = f32x4::new([x[4], x[5], x[0], x[1]]);
        for pair in 0..3 {
            sum[3 * pair] += block[3 * pair] * low;
            sum[3 * pair + 1] += block[3 * pair + 1] * middle;
            sum[3 * pair + 2] += block[3 * pair + 2] * high;
        }
    }

    #[inline(always)]
    fn total(sum: &[f32x4; 9]) -> Six<f32> {
        let column = |at: usize| {
            let [own, middle] = [at / 2 * 3 + at % 2 * 2, at / 2 * 3 + 1].map(|at| sum[at].to_array());
            let rest = if at.is_multiple_of(2) { middle[0] + middle[1] } else { middle[2] + middle[3] };
            ((own[0] + own[1]) + (own[2] + own[3])) + rest
        };
        std::array::from_fn(column)
    }
}

impl Real for f64 {
    type Packed = Packed64;
    type Sum = Six;

    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn pack(block: &Block) -> Packed64 {
        Packed64(*block)
    }

    #[inline(always)]
    fn times(block: &Packed64, x: &Six) -> Six {
        times(&block.0, x)
    }

    #[inline(always)]
    fn add_transposed(sum: &mut Six, block: &Packed64, x: &Six) {
        for (sum, column) in sum.iter_mut().zip(block.0.as_chunks::<6>().0) {
            let [a, b, c, d, e, f] = std::array::from_fn(|row| column[row] * x[row]);
            *sum += ((a + b) + (c + d)) + (e + f);
        }
    }

    #[inline(always)]
    fn total(sum: &Six) -> Six {
        *sum
    }
}

/// A block of `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed64(Block);

impl Default for Packed64 {
    fn default() -> Packed64 {
        Packed64([0.0; 36])
    }
}

/// A block times a vector.
#[inline(always)]
pub(crate) fn times(block: &Block, x: &Six) -> Six {
    let mut sum = [0.0; 6];
    for (column, x) in block.as_chunks::<6>().0.iter().zip(x) {
        (0..6).for_each(|row| sum[row] += column[row] * x);
    }
    sum
}

/// A vector of two.
#[inline]
pub(crate) fn six(linear: DVec3, angular: DVec3) -> Six {
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

/// The two of a vector.
#[inline]
pub(crate) fn halves(x: &Six) -> (DVec3, DVec3) {
    (DVec3::new(x[0], x[1], x[2]), DVec3::new(x[3], x[4], x[5]))
}

/// Four three by three matrices as one.
fn join(quarters: [[DMat3; 2]; 2]) -> Block {
    let [[a, b], [c, d]] = quarters.map(|row| row.map(|m| m.to_cols_array()));
    let mut block = [0.0; 36];
    for column in 0..3 {
        for row in 0..3 {
            let from = column * 3 + row;
            block[column * 6 + row] = a[from];
            block[column * 6 + 3 + row] = c[from];
            block[(column + 3) * 6 + row] = b[from];
            block[(column + 3) * 6 + 3 + row] = d[from];
        }
    }
    block
}

fn quarter(block: &Block, row: usize, column: usize) -> DMat3 {
    let col = |c: usize| {
        let at = (3 * column + c) * 6 + 3 * row;
        DVec3::new(block[at], block[at + 1], block[at + 2])
    };
    DMat3::from_cols(col(0), col(1), col(2))
}

/// The matrix of `v` ↦ `arm` × `v`.
fn cross(arm: DVec3) -> DMat3 {
    DMat3::from_cols(arm.cross(DVec3::X), arm.cross(DVec3::Y), arm.cross(DVec3::Z))
}

/// A spring at the end of two arms: `across` in all directions, `more` along a normal besides, and `angular` against turning.
pub(crate) struct Spring<T> {
    pub across: T,
    pub more: T,
    pub normal: [T; 3],
    /// Column by column.
    pub angular: [T; 9],
}

impl<T: Real> Spring<T> {
    /// What binds the motions of two bodies, with the arms from their centres to the spring.
    ///
    /// Along the normal that is a product of two vectors, and in all directions alike it takes only the arms: a third of the work
    /// of products of matrices.
    #[inline]
    pub fn block(&self, a: [T; 3], b: [T; 3]) -> Block<T> {
        let k = self.across;
        let none = T::default();
        let [row, column] = [a, b].map(|arm| self.wrench(arm));
        let [c0, c1, c2, c3, c4, c5] = column.map(|x| x * self.more);
        let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let turn = |i: usize, j: usize| self.angular[j * 3 + i] - k * b[i] * a[j];
        let along = |i: usize| self.angular[i * 4] + k * (dot - b[i] * a[i]);
        let rest: [[T; 6]; 6] = [
            [k, none, none, none, k * a[2], -(k * a[1])],
            [none, k, none, -(k * a[2]), none, k * a[0]],
            [none, none, k, k * a[1], -(k * a[0]), none],
            [none, -(k * b[2]), k * b[1], along(0), turn(1, 0), turn(2, 0)],
            [k * b[2], none, -(k * b[0]), turn(0, 1), along(1), turn(2, 1)],
            [-(k * b[1]), k * b[0], none, turn(0, 2), turn(1, 2), along(2)],
        ];
        let mut block = [none; 36];
        for (at, factor) in [c0, c1, c2, c3, c4, c5].into_iter().enumerate() {
            for i in 0..6 {
                block[at * 6 + i] = row[i] * factor + rest[at][i];
            }
        }
        block
    }

    /// A unit of force along the normal, as a load at the other end of an arm.
    #[inline]
    fn wrench(&self, [a, b, c]: [T; 3]) -> Six<T> {
        let [x, y, z] = self.normal;
        [x, y, z, b * z - c * y, c * x - a * z, a * y - b * x]
    }
}

/// A block as seen from other centres, `arm_a` and `arm_b` away from the old ones.
pub(crate) fn carried(block: &Block, arm_a: DVec3, arm_b: DVec3) -> Block {
    let turn = cross(-arm_b);
    let (top, bottom) = (quarter(block, 0, 0), quarter(block, 1, 0));
    let (top_right, bottom_right) = (quarter(block, 0, 1) + top * turn, quarter(block, 1, 1) + bottom * turn);
    let lever = cross(arm_a);
    join([[top, top_right], [bottom + lever * top, bottom_right + lever * top_right]])
}

pub(crate) fn transposed<T: Real>(block: &Block<T>) -> Block<T> {
    let mut to = [T::default(); 36];
    for column in 0..6 {
        for row in 0..6 {
            to[row * 6 + column] = block[column * 6 + row];
        }
    }
    to
}

pub(crate) fn add<T: Real>(to: &mut [T], block: &[T]) {
    to.iter_mut().zip(block).for_each(|(to, x)| *to += *x);
}

/// The inverse of a symmetric positive definite block, by halves; zero where nothing resists.
pub(crate) fn inverse(block: &Block) -> Block {
    let (a, b, c) = (quarter(block, 0, 0), quarter(block, 0, 1), quarter(block, 1, 1));
    let a_inverse = inverse3(a);
    let w = a_inverse * b;
    let s = inverse3(c - b.transpose() * w);
    let right = -(w * s);
    join([[a_inverse - right * w.transpose(), right], [right.transpose(), s]])
}

/// The inverse of a symmetric matrix.
fn inverse3(m: DMat3) -> DMat3 {
    // Scaled first: stiffnesses of small pieces to the third power underflow.
    let scale = m.x_axis.x.abs().max(m.y_axis.y.abs()).max(m.z_axis.z.abs());
    if scale <= 0.0 || !scale.is_finite() {
        return DMat3::ZERO;
    }
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = m * (1.0 / scale);
    let columns = [y.cross(z), z.cross(x), x.cross(y)];
    let determinant = x.dot(columns[0]);
    if determinant <= 0.0 {
        return diagonal_inverse(DMat3::from_cols(x, y, z)) * (1.0 / scale);
    }
    // Of a symmetric matrix: rows and columns of its inverse are the same.
    let factor = 1.0 / (determinant * scale);
    DMat3::from_cols(columns[0] * factor, columns[1] * factor, columns[2] * factor)
}

/// Of a matrix that rounding has made singular: what its diagonal alone resists.
fn diagonal_inverse(m: DMat3) -> DMat3 {
    let one = |x: f64| if x > f64::EPSILON { 1.0 / x } else { 0.0 };
    DMat3::from_diagonal(DVec3::new(one(m.x_axis.x), one(m.y_axis.y), one(m.z_axis.z)))
}

/// A block as it lies in memory.
pub(crate) fn packed<T: Real>(block: &Block) -> T::Packed {
    T::pack(&block.map(T::of))
}
