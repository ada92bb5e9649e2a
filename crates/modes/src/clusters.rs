//! Cells of a piece in a few clusters that are close to convex.
//!
//! A piece between modes may be a bowl or a hook. What collides are convexes, so a piece is split in two, where convexes around the halves
//! take least room, until each takes little more than it holds. Nothing breaks between clusters of a piece.

use glam::DVec3;
use smithereens::{Compound, Fit};

use crate::CellGraph;
use crate::partition::{Forest, Partition};

/// How much larger than what it holds a convex may be before its cluster is split.
const LOOSE: f64 = 1.6;
/// Where a split may go, as parts of the volume.
const SHARES: [f64; 5] = [0.2, 0.35, 0.5, 0.65, 0.8];
/// Clusters of so many cells are not split, nor those of this part of all cells: shards of a vessel would come to hundreds of colliders.
const FEW: usize = 6;
const FEW_OF_ALL: usize = 160;
/// How often a piece is halved at most.
const DEPTH: usize = 4;

/// A cluster for each cell; clusters are connected, and each lies in one piece.
pub(crate) fn clusters(cells: &Compound, graph: &CellGraph, pieces: &Partition) -> Partition {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); pieces.count()];
    for (cell, &piece) in (0..).zip(pieces.of_cells()) {
        members[piece as usize].push(cell);
    }
    let few = few(pieces.of_cells().len());
    let mut label = vec![0; pieces.of_cells().len()];
    let mut count = 0;
    for piece in members {
        let mut left = vec![(Part::new(cells, graph, piece), 0)];
        while let Some((part, depth)) = left.pop() {
            let is_split = depth < DEPTH && part.cells.len() > few && part.is_loose();
            match is_split.then(|| part.halves(cells, graph)).flatten() {
                Some(halves) => left.extend(halves.map(|half| (half, depth + 1))),
                None => {
                    part.cells.iter().for_each(|&cell| label[cell as usize] = count);
                    count += 1;
                }
            }
        }
    }
    connected(graph, &label)
}

/// Clusters of so many cells, of a body of so many, are not split.
pub(crate) fn few(cells: usize) -> usize {
    FEW.max(cells / FEW_OF_ALL)
}

/// What hangs together of cells with one label.
pub(crate) fn connected(graph: &CellGraph, label: &[u32]) -> Partition {
    let mut forest = Forest::new(label.len());
    for face in graph.faces() {
        let [a, b] = face.cells;
        if label[a as usize] == label[b as usize] {
            forest.join(a, b);
        }
    }
    forest.partition()
}

/// Some cells and the room that a convex around them takes.
struct Part {
    cells: Vec<u32>,
    volume: f64,
    room: f64,
}

impl Part {
    fn new(compound: &Compound, graph: &CellGraph, cells: Vec<u32>) -> Part {
        let points: Vec<DVec3> = cells.iter().flat_map(|&cell| points_of(compound, cell)).copied().collect();
        let volume = cells.iter().map(|&cell| graph.cells()[cell as usize].volume).sum();
        Part { room: Fit::Dop26.around(&points).volume(), volume, cells }
    }

    fn is_loose(&self) -> bool {
        self.room > self.volume * LOOSE
    }

    /// The best of some ways to halve it; none if none gains.
    fn halves(&self, compound: &Compound, graph: &CellGraph) -> Option<[Part; 2]> {
        let mut best: Option<(f64, [Part; 2])> = None;
        for direction in DIRECTIONS {
            let mut order = self.cells.clone();
            let along = |cell: u32| graph.cells()[cell as usize].centre.dot(direction);
            order.sort_by(|&a, &b| along(a).total_cmp(&along(b)).then(a.cmp(&b)));
            for share in SHARES {
                let at = ((order.len() as f64 * share) as usize).clamp(1, order.len() - 1);
                let halves =
                    [&order[..at], &order[at..]].map(|half| Part::new(compound, graph, half.to_vec()));
                let room = halves[0].room + halves[1].room;
                if best.as_ref().is_none_or(|(least, _)| room < *least) {
                    best = Some((room, halves));
                }
            }
        }
        best.filter(|(room, _)| *room < self.room).map(|(_, halves)| halves)
    }
}

const DIRECTIONS: [DVec3; 9] = [
    DVec3::X,
    DVec3::Y,
    DVec3::Z,
    DVec3::new(1.0, 1.0, 0.0),
    DVec3::new(1.0, -1.0, 0.0),
    DVec3::new(1.0, 0.0, 1.0),
    DVec3::new(1.0, 0.0, -1.0),
    DVec3::new(0.0, 1.0, 1.0),
    DVec3::new(0.0, 1.0, -1.0),
];

/// What a cell reaches to.
pub(crate) fn points_of(compound: &Compound, cell: u32) -> &[DVec3] {
    let piece = &compound.pieces()[cell as usize];
    piece.skin().map_or(piece.convex().vertices(), |skin| &skin.mesh().positions)
}
