//! Step 7: a fragment for all that hangs together.

use std::sync::Arc;

use crate::compound::islands;
use crate::{Bond, Compound, Cut, Piece};

/// An edge of a piece that a fracture has laid open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposed {
    /// The piece, as an index into the fragment's pieces.
    pub piece: u32,
    /// The cut that made the edge.
    pub cut: Cut,
    /// How much of it is open.
    pub length: f64,
}

/// A compound that a fracture has just made.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Its pieces and bonds.
    pub compound: Compound,
    /// The colour of its cells; `None` for what lies beyond the impact.
    pub colour: Option<u32>,
    /// The edges newly laid open.
    pub exposed: Vec<Exposed>,
}

/// Deals pieces, bonds and what is open to a fragment each for what hangs together, in order of first pieces.
pub(crate) fn fragments(
    pieces: &[Arc<Piece>],
    bonds: Vec<Bond>,
    exposed: Vec<Exposed>,
    colour: impl Fn(u32) -> Option<u32>,
    next_line: u64,
) -> Vec<Fragment> {
    let islands = islands(pieces.len(), bonds.iter());
    // The fragment of each piece, and its index there.
    let mut place = vec![(0u32, 0u32); pieces.len()];
    for (fragment, island) in (0..).zip(&islands) {
        (0..).zip(island).for_each(|(index, &piece)| place[piece as usize] = (fragment, index));
    }
    let mut bonds_of: Vec<Vec<Bond>> = vec![Vec::new(); islands.len()];
    for bond in bonds {
        let (fragment, a) = place[bond.a as usize];
        bonds_of[fragment as usize].push(Bond { a, b: place[bond.b as usize].1, ..bond });
    }
    let mut exposed_of: Vec<Vec<Exposed>> = vec![Vec::new(); islands.len()];
    for open in exposed {
        let (fragment, piece) = place[open.piece as usize];
        exposed_of[fragment as usize].push(Exposed { piece, ..open });
    }
    let parts = islands.into_iter().zip(bonds_of).zip(exposed_of);
    let fragment = |((island, bonds), mut exposed): ((Vec<u32>, Vec<Bond>), Vec<Exposed>)| {
        exposed.sort_unstable_by(|x, y| {
            (x.piece, x.cut).cmp(&(y.piece, y.cut)).then(x.length.total_cmp(&y.length))
        });
        let own = island.iter().map(|&piece| pieces[piece as usize].clone()).collect();
        let compound = Compound::assemble(own, bonds, next_line);
        Fragment { compound, colour: colour(island[0]), exposed }
    };
    parts.map(fragment).collect()
}
