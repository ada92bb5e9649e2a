//! Steps 6 and 7: bonds, islands, fragments.

use std::sync::Arc;

use smithereens_geometry::{Cut, Mass, Tolerance, UnionFind};

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
pub(crate) struct Gathering<'a> {
    pub parent: &'a Compound,
    /// For each piece of the parent its new index, or [`GONE`] if it was touched.
    pub index_of: Vec<u32>,
    pub pieces: Vec<Arc<Piece>>,
    /// The colour each piece has, [`FAR`] for what lies beyond the impact.
    pub colours: Vec<u32>,
    /// How many pieces were not touched.
    pub untouched: u32,
    /// The first identity that the fracture minted, and the first it did not.
    pub planes: std::ops::Range<u64>,
    pub tolerance: Tolerance,
}

pub(crate) const GONE: u32 = u32::MAX;
pub(crate) const FAR: u32 = u32::MAX;

impl Gathering<'_> {
    /// The bonds within each colour: those between untouched pieces are kept, those of new pieces
    /// searched among the new ones and the neighbours of the touched.
    pub fn bonds(&self) -> (Vec<Bond>, Vec<Contact>) {
        let mut near = Vec::new();
        let mut kept = Vec::with_capacity(self.parent.bonds.len());
        for bond in &self.parent.bonds {
            let (a, b) = (self.index_of[bond.a as usize], self.index_of[bond.b as usize]);
            match (a, b) {
                (GONE, GONE) => {}
                (GONE, neighbour) | (neighbour, GONE) => near.push(neighbour),
                _ => kept.push(Bond { a, b, ..*bond }),
            }
        }
        near.sort_unstable();
        near.dedup();
        let mut all: Vec<Contact> = Vec::new();
        for index in near.into_iter().chain(self.untouched..self.pieces.len() as u32) {
            contacts(index, &self.pieces[index as usize], &mut all);
        }
        let wanted = |a: u32, b: u32| {
            let both_old = a < self.untouched && b < self.untouched;
            !both_old && self.colours[a as usize] == self.colours[b as usize]
        };
        kept.extend(find_bonds(&self.pieces, all.clone(), &self.tolerance, wanted));
        (kept, all)
    }

    /// The fragments, in order of their first piece.
    pub fn fragments(&self, bonds: Vec<Bond>, contacts: &[Contact]) -> Vec<Fragment> {
        let mut sets = UnionFind::new(self.pieces.len());
        bonds.iter().for_each(|b| sets.join(b.a, b.b));
        let mut fragment_of = vec![0u32; self.pieces.len()];
        let mut local = vec![0u32; self.pieces.len()];
        let mut pieces: Vec<Vec<Arc<Piece>>> = Vec::new();
        let mut colours = Vec::new();
        for index in 0..self.pieces.len() as u32 {
            let root = sets.root(index);
            if root == index {
                fragment_of[index as usize] = pieces.len() as u32;
                pieces.push(Vec::new());
                colours.push(self.colours[index as usize]);
            }
            let fragment = fragment_of[root as usize];
            fragment_of[index as usize] = fragment;
            local[index as usize] = pieces[fragment as usize].len() as u32;
            pieces[fragment as usize].push(self.pieces[index as usize].clone());
        }
        let mut exposed = self.exposed(&bonds, contacts, &fragment_of, &local, pieces.len());
        let mut bonds_of: Vec<Vec<Bond>> = vec![Vec::new(); pieces.len()];
        for bond in bonds {
            let (a, b) = (local[bond.a as usize], local[bond.b as usize]);
            bonds_of[fragment_of[bond.a as usize] as usize].push(Bond { a, b, ..bond });
        }
        let compounds = pieces.into_iter().zip(bonds_of).map(|(pieces, bonds)| {
            let mass = Mass::total(pieces.iter().map(|p| p.mass()));
            Compound { pieces, bonds, mass, next_plane: self.planes.end }
        });
        compounds
            .zip(colours)
            .enumerate()
            .map(|(index, (compound, colour))| Fragment {
                compound,
                colour: (colour != FAR).then_some(colour),
                exposed: std::mem::take(&mut exposed[index]),
            })
            .collect()
    }

    /// The faces on new planes, and on old ones where a bond was lost, as far as no bond covers them.
    fn exposed(
        &self,
        bonds: &[Bond],
        contacts: &[Contact],
        fragment_of: &[u32],
        local: &[u32],
        fragments: usize,
    ) -> Vec<Vec<Exposed>> {
        let mut covered: Vec<(u32, Cut, f64)> = Vec::new();
        for bond in bonds.iter().filter(|b| b.b >= self.untouched || b.a >= self.untouched) {
            use smithereens_geometry::Side;
            covered.push((bond.a, Cut::new(bond.id, Side::Behind), bond.area));
            covered.push((bond.b, Cut::new(bond.id, Side::Front), bond.area));
        }
        covered.sort_unstable_by(|x, y| (x.0, x.1).cmp(&(y.0, y.1)).then(x.2.total_cmp(&y.2)));
        let mut broken: Vec<u64> = self
            .parent
            .bonds
            .iter()
            .filter(|b| self.index_of[b.a as usize] == GONE || self.index_of[b.b as usize] == GONE)
            .map(|b| b.id.number())
            .collect();
        broken.sort_unstable();
        broken.dedup();
        let mut exposed = vec![Vec::new(); fragments];
        for contact in contacts {
            let id = contact.cut.id().number();
            if !self.planes.contains(&id) && broken.binary_search(&id).is_err() {
                continue;
            }
            let key = (contact.piece, contact.cut);
            let first = covered.partition_point(|c| (c.0, c.1) < key);
            let bonded: f64 = covered[first..].iter().take_while(|c| (c.0, c.1) == key).map(|c| c.2).sum();
            let area = contact.area(&self.pieces[contact.piece as usize]) - bonded;
            if area > self.tolerance.area() {
                let piece = local[contact.piece as usize];
                let fragment = fragment_of[contact.piece as usize] as usize;
                exposed[fragment].push(Exposed { piece, cut: contact.cut, area });
            }
        }
        exposed
    }
}
