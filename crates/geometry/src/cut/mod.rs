//! Cutting solids: by a plane, by a convex, and by all cells of a partition at once.

mod apart;
mod between;
mod build;
mod carve;
mod cell;
mod clip;
mod close;
mod face;
mod locate;
mod nest;
mod parts;
mod sort;
mod walls;

pub use apart::SplitPlanes;
pub use carve::{CarvePlan, Carved, Carver, Knife, KnifeRack, Partition};
pub use cell::{Cell, Skeleton};
pub use locate::{CellGrid, Locator};
