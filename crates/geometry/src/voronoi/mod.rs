//! Voronoi cells of points in a box.
//!
//! Each cell starts as the box and is clipped by the bisectors with the points around it, nearest first,
//! until no point near enough to cut it is left (Rycroft 2009, *Voro++*). The points are sorted into
//! a grid, so that the time is linear in their number. Departures: three planes meet in every
//! vertex, which keeps a clip to the vertices it changes; and cells are independent of each other, so
//! they are made on all threads.

mod cell;
mod grid;
mod mark;
mod reach;
mod shells;

use glam::DVec3;
use rayon::prelude::*;

pub use mark::mark_cells;

use cell::CellMaker;
use grid::PointGrid;

use crate::{Aabb, Convex, Plane, Tolerance};

/// What lies across a face of a Voronoi cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// The cell of another point.
    Point(u32),
    /// A wall of the box: -x, +x, -y, +y, -z, +z.
    Wall(u8),
}

/// The cell of a point.
#[derive(Clone, Debug, Default)]
pub struct VoronoiCell {
    /// Its shape; empty for a point at the place of an earlier one, or whose cell misses the box.
    pub convex: Convex,
    /// What lies across each face.
    pub across: Vec<Across>,
}

/// The Voronoi cells of points in a box, one a point. Points closer than the box's [`Tolerance`] count as one: the
/// first gets the cell.
///
/// ```
/// use smithereens_geometry::{voronoi, Aabb};
/// use glam::DVec3;
/// let cells = voronoi(&[DVec3::splat(-0.5), DVec3::splat(0.5)], &Aabb::cube(1.0));
/// assert!((cells[0].convex.volume() - 4.0).abs() < 1e-12);
/// ```
pub fn voronoi(points: &[DVec3], bounds: &Aabb) -> Vec<VoronoiCell> {
    let tolerance = Tolerance::for_box(bounds);
    let grid = PointGrid::new(points);
    let alive = grid.first_of_each(points, tolerance.length());
    let chunk = (points.len() / (rayon::current_num_threads() * 8)).clamp(16, 1024);
    let chunks: Vec<Vec<VoronoiCell>> = (0..points.len())
        .collect::<Vec<_>>()
        .par_chunks(chunk)
        .map_init(
            || CellMaker::new(points, bounds, &grid, &alive, tolerance.rounding()),
            |maker, indices| indices.iter().map(|&i| maker.cell(i as u32)).collect(),
        )
        .collect();
    chunks.into_iter().flatten().collect()
}

/// The bisector of two points, oriented from the one with the lower index to the other.
pub fn bisector(points: &[DVec3], a: u32, b: u32) -> Plane {
    let (low, high) = (points[a.min(b) as usize], points[a.max(b) as usize]);
    let normal = (high - low).normalize();
    Plane::new(normal, normal.dot((low + high) * 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cut;

    fn random_points(count: usize, seed: u64) -> Vec<DVec3> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        (0..count).map(|_| DVec3::new(next(), next(), next())).collect()
    }

    #[test]
    fn cells_fill_the_box_and_hold_what_is_nearest() {
        for (count, seed) in [(1, 1), (2, 2), (10, 3), (500, 4), (3000, 5)] {
            let points = random_points(count, seed);
            let cells = voronoi(&points, &Aabb::cube(1.0));
            let volume: f64 = cells.iter().map(|c| c.convex.volume()).sum();
            assert!((volume - 8.0).abs() < 1e-11, "{count}: {volume}");
            for sample in random_points(50, seed + 100) {
                let nearest = (0..count)
                    .min_by(|&a, &b| {
                        points[a].distance_squared(sample).total_cmp(&points[b].distance_squared(sample))
                    })
                    .unwrap();
                assert!(cells[nearest].convex.depth(sample) < 1e-12);
            }
        }
    }

    #[test]
    fn grids_duplicates_and_points_outside_still_fill_the_box() {
        let mut grid = Vec::new();
        for i in 0..125 {
            grid.push(DVec3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64) * 0.5 - 1.0);
        }
        let mut doubled = random_points(40, 9);
        doubled.extend(doubled.clone());
        let outside: Vec<DVec3> = random_points(60, 11).iter().map(|p| *p * 3.0).collect();
        for points in [grid, doubled, outside] {
            let mut cells = voronoi(&points, &Aabb::cube(1.0));
            let volume: f64 = cells.iter().map(|c| c.convex.volume()).sum();
            assert!((volume - 8.0).abs() < 1e-9, "{volume}");
            mark_cells(&mut cells, 0);
        }
    }

    #[test]
    fn neighbours_hold_the_same_plane_from_both_sides() {
        let mut cells = voronoi(&random_points(100, 21), &Aabb::cube(1.0));
        mark_cells(&mut cells, 1000);
        for cell in &cells {
            for (face, across) in cell.convex.faces().iter().zip(&cell.across) {
                let Across::Point(other) = across else { continue };
                let back = cells[*other as usize]
                    .convex
                    .faces()
                    .iter()
                    .find(|f| f.cut == face.cut.map(Cut::opposite));
                assert!(back.is_none_or(|b| b.halfspace().plane == face.halfspace().plane));
            }
        }
    }
}
