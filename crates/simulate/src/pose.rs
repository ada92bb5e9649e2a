//! Where a body is.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// A turn and a place: where a frame is in another.
///
/// ```
/// use smithereens_simulate::Pose;
/// use glam::{DQuat, DVec3};
/// let world_from_body = Pose { turn: DQuat::from_rotation_y(1.0), at: DVec3::new(0.0, 2.0, 0.0) };
/// let point = world_from_body.point(DVec3::X);
/// assert!((world_from_body.point_back(point) - DVec3::X).length() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// How it is turned.
    pub turn: DQuat,
    /// Where its origin is.
    pub at: DVec3,
}

impl Pose {
    /// No turn, at the origin.
    pub const IDENTITY: Pose = Pose { turn: DQuat::IDENTITY, at: DVec3::ZERO };

    /// Not turned, at a place.
    pub fn at(at: DVec3) -> Pose {
        Pose { at, ..Pose::IDENTITY }
    }

    /// A point of this frame, in the other.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.turn * point + self.at
    }

    /// A point of the other frame, in this.
    pub fn point_back(&self, point: DVec3) -> DVec3 {
        self.turn.inverse() * (point - self.at)
    }

    /// A direction of the other frame, in this.
    pub fn direction_back(&self, direction: DVec3) -> DVec3 {
        self.turn.inverse() * direction
    }

    /// How far a point so far from the origin has moved at most when the frame is at another pose.
    pub(crate) fn rim_way(&self, now: &Pose, radius: f64) -> f64 {
        let turn = self.turn.inverse() * now.turn;
        self.at.distance(now.at) + 2.0 * turn.xyz().length() * radius
    }

    /// Whether all its numbers are finite, and the turn is one.
    pub fn is_sound(&self) -> bool {
        self.at.is_finite() && self.turn.is_finite() && (self.turn.length_squared() - 1.0).abs() < 1e-3
    }
}

impl Default for Pose {
    fn default() -> Pose {
        Pose::IDENTITY
    }
}
