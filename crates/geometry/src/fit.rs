//! Convexes that fit what is in them: AABB, 14-dop, 26-dop, approximate hull (Müller et al. 2013, section 4.2).
//!
//! A plane is moved in from outside, along a direction, until it touches a vertex; then the given convex is clipped by it.
//! So the result encloses all vertices, never grows into a neighbour, and keeps the faces it shares with neighbours in
//! their planes. The directions are fixed, or the normals of a hull of few of the vertices.

use glam::DVec3;

use crate::fit_hull::tighten_to_hull;
use crate::{Aabb, Clip, Convex, Plane, Solid, Tolerance, Trimmer};

/// The directions a convex is fitted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fit {
    /// Three axes: six planes.
    Aabb,
    /// And the four diagonals of the cube: fourteen planes.
    Dop14,
    /// And the six diagonals of its faces: twenty-six planes.
    #[default]
    Dop26,
    /// As many planes as a hull of so many vertices has faces, twice their number less four, where they cut away most.
    /// Tighter than the others for its number of faces, and slower.
    Hull {
        /// The vertices of the hull; less than four count as four.
        vertices: u8,
    },
}

const A: f64 = 0.577_350_269_189_625_8; // 1 / √3
const B: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The paper's equations 1 to 3.
pub(crate) const DIRECTIONS: [DVec3; 13] = [
    DVec3::X,
    DVec3::Y,
    DVec3::Z,
    DVec3::new(A, A, A),
    DVec3::new(-A, A, A),
    DVec3::new(A, -A, A),
    DVec3::new(A, A, -A),
    DVec3::new(0.0, B, B),
    DVec3::new(0.0, -B, B),
    DVec3::new(B, 0.0, B),
    DVec3::new(B, 0.0, -B),
    DVec3::new(B, B, 0.0),
    DVec3::new(-B, B, 0.0),
];

/// The length of a direction's components: what sums of coordinates are scaled by.
const SCALES: [f64; 13] = [1.0, 1.0, 1.0, A, A, A, A, B, B, B, B, B, B];

/// A plane must cut this deep, relative to the size of what it fits, to be worth a face.
const WORTH_A_FACE: f64 = 0.02;

/// How far points reach along each direction before scaling: sums of coordinates alone.
fn reach(points: &[DVec3]) -> ([f64; 13], [f64; 13]) {
    let (mut low, mut high) = ([f64::INFINITY; 13], [f64::NEG_INFINITY; 13]);
    for &DVec3 { x, y, z } in points {
        let (xy, yz) = (x + y, y + z);
        let sums = [x, y, z, xy + z, yz - x, x - y + z, xy - z, yz, z - y, x + z, x - z, xy, y - x];
        for ((low, high), at) in low.iter_mut().zip(&mut high).zip(sums) {
            *low = if at < *low { at } else { *low };
            *high = if at > *high { at } else { *high };
        }
    }
    (low, high)
}

impl Fit {
    /// The hull of twenty vertices: on most shapes three per cent larger than the true one.
    pub const HULL: Fit = Fit::Hull { vertices: 20 };

    /// Clips the convex that `trimmer` holds to what encloses the points. Planes that would cut away little are left
    /// out: each face costs every later clip and collision.
    pub fn tighten(self, trimmer: &mut Trimmer, points: &[DVec3], tolerance: &Tolerance) {
        match self {
            Fit::Aabb => tighten_fixed(3, trimmer, points, tolerance),
            Fit::Dop14 => tighten_fixed(7, trimmer, points, tolerance),
            Fit::Dop26 => tighten_fixed(13, trimmer, points, tolerance),
            // A flat set has no hull.
            Fit::Hull { vertices } if tighten_to_hull(vertices.into(), trimmer, points, tolerance) => {}
            Fit::Hull { .. } => tighten_fixed(13, trimmer, points, tolerance),
        }
    }

    /// The fitted convex of a set of points.
    ///
    /// ```
    /// use smithereens_geometry::Fit;
    /// use glam::DVec3;
    /// let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let (loose, tight) = (Fit::Aabb.around(&corner), Fit::Dop14.around(&corner));
    /// assert!(tight.volume() < loose.volume());
    /// ```
    pub fn around(self, points: &[DVec3]) -> Convex {
        let Some(&inside) = points.first() else { return Convex::default() };
        let bounds = Aabb::of_points(points.iter().copied());
        let convex = Convex::from_box(&bounds);
        if bounds.volume() <= 0.0 {
            return convex;
        }
        let mut trimmer = Trimmer::default();
        trimmer.start(&convex, inside);
        self.tighten(&mut trimmer, points, &Tolerance::for_box(&bounds));
        trimmer.finish()
    }
}

/// Clips by planes at both ends of the first `count` directions.
fn tighten_fixed(count: usize, trimmer: &mut Trimmer, points: &[DVec3], tolerance: &Tolerance) {
    let (low, high) = reach(points);
    let size = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
    let worthwhile = (size * WORTH_A_FACE).max(tolerance.length());
    for (index, &direction) in DIRECTIONS[..count].iter().enumerate() {
        let (low, high) = (low[index] * SCALES[index], high[index] * SCALES[index]);
        for plane in [Plane::new(direction, high), Plane::new(-direction, -low)] {
            if trimmer.clip(&plane, None, worthwhile) == Clip::Nothing {
                return; // points on a plane: what is there is as tight as a convex can be
            }
        }
    }
}

/// A solid and the convex around it.
#[derive(Clone, Debug)]
pub struct Part {
    /// What is solid.
    pub solid: Solid,
    /// What encloses it.
    pub convex: Convex,
}

/// How near the convex of a part comes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tightness {
    /// The solid fills the convex around it: so does a part of it with that part of the convex.
    Filled,
    /// As far as the cell is in the convex around the solid, whatever room that leaves.
    Loose,
    /// Clipped to the part by planes in these directions.
    Fitted(Fit),
}

/// How the parts that cells cut from a solid get their convexes.
#[derive(Clone, Copy, Debug)]
pub struct Fitting<'a> {
    /// How near they come.
    pub tightness: Tightness,
    /// The convex around the whole solid: no part's reaches out of it.
    pub around: &'a Convex,
    /// A plane that cuts less deep is left out.
    pub tolerance: Tolerance,
}

impl Fitting<'_> {
    /// Fits a convex within `cell` to a part that lies in it.
    pub fn part(&self, cell: &Convex, solid: Solid, trimmer: &mut Trimmer) -> Part {
        let points = &solid.mesh().positions;
        let bounds = match self.tightness {
            // The part is all there is of the cell in the convex around: no plane cuts that is clear of it.
            Tightness::Filled => Aabb::of_points(points.iter().copied()).grown(self.tolerance.length()),
            Tightness::Loose | Tightness::Fitted(_) => cell.bounds(),
        };
        self.start_with_intersection(cell, &bounds, points[0], trimmer);
        if let Tightness::Fitted(fit) = self.tightness {
            fit.tighten(trimmer, points, &self.tolerance);
        }
        Part { convex: trimmer.finish(), solid }
    }

    /// Starts with the cell as far as it is in the convex around all, whose faces clear of `bounds` cut nothing. Where rounding leaves
    /// nothing, with the cell.
    fn start_with_intersection(&self, cell: &Convex, bounds: &Aabb, inside: DVec3, trimmer: &mut Trimmer) {
        trimmer.start(cell, inside);
        for face in self.around.faces() {
            let is_clear = face.plane.range(bounds)[1] < 0.0;
            if !is_clear && trimmer.clip(&face.plane, face.cut, 0.0) == Clip::Nothing {
                return trimmer.start(cell, inside);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fit_encloses_and_more_directions_fit_tighter() {
        let points: Vec<DVec3> = (0..400)
            .map(|i| {
                let (s, c) = (libm::sin(i as f64 * 0.7), libm::cos(i as f64 * 0.7));
                let t = i as f64 / 200.0 - 1.0;
                DVec3::new(c * (1.0 - t * t).sqrt(), s * (1.0 - t * t).sqrt(), t)
            })
            .collect();
        let volumes = [Fit::Aabb, Fit::Dop14, Fit::Dop26].map(|fit| {
            let convex = fit.around(&points);
            assert!(points.iter().all(|&p| convex.depth(p) < 1e-9));
            convex.volume()
        });
        assert!(volumes[0] > volumes[1] && volumes[1] > volumes[2], "{volumes:?}");
        assert!(volumes[2] < 4.6); // the ball's is 4.19
    }

    #[test]
    fn flat_and_empty_sets_have_a_fit() {
        let square = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
        for fit in [Fit::Aabb, Fit::Dop26, Fit::HULL, Fit::Hull { vertices: 0 }] {
            assert_eq!(fit.around(&[]).volume(), 0.0);
            assert_eq!(fit.around(&square).volume(), 0.0);
            let tilted = square.map(|p| DVec3::new(p.x, p.y, p.x + p.y));
            assert!(tilted.iter().all(|&p| fit.around(&tilted).depth(p) < 1e-9));
        }
    }
}
