//! Cuts by lines that go all the way through: parallel slices, or any which way. Named after their twins in space.

use glam::DVec2;

use super::splitter::Splitter;
use super::{Pattern, PatternError, Source, check, check_count, check_fraction};
use crate::draw::Draw;
use crate::{Aabb, Convex, Line};

/// Parallel slices of about the same thickness.
#[derive(Clone, Debug, PartialEq)]
pub struct Slices {
    /// How many slices.
    pub slices: usize,
    /// Across the slices; its length does not matter.
    pub direction: DVec2,
    /// How uneven they are, from 0 to 1.
    pub jitter: f64,
    /// The box they fill, in the unit of the shape, with the impact at the origin.
    pub bounds: Aabb,
    /// Another seed, other thicknesses.
    pub seed: u64,
}

impl Default for Slices {
    fn default() -> Slices {
        Slices { slices: 8, direction: DVec2::X, jitter: 0.0, bounds: Aabb::square(1.0), seed: 0 }
    }
}

/// Most a line between slices moves, as a part of a slice: less than half, so that none overtakes the next.
const MOST_SHIFT: f64 = 0.45;

impl Slices {
    /// Makes the pattern.
    ///
    /// ```
    /// use smithereens_planar::pattern::Slices;
    /// assert_eq!(Slices { slices: 9, jitter: 1.0, ..Slices::default() }.pattern()?.cells().len(), 9);
    /// # Ok::<(), smithereens_planar::pattern::PatternError>(())
    /// ```
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        self.within(&self.bounds)
    }

    /// The same cuts through another box.
    pub(super) fn within(&self, bounds: &Aabb) -> Result<Pattern, PatternError> {
        Splitter::new(&self.bounds)?;
        let (mut splitter, whole) = Splitter::new(bounds)?;
        check_count("slices", self.slices)?;
        check_fraction("jitter", self.jitter)?;
        let wanted = "it should be a finite vector other than zero";
        let no_direction =
            PatternError::Parameter { name: "direction", value: self.direction.length(), wanted };
        let normal = self.direction.try_normalize().ok_or(no_direction)?;
        let mut draw = Draw::new(self.seed);
        let [low, high] = reach(&self.bounds, normal);
        let thickness = (high - low) / self.slices as f64;
        let mut place = |i: usize| low + thickness * (i as f64 + draw.about_zero(MOST_SHIFT * self.jitter));
        let lines: Vec<Line> = (1..self.slices).map(|i| Line::new(normal, place(i))).collect();
        splitter.slice(whole, lines).into_iter().for_each(|slice| splitter.keep(slice, None));
        splitter.finish(Source::Slices(self.clone()))
    }
}

/// Lines in random directions, each through the whole box.
#[derive(Clone, Debug, PartialEq)]
pub struct Planes {
    /// How many lines, at most 500: they make up to half its square of cells.
    pub planes: usize,
    /// How far from the impact they pass, from 0 (all through it) to 1 (as far as the box reaches).
    pub spread: f64,
    /// The box they cut, in the unit of the shape, with the impact at the origin.
    pub bounds: Aabb,
    /// Another seed, other lines.
    pub seed: u64,
}

impl Default for Planes {
    fn default() -> Planes {
        Planes { planes: 6, spread: 0.5, bounds: Aabb::square(1.0), seed: 0 }
    }
}

const MOST_LINES: usize = 500;

impl Planes {
    /// Makes the pattern.
    ///
    /// ```
    /// use smithereens_planar::pattern::Planes;
    /// let star = Planes { planes: 3, spread: 0.0, ..Planes::default() };
    /// assert_eq!(star.pattern()?.cells().len(), 6);
    /// # Ok::<(), smithereens_planar::pattern::PatternError>(())
    /// ```
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        self.within(&self.bounds)
    }

    /// The same cuts through another box.
    pub(super) fn within(&self, bounds: &Aabb) -> Result<Pattern, PatternError> {
        Splitter::new(&self.bounds)?;
        let (mut splitter, whole) = Splitter::new(bounds)?;
        check("planes", self.planes as f64, self.planes <= MOST_LINES, "it should be at most 500")?;
        check_fraction("spread", self.spread)?;
        let mut draw = Draw::new(self.seed);
        let mut cells = vec![whole];
        for _ in 0..self.planes {
            let normal = draw.direction();
            let [low, high] = reach(&self.bounds, normal);
            let farthest = high.min(-low).max(0.0);
            let line = Line::new(normal, draw.about_zero(self.spread * farthest));
            let id = splitter.mint();
            let parts = |cell: Convex| {
                let (behind, front) = splitter.split_by(cell, line, id);
                behind.into_iter().chain(front)
            };
            cells = cells.into_iter().flat_map(parts).collect();
        }
        cells.into_iter().for_each(|cell| splitter.keep(cell, None));
        splitter.finish(Source::Planes(self.clone()))
    }
}

/// The least and the greatest place of a box along a direction.
fn reach(bounds: &Aabb, direction: DVec2) -> [f64; 2] {
    let along = bounds.corners().map(|corner| corner.dot(direction));
    along.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], &x| [l.min(x), h.max(x)])
}
