//! Clipping a convex by many planes in a row.

use glam::DVec3;

use crate::trivalent::Trivalent;
use crate::{Clip, Convex, ConvexClipper, ConvexFace, Cut, Plane};

/// A convex being clipped by one plane after the other; its memory is reused from convex to convex.
///
/// ```
/// use smithereens_geometry::{Aabb, Convex, Plane, Trimmer};
/// use glam::DVec3;
/// let mut trimmer = Trimmer::default();
/// trimmer.start(&Convex::from_box(&Aabb::cube(1.0)), DVec3::ZERO);
/// trimmer.clip(&Plane::new(DVec3::X, 0.5), None, 0.0);
/// trimmer.clip(&Plane::new(DVec3::Y, 0.9), None, 0.2); // cuts less deep than that: left out
/// assert!((trimmer.finish().volume() - 6.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Trimmer {
    /// The convex, if three planes meet in each of its vertices.
    shape: Trivalent<(Plane, Option<Cut>)>,
    /// The convex otherwise.
    convex: Option<Convex>,
    clipper: ConvexClipper,
}

impl Trimmer {
    /// Starts with a convex, of which no clip will cut the point `inside` away.
    pub fn start(&mut self, convex: &Convex, inside: DVec3) {
        let is_trivalent = self.shape.start(convex, inside, convex.faces.iter().map(|f| (f.plane, f.cut)));
        self.convex = (!is_trivalent).then(|| convex.clone());
    }

    /// Cuts away what lies in front of a plane, if that is deeper than `least`. The new face carries the mark of `cut`.
    pub fn clip(&mut self, plane: &Plane, cut: Option<Cut>, least: f64) -> Clip {
        match &mut self.convex {
            None => self.shape.clip(plane.normal, plane.offset, least * least, (*plane, cut)),
            Some(convex) if convex.vertices.iter().any(|&v| plane.distance(v) > least) => {
                self.clipper.clip(convex, &ConvexFace { plane: *plane, cut, end: 0 }.halfspace())
            }
            Some(_) => Clip::Whole,
        }
    }

    /// What is left.
    pub fn finish(&mut self) -> Convex {
        self.convex.take().unwrap_or_else(|| self.shape.convex(DVec3::ZERO, |face| face))
    }
}
