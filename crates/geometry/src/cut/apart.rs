//! Convexes of parts that lie in one cell, kept out of each other.
//!
//! A fit keeps a part's convex within the cell, but two parts of one cell may reach into each other's. Where a plane fits between
//! the two, each convex ends before it. Where none does, as for links of a chain, the parts are cut by one that comes near to it, until
//! one does. Parts that are solid in the same place, as in a mesh that passes through itself, stay as they are. The paper lets all such
//! convexes overlap.

use glam::DVec3;

use super::between::{Thoroughness, plane_between, planes_through, reach};
use crate::{
    Aabb, Clip, Convex, Fitting, Halfspace, Inside, Mesh, Part, Plane, PlaneId, Side, Tolerance, Trimmer,
};

/// How often parts are split, for each that was there at first, and all together.
const SPLITS_A_PART: u64 = 16;
const MOST_SPLITS: u64 = 4096;
/// How many faces splits cut through, for each that was there at first.
const CUTS_A_FACE: usize = 128;
/// What parts that touch may overlap by, in tolerances: a hundred-millionth of the extent.
const HAIRS: f64 = 100.0;
/// How far within one part the other is split, in tolerances: more than rounding, and nothing that shows.
const SINK: f64 = 0.01;
/// How far from a corner a place close to it is, of the way to the middle of the face.
const CLOSE: f64 = 0.01;
/// For how many faces of a part it is asked whether what is under them is inside another.
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
        let mut slivers: Vec<Part> = Vec::new();
        let most = (waiting.len() as u64 * SPLITS_A_PART).min(MOST_SPLITS);
        let most_cuts = waiting.iter().map(Tenant::faces).sum::<usize>() * CUTS_A_FACE;
        let mut cuts = 0;
        let mut splits = 0;
        while let Some(mut next) = waiting.pop() {
            if next.part.solid.volume() <= self.fitting.tolerance.volume() {
                slivers.push(next.part);
                continue;
            }
            let is_spent = splits + 2 > most || cuts > most_cuts;
            let clash = settled.iter_mut().enumerate().find_map(|(index, other)| {
                if self.part_them(other, &mut next) || other.is_tangled || next.is_tangled || is_spent {
                    return None;
                }
                let is_tangle = are_in_one_place(&other.part, &next.part, self.hair());
                (other.is_tangled, next.is_tangled) = (is_tangle, is_tangle);
                let plane = if is_tangle { None } else { self.plane_to_split(other, &mut next) };
                plane.map(|plane| (index, plane))
            });
            let Some((other, plane)) = clash else {
                settled.push(next);
                continue;
            };
            let both = [next, settled.remove(other)];
            let split = both.each_ref().map(|tenant| {
                let halves = self.halves(tenant, plane, self.planes.id(self.cell, splits))?;
                splits += 1;
                cuts += tenant.faces();
                Some(halves)
            });
            let is_whole = split.iter().all(Option::is_none);
            for (halves, tenant) in split.into_iter().zip(both) {
                let is_tangled = tenant.is_tangled || is_whole;
                waiting.extend(halves.unwrap_or_else(|| vec![Tenant { is_tangled, ..tenant }]));
            }
        }
        settled.into_iter().map(|tenant| tenant.part).chain(slivers).collect()
    }

    /// Whether the convexes of two parts do not overlap, after trimming if need be.
    fn part_them(&mut self, a: &mut Tenant, b: &mut Tenant) -> bool {
        if !a.bounds.overlaps(&b.bounds) || are_apart(&a.part.convex, &b.part.convex, &self.fitting.tolerance)
        {
            return true;
        }
        let Some(plane) = plane_between(&a.part, &b.part, self.hair()) else { return false };
        self.trim(&mut a.part, plane, Side::Behind);
        self.trim(&mut b.part, plane, Side::Front);
        true
    }

    /// What touches may overlap by.
    fn hair(&self) -> f64 {
        self.fitting.tolerance.length() * HAIRS
    }

    /// Ends a part's convex at a plane through the last of the part on this side of a given one.
    fn trim(&mut self, part: &mut Part, plane: Plane, side: Side) {
        let (low, high) = reach(&part.solid, plane.normal);
        let plane = match side {
            Side::Behind => Plane::new(plane.normal, high),
            Side::Front => Plane::new(-plane.normal, -low),
        };
        self.trimmer.start(&part.convex, part.solid.mesh().positions[0]);
        if self.trimmer.clip(&plane, None, 0.0) == Clip::Part {
            part.convex = self.trimmer.finish();
        }
    }

    /// A plane that leaves less of two parts in reach of each other. None if one parts them, but for a hair: then they have been trimmed by it. And none
    /// if there is none.
    fn plane_to_split(&mut self, a: &mut Tenant, b: &mut Tenant) -> Option<Plane> {
        for how in [Thoroughness::QUICK, Thoroughness::FULL] {
            for plane in planes_through(&a.part, &b.part, how) {
                // A little within what it touches, so that what lies against that is not cut along its faces.
                let plane = Plane::new(plane.normal, plane.offset - self.fitting.tolerance.length() * SINK);
                match [&a.part, &b.part].map(|part| self.side_of(part, plane)) {
                    [Some(of_a), Some(of_b)] if of_a != of_b => {
                        self.trim(&mut a.part, plane, of_a);
                        self.trim(&mut b.part, plane, of_b);
                        return None;
                    }
                    [Some(_), Some(_)] => {}
                    _ => return Some(plane),
                }
            }
        }
        None
    }

    /// The side of a plane that a part lies on, but for half a hair; none if it lies on both.
    fn side_of(&self, part: &Part, plane: Plane) -> Option<Side> {
        let (low, high) = reach(&part.solid, plane.normal);
        if high - plane.offset < self.hair() * 0.5 {
            Some(Side::Behind)
        } else {
            (plane.offset - low < self.hair() * 0.5).then_some(Side::Front)
        }
    }

    /// What lies on either side of a plane, each in its side of the room; none if it lies on one side.
    fn halves(&mut self, tenant: &Tenant, plane: Plane, id: PlaneId) -> Option<Vec<Tenant>> {
        let Tenant { part, room, .. } = tenant;
        if self.side_of(part, plane).is_some() {
            return None;
        }
        let behind = Halfspace { plane, side: Side::Behind, id: Some(id) };
        let mut tenants = Vec::new();
        for half in [behind, behind.complement()] {
            let (room, solid) = (room.clipped(&half)?, part.solid.clipped(&half)?);
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
        let near: Vec<DVec3> = near.into_iter().filter(|&place| in_outer.contains(place)).collect();
        let in_inner = (!near.is_empty()).then(|| Inside::of(inner.solid.mesh()));
        in_inner.is_some_and(|inside| near.into_iter().any(|place| inside.contains(place)))
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
