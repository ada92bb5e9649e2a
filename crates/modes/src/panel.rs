//! Eight vectors side by side. A net's indices are read once for all eight, and the eight fill registers.

use rayon::prelude::*;

/// One entry of eight vectors.
pub(crate) type Eight = [f64; 8];

/// Eight vectors over the cells.
pub(crate) type Panel = Vec<Eight>;

/// Rows that are summed as one. Fixed, so that sums do not depend on threads.
const RUN: usize = 1024;

/// All products of the vectors of some panels with those of others, weighed: entry (i, j) of a square matrix.
pub(crate) fn products(left: &[Panel], right: &[Panel], weights: Option<&[f64]>) -> Vec<f64> {
    let cells = left.first().map_or(0, Vec::len);
    let runs: Vec<Vec<[Eight; 8]>> = (0..cells.div_ceil(RUN))
        .into_par_iter()
        .map(|run| {
            let rows = run * RUN..cells.min((run + 1) * RUN);
            let pairs = pairs(left.len()).map(|(i, j)| {
                run_product(
                    &left[i][rows.clone()],
                    &right[j][rows.clone()],
                    weights.map(|w| &w[rows.clone()]),
                )
            });
            pairs.collect()
        })
        .collect();
    let size = left.len() * 8;
    let mut matrix = vec![0.0; size * size];
    for (at, (i, j)) in pairs(left.len()).enumerate() {
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            let sum: f64 = runs.iter().map(|run| run[at][a][b]).sum();
            matrix[(i * 8 + a) * size + j * 8 + b] = sum;
            matrix[(j * 8 + b) * size + i * 8 + a] = sum;
        }
    }
    matrix
}

fn pairs(panels: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..panels).flat_map(|i| (0..=i).map(move |j| (i, j)))
}

fn run_product(left: &[Eight], right: &[Eight], weights: Option<&[f64]>) -> [Eight; 8] {
    let mut sums = [[0.0; 8]; 8];
    for (row, (a, b)) in left.iter().zip(right).enumerate() {
        let weight = weights.map_or(1.0, |weights| weights[row]);
        for (sums, a) in sums.iter_mut().zip(a) {
            let scaled = a * weight;
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += scaled * b;
            }
        }
    }
    sums
}

/// New panels from the vectors of others: vector `c` is the sum of all of them, times the entries of `coefficients[c]`.
pub(crate) fn combine(panels: &[Panel], coefficients: &[Vec<f64>]) -> Vec<Panel> {
    let cells = panels.first().map_or(0, Vec::len);
    let make = |columns: &[Vec<f64>]| {
        // Entry k: what vector k adds to each of the eight new ones.
        let factors: Vec<Eight> = (0..panels.len() * 8)
            .map(|k| std::array::from_fn(|c| columns.get(c).map_or(0.0, |column| column[k])))
            .collect();
        let mut out = vec![[0.0; 8]; cells];
        out.par_chunks_mut(RUN).enumerate().for_each(|(run, out)| {
            for (panel, factors) in panels.iter().zip(factors.chunks_exact(8)) {
                for (out, row) in out.iter_mut().zip(&panel[run * RUN..]) {
                    for (value, factors) in row.iter().zip(factors) {
                        add(out, *value, factors);
                    }
                }
            }
        });
        out
    };
    coefficients.chunks(8).map(make).collect()
}

/// Adds a multiple.
#[inline]
pub(crate) fn add(to: &mut Eight, factor: f64, what: &Eight) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += factor * what;
    }
}

/// One product for each of the eight vectors, summed in runs.
pub(crate) fn lane_products(a: &[Eight], b: &[Eight]) -> Eight {
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(seed: usize, cells: usize) -> Panel {
        (0..cells)
            .map(|i| std::array::from_fn(|c| ((i * 31 + c * 17 + seed * 7) % 23) as f64 - 11.0))
            .collect()
    }

    #[test]
    fn products_and_sums_are_those_of_vectors() {
        let panels = [panel(1, 2500), panel(2, 2500)];
        let weights: Vec<f64> = (0..2500).map(|i| (i % 5) as f64).collect();
        let matrix = products(&panels, &panels, Some(&weights));
        let entry = |k: usize, i: usize| panels[k / 8][i][k % 8];
        for (a, b) in [(0, 0), (3, 12), (12, 3), (15, 9)] {
            let truth: f64 = (0..2500).map(|i| weights[i] * entry(a, i) * entry(b, i)).sum();
            assert_eq!(matrix[a * 16 + b], truth);
        }
        let mut column = vec![0.0; 16];
        (column[2], column[9]) = (2.0, -1.0);
        let made = combine(&panels, &[column]);
        assert!((0..2500).all(|i| made[0][i][0] == 2.0 * entry(2, i) - entry(9, i) && made[0][i][1] == 0.0));
    }
}
