//! The grid that a surface is sampled on: which cells hold which triangles.

use glam::{DVec3, UVec3};
use rayon::prelude::*;
use smithereens_geometry::Aabb;

use crate::soup::Soup;

/// Cells of room around the object: a sheet gets thicker by one, and the outermost corners must be outside.
const ROOM: f64 = 3.0;
/// The grid is moved by this share of a cell, so that faces along the axes lie on no plane of it.
const SHIFT: f64 = 0.381966;

/// A regular grid of cubes. Corners are numbered along x, then y, then z; a cell has the number of its least corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    origin: DVec3,
    /// The side of a cell.
    pub cell: f64,
    /// How many corners along each axis.
    pub corners: UVec3,
}

impl Grid {
    /// The grid around a box, of `resolution` cells along its longest side.
    pub fn around(bounds: &Aabb, resolution: u32) -> Grid {
        let cell = bounds.extent() / resolution.max(1) as f64;
        let corners = (bounds.size() / cell + 2.0 * ROOM + 2.0).ceil().as_uvec3();
        Grid { origin: bounds.min - DVec3::splat((ROOM + SHIFT) * cell), cell, corners }
    }

    /// How many corners there are.
    pub fn len(&self) -> usize {
        self.corners.x as usize * self.corners.y as usize * self.corners.z as usize
    }

    /// The step from a corner to the next one along each axis.
    pub fn steps(&self) -> [u32; 3] {
        [1, self.corners.x, self.corners.x * self.corners.y]
    }

    /// The corners of a cell: bit 0 of the index is x, bit 1 y, bit 2 z.
    pub fn cell_corners(&self, cell: u32) -> [u32; 8] {
        let [x, y, z] = self.steps();
        std::array::from_fn(|i| {
            let bit = |k: usize| (i >> k & 1) as u32;
            cell + bit(0) * x + bit(1) * y + bit(2) * z
        })
    }

    /// Where a corner is along each axis.
    pub fn coordinates(&self, corner: u32) -> UVec3 {
        let UVec3 { x, y, .. } = self.corners;
        UVec3::new(corner % x, corner / x % y, corner / x / y)
    }

    /// The number of a corner.
    pub fn number(&self, at: UVec3) -> u32 {
        (at.z * self.corners.y + at.y) * self.corners.x + at.x
    }

    /// Where a corner is in space.
    pub fn point(&self, corner: u32) -> DVec3 {
        self.origin + self.coordinates(corner).as_dvec3() * self.cell
    }

    /// The box of a cell.
    pub fn bounds(&self, cell: u32) -> Aabb {
        let min = self.point(cell);
        Aabb::new(min, min + DVec3::splat(self.cell))
    }

    /// The cell that a point is in.
    fn place(&self, point: DVec3) -> UVec3 {
        let last = self.corners - UVec3::splat(2);
        ((point - self.origin) / self.cell).max(DVec3::ZERO).as_uvec3().min(last)
    }

    /// The cells of a block around a cell, `reach` in each direction.
    pub fn block(&self, cell: u32, reach: u32) -> impl Iterator<Item = u32> + use<> {
        let (grid, at) = (*self, self.coordinates(cell));
        let low = at.saturating_sub(UVec3::splat(reach));
        let high = (at + UVec3::splat(reach)).min(grid.corners - UVec3::splat(2));
        (low.z..=high.z).flat_map(move |z| {
            (low.y..=high.y)
                .flat_map(move |y| (low.x..=high.x).map(move |x| grid.number(UVec3::new(x, y, z))))
        })
    }

    /// All pairs of a cell and a triangle that touches it, sorted.
    pub fn rasterise(&self, soup: &Soup) -> Vec<(u32, u32)> {
        let mut pairs: Vec<(u32, u32)> = (0..soup.triangles.len() as u32)
            .into_par_iter()
            .with_min_len(1024)
            .fold(Vec::new, |mut pairs, triangle| {
                self.rasterise_triangle(triangle, soup.points(triangle as usize), &mut pairs);
                pairs
            })
            .reduce(Vec::new, |mut a, b| {
                a.extend(b);
                a
            });
        pairs.par_sort_unstable();
        pairs
    }

    fn rasterise_triangle(&self, triangle: u32, points: [DVec3; 3], pairs: &mut Vec<(u32, u32)>) {
        let bounds = Aabb::of_points(points);
        // Boxes of cells are halved and those left out that the triangle does not touch.
        let mut waiting = vec![(self.place(bounds.min), self.place(bounds.max))];
        let single = waiting[0].0 == waiting[0].1;
        while let Some((low, high)) = waiting.pop() {
            let half = (high - low + UVec3::ONE).as_dvec3() * (self.cell * 0.5);
            let center = self.point(self.number(low)) + half;
            if !single && !touches(points.map(|p| p - center), half * GENEROUS) {
                continue;
            }
            let size = high - low;
            let Some(axis) = (0..3).filter(|&i| size[i] > 0).max_by_key(|&i| size[i]) else {
                pairs.push((self.number(low), triangle));
                continue;
            };
            let (mut end, mut start) = (high, low);
            end[axis] = low[axis] + size[axis] / 2;
            start[axis] = end[axis] + 1;
            waiting.extend([(low, end), (start, high)]);
        }
    }
}

/// A triangle on the border of two cells belongs to both.
const GENEROUS: f64 = 1.0 + 1e-9;

/// Whether a triangle touches the box of half size `half` about the origin (Akenine-Möller 2001).
fn touches(points: [DVec3; 3], half: DVec3) -> bool {
    let [a, b, c] = points;
    let edges = [b - a, c - b, a - c];
    let apart = |axis: DVec3| {
        let reach = half.dot(axis.abs());
        let along = points.map(|p| p.dot(axis));
        let (min, max) = (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]));
        min > reach || max < -reach
    };
    let crossed = edges.iter().flat_map(|e| DVec3::AXES.map(|axis| axis.cross(*e)));
    !DVec3::AXES.into_iter().chain([edges[0].cross(edges[1])]).chain(crossed).any(apart)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::fixtures;

    #[test]
    fn every_point_of_a_triangle_is_in_a_cell_that_has_it() {
        let soup = Soup::of(fixtures::ico_sphere(1.0, 1).mesh()).0;
        let grid = Grid::around(&soup.bounds(), 23);
        let pairs = grid.rasterise(&soup);
        for triangle in 0..soup.triangles.len() {
            let [a, b, c] = soup.points(triangle);
            for (u, v) in [(0.0, 0.0), (0.3, 0.3), (0.9, 0.05), (0.5, 0.5)] {
                let cell = grid.number(grid.place(a + (b - a) * u + (c - a) * v));
                assert!(pairs.binary_search(&(cell, triangle as u32)).is_ok());
            }
        }
        assert_eq!(grid.coordinates(grid.number(UVec3::new(3, 4, 5))), UVec3::new(3, 4, 5));
    }
}
