//! Voronoi cells of a user's own points.

use glam::DVec3;
use smithereens_geometry::Aabb;

use super::{Pattern, PatternCell, PatternError, parameter, voronoi_cells};

/// Voronoi cells of the user's own points.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Points {
    /// The points, in the unit of the solid. Those that repeat an earlier one, or whose cell misses the box, have none.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::vectors"))]
    pub points: Vec<DVec3>,
    /// The colour of each point's cell; if empty, each has its own.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub colours: Vec<u32>,
    /// The box the cells fill, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
}

impl Default for Points {
    /// The middles of the eight octants of a cube.
    fn default() -> Points {
        let points = Aabb::cube(0.5).corners().to_vec();
        Points { points, colours: Vec::new(), bounds: Aabb::cube(1.0) }
    }
}

impl Points {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        parameter::count("points", self.points.len(), 0)?;
        if self.colours.is_empty() {
            return Pattern::from_points(&self.points, self.bounds);
        }
        let matching = self.colours.len() == self.points.len();
        let wanted = "there should be one a point, or none";
        parameter::check("the number of colours", self.colours.len() as f64, matching, wanted)?;
        let cells = voronoi_cells(&self.points, &self.bounds)?;
        let coloured = |(point, convex): (usize, _)| PatternCell { convex, colour: self.colours[point] };
        Pattern::from_cells(cells.into_iter().map(coloured).collect(), self.bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_stay_with_their_points_when_a_point_repeats() {
        let points = vec![DVec3::X * 0.5, DVec3::X * 0.5, -DVec3::X * 0.5];
        let pattern = Points { points, colours: vec![7, 8, 9], ..Points::default() }.pattern().unwrap();
        assert_eq!(pattern.cells().iter().map(|c| c.colour).collect::<Vec<_>>(), [7, 9]);
    }

    #[test]
    fn missing_colours_are_an_error() {
        let lopsided = Points { colours: vec![1], ..Points::default() };
        assert!(matches!(lopsided.pattern(), Err(PatternError::Parameter { .. })));
    }
}
