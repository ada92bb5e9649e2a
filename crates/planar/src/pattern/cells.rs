//! A user's own cells.

use glam::DVec2;

use super::{Pattern, PatternCell, PatternError, check, check_box};
use crate::identify::identify_lines;
use crate::voronoi::WALLS;
use crate::{Aabb, Convex, Tolerance};

/// Convex cells by their corners, in any order. Together they fill the box.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// The corners of each, in the unit of the shape.
    pub cells: Vec<Vec<DVec2>>,
    /// The colour of each; if empty, each has its own.
    pub colours: Vec<u32>,
    /// The box they fill, with the impact at the origin.
    pub bounds: Aabb,
}

impl Default for Cells {
    /// Two halves of a square.
    fn default() -> Cells {
        let bounds = Aabb::square(1.0);
        let [a, b, c, d] = bounds.corners();
        Cells { cells: vec![vec![a, b, c], vec![a, c, d]], colours: Vec::new(), bounds }
    }
}

impl Cells {
    /// Makes the pattern. Edges in one line, up to the tolerance, get one line.
    ///
    /// ```
    /// use smithereens_planar::pattern::{Cells, PatternError};
    /// assert_eq!(Cells::default().pattern()?.cells().len(), 2);
    /// let flat = Cells { cells: vec![vec![], vec![]], ..Cells::default() };
    /// assert_eq!(flat.pattern().unwrap_err(), PatternError::NoCell(0));
    /// # Ok::<(), PatternError>(())
    /// ```
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        check_box(&self.bounds)?;
        let is_matching = self.colours.is_empty() || self.colours.len() == self.cells.len();
        let wanted = "there should be one a cell, or none";
        check("the number of colours", self.colours.len() as f64, is_matching, wanted)?;
        let mut convexes = Vec::with_capacity(self.cells.len() + 1);
        // The box comes first, so that its walls get their own identities and lines.
        convexes.push(Convex::from_box(&self.bounds));
        for (cell, corners) in self.cells.iter().enumerate() {
            convexes.push(Convex::hull(corners).ok_or(PatternError::NoCell(cell))?);
        }
        identify_lines(&mut convexes, &Tolerance::for_box(&self.bounds));
        debug_assert!((0..WALLS).eq(convexes[0].edges().iter().flat_map(|e| e.cut).map(|c| c.id().number())));
        let colour = |cell: usize| self.colours.get(cell).copied().unwrap_or(cell as u32);
        let cells = convexes.into_iter().skip(1).enumerate();
        let cells = cells.map(|(cell, convex)| PatternCell { convex, colour: colour(cell) });
        Pattern::from_cells(cells.collect(), self.bounds)
    }
}
