//! A symmetric matrix as L D Lᵀ.

/// Lower triangles row by row; D on the diagonal.
pub struct Factors(Vec<Vec<f64>>);

impl Factors {
    /// Without pivoting: for matrices none of whose leading parts is singular.
    pub fn new(mut matrix: Vec<Vec<f64>>) -> Factors {
        for i in 0..matrix.len() {
            let (above, rest) = matrix.split_at_mut(i);
            let row = &mut rest[0];
            for j in 0..i {
                let sum: f64 = (0..j).map(|k| row[k] * above[j][k]).sum();
                row[j] -= sum;
            }
            // So far the row is L D: the diagonal is what is left after L D Lᵀ.
            for j in 0..i {
                let scaled = row[j] / above[j][j];
                row[i] -= scaled * row[j];
                row[j] = scaled;
            }
        }
        Factors(matrix)
    }

    /// How many eigenvalues are below zero: as many as pivots are (Sylvester's law of inertia).
    pub fn negative(&self) -> usize {
        self.0.iter().enumerate().filter(|(i, row)| row[*i] < 0.0).count()
    }

    pub fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        for i in 0..right.len() {
            let sum: f64 = (0..i).map(|k| self.0[i][k] * right[k]).sum();
            right[i] -= sum;
        }
        right.iter_mut().enumerate().for_each(|(i, x)| *x /= self.0[i][i]);
        for i in (0..right.len()).rev() {
            let known = right[i];
            (0..i).for_each(|k| right[k] -= self.0[i][k] * known);
        }
        right
    }
}
