//! Small dense matrices: a Cholesky factor, and the eigenvectors of a symmetric matrix.

/// A symmetric positive matrix as L Lᵀ, row by row. Only the lower triangle of what is given counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cholesky {
    size: usize,
    rows: Vec<f64>,
}

/// A pivot that divides everything to nothing: its unknown becomes zero.
const DROPPED: f64 = 1e150;

impl Cholesky {
    /// Factors in place. A pivot that falls to `least` of its diagonal entry or below is dropped, and its unknown is zero.
    pub fn factor(mut rows: Vec<f64>, size: usize, least: f64) -> Cholesky {
        for i in 0..size {
            let (above, current) = rows.split_at_mut(i * size);
            let row = &mut current[..size];
            for j in 0..i {
                let other = &above[j * size..j * size + j + 1];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let pivot = row[i] - dot(&row[..i], &row[..i]);
            row[i] = if pivot > least * row[i] { pivot.sqrt() } else { DROPPED };
        }
        Cholesky { size, rows }
    }

    /// Gives the matrix's memory back, to be filled anew.
    pub fn into_rows(self) -> Vec<f64> {
        self.rows
    }

    /// Replaces a right-hand side by the solution.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_lower(x);
        for i in (0..self.size).rev() {
            let row = &self.rows[i * self.size..i * self.size + i + 1];
            let value = x[i] / row[i];
            x[i] = value;
            for (x, entry) in x.iter_mut().zip(&row[..i]) {
                *x -= entry * value;
            }
        }
    }

    fn solve_lower(&self, x: &mut [f64]) {
        for i in 0..self.size {
            let row = &self.rows[i * self.size..i * self.size + i + 1];
            x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
        }
    }
}

/// The product of two vectors. Four sums side by side: a chain of additions would wait for each of them.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (mut fours, mut other) = (a.chunks_exact(4), b.chunks_exact(4));
    for (a, b) in (&mut fours).zip(&mut other) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f64 = fours.remainder().iter().zip(other.remainder()).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Eigenvalues in rising order, and eigenvectors as rows, of a symmetric matrix, by Jacobi's rotations.
pub(crate) fn symmetric_eigen(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    let total: f64 = a.iter().map(|x| x * x).sum();
    for _ in 0..MOST_SWEEPS {
        let off: f64 =
            (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i * n + j] * a[i * n + j]).sum();
        if off.is_nan() || off <= 1e-28 * total {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, n, (p, q));
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i * n + i].total_cmp(&a[j * n + j]));
    let values = order.iter().map(|&i| a[i * n + i]).collect();
    (values, order.iter().map(|&i| std::mem::take(&mut vectors[i])).collect())
}

/// Six or seven suffice; more means that numbers are not finite.
const MOST_SWEEPS: usize = 40;

/// Turns axes `p` and `q` until their entry is zero.
fn rotate(a: &mut [f64], vectors: &mut [Vec<f64>], n: usize, (p, q): (usize, usize)) {
    let entry = a[p * n + q];
    if entry == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * entry);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        a[k * n + p] = cosine * x - sine * y;
        a[k * n + q] = sine * x + cosine * y;
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        a[p * n + k] = cosine * x - sine * y;
        a[q * n + k] = sine * x + cosine * y;
    }
    let (front, back) = vectors.split_at_mut(q);
    for (x, y) in front[p].iter_mut().zip(&mut back[0]) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A positive matrix with nothing special about it.
    fn matrix(n: usize) -> Vec<f64> {
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let wild = ((i * 7 + j * 13) % 11 + (j * 7 + i * 13) % 11) as f64 * 0.1;
                a[i * n + j] = wild + if i == j { 3.0 * n as f64 } else { 0.0 };
            }
        }
        a
    }

    #[test]
    fn a_factor_solves() {
        let (n, a) = (9, matrix(9));
        let truth: Vec<f64> = (0..n).map(|i| i as f64 - 3.5).collect();
        let mut x: Vec<f64> = (0..n).map(|i| dot(&a[i * n..(i + 1) * n], &truth)).collect();
        Cholesky::factor(a, n, 0.0).solve(&mut x);
        assert!(x.iter().zip(&truth).all(|(x, t)| (x - t).abs() < 1e-12), "{x:?}");
    }

    #[test]
    fn a_dependent_unknown_is_zero() {
        let mut x = vec![2.0, 2.0];
        Cholesky::factor(vec![1.0, 1.0, 1.0, 1.0], 2, 1e-11).solve(&mut x);
        assert!((x[0] - 2.0).abs() < 1e-12 && x[1].abs() < 1e-12, "{x:?}");
    }

    #[test]
    fn eigenvectors_are_what_they_are_called() {
        let (n, a) = (8, matrix(8));
        let (values, vectors) = symmetric_eigen(a.clone(), n);
        assert!(values.is_sorted());
        for (value, vector) in values.iter().zip(&vectors) {
            for i in 0..n {
                assert!((dot(&a[i * n..(i + 1) * n], vector) - value * vector[i]).abs() < 1e-10);
            }
        }
    }
}
