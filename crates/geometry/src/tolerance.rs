//! Lengths below which things do not matter.

use crate::Aabb;

/// What counts as nothing, for an object of a given size. Made once an object and passed down.
/// It judges results (slivers, planarity, near-equality); it never decides topology.
///
/// ```
/// use smithereens_geometry::Tolerance;
/// let fine = Tolerance::for_extent(1.0);
/// let coarse = Tolerance::for_extent(1000.0);
/// assert_eq!(coarse.length(), 1000.0 * fine.length());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    length: f64,
    rounding: f64,
}

/// A few hundred units in the last place.
const ROUNDINGS: f64 = f64::EPSILON * 256.0;

impl Tolerance {
    /// Double precision leaves 2e-16 of the extent; long chains of cuts cost some digits of it.
    pub const RELATIVE: f64 = 1e-10;

    /// The tolerance for an object whose longest edge is `extent`.
    pub fn for_extent(extent: f64) -> Tolerance {
        Tolerance { length: extent.abs() * Tolerance::RELATIVE, rounding: extent.abs() * ROUNDINGS }
    }

    /// The tolerance for an object in this box.
    pub fn for_box(bounds: &Aabb) -> Tolerance {
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let rounding = farthest.max(bounds.extent()) * ROUNDINGS;
        let length = (bounds.extent() * Tolerance::RELATIVE).max(rounding);
        Tolerance { length, rounding }
    }

    /// Two points closer than this are one.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// What some roundings may move a point by. It grows with the distance from the origin.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The extent this was made for.
    pub fn extent(&self) -> f64 {
        self.length / Tolerance::RELATIVE
    }

    /// A face with less area is no contact: a strip of the tolerance's width across the object.
    pub fn area(&self) -> f64 {
        self.length * self.extent()
    }

    /// A piece with less volume is a sliver: a sheet of a hundredth of the tolerance's thickness
    /// across the object.
    pub fn volume(&self) -> f64 {
        self.length * 0.01 * self.extent() * self.extent()
    }
}
