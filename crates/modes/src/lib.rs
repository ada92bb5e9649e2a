//! Fracture modes: the ways in which a shape breaks most easily, and what an impact breaks off.
//!
//! [`Brittle`] makes a solid ready: [`Cells`], modes, pieces, and a compound of them that comes apart where a [`Strike`] says, by its [`Weakness`].
//!
//! Below that, all is done on graphs, which can come from anywhere:
//!
//! [`CellGraph`] says what there is: cells with a volume, and faces between them with an area. [`fracture_modes`] finds the motions of
//! lowest energy, area times jump, that are orthogonal to each other (Sellán et al. 2022). They are constant on pieces. [`Pieces`] are what all
//! modes make together, and an [`ImpactTable`] says in microseconds which of them a [`Blow`] parts.
//!
//! ```
//! use glam::DVec3;
//! use smithereens_modes::*;
//! // A bar of cells, thinner in the middle.
//! let cells: Vec<Cell> = (0..20).map(|i| Cell { volume: 1e-3, centre: DVec3::X * 0.1 * f64::from(i) }).collect();
//! let area = |i: u32| if i == 9 { 0.002 } else { 0.01 };
//! let faces = (0..19).map(|i| Face::between(&cells, [i, i + 1], area(i))).collect();
//! let graph = CellGraph::new(cells, faces)?;
//!
//! let modes = fracture_modes(&graph, &Options { count: 3, ..Options::default() })?;
//! assert_eq!(modes.scalar[0].area, 0.002); // It breaks where it is thin.
//! let pieces = Pieces::new(&graph, &modes, &PieceOptions::default())?;
//! let table = ImpactTable::new(&graph, &modes, &pieces, &ImpactOptions::default())?;
//! let blow = Blow { cell: 0, impulse: DVec3::Y * 100.0, density: 2500.0, threshold: 0.5 };
//! assert!(table.strike(&blow, Projection::Modes)?.fragments.count() > 1);
//! # Ok::<(), ModesError>(())
//! ```
//!
//! From a solid to a body: `filling` and `seeds` say where cells go, `cells` cuts them, `paint` says which are harder to part. `faults` are where the solid may come apart: along cells, or smoothed by
//! `membership` and `envelope` on `cubes`. `clusters` groups what is of a piece into what is close to convex, `fences` keep the convexes of neighbours apart, `loose` ties what touches
//! nothing, `brittle` puts all together, and `weakness` goes with the body, with `nearest` to find the cell that is hit.
//!
//! From a graph to pieces:
//!
//! 1. `join` makes a net of the graph for each axis, with [`Eta`] in its weights, and joins what never parts;
//! 2. `spectrum` finds smooth vectors to start from, by `hierarchy`: levels of ever fewer cells;
//! 3. `search` finds mode after mode, on coarse nets first (`coarsen`);
//! 4. `pursuit` splits pieces until no split lowers the energy: `programme` says how pieces move, `cut` where to split, `settle` sees to the last digits;
//! 5. `pieces` intersects the modes; `impact` tabulates what blows do, by `spread` and `gradient`.
//!
//! The same input gives the same bits, in debug and in release, on any number of threads. The page `docs/algorithms/modes.md` says why it is
//! done so.

mod brittle;
mod cells;
mod clusters;
mod coarsen;
mod cubes;
mod cut;
mod dense;
mod envelope;
mod error;
mod eta;
mod faults;
mod fences;
mod filling;
mod gradient;
mod graph;
mod hierarchy;
mod impact;
mod join;
mod loose;
mod membership;
mod modes;
mod nearest;
mod net;
#[cfg(test)]
mod oracle;
mod paint;
mod panel;
mod partition;
mod pieces;
mod programme;
mod pursuit;
#[cfg(test)]
mod samples;
mod search;
mod seeds;
mod settle;
mod spectrum;
mod spread;
mod weakness;

pub use brittle::{Brittle, BrittleOptions, BrittleTimes};
pub use cells::{CellOptions, Cells};
pub use error::ModesError;
pub use eta::{Eta, UNBREAKABLE};
pub use graph::{Cell, CellGraph, Face};
pub use impact::{Blow, Broken, ImpactOptions, ImpactTable, Projection};
pub use modes::{
    Mode, ModeReport, Modes, Options, Progress, Report, Search, VectorMode, fracture_modes,
    fracture_modes_with,
};
pub use paint::Paint;
pub use partition::Partition;
pub use pieces::{Bond, PieceOptions, Pieces};
pub use seeds::Arrangement;
pub use weakness::{Answer, Strike, Weakness};
