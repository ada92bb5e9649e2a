//! A convex as a part of a compound.

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::saved::SavedPiece;
use crate::{Aabb, Convex, Mass};

/// A convex that moves, collides and breaks as a part of a compound. What it weighs is known once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedPiece", into = "SavedPiece")]
pub struct Piece {
    convex: Convex,
    mass: Mass,
    bounds: Aabb,
}

impl Piece {
    /// A piece that fills its convex.
    pub fn new(convex: Convex) -> Piece {
        let (mass, bounds) = (convex.mass(), convex.bounds());
        Piece { convex, mass, bounds }
    }

    /// The convex.
    pub fn convex(&self) -> &Convex {
        &self.convex
    }

    /// Area, centre and moment of inertia at a density of one.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// The box around it.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Whether a part of it is so near to a point.
    pub(crate) fn is_near(&self, point: DVec2, radius: f64) -> bool {
        if radius == f64::INFINITY {
            return true;
        }
        let clamped = point.clamp(self.bounds.min, self.bounds.max);
        clamped.distance(point) <= radius && self.convex.distance(point) <= radius
    }
}
