//! Voxels that break: sparse voxel octrees, fractured where they are hit.
//!
//! ```text
//! Solid, signed distance, voxels ──▶ Octree ──fracture(Seeds)──▶ pieces (Octrees) ──▶ fracture again
//! ```
//!
//! After Domaradzki and Martyn, *Fracturing Sparse-Voxel-Octree objects using dynamical Voronoi patterns*, on the cores of a processor.
//!
//! 1. An [`Octree`] has boundary, internal and empty nodes at every level ([`Kind`]), and a colour and a normal for each boundary voxel ([`Payload`]). It is
//!    made of a solid mesh ([`Octree::of_solid`]), of a signed distance ([`Octree::of_field`]), or of voxels in Morton order ([`Octree::of_voxels`]).
//! 2. [`Seeds`] are the points whose Voronoi cells are the pattern: on spheres about an impact, anywhere inside, or your own; seeds of one object stay together.
//! 3. [`fracture()`] gives the pieces, each an octree in the grid of the whole. Every voxel is owned by exactly one of them.
//! 4. [`Octree::blocky_surface`] and [`Octree::smooth_surface`] make meshes of them; [`write_svo`] and [`read_svo`] save octrees; [`read_vox`] and [`write_vox`] are for MagicaVoxel.
//! 5. [`Husk::overlap`] finds what two octrees in general position have in common, and which forces part them.
//!
//! Inside, from the bottom up: a `brick` is 4 × 4 × 4 voxels in two words, a `trunk` is bricks and the nodes above them, a `look` says where payloads are. `clip` takes the part of a
//! trunk in a `cell`, below the `canopy` that all cells share, with `sides` and `member` to say which voxels of a brick meet it; `objects` does so for several cells at once; `touch` finds what hangs
//! together, for `settle` and for `islands`.
//!
//! Where voxels belong is decided in whole numbers. The same input gives the same bits on any number of threads, in debug and in release; nothing here panics on
//! what a user can cause, prints, or touches global state.

mod brick;
mod canopy;
mod cell;
mod clip;
mod draw;
mod error;
mod field;
mod file;
mod fracture;
mod grid;
mod islands;
mod look;
mod member;
mod morton;
mod objects;
mod octree;
mod overlap;
mod payload;
mod rows;
mod seeds;
mod settle;
mod sides;
mod sorted;
mod surface;
mod touch;
mod trunk;
mod vox;
mod voxelise;

pub use error::{Error, FileError};
pub use file::{read_svo, write_svo};
pub use fracture::{Arena, Fracture, FractureOptions, Islands, Piece, Times, fracture, fracture_in};
pub use grid::Grid;
pub use morton::{morton, unmorton};
pub use octree::{Bytes, Kind, Octree, Voxel};
pub use overlap::{Husk, Overlap, OverlapPoint, Response, Wrench};
pub use payload::{Interior, Paint, Payload};
pub use seeds::{Seeds, Spheres};
pub use sorted::Coded;
pub use surface::Surface;
pub use vox::{read_vox, write_vox};
