//! Convexes of parts that lie in one cell, kept out of each other.
//!
//! A fit keeps a part's convex within the cell, but two parts of one cell may reach into each other's. Where a plane fits between
//! the two, each convex ends before it. Where none does, as for links of a chain, the part whose convex holds more air is split in two, until
//! one does. Parts that are solid in the same place, as in a mesh that passes through itself, stay as they are. The paper lets all such
//! convexes overlap.

use glam::DVec3;

use crate::fit::DIRECTIONS;
use crate::separate::gap_between;
use crate::{
    Aabb, Clip, Convex, Fitting, Halfspace, Inside, Mesh, Part, Plane, PlaneId, Side, Tolerance, Trimmer,
};

/// How often parts are split, for each that was there at first, and all together.
const SPLITS_A_PART: u64 = 16;
const MOST_SPLITS: u64 = 1024;
/// How many faces splits cut through, for each that was there at first.
const CUTS_A_FACE: usize = 64;
/// Halves with less than this part of what is split are no help.
const LEAST_HALF: f64 = 1e-9;
/// What parts that touch may overlap by, in tolerances: a hundred-millionth of the extent.
const HAIRS: f64 = 100.0;
/// How far within one part the other is split, in tolerances: more than rounding, and nothing that shows.
const SINK: f64 = 0.01;
/// How far from a corner a place close to it is, of the way to the middle of the face.
const CLOSE: f64 = 0.01;
/// For how many faces of a part a plane to split by is tried, and whether what is under them is inside another.
const FACES_TRIED: usize = 64;

/// The identities of planes that split the parts in a cell, where nothing else keeps their convexes apart.
#[derive(Clone, Copy, Debug)]
pub enum SplitPlanes<'a> {
    /// Numbered from here on, [`SplitPlanes::A_CELL`] for each cell.
    From(u64),
    /// The first number for each cell.
    Listed(&'a [u64]),
}

impl SplitPlanes<'_> {
    /// How many numbers each cell has to itself.
    pub const A_CELL: u64 = MOST_SPLITS;

    fn id(&self, cell: u32, split: u64) -> PlaneId {
        PlaneId::new(match self {
            SplitPlanes::From(first) => first + u64::from(cell) * SplitPlanes::A_CELL + split,
            SplitPlanes::Listed(firsts) => firsts[cell as usize] + split,
        })
    }
}

/// A part, and the convex that it was fitted within.
struct Tenant {
    part: Part,
    room: Convex,
    /// Around the convex, or around what it was before it was trimmed.
    bounds: Aabb,
    /// Whether another part is solid in the same place: splitting it would help nobody.
    is_tangled: bool,
}

/// Parts of a cell being kept apart.
pub(super) struct Neighbours<'a> {
    pub cell: u32,
    pub shape: &'a Convex,
    pub fitting: &'a Fitting<'a>,
    pub planes: SplitPlanes<'a>,
    pub trimmer: &'a mut Trimmer,
}

impl Neighbours<'_> {
    /// Trims the convexes of parts, and splits parts, until none overlaps another.
    pub fn keep_apart(&mut self, parts: Vec<Part>) -> Vec<Part> {
        let tenant = |part| Tenant::new(part, self.shape.clone());
        let mut waiting: Vec<Tenant> = parts.into_iter().rev().map(tenant).collect();
        let mut settled: Vec<Tenant> = Vec::new();
        let most = (waiting.len() as u64 * SPLITS_A_PART).min(MOST_SPLITS);
        let most_cuts = waiting.iter().map(Tenant::faces).sum::<usize>() * CUTS_A_FACE;
        let mut cuts = 0;
        let mut splits = 0;
        while let Some(mut next) = waiting.pop() {
            let clash = settled.iter_mut().position(|other| {
                let is_hopeless = |a: &Tenant, b: &Tenant| {
                    a.is_tangled || b.is_tangled || splits == most || cuts > most_cuts
                };
                if self.part_them(other, &mut next) || is_hopeless(other, &next) {
                    return false;
                }
                let is_tangle = are_in_one_place(&other.part, &next.part, self.hair());
                (other.is_tangled, next.is_tangled) = (is_tangle, is_tangle);
                !is_tangle
            });
            let Some(other) = clash else {
                settled.push(next);
                continue;
            };
            let plane = self.planes.id(self.cell, splits);
            splits += 1;
            let pair = [settled.remove(other), next];
            // The one that holds more air first; the other, if there is nothing of that beside it.
            let first = if pair[0].air() > pair[1].air() { 0 } else { 1 };
            cuts += pair[first].faces();
            let halves = [first, 1 - first].into_iter().find_map(|which| {
                let halves = self.split(&pair[which], &pair[1 - which].part, plane)?;
                Some((which, halves))
            });
            let [settled_before, next] = pair;
            match halves {
                Some((0, halves)) => {
                    waiting.push(next);
                    waiting.extend(halves);
                }
                Some((_, halves)) => {
                    settled.push(settled_before);
                    waiting.extend(halves);
                }
                None => {
                    settled.push(settled_before);
                    waiting.push(Tenant { is_tangled: true, ..next });
                }
            }
        }
        settled.into_iter().map(|tenant| tenant.part).collect()
    }

    /// Whether the convexes of two parts do not overlap, after trimming if need be.
    fn part_them(&mut self, a: &mut Tenant, b: &mut Tenant) -> bool {
        if !a.bounds.overlaps(&b.bounds) || are_apart(&a.part.convex, &b.part.convex, &self.fitting.tolerance)
        {
            return true;
        }
        let hair = self.hair();
        let points = [&a.part, &b.part].map(|part| &part.solid.mesh().positions[..]);
        let gap = gap_between(points[0], points[1]).filter(|gap| gap.end <= gap.start + hair);
        let planes = gap.map(|gap| [Plane::new(gap.normal, gap.end), Plane::new(-gap.normal, -gap.start)]);
        // What touches has no gap, but a plane that touches both.
        let planes = planes.or_else(|| planes_between(&a.part, &b.part, hair));
        let Some([before_a, before_b]) = planes else { return false };
        self.trim(&mut a.part, before_a);
        self.trim(&mut b.part, before_b);
        true
    }

    /// What touches may overlap by.
    fn hair(&self) -> f64 {
        self.fitting.tolerance.length() * HAIRS
    }

    fn trim(&mut self, part: &mut Part, plane: Plane) {
        self.trimmer.start(&part.convex, part.solid.mesh().positions[0]);
        if self.trimmer.clip(&plane, None, 0.0) == Clip::Part {
            part.convex = self.trimmer.finish();
        }
    }

    /// What lies beyond a plane beside the other part, and what does not, each in its side of the room; none if it all lies on one side.
    fn split(&mut self, tenant: &Tenant, other: &Part, id: PlaneId) -> Option<Vec<Tenant>> {
        let Tenant { part, room, .. } = tenant;
        // A little within the other, so that what touches it is not cut along its faces.
        let plane = plane_beside(other, part, self.hair());
        let plane = Plane::new(plane.normal, plane.offset - self.fitting.tolerance.length() * SINK);
        let behind = Halfspace { plane, side: Side::Behind, id: Some(id) };
        let mut tenants = Vec::new();
        for half in [behind, behind.complement()] {
            let (room, solid) = (room.clipped(&half)?, part.solid.clipped(&half)?);
            if solid.volume() < part.solid.volume() * LEAST_HALF {
                return None;
            }
            for solid in solid.parts() {
                let part = self.fitting.part(&room, solid, self.trimmer);
                tenants.push(Tenant::new(part, room.clone()));
            }
        }
        Some(tenants)
    }
}

impl Tenant {
    fn new(part: Part, room: Convex) -> Tenant {
        Tenant { bounds: part.convex.bounds(), part, room, is_tangled: false }
    }

    fn faces(&self) -> usize {
        self.part.solid.mesh().faces.len()
    }

    fn air(&self) -> f64 {
        self.part.convex.volume() - self.part.solid.volume()
    }
}

/// Planes that touch a part and have it behind them: parallel to some of its faces and to those of a 26-dop.
fn planes_around(part: &Part) -> impl Iterator<Item = Plane> {
    let mesh = part.solid.mesh();
    let step = mesh.faces.len().div_ceil(FACES_TRIED);
    let of_faces = (0..mesh.faces.len()).step_by(step.max(1)).map(|face| mesh.face_normal(face));
    let of_dop = DIRECTIONS.into_iter().flat_map(|direction| [direction, -direction]);
    // A face too thin to have a normal has none.
    of_dop.chain(of_faces.filter(|normal| normal.is_normalized())).map(|normal| {
        let reach = mesh.positions.iter().map(|p| p.dot(normal)).fold(f64::NEG_INFINITY, f64::max);
        Plane::new(normal, reach)
    })
}

/// A plane around one of two parts that has the other in front of it, but for a hair: as one for each, which has it behind.
fn planes_between(a: &Part, b: &Part, hair: f64) -> Option<[Plane; 2]> {
    let between = |part: &Part, other: &Part| {
        let points = &other.solid.mesh().positions;
        let plane = planes_around(part).find(|plane| points.iter().all(|&p| plane.distance(p) >= -hair))?;
        let lowest = points.iter().map(|p| p.dot(plane.normal)).fold(f64::INFINITY, f64::min);
        Some([plane, Plane::new(-plane.normal, -lowest)])
    };
    between(a, b).or_else(|| between(b, a).map(|[of_b, of_a]| [of_a, of_b]))
}

/// Of the planes around a part, that which has most corners of the other in front of it, by more than a hair.
fn plane_beside(part: &Part, other: &Part, hair: f64) -> Plane {
    let beyond = |plane: &Plane| {
        other.solid.mesh().positions.iter().filter(|&&point| plane.distance(point) > hair).count()
    };
    let best = planes_around(part).map(|plane| (beyond(&plane), plane)).max_by_key(|found| found.0);
    best.map_or(Plane::new(DVec3::X, 0.0), |found| found.1)
}

/// Whether something of one part lies inside the other, and does not just touch it: places a little under some of its faces, or its
/// centre, if that is in it.
fn are_in_one_place(a: &Part, b: &Part, hair: f64) -> bool {
    [(a, b), (b, a)].into_iter().any(|(inner, outer)| {
        let mesh = inner.solid.mesh();
        let step = mesh.faces.len().div_ceil(FACES_TRIED).max(1);
        let places = (0..mesh.faces.len()).step_by(step).flat_map(|face| places_under(mesh, face, hair));
        let places = places.chain([inner.solid.mass().center]);
        let near: Vec<DVec3> = places.filter(|&place| outer.convex.contains(place)).collect();
        if near.is_empty() {
            return false;
        }
        let in_outer = Inside::of(outer.solid.mesh());
        near.into_iter().any(|place| in_outer.contains(place) && inner.solid.contains(place))
    })
}

/// Places a little under a face: its middle, and close to each of its corners.
fn places_under(mesh: &Mesh, face: usize, under: f64) -> impl Iterator<Item = DVec3> {
    let corners = &mesh.corners[mesh.face_corners(face)];
    let at = |&corner: &u32| mesh.positions[corner as usize];
    let middle = corners.iter().map(at).sum::<DVec3>() / corners.len() as f64;
    let down = mesh.face_normal(face) * under;
    let close = corners.iter().map(move |corner| at(corner).lerp(middle, CLOSE) - down);
    close.chain([middle - down])
}

/// Whether a face's plane of one of two convexes has the other in front of it.
fn are_apart(a: &Convex, b: &Convex, tolerance: &Tolerance) -> bool {
    let is_before =
        |plane: &Plane, points: &[DVec3]| points.iter().all(|&p| plane.distance(p) > -tolerance.length());
    a.faces().iter().any(|face| is_before(&face.plane, b.vertices()))
        || b.faces().iter().any(|face| is_before(&face.plane, a.vertices()))
}
