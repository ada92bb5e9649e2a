//! The convex hull of points.
//!
//! Quickhull (Barber, Dobkin & Huhdanpaa 1996) with a list of the points outside each facet. Departure: sides
//! are decided by exact predicates (Shewchuk 1997, the crate `robust`), so that facets need no thickness and
//! coplanar ones are told from those that only look so; these are merged into polygons.

mod approximate;
mod exact;
mod facets;
mod merge;

pub(crate) use approximate::approximate_normals;

use glam::DVec3;

use crate::Convex;

impl Convex {
    /// The convex hull of points; `None` if they lie in a plane, within the tolerance of their extent, or are
    /// not finite.
    ///
    /// Its vertices are points of the input, to the bit; points inside faces and edges are none of its
    /// vertices. The order of the points does not matter, nor do repetitions.
    ///
    /// ```
    /// use smithereens_geometry::{Aabb, Convex};
    /// use glam::DVec3;
    /// let mut points = Aabb::cube(1.0).corners().to_vec();
    /// points.push(DVec3::new(0.5, 1.0, 0.0)); // on a face
    /// let cube = Convex::hull(&points).unwrap();
    /// assert_eq!((cube.vertices().len(), cube.faces().len()), (8, 6));
    /// assert!(Convex::hull(&points[..4]).is_none());
    /// ```
    pub fn hull(points: &[DVec3]) -> Option<Convex> {
        if points.iter().any(|p| !p.is_finite()) {
            return None;
        }
        let points = distinct(points);
        let scaled = exact::scaled(&points);
        let facets = facets::Facets::around(&scaled)?;
        Some(merge::polygons(&points, &scaled, &facets.into_alive()))
    }
}

/// The points in order of their coordinates, each once.
fn distinct(points: &[DVec3]) -> Vec<DVec3> {
    let mut points: Vec<DVec3> = points.iter().map(|&p| p + DVec3::ZERO).collect(); // -0 is 0
    let by_place =
        |a: &DVec3, b: &DVec3| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z));
    points.sort_unstable_by(by_place);
    points.dedup();
    points
}
