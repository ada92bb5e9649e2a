//! Where a body breaks by nature, and which of its pieces a strike parts (Sections 3.3 and 3.4 of the paper).
//!
//! What is known of a body when it is made goes with it and with all its fragments: the centres of its cells, the piece of each, and the table of
//! impacts. So a fragment breaks again along the modes restricted to it, and so does what another fracture has cut.

use std::time::Instant;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use smithereens::{Bond, Compound, Fracture, Piece, Report};

use crate::nearest::Nearest;
use crate::{Blow, Cells, ImpactTable, ModesError, Pieces, Projection};

/// A blow on a body, in the coordinates of its compound.
///
/// Only impulse over density and threshold counts: twice the impulse is half the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strike {
    /// Where.
    pub point: DVec3,
    /// How hard and in which direction, in newton seconds.
    pub impulse: DVec3,
    /// What the solid weighs, in kilograms a cubic metre.
    pub density: f64,
    /// How much the velocities of two pieces must differ to part them, in metres a second.
    pub threshold: f64,
    /// What is farther away than this stays together, in metres. Infinite: all may break.
    pub radius: f64,
    /// What the blow is projected onto.
    pub projection: Projection,
}

/// Where a body breaks by nature.
#[derive(Clone, Debug, PartialEq)]
pub struct Weakness {
    cells: Nearest,
    /// The piece of each cell.
    piece_of_cell: Vec<u32>,
    /// Cells that can be hit: the table has a column for each.
    contacts: Nearest,
    contact_cells: Vec<u32>,
    table: ImpactTable,
    /// The piece of each piece of the compound it was made with, by the bits of its centre; sorted.
    known: Vec<([u64; 3], u32)>,
    volume: f64,
}

impl Weakness {
    /// What is known of a body of these cells, whose compound's pieces lie in one of `pieces` each, as `piece_of` tells.
    pub(crate) fn new(
        cells: &Cells,
        pieces: &Pieces,
        (table, contact_cells): (ImpactTable, Vec<u32>),
        compound: &Compound,
        piece_of: &[u32],
    ) -> Weakness {
        let centres: Vec<DVec3> = cells.graph().cells().iter().map(|cell| cell.centre).collect();
        let contacts = contact_cells.iter().map(|&cell| centres[cell as usize]).collect();
        let name = |(piece, &of): (&std::sync::Arc<Piece>, &u32)| (bits(piece), of);
        let mut known: Vec<([u64; 3], u32)> = compound.pieces().iter().zip(piece_of).map(name).collect();
        known.sort_unstable();
        Weakness {
            cells: Nearest::new(centres),
            piece_of_cell: pieces.partition.of_cells().to_vec(),
            contacts: Nearest::new(contacts),
            contact_cells,
            table,
            known,
            volume: cells.graph().volume(),
        }
    }

    /// How many pieces it can come apart into.
    pub fn pieces(&self) -> usize {
        self.table.pieces()
    }

    /// The volume of the whole body, in cubic metres: an impulse of this times density times threshold would make all of it that fast.
    pub fn volume(&self) -> f64 {
        self.volume
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
    pub fn piece_at(&self, place: DVec3) -> u32 {
        self.cells.find(place, |_| true).map_or(0, |cell| self.piece_of_cell[cell as usize])
    }

    /// Which pieces a strike leaves together: a number for each, as [`Weakness::piece_of`] names them. The nearest place of those in `is_there` is hit.
    pub fn strike(&self, strike: &Strike, is_there: impl Fn(u32) -> bool) -> Result<Vec<u32>, ModesError> {
        if !strike.point.is_finite() || strike.radius.is_nan() || strike.radius <= 0.0 {
            return Err(ModesError::Impact);
        }
        let is_there =
            |contact: u32| is_there(self.piece_of_cell[self.contact_cells[contact as usize] as usize]);
        let found =
            self.contacts.find(strike.point, is_there).or_else(|| self.contacts.find(strike.point, |_| true));
        let cell =
            found.map(|contact| self.contact_cells[contact as usize]).ok_or(ModesError::NoContact(0))?;
        let blow =
            Blow { cell, impulse: strike.impulse, density: strike.density, threshold: strike.threshold };
        Ok(self.table.strike(&blow, strike.projection)?.fragments.of_cells().to_vec())
    }

    /// Breaks a body, or a fragment of it: its pieces come apart along bonds, nothing is cut.
    pub fn fracture(&self, compound: &Compound, strike: &Strike) -> Result<Fracture, ModesError> {
        let start = Instant::now();
        let of: Vec<u32> = compound.pieces().iter().map(|piece| self.piece_of(piece)).collect();
        let mut is_there = vec![false; self.pieces()];
        of.iter().for_each(|&piece| is_there[piece as usize] = true);
        let together = self.strike(strike, |piece| is_there[piece as usize])?;
        let label = |piece: u32| together[of[piece as usize] as usize];
        let is_near = |bond: &Bond| bond.centroid.distance(strike.point) <= strike.radius;
        let fragments = compound.split_where(|bond| label(bond.a) != label(bond.b) && is_near(bond));
        let mut report = Report { fragments: fragments.len(), pieces: of.len(), ..Report::default() };
        report.touched = if fragments.len() > 1 { of.len() } else { 0 };
        report.exposed = fragments.iter().map(|fragment| fragment.exposed.len()).sum();
        report.exposed_area = fragments.iter().flat_map(|fragment| &fragment.exposed).map(|e| e.area).sum();
        report.times.gather = start.elapsed();
        Ok(Fracture { fragments, report })
    }
}

fn bits(piece: &Piece) -> [u64; 3] {
    piece.mass().center.to_array().map(f64::to_bits)
}

/// What of it is saved; the rest follows.
#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    centres: Vec<[f64; 3]>,
    piece_of_cell: Vec<u32>,
    contact_cells: Vec<u32>,
    table: ImpactTable,
    known: Vec<([u64; 3], u32)>,
    volume: f64,
}

const VERSION: u32 = 1;

impl Weakness {
    /// All of it as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModesError> {
        let saved = Saved {
            version: VERSION,
            centres: self.cells.points().iter().map(|point| point.to_array()).collect(),
            piece_of_cell: self.piece_of_cell.clone(),
            contact_cells: self.contact_cells.clone(),
            table: self.table.clone(),
            known: self.known.clone(),
            volume: self.volume,
        };
        postcard::to_stdvec(&saved).map_err(|_| ModesError::Damaged)
    }

    /// What the bytes were made from, to the bit. Bytes from elsewhere are not trusted: what they refer to is there, or they are refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weakness, ModesError> {
        let saved: Saved = postcard::from_bytes(bytes).map_err(|_| ModesError::Damaged)?;
        let centres: Vec<DVec3> = saved.centres.iter().map(|&point| DVec3::from(point)).collect();
        if !saved.is_sound() || !centres.iter().all(|centre| centre.is_finite()) {
            return Err(ModesError::Damaged);
        }
        let contacts = saved.contact_cells.iter().map(|&cell| centres[cell as usize]).collect();
        Ok(Weakness {
            cells: Nearest::new(centres),
            piece_of_cell: saved.piece_of_cell,
            contacts: Nearest::new(contacts),
            contact_cells: saved.contact_cells,
            table: saved.table,
            known: saved.known,
            volume: saved.volume,
        })
    }
}

impl Saved {
    fn is_sound(&self) -> bool {
        let (cells, pieces) = (self.centres.len(), self.table.pieces() as u32);
        let is_piece = |piece: &u32| *piece < pieces;
        self.version == VERSION
            && self.piece_of_cell.len() == cells
            && self.piece_of_cell.iter().all(is_piece)
            && self.known.iter().all(|(_, piece)| is_piece(piece))
            && self.known.is_sorted()
            && self.contact_cells.iter().all(|&cell| (cell as usize) < cells)
            && self.volume.is_finite()
            && self.table.is_sound(&self.contact_cells)
    }
}
