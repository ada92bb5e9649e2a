//! Vibration: the generalised eigenvectors of stiffness and mass on the mesh as it was before it exploded.

use super::dense::Factors;
use super::energy::{Blocks, Exploded, dot};

/// Vibration modes without those of the shape as a whole, in order.
pub struct Spectrum {
    pub values: Vec<f64>,
    /// As motions of the exploded mesh, of norm one.
    pub vectors: Vec<Vec<f64>>,
}

/// The lowest vibration modes, by inverse iteration on a block.
pub fn spectrum(exploded: &Exploded, count: usize) -> Spectrum {
    let free = exploded.free_motions().len();
    let stiffness = whole(exploded, &exploded.stiffness);
    let mass = whole(exploded, &exploded.mass);
    // Free motions make Q singular: a little mass lifts them.
    let shift = 1e-3;
    let factors = Factors::new(combined(&stiffness, &mass, shift));
    let mut block = start(exploded, free + count + 4);
    for _ in 0..100 {
        block = block.iter().map(|x| factors.solve(product(&mass, x))).collect();
        orthonormalise(&mass, &mut block);
    }
    let kept = &block[free..free + count];
    let values = kept.iter().map(|x| dot(x, &product(&stiffness, x))).collect();
    Spectrum { values, vectors: kept.iter().map(|x| explode(exploded, x)).collect() }
}

/// How many eigenvalues are below a value, free motions included.
pub fn lower_count(exploded: &Exploded, value: f64) -> usize {
    let stiffness = whole(exploded, &exploded.stiffness);
    let mass = whole(exploded, &exploded.mass);
    Factors::new(combined(&stiffness, &mass, -value)).negative()
}

/// Two numbers for each point of the mesh, as three corners a triangle.
fn explode(exploded: &Exploded, motion: &[f64]) -> Vec<f64> {
    let points = exploded.mesh.triangles.iter().flatten();
    points.flat_map(|&point| [motion[2 * point], motion[2 * point + 1]]).collect()
}

/// The sum of all triangles' blocks at the points that they share.
fn whole(exploded: &Exploded, blocks: &Blocks) -> Vec<Vec<f64>> {
    let width = 2 * exploded.mesh.points.len();
    let mut matrix = vec![vec![0.0; width]; width];
    for (triangle, block) in exploded.mesh.triangles.iter().zip(blocks) {
        for (a, row) in block.iter().enumerate() {
            for (b, entry) in row.iter().enumerate() {
                matrix[2 * triangle[a / 2] + a % 2][2 * triangle[b / 2] + b % 2] += entry;
            }
        }
    }
    matrix
}

fn combined(stiffness: &[Vec<f64>], mass: &[Vec<f64>], share: f64) -> Vec<Vec<f64>> {
    let row = |(k, m): (&Vec<f64>, &Vec<f64>)| k.iter().zip(m).map(|(k, m)| k + share * m).collect();
    stiffness.iter().zip(mass).map(row).collect()
}

/// Powers of x and y along both axes: smooth, and no two alike.
fn start(exploded: &Exploded, count: usize) -> Vec<Vec<f64>> {
    let column = |k: usize| {
        let value = |x: f64, y: f64| libm::pow(x, (k / 2) as f64) + libm::pow(y, (k / 3) as f64);
        let pair = |x: f64, y: f64| {
            if k.is_multiple_of(2) { [value(x, y), 0.1 * y] } else { [0.1 * y, value(x, y)] }
        };
        exploded.mesh.points.iter().flat_map(|p| pair(p.x, p.y)).collect()
    };
    (0..count).map(column).collect()
}

fn product(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

/// Gram and Schmidt's, twice, for the digits that the first time loses.
fn orthonormalise(mass: &[Vec<f64>], block: &mut [Vec<f64>]) {
    for i in 0..block.len() {
        let (before, rest) = block.split_at_mut(i);
        for _ in 0..2 {
            let weighted = product(mass, &rest[0]);
            for other in before.iter() {
                let share = dot(other, &weighted);
                rest[0].iter_mut().zip(other).for_each(|(x, o)| *x -= share * o);
            }
        }
        let norm = dot(&rest[0], &product(mass, &rest[0])).sqrt();
        rest[0].iter_mut().for_each(|x| *x /= norm);
    }
}
