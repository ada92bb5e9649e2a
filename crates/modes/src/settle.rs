//! The last digits of a mode: orthogonal to those before it, of length one, and constant on its pieces all the same.

use crate::dense::{Cholesky, dot};
use crate::net::Net;
use crate::partition::Partition;
use crate::pursuit::{ALIKE, Answer, Found, Pursuit, borders, merge};

/// Products with earlier modes at most.
const ORTHOGONAL: f64 = 1e-9;
/// Directions of which less is left than this depend on others.
const DEPENDENT: f64 = 1e-6;
/// What may change in a mode of length one for it to be the same mode.
const MOST_STEPS: usize = 3;
const SAME: f64 = 1e-3;
/// Parts of the largest motion by which pieces may differ to be merged, from many pieces merged to few.
const ALIKES: [f64; 6] = [ALIKE, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

impl Pursuit<'_> {
    /// Merges pieces that move alike, as many as can be merged with the mode orthogonal to the others. Those may need a motion that
    /// differs in the seventh digit, and then pieces that do so stay apart.
    pub(crate) fn settle(&self, answer: Answer) -> Option<Found> {
        let (edges, _) = borders(self.net, &answer.pieces);
        let masses = answer.pieces.sums(&self.net.masses);
        let merged = |alike: f64| merge(&answer.pieces, &edges, &masses, &answer.values, alike);
        let whole = Found { pieces: answer.pieces.clone(), values: answer.values.clone() };
        let tries = ALIKES.into_iter().map(merged).chain([whole]);
        tries.filter_map(|found| self.settled(found)).next()
    }

    fn settled(&self, mut found: Found) -> Option<Found> {
        let rows = self.rows_on(&found.pieces);
        let masses = found.pieces.sums(&self.net.masses);
        scale_to_one(&masses, &mut found.values)?;
        let before = found.values.clone();
        let gram = gram(&rows, &masses);
        for _ in 0..MOST_STEPS {
            let mut along: Vec<f64> = rows.iter().map(|row| dot(row, &found.values)).collect();
            if along.iter().all(|product| product.abs() < ORTHOGONAL) {
                break;
            }
            gram.solve(&mut along);
            for (row, along) in rows.iter().zip(&along) {
                let entries = found.values.iter_mut().zip(row.iter().zip(&masses));
                entries.for_each(|(value, (entry, mass))| *value -= along * entry / mass);
            }
        }
        scale_to_one(&masses, &mut found.values)?;
        let is_orthogonal = rows.iter().all(|row| dot(row, &found.values).abs() < 2.0 * ORTHOGONAL);
        let change: f64 = found
            .values
            .iter()
            .zip(&before)
            .zip(&masses)
            .map(|((a, b), mass)| mass * (a - b) * (a - b))
            .sum();
        (is_orthogonal && change < SAME * SAME).then_some(found)
    }

    /// The earlier modes, times mass, summed over pieces.
    fn rows_on(&self, pieces: &Partition) -> Vec<Vec<f64>> {
        let Net { masses, .. } = self.net;
        let sum = |values: &Vec<f64>| {
            let mut row = vec![0.0; pieces.count()];
            let cells = masses.iter().zip(self.taken.pieces.of_cells()).zip(pieces.of_cells());
            cells.for_each(|((mass, &taken), &piece)| row[piece as usize] += mass * values[taken as usize]);
            row
        };
        self.taken.values.iter().map(sum).collect()
    }
}

fn gram(rows: &[Vec<f64>], masses: &[f64]) -> Cholesky {
    let k = rows.len();
    let mut matrix = vec![0.0; k * k];
    for (i, row) in rows.iter().enumerate() {
        let light: Vec<f64> = row.iter().zip(masses).map(|(entry, mass)| entry / mass).collect();
        for (j, other) in rows.iter().take(i + 1).enumerate() {
            matrix[i * k + j] = dot(&light, other);
        }
    }
    Cholesky::factor(matrix, k, DEPENDENT)
}

fn scale_to_one(masses: &[f64], values: &mut [f64]) -> Option<()> {
    let length =
        masses.iter().zip(values.iter()).map(|(mass, value)| mass * value * value).sum::<f64>().sqrt();
    values.iter_mut().for_each(|value| *value /= length);
    (length.is_finite() && length > 0.0).then_some(())
}
