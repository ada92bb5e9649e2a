//! A solid cut into cells: the over-segmentation that modes choose their faults from (Section 3 of the paper).
//!
//! Cells are Voronoi cells, cut by the same path as every decomposition: closed, with exact volumes and shared areas. What is in one cell but
//! does not hang together there are several cells of the graph.

use std::collections::BTreeMap;

use glam::DVec3;
use smithereens::pattern::Pattern;
use smithereens::prepare::{DecomposeError, Decomposition};
use smithereens::{Compound, Dropped, Fit, Solid, Tolerance};

use crate::nearest::Nearest;
use crate::seeds::seeds;
use crate::{Arrangement, Cell, CellGraph, Face, ModesError};

/// How a solid is cut into cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellOptions {
    /// About how many there are.
    pub count: usize,
    /// How they lie.
    pub arrangement: Arrangement,
    /// Another seed, other cells.
    pub seed: u64,
}

impl Default for CellOptions {
    fn default() -> CellOptions {
        CellOptions { count: 4000, arrangement: Arrangement::default(), seed: 0 }
    }
}

/// A solid cut into cells.
///
/// ```
/// use smithereens::{Aabb, Convex, Slot, Solid};
/// use smithereens_modes::{CellOptions, Cells};
/// let cube = Solid::new(Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0)))?;
/// let cells = Cells::of(&cube, &CellOptions { count: 200, ..CellOptions::default() })?;
/// assert_eq!(cells.compound().pieces().len(), cells.graph().cells().len());
/// assert!((cells.graph().volume() - 8.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cells {
    compound: Compound,
    graph: CellGraph,
    dropped: Dropped,
    /// What the cells are Voronoi cells of, and which of these each belongs to; empty for cells from elsewhere.
    seeds: Vec<DVec3>,
    seed_of_cell: Vec<u32>,
}

/// Of the extent: a pattern of the cells reaches a little farther than the solid.
const MARGIN: f64 = 0.05;

impl Cells {
    /// Cuts a solid.
    pub fn of(solid: &Solid, options: &CellOptions) -> Result<Cells, ModesError> {
        Cells::in_layers(solid, options, DVec3::ONE)
    }

    /// The same for a material that faults cost more in some directions than in others: cells lie in layers then.
    pub(crate) fn in_layers(solid: &Solid, options: &CellOptions, eta: DVec3) -> Result<Cells, ModesError> {
        if options.count == 0 {
            let must = "there must be a cell at least";
            return Err(ModesError::Option { name: "the number of cells", value: 0.0, must });
        }
        let seeds = seeds(solid, options, eta);
        let cut = Decomposition::new(solid.clone(), seeds, Fit::Aabb);
        // Seeds are there and finite.
        let cut = cut.map_err(|_: DecomposeError| ModesError::NoCells)?;
        let of_seed = |seed: usize| std::iter::repeat_n(seed as u32, cut.pieces_of(seed).len());
        Ok(Cells {
            dropped: cut.dropped(),
            seed_of_cell: (0..cut.nodes().len()).flat_map(of_seed).collect(),
            seeds: cut.nodes().to_vec(),
            ..Cells::of_compound(cut.compound().clone())?
        })
    }

    /// Takes the pieces of a compound for cells, and its bonds for faces. Ghosts are none.
    pub fn of_compound(compound: Compound) -> Result<Cells, ModesError> {
        let graph = graph_of(&compound)?;
        let (seeds, seed_of_cell) = (Vec::new(), Vec::new());
        Ok(Cells { compound, graph, dropped: Dropped::default(), seeds, seed_of_cell })
    }

    /// The cells as a pattern in the solid's coordinates, with a colour for each: those of one colour stay together. None for cells that were
    /// not cut from a solid here.
    ///
    /// It breaks what was not made ready: the solid itself, or what other fractures have left of it; all at once, near an impact only, or under a budget of time.
    ///
    /// ```
    /// use glam::DVec3;
    /// use smithereens::{Compound, Fit, FractureOptions, Impact, fracture};
    /// # use smithereens::{Aabb, Convex, Slot, Solid};
    /// # use smithereens_modes::{Brittle, BrittleOptions, CellOptions};
    /// # let bar = Aabb::new(DVec3::ZERO, DVec3::new(4.0, 1.0, 1.0));
    /// # let bar = Solid::new(Convex::from_box(&bar).to_mesh(Slot(0)))?;
    /// # let cells = CellOptions { count: 100, ..CellOptions::default() };
    /// # let brittle = Brittle::of(&bar, &BrittleOptions { cells, modes: 1, ..BrittleOptions::default() })?;
    /// let first_mode = brittle.modes.scalar[0].pieces.of_cells();
    /// let pattern = brittle.cells.pattern(first_mode).expect("cells of a solid");
    /// let whole = Compound::from_solid(bar, Fit::Dop26);
    /// let broken = fracture(&whole, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default())?;
    /// assert_eq!(broken.fragments.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pattern(&self, colours: &[u32]) -> Option<Pattern> {
        let bounds = self.compound.bounds();
        let pattern = Pattern::from_points(&self.seeds, bounds.grown(bounds.extent() * MARGIN)).ok()?;
        let mut of_seed = vec![0; self.seeds.len()];
        for (&seed, &colour) in self.seed_of_cell.iter().zip(colours).rev() {
            of_seed[seed as usize] = colour;
        }
        // Seeds lie apart and in the box, so that each has a cell, in order.
        (pattern.cells().len() == of_seed.len())
            .then(|| pattern.coloured(|cell| of_seed[cell.colour as usize]))
    }

    /// The same cells of a cage around a solid of this volume: each stands for its share of that.
    pub(crate) fn weighing(self, volume: f64) -> Result<Cells, ModesError> {
        let share = volume / self.graph.volume();
        let cell = |cell: &Cell| Cell { volume: cell.volume * share, ..*cell };
        let cells = self.graph.cells().iter().map(cell).collect();
        Ok(Cells { graph: CellGraph::new(cells, self.graph.faces().to_vec())?, ..self })
    }

    /// The cell that has a place in it, or the nearest part of it; of cells from elsewhere the one with the nearest centre.
    pub(crate) fn locator(&self) -> impl Fn(DVec3) -> u32 + '_ {
        let centre = |cell: u32| self.graph.cells()[cell as usize].centre;
        let nearest = match self.seeds.is_empty() {
            true => Nearest::new(self.graph.cells().iter().map(|cell| cell.centre).collect()),
            false => Nearest::new(self.seeds.clone()),
        };
        move |place| {
            // Every solid has a cell.
            let found = nearest.find(place, |_| true).unwrap_or(0);
            if self.seeds.is_empty() {
                return found;
            }
            let first = self.seed_of_cell.partition_point(|&seed| seed < found) as u32;
            let of_seed =
                (first..).zip(&self.seed_of_cell[first as usize..]).take_while(|(_, seed)| **seed == found);
            let far = |cell: u32| centre(cell).distance_squared(place);
            let best = of_seed.map(|(cell, _)| cell).reduce(|a, b| if far(b) < far(a) { b } else { a });
            best.unwrap_or(0)
        }
    }

    /// What was cut out of the solid and not kept: slivers, and what is inside out of a solid that passes through itself.
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// The cells as pieces, with skins where the surface is.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// The cells as a graph, in the same order.
    pub fn graph(&self) -> &CellGraph {
        &self.graph
    }

    /// The cells with a part of the solid's own surface: those that can be hit.
    pub fn on_surface(&self) -> Vec<u32> {
        let pieces = (0..).zip(self.compound.pieces());
        let is_outer = |piece: &smithereens::Piece| {
            piece.skin().is_some_and(|skin| skin.mesh().faces.iter().any(|face| face.cut.is_none()))
        };
        pieces.filter(|(_, piece)| is_outer(piece)).map(|(index, _)| index).collect()
    }
}

/// Cells from pieces, faces from bonds, those of two pieces as one.
pub(crate) fn graph_of(compound: &Compound) -> Result<CellGraph, ModesError> {
    if let Some(ghost) = compound.pieces().iter().position(|piece| piece.is_ghost()) {
        return Err(ModesError::Ghost(ghost as u32));
    }
    let cell = |mass: &smithereens::Mass| Cell { volume: mass.volume, centre: mass.center };
    let cells: Vec<Cell> = compound.pieces().iter().map(|piece| cell(piece.mass())).collect();
    let mut sums: BTreeMap<[u32; 2], (f64, DVec3)> = BTreeMap::new();
    for bond in compound.bonds() {
        let normal = compound.plane_of(bond).map_or(DVec3::ZERO, |plane| plane.normal);
        let outward = if bond.a < bond.b { normal } else { -normal };
        let sum = sums.entry([bond.a.min(bond.b), bond.a.max(bond.b)]).or_default();
        *sum = (sum.0 + bond.area, sum.1 + outward * bond.area);
    }
    let tolerance = Tolerance::for_box(&compound.bounds());
    let face = |(pair, (area, normal)): ([u32; 2], (f64, DVec3))| {
        let plain = Face::between(&cells, pair, area);
        let distance = plain.distance.max(tolerance.length());
        let normals = [normal, plain.normal, DVec3::X];
        let normal = normals.into_iter().find(|n| n.length() > tolerance.area()).unwrap_or(DVec3::X);
        Face { normal, distance, ..plain }
    };
    let faces = sums.into_iter().map(face).filter(|face| face.area > tolerance.area()).collect();
    CellGraph::new(cells, faces)
}
