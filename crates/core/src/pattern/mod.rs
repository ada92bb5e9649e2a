//! Patterns: partitions of a box around the impact into convex cells, with a colour each.
//!
//! A pattern is only cells and colours, in a frame of its own with the impact at the origin (Müller et
//! al. 2013, section 3.1). How it was made does not matter to a fracture, so this is where the library is
//! extended: give [`Pattern::from_cells`] cells of your own.
//!
//! Generators are plain options with a method `pattern`: [`Uniform`], [`Falloff`], [`Spheres`] and [`Points`]
//! are Voronoi patterns, [`Web`], [`Bricks`], [`Wood`], [`Slices`] and [`Planes`] are made by splitting,
//! [`Cells`] are a user's own. [`PatternKind`] names them for a command line, [`Recipe`] holds any of them,
//! for a file say.

mod bricks;
mod cells;
mod falloff;
#[cfg(feature = "serde")]
mod file;
mod parameter;
#[cfg(feature = "serde")]
mod plain;
mod planes;
mod points;
mod recipe;
mod spheres;
mod splitter;
mod uniform;
mod web;
mod wood;

pub use bricks::{Bricks, Mortar};
pub use cells::{CellFace, CellShape, Cells};
pub use falloff::Falloff;
#[cfg(feature = "serde")]
pub use file::PatternFileError;
pub use planes::{Planes, Slices};
pub use points::Points;
pub use recipe::{PatternKind, Recipe, UnknownPattern};
pub use spheres::Spheres;
pub use uniform::Uniform;
pub use web::Web;
pub use wood::Wood;

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::{
    Aabb, CellGrid, Convex, Cut, PlaneId, Side, Skeleton, Tolerance, mark_cells, voronoi,
};
use thiserror::Error;

use crate::awake::awake;

/// A convex region of a pattern. Cells of one colour stay together.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternCell {
    /// Its shape. Every face carries the mark of its plane, the walls of the box identities 0 to 5.
    pub convex: Convex,
    /// What it belongs to.
    pub colour: u32,
}

/// Why cells make no pattern.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PatternError {
    /// The box is empty, flat or not finite.
    #[error("the pattern's box has no volume")]
    NoBox,
    /// There are no cells.
    #[error("a pattern needs a cell")]
    Empty,
    /// A point is NaN or infinite.
    #[error("point {0} is not finite")]
    NotFinite(usize),
    /// The cells overlap or leave gaps.
    #[error("the cells' volumes sum to {cells}, but the box holds {bounds}: they overlap or leave gaps")]
    NoPartition {
        /// The sum of the cells' volumes.
        cells: f64,
        /// The box's volume.
        bounds: f64,
    },
    /// A face of a cell has no mark.
    #[error("face {face} of cell {cell} carries no plane identity")]
    Unmarked {
        /// The cell.
        cell: usize,
        /// Its face.
        face: usize,
    },
    /// The faces of a cell leave nothing of the box.
    #[error("cell {0} is empty: its faces exclude each other or miss the box")]
    NoCell(usize),
    /// A face of a cell is on no sound plane.
    #[error(
        "face {face} of cell {cell}: the normal should be of unit length, walls 0 to 5 be those of the box"
    )]
    NoPlane {
        /// The cell.
        cell: usize,
        /// Its face.
        face: usize,
    },
    /// One identity stands for two planes.
    #[error("plane {id} differs between cells {} and {}: it should be the same to the last digit", cells[0], cells[1])]
    TwoPlanes {
        /// The identity.
        id: u64,
        /// Cells that differ.
        cells: [usize; 2],
    },
    /// A parameter is out of range.
    #[error("{name} is {value}: {wanted}")]
    Parameter {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        wanted: &'static str,
    },
}

/// A partition of a box into convex cells.
///
/// ```
/// use smithereens::{pattern::Pattern, Aabb};
/// use glam::DVec3;
/// let halves = Pattern::from_points(&[-DVec3::X, DVec3::X], Aabb::cube(2.0))?;
/// assert_eq!(halves.cells().len(), 2);
/// # Ok::<(), smithereens::pattern::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    cells: Vec<PatternCell>,
    bounds: Aabb,
    planes: u64,
    skeletons: Arc<[Skeleton]>,
    grid: Arc<CellGrid>,
}

impl Pattern {
    /// The Voronoi cells of points in a box, each of its own colour. Points may repeat and may lie
    /// outside; those without a cell in the box are left out.
    pub fn from_points(points: &[DVec3], bounds: Aabb) -> Result<Pattern, PatternError> {
        awake(|| {
            let cells = voronoi_cells(points, &bounds)?.into_iter().zip(0..);
            let cells = cells.map(|((_, convex), colour)| PatternCell { convex, colour });
            Pattern::from_cells(cells.collect(), bounds)
        })
    }

    /// A pattern of marked cells that fill a box without overlap.
    pub fn from_cells(cells: Vec<PatternCell>, bounds: Aabb) -> Result<Pattern, PatternError> {
        check_box(&bounds)?;
        if cells.is_empty() {
            return Err(PatternError::Empty);
        }
        let mut planes = WALLS;
        for (cell, c) in cells.iter().enumerate() {
            for (face, f) in c.convex.faces().iter().enumerate() {
                let cut = f.cut.ok_or(PatternError::Unmarked { cell, face })?;
                planes = planes.max(cut.id().number() + 1);
            }
        }
        let skeletons: Vec<Skeleton> =
            cells.par_iter().with_min_len(CELLS_A_TASK).map(|c| Skeleton::of(&c.convex)).collect();
        let volume: f64 = skeletons.iter().map(Skeleton::volume).sum();
        if (volume - bounds.volume()).abs() > bounds.volume() * FILLED {
            return Err(PatternError::NoPartition { cells: volume, bounds: bounds.volume() });
        }
        let shapes: Vec<&Convex> = cells.iter().map(|c| &c.convex).collect();
        let grid = Arc::new(CellGrid::new(bounds, &shapes));
        Ok(Pattern { cells, bounds, planes, skeletons: skeletons.into(), grid })
    }

    /// The same cells in other colours: `colour` is asked about each cell.
    pub fn coloured(mut self, colour: impl Fn(&PatternCell) -> u32) -> Pattern {
        for cell in &mut self.cells {
            cell.colour = colour(cell);
        }
        self
    }

    /// The cells.
    pub fn cells(&self) -> &[PatternCell] {
        &self.cells
    }

    /// The box that the cells fill.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// How many plane identities the cells use, from 0 on.
    pub(crate) fn planes(&self) -> u64 {
        self.planes
    }

    /// The skeleton of each cell.
    pub(crate) fn skeletons(&self) -> &[Skeleton] {
        &self.skeletons
    }

    pub(crate) fn grid(&self) -> &Arc<CellGrid> {
        &self.grid
    }
}

/// Identities of the walls of the box.
pub(crate) const WALLS: u64 = 6;

/// Cells a thread takes at a time.
const CELLS_A_TASK: usize = 32;

/// How well the cells must fill the box, relative to its volume.
const FILLED: f64 = 1e-9;

/// The mark of a wall of the box on what is inside it, the walls in the order of [`Convex::from_box`].
/// The canonical plane of a wall has its normal along the positive axis.
pub fn wall_cut(wall: u8) -> Cut {
    let side = if wall.is_multiple_of(2) { Side::Front } else { Side::Behind };
    Cut::new(PlaneId::new(wall as u64), side)
}

/// The box as one marked cell: where patterns made by splitting start.
pub fn whole_box(bounds: &Aabb) -> Convex {
    let mut convex = Convex::from_box(bounds);
    (0..6).for_each(|wall| convex.mark(wall as usize, wall_cut(wall)));
    convex
}

/// The marked Voronoi cells of points that have one, with the points' numbers.
fn voronoi_cells(points: &[DVec3], bounds: &Aabb) -> Result<Vec<(usize, Convex)>, PatternError> {
    check_box(bounds)?;
    if points.is_empty() {
        return Err(PatternError::Empty);
    }
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(PatternError::NotFinite(index));
    }
    let mut cells = voronoi(points, bounds);
    mark_cells(&mut cells, 0);
    let shapes = cells.into_iter().map(|c| c.convex).enumerate();
    Ok(shapes.filter(|(_, convex)| !convex.faces().is_empty()).collect())
}

fn check_box(bounds: &Aabb) -> Result<(), PatternError> {
    let sound = bounds.min.is_finite() && bounds.max.is_finite() && !bounds.is_empty();
    let thick = bounds.size().min_element() > Tolerance::for_box(bounds).length();
    if sound && thick { Ok(()) } else { Err(PatternError::NoBox) }
}
