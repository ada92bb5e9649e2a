//! Which cells of a partition are near a point: a grid over the partition's own frame.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};
use rayon::prelude::*;

use crate::{Aabb, Convex};

/// For each box of a grid, the cells that reach into it.
#[derive(Debug)]
pub struct CellGrid {
    bounds: Aabb,
    size: [usize; 3],
    scale: DVec3,
    starts: Vec<u32>,
    cells: Vec<u32>,
}

/// Enough boxes that most are in one or two cells, few enough that building the grid stays cheap.
const BOXES_PER_CELL: f64 = 12.0;
const MOST_BOXES_A_SIDE: f64 = 128.0;
const CELLS_A_TASK: usize = 16;

/// Boxes in a row that a cell reaches into.
struct Run {
    cell: u32,
    start: u32,
    end: u32,
}

/// A face of a cell, in units of the grid's boxes: how far outside it the first box is, how that changes from box to
/// box, and how many boxes along x make up for a unit of it.
struct Wall {
    depth: f64,
    slope: DVec3,
    run: f64,
}

impl CellGrid {
    /// The grid over `bounds` for cells of these shapes. Cells beyond the bounds count for the
    /// outermost boxes only as far as they reach into them.
    pub fn new(bounds: Aabb, shapes: &[&Convex]) -> CellGrid {
        let boxes = BOXES_PER_CELL * shapes.len().max(1) as f64;
        let size = bounds.size().max(DVec3::splat(f64::MIN_POSITIVE));
        let pitch = (size.element_product() / boxes).cbrt().max(size.max_element() / MOST_BOXES_A_SIDE);
        let counts = (size / pitch).ceil().clamp(DVec3::ONE, DVec3::splat(MOST_BOXES_A_SIDE));
        let mut grid = CellGrid {
            bounds,
            size: counts.to_array().map(|c| c as usize),
            scale: counts / size,
            starts: Vec::new(),
            cells: Vec::new(),
        };
        let runs: Vec<Vec<Run>> = shapes
            .par_chunks(CELLS_A_TASK)
            .enumerate()
            .map(|(task, shapes)| grid.runs_of(task * CELLS_A_TASK, shapes))
            .collect();
        grid.fill(&runs);
        grid
    }

    /// The boxes that some cells reach into, the first cell's first.
    fn runs_of(&self, first: usize, shapes: &[&Convex]) -> Vec<Run> {
        let (mut runs, mut walls) = (Vec::with_capacity(shapes.len() * 16), Vec::new());
        for (cell, shape) in (first as u32..).zip(shapes) {
            self.add_runs(cell, shape, &mut walls, &mut runs);
        }
        runs
    }

    /// Adds the boxes that a cell reaches into, row by row: each face bounds where in a row they are.
    fn add_runs(&self, cell: u32, shape: &Convex, walls: &mut Vec<Wall>, runs: &mut Vec<Run>) {
        let step = self.scale.recip();
        // Half a box's diagonal, and a hair more, so that rounding never loses a cell.
        let half = step * 0.5;
        let margin = half.length() * 1e-6;
        let reach = shape.bounds().grown(margin);
        let (low, high) = (self.index(reach.min), self.index(reach.max));
        walls.clear();
        walls.extend(shape.faces().iter().map(|f| {
            let slope = f.plane.normal * step;
            let depth = f.plane.distance(self.bounds.min + half) - f.plane.normal.abs().dot(half) - margin;
            Wall { slope, run: -slope.x.recip(), depth }
        }));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let (mut first, mut last) = (low[0] as f64, high[0] as f64);
                for wall in walls.iter() {
                    let depth = wall.depth + wall.slope.y * y as f64 + wall.slope.z * z as f64;
                    // Inside is where depth + slope.x * x is not above zero.
                    if wall.slope.x > 0.0 {
                        last = last.min(depth * wall.run);
                    } else if wall.slope.x < 0.0 {
                        first = first.max(depth * wall.run);
                    } else if depth > 0.0 {
                        last = f64::NEG_INFINITY;
                    }
                }
                let (first, last) = (first.ceil(), last.floor());
                if first <= last {
                    let start = self.box_of([first as usize, y, z]) as u32;
                    runs.push(Run { cell, start, end: start + (last - first) as u32 + 1 });
                }
            }
        }
    }

    fn fill(&mut self, runs: &[Vec<Run>]) {
        let boxes = self.size.iter().product::<usize>();
        self.starts = vec![0; boxes + 1];
        for run in runs.iter().flatten() {
            self.starts[run.start as usize + 1..=run.end as usize].iter_mut().for_each(|count| *count += 1);
        }
        for index in 0..boxes {
            self.starts[index + 1] += self.starts[index];
        }
        let mut next = self.starts.clone();
        self.cells = vec![0; self.starts[boxes] as usize];
        for run in runs.iter().flatten() {
            for next in &mut next[run.start as usize..run.end as usize] {
                self.cells[*next as usize] = run.cell;
                *next += 1;
            }
        }
    }

    #[inline]
    fn index(&self, point: DVec3) -> [usize; 3] {
        let at = (point - self.bounds.min) * self.scale;
        // A cast saturates: what is below the grid goes to box 0.
        std::array::from_fn(|axis| (at[axis] as usize).min(self.size[axis] - 1))
    }

    #[inline]
    fn box_of(&self, index: [usize; 3]) -> usize {
        (index[2] * self.size[1] + index[1]) * self.size[0] + index[0]
    }

    #[inline]
    fn cells_of(&self, index: usize) -> &[u32] {
        &self.cells[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// The box that the grid covers.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}

/// A grid of cells, placed in space.
#[derive(Clone, Debug)]
pub struct Locator {
    grid: Arc<CellGrid>,
    grid_from_world: DAffine3,
    /// The map's matrix without signs: takes half the size of a box to that of the box around its image.
    reach: DMat3,
    /// Cells that lie around the grid, and may reach a hair into it.
    around: std::ops::Range<u32>,
}

impl Locator {
    /// Places a grid in space. The cells `around` it are candidates for every point that is not
    /// clearly inside the grid.
    pub fn new(grid: Arc<CellGrid>, grid_from_world: DAffine3, around: std::ops::Range<u32>) -> Locator {
        let reach = DMat3::from_cols(
            grid_from_world.matrix3.x_axis.abs(),
            grid_from_world.matrix3.y_axis.abs(),
            grid_from_world.matrix3.z_axis.abs(),
        );
        Locator { grid, grid_from_world, reach, around }
    }

    /// Calls `visit` for every cell that may hold the point, until it answers true.
    #[inline]
    pub fn any_near(&self, point: DVec3, mut visit: impl FnMut(u32) -> bool) -> bool {
        let local = self.grid_from_world.transform_point3(point);
        let near = self.grid.cells_of(self.grid.box_of(self.grid.index(local)));
        near.iter().any(|&c| visit(c)) || (self.is_at_rim(local, local) && self.around.clone().any(visit))
    }

    fn is_at_rim(&self, min: DVec3, max: DVec3) -> bool {
        if self.around.is_empty() {
            return false;
        }
        let inner = self.grid.bounds.grown(-self.grid.bounds.extent() * 1e-9);
        !(inner.contains(min) && inner.contains(max))
    }

    /// Calls `visit` for every cell that may reach into a box; some more than once.
    pub fn for_each_in(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        let middle = self.grid_from_world.transform_point3(bounds.center());
        let half = self.reach * (bounds.size() * 0.5);
        let local = Aabb::new(middle - half, middle + half);
        let (low, high) = (self.grid.index(local.min), self.grid.index(local.max));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    self.grid.cells_of(self.grid.box_of([x, y, z])).iter().for_each(|&c| visit(c));
                }
            }
        }
        if self.is_at_rim(local.min, local.max) {
            self.around.clone().for_each(visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voronoi;

    #[test]
    fn every_box_lists_the_cells_that_reach_into_it() {
        let bounds = Aabb::new(DVec3::new(-1.0, 0.0, 2.0), DVec3::new(1.0, 3.0, 2.5));
        let mut points = vec![bounds.max, bounds.center(), bounds.center() + DVec3::new(0.3, 0.0, 0.0)];
        points.extend((0..40).map(|i| {
            let at = DVec3::new((i * 7 % 40) as f64, (i * 11 % 40) as f64, (i * 17 % 40) as f64);
            bounds.min + bounds.size() * (at / 40.0)
        }));
        let cells = voronoi(&points, &bounds);
        let shapes: Vec<&Convex> =
            cells.iter().map(|c| &c.convex).filter(|c| !c.faces().is_empty()).collect();
        let grid = CellGrid::new(bounds, &shapes);
        for index in 0..grid.starts.len() - 1 {
            let [nx, ny, _] = grid.size;
            let place = DVec3::new((index % nx) as f64, (index / nx % ny) as f64, (index / nx / ny) as f64);
            for corner in Aabb::new(place, place + 1.0).corners() {
                let point = bounds.min + corner / grid.scale;
                for cell in (0..shapes.len()).filter(|&cell| shapes[cell].contains(point)) {
                    assert!(grid.cells_of(index).contains(&(cell as u32)), "box {index}, cell {cell}");
                }
            }
        }
    }
}
