//! Planes between two parts of a cell: one that parts them, or one that comes near to it.

use glam::DVec3;

use crate::beyond::volume_beyond;
use crate::fit::DIRECTIONS;
use crate::separate::gap_between;
use crate::{Aabb, Part, Plane, Solid};

/// How thoroughly planes are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thoroughness {
    /// For how many faces of a part a plane is tried.
    faces: usize,
    /// How many planes are weighed at least.
    weighed: usize,
}

impl Thoroughness {
    pub const QUICK: Thoroughness = Thoroughness { faces: 32, weighed: 8 };
    pub const FULL: Thoroughness = Thoroughness { faces: 2048, weighed: 512 };
}

/// More planes are weighed as long as their number times that of the faces stays below this.
const MOST_WEIGHED: usize = 8192;
/// How many corners of a part choose the planes that are weighed.
const CORNERS_TRIED: usize = 64;
/// How much worse a plane counts that goes through both parts, as a share of what it helps.
const THROUGH_BOTH: f64 = 0.3;
/// A plane that leaves all but this part of the smaller of two where it is, beside the other, is no help.
const LEAST_HELP: f64 = 1e-9;

/// A plane that has the first of two parts behind it and the second in front, but for a hair.
pub(super) fn plane_between(a: &Part, b: &Part, hair: f64) -> Option<Plane> {
    let points = [a, b].map(|part| &part.solid.mesh().positions[..]);
    let gap = gap_between(points[0], points[1]).filter(|gap| gap.end <= gap.start + hair);
    // What touches has no gap, but a plane that touches both.
    let touching = |part: &Part, other: &Part| {
        let points = &other.solid.mesh().positions;
        let mut planes = planes_around(part, Thoroughness::QUICK.faces);
        planes.find(|plane| points.iter().all(|&point| plane.distance(point) >= -hair))
    };
    gap.map(|gap| Plane::new(gap.normal, gap.end))
        .or_else(|| touching(a, b))
        .or_else(|| touching(b, a).map(|plane| Plane::new(-plane.normal, -plane.offset)))
}

/// Planes that leave little of two parts on one side with the other, from less to more: of those that do best by some corners, all that help, by
/// volume.
pub(super) fn planes_through(a: &Part, b: &Part, how: Thoroughness) -> impl Iterator<Item = Plane> + use<> {
    let planes = [(a, b), (b, a)].into_iter().flat_map(|(part, other)| {
        let of_faces = planes_within(part, &other.convex.bounds(), how.faces);
        of_faces.into_iter().chain(planes_around(part, how.faces))
    });
    let samples = [a, b].map(|part| {
        let corners = &part.solid.mesh().positions;
        corners.iter().step_by(corners.len().div_ceil(CORNERS_TRIED).max(1)).copied().collect::<Vec<_>>()
    });
    let by_corners = |plane: &Plane| {
        mixed(samples.each_ref().map(|corners| {
            corners.iter().filter(|&&c| plane.distance(c) > 0.0).count() as f64 / corners.len() as f64
        }))
    };
    let mut promising: Vec<(f64, Plane)> = planes.map(|plane| (by_corners(&plane), plane)).collect();
    promising.sort_by(|x, y| x.0.total_cmp(&y.0));
    let faces: usize = [a, b].iter().map(|part| part.solid.mesh().faces.len()).sum();
    promising.truncate((MOST_WEIGHED / faces.max(1)).max(how.weighed));
    let by_volume = |plane: &Plane| {
        mixed([a, b].map(|part| volume_beyond(part.solid.mesh(), plane) / part.solid.volume()))
    };
    promising.iter_mut().for_each(|(left, plane)| *left = by_volume(plane));
    promising.sort_by(|x, y| x.0.total_cmp(&y.0));
    promising.into_iter().take_while(|found| found.0 < 1.0 - LEAST_HELP).map(|found| found.1)
}

/// What is left together of two things, given how much of each lies beyond a plane: nothing if it parts them, one if it does not help. A plane that goes
/// through both counts as worse than it is, for it makes two pieces more.
fn mixed(beyond: [f64; 2]) -> f64 {
    let [a, b] = beyond;
    let left = a.min(b) + (1.0 - a).min(1.0 - b);
    let is_through_both = beyond.iter().all(|part| part.min(1.0 - part) > LEAST_HELP);
    if is_through_both { left + THROUGH_BOTH * (1.0 - left) } else { left }
}

/// The planes of some faces of a part, of those that reach into a box.
fn planes_within(part: &Part, bounds: &Aabb, most: usize) -> Vec<Plane> {
    let mesh = part.solid.mesh();
    let at = |&vertex: &u32| mesh.positions[vertex as usize];
    let is_near = |face: &usize| {
        Aabb::of_points(mesh.corners[mesh.face_corners(*face)].iter().map(at)).overlaps(bounds)
    };
    let near: Vec<usize> = (0..mesh.faces.len()).filter(is_near).collect();
    let step = near.len().div_ceil(most).max(1);
    let plane = |&face: &usize| {
        let normal = mesh.face_normal(face);
        Plane::new(normal, at(&mesh.corners[mesh.face_corners(face).start]).dot(normal))
    };
    near.iter().step_by(step).map(plane).filter(|plane| plane.normal.is_normalized()).collect()
}

/// Planes that touch a part and have it behind them: parallel to some of its faces and to those of a 26-dop.
fn planes_around(part: &Part, most: usize) -> impl Iterator<Item = Plane> {
    let mesh = part.solid.mesh();
    let step = mesh.faces.len().div_ceil(most);
    let of_faces = (0..mesh.faces.len()).step_by(step.max(1)).map(|face| mesh.face_normal(face));
    let of_dop = DIRECTIONS.into_iter().flat_map(|direction| [direction, -direction]);
    // A face too thin to have a normal has none.
    of_dop
        .chain(of_faces.filter(|normal| normal.is_normalized()))
        .map(|normal| Plane::new(normal, reach(&part.solid, normal).1))
}

/// Where a solid begins and ends along a direction.
pub(super) fn reach(solid: &Solid, direction: DVec3) -> (f64, f64) {
    let along = solid.mesh().positions.iter().map(|p| p.dot(direction));
    along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
}
