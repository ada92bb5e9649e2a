//! What a fracture did.

use std::time::Duration;

use super::Dropped;

/// The time each stage took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Moving the pattern to the impact and finding the touched pieces.
    pub align: Duration,
    /// Cutting pieces and skins by cells, and fitting convexes.
    pub intersect: Duration,
    /// Welding.
    pub weld: Duration,
    /// Finding bonds.
    pub bonds: Duration,
    /// Islands and fragments.
    pub gather: Duration,
}

impl StageTimes {
    /// All stages together.
    pub fn total(&self) -> Duration {
        self.align + self.intersect + self.weld + self.bonds + self.gather
    }
}

/// What a fracture did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Pieces within the impact's reach.
    pub touched: usize,
    /// Cells with something in them, those around the pattern's box included.
    pub cells: usize,
    /// Pieces after the cuts.
    pub pieces: usize,
    /// Fragments.
    pub fragments: usize,
    /// Fragments more than there are colours: parts of one colour that do not hang together.
    pub islands: usize,
    /// Cells whose pieces were welded to one.
    pub welds: usize,
    /// Faces newly laid open.
    pub exposed: usize,
    /// Their open area.
    pub exposed_area: f64,
    /// Pieces too small to keep.
    pub dropped: Dropped,
    /// The time each stage took.
    pub times: StageTimes,
}

/// What was done to several compounds at once.
impl std::ops::AddAssign for Report {
    fn add_assign(&mut self, other: Report) {
        self.touched += other.touched;
        self.cells += other.cells;
        self.pieces += other.pieces;
        self.fragments += other.fragments;
        self.islands += other.islands;
        self.welds += other.welds;
        self.exposed += other.exposed;
        self.exposed_area += other.exposed_area;
        self.dropped.add(other.dropped);
        self.times.align += other.times.align;
        self.times.intersect += other.times.intersect;
        self.times.weld += other.times.weld;
        self.times.bonds += other.times.bonds;
        self.times.gather += other.times.gather;
    }
}
