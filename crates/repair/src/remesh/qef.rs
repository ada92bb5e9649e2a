//! The point that lies best on some planes: on their edge or corner, if they have one.
//!
//! Ju, Losasso, Schaefer and Warren, *Dual Contouring of Hermite Data* (2002): least squares from the middle of the
//! crossings, along directions in which the planes say enough.

use glam::{DMat3, DVec3};

/// Directions whose eigenvalue is below this share of the greatest are left to the middle of the crossings. A surface
/// that bends by less than about 20° within a cell counts as smooth.
const SHARP: f64 = 0.05;

/// A crossing of the surface: where, and its normal; zero if that is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    pub point: DVec3,
    pub normal: DVec3,
}

/// The best point for some crossings, and the mean of their normals.
pub(crate) fn best_point(crossings: &[Crossing]) -> DVec3 {
    let count = crossings.len().max(1) as f64;
    let middle = crossings.iter().map(|c| c.point).sum::<DVec3>() / count;
    let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for Crossing { point, normal } in crossings {
        matrix += DMat3::from_cols(*normal * normal.x, *normal * normal.y, *normal * normal.z);
        right += *normal * normal.dot(*point - middle);
    }
    let (values, vectors) = eigen(matrix);
    let greatest = values.max_element();
    let mut best = middle;
    for i in 0..3 {
        if values[i] > SHARP * greatest && values[i] > 0.0 {
            let axis = vectors.col(i);
            best += axis * (axis.dot(right) / values[i]);
        }
    }
    best
}

/// Sweeps that bring a symmetric matrix to diagonal form to the last digit.
const SWEEPS: usize = 8;

/// The eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations.
fn eigen(mut matrix: DMat3) -> (DVec3, DMat3) {
    let mut vectors = DMat3::IDENTITY;
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = matrix.col(q)[p];
            if off == 0.0 {
                continue;
            }
            let theta = (matrix.col(q)[q] - matrix.col(p)[p]) / (2.0 * off);
            let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let sine = tangent * cosine;
            let mut rotation = DMat3::IDENTITY;
            rotation.col_mut(p)[p] = cosine;
            rotation.col_mut(q)[q] = cosine;
            rotation.col_mut(q)[p] = sine;
            rotation.col_mut(p)[q] = -sine;
            matrix = rotation.transpose() * matrix * rotation;
            vectors *= rotation;
        }
    }
    (DVec3::new(matrix.col(0)[0], matrix.col(1)[1], matrix.col(2)[2]), vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_planes_have_their_corner_and_one_its_middle() {
        let corner = DVec3::new(0.3, 0.4, 0.5);
        let cross = |point: DVec3, normal: DVec3| Crossing { point, normal };
        let planes = [
            cross(corner + DVec3::new(0.0, 0.2, 0.1), DVec3::X),
            cross(corner + DVec3::new(0.1, 0.0, -0.3), DVec3::Y),
            cross(corner + DVec3::new(-0.2, 0.3, 0.0), DVec3::Z),
        ];
        assert!(best_point(&planes).abs_diff_eq(corner, 1e-12));
        let flat = [cross(DVec3::ZERO, DVec3::Z), cross(DVec3::X, DVec3::Z)];
        assert!(best_point(&flat).abs_diff_eq(DVec3::X * 0.5, 1e-12));
        assert_eq!(best_point(&[cross(DVec3::ONE, DVec3::ZERO)]), DVec3::ONE);
    }

    #[test]
    fn eigenvectors_are_what_they_say() {
        let matrix = DMat3::from_cols_array(&[4.0, 1.0, -2.0, 1.0, 2.0, 0.5, -2.0, 0.5, 3.0]);
        let (values, vectors) = eigen(matrix);
        for i in 0..3 {
            let v = vectors.col(i);
            assert!((matrix * v).abs_diff_eq(v * values[i], 1e-12));
        }
    }
}
