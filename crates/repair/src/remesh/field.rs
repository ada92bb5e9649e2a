//! Inside and outside on the corners of the grid, found only where the surface is.
//!
//! A corner is inside if the triangles wind around it more than half a time. Where triangles have no inside on either
//! side (open sheets, walls thinner than a cell), a corner is inside if it is nearer to them than the thickness they are
//! given. Cells without triangles are looked at only where the border between in and out leads into them: over a hole.

use glam::DVec3;
use rayon::prelude::*;

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
    /// Triangles with no inside on either side.
    sheets: Bvh,
}

impl<'a> Field<'a> {
    /// Finds inside and outside.
    pub fn of(soup: &'a Soup, grid: Grid) -> Field<'a> {
        let pairs = grid.rasterise(soup);
        let mut field = Field {
            grid,
            soup,
            tree: WindingTree::of(soup),
            state: vec![0; grid.len()],
            cells: Vec::new(),
            sheets: Bvh::default(),
            pairs,
        };
        let mut cells: Vec<u32> = field.pairs.iter().map(|p| p.0).collect();
        cells.dedup();
        field.trace(cells.clone());
        field.thicken(&cells);
        field.cells.sort_unstable();
        field
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
        let half = self.grid.cell * HALF_THICKNESS;
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
        let solid: Vec<bool> = corners.par_iter().with_min_len(256).map(|&c| self.winds(c)).collect();
        for (&corner, solid) in corners.iter().zip(solid) {
            self.state[corner as usize] |= KNOWN | if solid { SOLID } else { 0 };
        }
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

    /// Gives triangles a thickness that no inside corner is near to.
    fn thicken(&mut self, cells: &[u32]) {
        let lost: Vec<u32> = cells.par_iter().copied().filter(|&cell| self.is_lost(cell)).collect();
        if lost.is_empty() {
            return;
        }
        let mut triangles: Vec<u32> =
            lost.iter().flat_map(|&c| self.triangles_in(c).iter().map(|p| p.1)).collect();
        triangles.sort_unstable();
        triangles.dedup();
        self.sheets = Bvh::of_part(self.soup, triangles);
        let mut near: Vec<u32> = lost.iter().flat_map(|&cell| self.grid.block(cell, 1)).collect();
        near.sort_unstable();
        near.dedup();
        self.visit(&near);
        self.mark_sheets(&near);
        self.trace(near);
    }

    fn mark_sheets(&mut self, cells: &[u32]) {
        let mut corners: Vec<u32> = cells.iter().flat_map(|&c| self.grid.cell_corners(c)).collect();
        corners.sort_unstable();
        corners.dedup();
        corners.retain(|&c| !self.is_outermost(c));
        let within: Vec<bool> = corners
            .par_iter()
            .with_min_len(256)
            .map(|&c| self.sheet(self.grid.point(c)).0 > 0.0)
            .collect();
        for (&corner, _) in corners.iter().zip(within).filter(|(_, w)| *w) {
            self.state[corner as usize] |= SHEET;
        }
    }

    /// Whether no corner in reach of a cell's triangles is inside.
    fn is_lost(&self, cell: u32) -> bool {
        self.case(cell) == 0 && self.grid.block(cell, 1).all(|c| self.case(c) == 0)
    }
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
        let field = Field::of(&cube, Grid::around(&cube.bounds(), 16));
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
        let field = Field::of(&sheet, Grid::around(&sheet.bounds(), 16));
        assert!(field.cells.iter().any(|&c| field.case(c) != 0) && !field.sheets.is_empty());
    }
}
