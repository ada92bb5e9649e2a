//! Step 7: each island becomes a fragment.
//!
//! All but one are put together anew. The one that has the rest of the untouched pieces is made from the compound itself: see
//! [`super::rest`].

use std::sync::Arc;

use rayon::prelude::*;
use smithereens_geometry::Cut;

use super::gather::{FAR, Gathering, NewBonds};
use super::rest::Rest;
use crate::{Bond, Bonds, Compound, Piece, Pieces};

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

/// Where pieces go, by their names: the fragment of each, and its index there.
pub(crate) struct Places {
    /// Zero is the rest.
    fragment: Vec<u32>,
    index: Vec<u32>,
}

impl Places {
    /// All in the rest, where they are.
    fn new(pieces: usize) -> Places {
        Places { fragment: vec![0; pieces], index: (0..pieces as u32).collect() }
    }

    pub fn is_in_rest(&self, piece: u32) -> bool {
        self.fragment[piece as usize] == 0
    }

    /// A bond between pieces at their new places.
    pub fn moved(&self, bond: &Bond) -> Bond {
        Bond { a: self.index[bond.a as usize], b: self.index[bond.b as usize], ..*bond }
    }

    pub fn index(&self, piece: u32) -> u32 {
        self.index[piece as usize]
    }
}

impl Gathering {
    /// The fragments, in order of their first piece: untouched ones as they were, then new ones.
    pub fn fragments(&self, found: &NewBonds) -> Vec<Fragment> {
        let islands = self.islands(found);
        let mut places = Places::new(self.is_touched.len() + self.new.len());
        for (fragment, pieces) in (1..).zip(&islands.others) {
            for (index, &piece) in (0..).zip(pieces) {
                places.fragment[piece as usize] = fragment;
                places.index[piece as usize] = index;
            }
        }
        let rest = islands.rest.map(|new| Rest::new(self, &new, &islands.others, &places));
        for &(place, piece) in rest.iter().flat_map(|rest| &rest.filled) {
            places.index[piece as usize] = place;
        }
        let mut parts = self.parts(found, &places, islands.others.len() + 1);
        let of_rest = std::mem::take(&mut parts[0]);
        let mut fragments: Vec<Fragment> = (islands.others.par_iter(), parts.par_drain(..).skip(1))
            .into_par_iter()
            .with_min_len(FRAGMENTS_A_TASK)
            .map(|(pieces, part)| self.fragment(pieces, part, &places))
            .collect();
        if let Some(rest) = rest {
            let compound = rest.compound(self, &found.near, &of_rest.bonds, &places);
            let is_left = |&piece: &u32| !self.is_touched[piece as usize] && places.is_in_rest(piece);
            let first = (0..self.first_new()).find(is_left);
            let before = islands.others.partition_point(|pieces| Some(pieces[0]) < first);
            fragments.insert(before, Fragment { compound, colour: None, exposed: of_rest.exposed });
        }
        fragments
    }

    /// New bonds and open faces by fragment, for pieces at their new places.
    fn parts(&self, found: &NewBonds, places: &Places, count: usize) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        parts.resize_with(count, Part::default);
        for bond in &found.bonds {
            parts[places.fragment[bond.a as usize] as usize].bonds.push(places.moved(bond));
        }
        for exposed in &found.exposed {
            let piece = places.index(exposed.piece);
            parts[places.fragment[exposed.piece as usize] as usize]
                .exposed
                .push(Exposed { piece, ..*exposed });
        }
        parts
    }

    /// A fragment put together anew.
    fn fragment(&self, pieces: &[u32], part: Part, places: &Places) -> Fragment {
        let mut bonds = part.bonds;
        for &piece in pieces.iter().take_while(|&&piece| piece < self.first_new()) {
            let kept = |bond: &&Bond| bond.a == piece && !self.is_touched[bond.b as usize];
            bonds.extend(self.parent.bonds.of(piece).iter().filter(kept).map(|bond| places.moved(bond)));
        }
        let list: Vec<Arc<Piece>> = pieces.iter().map(|&piece| self.piece(piece).clone()).collect();
        let colour = Some(self.colour(pieces[0])).filter(|&colour| colour != FAR);
        let compound = Compound::assemble(Pieces::new(list), Bonds::new(&bonds), self.planes.end);
        Fragment { compound, colour, exposed: part.exposed }
    }
}

/// What a fragment gets besides its pieces.
#[derive(Default)]
struct Part {
    bonds: Vec<Bond>,
    exposed: Vec<Exposed>,
}

/// Enough fragments that a task is worth its while.
const FRAGMENTS_A_TASK: usize = 32;
