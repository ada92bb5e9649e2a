//! Solids from meshes as they are: open, inside out, torn, doubled, soup.
//!
//! ```text
//! Mesh ──inspect──▶ what is wrong
//! Mesh ──repair──▶ Solid, and the steps taken
//! ```
//!
//! [`inspect`] counts and names what is wrong. [`repair`] makes a [`smithereens_geometry::Solid`] by the lightest means that will do, and tells every
//! step; a mesh that is sound comes back bit for bit. On the way:
//!
//! 1. `soup` takes the mesh apart into triangles that carry their attributes;
//! 2. `weld`, `clean` and `orient` make of them a surface, `twins` decides what is joined to what;
//! 3. `holes`, `fill` and `sheets` close it; `mend` runs all this in order;
//! 4. `unite` makes shells that overlap one;
//! 5. `remesh` makes a new surface where that is not enough.
//!
//! [`cage`] makes a coarse solid around any mesh, from the same grid.
//!
//! The same mesh and options give the same bits on any number of threads. Nothing here panics on what a user can cause, or prints.

mod bvh;
mod cage;
mod clean;
mod fill;
mod holes;
mod inspect;
mod lists;
mod mend;
mod orient;
mod remesh;
mod repair;
mod sheets;
mod soup;
mod step;
mod twins;
mod unite;
mod weld;
mod winding_tree;

pub use cage::cage;
pub use inspect::{Finding, Hole, Inspection, NAMED, Verdict, inspect};
pub use repair::{Level, Overlaps, RepairError, RepairOptions, Repaired, repair, repair_with_progress};
pub use step::{Step, StepKind};
pub use unite::Unfit;
