//! Voronoi cells of points on spheres about the impact.
//!
//! Domaradzki & Martyn, *Fracturing Sparse-Voxel-Octree objects using dynamical Voronoi patterns*,
//! section 4.2: seeds at random on spheres of growing radii, centred at the impact.

use smithereens_geometry::Aabb;

use super::{Pattern, PatternError, check_box, parameter};
use crate::draw::Draw;

/// Voronoi cells of points on spheres of growing radii about the origin: shells around the impact.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct Spheres {
    /// How many points in all, dealt to the spheres in turn. Points outside the box may go without a cell.
    pub cells: usize,
    /// How many spheres.
    pub spheres: usize,
    /// The radius of the largest sphere, in the unit of the solid.
    pub radius: f64,
    /// How the radii grow: 1 is evenly, 2 as squares. Positive.
    pub growth: f64,
    /// The box they fill, in the unit of the solid, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
    /// Another seed, other points.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::seed"))]
    pub seed: u64,
}

impl Default for Spheres {
    fn default() -> Spheres {
        Spheres { cells: 64, spheres: 4, radius: 1.0, growth: 1.5, bounds: Aabb::cube(1.0), seed: 0 }
    }
}

impl Spheres {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        check_box(&self.bounds)?;
        parameter::count("cells", self.cells, 1)?;
        parameter::count("spheres", self.spheres, 1)?;
        parameter::length("radius", self.radius)?;
        let sound = self.growth > 0.0 && self.growth <= 8.0;
        parameter::check("growth", self.growth, sound, "it should be more than 0 and at most 8")?;
        let mut draw = Draw::new(self.seed);
        let points: Vec<_> =
            (0..self.cells).map(|i| draw.direction() * self.radius_of(i % self.spheres)).collect();
        Pattern::from_points(&points, self.bounds)
    }

    fn radius_of(&self, sphere: usize) -> f64 {
        self.radius * libm::pow((sphere + 1) as f64 / self.spheres as f64, self.growth)
    }
}
