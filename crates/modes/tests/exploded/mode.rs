//! A mode by iterated convexification (Algorithm 1).

use super::energy::{Exploded, opening};
use super::programme::least;
use super::spectrum::spectrum;

/// A motion of norm one, and what it costs.
pub struct Mode {
    pub omega: f64,
    pub motion: Vec<f64>,
    /// ½ uᵀQu.
    pub strain: f64,
    /// E_D, without ω.
    pub discontinuity: f64,
    /// How many convex problems were solved.
    pub turns: usize,
    /// Whether the heading stayed in the end.
    pub converged: bool,
}

impl Mode {
    pub fn energy(&self) -> f64 {
        self.strain + self.omega * self.discontinuity
    }

    /// How much of the energy is strain, from zero to one.
    pub fn share(&self) -> f64 {
        self.strain / self.energy()
    }

    /// Which triangles move without a jump between them (σ of Section 3.3).
    pub fn fragments(&self, exploded: &Exploded) -> Vec<u32> {
        let most = self.motion.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        exploded.mesh.parts(|edge| opening(edge, &self.motion) < 1e-3 * most * edge.length.sqrt())
    }
}

/// The mode that a heading leads to, orthogonal to `locked`.
pub fn mode(exploded: &Exploded, omega: f64, locked: &[Vec<f64>], heading: &[f64]) -> Mode {
    let (most_turns, close) = (60, 1e-5);
    let mut heading = heading.to_vec();
    let (mut turns, mut converged) = (0, false);
    while !converged && turns < most_turns {
        let mut motion = least(exploded, omega, locked, &heading);
        // Locks hold to the solver's digits only.
        exploded.part_from(locked, &mut motion);
        let norm = exploded.norm(&motion);
        motion.iter_mut().for_each(|x| *x /= norm);
        let turned: Vec<f64> = motion.iter().zip(&heading).map(|(new, old)| new - old).collect();
        converged = exploded.norm(&turned) < close;
        heading = motion;
        turns += 1;
    }
    let (strain, discontinuity) = (exploded.strain_energy(&heading), exploded.discontinuity(&heading));
    Mode { omega, motion: heading, strain, discontinuity, turns, converged }
}

/// The first mode for each ω, each from the first vibration mode.
pub fn sweep(exploded: &Exploded, omegas: impl Iterator<Item = f64>) -> Vec<Mode> {
    let (free, start) = (exploded.free_motions(), spectrum(exploded, 1));
    omegas.map(|omega| mode(exploded, omega, &free, &start.vectors[0])).collect()
}
