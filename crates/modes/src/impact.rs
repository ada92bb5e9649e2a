//! What an impact breaks off: Section 3.3 of the paper, and the variant of its Figure 21.
//!
//! A blow on a cell is smeared by one implicit step of diffusion, (M + τ L)⁻¹, which stays within the shape. What each piece gets of a blow on
//! each cell is linear, so it is tabulated: one solve a piece. At run time a blow is a column of that table, perhaps projected onto the modes, and
//! pieces whose motions differ by less than a threshold stay together.
//!
//! Departures: a blow is an impulse, not a displacement, so that it does not depend on how large the cell is that was hit.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::dense::dot;
use crate::partition::{Forest, Partition};
use crate::spread::spread;
use crate::{CellGraph, Mode, Modes, ModesError, Pieces};

/// How a table is made.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpactOptions {
    /// How far a blow spreads, as a part of the cube root of the volume.
    pub reach: f64,
    /// How many vector modes to project onto, from the lowest; all if there is no limit.
    pub vector_modes: Option<usize>,
    /// Cells that can be hit; all if there is no list. The table has a number a piece and cell.
    pub contacts: Option<Vec<u32>>,
}

impl Default for ImpactOptions {
    fn default() -> ImpactOptions {
        ImpactOptions { reach: 0.18, vector_modes: None, contacts: None }
    }
}

/// A blow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blow {
    /// Which cell is hit.
    pub cell: u32,
    /// How hard and in which direction, in newton seconds.
    pub impulse: DVec3,
    /// What the solid weighs, in kilograms a cubic metre.
    pub density: f64,
    /// How much the velocities of two pieces must differ to part them, in metres a second. Only impulse over density and threshold counts: twice the
    /// impulse is half the threshold.
    pub threshold: f64,
}

/// What a blow is projected onto.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Projection {
    /// The modes: pieces far apart that move alike in low modes come off together (Eq. 20).
    #[default]
    Modes,
    /// The mean of each piece, which is the nearest motion that is constant on pieces (Figure 21): what breaks stays near the blow.
    Pieces,
}

/// Which pieces stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The fragment of each piece, numbered in the order of pieces.
    pub fragments: Partition,
}

/// What each piece gets of a blow on each cell.
///
/// ```
/// use glam::DVec3;
/// use smithereens_modes::*;
/// let cells: Vec<Cell> = (0..4).map(|i| Cell { volume: 1.0, centre: DVec3::X * f64::from(i) }).collect();
/// let faces = (0..3).map(|i| Face::between(&cells, [i, i + 1], 1.0)).collect();
/// let graph = CellGraph::new(cells, faces)?;
/// let modes = fracture_modes(&graph, &Options::default())?;
/// let pieces = Pieces::new(&graph, &modes, &PieceOptions::default())?;
/// let table = ImpactTable::new(&graph, &modes, &pieces, &ImpactOptions::default())?;
///
/// let blow = Blow { cell: 0, impulse: DVec3::X * 5000.0, density: 1000.0, threshold: 1.0 };
/// assert!(table.strike(&blow, Projection::Pieces)?.fragments.count() > 1);
/// let tap = Blow { impulse: DVec3::X, ..blow };
/// assert_eq!(table.strike(&tap, Projection::Pieces)?.fragments.count(), 1);
/// # Ok::<(), ModesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImpactTable {
    pieces: usize,
    /// Cells that can be hit, in order; none if all can.
    contacts: Option<Vec<u32>>,
    /// For each cell that can be hit, a number a piece: its mean velocity for an impulse of one on a density of one.
    columns: Vec<f32>,
    bonds: Vec<[u32; 2]>,
    bases: Vec<Basis>,
    /// Which basis motions along each axis have.
    of_axis: [usize; 3],
}

/// Modes on pieces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Basis {
    /// For each mode, its mean on each piece.
    means: Vec<Vec<f64>>,
    /// The same, times the pieces' volumes.
    heavy: Vec<Vec<f64>>,
}

impl ImpactTable {
    /// Solves once a piece.
    pub fn new(
        graph: &CellGraph,
        modes: &Modes,
        pieces: &Pieces,
        options: &ImpactOptions,
    ) -> Result<ImpactTable, ModesError> {
        modes.check(graph)?;
        let (given, cells) = (pieces.partition.of_cells().len(), graph.cells().len());
        if given != cells {
            return Err(ModesError::OtherGraph { given, cells });
        }
        if !(options.reach.is_finite() && options.reach > 0.0) {
            let must = "it must be finite and above zero";
            return Err(ModesError::Option { name: "reach", value: options.reach, must });
        }
        let contacts = options.contacts.clone().map(|mut contacts| {
            contacts.sort_unstable();
            contacts.dedup();
            contacts
        });
        if let Some(&cell) = contacts.iter().flatten().find(|&&cell| cell as usize >= cells) {
            return Err(ModesError::NoContact(cell));
        }
        let columns = columns(graph, pieces, options.reach, contacts.as_deref());
        let (bases, of_axis) = bases(graph, modes, pieces, options.vector_modes);
        let bonds = pieces.bonds.iter().map(|bond| bond.pieces).collect();
        Ok(ImpactTable { pieces: pieces.partition.count(), contacts, columns, bonds, bases, of_axis })
    }

    /// Says which pieces a blow leaves together.
    pub fn strike(&self, blow: &Blow, projection: Projection) -> Result<Broken, ModesError> {
        let is_above_zero = |number: f64| number.is_finite() && number > 0.0;
        if !(blow.impulse.is_finite() && is_above_zero(blow.density) && is_above_zero(blow.threshold)) {
            return Err(ModesError::Impact);
        }
        let column = self.column(blow.cell).ok_or(ModesError::NoContact(blow.cell))?;
        let means: Vec<f64> = column.iter().map(|&mean| f64::from(mean)).collect();
        let push = blow.impulse / (blow.density * blow.threshold);
        let motions: Vec<Vec<f64>> = match projection {
            Projection::Pieces => vec![means],
            Projection::Modes => self.bases.iter().map(|basis| basis.project(&means)).collect(),
        };
        let of_axis = if projection == Projection::Pieces { [0; 3] } else { self.of_axis };
        let mut forest = Forest::new(self.pieces);
        for &[a, b] in &self.bonds {
            let jump = of_axis.map(|basis| motions[basis][a as usize] - motions[basis][b as usize]);
            if (push * DVec3::from_array(jump)).length_squared() < 1.0 {
                forest.join(a, b);
            }
        }
        Ok(Broken { fragments: forest.partition() })
    }

    /// How many pieces it tells of.
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// Whether it refers to what is there only, and has columns for these cells, which must rise.
    pub fn is_sound(&self, contacts: &[u32]) -> bool {
        let is_of_pieces = |numbers: &Vec<f64>| numbers.len() == self.pieces;
        self.contacts.as_deref() == Some(contacts)
            && contacts.is_sorted_by(|a, b| a < b)
            && self.columns.len() == contacts.len() * self.pieces
            && self.bonds.iter().flatten().all(|&piece| (piece as usize) < self.pieces)
            && self.of_axis.iter().all(|&basis| basis < self.bases.len())
            && self.bases.iter().all(|basis| basis.means.len() == basis.heavy.len())
            && self.bases.iter().all(|basis| basis.means.iter().chain(&basis.heavy).all(is_of_pieces))
    }

    fn column(&self, cell: u32) -> Option<&[f32]> {
        let index = match &self.contacts {
            Some(contacts) => contacts.binary_search(&cell).ok()?,
            None => cell as usize,
        };
        self.columns.get(index * self.pieces..(index + 1) * self.pieces)
    }
}

impl Basis {
    fn project(&self, motion: &[f64]) -> Vec<f64> {
        let mut projected = vec![0.0; motion.len()];
        for (mean, heavy) in self.means.iter().zip(&self.heavy) {
            let along = dot(heavy, motion);
            projected.iter_mut().zip(mean).for_each(|(sum, mean)| *sum += along * mean);
        }
        projected
    }
}

/// The modes of each axis; axes with the same ones share them.
fn bases(
    graph: &CellGraph,
    modes: &Modes,
    pieces: &Pieces,
    vector_modes: Option<usize>,
) -> (Vec<Basis>, [usize; 3]) {
    let taken = &modes.vector[..vector_modes.unwrap_or(usize::MAX).min(modes.vector.len())];
    let of_axis = |axis: usize| -> Vec<usize> {
        let mut modes: Vec<usize> =
            taken.iter().filter(|mode| mode.axis == axis).map(|mode| mode.mode).collect();
        modes.sort_unstable();
        modes
    };
    let mut distinct: Vec<Vec<usize>> = Vec::new();
    let index = [0, 1, 2].map(|axis| {
        let modes = of_axis(axis);
        distinct.iter().position(|known| *known == modes).unwrap_or_else(|| {
            distinct.push(modes);
            distinct.len() - 1
        })
    });
    let basis = |indices: &Vec<usize>| {
        let chosen: Vec<&Mode> = indices.iter().map(|&mode| &modes.scalar[mode]).collect();
        Basis::new(graph, &chosen, pieces)
    };
    (distinct.iter().map(basis).collect(), index)
}

impl Basis {
    fn new(graph: &CellGraph, modes: &[&Mode], pieces: &Pieces) -> Basis {
        let heavy = |mode: &&Mode| {
            let of_cells = graph.cells().iter().zip(mode.pieces.of_cells());
            let heavy: Vec<f64> =
                of_cells.map(|(cell, &piece)| cell.volume * mode.values[piece as usize]).collect();
            pieces.partition.sums(&heavy)
        };
        let heavy: Vec<Vec<f64>> = modes.iter().map(heavy).collect();
        let mean =
            |sums: &Vec<f64>| sums.iter().zip(&pieces.volumes).map(|(sum, volume)| sum / volume).collect();
        Basis { means: heavy.iter().map(mean).collect(), heavy }
    }
}

/// (M + τ L)⁻¹ M 1 / m for each piece, as columns of cells.
fn columns(graph: &CellGraph, pieces: &Pieces, reach: f64, contacts: Option<&[u32]>) -> Vec<f32> {
    let length = libm::cbrt(graph.volume()) * reach;
    let panels = spread(graph, &pieces.partition, &pieces.volumes, length);
    let count = pieces.partition.count();
    let all: Vec<u32> = (0..graph.cells().len() as u32).collect();
    let cells = contacts.unwrap_or(&all);
    let entry = |cell: u32, piece: usize| panels[piece / 8][cell as usize][piece % 8] as f32;
    cells.iter().flat_map(|&cell| (0..count).map(move |piece| entry(cell, piece))).collect()
}
