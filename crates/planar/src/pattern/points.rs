//! Voronoi patterns: points spread evenly, crowded at the impact, on circles around it, or a user's own.

use glam::DVec2;

use super::{MOST_CELLS, Pattern, PatternCell, PatternError, Source};
use super::{check, check_box, check_count, check_growth, check_length};
use crate::draw::Draw;
use crate::{Aabb, voronoi};

/// Voronoi cells of the user's own points: what Karo & Yu's users click on a canvas (section 4.3).
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// The points, in the unit of the shape. Those that repeat an earlier one, or whose cell misses the box, have none.
    pub points: Vec<DVec2>,
    /// The colour of each point's cell; if empty, each has its own.
    pub colours: Vec<u32>,
    /// The box the cells fill, with the impact at the origin.
    pub bounds: Aabb,
}

impl Default for Points {
    /// The middles of the four quarters of a square.
    fn default() -> Points {
        let points = Aabb::square(0.5).corners().to_vec();
        Points { points, colours: Vec::new(), bounds: Aabb::square(1.0) }
    }
}

impl Points {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        check_box(&self.bounds)?;
        if let Some(index) = self.points.iter().position(|point| !point.is_finite()) {
            return Err(PatternError::NotFinite(index));
        }
        let count = self.points.len();
        check("points", count as f64, count <= MOST_CELLS, "it should be at most 262144")?;
        let is_matching = self.colours.is_empty() || self.colours.len() == count;
        let wanted = "there should be one a point, or none";
        check("the number of colours", self.colours.len() as f64, is_matching, wanted)?;
        let cells = voronoi(&self.points, &self.bounds).into_iter().enumerate();
        let present = cells.filter(|(_, convex)| !convex.edges().is_empty());
        let coloured = present.zip(0..).map(|((point, convex), number)| PatternCell {
            convex,
            colour: self.colours.get(point).copied().unwrap_or(number),
        });
        Pattern::made_from(coloured.collect(), self.bounds, Source::Points(self.clone()))
    }
}

/// Voronoi cells of points spread evenly over the box: concrete, plaster, stone far from the impact.
///
/// ```
/// use smithereens_planar::pattern::Uniform;
/// let pattern = Uniform { cells: 20, ..Uniform::default() }.pattern()?;
/// assert_eq!(pattern.cells().len(), 20);
/// # Ok::<(), smithereens_planar::pattern::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform {
    /// How many cells.
    pub cells: usize,
    /// The box they fill, in the unit of the shape, with the impact at the origin.
    pub bounds: Aabb,
    /// Another seed, other points.
    pub seed: u64,
}

impl Default for Uniform {
    fn default() -> Uniform {
        Uniform { cells: 64, bounds: Aabb::square(1.0), seed: 0 }
    }
}

impl Uniform {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        check_box(&self.bounds)?;
        check_count("cells", self.cells)?;
        let mut draw = Draw::new(self.seed);
        let points: Vec<DVec2> = (0..self.cells).map(|_| draw.in_box(&self.bounds)).collect();
        Pattern::from_points(&points, self.bounds)
    }
}

/// Voronoi cells of points whose density falls with the distance from the origin: what Karo & Yu found most believable (section 5).
#[derive(Clone, Debug, PartialEq)]
pub struct Falloff {
    /// How many cells.
    pub cells: usize,
    /// How fast the density falls: as the distance to the power of minus this. From 0, which is even, to 1.9; at 1 as many points lie within any
    /// distance as within the next such step.
    pub exponent: f64,
    /// The box they fill, in the unit of the shape, with the impact at the origin.
    pub bounds: Aabb,
    /// Another seed, other points.
    pub seed: u64,
}

/// Draws a cell before the rest is spread evenly: in a thin strip, most directions leave the box.
const DRAWS_A_CELL: usize = 100;

impl Default for Falloff {
    fn default() -> Falloff {
        Falloff { cells: 64, exponent: 1.2, bounds: Aabb::square(1.0), seed: 0 }
    }
}

impl Falloff {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        check_box(&self.bounds)?;
        check_count("cells", self.cells)?;
        let is_sound = (0.0..=1.9).contains(&self.exponent);
        check("exponent", self.exponent, is_sound, "it should be from 0 to 1.9")?;
        let mut draw = Draw::new(self.seed);
        let corners = self.bounds.corners();
        let farthest = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        // The length of a circle grows with r, so r^(2 - exponent) of all points lie within it.
        let root = 1.0 / (2.0 - self.exponent);
        let mut place = || draw.direction() * (farthest * libm::pow(draw.unit(), root));
        let places = (0..self.cells * DRAWS_A_CELL).map(|_| place());
        let mut points: Vec<DVec2> =
            places.filter(|&point| self.bounds.contains(point)).take(self.cells).collect();
        points.resize_with(self.cells, || draw.in_box(&self.bounds));
        Pattern::from_points(&points, self.bounds)
    }
}

/// Voronoi cells of points on circles around the impact, whose radii grow: rings of shards.
#[derive(Clone, Debug, PartialEq)]
pub struct Spheres {
    /// How many points in all, dealt to the circles in turn. Points outside the box may go without a cell.
    pub cells: usize,
    /// How many circles.
    pub spheres: usize,
    /// The radius of the largest circle, in the unit of the shape.
    pub radius: f64,
    /// How the radii grow: 1 is evenly, 2 as squares. Positive.
    pub growth: f64,
    /// The box they fill, in the unit of the shape, with the impact at the origin.
    pub bounds: Aabb,
    /// Another seed, other points.
    pub seed: u64,
}

impl Default for Spheres {
    fn default() -> Spheres {
        Spheres { cells: 64, spheres: 4, radius: 1.0, growth: 1.5, bounds: Aabb::square(1.0), seed: 0 }
    }
}

impl Spheres {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        check_box(&self.bounds)?;
        check_count("cells", self.cells)?;
        check_count("spheres", self.spheres)?;
        check_length("radius", self.radius)?;
        check_growth(self.growth)?;
        let mut draw = Draw::new(self.seed);
        let radius = |point: usize| {
            let part = (point % self.spheres + 1) as f64 / self.spheres as f64;
            self.radius * libm::pow(part, self.growth)
        };
        let points: Vec<DVec2> = (0..self.cells).map(|point| draw.direction() * radius(point)).collect();
        Pattern::from_points(&points, self.bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_stay_with_their_points_when_a_point_repeats() {
        let points = vec![DVec2::X * 0.5, DVec2::X * 0.5, -DVec2::X * 0.5];
        let pattern = Points { points, colours: vec![7, 8, 9], ..Points::default() }.pattern().unwrap();
        assert_eq!(pattern.cells().iter().map(|cell| cell.colour).collect::<Vec<_>>(), [7, 9]);
        assert!(Points { colours: vec![1], ..Points::default() }.pattern().is_err());
    }

    #[test]
    fn a_higher_exponent_crowds_the_impact() {
        let near = |exponent| {
            let pattern = Falloff { cells: 500, exponent, ..Falloff::default() }.pattern().unwrap();
            pattern.cells().iter().filter(|cell| cell.convex.middle().length() < 0.5).count()
        };
        let (even, falling, steep) = (near(0.0), near(1.0), near(1.7));
        assert!(even < falling && falling < steep, "{even} {falling} {steep}");
    }
}
