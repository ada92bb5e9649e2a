//! Where a solid may come apart: cut up so that every part belongs to one piece.
//!
//! Cells are parts already. Where faults are smoothed, or modes were found in a cage around the solid, it is cut anew, along the ordinary path of a fracture: the outside of every
//! part is the solid's own surface, whatever the pieces were found on.

use glam::DVec3;
use smithereens::pattern::Pattern;
use smithereens::{Compound, Dropped, Fit, FractureOptions, Solid};

use crate::cells::graph_of;
use crate::envelope::Envelope;
use crate::membership::Membership;
use crate::nearest::Nearest;
use crate::partition::Partition;
use crate::pieces::merge_slivers;
use crate::{CellGraph, Cells, ModesError};

/// How faults are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FaultMaking {
    /// Over how many cells they are smoothed; zero: not at all.
    pub smooth: f64,
    /// What is cut off a piece and is a smaller part of the volume than this goes to its neighbours.
    pub sliver: f64,
    /// Whether the cells are those of a cage around the solid.
    pub is_caged: bool,
}

/// A solid in parts that belong to one piece each.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    /// The parts and their bonds.
    pub compound: Compound,
    pub graph: CellGraph,
    /// The piece of each part.
    pub piece_of: Vec<u32>,
    /// What hangs together of a piece.
    pub bodies: Partition,
    pub dropped: Dropped,
}

impl Faults {
    /// Faults between pieces of the cells of a solid.
    pub fn new(
        solid: &Solid,
        cells: &Cells,
        pieces: &Partition,
        making: FaultMaking,
    ) -> Result<Faults, ModesError> {
        if making.smooth > 0.0 {
            Faults::smooth(solid, cells, pieces, making)
        } else if making.is_caged {
            Faults::through_cage(solid, cells, pieces, making)
        } else {
            Ok(Faults::along(cells, pieces))
        }
    }

    /// Along the faces of cells of a cage around the solid (Section 3.5).
    pub fn through_cage(
        solid: &Solid,
        cells: &Cells,
        pieces: &Partition,
        making: FaultMaking,
    ) -> Result<Faults, ModesError> {
        let pattern = cells.pattern(pieces.of_cells()).ok_or(ModesError::NoCells)?;
        let cell_at = cells.locator();
        Faults::cut(solid, &pattern, |part| pieces.of(cell_at(part) as usize) as u32, making)
    }

    /// Along the faces of the cells that modes were found on.
    fn along(cells: &Cells, pieces: &Partition) -> Faults {
        Faults {
            compound: cells.compound().clone(),
            graph: cells.graph().clone(),
            piece_of: pieces.of_cells().to_vec(),
            bodies: pieces.clone(),
            dropped: cells.dropped(),
        }
    }

    /// Smoothed (Section 3.6).
    fn smooth(
        solid: &Solid,
        cells: &Cells,
        pieces: &Partition,
        making: FaultMaking,
    ) -> Result<Faults, ModesError> {
        let spacing = spacing_of(cells.graph());
        let membership = Membership::new(cells.graph(), pieces, making.smooth * spacing, spacing);
        let envelope = Envelope::new(cells.compound(), &membership, spacing * CUBE);
        let pattern = envelope.pattern().ok_or(ModesError::NoCells)?;
        Faults::cut(solid, &pattern, |part| envelope.piece_at(part), making)
    }

    /// Cuts a solid by the cells of a pattern, each of which lies in one piece.
    fn cut(
        solid: &Solid,
        pattern: &Pattern,
        piece_at: impl Fn(DVec3) -> u32,
        making: FaultMaking,
    ) -> Result<Faults, ModesError> {
        let whole = Compound::from_solid(solid.clone(), Fit::Aabb);
        let options = FractureOptions { fit: Fit::Aabb, ..FractureOptions::default() };
        let cut = whole.cut_up(pattern, &options).map_err(|_| ModesError::NoCells)?;
        let graph = graph_of(&cut.compound)?;
        // A part lies in a convex cell, and so does its centre.
        let of_part: Vec<u32> = graph.cells().iter().map(|part| piece_at(part.centre)).collect();
        let edges: Vec<[u32; 2]> = graph.faces().iter().map(|face| face.cells).collect();
        let connected = Partition::connected(of_part.len(), &edges, |_, [a, b]| of_part[a] == of_part[b]);
        let bodies = merge_slivers(&graph, &connected, making.sliver);
        let compound = cut.compound;
        let faults = Faults { compound, graph, piece_of: of_part, bodies, dropped: cut.dropped };
        Ok(Faults { piece_of: faults.majority_in(&faults.bodies), ..faults })
    }

    /// The parts of each piece.
    pub fn pieces(&self) -> Partition {
        Partition::numbered(self.piece_of.iter().copied())
    }

    /// The group of the part that is nearest to each cell of the graph that modes were found on.
    pub fn groups_at(&self, groups: &Partition, cells: &CellGraph) -> Vec<u32> {
        let parts = Nearest::new(self.graph.cells().iter().map(|part| part.centre).collect());
        let group = |part: Option<u32>| part.map_or(0, |part| groups.of_cells()[part as usize]);
        cells.cells().iter().map(|cell| group(parts.find(cell.centre, |_| true))).collect()
    }

    /// For each part the piece that has most of its group.
    pub fn majority_in(&self, groups: &Partition) -> Vec<u32> {
        let each = groups.of_cells().iter().zip(&self.piece_of).zip(self.graph.cells());
        let mut shares: Vec<(u32, u32, f64)> =
            each.map(|((&g, &piece), part)| (g, piece, part.volume)).collect();
        shares.sort_by_key(|&(group, piece, _)| (group, piece));
        let mut best = vec![(0, f64::NEG_INFINITY); groups.count()];
        for same in shares.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let volume: f64 = same.iter().map(|share| share.2).sum();
            let known = &mut best[same[0].0 as usize];
            if volume > known.1 {
                *known = (same[0].1, volume);
            }
        }
        groups.of_cells().iter().map(|&group| best[group as usize].0).collect()
    }
}

/// The size of cubes, in spacings.
const CUBE: f64 = 1.0;

/// How far cells are apart on average, by the area between them.
fn spacing_of(graph: &CellGraph) -> f64 {
    let area: f64 = graph.faces().iter().map(|face| face.area).sum();
    let far: f64 = graph.faces().iter().map(|face| face.area * face.distance).sum();
    if area > 0.0 { far / area } else { libm::cbrt(graph.volume()) }
}
