//! Step 6: what the cuts left, and the bonds of it.

use std::sync::Arc;

use rayon::prelude::*;
use smithereens_geometry::{Cut, Side, Tolerance};

use super::fragments::Exposed;
use super::islands::{Islands, Search};
use crate::contact::{Contact, Contacts};
use crate::{Bond, Compound, Piece};

/// A compound after the cuts. Untouched pieces are named by their index in it, new ones come after all of these.
pub(crate) struct Gathering {
    pub parent: Compound,
    /// The pieces of the parent that were touched, sorted.
    pub touched: Vec<u32>,
    /// For each piece of the parent whether it was.
    pub is_touched: Vec<bool>,
    pub new: Vec<NewPiece>,
    /// Bonds of new ghosts with the pieces that they lie in.
    pub overlaps: Vec<Bond>,
    /// The identities that the fracture minted.
    pub planes: std::ops::Range<u64>,
    pub tolerance: Tolerance,
}

/// A piece that the cuts made.
pub(crate) struct NewPiece {
    pub piece: Arc<Piece>,
    /// The colour of its cell, [`FAR`] for what lies beyond the impact.
    pub colour: u32,
}

pub(crate) const FAR: u32 = u32::MAX;

/// Enough pieces that a task is worth its while.
const PIECES_A_TASK: usize = 32;

/// What a search for bonds found.
pub(crate) struct NewBonds {
    pub bonds: Vec<Bond>,
    /// Untouched pieces that were bonded to touched ones, sorted.
    pub near: Vec<u32>,
    /// In order of piece and cut.
    pub exposed: Vec<Exposed>,
}

/// Bonds that touched pieces had.
#[derive(Default)]
struct Lost {
    /// What untouched pieces lost: the piece, its side of the bond, the area. Sorted.
    sides: Vec<(u32, Cut, f64)>,
    /// Identities of all planes of such bonds, sorted.
    planes: Vec<u64>,
}

/// The area that a list, sorted by piece and cut, has for one of them.
fn area_of(list: &[(u32, Cut, f64)], piece: u32, cut: Cut) -> f64 {
    let first = list.partition_point(|x| (x.0, x.1) < (piece, cut));
    list[first..].iter().take_while(|x| (x.0, x.1) == (piece, cut)).map(|x| x.2).sum()
}

fn sort_areas(list: &mut [(u32, Cut, f64)]) {
    list.sort_unstable_by(|x, y| (x.0, x.1).cmp(&(y.0, y.1)).then(x.2.total_cmp(&y.2)));
}

impl Gathering {
    /// The name of the first new piece.
    pub fn first_new(&self) -> u32 {
        self.is_touched.len() as u32
    }

    pub fn piece(&self, index: u32) -> &Arc<Piece> {
        match index.checked_sub(self.first_new()) {
            Some(new) => &self.new[new as usize].piece,
            None => &self.parent.pieces[index as usize],
        }
    }

    /// Whether a piece counts, or counts less.
    fn sign(&self, index: u32) -> f64 {
        self.piece(index).weight().signum()
    }

    pub fn colour(&self, index: u32) -> u32 {
        index.checked_sub(self.first_new()).map_or(FAR, |new| self.new[new as usize].colour)
    }

    /// Finds the bonds of new pieces among themselves and with the neighbours of the touched. Bonds
    /// between untouched pieces stay as they are.
    pub fn find_bonds(&self) -> NewBonds {
        let lost = self.lost();
        let mut contacts = Contacts::default();
        for sides in lost.sides.chunk_by(|x, y| x.0 == y.0) {
            let is_lost = |cut| sides.iter().any(|x| x.1 == cut);
            contacts.add(sides[0].0, FAR, self.piece(sides[0].0), is_lost);
        }
        self.new_contacts().into_iter().for_each(|of_task| contacts.append(of_task));
        let wanted = |a: u32, b: u32| a != b && a.max(b) >= self.first_new();
        let mut bonds = contacts.find_bonds(&self.tolerance, wanted);
        let exposed = self.exposed(&contacts, &lost, &bonds);
        if !self.overlaps.is_empty() {
            bonds.extend(&self.overlaps);
            bonds.sort_unstable_by_key(|b| (b.a, b.b, b.id));
        }
        let mut near: Vec<u32> = lost.sides.iter().map(|x| x.0).collect();
        near.dedup();
        NewBonds { bonds, near, exposed }
    }

    /// The contacts of the new pieces, by tasks.
    fn new_contacts(&self) -> Vec<Contacts<'_>> {
        let tasks = self.new.par_chunks(PIECES_A_TASK).enumerate();
        tasks
            .map(|(task, pieces)| {
                let first = self.first_new() + (task * PIECES_A_TASK) as u32;
                let mut contacts = Contacts::default();
                for (index, new) in (first..).zip(pieces) {
                    contacts.add(index, new.colour, &new.piece, |_| true);
                }
                contacts
            })
            .collect()
    }

    fn lost(&self) -> Lost {
        let mut lost = Lost::default();
        for &piece in &self.touched {
            for bond in self.parent.bonds.of(piece) {
                lost.planes.push(bond.id.number());
                let other = bond.other(piece);
                let side = if other == bond.a { Side::Behind } else { Side::Front };
                if !self.is_touched[other as usize] {
                    let area = bond.area * self.sign(piece);
                    lost.sides.push((other, Cut::new(bond.id, side), area));
                }
            }
        }
        sort_areas(&mut lost.sides);
        lost.planes.sort_unstable();
        lost.planes.dedup();
        lost
    }

    /// Faces of new pieces on new planes, and on old ones where a bond was lost, as far as no bond covers them. Faces of
    /// untouched pieces as far as bonds covered them that are lost.
    fn exposed(&self, contacts: &Contacts, lost: &Lost, bonds: &[Bond]) -> Vec<Exposed> {
        let mut covered: Vec<(u32, Cut, f64)> = Vec::with_capacity(bonds.len() * 2);
        for bond in bonds {
            // What two pieces cover that overlap, a ghost takes off once.
            let (behind, front) = (Cut::new(bond.id, Side::Behind), Cut::new(bond.id, Side::Front));
            covered.push((bond.a, behind, bond.area * self.sign(bond.b)));
            covered.push((bond.b, front, bond.area * self.sign(bond.a)));
        }
        sort_areas(&mut covered);
        let open = |contact: Contact| {
            if contact.is_ghost() {
                return None;
            }
            let (piece, cut) = (contact.index, contact.cut);
            let id = cut.id().number();
            let laid_open = if piece < self.first_new() {
                area_of(&lost.sides, piece, cut)
            } else if self.planes.contains(&id) || lost.planes.binary_search(&id).is_ok() {
                contact.area()
            } else {
                return None;
            };
            let area = laid_open - area_of(&covered, piece, cut);
            (area > self.tolerance.area()).then_some(Exposed { piece, cut, area })
        };
        contacts.par_iter().filter_map(open).collect()
    }

    /// What hangs together, by old bonds and new.
    pub fn islands(&self, found: &NewBonds) -> Islands {
        let mut starts = found.near.clone();
        if !self.parent.in_one_part {
            let is_left = |&&piece: &&u32| !self.is_touched[piece as usize];
            starts.extend(self.parent.islands().iter().filter_map(|island| island.iter().find(is_left)));
            starts.sort_unstable();
            starts.dedup();
        }
        let search = Search {
            bonds: &self.parent.bonds,
            touched: &self.is_touched,
            starts: &starts,
            new_pieces: self.new.len(),
            new_bonds: &found.bonds,
        };
        search.run()
    }
}
