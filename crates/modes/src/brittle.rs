//! A solid made ready to break by nature: cells, modes, pieces, the table of impacts, and a compound of the pieces.
//!
//! Section 3 of the paper from end to end. The outside of every piece is the solid's own surface, as the cells are cut from the solid itself.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;
use smithereens::{Aabb, Compound, Dropped, Fit, Merged, Solid};
use web_time::Instant;

use crate::clusters::clusters;
use crate::faults::{FaultMaking, Faults};
use crate::fences::fenced;
use crate::loose::tied;
use crate::modes::ms;
use crate::paint::factors;
use crate::{
    CellGraph, CellOptions, Cells, Eta, ImpactOptions, ImpactTable, Modes, ModesError, Options, Paint,
    Partition, PieceOptions, Pieces, Progress, Search, UNBREAKABLE, Weakness, fracture_modes_with,
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
    /// Materials that are harder to break, or never do.
    pub paints: Vec<Paint>,
    /// Pieces with less than this part of the volume go to a neighbour.
    pub sliver: f64,
    /// Over how many cells faults are smoothed; along the faces of cells if it is zero. One is enough for most.
    pub smooth: f64,
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
            paints: Vec::new(),
            sliver: PieceOptions::default().sliver,
            smooth: 0.0,
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
    /// What was cut out and not kept: slivers, and what is inside out of a solid that passes through itself.
    pub dropped: Dropped,
    /// How long it took.
    pub times: BrittleTimes,
    solid: Arc<Solid>,
    making: FaultMaking,
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
        Brittle::on(solid, None, options, progress)
    }

    /// Makes a solid ready by the modes of a cage that contains it: for one whose shells are loose, or whose mesh is too fine for its modes to matter
    /// (Section 3.5). Pieces are cut from the solid itself; what touches nothing goes with what is nearest.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use smithereens::{Aabb, Convex, Slot, Solid};
    /// # use smithereens_modes::{Brittle, BrittleOptions, CellOptions};
    /// # let boxed = |from: f64, to: f64| Convex::from_box(&Aabb::new(DVec3::new(from, 0.0, 0.0), DVec3::new(to, 1.0, 1.0))).to_mesh(Slot(0));
    /// // Two boxes a hair apart, in one cage.
    /// let mut loose = boxed(0.0, 2.0);
    /// loose.append(&boxed(2.001, 4.0));
    /// let (loose, cage) = (Solid::new(loose)?, Solid::new(boxed(-0.1, 4.1))?);
    /// # let cells = CellOptions { count: 200, ..CellOptions::default() };
    /// # let options = BrittleOptions { cells, modes: 2, ..BrittleOptions::default() };
    /// let brittle = Brittle::in_cage(&loose, &cage, &options, |_| std::ops::ControlFlow::Continue(()))?;
    /// assert_eq!(brittle.modes.parts.count(), 1);
    /// assert!((brittle.compound.mass().volume - loose.volume()).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_cage(
        solid: &Solid,
        cage: &Solid,
        options: &BrittleOptions,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Brittle, ModesError> {
        Brittle::on(solid, Some(cage), options, progress)
    }

    fn on(
        solid: &Solid,
        cage: Option<&Solid>,
        options: &BrittleOptions,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Brittle, ModesError> {
        options.check()?;
        let start = Instant::now();
        let cells = match cage {
            Some(cage) => Cells::in_layers(cage, &options.cells, options.eta)?.weighing(solid.volume())?,
            None => Cells::in_layers(solid, &options.cells, options.eta)?,
        };
        let mut times = BrittleTimes { cells: ms(start), ..BrittleTimes::default() };
        let start = Instant::now();
        let making = FaultMaking { smooth: options.smooth, sliver: options.sliver, is_caged: cage.is_some() };
        let painted = options.painted(solid, &cells, making)?;
        let modes =
            fracture_modes_with(cells.graph(), &options.for_modes(cells.graph(), &painted), progress)?;
        times.modes = ms(start);
        Brittle::from_modes((solid, making), cells, modes, options, times)
    }

    fn from_modes(
        (solid, making): (&Solid, FaultMaking),
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
        let solid = Arc::new(solid.clone());
        let faults = Faults::new(&solid, &cells, &pieces.partition, making)?;
        let clusters = clusters(&faults.compound, &faults.graph, &faults.bodies);
        let (clusters, fences) = fenced(&faults.compound, &faults.graph, &faults.pieces(), clusters);
        let (clusters, fences) = if making.is_caged {
            let firsts = pieces.partition.first_cells();
            let part_of_piece = |piece: u32| modes.parts.of_cells()[firsts[piece as usize]];
            fences.regrouped(&tied(&clusters, &faults, part_of_piece))
        } else {
            (clusters, fences)
        };
        let merged = faults.compound.merged(clusters.of_cells(), options.fit);
        // Parts are no ghosts, and there is a cluster for each.
        let Merged { compound, members } = merged.map_err(|_| ModesError::NoCells)?;
        let of_part = faults.majority_in(&clusters);
        let piece_of: Vec<u32> = members.iter().map(|parts| of_part[parts[0] as usize]).collect();
        times.pieces = ms(start);
        let cluster_of: Vec<u32> =
            members.iter().map(|parts| clusters.of_cells()[parts[0] as usize]).collect();
        let cluster_of_cell = faults.groups_at(&clusters, graph);
        let weakness = Weakness::new(&cells, &pieces, (table, contacts), &compound, &piece_of).with_fences(
            fences.seen_by(cluster_of_cell),
            &compound,
            &cluster_of,
        );
        let dropped = faults.dropped;
        Ok(Brittle { compound, weakness, cells, modes, pieces, dropped, times, solid, making })
    }

    /// The solid in the parts of a partition of its cells, one piece each, with faults as smooth as those of the body: what one mode would break it into, say.
    pub fn parted(&self, cells: &Partition) -> Result<Compound, ModesError> {
        let faults = Faults::new(&self.solid, &self.cells, cells, self.making)?;
        let merged = faults.compound.merged(faults.bodies.of_cells(), Fit::Aabb);
        merged.map(|merged| merged.compound).map_err(|_| ModesError::NoCells)
    }
}

impl BrittleOptions {
    fn check(&self) -> Result<(), ModesError> {
        for (axis, factor) in self.eta.to_array().into_iter().enumerate() {
            if !(factor.is_finite() && factor > 0.0) {
                return Err(ModesError::AxisFactor { axis, factor });
            }
        }
        if let Some(paint) = self.paints.iter().find(|paint| paint.eta.is_nan() || paint.eta <= 0.0) {
            let must = "it must be above zero";
            return Err(ModesError::Option { name: "the factor of a paint", value: paint.eta, must });
        }
        if !(self.smooth.is_finite() && self.smooth >= 0.0) {
            let must = "it must be zero or a number of cells";
            return Err(ModesError::Option { name: "smooth", value: self.smooth, must });
        }
        Ok(())
    }

    fn for_modes(&self, graph: &CellGraph, painted: &[f64]) -> Options {
        let eta = self.eta_of(graph, painted);
        Options { count: self.modes, search: self.search, sliver: self.sliver, eta }
    }

    /// The factor of each cell by what the solid is painted with; nothing where there is no paint.
    fn painted(&self, solid: &Solid, cells: &Cells, making: FaultMaking) -> Result<Vec<f64>, ModesError> {
        if self.paints.is_empty() {
            return Ok(Vec::new());
        }
        if !making.is_caged {
            return Ok(factors(cells.graph(), cells.compound(), |part| part as u32, &self.paints));
        }
        let all = Partition::whole(cells.graph().cells().len());
        let parts = Faults::through_cage(solid, cells, &all, making)?;
        let cell_at = cells.locator();
        let cell_of = |part: usize| cell_at(parts.graph.cells()[part].centre);
        Ok(factors(cells.graph(), &parts.compound, cell_of, &self.paints))
    }

    /// A mode opens a fault along its normal, so that η weighs the normal as it does the jump in Eq. 26.
    fn eta_of(&self, graph: &CellGraph, painted: &[f64]) -> Eta {
        if self.eta == DVec3::ONE && self.whole.is_empty() && painted.is_empty() {
            return Eta::default();
        }
        let is_whole = |place: DVec3| self.whole.iter().any(|region| region.contains(place));
        let paint = |cell: u32| painted.get(cell as usize).copied().unwrap_or(1.0);
        Eta::of_faces(graph, |face| {
            let [a, b] = face.cells.map(|cell| graph.cells()[cell as usize].centre);
            let [by_a, by_b] = face.cells.map(paint);
            match is_whole(a) || is_whole(b) {
                true => UNBREAKABLE,
                false => (face.normal * self.eta).length() * by_a.max(by_b),
            }
        })
    }
}
