//! The spider web that a ball leaves in a window, seen from the front.
//!
//! Cracks run out from the impact; between two of them, others run across. In real glass those do not meet at the radial cracks, since each
//! sector breaks by itself, so here every sector has ring lines of its own.

use std::f64::consts::PI;

use super::splitter::Splitter;
use super::{MOST_CELLS, Pattern, PatternError, Source};
use super::{check, check_fraction, check_growth, check_length};
use crate::draw::{Draw, at_angle};
use crate::{Aabb, Convex, Line};

/// A radial web about the impact.
#[derive(Clone, Debug, PartialEq)]
pub struct Web {
    /// How many sectors, at least 3.
    pub sectors: usize,
    /// How many ring lines cross a sector.
    pub rings: usize,
    /// The radius of the outermost ring, in the unit of the shape.
    pub radius: f64,
    /// How the radii grow: 1 is evenly, 2 as squares. Positive.
    pub growth: f64,
    /// How irregular, from 0 (a drawn web) to 1.
    pub jitter: f64,
    /// The box the cells fill, in the unit of the shape, with the impact at the origin.
    pub bounds: Aabb,
    /// Another seed, other lines.
    pub seed: u64,
}

impl Default for Web {
    fn default() -> Web {
        let bounds = Aabb::square(1.0);
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
    ///
    /// ```
    /// use smithereens_planar::pattern::Web;
    /// let web = Web { sectors: 7, rings: 3, radius: 0.5, ..Web::default() };
    /// assert_eq!(web.pattern()?.cells().len(), 7 * 4);
    /// # Ok::<(), smithereens_planar::pattern::PatternError>(())
    /// ```
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        self.within(&self.bounds)
    }

    /// The web as far as it lies in a box.
    pub(super) fn within(&self, bounds: &Aabb) -> Result<Pattern, PatternError> {
        let (mut splitter, whole) = Splitter::new(bounds)?;
        self.check()?;
        let mut draw = Draw::new(self.seed);
        let angles = self.angles(&mut draw);
        let rings: Vec<Vec<Line>> = (0..self.sectors)
            .map(|sector| self.ring_lines((angles[sector] + angles[sector + 1]) * 0.5, &mut draw))
            .collect();
        let id = splitter.mint();
        let (behind, front) = splitter.split_by(whole, radial(angles[0]), id);
        let half = self.sectors / 2;
        for (part, from, to) in [(front, 0, half), (behind, half, self.sectors)] {
            let mut rest: Option<Convex> = part;
            for (sector, lines) in rings.iter().enumerate().take(to).skip(from) {
                let id = splitter.mint();
                let Some(left) = rest.take() else { continue };
                let is_last = sector + 1 == to;
                let (own, others) = match is_last {
                    true => (Some(left), None),
                    false => splitter.split_by(left, radial(angles[sector + 1]), id),
                };
                rest = others;
                let own = own.into_iter().flat_map(|own| splitter.slice(own, lines.iter().copied()));
                own.collect::<Vec<_>>().into_iter().for_each(|cell| splitter.keep(cell, None));
            }
        }
        splitter.finish(Source::Web(self.clone()))
    }

    fn check(&self) -> Result<(), PatternError> {
        let is_sound = (3..=MOST_CELLS).contains(&self.sectors);
        check("sectors", self.sectors as f64, is_sound, "it should be from 3 to 262144")?;
        let cells = self.sectors as f64 * (self.rings as f64 + 1.0);
        check("the number of cells", cells, cells <= MOST_CELLS as f64, "it should be at most 262144")?;
        check_length("radius", self.radius)?;
        check_growth(self.growth)?;
        check_fraction("jitter", self.jitter)
    }

    /// The angles that bound the sectors. One crack runs straight through the impact; the others end at it.
    fn angles(&self, draw: &mut Draw) -> Vec<f64> {
        let (start, half) = (draw.unit() * PI, self.sectors / 2);
        let mut angles = Vec::with_capacity(self.sectors + 1);
        for (from, count) in [(start, half), (start + PI, self.sectors - half)] {
            let step = PI / count as f64;
            angles.push(from);
            let mut turned = |i: usize| from + step * (i as f64 + draw.about_zero(MOST_TURN * self.jitter));
            angles.extend((1..count).map(&mut turned));
        }
        angles.push(start + 2.0 * PI);
        angles
    }

    /// Lines across a sector, from the impact outward.
    fn ring_lines(&self, middle: f64, draw: &mut Draw) -> Vec<Line> {
        let line = |ring: usize| {
            let place = ring as f64 + 1.0 + draw.about_zero(MOST_SHIFT * self.jitter);
            let radius = self.radius * libm::pow(place / self.rings as f64, self.growth);
            let normal = at_angle(middle + draw.about_zero(MOST_TILT * self.jitter));
            Line::new(normal, normal.dot(at_angle(middle) * radius))
        };
        (0..self.rings).map(line).collect()
    }
}

/// The line through the impact at an angle; greater angles are in front.
fn radial(angle: f64) -> Line {
    Line::new(at_angle(angle).perp(), 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_smallest_at_the_impact() {
        let pattern = Web::default().pattern().unwrap();
        let mean = |is_near: bool| {
            let chosen = pattern.cells().iter().filter(|c| (c.convex.middle().length() < 0.2) == is_near);
            let areas: Vec<f64> = chosen.map(|cell| cell.convex.area()).collect();
            areas.iter().sum::<f64>() / areas.len() as f64
        };
        assert!(mean(true) * 4.0 < mean(false));
    }
}
