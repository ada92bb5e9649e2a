//! Destruction in two dimensions: break any polygon along any pattern, where it was hit.
//!
//! ```text
//! corners ──Shape::new──▶ Shape ──decompose──▶ Compound ──fracture(Pattern, Impact)──▶ fragments (Compounds)
//! ```
//!
//! The twin of `smithereens` in the plane, with the same words and verbs: planes are [`Line`]s, solids are [`Shape`]s, volumes are areas. After
//! Karo and Yu, *Fracture Simulation via Convex Decomposition in Two Dimensions*.
//!
//! 1. A [`Shape`] is a simple polygon with holes. [`Shape::new`] proves that, or names the edges that cross.
//! 2. A [`Compound`] moves as one: convex [`Piece`]s and the [`Bond`]s between them. [`Compound::from_shape`] decomposes a shape;
//!    [`Compound::from_convexes`] takes pieces of your own.
//! 3. A [`pattern::Pattern`] is a partition into convex cells, each with a colour. It is moved to the [`Impact`] when that happens, and extended over
//!    what is near.
//! 4. [`fracture`] cuts what the impact touches by the cells, groups by colour, and finds what hangs together. Each [`Fragment`] is a compound: hit
//!    it again.
//! 5. [`modes::Brittle`] finds where a shape breaks by nature, and [`modes::Weakness`] which of its pieces a strike parts.
//!
//! The same input gives the same bits on any number of threads. Nothing here panics on what a user can cause, prints, or touches global state.

mod aabb;
mod bond;
mod clip;
mod compound;
mod contact;
mod convex;
mod decompose;
mod draw;
mod fracture;
mod identify;
mod impact;
mod line;
mod mass;
mod merge;
pub mod modes;
mod nest;
pub mod pattern;
mod piece;
mod saved;
mod shape;
mod split;
mod tolerance;
mod validate;
mod voronoi;

pub use aabb::Aabb;
pub use bond::Bond;
pub use compound::{Compound, CompoundError};
pub use convex::{Convex, Edge};
pub use fracture::{
    Cover, Dropped, Exposed, Fracture, FractureError, FractureOptions, Fragment, Report, fracture,
};
pub use impact::Impact;
pub use line::{Cut, Halfplane, Line, LineId, Side};
pub use mass::Mass;
pub use merge::Merged;
pub use piece::Piece;
pub use saved::SavedError;
pub use shape::{Shape, ShapeError};
pub use tolerance::Tolerance;
pub use voronoi::voronoi;

pub(crate) use shape::turn;
