//! Where a compound was hit, and how the pattern is aligned with that.

use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Where, from where, how far it reaches.
///
/// ```
/// use smithereens::Impact;
/// use glam::DVec3;
/// let everywhere = Impact::at(DVec3::ZERO);
/// let local = Impact { radius: 0.25, ..Impact::at(DVec3::ZERO) };
/// assert!(everywhere.radius.is_infinite() && local.radius < 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The place, in the compound's frame.
    pub point: DVec3,
    /// The way the impact travels: the pattern's z axis is turned to it. Zero leaves the pattern
    /// as it is.
    pub direction: DVec3,
    /// Pieces wholly farther than this from the point are not touched. Infinite: all are.
    pub radius: f64,
    /// A map of the pattern about its origin, before it is turned: scale it, spin it, shear it.
    pub deformation: DMat3,
}

impl Impact {
    /// An impact that reaches everywhere, with the pattern as it is.
    pub fn at(point: DVec3) -> Impact {
        Impact { point, direction: DVec3::ZERO, radius: f64::INFINITY, deformation: DMat3::IDENTITY }
    }

    /// The map that puts the pattern in place.
    pub fn body_from_pattern(&self) -> DAffine3 {
        let turn = match self.direction.try_normalize() {
            Some(direction) => DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Z, direction)),
            None => DMat3::IDENTITY,
        };
        DAffine3 { matrix3: turn * self.deformation, translation: self.point }
    }
}
