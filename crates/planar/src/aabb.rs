//! Boxes along the axes.

use glam::DVec2;
use serde::{Deserialize, Serialize};

/// A box along the axes.
///
/// ```
/// use smithereens_planar::Aabb;
/// use glam::DVec2;
/// let square = Aabb::square(1.0);
/// assert_eq!(square.size(), DVec2::splat(2.0));
/// assert!(square.contains(DVec2::new(1.0, -0.5)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// The lowest coordinates.
    pub min: DVec2,
    /// The highest.
    pub max: DVec2,
}

impl Aabb {
    /// Holds nothing; the start of a union.
    pub const EMPTY: Aabb = Aabb { min: DVec2::INFINITY, max: DVec2::NEG_INFINITY };

    /// The box between two corners.
    pub fn new(min: DVec2, max: DVec2) -> Aabb {
        Aabb { min, max }
    }

    /// The square around the origin that reaches so far along each axis.
    pub fn square(half: f64) -> Aabb {
        Aabb::new(DVec2::splat(-half), DVec2::splat(half))
    }

    /// The box around points.
    pub fn around(points: impl IntoIterator<Item = DVec2>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, |b, p| Aabb::new(b.min.min(p), b.max.max(p)))
    }

    /// The box around both.
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb::new(self.min.min(other.min), self.max.max(other.max))
    }

    /// Larger by so much on each side.
    pub fn grown(&self, by: f64) -> Aabb {
        Aabb::new(self.min - by, self.max + by)
    }

    /// Width and height.
    pub fn size(&self) -> DVec2 {
        self.max - self.min
    }

    /// The middle.
    pub fn center(&self) -> DVec2 {
        (self.min + self.max) * 0.5
    }

    /// The longer side.
    pub fn extent(&self) -> f64 {
        self.size().max_element()
    }

    /// Width times height.
    pub fn area(&self) -> f64 {
        self.size().element_product()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Whether a point is inside or on the border.
    pub fn contains(&self, point: DVec2) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Whether another box lies in it.
    pub fn holds(&self, other: &Aabb) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Whether two boxes share a point.
    #[inline]
    pub fn meets(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The corners, counter-clockwise from the lowest.
    pub fn corners(&self) -> [DVec2; 4] {
        let (low, high) = (self.min, self.max);
        [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
    }
}
