//! Cuts by planes that go all the way through: parallel slices, or any which way.

use glam::DVec3;
use smithereens_geometry::{Aabb, Convex, Plane};

use super::splitter::Splitter;
use super::{Pattern, PatternError, parameter};
use crate::draw::Draw;

/// Parallel slices of about the same thickness.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct Slices {
    /// How many slices.
    pub slices: usize,
    /// Across the slices; its length does not matter.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::vector"))]
    pub direction: DVec3,
    /// How uneven they are, from 0 to 1.
    pub jitter: f64,
    /// The box they fill, in the unit of the solid, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
    /// Another seed, other thicknesses.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::seed"))]
    pub seed: u64,
}

impl Default for Slices {
    fn default() -> Slices {
        Slices { slices: 8, direction: DVec3::X, jitter: 0.0, bounds: Aabb::cube(1.0), seed: 0 }
    }
}

/// Most a plane between slices moves, as a part of a slice: less than half, so that none overtakes the next.
const MOST_SHIFT: f64 = 0.45;

impl Slices {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        let (mut splitter, whole) = Splitter::new(&self.bounds)?;
        parameter::count("slices", self.slices, 1)?;
        parameter::fraction("jitter", self.jitter)?;
        let normal = parameter::direction("direction", self.direction)?;
        let mut draw = Draw::new(self.seed);
        let (low, high) = (-whole.support(-normal).dot(-normal), whole.support(normal).dot(normal));
        let thickness = (high - low) / self.slices as f64;
        let planes: Vec<Plane> = (1..self.slices)
            .map(|i| i as f64 + draw.about_zero(MOST_SHIFT * self.jitter))
            .map(|place| Plane::new(normal, low + thickness * place))
            .collect();
        for slice in splitter.slice(whole, planes) {
            splitter.keep(slice);
        }
        splitter.finish()
    }
}

/// Planes in random directions, each through the whole box.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct Planes {
    /// How many planes, at most 100: they make up to a sixth of its cube of cells.
    pub planes: usize,
    /// How far from the impact they pass, from 0 (all through it) to 1 (as far as the box reaches).
    pub spread: f64,
    /// The box they cut, in the unit of the solid, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
    /// Another seed, other planes.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::seed"))]
    pub seed: u64,
}

impl Default for Planes {
    fn default() -> Planes {
        Planes { planes: 6, spread: 0.5, bounds: Aabb::cube(1.0), seed: 0 }
    }
}

const MOST_PLANES: usize = 100;

impl Planes {
    /// The fewest planes that can make this many cells.
    pub(super) fn planes_for(cells: usize) -> usize {
        let most_cells = |n: usize| (n * n * n + 5 * n + 6) / 6;
        (0..MOST_PLANES).find(|&n| most_cells(n) >= cells).unwrap_or(MOST_PLANES)
    }

    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        let (mut splitter, whole) = Splitter::new(&self.bounds)?;
        let wanted = "it should be at most 100";
        parameter::check("planes", self.planes as f64, self.planes <= MOST_PLANES, wanted)?;
        parameter::fraction("spread", self.spread)?;
        let mut draw = Draw::new(self.seed);
        let mut cells = vec![whole];
        for _ in 0..self.planes {
            let normal = draw.direction();
            let reach = cells_reach(&self.bounds, normal);
            let plane = Plane::new(normal, draw.about_zero(self.spread * reach));
            let id = splitter.mint();
            let parts = |cell: Convex| {
                let (behind, front) = splitter.split_by(cell, plane, id);
                behind.into_iter().chain(front)
            };
            cells = cells.into_iter().flat_map(parts).collect();
        }
        cells.into_iter().for_each(|cell| splitter.keep(cell));
        splitter.finish()
    }
}

/// How far the box reaches from the origin along a direction and against it, whichever is less.
fn cells_reach(bounds: &Aabb, direction: DVec3) -> f64 {
    let along = bounds.corners().map(|c| c.dot(direction));
    let (low, high) = along.iter().fold((0.0_f64, 0.0_f64), |(l, h), &x| (l.min(x), h.max(x)));
    high.min(-low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_slices_as_asked_for() {
        for direction in [DVec3::X, DVec3::new(1.0, -2.0, 0.3)] {
            let slices = Slices { slices: 9, direction, jitter: 1.0, ..Slices::default() };
            assert_eq!(slices.pattern().unwrap().cells().len(), 9);
        }
    }

    #[test]
    fn planes_through_the_impact_make_cells_that_meet_there() {
        let pattern = Planes { planes: 3, spread: 0.0, ..Planes::default() }.pattern().unwrap();
        assert_eq!(pattern.cells().len(), 8);
        assert_eq!((Planes::planes_for(8), Planes::planes_for(1), Planes::planes_for(9)), (3, 0, 4));
    }
}
