//! A new surface where nothing of the old one can be kept: from the winding number on a grid, edges and corners sharp.
//!
//! 1. `grid` finds the cells that hold triangles;
//! 2. `field` says which of their corners are inside, gives sheets a thickness, and follows the border over holes;
//! 3. `contour` makes a vertex for each patch in a cell (`cases`, `qef`) and triangles across the edges that are crossed;
//! 4. `dress` brings back slots, textures and normals.

mod cases;
mod contour;
mod dress;
mod field;
mod grid;
mod qef;

use crate::soup::Soup;
use field::Field;
use grid::Grid;

/// The surface of what triangles enclose, closed whatever they are; empty if they have no extent.
pub(crate) fn remesh(soup: &Soup, is_closed: bool, resolution: u32, progress: &(dyn Fn(f32) + Sync)) -> Soup {
    let bounds = soup.bounds();
    if bounds.is_empty() || bounds.extent() <= 0.0 {
        return Soup::default();
    }
    let field = Field::of(soup, Grid::around(&bounds, resolution), is_closed);
    progress(0.5);
    let mut surface = contour::contour(&field);
    progress(0.8);
    dress::dress(&mut surface, soup);
    progress(1.0);
    surface
}

/// The surface of a room that holds all triangles, closed and nowhere near them; empty if they have no extent.
pub(crate) fn enclose(soup: &Soup, resolution: u32) -> Soup {
    let bounds = soup.bounds();
    if bounds.is_empty() || bounds.extent() <= 0.0 || !bounds.extent().is_finite() {
        return Soup::default();
    }
    contour::contour(&Field::around(soup, Grid::around(&bounds, resolution)))
}
