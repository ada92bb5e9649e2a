//! The convex problem within a mode's search (Equations 16 and 17, Appendix A), by Clarabel.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver};
use clarabel::solver::{SolverStatus, SupportedConeT};

use super::energy::{Exploded, quadrature, times};

#[derive(Default)]
struct Triplets {
    rows: Vec<usize>,
    columns: Vec<usize>,
    entries: Vec<f64>,
}

impl Triplets {
    fn put(&mut self, row: usize, column: usize, entry: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.entries.push(entry);
    }

    fn matrix(self, height: usize, width: usize) -> CscMatrix {
        CscMatrix::new_from_triplets(height, width, self.rows, self.columns, self.entries)
    }
}

/// The motion u with the least ½ uᵀQu + ω E_D(u), orthogonal to `locked`, and with a part of one along the heading.
pub fn least(exploded: &Exploded, omega: f64, locked: &[Vec<f64>], heading: &[f64]) -> Vec<f64> {
    // Unknowns are u, then z with z_e ≥ E_e.
    let (motion, edges) = (exploded.width(), exploded.mesh.edges.len());
    let width = motion + edges;
    let height = locked.len() + 1 + 5 * edges;
    let constraints = constraints(exploded, locked, heading).matrix(height, width);
    let mut limits = vec![0.0; height];
    limits[locked.len()] = 1.0;
    let costs: Vec<f64> = (0..width).map(|i| if i < motion { 0.0 } else { omega }).collect();
    let mut cones = vec![SupportedConeT::ZeroConeT(locked.len() + 1)];
    cones.extend((0..edges).map(|_| SupportedConeT::SecondOrderConeT(5)));
    let quadratic = stiffness(exploded).matrix(width, width);
    let mut solver = DefaultSolver::new(&quadratic, &costs, &constraints, &limits, &cones, settings())
        .expect("a sound problem");
    solver.solve();
    let status = solver.solution.status;
    assert!(matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved), "ω = {omega}: {status:?}");
    solver.solution.x[..motion].to_vec()
}

fn settings() -> DefaultSettings<f64> {
    DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-10)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .build()
        .expect("sound settings")
}

/// The upper triangle of Q.
fn stiffness(exploded: &Exploded) -> Triplets {
    let mut all = Triplets::default();
    for (f, block) in exploded.stiffness.iter().enumerate() {
        for (a, row) in block.iter().enumerate() {
            (a..6).for_each(|b| all.put(6 * f + a, 6 * f + b, row[b]));
        }
    }
    all
}

/// Rows of orthogonality and of the heading, then a cone an edge: z_e and the jump at its two quadrature points.
fn constraints(exploded: &Exploded, locked: &[Vec<f64>], heading: &[f64]) -> Triplets {
    let mut all = Triplets::default();
    for (i, row) in locked.iter().map(Vec::as_slice).chain([heading]).enumerate() {
        times(&exploded.mass, row).into_iter().enumerate().for_each(|(j, entry)| all.put(i, j, entry));
    }
    for (e, edge) in exploded.mesh.edges.iter().enumerate() {
        let top = locked.len() + 1 + 5 * e;
        all.put(top, exploded.width() + e, -1.0);
        for (point, weights) in quadrature(edge).iter().enumerate() {
            for (weight, [a, b]) in weights.iter().zip(edge.ends) {
                for axis in 0..2 {
                    let row = top + 1 + 2 * point + axis;
                    all.put(row, 2 * a + axis, -weight);
                    all.put(row, 2 * b + axis, *weight);
                }
            }
        }
    }
    all
}
