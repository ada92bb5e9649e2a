//! Step 5: a cell that its cuttings fill becomes one piece with the cell's shape.

use std::sync::Arc;

use smithereens_geometry::{Partition, Tolerance};

use super::cut::Cutting;
use crate::Piece;

/// Welds cuttings, sorted by cell, of cells that they fill. What they have in common counts less, so that volumes
/// tell. A cell with a cutting that `is_held` by what was not touched stays as it is. Returns how many cells were
/// welded.
///
/// The volumes of the cells are those of the aligned cells: the determinant of the alignment is in them.
pub(crate) fn weld(
    partition: &Partition,
    cuttings: Vec<Cutting>,
    is_held: impl Fn(&Cutting) -> bool,
) -> (Vec<Cutting>, usize) {
    let mut welded = Vec::with_capacity(cuttings.len());
    let mut welds = 0;
    for group in cuttings.chunk_by(|a, b| a.cell == b.cell) {
        let cell = &partition.cells[group[0].cell as usize];
        let volume: f64 = group.iter().map(|c| c.piece.mass().volume).sum();
        let filled = (volume - cell.volume()).abs() <= cell.volume() * Tolerance::RELATIVE;
        if group.len() > 1 && filled && !group.iter().any(&is_held) {
            let piece = Arc::new(Piece::interior(cell.convex().clone()));
            welded.push(Cutting { piece, ..group[0] });
            welds += 1;
        } else {
            welded.extend_from_slice(group);
        }
    }
    (welded, welds)
}
