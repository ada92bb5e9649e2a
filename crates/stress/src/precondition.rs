//! The hierarchy in short numbers, or in long ones where those do not do.
//!
//! Short ones take half the memory that sweeps wait for. Pieces a thousand times as long as their joints are wide need more digits: what turns
//! them is lost next to what moves them.

use crate::block::{Block, Six};
use crate::hierarchy::{Hierarchy, Springs};
use crate::level::Swept;
use crate::link::Link;

/// How many digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Digits {
    #[default]
    Short,
    Long,
}

/// What makes conjugate gradients converge.
#[derive(Clone, Debug)]
pub(crate) enum Preconditioner {
    Short(Box<Hierarchy<f32>>),
    Long(Box<Hierarchy<f64>>),
}

impl Preconditioner {
    pub fn new(springs: &Springs, digits: Digits) -> Preconditioner {
        match digits {
            Digits::Short => Preconditioner::Short(Box::new(Hierarchy::new(springs))),
            Digits::Long => Preconditioner::Long(Box::new(Hierarchy::new(springs))),
        }
    }

    /// About the energy of loads: half of what an answer takes.
    pub fn ask(&mut self, loads: &[Six], quiet: f64) -> Swept {
        match self {
            Preconditioner::Short(hierarchy) => hierarchy.ask(loads, quiet),
            Preconditioner::Long(hierarchy) => hierarchy.ask(loads, quiet),
        }
    }

    /// About what moves under the loads that were asked about, where they are more than quiet.
    pub fn answer(&mut self, motions: &mut [Six]) {
        match self {
            Preconditioner::Short(hierarchy) => hierarchy.answer(motions),
            Preconditioner::Long(hierarchy) => hierarchy.answer(motions),
        }
    }

    /// What exactly resists the motion that was answered to these loads.
    pub fn resistance(&self, loads: &[Six], to: &mut [Six]) {
        match self {
            Preconditioner::Short(hierarchy) => hierarchy.resistance(loads, to),
            Preconditioner::Long(hierarchy) => hierarchy.resistance(loads, to),
        }
    }

    /// How many digits it has.
    pub fn digits(&self) -> Digits {
        match self {
            Preconditioner::Short(_) => Digits::Short,
            Preconditioner::Long(_) => Digits::Long,
        }
    }

    /// Whether its answers are exact, but for rounding.
    pub fn is_direct(&self) -> bool {
        match self {
            Preconditioner::Short(hierarchy) => hierarchy.is_direct(),
            Preconditioner::Long(hierarchy) => hierarchy.is_direct(),
        }
    }

    /// Takes a change of a link, or of a pin.
    pub fn change_link(&mut self, index: Option<usize>, old: &Link, new: &Link) {
        match self {
            Preconditioner::Short(hierarchy) => hierarchy.change_link(index, old, new),
            Preconditioner::Long(hierarchy) => hierarchy.change_link(index, old, new),
        }
    }

    /// Sets what binds a body to all others, and to the ground.
    pub fn set_diagonal(&mut self, body: u32, all: &Block, ground: &Block) {
        match self {
            Preconditioner::Short(hierarchy) => hierarchy.set_diagonal(body, all, ground),
            Preconditioner::Long(hierarchy) => hierarchy.set_diagonal(body, all, ground),
        }
    }

    /// Prepares for what has changed.
    pub fn settle(&mut self) {
        match self {
            Preconditioner::Short(hierarchy) => hierarchy.settle(),
            Preconditioner::Long(hierarchy) => hierarchy.settle(),
        }
    }
}
