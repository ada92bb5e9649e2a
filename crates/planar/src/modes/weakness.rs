//! Where a body breaks by nature, and which of its pieces a strike parts.
//!
//! What is known of a body when it is made holds for all its fragments: the centres of its cells, the piece of each, and the table of impacts. So a
//! fragment breaks again along the modes restricted to it, and so does what another fracture has cut.

use glam::DVec2;
use serde::{Deserialize, Serialize};
use smithereens_modes::{Blow, ImpactTable, ModesError, Pieces, Projection};

use super::Cells;
use crate::{Compound, Fragment, Piece};

/// A blow on a body, in the coordinates of its compound.
///
/// Only impulse over density and threshold counts: twice the impulse is half the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strike {
    /// Where.
    pub point: DVec2,
    /// How hard and in which direction, in newton seconds.
    pub impulse: DVec2,
    /// What the shape weighs, in kilograms a square metre.
    pub density: f64,
    /// How much the velocities of two pieces must differ to part them, in metres a second.
    pub threshold: f64,
    /// What is farther away than this stays together, in metres. Infinite: all may break.
    pub radius: f64,
    /// What the blow is projected onto.
    pub projection: Projection,
}

/// Where a body breaks by nature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Weakness {
    /// The centre and the piece of each cell.
    cells: Vec<(DVec2, u32)>,
    /// Cells that can be hit: the table has a column for each.
    contacts: Vec<u32>,
    table: ImpactTable,
    /// The piece of each piece of the compound it was made with, by the bits of its centre; sorted.
    known: Vec<([u64; 2], u32)>,
}

impl Weakness {
    /// What is known of a body of these cells, whose compound's pieces lie in one of `pieces` each.
    pub(super) fn new(
        cells: &Cells,
        pieces: &Pieces,
        table: ImpactTable,
        (compound, group_of): (&Compound, &[u32]),
    ) -> Weakness {
        let centres = cells.graph().cells().iter().map(|cell| cell.centre.truncate());
        let mut known: Vec<([u64; 2], u32)> =
            compound.pieces().iter().zip(group_of).map(|(piece, &group)| (bits(piece), group)).collect();
        known.sort_unstable();
        let cells_of = centres.zip(pieces.partition.of_cells().iter().copied());
        Weakness { cells: cells_of.collect(), contacts: cells.on_border().to_vec(), table, known }
    }

    /// How many pieces it can come apart into.
    pub fn pieces(&self) -> usize {
        self.table.pieces()
    }

    /// The piece that holds a piece of a compound: the body's own, of a fragment, or cut from one.
    pub fn piece_of(&self, piece: &Piece) -> u32 {
        let name = bits(piece);
        match self.known.binary_search_by_key(&name, |known| known.0) {
            Ok(index) => self.known[index].1,
            Err(_) => self.piece_at(piece.mass().center),
        }
    }

    /// The piece at a place, or the nearest.
    pub fn piece_at(&self, place: DVec2) -> u32 {
        let nearest = self.cells.iter().min_by(|a, b| by_distance(place, a.0, b.0));
        nearest.map_or(0, |cell| cell.1)
    }

    /// Which pieces a strike leaves together: a number for each, as [`Weakness::piece_of`] names them. The nearest border of those in `is_there` is hit.
    pub fn strike(&self, strike: &Strike, is_there: impl Fn(u32) -> bool) -> Result<Vec<u32>, ModesError> {
        if !strike.point.is_finite() || strike.radius.is_nan() || strike.radius <= 0.0 {
            return Err(ModesError::Impact);
        }
        let centre = |cell: u32| self.cells[cell as usize].0;
        let nearest = |is_wanted: &dyn Fn(u32) -> bool| {
            let wanted = self.contacts.iter().copied().filter(|&cell| is_wanted(self.cells[cell as usize].1));
            wanted.min_by(|&a, &b| by_distance(strike.point, centre(a), centre(b)))
        };
        let cell = nearest(&is_there).or_else(|| nearest(&|_| true)).ok_or(ModesError::NoContact(0))?;
        let (density, threshold) = (strike.density, strike.threshold);
        let blow = Blow { cell, impulse: strike.impulse.extend(0.0), density, threshold };
        Ok(self.table.strike(&blow, strike.projection)?.fragments.of_cells().to_vec())
    }

    /// Breaks a body, or a fragment of it: its pieces come apart along bonds, nothing is cut.
    pub fn fracture(&self, compound: &Compound, strike: &Strike) -> Result<Vec<Fragment>, ModesError> {
        let of: Vec<u32> = compound.pieces().iter().map(|piece| self.piece_of(piece)).collect();
        let mut is_there = vec![false; self.pieces()];
        of.iter().for_each(|&piece| is_there[piece as usize] = true);
        let together = self.strike(strike, |piece| is_there[piece as usize])?;
        let label = |piece: u32| together[of[piece as usize] as usize];
        let is_near = |middle: DVec2| middle.distance(strike.point) <= strike.radius;
        Ok(compound.split_where(|bond| label(bond.a) != label(bond.b) && is_near(bond.middle)))
    }
}

/// A weakness as it is saved. What is read is not trusted: what it refers to is there, or it is refused.
#[derive(Serialize, Deserialize)]
struct Saved {
    cells: Vec<(DVec2, u32)>,
    contacts: Vec<u32>,
    table: ImpactTable,
    known: Vec<([u64; 2], u32)>,
}

impl From<Weakness> for Saved {
    fn from(Weakness { cells, contacts, table, known }: Weakness) -> Saved {
        Saved { cells, contacts, table, known }
    }
}

impl TryFrom<Saved> for Weakness {
    type Error = ModesError;

    fn try_from(Saved { cells, contacts, table, known }: Saved) -> Result<Weakness, ModesError> {
        let pieces = table.pieces() as u64;
        let is_piece = |piece: u32| u64::from(piece) < pieces;
        let is_sound = table.is_sound(&contacts)
            && cells.iter().all(|cell| cell.0.is_finite() && is_piece(cell.1))
            && contacts.iter().all(|&cell| (cell as usize) < cells.len())
            && known.iter().all(|known| is_piece(known.1))
            && known.is_sorted();
        if is_sound { Ok(Weakness { cells, contacts, table, known }) } else { Err(ModesError::Damaged) }
    }
}

fn by_distance(place: DVec2, a: DVec2, b: DVec2) -> std::cmp::Ordering {
    a.distance_squared(place).total_cmp(&b.distance_squared(place))
}

fn bits(piece: &Piece) -> [u64; 2] {
    piece.mass().center.to_array().map(f64::to_bits)
}
