//! Step 6: the bonds of what the cuts left, and what hangs together by them.

use std::ops::Range;
use std::sync::Arc;

use super::fragments::{Exposed, Fragment, fragments};
use super::{Fracture, Report};
use crate::contact::Contacts;
use crate::{Bond, Compound, Cut, Piece, Side, Tolerance};

/// What lies beyond the impact joins what was not touched.
pub(super) const FAR: u32 = u32::MAX;

/// A compound after the cuts. Untouched pieces are named by their index in it, new ones come after all of these.
pub(super) struct Gathering<'a> {
    pub parent: &'a Compound,
    /// For each piece of the parent whether it is gone.
    pub is_touched: Vec<bool>,
    pub new: Vec<Arc<Piece>>,
    /// Of new pieces.
    pub colours: Vec<u32>,
    /// The identities that the fracture minted.
    pub lines: Range<u64>,
    pub tolerance: Tolerance,
}

/// What an edge of an untouched piece lost in bonds: the piece, its side, the length. Sorted.
type Lost = Vec<(u32, Cut, f64)>;

impl Gathering<'_> {
    /// The name of the first new piece.
    fn first_new(&self) -> u32 {
        self.is_touched.len() as u32
    }

    fn piece(&self, index: u32) -> &Arc<Piece> {
        match index.checked_sub(self.first_new()) {
            Some(new) => &self.new[new as usize],
            None => &self.parent.pieces()[index as usize],
        }
    }

    fn colour(&self, index: u32) -> u32 {
        index.checked_sub(self.first_new()).map_or(FAR, |new| self.colours[new as usize])
    }

    /// Puts fragments together.
    pub fn fracture(&self, min_area: f64, mut report: Report) -> Fracture {
        let (lost, lines) = self.lost();
        let mut contacts = Contacts(Vec::with_capacity(self.new.len() * 4));
        for (index, piece) in (self.first_new()..).zip(&self.new) {
            contacts.add(index, self.colour(index), piece, |_| true);
        }
        for sides in lost.chunk_by(|x, y| x.0 == y.0) {
            let is_lost = |cut: Cut| sides.iter().any(|side| side.1 == cut);
            contacts.add(sides[0].0, FAR, self.piece(sides[0].0), is_lost);
        }
        let wanted = |a: u32, b: u32| a != b && a.max(b) >= self.first_new();
        let mut bonds = self.kept();
        bonds.extend(contacts.find_bonds(self.tolerance.length(), wanted));
        let exposed = self.exposed(&contacts, &lost, &lines);
        let mut fracture = self.fragments(bonds, exposed, min_area);
        report.fragments = fracture.fragments.len();
        report.pieces = fracture.fragments.iter().map(|fragment| fragment.compound.pieces().len()).sum();
        let mut colours: Vec<Option<u32>> =
            fracture.fragments.iter().map(|fragment| fragment.colour).collect();
        colours.sort_unstable();
        colours.dedup();
        report.islands = fracture.fragments.len() - colours.len();
        let open = fracture.fragments.iter().flat_map(|fragment| &fragment.exposed);
        report.exposed_length = open.map(|exposed| exposed.length).sum();
        fracture.report = report;
        fracture
    }

    fn is_gone(&self, piece: u32) -> bool {
        self.is_touched[piece as usize]
    }

    /// Bonds between untouched pieces stay as they are.
    fn kept(&self) -> Vec<Bond> {
        let is_kept = |bond: &&Bond| !self.is_gone(bond.a) && !self.is_gone(bond.b);
        self.parent.bonds().iter().filter(is_kept).copied().collect()
    }

    /// What untouched pieces lost, and the identities of all lines along which bonds were lost.
    fn lost(&self) -> (Lost, Vec<u64>) {
        let (mut lost, mut lines) = (Lost::new(), Vec::new());
        for bond in self.parent.bonds() {
            let gone = [bond.a, bond.b].map(|piece| self.is_gone(piece));
            match gone {
                [false, false] => continue,
                [false, true] => lost.push((bond.a, Cut::new(bond.id, Side::Behind), bond.length)),
                [true, false] => lost.push((bond.b, Cut::new(bond.id, Side::Front), bond.length)),
                [true, true] => {}
            }
            lines.push(bond.id.number());
        }
        lost.sort_unstable_by(|x, y| (x.0, x.1).cmp(&(y.0, y.1)).then(x.2.total_cmp(&y.2)));
        lines.sort_unstable();
        lines.dedup();
        (lost, lines)
    }

    /// Edges of new pieces on new lines, and on old ones where a bond was lost, as far as no bond covers them. Edges of untouched pieces as
    /// far as bonds covered them that are lost.
    fn exposed(&self, contacts: &Contacts, lost: &Lost, lines: &[u64]) -> Vec<Exposed> {
        let mut exposed = Vec::new();
        for contact in &contacts.0 {
            let (piece, cut, number) = (contact.piece, contact.cut, contact.cut.id().number());
            let laid_open = if piece < self.first_new() {
                let first = lost.partition_point(|side| (side.0, side.1) < (piece, cut));
                lost[first..]
                    .iter()
                    .take_while(|side| (side.0, side.1) == (piece, cut))
                    .map(|side| side.2)
                    .sum()
            } else if self.lines.contains(&number) || lines.binary_search(&number).is_ok() {
                contact.length()
            } else {
                continue;
            };
            let length = laid_open - contact.covered;
            if length > self.tolerance.length() {
                exposed.push(Exposed { piece, cut, length });
            }
        }
        exposed
    }

    /// A fragment for all that hangs together, unless it is too small.
    fn fragments(&self, bonds: Vec<Bond>, exposed: Vec<Exposed>, min_area: f64) -> Fracture {
        let all = self.first_new() + self.new.len() as u32;
        // Gone pieces leave no gaps in what follows.
        let is_there = |piece: &u32| self.is_touched.get(*piece as usize) != Some(&true);
        let present: Vec<u32> = (0..all).filter(is_there).collect();
        let mut index = vec![0; all as usize];
        (0..).zip(&present).for_each(|(new, &piece)| index[piece as usize] = new);
        let index = |piece: u32| index[piece as usize];
        let bonds = bonds.into_iter().map(|bond| Bond { a: index(bond.a), b: index(bond.b), ..bond });
        let exposed = exposed.into_iter().map(|open| Exposed { piece: index(open.piece), ..open });
        let pieces: Vec<Arc<Piece>> = present.iter().map(|&piece| self.piece(piece).clone()).collect();
        let colour = |piece: u32| Some(self.colour(present[piece as usize])).filter(|&colour| colour != FAR);
        let all = fragments(&pieces, bonds.collect(), exposed.collect(), colour, self.lines.end);
        let is_debris = |fragment: &Fragment| fragment.compound.mass().area < min_area;
        let (small, fragments): (Vec<Fragment>, Vec<Fragment>) = all.into_iter().partition(is_debris);
        let debris = small.iter().flat_map(|fragment| fragment.compound.pieces()).cloned().collect();
        Fracture { fragments, debris, report: Report::default() }
    }
}
