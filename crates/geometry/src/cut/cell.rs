//! A convex region of space that a solid is cut by.

use glam::DVec3;

use crate::{Aabb, Convex, Halfspace, Tolerance};

use super::walls::Walls;

/// An edge of a cell: the loop of facet `left` runs from `start` to `end`, that of `right` back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellEdge {
    pub left: u32,
    pub right: u32,
    pub start: u32,
    pub end: u32,
}

/// A convex region of space, with what cutting by it needs to know.
#[derive(Clone, Debug)]
pub struct Cell {
    convex: Convex,
    halfspaces: Vec<Halfspace>,
    walls: Walls,
    edges: Vec<CellEdge>,
    volume: f64,
    bounds: Aabb,
    middle: DVec3,
    tolerance: Tolerance,
}

impl Cell {
    /// The cell that a convex fills.
    pub fn new(convex: Convex) -> Cell {
        let halfspaces: Vec<Halfspace> = convex.faces().iter().map(|f| f.halfspace()).collect();
        let walls = Walls::new(&halfspaces);
        let (edges, volume) = (edges_of(&convex), convex.volume());
        let (bounds, middle) = (convex.bounds(), convex.middle());
        let tolerance = Tolerance::for_box(&bounds);
        Cell { convex, halfspaces, walls, edges, volume, bounds, middle, tolerance }
    }

    /// Its shape.
    pub fn convex(&self) -> &Convex {
        &self.convex
    }

    /// The half-space of each face of the shape.
    pub fn halfspaces(&self) -> &[Halfspace] {
        &self.halfspaces
    }

    /// Its volume.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The box around it.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// A point inside.
    pub fn middle(&self) -> DVec3 {
        self.middle
    }

    /// What counts as nothing at its size.
    pub fn tolerance(&self) -> &Tolerance {
        &self.tolerance
    }

    pub(crate) fn edges(&self) -> &[CellEdge] {
        &self.edges
    }

    /// Whether no face cuts the point away.
    #[inline]
    pub fn holds(&self, point: DVec3) -> bool {
        let tie = || self.halfspaces.iter().all(|h| !h.excludes(point));
        self.walls.hold(point).unwrap_or_else(tie)
    }

    /// The face towards a neighbour that holds `point`, and the neighbour's towards this cell.
    pub(crate) fn shared_wall(&self, neighbour: &Cell, point: DVec3) -> Option<[u32; 2]> {
        self.walls.beyond(point).find_map(|wall| {
            let across = self.halfspaces[wall as usize].complement();
            let back = neighbour.halfspaces.iter().position(|h| *h == across)?;
            Some([wall, back as u32])
        })
    }

    /// Whether a point is inside of all faces but one by more than the tolerance.
    #[inline]
    pub(crate) fn clearly_holds(&self, point: DVec3, but: u32) -> bool {
        self.walls.clearly_hold(point, but, self.tolerance.length())
    }

    /// How far beyond the farthest of its planes a point is.
    pub fn depth(&self, point: DVec3) -> f64 {
        self.halfspaces.iter().map(|h| h.depth(point)).fold(f64::NEG_INFINITY, f64::max)
    }
}

fn edges_of(convex: &Convex) -> Vec<CellEdge> {
    let mut directed: Vec<(u32, u32, bool, u32)> = Vec::with_capacity(convex.corners.len());
    for face in 0..convex.faces().len() {
        let corners = convex.face_vertices(face);
        for (i, &a) in corners.iter().enumerate() {
            let b = corners[if i + 1 == corners.len() { 0 } else { i + 1 }];
            directed.push((a.min(b), a.max(b), a > b, face as u32));
        }
    }
    directed.sort_unstable();
    let mut edges = Vec::with_capacity(directed.len() / 2);
    for pair in directed.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        if let [(start, end, false, left), (_, _, true, right)] = *pair {
            edges.push(CellEdge { left, right, start, end });
        }
    }
    edges
}
