//! A solid cut by the cells of nodes into pieces that hang together (Müller et al. 2013, section 4.1).
//!
//! One piece an island of what is in a cell, with a convex fitted around it; it works for any genus. Departures: planes between nodes have
//! identities of their own, so bonds are found without tolerances; and a moved node cuts anew only the cells that changed.

use std::sync::{Arc, OnceLock};

use glam::{DAffine3, DVec3};
use rayon::prelude::*;
use smithereens_geometry::{
    Aabb, Across, CarvePlan, Carved, Carver, Cell, CellGrid, Convex, Cut, Fit, Fitting, KnifeRack, Locator,
    Partition, PlaneId, Side, Solid, SplitPlanes, Tightness, Tolerance, VoronoiCell, voronoi,
};
use thiserror::Error;

use super::hull_volume::HullVolume;
use crate::awake::awake;
use crate::contact::Contacts;
use crate::pattern::{WALLS, wall_cut};
use crate::{Bonds, Compound, Dropped, Piece, Pieces};

/// Why nodes decompose nothing.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DecomposeError {
    /// There are no nodes.
    #[error("there are no nodes: give one at least")]
    NoNodes,
    /// A node is NaN or infinite.
    #[error("node {node} is not finite: {place}")]
    NotFinite {
        /// Its index.
        node: usize,
        /// Its place.
        place: DVec3,
    },
    /// No piece of the solid is large enough to keep.
    #[error("the solid is too thin: no piece of it has a volume")]
    NoPieces,
}

/// A solid cut by the Voronoi cells of nodes, ready to be edited.
///
/// ```
/// use smithereens::{prepare::Decomposition, Aabb, Convex, Fit, Slot, Solid};
/// use glam::DVec3;
/// let bar = Aabb::new(DVec3::ZERO, DVec3::new(4.0, 1.0, 1.0));
/// let solid = Solid::new(Convex::from_box(&bar).to_mesh(Slot(0)))?;
/// let nodes = [0.5, 1.5, 3.0].map(|x| DVec3::new(x, 0.5, 0.5));
/// let mut decomposition = Decomposition::new(solid, nodes.to_vec(), Fit::Dop26)?;
/// assert_eq!(decomposition.compound().pieces().len(), 3);
/// let recomputed = decomposition.move_node(2, DVec3::new(3.2, 0.5, 0.5))?;
/// assert_eq!(recomputed, 2); // the first cell is as it was
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Decomposition {
    solid: Arc<Solid>,
    /// How pieces get their convexes; `None` for a sketch, in which only the pieces count: without bonds, nothing fitted, and parts in one cell
    /// are not split until their convexes do not overlap.
    fit: Option<Fit>,
    nodes: Vec<DVec3>,
    bounds: Aabb,
    tolerance: Tolerance,
    /// One a node; without faces for a node at the place of another.
    cells: Vec<Convex>,
    contents: Vec<Content>,
    compound: Compound,
}

/// What a cell holds of the solid.
#[derive(Clone, Debug, Default)]
struct Content {
    pieces: Vec<Arc<Piece>>,
    dropped: Dropped,
    /// The volumes of the hulls of the pieces, once somebody has asked: cells that do not change keep them.
    hulls: OnceLock<Vec<f64>>,
}

impl Content {
    /// Keeps a piece that has a volume to speak of.
    fn keep(&mut self, piece: Piece, tolerance: &Tolerance) {
        if piece.mass().volume > tolerance.volume() {
            self.pieces.push(Arc::new(piece));
        } else {
            self.dropped.add(Dropped::of(&piece));
        }
    }

    /// The volumes of the hulls of the pieces.
    fn hulls(&self) -> &[f64] {
        self.hulls.get_or_init(|| {
            let volume = |piece: &Arc<Piece>| match piece.skin() {
                Some(skin) => HullVolume::with(|hull| hull.of(&skin.mesh().positions)),
                None => piece.mass().volume,
            };
            self.pieces.iter().map(volume).collect()
        })
    }

    /// The volume of all that was cut out, kept or not.
    fn volume(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.mass().volume).sum::<f64>() + self.dropped.volume
    }
}

/// Of the extent: cells reach a little farther than the solid, so that none of its faces lies in a wall.
const MARGIN: f64 = 0.05;

impl Decomposition {
    /// Cuts a solid by the cells of nodes, on all threads of the pool.
    pub fn new(
        solid: impl Into<Arc<Solid>>,
        nodes: Vec<DVec3>,
        fit: Fit,
    ) -> Result<Decomposition, DecomposeError> {
        Decomposition::cut_by(solid.into(), nodes, Some(fit))
    }

    /// The same without bonds and with the cells for convexes, for a search that looks at pieces only: where parts of one cell wind around
    /// each other, none is split.
    pub(super) fn sketch(solid: &Arc<Solid>, nodes: Vec<DVec3>) -> Result<Decomposition, DecomposeError> {
        Decomposition::cut_by(solid.clone(), nodes, None)
    }

    fn cut_by(
        solid: Arc<Solid>,
        nodes: Vec<DVec3>,
        fit: Option<Fit>,
    ) -> Result<Decomposition, DecomposeError> {
        let bounds = solid.mesh().bounds();
        let mut new = Decomposition {
            tolerance: Tolerance::for_box(&bounds),
            bounds: bounds.grown(bounds.extent() * MARGIN),
            solid,
            fit,
            nodes: Vec::new(),
            cells: Vec::new(),
            contents: Vec::new(),
            compound: Compound::assemble(Pieces::new(Vec::new()), Bonds::default(), 0),
        };
        new.set_nodes(nodes)?;
        Ok(new)
    }

    /// Puts nodes in the place of those there, and cuts anew the cells that change. Returns how many those are. On an error
    /// all stays as it was.
    pub fn set_nodes(&mut self, nodes: Vec<DVec3>) -> Result<usize, DecomposeError> {
        check(&nodes)?;
        awake(|| {
            let cells = node_cells(&nodes, &self.bounds);
            let is_changed =
                |(index, cell): (usize, &Convex)| self.cells.get(index).is_none_or(|old| old != cell);
            let changed: Vec<bool> = cells.iter().enumerate().map(is_changed).collect();
            let contents = self.cut(&cells, &changed);
            let compound = self.assemble(&contents, &cells).ok_or(DecomposeError::NoPieces)?;
            (self.nodes, self.cells, self.contents, self.compound) = (nodes, cells, contents, compound);
            Ok(changed.iter().filter(|&&c| c).count())
        })
    }

    /// Moves a node, and cuts anew the cells that change: its own and those next to it, before and after. Returns how
    /// many those are. A node that is not there moves nothing.
    pub fn move_node(&mut self, node: usize, to: DVec3) -> Result<usize, DecomposeError> {
        let mut nodes = self.nodes.clone();
        match nodes.get_mut(node) {
            Some(place) => *place = to,
            None => return Ok(0),
        }
        self.set_nodes(nodes)
    }

    /// The nodes.
    pub fn nodes(&self) -> &[DVec3] {
        &self.nodes
    }

    /// What was decomposed.
    pub fn solid(&self) -> &Solid {
        &self.solid
    }

    /// The pieces and their bonds. Parts of the solid that do not touch are in one compound all the same.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// The volume of all convexes over the solid's: one is a perfect fit.
    pub fn fit_ratio(&self) -> f64 {
        self.compound.pieces().iter().map(|p| p.convex().volume()).sum::<f64>() / self.solid.volume()
    }

    /// The volume of the true hulls of all pieces over the solid's: how well the nodes are placed, whatever is fitted.
    pub fn hull_ratio(&self) -> f64 {
        let hulls: Vec<&[f64]> = self.contents.par_iter().map(Content::hulls).collect();
        hulls.into_iter().flatten().sum::<f64>() / self.solid.volume()
    }

    /// The pieces of each node's cell.
    pub fn pieces_of(&self, node: usize) -> &[Arc<Piece>] {
        self.contents.get(node).map_or(&[], |content| &content.pieces)
    }

    /// What was cut out and not kept: slivers, and what is inside out of a solid that passes through itself, which counts with its sign.
    /// The solid has the volume of the pieces and this.
    pub fn dropped(&self) -> Dropped {
        let mut all = Dropped::default();
        self.contents.iter().for_each(|content| all.add(content.dropped));
        all
    }

    /// What all cells hold: cut anew where a cell has changed, kept where it has not.
    fn cut(&self, cells: &[Convex], changed: &[bool]) -> Vec<Content> {
        let alive: Vec<u32> =
            (0..cells.len() as u32).filter(|&c| !cells[c as usize].faces().is_empty()).collect();
        let shapes: Vec<&Convex> = alive.iter().map(|&c| &cells[c as usize]).collect();
        let grid = Arc::new(CellGrid::new(self.bounds, &shapes));
        let count = alive.len() as u32;
        let partition = Partition {
            cells: shapes.par_iter().map(|&shape| Cell::new(shape.clone())).collect(),
            locator: Locator::new(grid, DAffine3::IDENTITY, count..count),
        };
        let plan = CarvePlan::new(&self.solid, &partition);
        let around = Convex::from_box(&self.solid.mesh().bounds());
        let firsts: Vec<u64> = alive.iter().map(|&node| pair_id(node, node)).collect();
        let split_planes = SplitPlanes::Listed(&firsts);
        let fitting = self.fit.map(|fit| Fitting {
            tightness: Tightness::Fitted(fit),
            around: &around,
            tolerance: self.tolerance,
        });
        let carver = Carver { solid: &self.solid, partition: &partition, plan: &plan, fitting, split_planes };
        let wanted: Vec<u32> = (0..count).filter(|&c| changed[alive[c as usize] as usize]).collect();
        let rack = KnifeRack::default();
        let kept = |c: usize| if changed[c] { Content::default() } else { self.contents[c].clone() };
        let mut contents: Vec<Content> = (0..cells.len()).map(kept).collect();
        self.take(carver.run_some(&wanted, &rack), &partition, &alive, &mut contents);
        let volume: f64 = contents.iter().map(Content::volume).sum();
        if (volume - self.solid.volume()).abs() > self.solid.volume() * Tolerance::RELATIVE {
            contents = vec![Content::default(); cells.len()];
            self.take(carver.run(&rack), &partition, &alive, &mut contents);
        }
        contents
    }

    /// Makes pieces of what was carved.
    fn take(
        &self,
        carved: Vec<(u32, Carved)>,
        partition: &Partition,
        alive: &[u32],
        contents: &mut [Content],
    ) {
        for (cell, carved) in carved {
            let content = &mut contents[alive[cell as usize] as usize];
            match carved {
                Carved::Nothing => {}
                Carved::Whole => {
                    let shape = partition.cells[cell as usize].convex();
                    content.keep(Piece::interior(shape.clone()), &self.tolerance);
                }
                Carved::Parts(parts) => {
                    parts.into_iter().for_each(|part| content.keep(Piece::from(part), &self.tolerance));
                }
            }
        }
    }

    fn assemble(&self, contents: &[Content], cells: &[Convex]) -> Option<Compound> {
        let all: Vec<Arc<Piece>> = contents.iter().flat_map(|content| &content.pieces).cloned().collect();
        if all.is_empty() {
            return None;
        }
        let bonds = if self.fit.is_some() { self.bonds_of(&all) } else { Bonds::default() };
        let next_plane = pair_id(cells.len() as u32, 0);
        let mut compound = Compound::assemble(Pieces::new(all), bonds, next_plane);
        compound.in_one_part = compound.islands().len() == 1;
        Some(compound)
    }

    fn bonds_of(&self, pieces: &[Arc<Piece>]) -> Bonds {
        let mut contacts = Contacts::default();
        for (index, piece) in (0..).zip(pieces) {
            contacts.add(index, 0, piece, |cut| cut.id().number() >= WALLS);
        }
        Bonds::new(&contacts.find_bonds(&self.tolerance, |a, b| a != b))
    }
}

fn check(nodes: &[DVec3]) -> Result<(), DecomposeError> {
    if nodes.is_empty() {
        return Err(DecomposeError::NoNodes);
    }
    match nodes.iter().position(|n| !n.is_finite()) {
        Some(node) => Err(DecomposeError::NotFinite { node, place: nodes[node] }),
        None => Ok(()),
    }
}

/// The Voronoi cells of nodes. The plane between two has a number that only they decide, so that it stays what it is
/// while others move, come and go.
fn node_cells(nodes: &[DVec3], bounds: &Aabb) -> Vec<Convex> {
    let mark = |(index, cell): (usize, VoronoiCell)| {
        let mut convex = cell.convex;
        for (face, across) in cell.across.iter().enumerate() {
            let cut = match *across {
                Across::Wall(wall) => wall_cut(wall),
                Across::Point(other) => {
                    let side = if (index as u32) < other { Side::Behind } else { Side::Front };
                    Cut::new(PlaneId::new(pair_id(index as u32, other)), side)
                }
            };
            convex.mark(face, cut);
        }
        convex
    };
    voronoi(nodes, bounds).into_iter().enumerate().map(mark).collect()
}

/// The nodes on both sides of a plane between two.
pub(super) fn nodes_beside(id: PlaneId) -> Option<(u32, u32)> {
    let pair = id.number().checked_sub(WALLS)? / SplitPlanes::A_CELL;
    let high = ((pair as f64 * 8.0 + 1.0).sqrt() as u64).saturating_sub(1) / 2;
    let low = pair.checked_sub(high * (high + 1) / 2)?;
    (low < high).then_some((low as u32, high as u32))
}

/// A number for the plane between two nodes, the same in either order; of a node and itself, the first for planes within its cell.
fn pair_id(a: u32, b: u32) -> u64 {
    let (low, high) = (u64::from(a.min(b)), u64::from(a.max(b)));
    WALLS + (high * (high + 1) / 2 + low) * SplitPlanes::A_CELL
}
