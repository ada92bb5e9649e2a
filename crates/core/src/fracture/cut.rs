//! Step 3: touched pieces are cut by the cells, their skins with them.

use std::sync::Arc;

use rayon::prelude::*;
use smithereens_geometry::{
    Aabb, CarvePlan, Carved, Carver, Cell, Clip, ConvexClipper, Fit, Fitting, Halfspace, KnifeRack,
    Partition, Solid, SplitPlanes, Tightness, Tolerance,
};

use crate::Piece;

/// A piece that a cell has cut out of a touched one.
#[derive(Clone, Debug)]
pub(crate) struct Cutting {
    pub cell: u32,
    /// The touched piece; the first of them if several were welded.
    pub from: u32,
    pub piece: Arc<Piece>,
}

/// Pieces too small to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dropped {
    /// How many.
    pub count: usize,
    /// Their volume, what they had in common counted once.
    pub volume: f64,
}

impl Dropped {
    /// A ghost is no piece, but its volume counts.
    pub(crate) fn of(piece: &Piece) -> Dropped {
        Dropped { count: usize::from(!piece.is_ghost()), volume: piece.mass().volume }
    }

    pub(crate) fn add(&mut self, other: Dropped) {
        self.count += other.count;
        self.volume += other.volume;
    }
}

/// What became of one touched piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cuttings {
    pub cuttings: Vec<Cutting>,
    pub dropped: Dropped,
}

/// A touched piece, by its index.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub index: u32,
    pub piece: &'a Arc<Piece>,
    /// Which of the touched pieces it is.
    pub turn: usize,
}

/// What cutting needs to know besides the piece.
pub(crate) struct CutContext<'a> {
    pub partition: &'a Partition,
    pub fit: Fit,
    pub tolerance: Tolerance,
    pub min_volume: f64,
    /// The first identity for planes that split pieces within a cell.
    pub first_split: u64,
    pub rack: KnifeRack,
}

/// How many identities a touched piece needs for planes that split what is in a cell.
pub(crate) fn split_planes(partition: &Partition) -> u64 {
    partition.cells.len() as u64 * SplitPlanes::A_CELL
}

/// Cells a thread makes pieces of at a time.
const CELLS_A_TASK: usize = 32;

impl CutContext<'_> {
    /// Cuts a piece, on all threads of the pool if its skin is large.
    pub fn cut(&self, target: Target) -> Cuttings {
        if let Some(cell) = self.only_cell(target.piece) {
            let cutting = Cutting { cell, from: target.index, piece: target.piece.clone() };
            return Cuttings { cuttings: vec![cutting], dropped: Dropped::default() };
        }
        match target.piece.skin() {
            None => self.cut_interior(target),
            Some(solid) => {
                let plan = CarvePlan::new(solid, self.partition);
                self.take(target, self.carver(target, solid, &plan).run(&self.rack))
            }
        }
    }

    pub fn carver<'b>(&'b self, target: Target<'b>, solid: &'b Solid, plan: &'b CarvePlan) -> Carver<'b> {
        let tightness = match target.piece {
            piece if piece.fills_convex(&self.tolerance) => Tightness::Filled,
            // Nothing collides with a ghost.
            piece if piece.is_ghost() => Tightness::Loose,
            _ => Tightness::Fitted(self.fit),
        };
        let fitting = Fitting { tightness, around: target.piece.convex(), tolerance: self.tolerance };
        let first = self.first_split + target.turn as u64 * split_planes(self.partition);
        let split_planes = SplitPlanes::From(first);
        Carver { solid, partition: self.partition, plan, fitting: Some(fitting), split_planes }
    }

    /// The cell that holds the whole piece, if one does.
    pub fn only_cell(&self, piece: &Piece) -> Option<u32> {
        let vertices = piece.convex().vertices();
        let cell = self.partition.cell_at(*vertices.first()?);
        let shape = &self.partition.cells[cell as usize];
        vertices.iter().all(|&v| shape.holds(v)).then_some(cell)
    }

    fn cut_interior(&self, target: Target) -> Cuttings {
        let piece = target.piece;
        let mut clipper = ConvexClipper::default();
        let mut result = Cuttings::default();
        for cell in self.partition.cells_near(piece.bounds()) {
            let shape = &self.partition.cells[cell as usize];
            if !shape.bounds().overlaps(piece.bounds()) {
                continue;
            }
            let Some(near) = self.near(shape, piece.bounds()) else { continue };
            let mut convex = piece.convex().clone();
            let gone = near.into_iter().any(|h| clipper.clip(&mut convex, h) == Clip::Nothing);
            if !gone {
                self.keep(cell, target, Piece::interior(convex), &mut result);
            }
        }
        result
    }

    /// The planes of a cell that may cut what is in a box; nothing if one cuts all of it away. What is nearer than the tolerance is left to
    /// the side test.
    fn near<'b>(&self, cell: &'b Cell, bounds: &Aabb) -> Option<Vec<&'b Halfspace>> {
        let hair = self.tolerance.length();
        let mut near = Vec::with_capacity(cell.halfspaces().len());
        for halfspace in cell.halfspaces() {
            match halfspace.outward().range(bounds) {
                [least, _] if least > hair => return None,
                [_, most] if most < -hair => {}
                _ => near.push(halfspace),
            }
        }
        Some(near)
    }

    /// The pieces that were carved from a solid.
    pub fn take(&self, target: Target, carved: Vec<(u32, Carved)>) -> Cuttings {
        let pieces = |(cell, carved)| match carved {
            Carved::Nothing => Vec::new(),
            Carved::Whole => {
                let shape = self.partition.cells[cell as usize].convex();
                vec![(cell, Piece::interior(shape.clone()))]
            }
            Carved::Parts(parts) => parts.into_iter().map(|part| (cell, Piece::from(part))).collect(),
        };
        let pieces: Vec<Vec<(u32, Piece)>> =
            carved.into_par_iter().with_min_len(CELLS_A_TASK).map(pieces).collect();
        let mut result = Cuttings::default();
        for (cell, piece) in pieces.into_iter().flatten() {
            self.keep(cell, target, piece, &mut result);
        }
        result
    }

    /// Keeps what is no sliver. What cuttings have in common is kept as long as it is anything: it holds them together.
    fn keep(&self, cell: u32, target: Target, piece: Piece, result: &mut Cuttings) {
        let volume = piece.mass().volume;
        let least = if target.piece.is_ghost() { self.tolerance.volume() } else { self.min_volume };
        let piece = piece.cut_from(target.piece, &self.tolerance);
        if volume > least {
            result.cuttings.push(Cutting { cell, from: target.index, piece: Arc::new(piece) });
        } else {
            result.dropped.add(Dropped::of(&piece));
        }
    }
}
