//! A solid made ready to break by nature: cells, modes, pieces, the table of impacts, and a compound of the pieces.
//!
//! Section 3 of the paper from end to end. The outside of every piece is the solid's own surface, as the cells are cut from the solid itself.

use std::ops::ControlFlow;
use std::time::Instant;

use glam::DVec3;
use smithereens::{Aabb, Compound, Fit, Merged, Solid};

use crate::clusters::clusters;
use crate::fences::fenced;
use crate::modes::ms;
use crate::{
    CellGraph, CellOptions, Cells, Eta, ImpactOptions, ImpactTable, Modes, ModesError, Options, PieceOptions,
    Pieces, Progress, Search, UNBREAKABLE, Weakness, fracture_modes_with,
};

/// How a solid is made ready.
#[derive(Clone, Debug, PartialEq)]
pub struct BrittleOptions {
    /// The cells that it may break between.
    pub cells: CellOptions,
    /// How many scalar modes to find. Each is a vector mode an axis.
    pub modes: usize,
    /// How thoroughly to search.
    pub search: Search,
    /// How hard it is to open a fault, by the direction it looks in: one that looks along z costs η.z times its area. (10, 10, 1) splits wood whose fibres
    /// lie across z.
    pub eta: DVec3,
    /// Places that never break, in the solid's coordinates.
    pub whole: Vec<Aabb>,
    /// Pieces with less than this part of the volume go to a neighbour.
    pub sliver: f64,
    /// How far a blow spreads, as a part of the cube root of the volume.
    pub reach: f64,
    /// How convexes are fitted to the pieces.
    pub fit: Fit,
}

impl Default for BrittleOptions {
    fn default() -> BrittleOptions {
        BrittleOptions {
            cells: CellOptions::default(),
            modes: Options::default().count,
            search: Search::default(),
            eta: DVec3::ONE,
            whole: Vec::new(),
            sliver: PieceOptions::default().sliver,
            reach: ImpactOptions::default().reach,
            fit: Fit::HULL,
        }
    }
}

/// How long each part took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BrittleTimes {
    /// Seeds, and the cut into cells.
    pub cells: f64,
    /// Modes.
    pub modes: f64,
    /// The table of impacts.
    pub table: f64,
    /// Clusters, skins and convexes.
    pub pieces: f64,
}

/// A solid ready to break by nature.
///
/// ```
/// use glam::DVec3;
/// use smithereens::{Aabb, Convex, Slot, Solid};
/// use smithereens_modes::{Brittle, BrittleOptions, CellOptions, Projection, Strike};
/// let bar = Aabb::new(DVec3::ZERO, DVec3::new(4.0, 1.0, 1.0));
/// let bar = Solid::new(Convex::from_box(&bar).to_mesh(Slot(0)))?;
/// let cells = CellOptions { count: 300, ..CellOptions::default() };
/// let brittle = Brittle::of(&bar, &BrittleOptions { cells, modes: 3, ..BrittleOptions::default() })?;
///
/// let strike = Strike {
///     point: DVec3::new(0.0, 0.5, 0.5),
///     impulse: DVec3::X * 4e3,
///     density: 1000.0,
///     threshold: 0.5,
///     radius: f64::INFINITY,
///     projection: Projection::Modes,
/// };
/// let broken = brittle.weakness.fracture(&brittle.compound, &strike)?;
/// assert!(broken.fragments.len() > 1);
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
    /// How long it took.
    pub times: BrittleTimes,
}

impl Brittle {
    /// Makes a solid ready.
    pub fn of(solid: &Solid, options: &BrittleOptions) -> Result<Brittle, ModesError> {
        Brittle::of_with(solid, options, |_| ControlFlow::Continue(()))
    }

    /// The same, telling how far the modes are. On `Break` it goes on with those it has.
    pub fn of_with(
        solid: &Solid,
        options: &BrittleOptions,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Brittle, ModesError> {
        options.check()?;
        let start = Instant::now();
        let cells = Cells::in_layers(solid, &options.cells, options.eta)?;
        let mut times = BrittleTimes { cells: ms(start), ..BrittleTimes::default() };
        let start = Instant::now();
        let modes = fracture_modes_with(cells.graph(), &options.for_modes(cells.graph()), progress)?;
        times.modes = ms(start);
        Brittle::from_modes(cells, modes, options, times)
    }

    fn from_modes(
        cells: Cells,
        modes: Modes,
        options: &BrittleOptions,
        mut times: BrittleTimes,
    ) -> Result<Brittle, ModesError> {
        let graph = cells.graph();
        let start = Instant::now();
        let slivers = PieceOptions { sliver: options.sliver, ..PieceOptions::default() };
        let pieces = Pieces::new(graph, &modes, &slivers)?;
        let contacts = cells.on_surface();
        let impacts = ImpactOptions {
            reach: options.reach,
            contacts: Some(contacts.clone()),
            ..ImpactOptions::default()
        };
        let table = ImpactTable::new(graph, &modes, &pieces, &impacts)?;
        times.table = ms(start);
        let start = Instant::now();
        let clusters = clusters(cells.compound(), graph, &pieces.partition);
        let (clusters, fences) = fenced(cells.compound(), graph, &pieces.partition, clusters);
        let merged = cells.compound().merged(clusters.of_cells(), options.fit);
        // Cells are no ghosts, and there is a cluster for each.
        let Merged { compound, members } = merged.map_err(|_| ModesError::NoCells)?;
        let piece_of: Vec<u32> =
            members.iter().map(|cells| pieces.partition.of(cells[0] as usize) as u32).collect();
        times.pieces = ms(start);
        let cluster_of: Vec<u32> =
            members.iter().map(|cells| clusters.of_cells()[cells[0] as usize]).collect();
        let weakness = Weakness::new(&cells, &pieces, (table, contacts), &compound, &piece_of).with_fences(
            fences,
            &compound,
            &cluster_of,
        );
        Ok(Brittle { compound, weakness, cells, modes, pieces, times })
    }
}

impl BrittleOptions {
    fn check(&self) -> Result<(), ModesError> {
        for (axis, factor) in self.eta.to_array().into_iter().enumerate() {
            if !(factor.is_finite() && factor > 0.0) {
                return Err(ModesError::AxisFactor { axis, factor });
            }
        }
        Ok(())
    }

    fn for_modes(&self, graph: &CellGraph) -> Options {
        Options { count: self.modes, search: self.search, sliver: self.sliver, eta: self.eta_of(graph) }
    }

    /// A mode opens a fault along its normal, so that η weighs the normal as it does the jump in Eq. 26.
    fn eta_of(&self, graph: &CellGraph) -> Eta {
        if self.eta == DVec3::ONE && self.whole.is_empty() {
            return Eta::default();
        }
        let is_whole = |place: DVec3| self.whole.iter().any(|region| region.contains(place));
        Eta::of_faces(graph, |face| {
            let [a, b] = face.cells.map(|cell| graph.cells()[cell as usize].centre);
            match is_whole(a) || is_whole(b) {
                true => UNBREAKABLE,
                false => (face.normal * self.eta).length(),
            }
        })
    }
}
