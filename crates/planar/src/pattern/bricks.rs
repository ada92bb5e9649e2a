//! Masonry: bricks in courses, with or without mortar.

use glam::DVec2;

use super::splitter::Splitter;
use super::{MOST_CELLS, Pattern, PatternError, Source, check, check_fraction, check_length};
use crate::{Aabb, Convex, Line};

/// What is between bricks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Mortar {
    /// Nothing: bricks touch.
    #[default]
    None,
    /// Joints of this thickness, of the colour of the brick they are laid with: they break off on one side.
    Sticks(f64),
    /// Joints of this thickness, each of a colour of its own: they crumble.
    Crumbles(f64),
}

/// Bricks: x along the wall, y up, the middle of a brick at the origin. Each brick has its own colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Bricks {
    /// Length and height from one brick to the next, joint included, in the unit of the shape.
    pub size: DVec2,
    /// How far every other course is shifted, in bricks: a half is running bond, 0 is stack bond.
    pub offset: f64,
    /// What is between bricks.
    pub mortar: Mortar,
    /// The box the bricks fill, with the impact at the origin.
    pub bounds: Aabb,
}

impl Default for Bricks {
    fn default() -> Bricks {
        let size = DVec2::new(0.4, 0.15);
        Bricks { size, offset: 0.5, mortar: Mortar::None, bounds: Aabb::square(1.0) }
    }
}

impl Bricks {
    /// Makes the pattern.
    ///
    /// ```
    /// use smithereens_planar::{Aabb, pattern::Bricks};
    /// use glam::DVec2;
    /// let bounds = Aabb::new(DVec2::new(-1.5, -0.75), DVec2::new(1.5, 0.75));
    /// let bond = Bricks { size: DVec2::new(1.0, 0.5), bounds, ..Bricks::default() };
    /// assert_eq!(bond.pattern()?.cells().len(), 4 + 3 + 4);
    /// # Ok::<(), smithereens_planar::pattern::PatternError>(())
    /// ```
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        let (mut splitter, whole) = Splitter::new(&self.bounds)?;
        self.check()?;
        for course in splitter.slice(whole, self.lines(DVec2::Y, 0.0)) {
            let shift = self.shift(&course);
            for brick in splitter.slice(course, self.lines(DVec2::X, shift)) {
                self.lay(&mut splitter, brick, shift);
            }
        }
        splitter.finish(Source::Bricks(self.clone()))
    }

    fn check(&self) -> Result<(), PatternError> {
        check_length("size", self.size.min_element())?;
        check_length("size", self.size.max_element())?;
        check_fraction("offset", self.offset)?;
        let thickness = self.thickness();
        let is_sound = thickness >= 0.0 && thickness < self.size.min_element();
        check("mortar", thickness, is_sound, "it should be thinner than a brick")?;
        let parts = if self.mortar == Mortar::None { 1.0 } else { 3.0 };
        let cells = (self.bounds.size() / self.size + 2.0).element_product() * parts;
        check("the number of cells", cells, cells <= MOST_CELLS as f64, "it should be at most 262144")
    }

    fn thickness(&self) -> f64 {
        match self.mortar {
            Mortar::None => 0.0,
            Mortar::Sticks(thickness) | Mortar::Crumbles(thickness) => thickness,
        }
    }

    /// How far a course is shifted.
    fn shift(&self, course: &Convex) -> f64 {
        let row = libm::floor(course.middle().y / self.size.y + 0.5);
        if row.rem_euclid(2.0) == 0.0 { 0.0 } else { self.offset * self.size.x }
    }

    /// Lines across an axis at every odd half pitch from `shift` that is in the box.
    fn lines(&self, axis: DVec2, shift: f64) -> Vec<Line> {
        let [low, high, pitch] = [self.bounds.min, self.bounds.max, self.size].map(|v| v.dot(axis));
        let first = libm::ceil((low - shift) / pitch - 0.5);
        let count = libm::floor((high - shift) / pitch - 0.5) - first + 1.0;
        let place = |i: usize| (first + i as f64 + 0.5) * pitch + shift;
        (0..count.max(0.0) as usize).map(|i| Line::new(axis, place(i))).collect()
    }

    /// Keeps a brick, its joints cut off: above, and at its right.
    fn lay(&self, splitter: &mut Splitter, brick: Convex, shift: f64) {
        let colour = splitter.kept() as u32;
        let of_joint = matches!(self.mortar, Mortar::Sticks(_)).then_some(colour);
        let mut rest = Some(brick);
        for (axis, shift) in [(DVec2::Y, 0.0), (DVec2::X, shift)] {
            if self.mortar == Mortar::None {
                break;
            }
            let Some(brick) = rest.take() else { break };
            let pitch = self.size.dot(axis);
            let place = libm::floor((brick.middle().dot(axis) - shift) / pitch + 0.5) + 0.5;
            let id = splitter.mint();
            let line = Line::new(axis, place * pitch + shift - self.thickness());
            let (behind, joint) = splitter.split_by(brick, line, id);
            joint.into_iter().for_each(|joint| splitter.keep(joint, of_joint));
            rest = behind;
        }
        rest.into_iter().for_each(|brick| splitter.keep(brick, of_joint));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mortar_sticks_or_crumbles() {
        let colours = |mortar| {
            let pattern = Bricks { mortar, ..Bricks::default() }.pattern().unwrap();
            let mut colours: Vec<u32> = pattern.cells().iter().map(|cell| cell.colour).collect();
            colours.sort_unstable();
            colours.dedup();
            (colours.len(), pattern.cells().len())
        };
        let [bare, sticks, crumbles] =
            [Mortar::None, Mortar::Sticks(0.02), Mortar::Crumbles(0.02)].map(colours);
        assert_eq!((bare.0, sticks.0), (bare.1, bare.0));
        assert!(sticks.1 > 2 * bare.1 && crumbles.0 == sticks.1);
    }
}
