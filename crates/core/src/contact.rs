//! Where pieces touch: the search for bonds.
//!
//! Contacts are sorted by the identity of their plane and by colour, so that those of one group are all that can be bonded to
//! each other. Overlaps are measured on the faces of the skins: two convexes can touch where the solids in them do not.

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::{Cut, Frame, Outline, PlaneId, Side, Tolerance};

use crate::bond::plane_of;
use crate::{Bond, Piece};

/// The faces of one piece that one cut made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact<'a> {
    pub cut: Cut,
    /// The index that bonds name the piece by.
    pub index: u32,
    piece: &'a Piece,
    faces: &'a [u32],
}

/// Contacts of many pieces, in order of piece and cut.
#[derive(Default)]
pub(crate) struct Contacts<'a> {
    listed: Vec<Listed<'a>>,
    faces: Vec<u32>,
    /// Cut faces of the piece at hand.
    of_piece: Vec<(Cut, u32)>,
}

struct Listed<'a> {
    cut: Cut,
    index: u32,
    colour: u32,
    piece: &'a Piece,
    faces_end: u32,
}

/// What contacts are sorted by: the plane, the colour, the contact.
type Key = (PlaneId, u32, u32);

/// Most groups hold no bond or one: a task is worth its while with some of them.
const GROUPS_A_TASK: usize = 16;
const CONTACTS_A_TASK: usize = 128;

impl<'a> Contacts<'a> {
    /// Adds the contacts of a piece, one for each cut that is wanted. Indices must rise.
    pub fn add(&mut self, index: u32, colour: u32, piece: &'a Piece, wanted: impl Fn(Cut) -> bool) {
        self.of_piece.clear();
        piece.list_cut_faces(wanted, &mut self.of_piece);
        self.of_piece.sort_unstable();
        for of_cut in self.of_piece.chunk_by(|a, b| a.0 == b.0) {
            self.faces.extend(of_cut.iter().map(|&(_, face)| face));
            let faces_end = self.faces.len() as u32;
            self.listed.push(Listed { cut: of_cut[0].0, index, colour, piece, faces_end });
        }
    }

    /// Adds the contacts of pieces that come after all that are there.
    pub fn append(&mut self, other: Contacts<'a>) {
        let shift = self.faces.len() as u32;
        let moved = |listed: Listed<'a>| Listed { faces_end: listed.faces_end + shift, ..listed };
        self.listed.extend(other.listed.into_iter().map(moved));
        self.faces.extend(other.faces);
    }

    fn get(&self, contact: u32) -> Contact<'_> {
        let contact = contact as usize;
        let start = if contact == 0 { 0 } else { self.listed[contact - 1].faces_end as usize };
        let Listed { cut, index, piece, faces_end, .. } = self.listed[contact];
        Contact { cut, index, piece, faces: &self.faces[start..faces_end as usize] }
    }

    /// All of them, in order of piece and cut, for all threads.
    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = Contact<'_>> {
        let all = (0..self.listed.len() as u32).into_par_iter();
        all.with_min_len(CONTACTS_A_TASK).map(|contact| self.get(contact))
    }

    /// Finds the bonds among contacts of one colour, in order of their pieces. Pairs of pieces that `wanted` refuses are
    /// not looked at.
    pub fn find_bonds(&self, tolerance: &Tolerance, wanted: impl Fn(u32, u32) -> bool + Sync) -> Vec<Bond> {
        let key = |(c, at): (&Listed, u32)| (c.cut.id(), c.colour, at);
        let mut keys: Vec<Key> = self.listed.iter().zip(0..).map(key).collect();
        keys.sort_unstable();
        let is_behind = |key: &Key| self.listed[key.2 as usize].cut.side() == Side::Behind;
        let is_two_sided = |group: &&[Key]| group.iter().any(is_behind) && !group.iter().all(is_behind);
        let groups = keys.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)).filter(is_two_sided);
        let mut bonds: Vec<Bond> = groups
            .collect::<Vec<_>>()
            .into_par_iter()
            .with_min_len(GROUPS_A_TASK)
            .flat_map_iter(|group| {
                let (behind, front): (Vec<&Key>, Vec<&Key>) = group.iter().partition(|key| is_behind(key));
                let get = |keys: Vec<&Key>| keys.into_iter().map(|key| self.get(key.2)).collect();
                find_in_group(get(behind), get(front), tolerance, &wanted)
            })
            .collect();
        bonds.sort_unstable_by_key(|b| (b.a, b.b, b.id));
        bonds
    }
}

impl Contact<'_> {
    pub fn is_ghost(&self) -> bool {
        self.piece.is_ghost()
    }

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

fn find_in_group(
    behind: Vec<Contact>,
    mut front: Vec<Contact>,
    tolerance: &Tolerance,
    wanted: &impl Fn(u32, u32) -> bool,
) -> Vec<Bond> {
    let mut bonds = Vec::new();
    let first = behind[0];
    let Some(plane) = plane_of(first.piece, first.cut) else { return bonds };
    let frame = Frame::new(&plane, first.piece.mass().center);
    // A sweep along the longest axis of the contacts' boxes: walls of a thousand bricks share a plane.
    let axis = DVec3::AXES[plane.normal.abs().min_position()];
    let low = |c: &Contact| c.piece.bounds().min.dot(axis);
    let high = |c: &Contact| c.piece.bounds().max.dot(axis);
    front.sort_by(|x, y| low(x).total_cmp(&low(y)));
    let widest = front.iter().map(|c| high(c) - low(c)).fold(0.0, f64::max);
    let mut outlines: Vec<Option<Outline>> = vec![None; front.len()];
    for a in &behind {
        let start = front.partition_point(|b| low(b) < low(a) - widest);
        let mut own: Option<Outline> = None;
        for (index, b) in front.iter().enumerate().skip(start) {
            if low(b) > high(a) {
                break;
            }
            let apart = !a.piece.bounds().grown(tolerance.length()).overlaps(b.piece.bounds());
            if apart || !wanted(a.index, b.index) {
                continue;
            }
            let own = own.get_or_insert_with(|| a.piece.outline(a.faces, frame));
            let other = outlines[index].get_or_insert_with(|| b.piece.outline(b.faces, frame));
            if let Some(o) = own.overlap(other, tolerance) {
                let (id, area, centroid) = (a.cut.id(), o.area, o.centroid);
                bonds.push(Bond { a: a.index, b: b.index, id, area, centroid });
            }
        }
    }
    bonds
}
