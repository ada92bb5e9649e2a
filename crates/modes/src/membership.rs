//! How much a place belongs to each piece (Section 3.6 of the paper).
//!
//! Cells belong to one piece. One step of diffusion makes that a matter of degree (Eq. 24), and a place has the mean of the cells near it. The piece
//! that a place belongs to most has a smooth border.

use glam::DVec3;

use crate::nearest::Nearest;
use crate::spread::spread;
use crate::{CellGraph, Partition};

/// How much something belongs to each piece, for those it belongs to at all, by rising index.
pub(crate) type Degrees = Vec<(u32, f64)>;

/// Less is nothing.
const LEAST: f64 = 1e-3;
/// How far the cells are that a place asks, in spacings.
const REACH: f64 = 1.3;

/// How much each cell belongs to each piece, and so any place.
pub(crate) struct Membership {
    cells: Nearest,
    of_cells: Vec<Degrees>,
    reach: f64,
}

impl Membership {
    /// Smooths over a length; `spacing` is how far apart cells are.
    pub fn new(graph: &CellGraph, pieces: &Partition, length: f64, spacing: f64) -> Membership {
        let mut of_cells = vec![Degrees::new(); graph.cells().len()];
        let panels = spread(graph, pieces, &vec![1.0; pieces.count()], length);
        for (panel, degrees) in panels.iter().enumerate() {
            for (of_cell, row) in of_cells.iter_mut().zip(degrees) {
                let of_panel = (panel as u32 * 8..).zip(row).filter(|(_, degree)| **degree > LEAST);
                of_cell.extend(of_panel.map(|(piece, degree)| (piece, *degree)));
            }
        }
        let centres = graph.cells().iter().map(|cell| cell.centre).collect();
        Membership { cells: Nearest::new(centres), of_cells, reach: spacing * REACH }
    }

    /// How much a place belongs to each piece: the mean of the cells in reach, or as the nearest.
    pub fn at(&self, place: DVec3) -> Degrees {
        let mut near: Vec<(u32, f64)> = Vec::new();
        self.cells.within(place, self.reach, |cell, squared| {
            let nearness = 1.0 - squared / (self.reach * self.reach);
            near.push((cell, nearness * nearness));
        });
        // In order, so that sums do not depend on how the search goes.
        near.sort_unstable_by_key(|&(cell, _)| cell);
        let weight: f64 = near.iter().map(|(_, weight)| weight).sum();
        if weight <= LEAST {
            let nearest = self.cells.find(place, |_| true);
            return nearest.map_or(Degrees::new(), |cell| self.of_cells[cell as usize].clone());
        }
        let mut all: Degrees = Vec::new();
        for (cell, share) in near {
            let of_cell = self.of_cells[cell as usize].iter();
            all.extend(of_cell.map(|&(piece, degree)| (piece, degree * share / weight)));
        }
        all.sort_by_key(|&(piece, _)| piece);
        all.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.iter().map(|x| x.1).sum())).collect()
    }
}
