//! Voronoi cells that are small at the impact and grow away from it.

use glam::DVec3;
use smithereens_geometry::Aabb;

use super::{Pattern, PatternError, check_box, parameter};
use crate::draw::Draw;

/// Voronoi cells of points whose density falls with the distance from the origin: what Müller et al.
/// 2013 break everything but glass with (section 3.1).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct Falloff {
    /// How many cells.
    pub cells: usize,
    /// How fast the density falls: as the distance to the power of minus this. From 0, which is even, to
    /// 2.9; at 2 as many points lie within any distance as within the next such step.
    pub exponent: f64,
    /// The box they fill, in the unit of the solid, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
    /// Another seed, other points.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::seed"))]
    pub seed: u64,
}

/// Draws a cell before the rest is spread evenly: in a thin plate, most directions leave the box.
const DRAWS_PER_CELL: usize = 200;

impl Default for Falloff {
    fn default() -> Falloff {
        Falloff { cells: 64, exponent: 2.0, bounds: Aabb::cube(1.0), seed: 0 }
    }
}

impl Falloff {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        check_box(&self.bounds)?;
        parameter::count("cells", self.cells, 1)?;
        let sound = (0.0..=2.9).contains(&self.exponent);
        parameter::check("exponent", self.exponent, sound, "it should be from 0 to 2.9")?;
        Pattern::from_points(&self.points(), self.bounds)
    }

    fn points(&self) -> Vec<DVec3> {
        let mut draw = Draw::new(self.seed);
        let farthest = self.bounds.corners().iter().map(|c| c.length()).fold(0.0, f64::max);
        // A shell's volume grows as r², so r^(2 - exponent) of all points lie in it.
        let root = 1.0 / (3.0 - self.exponent);
        let mut points = Vec::with_capacity(self.cells);
        for _ in 0..self.cells * DRAWS_PER_CELL {
            if points.len() == self.cells {
                break;
            }
            let point = draw.direction() * (farthest * libm::pow(draw.unit(), root));
            if self.bounds.contains(point) {
                points.push(point);
            }
        }
        points.resize_with(self.cells, || draw.in_box(&self.bounds));
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_exponent_crowds_the_impact() {
        let near = |exponent| {
            let pattern = Falloff { cells: 500, exponent, ..Falloff::default() }.pattern().unwrap();
            pattern.cells().iter().filter(|c| c.convex.middle().length() < 0.5).count()
        };
        let (even, falling, steep) = (near(0.0), near(1.5), near(2.5));
        assert!(even < falling && falling < steep, "{even} {falling} {steep}");
    }
}
