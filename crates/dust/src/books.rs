//! The books of dust: what came in is somewhere.

/// Where all the dust is, in kilograms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Books {
    /// All that was ever added.
    pub injected: f64,
    /// In the air.
    pub aloft: f64,
    /// On the floor and on blockers.
    pub settled: f64,
    /// Faded, or retired when there were too many particles.
    pub retired: f64,
    /// Puffs that were left out, as a number in them was not finite or there was no dust in them.
    pub dropped_puffs: usize,
}

impl Books {
    /// All that is somewhere: as much as was added.
    pub fn total(&self) -> f64 {
        self.aloft + self.settled + self.retired
    }
}
