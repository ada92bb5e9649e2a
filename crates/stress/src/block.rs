//! Six by six blocks: what a motion of one rigid body does to the load on another.
//!
//! A motion is a displacement and a small rotation, a load is a force and a torque, both about a body's centre: linear part
//! first. Blocks are kept column by column.

use glam::{DMat3, DVec3};
use wide::f64x8;

use crate::lanes::{Task, run_wide};

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
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
    /// Runs a task in the registers that suit it best.
    fn run<O: Task<Self>>(task: O) -> O::Output;
}

impl Real for f32 {
    #[inline(always)]
    fn of(value: f64) -> f32 {
        value as f32
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn run<O: Task<f32>>(task: O) -> O::Output {
        run_wide(task)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn run<O: Task<f64>>(task: O) -> O::Output {
        task.run(f64x8::ZERO)
    }
}

/// A block times a vector.
#[inline(always)]
pub(crate) fn times<T: Real>(block: &Block<T>, x: &Six<T>) -> Six<T> {
    let mut sum = [T::default(); 6];
    for (column, x) in block.as_chunks::<6>().0.iter().zip(x) {
        (0..6).for_each(|row| sum[row] += column[row] * *x);
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
#[derive(Clone, Copy, Debug)]
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
