//! Planes, their identity, and the one side test that decides all topology.

use std::fmt;
use std::num::NonZeroU64;

use glam::{DAffine3, DMat3, DVec3};

use crate::Aabb;

/// Which side of a plane something is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Where the normal points away from; a tie counts as behind.
    Behind,
    /// Where the normal points to.
    Front,
}

impl Side {
    /// The other side.
    pub fn opposite(self) -> Side {
        match self {
            Side::Behind => Side::Front,
            Side::Front => Side::Behind,
        }
    }
}

/// All points `x` with `normal · x = offset`. The normal has unit length.
///
/// ```
/// use smithereens_geometry::{Plane, Side};
/// use glam::DVec3;
/// let floor = Plane::new(DVec3::Y, 0.0);
/// assert_eq!(floor.side(DVec3::new(3.0, 0.1, 0.0)), Side::Front);
/// assert_eq!(floor.side(DVec3::ZERO), Side::Behind); // a tie goes behind
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: DVec3,
    /// Distance of the plane from the origin along the normal.
    pub offset: f64,
}

impl Plane {
    /// The plane with this unit normal at this offset.
    pub fn new(normal: DVec3, offset: f64) -> Plane {
        Plane { normal, offset }
    }

    /// The plane through `point`; `None` if the normal has no direction.
    pub fn through(point: DVec3, normal: DVec3) -> Option<Plane> {
        let normal = normal.try_normalize()?;
        Some(Plane::new(normal, normal.dot(point)))
    }

    /// Signed distance, positive in front.
    #[inline]
    pub fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The side test: every decision about topology comes from here.
    #[inline]
    pub fn side(&self, point: DVec3) -> Side {
        if self.distance(point) > 0.0 { Side::Front } else { Side::Behind }
    }

    /// The least and the greatest distance of the points of a box.
    ///
    /// ```
    /// use smithereens_geometry::{Aabb, Plane};
    /// use glam::DVec3;
    /// assert_eq!(Plane::new(DVec3::Y, 5.0).range(&Aabb::cube(1.0)), [-6.0, -4.0]);
    /// ```
    #[inline]
    pub fn range(&self, bounds: &Aabb) -> [f64; 2] {
        let (middle, reach) = (self.distance(bounds.center()), self.normal.abs().dot(bounds.size() * 0.5));
        [middle - reach, middle + reach]
    }

    /// The same points, seen from the other side.
    pub fn flipped(&self) -> Plane {
        Plane::new(-self.normal, -self.offset)
    }

    /// The image of the plane under an invertible affine map; `None` if the map is singular.
    pub fn transformed(&self, map: &DAffine3) -> Option<Plane> {
        self.transformed_with(map, &map.matrix3.inverse().transpose())
    }

    /// The same, given the inverse transpose of the map's matrix.
    pub(crate) fn transformed_with(&self, map: &DAffine3, normals: &DMat3) -> Option<Plane> {
        let point = map.transform_point3(self.normal * self.offset);
        Plane::through(point, *normals * self.normal)
    }

    /// Two unit vectors that span the plane, right-handed with the normal.
    pub fn basis(&self) -> (DVec3, DVec3) {
        self.normal.any_orthonormal_pair()
    }
}

/// The identity of a plane that something was cut by. Two faces can only touch if they carry the
/// same identity with opposite sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaneId(u64);

impl PlaneId {
    /// The identity with this number. Numbers over 2^62 wrap.
    pub fn new(number: u64) -> PlaneId {
        PlaneId(number & (u64::MAX >> 2))
    }

    /// The number of this identity.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for PlaneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlaneId({})", self.0)
    }
}

/// The mark a cut leaves on a face: the plane's identity, and the side of it that the face's
/// owner lies on. `Behind` means that the face's outward normal is the plane's normal.
///
/// Packed in eight bytes, as is `Option<Cut>`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cut(NonZeroU64);

impl Cut {
    /// The mark of plane `id` on an owner that lies on `side`.
    pub fn new(id: PlaneId, side: Side) -> Cut {
        let packed = (id.0 + 1) << 1 | (side == Side::Front) as u64;
        Cut(NonZeroU64::new(packed).unwrap_or(NonZeroU64::MIN))
    }

    /// The plane's identity.
    pub fn id(self) -> PlaneId {
        PlaneId((self.0.get() >> 1) - 1)
    }

    /// The side of the plane that the owner of the face lies on.
    pub fn side(self) -> Side {
        if self.0.get() & 1 == 1 { Side::Front } else { Side::Behind }
    }

    /// The mark on what lies across the plane.
    pub fn opposite(self) -> Cut {
        Cut::new(self.id(), self.side().opposite())
    }
}

impl fmt::Debug for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cut({} {:?})", self.id().0, self.side())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_identity_and_side() {
        for number in [0, 1, 77, u64::MAX >> 2] {
            for side in [Side::Behind, Side::Front] {
                let cut = Cut::new(PlaneId::new(number), side);
                assert_eq!((cut.id().number(), cut.side()), (number, side));
                assert_eq!(cut.opposite().opposite(), cut);
                assert_ne!(cut.opposite(), cut);
            }
        }
    }

    #[test]
    fn a_transformed_plane_holds_the_transformed_points() {
        let map = DAffine3::from_scale(DVec3::new(2.0, 0.5, 3.0)) * DAffine3::from_rotation_x(0.3);
        let plane = Plane::through(DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, -2.0, 0.5)).unwrap();
        let (u, v) = plane.basis();
        let moved = plane.transformed(&map).unwrap();
        for (s, t) in [(0.0, 0.0), (1.0, 0.0), (-3.0, 2.0)] {
            let point = plane.normal * plane.offset + u * s + v * t;
            assert!(moved.distance(map.transform_point3(point)).abs() < 1e-12);
        }
    }
}
