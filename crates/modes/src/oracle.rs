//! The same problems by a solver of others, Clarabel, to compare with.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

/// The least Σ w |x_a − x_b| with rows · x = targets.
pub(crate) fn least_energy(
    unknowns: usize,
    edges: &[[u32; 2]],
    weights: &[f64],
    rows: &[Vec<f64>],
    targets: &[f64],
) -> f64 {
    // Unknowns x, then t with −t ≤ x_a − x_b ≤ t.
    let (mut at, mut column, mut value) = (Vec::new(), Vec::new(), Vec::new());
    let mut put = |row: usize, col: usize, entry: f64| {
        at.push(row);
        column.push(col);
        value.push(entry);
    };
    for (i, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(j, &entry)| put(i, j, entry));
    }
    for (k, edge) in edges.iter().enumerate() {
        for (row, sign) in [(rows.len() + 2 * k, 1.0), (rows.len() + 2 * k + 1, -1.0)] {
            put(row, edge[0] as usize, sign);
            put(row, edge[1] as usize, -sign);
            put(row, unknowns + k, -1.0);
        }
    }
    let (height, width) = (rows.len() + 2 * edges.len(), unknowns + edges.len());
    let matrix = CscMatrix::new_from_triplets(height, width, at, column, value);
    let costs: Vec<f64> = std::iter::repeat_n(0.0, unknowns).chain(weights.iter().copied()).collect();
    let limits: Vec<f64> = targets.iter().copied().chain(std::iter::repeat_n(0.0, 2 * edges.len())).collect();
    let cones = [SupportedConeT::ZeroConeT(rows.len()), SupportedConeT::NonnegativeConeT(2 * edges.len())];
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-10)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .build()
        .expect("sound settings");
    let nothing = CscMatrix::zeros((width, width));
    let mut solver =
        DefaultSolver::new(&nothing, &costs, &matrix, &limits, &cones, settings).expect("a sound problem");
    solver.solve();
    let status = solver.solution.status;
    assert!(matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved), "{status:?}");
    solver.solution.obj_val
}
