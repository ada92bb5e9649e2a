//! Patterns: partitions of a box around the impact into convex cells, with a colour each.
//!
//! A pattern is only cells and colours, in a frame of its own with the impact at the origin: Karo & Yu's fracture map (section 4.1). Generators
//! are plain options with a method `pattern`: [`Uniform`], [`Falloff`], [`Spheres`] and [`Points`] are Voronoi patterns, [`Web`],
//! [`Bricks`], [`Slices`] and [`Planes`] are made by splitting, [`Cells`] are a user's own. All but these know how they go on
//! beyond their box ([`Pattern::extended`]). Names are those of the patterns in space; spheres are circles here and planes are lines.

mod bricks;
mod cells;
mod planes;
mod points;
mod splitter;
mod web;

pub use bricks::{Bricks, Mortar};
pub use cells::Cells;
pub use planes::{Planes, Slices};
pub use points::{Falloff, Points, Spheres, Uniform};
pub use web::Web;

use glam::DVec2;
use thiserror::Error;

use crate::{Aabb, Convex, Tolerance, voronoi, voronoi::WALLS};

/// A convex region of a pattern. Cells of one colour stay together.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternCell {
    /// Its shape. Every edge carries the mark of its line, the walls of the box identities 0 to 3.
    pub convex: Convex,
    /// What it belongs to.
    pub colour: u32,
}

/// Why cells make no pattern.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PatternError {
    /// The box is empty, flat or not finite.
    #[error("the pattern's box has no area")]
    NoBox,
    /// There are no cells.
    #[error("a pattern needs a cell")]
    Empty,
    /// A point is NaN or infinite.
    #[error("point {0} is not finite")]
    NotFinite(usize),
    /// The cells overlap or leave gaps.
    #[error("the cells' areas sum to {cells}, but the box holds {bounds}: they overlap or leave gaps")]
    NoPartition {
        /// The sum of the cells' areas.
        cells: f64,
        /// The box's area.
        bounds: f64,
    },
    /// An edge of a cell has no mark.
    #[error("edge {edge} of cell {cell} carries no line identity")]
    Unmarked {
        /// The cell.
        cell: usize,
        /// Its edge.
        edge: usize,
    },
    /// The corners of a cell enclose nothing.
    #[error("cell {0} is flat or has fewer than three corners")]
    NoCell(usize),
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
/// use smithereens_planar::{pattern::Pattern, Aabb};
/// use glam::DVec2;
/// let halves = Pattern::from_points(&[-DVec2::X, DVec2::X], Aabb::square(2.0))?;
/// assert_eq!(halves.cells().len(), 2);
/// # Ok::<(), smithereens_planar::pattern::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    cells: Vec<PatternCell>,
    bounds: Aabb,
    lines: u64,
    source: Source,
}

/// What a pattern was made from, and can be made larger from.
#[derive(Clone, Debug)]
enum Source {
    Points(Points),
    Web(Web),
    Bricks(Bricks),
    Slices(Slices),
    Planes(Planes),
    Cells,
}

impl Pattern {
    /// The Voronoi cells of points in a box, each of its own colour. Points may repeat and may lie outside; those without a cell in the box
    /// are left out.
    pub fn from_points(points: &[DVec2], bounds: Aabb) -> Result<Pattern, PatternError> {
        Points { points: points.to_vec(), colours: Vec::new(), bounds }.pattern()
    }

    /// A pattern of marked cells that fill a box without overlap: parts of [`Pattern::whole_box`], say, split by lines with identities from 4 on.
    pub fn from_cells(cells: Vec<PatternCell>, bounds: Aabb) -> Result<Pattern, PatternError> {
        Pattern::made_from(cells, bounds, Source::Cells)
    }

    fn made_from(cells: Vec<PatternCell>, bounds: Aabb, source: Source) -> Result<Pattern, PatternError> {
        check_box(&bounds)?;
        if cells.is_empty() {
            return Err(PatternError::Empty);
        }
        let mut lines = WALLS;
        for (cell, c) in cells.iter().enumerate() {
            for (edge, e) in c.convex.edges().iter().enumerate() {
                let cut = e.cut.ok_or(PatternError::Unmarked { cell, edge })?;
                lines = lines.max(cut.id().number() + 1);
            }
        }
        let area: f64 = cells.iter().map(|cell| cell.convex.area()).sum();
        let is_filled = (area - bounds.area()).abs() <= bounds.area() * FILLED;
        if !is_filled {
            return Err(PatternError::NoPartition { cells: area, bounds: bounds.area() });
        }
        Ok(Pattern { cells, bounds, lines, source })
    }

    /// A box as one marked cell: where patterns made by splitting start.
    pub fn whole_box(bounds: &Aabb) -> Convex {
        voronoi::whole_box(bounds)
    }

    /// The same cells in other colours: `colour` is asked about each cell.
    pub fn coloured(mut self, colour: impl Fn(&PatternCell) -> u32) -> Pattern {
        for cell in &mut self.cells {
            cell.colour = colour(cell);
        }
        self
    }

    /// The pattern as it goes on in a larger box: the same points or lines, and more bricks. None for a user's own cells, which are all there are,
    /// and for a pattern that would have too many cells. Colours that were given later are lost.
    ///
    /// ```
    /// use smithereens_planar::{pattern::Uniform, Aabb};
    /// let small = Uniform { cells: 30, ..Uniform::default() }.pattern()?;
    /// let large = small.extended(&Aabb::square(9.0)).expect("Voronoi cells go on");
    /// assert_eq!((large.cells().len(), large.bounds().area()), (30, 324.0));
    /// # Ok::<(), smithereens_planar::pattern::PatternError>(())
    /// ```
    pub fn extended(&self, bounds: &Aabb) -> Option<Pattern> {
        let larger = self.bounds.union(*bounds);
        let made = match &self.source {
            Source::Points(points) => Points { bounds: larger, ..points.clone() }.pattern(),
            Source::Web(web) => web.within(&larger),
            Source::Bricks(bricks) => Bricks { bounds: larger, ..bricks.clone() }.pattern(),
            Source::Slices(slices) => slices.within(&larger),
            Source::Planes(planes) => planes.within(&larger),
            Source::Cells => return None,
        };
        made.ok()
    }

    /// The cells.
    pub fn cells(&self) -> &[PatternCell] {
        &self.cells
    }

    /// The box that the cells fill.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// How many line identities the cells use, from 0 on.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }
}

/// How well the cells must fill the box, relative to its area.
const FILLED: f64 = 1e-9;

/// No pattern has more cells: enough for any scene, little enough for any memory.
const MOST_CELLS: usize = 1 << 18;

fn check_box(bounds: &Aabb) -> Result<(), PatternError> {
    let is_sound = bounds.min.is_finite() && bounds.max.is_finite() && !bounds.is_empty();
    let is_wide = bounds.size().min_element() > Tolerance::for_box(bounds).length();
    if is_sound && is_wide && bounds.area().is_normal() { Ok(()) } else { Err(PatternError::NoBox) }
}

fn check(name: &'static str, value: f64, is_sound: bool, wanted: &'static str) -> Result<(), PatternError> {
    if is_sound { Ok(()) } else { Err(PatternError::Parameter { name, value, wanted }) }
}

fn check_count(name: &'static str, value: usize) -> Result<(), PatternError> {
    check(name, value as f64, (1..=MOST_CELLS).contains(&value), "it should be from 1 to 262144")
}

fn check_length(name: &'static str, value: f64) -> Result<(), PatternError> {
    check(name, value, value > 0.0 && value.is_finite(), "it should be a positive length")
}

fn check_fraction(name: &'static str, value: f64) -> Result<(), PatternError> {
    check(name, value, (0.0..=1.0).contains(&value), "it should be from 0 to 1")
}

fn check_growth(value: f64) -> Result<(), PatternError> {
    check("growth", value, value > 0.0 && value <= 8.0, "it should be more than 0 and at most 8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Pattern> {
        vec![
            Uniform::default().pattern().unwrap(),
            Falloff::default().pattern().unwrap(),
            Spheres::default().pattern().unwrap(),
            Points::default().pattern().unwrap(),
            Web::default().pattern().unwrap(),
            Bricks::default().pattern().unwrap(),
            Bricks { mortar: Mortar::Crumbles(0.02), ..Bricks::default() }.pattern().unwrap(),
            Slices { jitter: 1.0, ..Slices::default() }.pattern().unwrap(),
            Planes::default().pattern().unwrap(),
            Cells::default().pattern().unwrap(),
        ]
    }

    #[test]
    fn cells_share_their_lines_to_the_bit() {
        for pattern in all() {
            let mut lines: Vec<Option<crate::Line>> = vec![None; pattern.lines() as usize];
            for edge in pattern.cells().iter().flat_map(|cell| cell.convex.edges()) {
                let halfplane = edge.halfplane().unwrap();
                let known = &mut lines[halfplane.id.unwrap().number() as usize];
                assert_eq!(*known.get_or_insert(halfplane.line), halfplane.line);
            }
        }
    }

    #[test]
    fn a_larger_box_has_the_same_cells_where_it_had_some() {
        for pattern in all() {
            let Some(larger) = pattern.extended(&Aabb::new(DVec2::splat(-3.0), DVec2::splat(2.0))) else {
                assert!(matches!(pattern.source, Source::Cells));
                continue;
            };
            let bounds = *pattern.bounds();
            let within = larger.cells().iter().filter_map(|cell| {
                let common = cell.convex.intersection(&Pattern::whole_box(&bounds))?;
                (common.area() > 1e-9).then_some((common.middle(), common.area()))
            });
            for (middle, area) in within {
                let cell = pattern.cells().iter().find(|cell| cell.convex.contains(middle)).unwrap();
                assert!((cell.convex.area() - area).abs() < 1e-9, "{:?}", pattern.source);
            }
        }
    }

    #[test]
    fn a_user_s_cells_must_fill_the_box() {
        let cell = |convex| PatternCell { convex, colour: 0 };
        let half = Aabb::new(DVec2::splat(-1.0), DVec2::new(0.0, 1.0));
        let cells = vec![cell(Pattern::whole_box(&half))];
        let error = Pattern::from_cells(cells, Aabb::square(1.0)).unwrap_err();
        assert_eq!(error, PatternError::NoPartition { cells: 2.0, bounds: 4.0 });
        let plain = vec![cell(Convex::from_box(&Aabb::square(1.0)))];
        let error = Pattern::from_cells(plain, Aabb::square(1.0)).unwrap_err();
        assert_eq!(error, PatternError::Unmarked { cell: 0, edge: 0 });
        assert!(Pattern::from_points(&[DVec2::ZERO], Aabb::EMPTY).is_err());
        assert!(Pattern::from_points(&[], Aabb::square(1.0)).is_err());
    }
}
