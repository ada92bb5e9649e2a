//! Step 3: touched pieces are cut by the cells, their skins with them, and the cuttings fitted.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::{
    CarvePlan, Carved, Carver, Clip, Convex, ConvexClipper, Fit, KnifeRack, Partition, Solid, Tolerance,
    Trimmer,
};

use crate::Piece;

/// A piece that a cell has cut out of a touched one.
#[derive(Clone, Debug)]
pub(crate) struct Cutting {
    pub cell: u32,
    pub piece: Arc<Piece>,
}

/// Pieces too small to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dropped {
    /// How many.
    pub count: usize,
    /// Their volume.
    pub volume: f64,
}

impl Dropped {
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

/// What cutting needs to know besides the piece.
pub(crate) struct CutContext<'a> {
    pub partition: &'a Partition,
    pub fit: Fit,
    pub tolerance: Tolerance,
    pub min_volume: f64,
    pub rack: KnifeRack,
}

impl CutContext<'_> {
    /// Cuts a piece, on all threads of the pool if its skin is large.
    pub fn cut(&self, piece: &Arc<Piece>) -> Cuttings {
        if let Some(cell) = self.only_cell(piece) {
            return Cuttings {
                cuttings: vec![Cutting { cell, piece: piece.clone() }],
                dropped: Dropped::default(),
            };
        }
        match piece.skin() {
            None => self.cut_interior(piece),
            Some(solid) => {
                let plan = CarvePlan::new(solid, self.partition);
                let carver = Carver { solid, partition: self.partition, plan: &plan };
                self.fit_all(piece, carver.run(&self.rack))
            }
        }
    }

    /// The cell that holds the whole piece, if one does.
    pub fn only_cell(&self, piece: &Piece) -> Option<u32> {
        let vertices = piece.convex().vertices();
        let cell = self.partition.cell_at(*vertices.first()?);
        let shape = &self.partition.cells[cell as usize];
        vertices.iter().all(|&v| shape.holds(v)).then_some(cell)
    }

    pub fn cut_interior(&self, piece: &Arc<Piece>) -> Cuttings {
        let mut clipper = ConvexClipper::default();
        let mut result = Cuttings::default();
        for cell in self.partition.cells_near(piece.bounds()) {
            let shape = &self.partition.cells[cell as usize];
            if !shape.bounds().overlaps(piece.bounds()) {
                continue;
            }
            let mut convex = piece.convex().clone();
            let gone = shape.halfspaces().iter().any(|h| clipper.clip(&mut convex, h) == Clip::Nothing);
            if !gone {
                self.keep(cell, Piece::interior(convex), &mut result);
            }
        }
        result
    }

    /// Fits a convex to every part that was carved from a piece.
    pub fn fit_all(&self, piece: &Piece, carved: Vec<(u32, Carved)>) -> Cuttings {
        let fitted: Vec<Vec<(u32, Piece)>> = carved
            .into_par_iter()
            .with_min_len(8)
            .map_init(Trimmer::default, |trimmer, (cell, carved)| {
                self.fit_cell(piece, cell, carved, trimmer).into_iter().map(|p| (cell, p)).collect()
            })
            .collect();
        let mut result = Cuttings::default();
        for (cell, piece) in fitted.into_iter().flatten() {
            self.keep(cell, piece, &mut result);
        }
        result
    }

    fn fit_cell(&self, piece: &Piece, cell: u32, carved: Carved, trimmer: &mut Trimmer) -> Vec<Piece> {
        let shape = self.partition.cells[cell as usize].convex();
        match carved {
            Carved::Nothing => Vec::new(),
            Carved::Whole => vec![Piece::interior(shape.clone())],
            Carved::Parts(parts) => {
                let fit = |part: Solid| {
                    let points = &part.mesh().positions;
                    start_with_intersection(trimmer, shape, piece.convex(), points[0]);
                    self.fit.tighten(trimmer, points, &self.tolerance);
                    Piece::surface(trimmer.finish(), part)
                };
                parts.into_iter().map(fit).collect()
            }
        }
    }

    fn keep(&self, cell: u32, piece: Piece, result: &mut Cuttings) {
        let volume = piece.mass().volume;
        if volume > self.min_volume {
            result.cuttings.push(Cutting { cell, piece: Arc::new(piece) });
        } else {
            result.dropped.add(Dropped { count: 1, volume });
        }
    }
}

/// Starts with the cell's shape as far as it is in the piece's. Where rounding leaves nothing, with the cell's shape.
fn start_with_intersection(trimmer: &mut Trimmer, cell: &Convex, piece: &Convex, inside: DVec3) {
    trimmer.start(cell, inside);
    let bounds = cell.bounds();
    let (middle, half) = (bounds.center(), bounds.size() * 0.5);
    for face in piece.faces() {
        let clear = face.plane.distance(middle) < -face.plane.normal.abs().dot(half);
        if !clear && trimmer.clip(&face.plane, face.cut, 0.0) == Clip::Nothing {
            return trimmer.start(cell, inside);
        }
    }
}
