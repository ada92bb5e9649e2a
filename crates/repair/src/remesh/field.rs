//! Inside and outside on the corners of the grid, found only where the surface is.
//!
//! A corner is inside if the triangles wind around it more than half a time. Where triangles have no inside on either
//! side (open sheets, walls thinner than a cell), a corner is inside if it is nearer to them than the thickness they are
//! given. Cells without triangles are looked at only where the border between in and out leads into them: over a hole.

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::UnionFind;

use super::grid::Grid;
use crate::bvh::Bvh;
use crate::soup::Soup;
use crate::winding_tree::WindingTree;

const KNOWN: u8 = 1;
/// Wound around.
const SOLID: u8 = 2;
/// Near a sheet.
const SHEET: u8 = 4;
/// Not of a corner, but of the cell of the same number.
const VISITED: u8 = 8;

/// Sheets are made this many cells thick to either side: just enough to hold a corner everywhere.
const HALF_THICKNESS: f64 = 0.9;
/// A room around all triangles is this many cells thick: more than a cell's diagonal, so that it holds all corners of the cells they touch.
const ROOM: f64 = 1.75;

/// What is known of corners and cells.
pub(crate) struct Field<'a> {
    pub grid: Grid,
    pub soup: &'a Soup,
    tree: WindingTree,
    /// Cells and the triangles in them.
    pairs: Vec<(u32, u32)>,
    state: Vec<u8>,
    /// All cells that were looked at, in order.
    pub cells: Vec<u32>,
    /// Triangles that are given a thickness: those with no inside on either side, or all.
    sheets: Bvh,
    /// How far that goes to either side.
    half: f64,
    /// Whether every triangle has one across each edge: then in and out change only at triangles.
    is_closed: bool,
}

impl<'a> Field<'a> {
    /// Finds inside and outside.
    pub fn of(soup: &'a Soup, grid: Grid, is_closed: bool) -> Field<'a> {
        let (mut field, cells) = Field::traced(soup, grid, is_closed, HALF_THICKNESS);
        let lost: Vec<u32> = cells.into_par_iter().filter(|&cell| field.is_lost(cell)).collect();
        field.thicken(&lost, 1);
        field.cells.sort_unstable();
        field
    }

    /// The same with a thickness for all triangles, enough for a room around them.
    pub fn around(soup: &'a Soup, grid: Grid) -> Field<'a> {
        let (mut field, cells) = Field::traced(soup, grid, false, ROOM);
        field.thicken(&cells, 2);
        field.cells.sort_unstable();
        field
    }

    /// What the triangles wind around, and the cells that they touch.
    fn traced(soup: &'a Soup, grid: Grid, is_closed: bool, half: f64) -> (Field<'a>, Vec<u32>) {
        let pairs = grid.rasterise(soup);
        let mut field = Field {
            grid,
            soup,
            tree: WindingTree::of(soup),
            state: vec![0; grid.len()],
            cells: Vec::new(),
            sheets: Bvh::default(),
            half: grid.cell * half,
            is_closed,
            pairs,
        };
        let mut cells: Vec<u32> = field.pairs.iter().map(|p| p.0).collect();
        cells.dedup();
        field.trace(cells.clone());
        (field, cells)
    }

    /// Whether a corner is inside.
    #[inline]
    pub fn is_inside(&self, corner: u32) -> bool {
        self.state[corner as usize] & (SOLID | SHEET) != 0
    }

    /// Whether a corner is wound around.
    pub fn is_solid(&self, corner: u32) -> bool {
        self.state[corner as usize] & SOLID != 0
    }

    /// Whether a corner is near a sheet.
    pub fn is_sheet(&self, corner: u32) -> bool {
        self.state[corner as usize] & SHEET != 0
    }

    /// The inside corners of a cell, a bit each.
    pub fn case(&self, cell: u32) -> u8 {
        let corners = self.grid.cell_corners(cell);
        (0..8).fold(0, |bits, i| bits | u8::from(self.is_inside(corners[i])) << i)
    }

    /// The triangles in a cell.
    pub fn triangles_in(&self, cell: u32) -> &[(u32, u32)] {
        let start = self.pairs.partition_point(|p| p.0 < cell);
        let count = self.pairs[start..].iter().take_while(|p| p.0 == cell).count();
        &self.pairs[start..start + count]
    }

    /// How often the surface winds around a point.
    pub fn winding(&self, point: DVec3) -> f64 {
        self.tree.winding(point)
    }

    /// The nearest point of a sheet, and how far within its thickness a point is: positive inside.
    pub fn sheet(&self, point: DVec3) -> (f64, DVec3) {
        let half = self.half;
        match self.sheets.nearest(self.soup, point, 4.0 * half * half) {
            Some(nearest) => (half - nearest.squared.sqrt(), nearest.point),
            None => (-half, point),
        }
    }

    /// Looks at cells, then at all that the border between in and out leads into.
    fn trace(&mut self, mut cells: Vec<u32>) {
        while !cells.is_empty() {
            self.visit(&cells);
            let mut ahead: Vec<u32> = cells
                .par_iter()
                .with_min_len(4096)
                .flat_map_iter(|&cell| self.crossed_neighbours(cell))
                .filter(|&n| self.state[n as usize] & VISITED == 0)
                .collect();
            ahead.sort_unstable();
            ahead.dedup();
            cells = ahead;
        }
    }

    fn visit(&mut self, cells: &[u32]) {
        let mut corners: Vec<u32> = Vec::new();
        for &cell in cells {
            if self.state[cell as usize] & VISITED == 0 {
                self.state[cell as usize] |= VISITED;
                self.cells.push(cell);
            }
            let unknown = self.grid.cell_corners(cell).into_iter();
            corners.extend(unknown.filter(|&c| self.state[c as usize] & KNOWN == 0));
        }
        corners.sort_unstable();
        corners.dedup();
        let leaders =
            if self.is_closed { self.leaders(&corners) } else { (0..corners.len() as u32).collect() };
        let winds = |(index, &corner): (usize, &u32)| leaders[index] == index as u32 && self.winds(corner);
        let solid: Vec<bool> = corners.par_iter().enumerate().with_min_len(256).map(winds).collect();
        for (&corner, &leader) in corners.iter().zip(&leaders) {
            self.state[corner as usize] |= KNOWN | if solid[leader as usize] { SOLID } else { 0 };
        }
    }

    /// For each of some sorted corners one that is inside if and only if it is: no triangle lies between them. Long
    /// triangles make winding numbers costly; of a closed surface one a region is enough.
    fn leaders(&self, corners: &[u32]) -> Vec<u32> {
        let steps = self.grid.steps();
        let free: Vec<(u32, u32)> = corners
            .par_iter()
            .enumerate()
            .with_min_len(1024)
            .flat_map_iter(|(index, &corner)| {
                (0..3).filter_map(move |axis| {
                    let other = corners[index..].binary_search(&(corner + steps[axis])).ok()?;
                    let free = !self.is_outermost(corner) && self.is_free(corner, axis);
                    free.then_some((index as u32, (index + other) as u32))
                })
            })
            .collect();
        let mut sets = UnionFind::new(corners.len());
        free.into_iter().for_each(|(a, b)| sets.join(a, b));
        (0..corners.len() as u32).map(|c| sets.root(c)).collect()
    }

    /// Whether no triangle crosses the edge of the grid from a corner along an axis.
    fn is_free(&self, corner: u32, axis: usize) -> bool {
        let start = self.grid.point(corner);
        let way = DVec3::AXES[axis] * self.grid.cell;
        let hit = |t: u32| axis_hit(self.soup.points(t as usize), start, way, axis).is_some();
        self.cells_around(corner, axis).into_iter().all(|c| !self.triangles_in(c).iter().any(|p| hit(p.1)))
    }

    /// The four cells around the edge from a corner along an axis. The corner must not be outermost.
    pub fn cells_around(&self, corner: u32, axis: usize) -> [u32; 4] {
        let steps = self.grid.steps();
        let (j, k) = (steps[(axis + 1) % 3], steps[(axis + 2) % 3]);
        [corner, corner - j, corner - j - k, corner - k]
    }

    /// The outermost corners are outside, so that the surface is closed.
    fn winds(&self, corner: u32) -> bool {
        !self.is_outermost(corner) && self.tree.winding(self.grid.point(corner)) > 0.5
    }

    fn is_outermost(&self, corner: u32) -> bool {
        let at = self.grid.coordinates(corner);
        let last = self.grid.corners - glam::UVec3::ONE;
        at.cmpeq(glam::UVec3::ZERO).any() || at.cmpeq(last).any()
    }

    /// The neighbours of a cell beyond sides that have corners both in and out.
    fn crossed_neighbours(&self, cell: u32) -> impl Iterator<Item = u32> + use<> {
        let (case, steps) = (self.case(cell), self.grid.steps());
        (0..6).filter_map(move |side| {
            let (axis, high) = (side / 2, side % 2 == 1);
            let of_side = SIDES[side];
            let mixed = case & of_side != 0 && case & of_side != of_side;
            let step = steps[axis];
            // The outermost corners are all outside, so this stays within the grid.
            mixed.then(|| if high { cell + step } else { cell - step })
        })
    }

    /// Gives the triangles in some cells a thickness, which reaches so many cells beyond theirs.
    fn thicken(&mut self, lost: &[u32], reach: u32) {
        if lost.is_empty() {
            return;
        }
        let mut triangles: Vec<u32> =
            lost.iter().flat_map(|&c| self.triangles_in(c).iter().map(|p| p.1)).collect();
        triangles.sort_unstable();
        triangles.dedup();
        self.sheets = Bvh::of_part(self.soup, triangles);
        let mut near: Vec<u32> = lost.iter().flat_map(|&cell| self.grid.block(cell, reach)).collect();
        near.sort_unstable();
        near.dedup();
        self.visit(&near);
        self.mark_sheets(&near);
        // What was inside has grown: the border may now lead out of cells that were looked at before.
        self.trace(self.cells.clone());
    }

    fn mark_sheets(&mut self, cells: &[u32]) {
        let mut corners: Vec<u32> = cells.iter().flat_map(|&c| self.grid.cell_corners(c)).collect();
        corners.sort_unstable();
        corners.dedup();
        corners.retain(|&c| !self.is_outermost(c));
        let within: Vec<bool> =
            corners.par_iter().with_min_len(256).map(|&c| self.sheet(self.grid.point(c)).0 > 0.0).collect();
        for (&corner, _) in corners.iter().zip(within).filter(|(_, w)| *w) {
            self.state[corner as usize] |= SHEET;
        }
    }

    /// Whether no corner in reach of a cell's triangles is inside.
    fn is_lost(&self, cell: u32) -> bool {
        self.case(cell) == 0 && self.grid.block(cell, 1).all(|c| self.case(c) == 0)
    }
}

/// Where a way along an axis meets a triangle, as a share of it. Neighbours see their common edge alike, so that nothing
/// passes between them.
pub(crate) fn axis_hit(points: [DVec3; 3], start: DVec3, way: DVec3, axis: usize) -> Option<f64> {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let flat = points.map(|p| (p[j] - start[j], p[k] - start[k]));
    let cross = |a: (f64, f64), b: (f64, f64)| a.0 * b.1 - a.1 * b.0;
    let sides = [cross(flat[1], flat[2]), cross(flat[2], flat[0]), cross(flat[0], flat[1])];
    let sum = sides[0] + sides[1] + sides[2];
    let within = sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0);
    if !within || sum == 0.0 {
        return None;
    }
    let height = (0..3).map(|i| sides[i] * points[i][axis]).sum::<f64>() / sum;
    let t = (height - start[axis]) / way[axis];
    (0.0..=1.0).contains(&t).then_some(t)
}

/// The corners of each side of a cell: low x, high x, low y, ...
const SIDES: [u8; 6] = [0b0101_0101, 0b1010_1010, 0b0011_0011, 0b1100_1100, 0b0000_1111, 0b1111_0000];

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_geometry::{Aabb, Convex, Mesh, Slot};

    #[test]
    fn a_box_has_its_inside_and_a_sheet_gets_one() {
        let cube = Soup::of(&Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0))).0;
        let field = Field::of(&cube, Grid::around(&cube.bounds(), 16), true);
        assert!(field.sheets.is_empty());
        for &cell in &field.cells {
            for corner in field.grid.cell_corners(cell) {
                let inside = field.grid.point(corner).abs().max_element() < 1.0;
                assert_eq!(field.is_inside(corner), inside);
            }
        }
        let mut mesh = Mesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y], ..Mesh::default() };
        mesh.push_polygon(&[0, 1, 2], Slot(0));
        let sheet = Soup::of(&mesh).0;
        let field = Field::of(&sheet, Grid::around(&sheet.bounds(), 16), false);
        assert!(field.cells.iter().any(|&c| field.case(c) != 0) && !field.sheets.is_empty());
    }
}
