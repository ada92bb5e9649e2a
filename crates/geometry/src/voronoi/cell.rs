//! One cell: the box, clipped by one bisector after the other.

use glam::DVec3;

use super::grid::PointGrid;
use super::reach::Reach;
use super::shells::Shells;
use super::{Across, VoronoiCell, bisector};
use crate::trivalent::Trivalent;
use crate::{Aabb, Clip, Convex, Plane};

/// Makes cells one after the other, reusing memory.
pub(super) struct CellMaker<'a> {
    points: &'a [DVec3],
    bounds: &'a Aabb,
    grid: &'a PointGrid,
    /// Points that have a cell.
    alive: &'a [bool],
    /// A bisector that cuts away less depth than this cuts nothing, and a cell no thicker is none: rounding has moved it.
    hair: f64,
    /// The cell under way, seen from its point.
    shape: Trivalent<Across>,
    shells: Shells,
}

impl<'a> CellMaker<'a> {
    pub fn new(
        points: &'a [DVec3],
        bounds: &'a Aabb,
        grid: &'a PointGrid,
        alive: &'a [bool],
        hair: f64,
    ) -> CellMaker<'a> {
        let (shape, shells) = (Trivalent::default(), Shells::default());
        CellMaker { points, bounds, grid, alive, hair, shape, shells }
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
        self.shape.start_box(self.bounds, center, [0, 1, 2, 3, 4, 5].map(Across::Wall));
        self.shells.start(self.grid, center);
        let mut reach = Reach::of(self.shape.positions());
        while self.shells.advance(self.grid, &reach) {
            // While clip after clip cuts, to know how far the cell now reaches would save nothing.
            let mut is_stale = false;
            for other in self.shells.near() {
                let to = self.points[other as usize] - center;
                let distance = to.length_squared();
                if other == index || !self.alive[other as usize] || reach.misses(to, distance) {
                    continue;
                }
                let least = self.hair * self.hair * distance;
                match self.shape.clip(to, distance * 0.5, least, Across::Point(other)) {
                    Clip::Whole if !is_stale => {}
                    Clip::Whole => (reach, is_stale) = (Reach::of(self.shape.positions()), false),
                    Clip::Part => is_stale = true,
                    Clip::Nothing => return Clip::Nothing,
                }
            }
            if is_stale {
                reach = Reach::of(self.shape.positions());
            }
        }
        Clip::Part
    }

    fn finish(&mut self, index: u32) -> VoronoiCell {
        let mut across = Vec::new();
        let mut shape = std::mem::take(&mut self.shape);
        let convex = shape.convex(self.points[index as usize], |a| {
            across.push(a);
            (self.outward_plane(a, index), None)
        });
        self.shape = shape;
        VoronoiCell { convex, across }
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
