//! Geometry for destruction: meshes, solids and convex polyhedra that stay closed however they are cut.
//!
//! Everything is `f64`; nothing here reads files, prints or draws.

mod aabb;
mod beyond;
mod convex;
mod convex_clip;
mod cut;
mod fit;
mod fit_hull;
mod hull;
mod inside;
pub mod islands;
mod mass;
mod mesh;
mod order;
mod overlap;
mod plane;
mod separate;
mod solid;
mod tolerance;
pub mod triangulate;
mod trim;
mod trivalent;
mod union_find;
mod voronoi;
mod wedges;
mod winding;

pub use aabb::Aabb;
pub use convex::{Convex, ConvexFace, Halfspace};
pub use convex_clip::{Clip, ConvexClipper};
pub use cut::{
    CarvePlan, Carved, Carver, Cell, CellGrid, Knife, KnifeRack, Locator, Partition, Skeleton, SplitPlanes,
};
pub use fit::{Fit, Fitting, Part, Tightness};
pub use inside::Inside;
pub use mass::{Mass, MassSum};
pub use mesh::{Face, Mesh, Slot};
pub use overlap::{Frame, Outline, Overlap, Section};
pub use plane::{Cut, Plane, PlaneId, Side};
pub use solid::{Solid, SolidError};
pub use tolerance::Tolerance;
pub use trim::Trimmer;
pub use union_find::UnionFind;
pub use voronoi::{Across, VoronoiCell, bisector, mark_cells, voronoi};
pub use wedges::{EdgeSide, pair_wedges};
pub use winding::winding_number;
