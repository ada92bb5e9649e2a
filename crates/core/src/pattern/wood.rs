//! Splinters along a grain.

use glam::DVec3;
use smithereens_geometry::{Aabb, Convex, Plane};

use super::parameter::{self, MOST_CELLS};
use super::splitter::Splitter;
use super::{Pattern, PatternError};
use crate::draw::Draw;

/// Wood: long thin cells along a grain, that end at different places and a little aslant.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct Wood {
    /// The direction of the grain; its length does not matter.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::vector"))]
    pub grain: DVec3,
    /// The width of a splinter, in the unit of the solid: none is wider, few are half as wide.
    pub width: f64,
    /// The mean length of a splinter.
    pub length: f64,
    /// How far ends tilt against the grain, in radians, from 0 to 1.4.
    pub slant: f64,
    /// The box the cells fill, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
    /// Another seed, other splinters.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::seed"))]
    pub seed: u64,
}

impl Default for Wood {
    fn default() -> Wood {
        Wood { grain: DVec3::Y, width: 0.3, length: 1.2, slant: 0.9, bounds: Aabb::cube(1.0), seed: 0 }
    }
}

/// Most a split between fibres turns away from the shorter way across, in radians.
const MOST_TURN: f64 = 0.3;
/// How far from the middle a split may be, as a part of what is split.
const MOST_SHIFT: f64 = 0.15;
/// How far a splinter's length may be from the mean, as a part of it.
const MOST_STRETCH: f64 = 0.4;
/// The area of a splinter's cross-section is on average this part of its width squared.
const FILL: f64 = 0.22;

impl Wood {
    /// How many cells to expect: fibres side by side, and on each as many ends as fit.
    pub(super) fn expected(&self) -> f64 {
        // A plate thinner than a splinter still has splinters side by side.
        let volume = self.bounds.size().max(DVec3::splat(self.width)).element_product();
        let (low, high) = reach(&Convex::from_box(&self.bounds), self.grain.normalize_or_zero());
        let along = (high - low).max(self.width);
        volume / along / (self.width * self.width * FILL) * (1.0 + along / self.length)
    }

    /// Splinters `slenderness` times as long as wide, as wide as it takes for about this many to fill the
    /// box.
    pub(super) fn of_cells(cells: usize, bounds: Aabb, slenderness: f64, seed: u64) -> Wood {
        let of_width = |width| Wood { width, length: width * slenderness, bounds, seed, ..Wood::default() };
        let (mut narrow, mut wide) = (0.0, bounds.extent() * 2.0);
        for _ in 0..f64::MANTISSA_DIGITS {
            let middle = (narrow + wide) * 0.5;
            if of_width(middle).expected() > cells as f64 {
                narrow = middle;
            } else {
                wide = middle;
            }
        }
        of_width(wide)
    }

    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        let (mut splitter, whole) = Splitter::new(&self.bounds)?;
        let grain = parameter::direction("grain", self.grain)?;
        parameter::length("width", self.width)?;
        parameter::length("length", self.length)?;
        let sound = (0.0..=1.4).contains(&self.slant);
        parameter::check("slant", self.slant, sound, "it should be from 0 to 1.4")?;
        parameter::expected_cells(self.expected())?;
        let mut draw = Draw::new(self.seed);
        for fibre in self.fibres(&mut splitter, whole, grain, &mut draw) {
            let ends = self.ends(&fibre, grain, &mut draw);
            for splinter in splitter.slice(fibre, ends) {
                splitter.keep(splinter);
            }
        }
        splitter.finish()
    }

    /// Splits along the grain until nothing is wider than a splinter.
    fn fibres(&self, splitter: &mut Splitter, whole: Convex, grain: DVec3, draw: &mut Draw) -> Vec<Convex> {
        let mut fibres = Vec::new();
        let mut wide = vec![whole];
        while let Some(convex) = wide.pop() {
            let (across, low, high) = widest(&convex, grain);
            if high - low <= self.width || fibres.len() + wide.len() >= MOST_CELLS {
                fibres.push(convex);
                continue;
            }
            let (sine, cosine) = libm::sincos(draw.about_zero(MOST_TURN));
            let normal = across * cosine + grain.cross(across) * sine;
            let along = across * ((high - low) * draw.about_zero(MOST_SHIFT));
            let plane = Plane::new(normal, normal.dot(convex.middle() + along));
            match splitter.split(convex, plane) {
                (Some(behind), Some(front)) => wide.extend([behind, front]),
                (part, None) | (None, part) => fibres.extend(part),
            }
        }
        fibres
    }

    /// The planes across a fibre.
    fn ends(&self, fibre: &Convex, grain: DVec3, draw: &mut Draw) -> Vec<Plane> {
        let (low, high) = reach(fibre, grain);
        let (u, v) = grain.any_orthonormal_pair();
        let middle = fibre.middle() - grain * fibre.middle().dot(grain);
        let mut planes = Vec::new();
        let mut at = low + self.length * draw.unit();
        while at < high && planes.len() < MOST_CELLS {
            let (tilt, turn) = (draw.about_zero(self.slant), draw.about_zero(std::f64::consts::PI));
            let (sine, cosine) = libm::sincos(turn);
            let normal = grain * libm::cos(tilt) + (u * cosine + v * sine) * libm::sin(tilt);
            planes.push(Plane::new(normal, normal.dot(middle + grain * at)));
            at += self.length * (1.0 + draw.about_zero(MOST_STRETCH));
        }
        planes
    }
}

/// The direction across the grain in which a convex is widest, of a few, and from where to where.
fn widest(convex: &Convex, grain: DVec3) -> (DVec3, f64, f64) {
    const DIRECTIONS: usize = 6;
    let (u, v) = grain.any_orthonormal_pair();
    let mut best = (u, 0.0, 0.0);
    for i in 0..DIRECTIONS {
        let (sine, cosine) = libm::sincos(std::f64::consts::PI * i as f64 / DIRECTIONS as f64);
        let direction = u * cosine + v * sine;
        let (low, high) = reach(convex, direction);
        if high - low > best.2 - best.1 {
            best = (direction, low, high);
        }
    }
    best
}

fn reach(convex: &Convex, direction: DVec3) -> (f64, f64) {
    let along = convex.vertices().iter().map(|v| v.dot(direction));
    along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splinters_are_long_along_the_grain() {
        let grain = DVec3::new(1.0, 2.0, 0.5).normalize();
        let wood = Wood { grain, width: 0.2, ..Wood::default() };
        let pattern = wood.pattern().unwrap();
        let slender = pattern.cells().iter().filter(|c| {
            let (low, high) = reach(&c.convex, grain);
            let (_, left, right) = widest(&c.convex, grain);
            assert!(right - left <= wood.width);
            high - low > 2.0 * (right - left)
        });
        assert!(slender.count() * 2 > pattern.cells().len());
    }

    #[test]
    fn about_as_many_splinters_as_expected() {
        let wood = Wood { width: 0.15, length: 0.6, ..Wood::default() };
        let ratio = wood.pattern().unwrap().cells().len() as f64 / wood.expected();
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
}
