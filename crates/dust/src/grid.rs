//! A field of numbers on the cells of a box, with a rim around it that stands for what lies outside.

use glam::UVec3;
use rayon::prelude::*;

use crate::resample::Place;

/// Cells of rim before the first and after the last: as many as a cubic reaches back, and one more for the far faces.
pub(crate) const LOW: usize = 2;
pub(crate) const HIGH: usize = 3;
/// Planes that are worth a task.
pub(crate) const PLANES: usize = 4;

/// How a box of cells with its rim lies in memory: x runs fastest, then y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Cells along each axis, without the rim.
    pub size: [usize; 3],
    /// What lies between neighbours along each axis.
    pub stride: [usize; 3],
}

impl Layout {
    pub fn new(size: UVec3) -> Layout {
        let size = size.to_array().map(|n| n as usize);
        let row = size[0] + LOW + HIGH;
        Layout { size, stride: [1, row, row * (size[1] + LOW + HIGH)] }
    }

    /// All numbers, with the rim.
    pub fn len(&self) -> usize {
        self.stride[2] * (self.size[2] + LOW + HIGH)
    }

    /// How many cells there are without the rim.
    pub fn cells(&self) -> usize {
        self.size.iter().product()
    }

    /// Where a cell is; the rim has indices below 0 and beyond the size.
    pub fn at(&self, x: isize, y: isize, z: isize) -> usize {
        let low = LOW as isize;
        (x + low) as usize + (y + low) as usize * self.stride[1] + (z + low) as usize * self.stride[2]
    }
}

/// Numbers on a layout, at cells or, one axis each, at their lower faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    pub layout: Layout,
    pub data: Vec<f32>,
    /// The last index along each axis that is no rim: of a face along its own axis one more than of a cell.
    pub last: [usize; 3],
}

impl Grid {
    /// Zeros at the centres of cells, in the memory of another grid.
    pub fn centred(layout: Layout, memory: Grid) -> Grid {
        Grid { layout, data: cleared(memory.data, layout.len()), last: layout.size.map(|n| n - 1) }
    }

    /// Zeros at the lower faces of cells along an axis, in the memory of another grid.
    pub fn faces(layout: Layout, axis: usize, memory: Grid) -> Grid {
        let mut grid = Grid::centred(layout, memory);
        grid.last[axis] += 1;
        grid
    }

    /// How its numbers lie in memory, without the rim.
    pub fn place(&self) -> Place {
        let count = self.last.map(|last| last + 1);
        Place { first: self.layout.at(0, 0, 0), stride: self.layout.stride, count }
    }

    /// Gives the rim along an axis what is outside: the values next to it where there is a wall before the first, nothing where it is open.
    pub fn fill_rim(&mut self, axis: usize, wall: bool) {
        let (stride, last) = (self.layout.stride, LOW + self.last[axis]);
        if axis == 0 {
            let rows = self.data.par_chunks_mut(stride[1]);
            rows.with_min_len(256).for_each(|row| {
                let first = if wall { row[LOW] } else { 0.0 };
                row[..LOW].fill(first);
                row[last + 1..].fill(0.0);
            });
            return;
        }
        let (line, room) = (stride[axis], if axis == 1 { stride[2] } else { self.data.len() });
        self.data.par_chunks_mut(room).with_min_len(PLANES).for_each(|room| {
            for at in 0..LOW {
                room[at * line..(at + 1) * line].fill(0.0);
                if wall {
                    room.copy_within(LOW * line..(LOW + 1) * line, at * line);
                }
            }
            room[(last + 1) * line..].fill(0.0);
        });
    }
}

/// So many zeros, in memory that was something else: to get new memory takes longer than to clear it.
pub(crate) fn cleared<T: Clone + Default>(mut memory: Vec<T>, count: usize) -> Vec<T> {
    memory.clear();
    memory.resize(count, T::default());
    memory
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rim_is_what_is_outside() {
        let layout = Layout::new(UVec3::new(8, 8, 16));
        for axis in 0..3 {
            let mut grid = Grid::faces(layout, axis, Grid::default());
            let [x, y, z] = grid.last;
            for (k, j, i) in (0..=z).flat_map(|k| (0..=y).flat_map(move |j| (0..=x).map(move |i| (k, j, i))))
            {
                grid.data[layout.at(i as isize, j as isize, k as isize)] = (i + 100 * j + 10_000 * k) as f32;
            }
            (0..3).for_each(|axis| grid.fill_rim(axis, axis == 1));
            for (k, j, i) in
                (-2..=18).flat_map(|k| (-2..=10).flat_map(move |j| (-2..=10).map(move |i| (k, j, i))))
            {
                let inside =
                    (0..=x as isize).contains(&i) && j <= y as isize && (0..=z as isize).contains(&k);
                let expected = if inside { i + 100 * j.max(0) + 10_000 * k } else { 0 };
                assert_eq!(grid.data[layout.at(i, j, k)], expected as f32, "{axis}: {i} {j} {k}");
            }
        }
    }
}
