//! Voronoi cells of points spread evenly.

use smithereens_geometry::Aabb;

use super::{Pattern, PatternError, check_box, parameter};
use crate::draw::Draw;

/// Voronoi cells of points spread evenly over the box: concrete, plaster, stone far from the impact.
///
/// ```
/// use smithereens::pattern::Uniform;
/// let pattern = Uniform { cells: 20, ..Uniform::default() }.pattern()?;
/// assert_eq!(pattern.cells().len(), 20);
/// # Ok::<(), smithereens::pattern::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct Uniform {
    /// How many cells.
    pub cells: usize,
    /// The box they fill, in the unit of the solid, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
    /// Another seed, other points.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::seed"))]
    pub seed: u64,
}

impl Default for Uniform {
    fn default() -> Uniform {
        Uniform { cells: 64, bounds: Aabb::cube(1.0), seed: 0 }
    }
}

impl Uniform {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        check_box(&self.bounds)?;
        parameter::count("cells", self.cells, 1)?;
        let mut draw = Draw::new(self.seed);
        let points: Vec<_> = (0..self.cells).map(|_| draw.in_box(&self.bounds)).collect();
        Pattern::from_points(&points, self.bounds)
    }
}
