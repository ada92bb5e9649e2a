//! Voronoi cells of points in a box.
//!
//! Each cell starts as the box and is clipped by the bisectors with the points around it, nearest first,
//! until no point that may cut it is left (Rycroft 2009, *Voro++*). The points are sorted into a grid, which is
//! searched outward shell by shell, without the boxes whose points cannot cut the cell: the time is linear in
//! the points if they are spread evenly. Departures: three planes meet in every vertex, which keeps a clip to the
//! vertices it changes; and cells are independent of each other, so they are made on all threads.

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
    use crate::{Cut, Halfspace, Side};

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

    /// Every bisector clips the box: slow and sure.
    fn volume_by_force(points: &[DVec3], index: usize, bounds: &Aabb) -> f64 {
        let mut left = Some(Convex::from_box(bounds));
        for other in (0..points.len()).filter(|&other| other != index) {
            let plane = bisector(points, index as u32, other as u32);
            let side = if index < other { Side::Behind } else { Side::Front };
            left = left.and_then(|convex| convex.clipped(&Halfspace { plane, side, id: None }));
        }
        left.map_or(0.0, |convex| convex.volume())
    }

    #[test]
    fn no_point_that_cuts_is_left_out() {
        let noise = random_points(80, 31);
        let clusters = |i: usize| noise[i % 4] * 0.8 + noise[i] * 0.02;
        let in_line = |i: usize| DVec3::new(0.1, 0.2, -0.3) + DVec3::new(1.0, 0.7, 0.4) * (noise[i].x * 0.6);
        let on_axis = |i: usize| DVec3::new(0.1, noise[i].y * 0.9, -0.3);
        let on_sphere = |i: usize| noise[i].normalize() * 0.9;
        let in_a_corner = |i: usize| DVec3::splat(0.9) + noise[i] * 0.05;
        let far_outside = |i: usize| DVec3::new(40.0, -3.0, 1.0) + noise[i] * 2.0;
        let inside_and_far = |i: usize| noise[i] * if i.is_multiple_of(3) { 50.0 } else { 0.4 };
        let on_a_plate = |i: usize| noise[i] * DVec3::new(0.9, 0.9, 1e-3);
        let places: [&dyn Fn(usize) -> DVec3; 8] = [
            &clusters,
            &in_line,
            &on_axis,
            &on_sphere,
            &in_a_corner,
            &far_outside,
            &inside_and_far,
            &on_a_plate,
        ];
        let bounds = Aabb::new(DVec3::new(-1.0, -1.0, -1.0), DVec3::new(1.0, 1.2, 1.0));
        for (case, place) in places.iter().enumerate() {
            let points: Vec<DVec3> = (0..noise.len()).map(place).collect();
            let cells = voronoi(&points, &bounds);
            let total: f64 = cells.iter().map(|c| c.convex.volume()).sum();
            assert!((total - bounds.volume()).abs() < 1e-10, "case {case}: {total}");
            for (index, cell) in cells.iter().enumerate() {
                let wanted = volume_by_force(&points, index, &bounds);
                let found = cell.convex.volume();
                assert!((found - wanted).abs() < 1e-9, "case {case}, cell {index}: {found} for {wanted}");
            }
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
