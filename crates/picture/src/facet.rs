//! Where surfaces go on from pixel to pixel.

use glam::Vec3;

/// A point of a surface, and how it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub at: Vec3,
    pub normal: Vec3,
}

/// The cosine between normals up to which a surface goes on.
const LEAST_COSINE: f32 = 0.9;
/// How far a point may lie off the plane of another, as a share of their distance.
const MOST_RISE: f32 = 0.3;

impl Facet {
    /// Whether another point lies on the same, even surface.
    pub fn goes_on(&self, other: &Facet) -> bool {
        let way = other.at - self.at;
        let rise = way.dot(self.normal).abs().max(way.dot(other.normal).abs());
        self.normal.dot(other.normal) >= LEAST_COSINE && rise <= MOST_RISE * way.length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_goes_on_along_itself_and_not_over_an_edge() {
        let here = Facet { at: Vec3::ZERO, normal: Vec3::Y };
        let there = |at, normal: Vec3| Facet { at, normal: normal.normalize() };
        assert!(here.goes_on(&here) && here.goes_on(&there(Vec3::X, Vec3::Y)));
        assert!(here.goes_on(&there(Vec3::new(1.0, -0.1, 0.0), Vec3::new(0.2, 1.0, 0.0))));
        assert!(!here.goes_on(&there(Vec3::X, Vec3::X)));
        assert!(!here.goes_on(&there(Vec3::new(1.0, 1.0, 0.0), Vec3::Y)));
    }
}
