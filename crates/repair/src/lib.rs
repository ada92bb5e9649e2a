//! Solids from meshes as they are: open, inside out, overlapping, torn, soup.
//!
//! ```text
//! Mesh ──repair──▶ Solid and the steps taken
//! ```

mod bvh;
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
mod weld;
mod winding_tree;

pub use inspect::{Finding, Hole, Inspection, NAMED, Verdict, inspect};
pub use repair::{Level, RepairError, RepairOptions, Repaired, repair, repair_with_progress};
pub use step::{Step, StepKind};
