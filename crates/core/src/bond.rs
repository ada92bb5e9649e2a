//! What holds pieces together: faces in one plane that overlap.
//!
//! Müller et al. 2013, section 3.1, property (c). The paper sorts all faces by the distance |d| of their planes
//! and compares those that agree up to an epsilon. Here every cut has an identity, so the sort is by that and
//! exact; see [`crate::compound`] for the one place where |d| is still compared. Overlaps are measured on
//! the faces of the skins: two convexes can touch where the solids in them do not.

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::{Cut, Frame, Outline, Plane, PlaneId, Side, Tolerance};

use crate::Piece;

/// Two pieces share a part of a plane, which [`crate::Compound::plane_of`] tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The piece behind the plane, as an index into the compound's pieces.
    pub a: u32,
    /// The piece in front of it.
    pub b: u32,
    /// The plane's identity.
    pub id: PlaneId,
    /// The area of the overlap.
    pub area: f64,
    /// The centroid of the overlap.
    pub centroid: DVec3,
}

impl Bond {
    /// The piece on the other side.
    pub fn other(&self, piece: u32) -> u32 {
        if piece == self.a { self.b } else { self.a }
    }
}

/// The faces of one piece that one cut made.
#[derive(Clone, Debug)]
pub(crate) struct Contact<'a> {
    pub cut: Cut,
    /// The index that bonds name the piece by.
    pub index: u32,
    piece: &'a Piece,
    faces: Vec<u32>,
}

impl Contact<'_> {
    /// The area of the faces.
    pub fn area(&self) -> f64 {
        match self.piece.skin() {
            Some(skin) => {
                let area = |&f: &u32| skin.mesh().face_area_vector(f as usize).length() * 0.5;
                self.faces.iter().map(area).sum()
            }
            None => self.faces.iter().map(|&f| self.piece.convex().face_area(f as usize)).sum(),
        }
    }
}

/// Lists the contacts of a piece, one for each cut that is wanted.
pub(crate) fn contacts<'a>(
    index: u32,
    piece: &'a Piece,
    wanted: impl Fn(Cut) -> bool,
    into: &mut Vec<Contact<'a>>,
) {
    let mut faces = piece.cut_faces(wanted);
    faces.sort_unstable();
    for group in faces.chunk_by(|a, b| a.0 == b.0) {
        let faces = group.iter().map(|&(_, face)| face).collect();
        into.push(Contact { cut: group[0].0, index, piece, faces });
    }
}

/// Finds the bonds among contacts. Pairs of pieces that `wanted` refuses are not looked at.
pub(crate) fn find_bonds(
    contacts: &mut [Contact],
    tolerance: &Tolerance,
    wanted: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<Bond> {
    contacts.sort_unstable_by_key(|c| (c.cut.id(), c.cut.side() == Side::Front, c.index));
    let planes: Vec<&[Contact]> = contacts.chunk_by(|a, b| a.cut.id() == b.cut.id()).collect();
    let mut bonds: Vec<Bond> = planes
        .into_par_iter()
        .with_min_len(PLANES_A_TASK)
        .flat_map_iter(|group| {
            let front = group.partition_point(|c| c.cut.side() == Side::Behind);
            find_on_plane(&group[..front], &group[front..], tolerance, &wanted)
        })
        .collect();
    bonds.sort_unstable_by_key(|b| (b.a, b.b, b.id));
    bonds
}

/// Most planes hold no bond or one: a task is worth its while with some of them.
const PLANES_A_TASK: usize = 16;

fn find_on_plane(
    behind: &[Contact],
    front: &[Contact],
    tolerance: &Tolerance,
    wanted: &impl Fn(u32, u32) -> bool,
) -> Vec<Bond> {
    let mut bonds = Vec::new();
    let Some(first) = behind.first().filter(|_| !front.is_empty()) else { return bonds };
    let Some(plane) = plane_of(first.piece, first.cut) else { return bonds };
    let frame = Frame::new(&plane, first.piece.mass().center);
    // A sweep along the longest axis of the contacts' boxes: walls of a thousand bricks share a plane.
    let axis = DVec3::AXES[plane.normal.abs().min_position()];
    let low = |c: &Contact| c.piece.bounds().min.dot(axis);
    let high = |c: &Contact| c.piece.bounds().max.dot(axis);
    let mut order: Vec<&Contact> = front.iter().collect();
    order.sort_by(|x, y| low(x).total_cmp(&low(y)));
    let widest = order.iter().map(|c| high(c) - low(c)).fold(0.0, f64::max);
    let mut outlines: Vec<Option<Outline>> = vec![None; order.len()];
    for a in behind {
        let start = order.partition_point(|b| low(b) < low(a) - widest);
        let mut own: Option<Outline> = None;
        for (index, b) in order.iter().enumerate().skip(start) {
            if low(b) > high(a) {
                break;
            }
            let apart = !a.piece.bounds().grown(tolerance.length()).overlaps(b.piece.bounds());
            if apart || !wanted(a.index, b.index) {
                continue;
            }
            let own = own.get_or_insert_with(|| a.piece.outline(&a.faces, frame));
            let other = outlines[index].get_or_insert_with(|| b.piece.outline(&b.faces, frame));
            if let Some(o) = own.overlap(other, tolerance) {
                let (id, area, centroid) = (a.cut.id(), o.area, o.centroid);
                bonds.push(Bond { a: a.index, b: b.index, id, area, centroid });
            }
        }
    }
    bonds
}

/// The plane of a cut in its canonical orientation.
pub(crate) fn plane_of(piece: &Piece, cut: Cut) -> Option<Plane> {
    let outward = match piece.convex().faces().iter().find(|f| f.cut == Some(cut)) {
        Some(face) => face.plane,
        None => {
            let mesh = piece.skin()?.mesh();
            let face = mesh.faces.iter().position(|f| f.cut == Some(cut))?;
            let point = mesh.positions[mesh.corners[mesh.face_corners(face).start] as usize];
            Plane::through(point, mesh.face_area_vector(face))?
        }
    };
    Some(if cut.side() == Side::Behind { outward } else { outward.flipped() })
}
