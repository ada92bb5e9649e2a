//! One cell: the box, clipped by one bisector after the other.

use glam::DVec3;

use super::grid::PointGrid;
use super::shape::{Shape, after};
use super::shells::Shells;
use super::{Across, VoronoiCell, bisector};
use crate::{Aabb, Clip, Convex, ConvexFace, Plane};

/// Makes cells one after the other, reusing memory.
pub(super) struct CellMaker<'a> {
    points: &'a [DVec3],
    bounds: &'a Aabb,
    grid: &'a PointGrid,
    /// Points that have a cell.
    alive: &'a [bool],
    /// A cell no thicker than this is none: rounding has made it.
    hair: f64,
    shape: Shape,
    shells: Shells,
    /// For each plane, a vertex on it and the edge that leads on around it.
    first_corner: Vec<(u16, u8)>,
}

const NONE: u16 = u16::MAX;

impl<'a> CellMaker<'a> {
    pub fn new(
        points: &'a [DVec3],
        bounds: &'a Aabb,
        grid: &'a PointGrid,
        alive: &'a [bool],
        hair: f64,
    ) -> CellMaker<'a> {
        let (shape, shells) = (Shape::new(hair), Shells::default());
        CellMaker { points, bounds, grid, alive, hair, shape, shells, first_corner: Vec::new() }
    }

    pub fn cell(&mut self, index: u32) -> VoronoiCell {
        if !self.alive[index as usize] || self.clip_all(index) == Clip::Nothing {
            return VoronoiCell::default();
        }
        let cell = self.finish(index);
        let outside = !self.bounds.contains(self.points[index as usize]);
        if outside && is_flat(&cell.convex, self.hair) { VoronoiCell::default() } else { cell }
    }

    /// Clips the box by the bisectors with all points that cut the cell.
    fn clip_all(&mut self, index: u32) -> Clip {
        let center = self.points[index as usize];
        self.shape.start(self.bounds, center);
        self.shells.start(self.grid, center);
        let mut reach = self.shape.reach();
        while self.shells.advance(self.grid, &reach) {
            // While clip after clip cuts, to know how far the cell now reaches would save nothing.
            let mut is_stale = false;
            for other in self.shells.near() {
                let to = self.points[other as usize] - center;
                let distance = to.length_squared();
                if other == index || !self.alive[other as usize] || reach.misses(to, distance) {
                    continue;
                }
                match self.shape.clip(to, distance, Across::Point(other)) {
                    Clip::Whole if !is_stale => {}
                    Clip::Whole => (reach, is_stale) = (self.shape.reach(), false),
                    Clip::Part => is_stale = true,
                    Clip::Nothing => return Clip::Nothing,
                }
            }
            if is_stale {
                reach = self.shape.reach();
            }
        }
        Clip::Part
    }

    fn finish(&mut self, index: u32) -> VoronoiCell {
        let center = self.points[index as usize];
        let corners = &self.shape.corners;
        self.first_corner.clear();
        self.first_corner.resize(self.shape.planes.len(), (NONE, 0));
        for (v, corner) in corners.iter().enumerate().rev() {
            for (slot, &plane) in (0..3).zip(&corner.planes) {
                self.first_corner[plane as usize] = (v as u16, slot);
            }
        }
        let mut cell = VoronoiCell::default();
        let faces = self.first_corner.iter().filter(|first| first.0 != NONE).count();
        cell.convex.vertices = (0..corners.len() as u16).map(|v| self.shape.position(v) + center).collect();
        cell.convex.corners.reserve_exact(corners.len() * 3);
        cell.convex.faces.reserve_exact(faces);
        cell.across.reserve_exact(faces);
        for (&first, &across) in self.first_corner.iter().zip(&self.shape.planes) {
            if first.0 == NONE {
                continue;
            }
            self.walk_face(first, &mut cell.convex.corners);
            cell.convex.faces.push(ConvexFace {
                plane: self.outward_plane(across, index),
                cut: None,
                end: cell.convex.corners.len() as u32,
            });
            cell.across.push(across);
        }
        cell
    }

    /// Lists the vertices around a plane.
    fn walk_face(&self, first: (u16, u8), around: &mut Vec<u32>) {
        let (mut v, mut slot) = first;
        for _ in 0..self.shape.corners.len() {
            around.push(v as u32);
            let corner = &self.shape.corners[v as usize];
            (v, slot) = (corner.neighbours[slot as usize], after(corner.back[slot as usize]));
            if v == first.0 {
                return;
            }
        }
    }

    fn outward_plane(&self, across: Across, index: u32) -> Plane {
        match across {
            Across::Point(other) => {
                let plane = bisector(self.points, index, other);
                if index < other { plane } else { plane.flipped() }
            }
            Across::Wall(wall) => {
                let axis = DVec3::AXES[wall as usize / 2];
                if wall & 1 == 0 {
                    Plane::new(-axis, -self.bounds.min.dot(axis))
                } else {
                    Plane::new(axis, self.bounds.max.dot(axis))
                }
            }
        }
    }
}

/// Whether a cell of a point outside the box only touches it: where the plane towards a point inside is a
/// wall.
fn is_flat(convex: &Convex, least: f64) -> bool {
    let area: f64 = (0..convex.faces.len()).map(|f| convex.face_area(f)).sum();
    convex.volume() <= area * least
}
