//! What stays of a compound: the compound itself, with the pieces that are gone replaced.
//!
//! New pieces take the places of gone ones. Places left over are filled from the end of the list. So untouched pieces keep
//! their index, and the bonds among them stay as they are, shared with the compound.

use super::fragments::Places;
use super::gather::Gathering;
use crate::bonds::{Held, held_twice};
use crate::{Bond, Compound};

/// How the rest is made.
pub(crate) struct Rest {
    /// How many pieces it has.
    len: usize,
    /// Places that are filled, in order, and the pieces that fill them.
    pub filled: Vec<(u32, u32)>,
}

impl Rest {
    /// Finds places for the `new` pieces of the rest.
    pub fn new(gathering: &Gathering, new: &[u32], others: &[Vec<u32>], places: &Places) -> Rest {
        let before = gathering.first_new();
        let old = |pieces: &&u32| **pieces < before;
        let mut gone: Vec<u32> =
            others.iter().flat_map(|pieces| pieces.iter().take_while(old)).copied().collect();
        gone.extend(&gathering.touched);
        gone.sort_unstable();
        let len = before + new.len() as u32 - gone.len() as u32;
        let is_left = |&piece: &u32| !gathering.is_touched[piece as usize] && places.is_in_rest(piece);
        let free = gone.into_iter().take_while(|&place| place < len).chain(before..len);
        let fill = new.iter().copied().chain((len..before).filter(is_left));
        Rest { len: len as usize, filled: free.zip(fill).collect() }
    }

    /// Makes the rest. `near` are the untouched pieces that lost bonds; `new_bonds` name pieces by their places.
    pub fn compound(
        &self,
        gathering: &Gathering,
        near: &[u32],
        new_bonds: &[Bond],
        places: &Places,
    ) -> Compound {
        let parent = &gathering.parent;
        let piece = |&(place, piece): &(u32, u32)| (place, gathering.piece(piece).clone());
        let pieces = parent.pieces.edited(self.len, self.filled.iter().map(piece).collect());
        let changed = self.changed(gathering, near, places);
        let mut held: Vec<Held> = new_bonds.iter().flat_map(held_twice).collect();
        for &(place, piece) in changed.iter().filter(|(_, piece)| *piece < gathering.first_new()) {
            let kept = |bond: &&Bond| !gathering.is_touched[bond.other(piece) as usize];
            held.extend(parent.bonds.of(piece).iter().filter(kept).map(|bond| (place, places.moved(bond))));
        }
        let changed: Vec<u32> = changed.iter().map(|c| c.0).collect();
        let bonds = parent.bonds.edited(self.len, &changed, held);
        Compound::assemble(pieces, bonds, gathering.planes.end)
    }

    /// The places where bonds change, in order, and their pieces: new ones, moved ones, the neighbours of moved ones, and
    /// those that lost bonds.
    fn changed(&self, gathering: &Gathering, near: &[u32], places: &Places) -> Vec<(u32, u32)> {
        let is_in_rest = |&piece: &u32| places.is_in_rest(piece);
        let mut changed = self.filled.clone();
        for &(_, moved) in self.filled.iter().filter(|(_, piece)| *piece < gathering.first_new()) {
            let neighbours = gathering.parent.bonds.of(moved).iter().map(|bond| bond.other(moved));
            let left = neighbours.filter(|&piece| !gathering.is_touched[piece as usize]);
            changed.extend(left.map(|piece| (places.index(piece), piece)));
        }
        changed.extend(near.iter().copied().filter(is_in_rest).map(|piece| (places.index(piece), piece)));
        changed.sort_unstable();
        changed.dedup();
        changed
    }
}
