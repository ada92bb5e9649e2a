//! Lengths below which things do not matter.

use crate::Aabb;

/// What counts as nothing, for an object of a given size. Made once an object and passed down.
/// It judges results (slivers, contacts); it never decides topology.
///
/// ```
/// use smithereens_planar::{Aabb, Tolerance};
/// let fine = Tolerance::for_box(&Aabb::square(1.0));
/// assert!(fine.area() < fine.length() && fine.length() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    length: f64,
    extent: f64,
}

/// A few hundred units in the last place of the coordinate that is farthest from the origin.
const ROUNDINGS: f64 = f64::EPSILON * 256.0;

impl Tolerance {
    /// Double precision leaves 2e-16 of the extent; long chains of cuts cost some digits of it.
    pub const RELATIVE: f64 = 1e-10;

    /// The tolerance for an object in this box.
    pub fn for_box(bounds: &Aabb) -> Tolerance {
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let extent = bounds.extent();
        Tolerance { length: (extent * Tolerance::RELATIVE).max(farthest * ROUNDINGS), extent }
    }

    /// Two points closer than this are one; a shorter overlap of edges is no contact.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// A piece with less area is a sliver: a strip of a ten thousandth of the tolerance's width across the object.
    pub fn area(&self) -> f64 {
        self.length * 1e-4 * self.extent
    }
}
