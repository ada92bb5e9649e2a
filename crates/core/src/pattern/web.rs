//! The spider web that a ball leaves in a window.
//!
//! Müller et al. 2013 break glass with such a pattern (section 3.1, figure 5). Cracks run out from the
//! impact; between two of them, others run across. In real glass those do not meet at the radial cracks,
//! since each sector breaks by itself, so here every sector has ring lines of its own.

use std::f64::consts::PI;

use glam::DVec3;
use smithereens_geometry::{Aabb, Convex, Plane};

use super::splitter::Splitter;
use super::{Pattern, PatternError, parameter};
use crate::draw::Draw;

/// A radial web about the z axis, the direction of the impact. Cells reach through the box along z.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct Web {
    /// How many sectors, at least 3.
    pub sectors: usize,
    /// How many ring lines cross a sector.
    pub rings: usize,
    /// The radius of the outermost ring, in the unit of the solid.
    pub radius: f64,
    /// How the radii grow: 1 is evenly, 2 as squares. Positive.
    pub growth: f64,
    /// How irregular, from 0 (a drawn web) to 1.
    pub jitter: f64,
    /// The box the cells fill, in the unit of the solid, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
    /// Another seed, other lines.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::seed"))]
    pub seed: u64,
}

impl Default for Web {
    fn default() -> Web {
        let bounds = Aabb::new(DVec3::new(-1.0, -1.0, -0.1), DVec3::new(1.0, 1.0, 0.1));
        Web { sectors: 12, rings: 5, radius: 0.9, growth: 1.6, jitter: 0.6, bounds, seed: 0 }
    }
}

/// Most a radial crack turns, as a part of its sector: less than half, so that none overtakes the next.
const MOST_TURN: f64 = 0.35;
/// Most a ring line moves, as a part of the gap between rings.
const MOST_SHIFT: f64 = 0.4;
/// Most a ring line tilts against its sector, in radians.
const MOST_TILT: f64 = 0.35;

impl Web {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        parameter::count("sectors", self.sectors, 3)?;
        parameter::count("rings", self.rings, 0)?;
        parameter::expected_cells(self.sectors as f64 * (self.rings + 1) as f64)?;
        parameter::length("radius", self.radius)?;
        let sound = self.growth > 0.0 && self.growth <= 8.0;
        parameter::check("growth", self.growth, sound, "it should be more than 0 and at most 8")?;
        parameter::fraction("jitter", self.jitter)?;
        let (mut splitter, whole) = Splitter::new(&self.bounds)?;
        let mut draw = Draw::new(self.seed);
        for (sector, middle) in self.sectors(&mut splitter, whole, &mut draw) {
            let lines = self.ring_lines(middle, &mut draw);
            for cell in splitter.slice(sector, lines) {
                splitter.keep(cell);
            }
        }
        splitter.finish()
    }

    /// The sectors and the angles of their middles. One crack runs straight through the impact, which makes
    /// two halves; the others end at it.
    fn sectors(&self, splitter: &mut Splitter, whole: Convex, draw: &mut Draw) -> Vec<(Convex, f64)> {
        let start = draw.unit() * PI;
        let (behind, front) = splitter.split(whole, radial(start));
        let near = self.sectors / 2;
        let mut sectors = Vec::with_capacity(self.sectors);
        for (half, count, from) in [(front, near, start), (behind, self.sectors - near, start + PI)] {
            let angles = self.angles(from, count, draw);
            let Some(mut rest) = half else { continue };
            for pair in angles.windows(2).take(count - 1) {
                let (before, after) = splitter.split(rest, radial(pair[1]));
                sectors.extend(before.map(|sector| (sector, (pair[0] + pair[1]) * 0.5)));
                let Some(after) = after else {
                    rest = Convex::default();
                    break;
                };
                rest = after;
            }
            if !rest.faces().is_empty() {
                sectors.push((rest, (angles[count - 1] + angles[count]) * 0.5));
            }
        }
        sectors
    }

    /// The angles that bound the sectors of one half, both ends included.
    fn angles(&self, from: f64, count: usize, draw: &mut Draw) -> Vec<f64> {
        let step = PI / count as f64;
        let mut angles = vec![from];
        angles
            .extend((1..count).map(|i| from + step * (i as f64 + draw.about_zero(MOST_TURN * self.jitter))));
        angles.push(from + PI);
        angles
    }

    /// Planes across a sector, from the impact outward.
    fn ring_lines(&self, middle: f64, draw: &mut Draw) -> Vec<Plane> {
        let line = |ring: usize| {
            let place = ring as f64 + 1.0 + draw.about_zero(MOST_SHIFT * self.jitter);
            let radius = self.radius * libm::pow(place / self.rings as f64, self.growth);
            let (sine, cosine) = libm::sincos(middle + draw.about_zero(MOST_TILT * self.jitter));
            let normal = DVec3::new(cosine, sine, 0.0);
            let (sine, cosine) = libm::sincos(middle);
            Plane::new(normal, normal.dot(DVec3::new(cosine, sine, 0.0) * radius))
        };
        (0..self.rings).map(line).collect()
    }
}

/// The plane through the axis at an angle; greater angles are in front.
fn radial(angle: f64) -> Plane {
    let (sine, cosine) = libm::sincos(angle);
    Plane::new(DVec3::new(-sine, cosine, 0.0), 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_has_sectors_times_rings_and_the_rest_outside() {
        for sectors in [3, 4, 7, 12] {
            let web = Web { sectors, rings: 3, radius: 0.5, ..Web::default() };
            assert_eq!(web.pattern().unwrap().cells().len(), sectors * 4, "{sectors}");
        }
    }

    #[test]
    fn cells_are_smallest_at_the_impact() {
        let pattern = Web::default().pattern().unwrap();
        let volume = |near: bool| {
            let chosen = pattern.cells().iter().filter(|c| (c.convex.middle().length() < 0.2) == near);
            let volumes: Vec<f64> = chosen.map(|c| c.convex.volume()).collect();
            volumes.iter().sum::<f64>() / volumes.len() as f64
        };
        assert!(volume(true) * 4.0 < volume(false));
    }
}
