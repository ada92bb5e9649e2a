//! Steps 3 and 5: pieces cut by cells, and welded where they fill one.

use std::sync::Arc;

use rayon::prelude::*;

use super::Dropped;
use super::align::{Aligned, AlignedCell};
use crate::convex::{area_of, clip_edges};
use crate::{Convex, Edge, Halfplane, Piece, Side, Tolerance};

/// What of a piece lies in a cell.
pub(super) struct Cutting {
    pub cell: u32,
    pub piece: Arc<Piece>,
}

/// Enough pieces that a task is worth its while.
const PIECES_A_TASK: usize = 256;
/// Enough pieces that it is worth to wake other threads.
const MANY_PIECES: usize = 2048;

/// Cuts pieces by all cells, in order of cells, then of pieces.
pub(super) fn cut_all(
    touched: &[&Arc<Piece>],
    aligned: &Aligned,
    tolerance: &Tolerance,
    dropped: &mut Dropped,
) -> Vec<Cutting> {
    let of_task = |pieces: &[&Arc<Piece>]| {
        let mut knife = Knife { sliver: tolerance.area(), ..Knife::default() };
        pieces.iter().for_each(|piece| knife.cut(piece, aligned));
        (knife.cuttings, knife.dropped)
    };
    let tasks: Vec<(Vec<Cutting>, Dropped)> = if touched.len() > MANY_PIECES {
        touched.par_chunks(PIECES_A_TASK).map(of_task).collect()
    } else {
        touched.chunks(PIECES_A_TASK).map(of_task).collect()
    };
    let mut cuttings = Vec::with_capacity(tasks.iter().map(|task| task.0.len()).sum());
    for (of_task, lost) in tasks {
        dropped.count += lost.count;
        dropped.area += lost.area;
        cuttings.extend(of_task);
    }
    cuttings.sort_by_key(|cutting| cutting.cell);
    cuttings
}

/// Cuts pieces, one after the other, with the same two buffers.
#[derive(Default)]
struct Knife {
    cuttings: Vec<Cutting>,
    dropped: Dropped,
    sliver: f64,
    edges: Vec<Edge>,
    clipped: Vec<Edge>,
    straddled: Vec<Halfplane>,
}

impl Knife {
    fn cut(&mut self, piece: &Arc<Piece>, aligned: &Aligned) {
        for cell in aligned.grid.near(piece.bounds(), &aligned.cells) {
            if !self.meets(piece, &aligned.cells[cell as usize]) {
                continue;
            }
            if self.straddled.is_empty() {
                self.cuttings.push(Cutting { cell, piece: piece.clone() });
                return;
            }
            self.clip(piece);
            let area = area_of(&self.edges);
            if area > self.sliver {
                let convex = Convex::from_edges(self.edges.as_slice().to_vec());
                self.cuttings.push(Cutting { cell, piece: Arc::new(Piece::new(convex)) });
            } else if !self.edges.is_empty() {
                self.dropped.count += 1;
                self.dropped.area += area;
            }
        }
    }

    /// Whether a piece is not wholly outside a cell; then `straddled` has the lines that cut it.
    fn meets(&mut self, piece: &Piece, cell: &AlignedCell) -> bool {
        self.straddled.clear();
        let (middle, reach) = (piece.bounds().center(), piece.bounds().size() * 0.5);
        for halfplane in &cell.halfplanes {
            let line = &halfplane.line;
            let (near, room) = (line.distance(middle), line.normal.abs().dot(reach));
            // The box decides for most; where it does not, corners do.
            let of_box = [near - room > 0.0, near + room <= 0.0];
            let is_inside = |corner| line.side(corner) == halfplane.side;
            let (mut all, mut any) = match of_box {
                [true, _] => (halfplane.side == Side::Front, halfplane.side == Side::Front),
                [_, true] => (halfplane.side == Side::Behind, halfplane.side == Side::Behind),
                _ => (true, false),
            };
            if of_box == [false, false] {
                for corner in piece.convex().corners() {
                    let inside = is_inside(corner);
                    all &= inside;
                    any |= inside;
                }
            }
            match (all, any) {
                (_, false) => return false,
                (false, true) => self.straddled.push(*halfplane),
                (true, true) => {}
            }
        }
        true
    }

    /// Leaves in `edges` what the lines leave of a piece.
    fn clip(&mut self, piece: &Piece) {
        self.edges.clear();
        self.edges.extend_from_slice(piece.convex().edges());
        for halfplane in &self.straddled {
            clip_edges(&self.edges, halfplane, &mut self.clipped);
            std::mem::swap(&mut self.edges, &mut self.clipped);
        }
    }
}

/// How well pieces must fill a cell to become one, relative to its area.
const FILLED: f64 = 1e-10;

/// Makes one piece, of the cell's shape, of those that fill a cell. Says of how many cells.
pub(super) fn weld(cuttings: &mut Vec<Cutting>, aligned: &Aligned) -> usize {
    let is_filled = |run: &[Cutting]| {
        let cell = &aligned.cells[run[0].cell as usize];
        let area: f64 = run.iter().map(|cutting| cutting.piece.mass().area).sum();
        run.len() > 1 && cell.colour.is_some() && area >= cell.area * (1.0 - FILLED)
    };
    let filled: Vec<u32> = cuttings
        .chunk_by(|a, b| a.cell == b.cell)
        .filter(|run| is_filled(run))
        .map(|run| run[0].cell)
        .collect();
    let mut open = filled.iter().copied().peekable();
    let mut last = None;
    cuttings.retain_mut(|cutting| {
        while open.peek().is_some_and(|&cell| cell < cutting.cell) {
            open.next();
        }
        if open.peek() != Some(&cutting.cell) {
            return true;
        }
        let is_first = last.replace(cutting.cell) != Some(cutting.cell);
        if is_first {
            let convex = aligned.cells[cutting.cell as usize].convex.clone();
            cutting.piece = Arc::new(Piece::new(convex));
        }
        is_first
    });
    filled.len()
}
