//! Axis-aligned boxes.

use glam::DVec3;

/// An axis-aligned box; empty if any `min` exceeds its `max`.
///
/// ```
/// use smithereens_geometry::Aabb;
/// use glam::DVec3;
/// let b = Aabb::of_points([DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)]);
/// assert_eq!(b.volume(), 6.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least coordinates.
    pub min: DVec3,
    /// Greatest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box that contains nothing.
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box between two corners.
    pub fn new(min: DVec3, max: DVec3) -> Aabb {
        Aabb { min, max }
    }

    /// The cube of this half side about the origin.
    pub fn cube(half: f64) -> Aabb {
        Aabb::new(DVec3::splat(-half), DVec3::splat(half))
    }

    /// The smallest box that holds all points.
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, Aabb::including)
    }

    /// The smallest box that holds this one and the point.
    #[inline]
    pub fn including(self, point: DVec3) -> Aabb {
        Aabb { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The smallest box that holds both.
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box with every side moved outward by `margin`.
    pub fn grown(self, margin: f64) -> Aabb {
        Aabb { min: self.min - DVec3::splat(margin), max: self.max + DVec3::splat(margin) }
    }

    /// Whether the box holds no point.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Edge lengths; zero for an empty box.
    pub fn size(&self) -> DVec3 {
        (self.max - self.min).max(DVec3::ZERO)
    }

    /// The middle of the box.
    pub fn center(&self) -> DVec3 {
        (self.min + self.max) * 0.5
    }

    /// The longest edge.
    pub fn extent(&self) -> f64 {
        self.size().max_element()
    }

    /// The product of the edges.
    pub fn volume(&self) -> f64 {
        self.size().element_product()
    }

    /// Whether the boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether the point is in the box or on its boundary.
    #[inline]
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Whether `other` lies in this box.
    pub fn contains_box(&self, other: &Aabb) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Squared distance of a point from the box; zero inside.
    #[inline]
    pub fn distance_squared(&self, point: DVec3) -> f64 {
        (point - point.clamp(self.min, self.max)).length_squared()
    }

    /// The eight corners; bit 0 of the index chooses x, bit 1 y, bit 2 z.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            DVec3::select(glam::BVec3::new(i & 1 != 0, i & 2 != 0, i & 4 != 0), self.max, self.min)
        })
    }
}
