//! Break any solid along any pattern, where it was hit.
//!
//! ```text
//! Mesh ──Solid::new──▶ Solid ──prepare──▶ Compound ──fracture(Pattern, Impact)──▶ fragments (Compounds)
//! ```
//!
//! 1. A [`Mesh`] is what you have: polygons with normals and texture coordinates. [`Solid::new`] proves it closed, oriented and
//!    finite, or names the edge or vertex that is not.
//! 2. A [`Compound`] moves as one: convex [`Piece`]s, each with its part of the solid, and the [`Bond`]s between them. Make
//!    one from a solid, from pieces of your own, which may overlap, or by [`prepare`]: decomposed into pieces that are close to convex.
//! 3. A [`pattern::Pattern`] is a partition of space into convex cells, each with a colour. It is moved to the [`Impact`] when that happens.
//! 4. [`fracture`] cuts what the impact touches by the cells, groups by colour, and finds what hangs together. Each [`Fragment`] is a
//!    compound with exact mass properties: hit it again. [`FractureJob`] does the same under a time budget.
//! 5. [`Compound::visible_mesh`] is what to draw.
//!
//! The same input gives the same bits on any number of threads. Nothing here panics on what a user can cause, prints, or
//! touches global state.

mod awake;
mod bent;
mod bond;
mod bonds;
mod compound;
mod contact;
mod cut_up;
mod draw;
mod fracture;
mod ghosts;
mod merge;
pub mod pattern;
mod piece;
mod pieces;
pub mod prepare;
mod saved;
mod split;
mod visible;

pub use bent::{Moved, Seam, seams};
pub use bond::Bond;
pub use bonds::{Bonds, BondsIter};
pub use compound::{Compound, CompoundError};
pub use cut_up::CutUp;
pub use fracture::{
    Dropped, Exposed, Fracture, FractureError, FractureJob, FractureOptions, Fragment, Impact, Progress,
    Report, StageTimes, fracture,
};
pub use merge::{MergeError, Merged};
pub use piece::Piece;
pub use pieces::{Pieces, PiecesIter};
pub use saved::SavedError;
pub use smithereens_geometry::*;
