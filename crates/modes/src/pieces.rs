//! The pieces that all modes make together.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use crate::partition::Partition;
use crate::{CellGraph, Mode, Modes, ModesError};

/// How pieces are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceOptions {
    /// How many vector modes to take, from the lowest; all if there is no limit.
    pub vector_modes: Option<usize>,
    /// Pieces with less than this part of the volume go to the neighbour with which they share most area.
    pub sliver: f64,
}

impl Default for PieceOptions {
    fn default() -> PieceOptions {
        PieceOptions { vector_modes: None, sliver: 1e-3 }
    }
}

/// Two pieces that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The pieces; the first has the lower index.
    pub pieces: [u32; 2],
    /// The area that they share, in square metres.
    pub area: f64,
}

/// Connected cells that no mode parts.
///
/// ```
/// use glam::DVec3;
/// use smithereens_modes::{Cell, CellGraph, Face, Options, PieceOptions, Pieces, fracture_modes};
/// let cells: Vec<Cell> = (0..6).map(|i| Cell { volume: 1.0, centre: DVec3::X * f64::from(i) }).collect();
/// let areas = [1.0, 0.1, 1.0, 0.2, 1.0];
/// let faces = (0..5).map(|i| Face::between(&cells, [i, i + 1], areas[i as usize])).collect();
/// let graph = CellGraph::new(cells, faces)?;
/// let modes = fracture_modes(&graph, &Options { count: 2, ..Options::default() })?;
/// let pieces = Pieces::new(&graph, &modes, &PieceOptions::default())?;
/// assert_eq!(pieces.partition.of_cells(), [0, 0, 1, 1, 2, 2]);
/// assert_eq!(pieces.bonds.len(), 2);
/// # Ok::<(), smithereens_modes::ModesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    /// The piece of each cell.
    pub partition: Partition,
    /// The volume of each piece, in cubic metres.
    pub volumes: Vec<f64>,
    /// The centre of each piece, in metres.
    pub centres: Vec<DVec3>,
    /// Which pieces touch, in order.
    pub bonds: Vec<Bond>,
    /// How many slivers went to a neighbour.
    pub slivers: usize,
}

/// A jump of this part of a mode's largest motion parts two cells.
const JUMP: f64 = 1e-6;

impl Pieces {
    /// The common refinement of the modes, with slivers merged.
    pub fn new(graph: &CellGraph, modes: &Modes, options: &PieceOptions) -> Result<Pieces, ModesError> {
        modes.check(graph)?;
        if !(0.0..1.0).contains(&options.sliver) {
            let must = "it must be a part of the volume, from zero to below one";
            return Err(ModesError::Option { name: "sliver", value: options.sliver, must });
        }
        let all = refinement(graph, &modes.lowest(options.vector_modes));
        let partition = merge_slivers(graph, &all, options.sliver);
        let slivers = all.count() - partition.count();
        let cells = graph.cells();
        let volumes = partition.sums(&cells.iter().map(|cell| cell.volume).collect::<Vec<f64>>());
        let mut centres = vec![DVec3::ZERO; partition.count()];
        for (cell, &piece) in cells.iter().zip(partition.of_cells()) {
            centres[piece as usize] += cell.centre * cell.volume;
        }
        centres.iter_mut().zip(&volumes).for_each(|(centre, volume)| *centre /= *volume);
        let bonds = neighbours(graph, &partition);
        let bonds = (0..).zip(&bonds).flat_map(|(a, others)| {
            let higher = others.range(a + 1..);
            higher.map(move |(&b, &area)| Bond { pieces: [a, b], area })
        });
        Ok(Pieces { bonds: bonds.collect(), partition, volumes, centres, slivers })
    }
}

impl Modes {
    /// The scalar modes of the lowest vector modes, each once.
    pub(crate) fn lowest(&self, vector_modes: Option<usize>) -> Vec<&Mode> {
        let taken = self.vector.iter().take(vector_modes.unwrap_or(usize::MAX));
        let indices: BTreeSet<usize> = taken.map(|mode| mode.mode).collect();
        indices.into_iter().map(|index| &self.scalar[index]).collect()
    }

    /// Says whether they are of this graph, as far as can be seen.
    pub(crate) fn check(&self, graph: &CellGraph) -> Result<(), ModesError> {
        let (given, cells) = (self.parts.of_cells().len(), graph.cells().len());
        if given == cells { Ok(()) } else { Err(ModesError::OtherGraph { given, cells }) }
    }
}

fn refinement(graph: &CellGraph, modes: &[&Mode]) -> Partition {
    let edges: Vec<[u32; 2]> = graph.faces().iter().map(|face| face.cells).collect();
    let most = |mode: &Mode| mode.values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let limits: Vec<f64> = modes.iter().map(|mode| JUMP * most(mode)).collect();
    Partition::connected(graph.cells().len(), &edges, |_, [a, b]| {
        modes.iter().zip(&limits).all(|(mode, limit)| {
            let value = |cell: usize| mode.values[mode.pieces.of(cell)];
            (value(a) - value(b)).abs() <= *limit
        })
    })
}

/// For each piece, the areas that it shares with others.
fn neighbours(graph: &CellGraph, partition: &Partition) -> Vec<BTreeMap<u32, f64>> {
    let mut areas = vec![BTreeMap::new(); partition.count()];
    for face in graph.faces() {
        let [a, b] = face.cells.map(|cell| partition.of_cells()[cell as usize]);
        if a != b {
            *areas[a as usize].entry(b).or_insert(0.0) += face.area;
            *areas[b as usize].entry(a).or_insert(0.0) += face.area;
        }
    }
    areas
}

/// The smallest first, each to the neighbour it shares most with, until none is too small. What has no neighbour stays.
pub(crate) fn merge_slivers(graph: &CellGraph, partition: &Partition, sliver: f64) -> Partition {
    let mut volumes = partition.sums(&graph.cells().iter().map(|cell| cell.volume).collect::<Vec<f64>>());
    let mut areas = neighbours(graph, partition);
    let least = sliver * graph.volume();
    let mut into: Vec<u32> = (0..partition.count() as u32).collect();
    // Volumes are above zero, so their bits are in the same order.
    let mut small: BTreeSet<(u64, u32)> =
        (0..).zip(&volumes).filter(|(_, volume)| **volume < least).map(|(p, v)| (v.to_bits(), p)).collect();
    while let Some((_, piece)) = small.pop_first() {
        let others = std::mem::take(&mut areas[piece as usize]);
        let Some(host) = most_shared(&others) else { continue };
        into[piece as usize] = host;
        small.remove(&(volumes[host as usize].to_bits(), host));
        volumes[host as usize] += volumes[piece as usize];
        for (other, area) in others {
            areas[other as usize].remove(&piece);
            if other != host {
                *areas[host as usize].entry(other).or_insert(0.0) += area;
                *areas[other as usize].entry(host).or_insert(0.0) += area;
            }
        }
        if volumes[host as usize] < least {
            small.insert((volumes[host as usize].to_bits(), host));
        }
    }
    let end = |mut piece: u32| {
        while into[piece as usize] != piece {
            piece = into[piece as usize];
        }
        piece
    };
    Partition::numbered(partition.of_cells().iter().map(|&piece| end(piece)))
}

fn most_shared(areas: &BTreeMap<u32, f64>) -> Option<u32> {
    let best = areas.iter().fold(None, |best: Option<(u32, f64)>, (&piece, &area)| match best {
        Some((_, most)) if most >= area => best,
        _ => Some((piece, area)),
    });
    best.map(|(piece, _)| piece)
}
