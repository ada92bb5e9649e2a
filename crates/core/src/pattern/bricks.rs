//! Masonry: bricks in courses, with or without mortar.

use glam::DVec3;
use smithereens_geometry::{Aabb, Convex, Plane};

use super::splitter::Splitter;
use super::{Pattern, PatternError, parameter};

/// What is between bricks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Mortar {
    /// Nothing: bricks touch.
    #[default]
    None,
    /// Joints of this thickness, of the colour of the brick they are laid with: they break off on one side.
    Sticks(f64),
    /// Joints of this thickness, each of a colour of its own: they crumble.
    Crumbles(f64),
}

impl Mortar {
    fn thickness(self) -> f64 {
        match self {
            Mortar::None => 0.0,
            Mortar::Sticks(thickness) | Mortar::Crumbles(thickness) => thickness,
        }
    }
}

/// Bricks: x along the wall, y up, z through it, the middle of a brick at the origin. Each brick has its own colour.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct Bricks {
    /// Length, height and depth from one brick to the next, joint included, in the unit of the solid.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::vector"))]
    pub size: DVec3,
    /// How far every other course is shifted, in bricks: a half is running bond, 0 is stack bond.
    pub offset: f64,
    /// What is between bricks.
    pub mortar: Mortar,
    /// The box the bricks fill, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
}

impl Default for Bricks {
    /// Bricks twice as long as deep and a third as high, about as many as a unit wall shows.
    fn default() -> Bricks {
        let size = DVec3::new(0.4, 0.15, 0.2);
        Bricks { size, offset: 0.5, mortar: Mortar::None, bounds: Aabb::cube(1.0) }
    }
}

impl Bricks {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        let (mut splitter, whole) = Splitter::new(&self.bounds)?;
        self.check()?;
        let courses = splitter.slice(whole, planes_across(&self.bounds, DVec3::Y, self.size.y, 0.0));
        for course in courses {
            let row = libm::floor(course.middle().y / self.size.y + 0.5);
            let shift = if row.rem_euclid(2.0) == 0.0 { 0.0 } else { self.offset * self.size.x };
            for wythe in splitter.slice(course, planes_across(&self.bounds, DVec3::Z, self.size.z, 0.0)) {
                let joints = planes_across(&self.bounds, DVec3::X, self.size.x, shift);
                for brick in splitter.slice(wythe, joints) {
                    self.lay(&mut splitter, brick, shift);
                }
            }
        }
        splitter.finish()
    }

    fn check(&self) -> Result<(), PatternError> {
        parameter::length("size", self.size.min_element())?;
        parameter::length("size", self.size.max_element())?;
        parameter::fraction("offset", self.offset)?;
        let (thickness, most) = (self.mortar.thickness(), self.size.min_element());
        let sound = thickness >= 0.0 && thickness < most;
        parameter::check("mortar", thickness, sound, "it should be thinner than a brick")?;
        let counts = self.bounds.size() / self.size + DVec3::splat(2.0);
        let parts = if self.mortar == Mortar::None { 1.0 } else { 4.0 };
        parameter::expected_cells(counts.element_product() * parts)
    }

    /// Keeps a brick, its joints cut off: above, behind and at its right.
    fn lay(&self, splitter: &mut Splitter, brick: Convex, shift: f64) {
        let colour = splitter.kept() as u32;
        let thickness = self.mortar.thickness();
        let mut rest = Some(brick);
        if thickness > 0.0 {
            for (axis, pitch, shift) in
                [(DVec3::Y, self.size.y, 0.0), (DVec3::Z, self.size.z, 0.0), (DVec3::X, self.size.x, shift)]
            {
                let Some(brick) = rest.take() else { break };
                let place = libm::floor((brick.middle().dot(axis) - shift) / pitch + 0.5) + 0.5;
                let plane = Plane::new(axis, place * pitch + shift - thickness);
                let (behind, joint) = splitter.split(brick, plane);
                if let Some(joint) = joint {
                    match self.mortar {
                        Mortar::Crumbles(_) => splitter.keep(joint),
                        _ => splitter.keep_coloured(joint, colour),
                    }
                }
                rest = behind;
            }
        }
        if let Some(brick) = rest {
            match self.mortar {
                Mortar::Sticks(_) => splitter.keep_coloured(brick, colour),
                _ => splitter.keep(brick),
            }
        }
    }
}

/// Planes across an axis at every odd half pitch from `shift` that is in the box.
fn planes_across(bounds: &Aabb, axis: DVec3, pitch: f64, shift: f64) -> Vec<Plane> {
    let (low, high) = (bounds.min.dot(axis), bounds.max.dot(axis));
    let first = libm::ceil((low - shift) / pitch - 0.5);
    let last = libm::floor((high - shift) / pitch - 0.5);
    let count = (last - first + 1.0).max(0.0) as usize;
    (0..count).map(|i| Plane::new(axis, (first + i as f64 + 0.5) * pitch + shift)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_bond_alternates() {
        let size = DVec3::new(1.0, 0.5, 4.0);
        let bounds = Aabb::new(DVec3::new(-1.5, -0.75, -1.0), DVec3::new(1.5, 0.75, 1.0));
        let running = Bricks { size, bounds, ..Bricks::default() }.pattern().unwrap();
        assert_eq!(running.cells().len(), 4 + 3 + 4);
        let stacked = Bricks { size, bounds, offset: 0.0, ..Bricks::default() }.pattern().unwrap();
        assert_eq!(stacked.cells().len(), 9);
    }

    #[test]
    fn mortar_sticks_or_crumbles() {
        let colours = |mortar| {
            let pattern = Bricks { mortar, ..Bricks::default() }.pattern().unwrap();
            let mut colours: Vec<u32> = pattern.cells().iter().map(|c| c.colour).collect();
            colours.sort_unstable();
            colours.dedup();
            (colours.len(), pattern.cells().len())
        };
        let (bare, sticks, crumbles) =
            (colours(Mortar::None), colours(Mortar::Sticks(0.02)), colours(Mortar::Crumbles(0.02)));
        assert_eq!(bare.0, bare.1);
        assert_eq!(sticks.0, bare.0);
        assert!(sticks.1 > 3 * bare.1 && crumbles.0 == sticks.1);
    }
}
