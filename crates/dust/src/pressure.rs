//! The pressure that makes air flow around things and never pile up: a multigrid for Poisson's equation, a cycle a step, from where the last ended.
//!
//! Rows are red and black like a chessboard's squares; within a row all cells are worked on side by side. Planes are worked on in slabs that see each
//! other as they were before the sweep, so that threads have no say.

use rayon::prelude::*;

use crate::grid::cleared;
use crate::resample::Place;

/// Planes of a slab.
const SLAB: usize = 8;
/// Sweeps within a slab before it looks at its neighbours again.
const SWEEPS: usize = 2;
/// How often the coarsest grid is smoothed.
const COARSEST: usize = 8;
/// A share of each cell that gives way. Air that is locked in and pressed has no solution otherwise; it is felt beyond a hundred cells only.
const GIVE: f32 = 1e-4;

/// One grid of the multigrid, with a rim of one cell in which the pressure is that of open air.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level {
    pub size: [usize; 3],
    row: usize,
    plane: usize,
    /// How open the lower faces along each axis are: 0 is a wall.
    pub open: [Vec<f32>; 3],
    /// One over the sum of the cell's open faces; 0 in what is closed on all sides.
    share: Vec<f32>,
    pub pressure: Vec<f32>,
    /// What flows out of each cell and should not.
    pub outflow: Vec<f32>,
    left: Vec<f32>,
}

impl Level {
    /// Walls everywhere, in the memory of another grid.
    pub fn new(size: [usize; 3], memory: Level) -> Level {
        let row = size[0] + 2;
        let plane = row * (size[1] + 2);
        let zeros = |memory: Vec<f32>| cleared(memory, plane * (size[2] + 2));
        Level {
            size,
            row,
            plane,
            open: memory.open.map(zeros),
            share: zeros(memory.share),
            pressure: zeros(memory.pressure),
            outflow: zeros(memory.outflow),
            left: zeros(memory.left),
        }
    }

    /// Where a cell is.
    pub fn at(&self, x: usize, y: usize, z: usize) -> usize {
        (x + 1) + (y + 1) * self.row + (z + 1) * self.plane
    }

    pub fn strides(&self) -> [usize; 3] {
        [1, self.row, self.plane]
    }

    /// How its numbers lie in memory, without the rim.
    pub fn place(&self) -> Place {
        Place { first: self.at(0, 0, 0), stride: self.strides(), count: self.size }
    }

    /// To be called when what is open has changed.
    fn weigh(&mut self) {
        let ([columns, rows, planes], strides) = (self.size, self.strides());
        let (plane_len, row_len, open) = (self.plane, self.row, &self.open);
        let shares = self.share.par_chunks_mut(plane_len).enumerate().skip(1).take(planes);
        shares.with_min_len(SLAB).for_each(|(plane, shares)| {
            for row in 1..=rows {
                let from = row * row_len + 1;
                let at = plane * plane_len + from;
                let low = open.each_ref().map(|open| &open[at..at + columns]);
                let high: [_; 3] =
                    std::array::from_fn(|axis| &open[axis][at + strides[axis]..at + strides[axis] + columns]);
                for (i, share) in shares[from..from + columns].iter_mut().enumerate() {
                    let sum = low[0][i] + low[1][i] + low[2][i] + high[0][i] + high[1][i] + high[2][i];
                    *share = if sum > 0.0 { 1.0 / (sum + GIVE) } else { 0.0 };
                }
            }
        });
    }

    /// Brings each cell's pressure nearer to what its neighbours ask for.
    fn smooth(&mut self) {
        let (slab_len, slabs) = (SLAB * self.plane, self.size[2].div_ceil(SLAB));
        let end = self.plane * (self.size[2] + 1);
        let plane_of = |at: usize| self.pressure[at..at + self.plane].to_vec();
        let around: Vec<[Vec<f32>; 2]> = (0..slabs)
            .map(|slab| {
                let from = self.plane + slab * slab_len;
                [plane_of(from - self.plane), plane_of((from + slab_len).min(end))]
            })
            .collect();
        let mut pressure = std::mem::take(&mut self.pressure);
        let inner = &mut pressure[self.plane..end];
        inner.par_chunks_mut(slab_len).zip(&around).enumerate().for_each(|(slab, (pressure, around))| {
            let mut fresh = vec![0.0; self.size[0]];
            for colour in (0..2 * SWEEPS).map(|half| half % 2) {
                self.smooth_rows(pressure, around, 1 + slab * SLAB, colour, &mut fresh);
            }
        });
        self.pressure = pressure;
    }

    /// The rows of one colour in a slab that begins with plane `first`.
    fn smooth_rows(
        &self,
        slab: &mut [f32],
        around: &[Vec<f32>; 2],
        first: usize,
        colour: usize,
        fresh: &mut [f32],
    ) {
        let planes = slab.len() / self.plane;
        for plane in 0..planes {
            let start = if (first + plane) % 2 == colour { 1 } else { 2 };
            for row in (start..=self.size[1]).step_by(2) {
                let from = row * self.row + 1;
                let here = plane * self.plane + from;
                let below = if plane == 0 { &around[0][from..] } else { &slab[here - self.plane..] };
                let above = if plane + 1 == planes { &around[1][from..] } else { &slab[here + self.plane..] };
                let sides = [&slab[here - self.row..], &slab[here + self.row..], below, above];
                self.relax(&slab[here - 1..], sides, (first + plane) * self.plane + from, fresh);
                slab[here..here + fresh.len()].copy_from_slice(fresh);
            }
        }
    }

    /// One row of new pressures: `along` is the row from the cell before, `at` where it begins.
    #[inline(always)]
    fn relax(&self, along: &[f32], sides: [&[f32]; 4], at: usize, fresh: &mut [f32]) {
        let count = fresh.len();
        let along = &along[..count + 2];
        let sides = sides.map(|side| &side[..count]);
        let [x, y, z] = self.open.each_ref();
        let (x, share) = (&x[at..at + count + 1], &self.share[at..at + count]);
        let (y0, y1) = (&y[at..at + count], &y[at + self.row..at + self.row + count]);
        let (z0, z1) = (&z[at..at + count], &z[at + self.plane..at + self.plane + count]);
        let outflow = &self.outflow[at..at + count];
        for i in 0..count {
            let row = x[i] * along[i] + x[i + 1] * along[i + 2];
            let rows = y0[i] * sides[0][i] + y1[i] * sides[1][i];
            let planes = z0[i] * sides[2][i] + z1[i] * sides[3][i];
            fresh[i] = (row + rows + planes - outflow[i]) * share[i];
        }
    }

    /// What the pressure leaves of the outflow, into `left`.
    fn find_rest(&mut self) {
        let ([columns, rows, planes], strides) = (self.size, self.strides());
        let (pressure, open, outflow) = (&self.pressure, &self.open, &self.outflow);
        let (row_len, plane_len, share) = (self.row, self.plane, &self.share);
        let left = self.left.par_chunks_mut(plane_len).enumerate().skip(1).take(planes);
        left.with_min_len(SLAB).for_each(|(plane, left)| {
            for row in 1..=rows {
                let from = row * row_len + 1;
                let at = plane * plane_len + from;
                let here = &pressure[at..at + columns];
                let (share, outflow) = (&share[at..at + columns], &outflow[at..at + columns]);
                let left = &mut left[from..from + columns];
                left.copy_from_slice(outflow);
                for axis in 0..3 {
                    let step = strides[axis];
                    let (low, high) = (
                        &pressure[at - step..at - step + columns],
                        &pressure[at + step..at + step + columns],
                    );
                    let open = &open[axis];
                    let (shut, wide) = (&open[at..at + columns], &open[at + step..at + step + columns]);
                    for i in 0..columns {
                        left[i] -= shut[i] * (low[i] - here[i]) + wide[i] * (high[i] - here[i]);
                    }
                }
                for i in 0..columns {
                    left[i] = if share[i] > 0.0 { left[i] + GIVE * here[i] } else { 0.0 };
                }
            }
        });
    }
}

/// All grids, from the finest to the coarsest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Multigrid {
    levels: Vec<Level>,
}

impl Multigrid {
    /// Grids from this size on, each half as fine as the one before, in the memory of others.
    pub fn new(size: [usize; 3], memory: Multigrid) -> Multigrid {
        let halves = |size: &[usize; 3]| {
            let can = size.iter().all(|n| n % 2 == 0 && *n > 2);
            can.then(|| size.map(|n| n / 2))
        };
        let sizes = std::iter::successors(Some(size), halves);
        let memory = memory.levels.into_iter().chain(std::iter::repeat_with(Level::default));
        Multigrid { levels: sizes.zip(memory).map(|(size, memory)| Level::new(size, memory)).collect() }
    }

    /// The grid of the air itself.
    pub fn finest(&self) -> &Level {
        &self.levels[0]
    }

    /// The same, to be written.
    pub fn finest_mut(&mut self) -> &mut Level {
        &mut self.levels[0]
    }

    /// Tells all grids what is open, from the finest.
    pub fn prepare(&mut self) {
        self.levels[0].weigh();
        for fine in 0..self.levels.len() - 1 {
            let (above, below) = self.levels.split_at_mut(fine + 1);
            // Open air begins half a fine cell outside, on every grid: nearer than a coarse one's next cell.
            let nearer = |level: usize| 2.0 / (1.0 + 0.5_f32.powi(level as i32));
            let border = nearer(fine + 1) / nearer(fine);
            (0..3).for_each(|axis| coarsen_faces(&above[fine], &mut below[0], axis, border));
            below[0].weigh();
        }
    }

    /// Brings the pressure nearer to what the outflow asks for: to about a tenth of what is left.
    pub fn cycle(&mut self) {
        let coarsest = self.levels.len() - 1;
        for fine in 0..coarsest {
            let (above, below) = self.levels.split_at_mut(fine + 1);
            above[fine].smooth();
            above[fine].find_rest();
            restrict(&above[fine], &mut below[0]);
            below[0].pressure.fill(0.0);
        }
        (0..COARSEST).for_each(|_| self.levels[coarsest].smooth());
        for fine in (0..coarsest).rev() {
            let (above, below) = self.levels.split_at_mut(fine + 1);
            prolong(&below[0], &mut above[fine]);
            above[fine].smooth();
        }
    }
}

/// A coarse face is as open as its four fine ones together.
fn coarsen_faces(fine: &Level, coarse: &mut Level, axis: usize, border: f32) {
    let strides = fine.strides();
    let (s, t) = (strides[(axis + 1) % 3], strides[(axis + 2) % 3]);
    let mut last = coarse.size.map(|n| n - 1);
    last[axis] += 1;
    let end = coarse.size[axis];
    for (z, y) in (0..=last[2]).flat_map(|z| (0..=last[1]).map(move |y| (z, y))) {
        let (to, from) = (coarse.at(0, y, z), fine.at(0, 2 * y, 2 * z));
        for x in 0..=last[0] {
            let at = from + 2 * x;
            let open = &fine.open[axis];
            let mean = 0.25 * (open[at] + open[at + s] + open[at + t] + open[at + s + t]);
            let along = [x, y, z][axis];
            coarse.open[axis][to + x] = if along == 0 || along == end { mean * border } else { mean };
        }
    }
}

/// What is left on the fine grid is what flows out on the coarse one.
fn restrict(fine: &Level, coarse: &mut Level) {
    let ([columns, rows, planes], row_len, plane_len) = (coarse.size, coarse.row, coarse.plane);
    let outflow = coarse.outflow.par_chunks_mut(plane_len).enumerate().skip(1).take(planes);
    outflow.with_min_len(SLAB).for_each(|(plane, outflow)| {
        for row in 0..rows {
            let from = fine.at(0, 2 * row, 2 * (plane - 1));
            let lines = [0, fine.row, fine.plane, fine.row + fine.plane];
            let lines =
                lines.map(|step| fine.left[from + step..from + step + 2 * columns].as_chunks::<2>().0);
            let to = (row + 1) * row_len + 1;
            for (x, out) in outflow[to..to + columns].iter_mut().enumerate() {
                let sums = lines.map(|line| line[x][0] + line[x][1]);
                // Twice the distance, four times the pressure for the same outflow: four times the mean of eight.
                *out = 0.5 * (sums[0] + sums[1] + sums[2] + sums[3]);
            }
        }
    });
}

/// Adds the coarse pressure to the fine one, linear between cells, but not through walls.
fn prolong(coarse: &Level, fine: &mut Level) {
    let ([columns, rows, planes], strides) = (fine.size, coarse.strides());
    let (row_len, plane_len, share) = (fine.row, fine.plane, &fine.share);
    let pressure = fine.pressure.par_chunks_mut(plane_len).enumerate().skip(1).take(planes);
    pressure.with_min_len(SLAB).for_each(|(plane, pressure)| {
        let z = plane - 1;
        for y in 0..rows {
            let to = (y + 1) * row_len + 1;
            let from = coarse.at(0, y / 2, z / 2);
            for half in 0..columns / 2 {
                let at = from + half;
                let here = coarse.pressure[at];
                let slope = |axis: usize, upper: bool| {
                    let step = strides[axis];
                    let (face, other) = if upper { (at + step, at + step) } else { (at, at - step) };
                    coarse.open[axis][face] * (coarse.pressure[other] - here)
                };
                let sides = slope(1, y % 2 == 1) + slope(2, z % 2 == 1);
                for upper in [false, true] {
                    let x = 2 * half + usize::from(upper);
                    let is_air = if share[plane * plane_len + to + x] > 0.0 { 1.0 } else { 0.0 };
                    pressure[to + x] += is_air * (here + 0.25 * (sides + slope(0, upper)));
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(level: &mut Level) -> f32 {
        level.find_rest();
        level.left.iter().map(|left| left * left).sum::<f32>().sqrt()
    }

    /// A box with random walls in it, and what flows out of each cell.
    fn nasty(size: [usize; 3], walls: u32) -> Multigrid {
        let mut grid = Multigrid::new(size, Multigrid::default());
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        let level = grid.finest_mut();
        let cells: Vec<usize> = (0..size.iter().product())
            .map(|i| level.at(i % size[0], i / size[0] % size[1], i / size[0] / size[1]))
            .collect();
        for &at in &cells {
            (0..3).for_each(|axis| level.open[axis][at] = if next() % 100 < walls { 0.0 } else { 1.0 });
            level.outflow[at] = next() as f32 / 32768.0 - 1.0;
        }
        grid.prepare();
        grid
    }

    #[test]
    fn a_cycle_leaves_a_small_part() {
        for size in [[32, 24, 32], [8, 8, 8], [40, 16, 24]] {
            let mut grid = nasty(size, 0);
            let mut before = rest(grid.finest_mut());
            for cycle in 0..5 {
                grid.cycle();
                let after = rest(grid.finest_mut());
                assert!(after < 0.3 * before, "{size:?}, cycle {cycle}: {before} to {after}");
                before = after;
            }
        }
    }

    #[test]
    fn walls_slow_it_down_but_nothing_grows() {
        let mut grid = nasty([24, 16, 32], 30);
        let before = rest(grid.finest_mut());
        let mut last = before;
        for cycle in 0..40 {
            grid.cycle();
            let after = rest(grid.finest_mut());
            assert!(after < 1.1 * last, "cycle {cycle}: {last} to {after}");
            last = after;
        }
        assert!(last < 0.05 * before, "{before} to {last}");
        assert!(grid.finest().pressure.iter().all(|p| p.is_finite()));
    }
}
