//! What a step did, and how long its parts took.

use std::time::{Duration, Instant};

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Particles in the air.
    pub particles: usize,
    /// Cells of air that were worked out.
    pub cells: usize,
    /// How long a side of a cell is, in metres; it grows when dust fills more room than [`Options::most_cells`](crate::Options::most_cells) allow.
    pub cell: f64,
    /// Particles outside of the window, in still air.
    pub strays: usize,
    /// Movers that were left out, as a number in them was not finite or absurd.
    pub dropped_movers: usize,
    /// How long each part took.
    pub times: Times,
}

/// How long the parts of a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Placing movers and closing faces.
    pub obstacles: Clock,
    /// Air that carries itself along, and takes the momentum of dust.
    pub advect: Clock,
    /// Pressure.
    pub project: Clock,
    /// Dust.
    pub particles: Clock,
    /// Moving the window, sorting and retiring particles.
    pub keep: Clock,
}

/// Time added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock(Duration);

impl Clock {
    /// Adds the time that something takes.
    pub(crate) fn take<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.0 += start.elapsed();
        result
    }

    /// In milliseconds.
    pub fn milliseconds(&self) -> f64 {
        self.0.as_secs_f64() * 1e3
    }
}

impl Times {
    /// Milliseconds of all parts.
    pub fn total(&self) -> f64 {
        let all = [self.obstacles, self.advect, self.project, self.particles, self.keep];
        all.iter().map(Clock::milliseconds).sum()
    }
}
