//! The fit by an approximate hull: planes where they cut away most (Müller et al. 2013, section 4.2).
//!
//! The paper clips by the normals of all facets of a hull of N points. Departure: the hull takes 2N points, and of
//! the normals of its facets only as many are used as a hull of N points has, one after the other that which cuts
//! away most. On scans this halves the volume above the true hull's, at the same number of faces. What a plane cuts
//! away only shrinks as others cut, so that a plane is measured again only when it seems to be the best.

use glam::DVec3;

use crate::hull::approximate_normals;
use crate::trivalent::{Four, greater};
use crate::{Convex, ConvexClipper, Halfspace, Plane, Tolerance, Trimmer};

/// Points that the hull takes more than its planes have room for.
const CHOICE: usize = 2;

/// Clips by planes like the facets of a hull of so many vertices. `false`, and nothing is done, if the points are flat.
pub(crate) fn tighten_to_hull(
    vertices: usize,
    trimmer: &mut Trimmer,
    points: &[DVec3],
    tolerance: &Tolerance,
) -> bool {
    let vertices = vertices.max(4);
    let Some(normals) = approximate_normals(points, vertices * CHOICE) else { return false };
    let mut convex = trimmer.finish();
    let mut planes = Planes::new(&normals, points, &convex, tolerance);
    let mut clipper = ConvexClipper::default();
    for _ in 0..vertices * 2 - 4 {
        let Some(plane) = planes.take_best(&convex, tolerance) else { break };
        clipper.clip(&mut convex, &Halfspace::behind(plane));
    }
    trimmer.start(&convex, points[0]);
    true
}

/// Planes to choose from, with what each cut away when it was last asked.
struct Planes(Vec<(Plane, f64)>);

impl Planes {
    fn new(normals: &[DVec3], points: &[DVec3], convex: &Convex, tolerance: &Tolerance) -> Planes {
        let planes = normals.iter().zip(reach(normals, points)).map(|(&n, reach)| Plane::new(n, reach));
        Planes(planes.map(|plane| (plane, cut_away(convex, &plane, tolerance))).collect())
    }

    /// The plane that cuts away most, the first of several; `None` if none cuts anything.
    fn take_best(&mut self, convex: &Convex, tolerance: &Tolerance) -> Option<Plane> {
        loop {
            let better = |best: usize, at: usize| if self.0[at].1 > self.0[best].1 { at } else { best };
            let best = (0..self.0.len()).reduce(better)?;
            let plane = self.0[best].0;
            let now = cut_away(convex, &plane, tolerance);
            self.0[best].1 = now;
            let is_best = self.0.iter().all(|other| other.1 <= now);
            if is_best || now == 0.0 {
                self.0.remove(best);
            }
            if is_best && now > 0.0 {
                return Some(plane);
            }
        }
    }
}

/// The volume that lies in front of a plane; zero if that reaches no farther than the tolerance.
fn cut_away(convex: &Convex, plane: &Plane, tolerance: &Tolerance) -> f64 {
    if plane.distance(convex.support(plane.normal)) <= tolerance.length() {
        return 0.0;
    }
    convex.clipped(&Halfspace::behind(plane.flipped())).map_or(0.0, |cap| cap.volume().max(0.0))
}

/// Points a block: they stay in the fastest memory while all directions go over them.
const BLOCK: usize = 256;

/// How far points reach along each direction.
fn reach(directions: &[DVec3], points: &[DVec3]) -> Vec<f64> {
    let mut reach = vec![[f64::NEG_INFINITY; 4]; directions.len()];
    let mut block: Vec<Four> = Vec::with_capacity(BLOCK / 4);
    for points in points.chunks(BLOCK) {
        block.clear();
        for four in points.chunks(4) {
            // Places without a point repeat the last.
            let at = |i: usize| four[i.min(four.len() - 1)];
            let mut place = Four::default();
            (0..4).for_each(|i| place.set(i, at(i)));
            block.push(place);
        }
        for (reach, d) in reach.iter_mut().zip(directions) {
            for Four { x, y, z } in &block {
                *reach = greater(std::array::from_fn(|i| x[i] * d.x + y[i] * d.y + z[i] * d.z), *reach);
            }
        }
    }
    reach.into_iter().map(|four| four.into_iter().fold(f64::NEG_INFINITY, f64::max)).collect()
}
