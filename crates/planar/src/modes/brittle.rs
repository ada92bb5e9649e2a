//! A shape made ready to break by nature: cells, modes, pieces, the table of impacts, and a compound of the pieces.

use smithereens_modes::{
    ImpactOptions, ImpactTable, Modes, ModesError, Options, PieceOptions, Pieces, fracture_modes,
};

use super::{CellOptions, Cells, Weakness};
use crate::{Compound, Merged, Shape};

/// How a shape is made ready.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrittleOptions {
    /// The cells that it may break between.
    pub cells: CellOptions,
    /// How many scalar modes to find. Each is a vector mode an axis.
    pub modes: usize,
    /// Pieces with less than this part of the area go to a neighbour.
    pub sliver: f64,
    /// How far a blow spreads, as a part of the square root of the area.
    pub reach: f64,
}

impl Default for BrittleOptions {
    fn default() -> BrittleOptions {
        BrittleOptions {
            cells: CellOptions::default(),
            modes: Options::default().count,
            sliver: PieceOptions::default().sliver,
            reach: ImpactOptions::default().reach,
        }
    }
}

/// A shape ready to break by nature.
///
/// ```
/// use smithereens_planar::{Aabb, Shape, modes::{Brittle, BrittleOptions, CellOptions, Projection, Strike}};
/// use glam::DVec2;
/// let bar = Shape::new(&Aabb::new(DVec2::ZERO, DVec2::new(6.0, 1.0)).corners(), &[])?;
/// let cells = CellOptions { count: 200, ..CellOptions::default() };
/// let brittle = Brittle::of(&bar, &BrittleOptions { cells, modes: 2, ..BrittleOptions::default() })?;
/// let strike = Strike {
///     point: DVec2::new(0.0, 0.5),
///     impulse: DVec2::X * 6e3,
///     density: 1000.0,
///     threshold: 0.5,
///     radius: f64::INFINITY,
///     projection: Projection::Modes,
/// };
/// assert!(brittle.weakness.fracture(&brittle.compound, &strike)?.len() > 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Brittle {
    /// Its pieces, each in one or some convexes, and their bonds.
    pub compound: Compound,
    /// What says where it breaks.
    pub weakness: Weakness,
    /// The cells.
    pub cells: Cells,
    /// The modes.
    pub modes: Modes,
    /// The pieces of all modes together.
    pub pieces: Pieces,
}

impl Brittle {
    /// Makes a shape ready.
    pub fn of(shape: &Shape, options: &BrittleOptions) -> Result<Brittle, ModesError> {
        let cells = Cells::of(shape, &options.cells)?;
        let graph = cells.graph();
        let for_modes = Options { count: options.modes, sliver: options.sliver, ..Options::default() };
        let modes = fracture_modes(graph, &for_modes)?;
        let slivers = PieceOptions { sliver: options.sliver, ..PieceOptions::default() };
        let pieces = Pieces::new(graph, &modes, &slivers)?;
        // The table takes the reach in cube roots of the volume.
        let roots = libm::sqrt(graph.volume()) / libm::cbrt(graph.volume());
        let impacts = ImpactOptions {
            reach: options.reach * roots,
            contacts: Some(cells.on_border().to_vec()),
            ..ImpactOptions::default()
        };
        let table = ImpactTable::new(graph, &modes, &pieces, &impacts)?;
        let of_cells = pieces.partition.of_cells();
        let groups: Vec<u32> = cells.of_piece().iter().map(|&cell| of_cells[cell as usize]).collect();
        let Merged { compound, group_of } = cells.compound().merged(&groups);
        let weakness = Weakness::new(&cells, &pieces, table, (&compound, &group_of));
        Ok(Brittle { compound, weakness, cells, modes, pieces })
    }
}
