//! Fracture: work where the hit is, nowhere else.
//!
//! Müller et al. 2013, sections 3.1 to 3.3: align the pattern with the impact, intersect pieces and cells,
//! weld what fills a cell, group by colour, find islands. Departures: touching is decided by plane
//! identity instead of |d| within an epsilon; skins are closed by construction; what the pattern's box
//! does not cover becomes cells too; what is far from the impact is shared, neither searched nor written.

mod align;
mod cut;
mod fragments;
mod gather;
mod impact;
mod islands;
mod job;
mod overlaps;
mod reach;
mod report;
mod rest;
mod weld;

pub use cut::Dropped;
pub use fragments::{Exposed, Fragment};
pub(crate) use gather::{Gathering, NewBonds};
pub use impact::Impact;
pub use job::{Fracture, FractureJob, Progress};
pub use report::{Report, StageTimes};

use smithereens_geometry::Fit;
use thiserror::Error;

use crate::Compound;
use crate::awake::awake;
use crate::pattern::Pattern;

/// How a fracture treats what it cuts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FractureOptions {
    /// How convexes are fitted to the skins in them.
    pub fit: Fit,
    /// Pieces of less volume are dropped, in cubic units of the compound. What counts as nothing at the
    /// compound's size is dropped in any case.
    pub min_volume: f64,
}

/// Why a fracture cannot begin.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FractureError {
    /// A number of the impact is NaN or infinite.
    #[error("the impact's {0} is not finite")]
    NotFinite(&'static str),
    /// The radius reaches nothing.
    #[error("the impact's radius is {0}: give a positive number, or infinity for all")]
    Radius(f64),
    /// The deformation flattens the pattern.
    #[error("the impact's deformation flattens the pattern")]
    Singular,
    /// The smallest volume is no number.
    #[error("the smallest volume is {0}: give zero or a positive number")]
    MinVolume(f64),
}

/// Breaks a compound along a pattern, where it was hit, on all threads of the pool.
///
/// ```
/// use smithereens::{fracture, pattern::Pattern, Aabb, Compound, Convex, Fit, FractureOptions, Impact, Slot, Solid};
/// use glam::DVec3;
/// let cube = Solid::new(Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0)))?;
/// let compound = Compound::from_solid(cube, Fit::Dop26);
/// let pattern = Pattern::from_points(&[-DVec3::X, DVec3::X], Aabb::cube(3.0))?;
/// let fracture = fracture(&compound, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default())?;
/// assert_eq!(fracture.fragments.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fracture(
    compound: &Compound,
    pattern: &Pattern,
    impact: &Impact,
    options: &FractureOptions,
) -> Result<Fracture, FractureError> {
    // In the pool once for all stages: every way in from outside costs a wake-up.
    awake(|| Ok(FractureJob::new(compound, pattern, impact, options)?.run()))
}
