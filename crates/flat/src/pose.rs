//! Where a body is.

use glam::{DAffine2, DMat2, DVec2};
use serde::{Deserialize, Serialize};

/// A turn and a place: where a frame is in another.
///
/// ```
/// use smithereens_flat::Pose;
/// use glam::DVec2;
/// let world_from_body = Pose { turn: 1.0, at: DVec2::new(0.0, 2.0) };
/// let point = world_from_body.point(DVec2::X);
/// assert!((world_from_body.point_back(point) - DVec2::X).length() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// How it is turned, in radians, counter-clockwise.
    pub turn: f64,
    /// Where its origin is.
    pub at: DVec2,
}

impl Pose {
    /// No turn, at the origin.
    pub const IDENTITY: Pose = Pose { turn: 0.0, at: DVec2::ZERO };

    /// Not turned, at a place.
    pub fn at(at: DVec2) -> Pose {
        Pose { at, ..Pose::IDENTITY }
    }

    /// The x axis of this frame, in the other.
    pub fn axis(&self) -> DVec2 {
        let (sine, cosine) = libm::sincos(self.turn);
        DVec2::new(cosine, sine)
    }

    /// The same as a map, for many points at once: from this frame to the other.
    ///
    /// ```
    /// use smithereens_flat::Pose;
    /// use glam::DVec2;
    /// let pose = Pose { turn: 0.5, at: DVec2::new(3.0, 1.0) };
    /// assert_eq!(pose.map().transform_point2(DVec2::Y), pose.point(DVec2::Y));
    /// ```
    pub fn map(&self) -> DAffine2 {
        let axis = self.axis();
        DAffine2 { matrix2: DMat2::from_cols(axis, axis.perp()), translation: self.at }
    }

    /// A point of this frame, in the other.
    pub fn point(&self, point: DVec2) -> DVec2 {
        self.direction(point) + self.at
    }

    /// A direction of this frame, in the other.
    pub fn direction(&self, direction: DVec2) -> DVec2 {
        self.axis().rotate(direction)
    }

    /// A point of the other frame, in this.
    pub fn point_back(&self, point: DVec2) -> DVec2 {
        self.direction_back(point - self.at)
    }

    /// A direction of the other frame, in this.
    pub fn direction_back(&self, direction: DVec2) -> DVec2 {
        let axis = self.axis();
        DVec2::new(axis.dot(direction), axis.perp_dot(direction))
    }

    /// Whether all its numbers are finite.
    pub fn is_sound(&self) -> bool {
        self.at.is_finite() && self.turn.is_finite()
    }
}
