//! Steps 6 and 7: bonds, islands, fragments.

use std::sync::Arc;

use smithereens_geometry::{Cut, Side, Tolerance, UnionFind};

use crate::bond::{Contact, contacts, find_bonds};
use crate::{Bond, Compound, Piece};

/// Faces of a piece that a fracture has laid open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposed {
    /// The piece, as an index into the fragment's pieces.
    pub piece: u32,
    /// The cut that made the faces.
    pub cut: Cut,
    /// How much of them is open.
    pub area: f64,
}

/// A compound that a fracture has just made.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Its pieces and bonds.
    pub compound: Compound,
    /// The colour of its cells; `None` for what lies beyond the impact.
    pub colour: Option<u32>,
    /// The faces newly laid open.
    pub exposed: Vec<Exposed>,
}

/// All pieces after the cuts: those that were not touched first, then the new ones.
pub(crate) struct Gathering {
    pub parent: Compound,
    /// For each piece of the parent its new index, or [`GONE`] if it was touched.
    pub index_of: Vec<u32>,
    pub pieces: Vec<Arc<Piece>>,
    /// The colour of each new piece, [`FAR`] for what lies beyond the impact.
    pub colours: Vec<u32>,
    /// How many pieces were not touched.
    pub untouched: u32,
    /// The identities that the fracture minted.
    pub planes: std::ops::Range<u64>,
    pub tolerance: Tolerance,
}

pub(crate) const GONE: u32 = u32::MAX;
pub(crate) const FAR: u32 = u32::MAX;

/// What a search for bonds found.
pub(crate) struct NewBonds {
    bonds: Vec<Bond>,
    /// The cut faces of new pieces and of the neighbours of touched ones.
    contacts: Vec<Contact>,
    /// Identities of planes on which touched pieces were bonded, sorted.
    broken: Vec<u64>,
}

/// Where pieces go: the fragment of each, and its index there.
struct Places {
    fragment: Vec<u32>,
    local: Vec<u32>,
    counts: Vec<u32>,
    colours: Vec<u32>,
}

impl Gathering {
    fn colour(&self, piece: u32) -> u32 {
        if piece < self.untouched { FAR } else { self.colours[(piece - self.untouched) as usize] }
    }

    /// Finds the bonds of new pieces among themselves and with the neighbours of the touched. Bonds
    /// between untouched pieces stay as they are.
    pub fn find_bonds(&self) -> NewBonds {
        let (mut near, mut broken) = (Vec::new(), Vec::new());
        for bond in self.parent.bonds.iter() {
            match (self.index_of[bond.a as usize], self.index_of[bond.b as usize]) {
                (GONE, GONE) => {}
                (GONE, neighbour) | (neighbour, GONE) => near.push(neighbour),
                _ => continue,
            }
            broken.push(bond.id.number());
        }
        near.sort_unstable();
        near.dedup();
        broken.sort_unstable();
        broken.dedup();
        let mut all: Vec<Contact> = Vec::new();
        for index in near.into_iter().chain(self.untouched..self.pieces.len() as u32) {
            contacts(index, &self.pieces[index as usize], &mut all);
        }
        let wanted = |a: u32, b: u32| {
            let both_old = a < self.untouched && b < self.untouched;
            !both_old && self.colour(a) == self.colour(b)
        };
        let bonds = find_bonds(&self.pieces, all.clone(), &self.tolerance, wanted);
        NewBonds { bonds, contacts: all, broken }
    }

    /// The fragments, in order of their first piece.
    pub fn fragments(self, found: NewBonds) -> Vec<Fragment> {
        let places = self.places(&found.bonds);
        let (exposed, bonds) =
            rayon::join(|| self.exposed(&found, &places), || self.distribute_bonds(&found.bonds, &places));
        let mut pieces: Vec<Vec<Arc<Piece>>> =
            places.counts.iter().map(|&count| Vec::with_capacity(count as usize)).collect();
        for (piece, &fragment) in self.pieces.into_iter().zip(&places.fragment) {
            pieces[fragment as usize].push(piece);
        }
        let compounds = pieces.into_iter().zip(bonds).map(|(p, b)| Compound::assemble(p, b, self.planes.end));
        let colours = places.colours.iter().map(|&colour| (colour != FAR).then_some(colour));
        compounds
            .zip(colours)
            .zip(exposed)
            .map(|((compound, colour), exposed)| Fragment { compound, colour, exposed })
            .collect()
    }

    /// Islands by flood fill over all bonds.
    fn places(&self, new_bonds: &[Bond]) -> Places {
        let mut sets = UnionFind::new(self.pieces.len());
        for bond in self.parent.bonds.iter() {
            let (a, b) = (self.index_of[bond.a as usize], self.index_of[bond.b as usize]);
            if a != GONE && b != GONE {
                sets.join(a, b);
            }
        }
        new_bonds.iter().for_each(|b| sets.join(b.a, b.b));
        let count = self.pieces.len();
        let mut places = Places {
            fragment: Vec::with_capacity(count),
            local: Vec::with_capacity(count),
            counts: Vec::new(),
            colours: Vec::new(),
        };
        for index in 0..count as u32 {
            let root = sets.root(index);
            let fragment = if root == index {
                places.counts.push(0);
                places.colours.push(self.colour(index));
                places.counts.len() as u32 - 1
            } else {
                places.fragment[root as usize]
            };
            places.fragment.push(fragment);
            places.local.push(places.counts[fragment as usize]);
            places.counts[fragment as usize] += 1;
        }
        places
    }

    fn distribute_bonds(&self, new_bonds: &[Bond], places: &Places) -> Vec<Vec<Bond>> {
        let mut bonds: Vec<Vec<Bond>> = vec![Vec::new(); places.counts.len()];
        let kept = self.parent.bonds.iter().filter_map(|bond| {
            let (a, b) = (self.index_of[bond.a as usize], self.index_of[bond.b as usize]);
            (a != GONE && b != GONE).then_some(Bond { a, b, ..*bond })
        });
        for bond in kept.chain(new_bonds.iter().copied()) {
            let list = &mut bonds[places.fragment[bond.a as usize] as usize];
            if list.capacity() == 0 {
                // Most bonds stay with the largest fragment: room for all of its pieces' at once.
                let pieces = places.counts[places.fragment[bond.a as usize] as usize] as usize;
                list.reserve(pieces * self.parent.bonds.len() / self.parent.pieces.len().max(1));
            }
            let (a, b) = (places.local[bond.a as usize], places.local[bond.b as usize]);
            list.push(Bond { a, b, ..bond });
        }
        bonds
    }

    /// The faces on new planes, and on old ones where a bond was lost, as far as no bond covers them.
    fn exposed(&self, found: &NewBonds, places: &Places) -> Vec<Vec<Exposed>> {
        let mut covered: Vec<(u32, Cut, f64)> = Vec::with_capacity(found.bonds.len() * 2);
        for bond in &found.bonds {
            covered.push((bond.a, Cut::new(bond.id, Side::Behind), bond.area));
            covered.push((bond.b, Cut::new(bond.id, Side::Front), bond.area));
        }
        covered.sort_unstable_by(|x, y| (x.0, x.1).cmp(&(y.0, y.1)).then(x.2.total_cmp(&y.2)));
        let mut exposed = vec![Vec::new(); places.counts.len()];
        for contact in &found.contacts {
            let id = contact.cut.id().number();
            if !self.planes.contains(&id) && found.broken.binary_search(&id).is_err() {
                continue;
            }
            let key = (contact.piece, contact.cut);
            let first = covered.partition_point(|c| (c.0, c.1) < key);
            let bonded: f64 = covered[first..].iter().take_while(|c| (c.0, c.1) == key).map(|c| c.2).sum();
            let area = contact.area(&self.pieces[contact.piece as usize]) - bonded;
            if area > self.tolerance.area() {
                let piece = places.local[contact.piece as usize];
                let fragment = places.fragment[contact.piece as usize] as usize;
                exposed[fragment].push(Exposed { piece, cut: contact.cut, area });
            }
        }
        exposed
    }
}
