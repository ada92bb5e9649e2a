//! Compounds as they are saved: what cannot be computed again. What is read is not trusted.

use glam::DVec2;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Bond, Compound, Convex, Cut, Edge, Line, LineId, Piece, Side};

/// Why what was saved is no compound.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SavedError {
    /// There are no pieces.
    #[error("the saved compound has no pieces")]
    Empty,
    /// A piece is no convex with an area.
    #[error("piece {0} of the saved compound is no convex: its numbers are damaged")]
    Piece(usize),
    /// A bond is between pieces that are not there, or is not one.
    #[error("bond {0} of the saved compound joins nothing: its numbers are damaged")]
    Bond(usize),
}

/// A compound as it is saved.
#[derive(Serialize, Deserialize)]
pub(crate) struct Saved {
    /// By piece: the edges.
    pieces: Vec<Vec<SavedEdge>>,
    bonds: Vec<SavedBond>,
    next_line: u64,
}

/// Where it starts, its line's normal and offset, and its mark: zero for none, or one more than its number, negative in front of the line.
type SavedEdge = (DVec2, DVec2, f64, i64);

/// Both pieces, the line, the length and the middle.
type SavedBond = (u32, u32, u64, f64, DVec2);

impl From<Compound> for Saved {
    fn from(compound: Compound) -> Saved {
        let bond = |bond: &Bond| (bond.a, bond.b, bond.id.number(), bond.length, bond.middle);
        Saved {
            pieces: compound
                .pieces()
                .iter()
                .map(|p| p.convex().edges().iter().map(saved).collect())
                .collect(),
            bonds: compound.bonds().iter().map(bond).collect(),
            next_line: compound.next_line(),
        }
    }
}

impl TryFrom<Saved> for Compound {
    type Error = SavedError;

    fn try_from(saved: Saved) -> Result<Compound, SavedError> {
        if saved.pieces.is_empty() {
            return Err(SavedError::Empty);
        }
        let pieces = saved.pieces.iter().enumerate();
        let pieces =
            pieces.map(|(index, edges)| piece(edges, saved.next_line).ok_or(SavedError::Piece(index)));
        let pieces = pieces.collect::<Result<Vec<Piece>, _>>()?;
        let count = pieces.len() as u32;
        let bonds = saved.bonds.iter().enumerate().map(|(index, &(a, b, id, length, middle))| {
            let is_sound = a < count && b < count && a != b && length >= 0.0 && length.is_finite();
            let bond = Bond { a, b, id: LineId::new(id), length, middle };
            (is_sound && middle.is_finite()).then_some(bond).ok_or(SavedError::Bond(index))
        });
        let bonds = bonds.collect::<Result<Vec<Bond>, _>>()?;
        let pieces = pieces.into_iter().map(std::sync::Arc::new).collect();
        Ok(Compound::assemble(pieces, bonds, saved.next_line))
    }
}

/// The edges of a piece by itself.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedPiece(Vec<SavedEdge>);

impl From<Piece> for SavedPiece {
    fn from(piece: Piece) -> SavedPiece {
        SavedPiece(piece.convex().edges().iter().map(saved).collect())
    }
}

impl TryFrom<SavedPiece> for Piece {
    type Error = SavedError;

    fn try_from(SavedPiece(edges): SavedPiece) -> Result<Piece, SavedError> {
        piece(&edges, u64::MAX).ok_or(SavedError::Piece(0))
    }
}

fn saved(edge: &Edge) -> SavedEdge {
    let mark = |cut: Cut| {
        let number = cut.id().number() as i64 + 1;
        if cut.side() == Side::Front { -number } else { number }
    };
    (edge.start, edge.line.normal, edge.line.offset, edge.cut.map_or(0, mark))
}

fn piece(edges: &[SavedEdge], next_line: u64) -> Option<Piece> {
    let edge = |&(start, normal, offset, mark): &SavedEdge| {
        let is_finite = start.is_finite() && normal.is_finite() && offset.is_finite();
        let side = if mark < 0 { Side::Front } else { Side::Behind };
        let number = mark.unsigned_abs().checked_sub(1);
        let is_known = number.is_none_or(|number| number < next_line);
        let cut = number.map(|number| Cut::new(LineId::new(number), side));
        (is_finite && is_known).then_some(Edge { start, line: Line::new(normal, offset), cut })
    };
    let edges = edges.iter().map(edge).collect::<Option<Vec<Edge>>>()?;
    let piece = Piece::new(Convex::from_edges(edges));
    let mass = piece.mass();
    (mass.area > 0.0 && mass.inertia.is_finite() && mass.center.is_finite()).then_some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Uniform;
    use crate::{Aabb, FractureOptions, Impact, Shape, fracture};

    #[test]
    fn what_is_read_is_what_was_saved_to_the_bit() {
        let whole = Compound::from_shape(&Shape::new(&Aabb::square(1.0).corners(), &[]).unwrap());
        let pattern = Uniform { cells: 9, ..Uniform::default() }.pattern().unwrap();
        let impact = Impact::at(DVec2::splat(0.1));
        let broken =
            fracture(&whole, &pattern.coloured(|_| 0), &impact, &FractureOptions::default()).unwrap();
        let before = &broken.fragments[0].compound;
        let bytes = postcard::to_stdvec(before).unwrap();
        let after: Compound = postcard::from_bytes(&bytes).unwrap();
        assert_eq!((before.pieces(), before.bonds()), (after.pieces(), after.bonds()));
        assert_eq!((before.mass(), before.next_line()), (after.mass(), after.next_line()));
    }

    #[test]
    fn damage_is_named() {
        let whole = Compound::from_shape(&Shape::new(&Aabb::square(1.0).corners(), &[]).unwrap());
        let saved = || Saved::from(whole.clone());
        let error = |saved: Saved| Compound::try_from(saved).unwrap_err();
        assert_eq!(error(Saved { pieces: Vec::new(), ..saved() }), SavedError::Empty);
        let mut flat = saved();
        flat.pieces[0].iter_mut().for_each(|edge| edge.0.y = 0.0);
        assert_eq!(error(flat), SavedError::Piece(0));
        let lone = Saved { bonds: vec![(0, 7, 0, 1.0, DVec2::ZERO)], ..saved() };
        assert_eq!(error(lone), SavedError::Bond(0));
    }
}
