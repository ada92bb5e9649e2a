//! Step 2: the pieces that an impact reaches.

use super::Impact;
use crate::{Compound, Piece};

/// The pieces that the impact reaches, and all ghosts in them, in order: what is cut must be cut with what it has in
/// common with others.
pub(crate) fn touched_pieces(compound: &Compound, impact: &Impact) -> Vec<u32> {
    let piece = |index: u32| &compound.pieces[index as usize];
    let near = compound.pieces.near(impact.point, impact.radius);
    let mut touched: Vec<u32> =
        near.filter(|&p| !piece(p).is_ghost() && is_touched(piece(p), impact)).collect();
    if compound.pieces.have_ghosts() {
        let bonds = touched.iter().flat_map(|&p| compound.bonds.of(p));
        let ghosts: Vec<u32> = bonds.filter(|bond| bond.is_overlap()).map(|bond| bond.b).collect();
        touched.extend(ghosts);
        touched.sort_unstable();
        touched.dedup();
    }
    touched
}

/// Whether the impact reaches a piece.
pub(crate) fn is_touched(piece: &Piece, impact: &Impact) -> bool {
    impact.radius.is_infinite()
        || (piece.bounds().distance_squared(impact.point) <= impact.radius * impact.radius
            && piece.convex().depth(impact.point) <= impact.radius)
}
