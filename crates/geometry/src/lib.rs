//! Geometry for destruction: meshes, solids and convex polyhedra that stay closed however they are cut.
//!
//! Everything is `f64`; nothing here reads files, prints or draws.

mod aabb;
mod mesh;
mod plane;
mod tolerance;

pub use aabb::Aabb;
pub use mesh::{Face, Mesh, Slot};
pub use plane::{Cut, Plane, PlaneId, Side};
pub use tolerance::Tolerance;
