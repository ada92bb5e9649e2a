//! Where a compound was hit, and how the pattern is aligned with that.

use glam::{DAffine2, DMat2, DVec2};

/// Where, from where, how far it reaches.
///
/// ```
/// use smithereens_planar::Impact;
/// use glam::DVec2;
/// let everywhere = Impact::at(DVec2::ZERO);
/// let local = Impact { radius: 0.25, ..Impact::at(DVec2::ZERO) };
/// assert!(everywhere.radius.is_infinite() && local.radius < 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The place, in the compound's frame.
    pub point: DVec2,
    /// The way the impact travels: the pattern's x axis is turned to it. Zero leaves the pattern as it is.
    pub direction: DVec2,
    /// Pieces wholly farther than this from the point are not touched. Infinite: all are.
    pub radius: f64,
    /// A map of the pattern about its origin, before it is turned: scale it, spin it, shear it.
    pub deformation: DMat2,
}

impl Impact {
    /// An impact that reaches everywhere, with the pattern as it is.
    pub fn at(point: DVec2) -> Impact {
        Impact { point, direction: DVec2::ZERO, radius: f64::INFINITY, deformation: DMat2::IDENTITY }
    }

    /// The map that puts the pattern in place.
    pub fn body_from_pattern(&self) -> DAffine2 {
        let turn = self.direction.try_normalize().map(|along| DMat2::from_cols(along, along.perp()));
        DAffine2 { matrix2: turn.unwrap_or(DMat2::IDENTITY) * self.deformation, translation: self.point }
    }
}
