//! A convex region of space that a solid is cut by.

use std::sync::Arc;

use glam::{DAffine3, DVec3};

use crate::{Aabb, Convex, Cut, Halfspace, PlaneId, Tolerance};

use super::walls::Walls;

/// An edge of a cell: the loop of facet `left` runs from `start` to `end`, that of `right` back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellEdge {
    pub left: u32,
    pub right: u32,
    pub start: u32,
    pub end: u32,
}

/// What of a cell is the same wherever it is moved: its edges, and its volume but for a factor. Known once,
/// it makes placing a cell cheap.
#[derive(Clone, Debug)]
pub struct Skeleton {
    edges: Arc<[CellEdge]>,
    volume: f64,
}

impl Skeleton {
    /// The skeleton of a convex.
    pub fn of(convex: &Convex) -> Skeleton {
        Skeleton { edges: edges_of(convex).into(), volume: convex.volume() }
    }

    /// The volume of the convex.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The skeleton of the image under a map with this determinant.
    fn moved(&self, determinant: f64) -> Skeleton {
        let volume = self.volume * determinant.abs();
        // A mirrored face is walked the other way round.
        let mirrored = |e: &CellEdge| CellEdge { left: e.right, right: e.left, ..*e };
        let edges =
            if determinant < 0.0 { self.edges.iter().map(mirrored).collect() } else { self.edges.clone() };
        Skeleton { edges, volume }
    }
}

/// How far around a point of a cell no wall is: none at all, or none but the nearest. Not above zero where that is not clear.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Room {
    pub inside: f64,
    pub beside: f64,
}

/// A convex region of space, with what cutting by it needs to know.
#[derive(Clone, Debug)]
pub struct Cell {
    convex: Convex,
    halfspaces: Vec<Halfspace>,
    walls: Walls,
    skeleton: Skeleton,
    bounds: Aabb,
    middle: DVec3,
    tolerance: Tolerance,
}

impl Cell {
    /// The cell that a convex fills.
    pub fn new(convex: Convex) -> Cell {
        let skeleton = Skeleton::of(&convex);
        Cell::with_skeleton(convex, skeleton)
    }

    /// The image of a convex, whose skeleton is known, under an affine map, its planes' identities counted from
    /// `first_plane` on; `None` if the map is singular.
    pub fn placed(convex: &Convex, skeleton: &Skeleton, map: &DAffine3, first_plane: u64) -> Option<Cell> {
        let mut convex = convex.transformed(map)?;
        for face in &mut convex.faces {
            let moved = |cut: Cut| Cut::new(PlaneId::new(first_plane + cut.id().number()), cut.side());
            face.cut = face.cut.map(moved);
        }
        Some(Cell::with_skeleton(convex, skeleton.moved(map.matrix3.determinant())))
    }

    fn with_skeleton(convex: Convex, skeleton: Skeleton) -> Cell {
        let halfspaces: Vec<Halfspace> = convex.faces().iter().map(|f| f.halfspace()).collect();
        let walls = Walls::new(&halfspaces);
        let (bounds, middle) = (convex.bounds(), convex.middle());
        let tolerance = Tolerance::for_box(&bounds);
        Cell { convex, halfspaces, walls, skeleton, bounds, middle, tolerance }
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
        self.skeleton.volume
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
        &self.skeleton.edges
    }

    pub(crate) fn walls(&self) -> &Walls {
        &self.walls
    }

    /// Whether no face cuts the point away.
    #[inline]
    pub fn holds(&self, point: DVec3) -> bool {
        self.room(point).is_some()
    }

    /// The room that a point has in the cell; `None` if a face cuts the point away.
    #[inline]
    pub(crate) fn room(&self, point: DVec3) -> Option<Room> {
        let [nearest, second] = self.walls.nearest_two(point)?;
        if nearest < 0.0 {
            // Once to be clear of the walls, and once more for the rounding of where things are found to be.
            let margin = 2.0 * self.tolerance.length();
            return Some(Room { inside: -nearest - margin, beside: -second - margin });
        }
        self.halfspaces.iter().all(|h| !h.excludes(point)).then_some(Room::default())
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

/// An edge as it is found: the loops of how many faces run along it, and back.
struct Found {
    edge: CellEdge,
    along: u8,
    back: u8,
    /// The next edge from the same vertex, by the other end.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// The edges between two faces, in order of their lower end, then of the other.
fn edges_of(convex: &Convex) -> Vec<CellEdge> {
    let mut first = vec![NONE; convex.vertices().len()];
    let mut found: Vec<Found> = Vec::with_capacity(convex.corners.len() / 2);
    for face in 0..convex.faces().len() {
        let corners = convex.face_vertices(face);
        let Some(&last) = corners.last() else { continue };
        let mut a = last;
        for &b in corners {
            add_side(&mut first, &mut found, a, b, face as u32);
            a = b;
        }
    }
    let mut edges = Vec::with_capacity(found.len());
    for mut index in first {
        while let Some(found) = found.get(index as usize) {
            if (found.along, found.back) == (1, 1) {
                edges.push(found.edge);
            }
            index = found.next;
        }
    }
    edges
}

/// Adds the side of a face from `a` to `b` to the edges, which are listed by their lower end.
fn add_side(first: &mut [u32], found: &mut Vec<Found>, a: u32, b: u32, face: u32) {
    let (start, end) = (a.min(b), a.max(b));
    let mut before = NONE;
    let mut index = first[start as usize];
    while index != NONE && found[index as usize].edge.end < end {
        (before, index) = (index, found[index as usize].next);
    }
    if index == NONE || found[index as usize].edge.end != end {
        let new = found.len() as u32;
        let edge = CellEdge { left: NONE, right: NONE, start, end };
        found.push(Found { edge, along: 0, back: 0, next: index });
        match before {
            NONE => first[start as usize] = new,
            before => found[before as usize].next = new,
        }
        index = new;
    }
    let found = &mut found[index as usize];
    if a < b {
        (found.edge.left, found.along) = (face, found.along.saturating_add(1));
    } else {
        (found.edge.right, found.back) = (face, found.back.saturating_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_is_between_the_two_faces_whose_loops_have_it() {
        let cube = Cell::new(Convex::from_box(&Aabb::cube(1.0)));
        assert_eq!(cube.edges().len(), 12);
        for map in [DAffine3::from_rotation_x(0.4), DAffine3::from_scale(DVec3::new(-2.0, 1.0, 3.0))] {
            let placed = Cell::placed(cube.convex(), &cube.skeleton, &map, 0).unwrap();
            let anew = Cell::new(placed.convex().clone());
            assert!((placed.volume() - anew.volume()).abs() < 1e-12);
            for (edge, other) in placed.edges().iter().zip(anew.edges()) {
                let parts = |e: &CellEdge| (e.left, e.right, e.start, e.end);
                assert_eq!(parts(edge), parts(other));
                let corners = placed.convex().face_vertices(edge.left as usize);
                let at = corners.iter().position(|&v| v == edge.start).unwrap();
                assert_eq!(corners[(at + 1) % corners.len()], edge.end);
            }
        }
    }
}
