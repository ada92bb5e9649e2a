//! From a solid to a compound that breaks well (Müller et al. 2013, section 4).
//!
//! ```text
//! Solid ──Placement::nodes──▶ nodes ──Decomposition::new──▶ pieces in fitted convexes, bonded ──▶ Compound
//! ```
//!
//! Nodes are a user's own, or [`Placement`] searches for those whose cells hulls fit best. A [`Decomposition`] cuts the solid by the cells of
//! the nodes and stays open to edits: a moved node cuts anew only the cells that change. Solids that were modelled apart and overlap become an
//! [`Assembly`].

mod absorb;
mod around;
mod assembly;
mod cells;
mod decomposition;
mod gauge;
mod glide;
mod hull_volume;
mod place;
mod relax;
mod samples;
mod search;
mod slopes;

pub use assembly::Assembly;
pub use decomposition::{DecomposeError, Decomposition};
pub use place::{Effort, Goal, Placement};
