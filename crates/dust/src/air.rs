//! The air around the dust: incompressible, on a grid of cells with velocities at their faces (Harlow and Welch 1965).
//!
//! A step: walls and movers are put in their places, dust pushes the air, air carries itself along, and pressure makes it flow around what it cannot
//! flow through.

use glam::{Vec3, Vec3A, Vec4};
use rayon::prelude::*;
use wide::f32x4;

use crate::advect::sweep;
use crate::grid::{Grid, LOW, Layout, PLANES, cleared};
use crate::lanes::{LANES, Vec3x4};
use crate::obstacles::{Obstacles, drag};
use crate::pressure::Multigrid;
use crate::report::Times;
use crate::resample::{Along, carry};
use crate::shape::{Form, Moving};
use crate::window::Window;

/// The density of air, in kilograms a cubic metre.
pub(crate) const AIR_DENSITY: f32 = 1.2;
/// More cycles while the pressure is still far from what it should be.
const FIRST_CYCLES: u32 = 3;

/// The air in a window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Air {
    pub window: Window,
    /// Velocities through the lower faces of cells, along each axis.
    pub faces: [Grid; 3],
    pub pressure: Multigrid,
    /// How many steps the pressure has had to settle.
    pub steps: u64,
    next: [Grid; 3],
    between: Grid,
    centred: [Grid; 3],
    /// Velocities at the centres of cells, as particles ask for them.
    velocity: Vec<f32x4>,
    obstacles: Obstacles,
}

/// What dust does to the air of a cell in a step: its momentum, in kilograms times metres a second, and its mass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Push {
    pub cells: Vec<Vec4>,
    /// Whether there is any in a row along x, the rim's rows included.
    pub rows: Vec<bool>,
}

/// The air at four points: its velocity, and how that changes along x, y and z.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Breeze {
    /// Where in memory the cells are, of points in the window.
    pub cells: [Option<u32>; LANES],
    pub velocity: Vec3x4,
    pub slopes: [Vec3x4; 3],
}

impl Air {
    /// Still air, in the memory of other air.
    pub fn new(window: Window, blockers: &[Form], memory: Air) -> Air {
        let layout = Layout::new(window.size);
        let faces = |memory: [Grid; 3]| {
            let mut memory =
                memory.into_iter().enumerate().map(|(axis, grid)| Grid::faces(layout, axis, grid));
            std::array::from_fn(|_| memory.next().unwrap_or_default())
        };
        Air {
            window,
            faces: faces(memory.faces),
            next: faces(memory.next),
            between: Grid::centred(layout, memory.between),
            centred: memory.centred.map(|grid| Grid::centred(layout, grid)),
            velocity: cleared(memory.velocity, layout.len()),
            obstacles: Obstacles::new(&window, blockers, memory.obstacles),
            pressure: Multigrid::new(layout.size, memory.pressure),
            steps: 0,
        }
    }

    pub fn layout(&self) -> Layout {
        self.faces[0].layout
    }

    /// Gives the air the velocity that each place has by a rule.
    pub fn set_velocity(&mut self, rule: impl Fn(Vec3) -> Vec3) {
        let layout = self.layout();
        for axis in 0..3 {
            let half = middle_of_face(axis);
            let [x, y, z] = self.faces[axis].last.map(|last| last as isize);
            for (k, j, i) in (0..=z).flat_map(|k| (0..=y).flat_map(move |j| (0..=x).map(move |i| (k, j, i))))
            {
                let place = Vec3::new(i as f32, j as f32, k as f32) + half;
                let point = self.window.origin() + place * self.window.cell;
                self.faces[axis].data[layout.at(i, j, k)] = rule(point)[axis];
            }
        }
        self.find_centres();
    }

    /// To be called when what stands still has changed.
    pub fn change_blockers(&mut self, before: &[Form], now: &[Form], known: &[Option<usize>]) {
        self.obstacles.change(&self.window, before, now, known);
    }

    /// The same air in another window; still where there was none. Its pressure goes along, and with it what all cycles so far have brought.
    pub fn moved(&self, window: Window, blockers: &[Form], memory: Air) -> Air {
        let mut air = Air::new(window, blockers, memory);
        let old = &self.window;
        let step = window.cell / old.cell;
        // In old cells, from the old lowest corner to the new: on the same lattice a whole number, exactly.
        let first = if window.rung == old.rung {
            (window.min - old.min).as_vec3()
        } else {
            (window.origin() - old.origin()) / old.cell
        };
        let ways = |middle: Vec3| -> [Along; 3] {
            std::array::from_fn(|axis| Along { from: first[axis] + middle[axis] * (step - 1.0), step })
        };
        for axis in 0..3 {
            let (to, from) = (&mut air.faces[axis], &self.faces[axis]);
            let (place, source) = (to.place(), from.place());
            carry(&mut to.data, &place, &from.data, &source, &ways(middle_of_face(axis)), 1.0);
        }
        let (to, from) = (air.pressure.finest_mut(), self.pressure.finest());
        let (place, source) = (to.place(), from.place());
        // It is a velocity times a length, and is counted in cells.
        carry(&mut to.pressure, &place, &from.pressure, &source, &ways(Vec3::splat(0.5)), 1.0 / step);
        air.steps = self.steps;
        air.find_centres();
        air
    }

    /// Goes on by a time step.
    pub fn step(
        &mut self,
        time: f32,
        push: &Push,
        movers: &[Moving],
        floor: bool,
        cycles: u32,
        times: &mut Times,
    ) {
        let small = times.obstacles.take(|| self.obstacles.place(&self.window, movers));
        times.advect.take(|| {
            self.advect(time, floor && self.window.min.y == 0);
            self.push(push);
        });
        times.obstacles.take(|| {
            drag(&self.window, &mut self.faces, &small);
            self.obstacles.close(&self.window, &mut self.faces, self.pressure.finest_mut(), movers, floor);
        });
        times.project.take(|| {
            let more = if self.steps < 2 { FIRST_CYCLES } else { 0 };
            self.project(cycles + more);
            self.find_centres();
        });
        self.steps += 1;
    }

    /// All components along all axes, from the first axis to the last and back in the next step, so that none is preferred.
    fn advect(&mut self, time: f32, floor: bool) {
        let cells = time / self.window.cell;
        let order = if self.steps.is_multiple_of(2) { [0, 1, 2] } else { [2, 1, 0] };
        self.faces.iter_mut().for_each(|faces| faces.fill_rim(order[0], floor && order[0] == 1));
        for component in 0..3 {
            let Air { faces, next, between, centred, .. } = self;
            let next = &mut next[component];
            let own = &faces[component];
            between.last = own.last;
            let back = own.layout.stride[component];
            let carrier = |axis| if axis == component { (own, 0) } else { (&centred[axis], back) };
            let (by, back) = carrier(order[0]);
            sweep(next, own, by, back, order[0], cells);
            next.fill_rim(order[1], floor && order[1] == 1);
            let (by, back) = carrier(order[1]);
            sweep(between, next, by, back, order[1], cells);
            between.fill_rim(order[2], floor && order[2] == 1);
            let (by, back) = carrier(order[2]);
            sweep(next, between, by, back, order[2], cells);
        }
        std::mem::swap(&mut self.faces, &mut self.next);
    }

    /// Gives the air the momentum that dust has lost to it. The dust in a cell is heavy, too: it goes along.
    fn push(&mut self, push: &Push) {
        let layout = self.layout();
        let room = AIR_DENSITY * self.window.cell * self.window.cell * self.window.cell;
        let [columns, rows, planes] = layout.size;
        for axis in 0..3 {
            let step = layout.stride[axis];
            let before = if axis == 0 { 0 } else { step / layout.stride[1] };
            let chunks =
                self.faces[axis].data.par_chunks_mut(layout.stride[2]).enumerate().skip(LOW).take(planes);
            chunks.with_min_len(PLANES).for_each(|(plane, faces)| {
                for y in 0..rows {
                    let to = layout.at(0, y as isize, 0) % layout.stride[2];
                    let from = plane * layout.stride[2] + to;
                    let row = from / layout.stride[1];
                    if !push.rows[row] && !push.rows[row - before] {
                        continue;
                    }
                    for (face, at) in faces[to..to + columns].iter_mut().zip(from..) {
                        let both = push.cells[at] + push.cells[at - step];
                        *face += both[axis] / (2.0 * room + both.w);
                    }
                }
            });
        }
    }

    /// Takes from the velocities what would make air pile up.
    fn project(&mut self, cycles: u32) {
        self.pressure.prepare();
        self.find_outflow();
        (0..cycles).for_each(|_| self.pressure.cycle());
        let (layout, level) = (self.layout(), self.pressure.finest());
        let strides = level.strides();
        for (axis, step) in strides.into_iter().enumerate() {
            let [columns, rows, planes] = self.faces[axis].last.map(|last| last + 1);
            let chunks =
                self.faces[axis].data.par_chunks_mut(layout.stride[2]).enumerate().skip(LOW).take(planes);
            chunks.with_min_len(PLANES).for_each(|(plane, faces)| {
                for y in 0..rows {
                    let to = layout.at(0, y as isize, 0) % layout.stride[2];
                    let at = level.at(0, y, plane - LOW);
                    let before = &level.pressure[at - step..at - step + columns];
                    let (here, open) =
                        (&level.pressure[at..at + columns], &level.open[axis][at..at + columns]);
                    for (i, face) in faces[to..to + columns].iter_mut().enumerate() {
                        *face -= open[i] * (here[i] - before[i]);
                    }
                }
            });
        }
    }

    /// What flows out of each cell, through faces of one cell's area.
    fn find_outflow(&mut self) {
        let (layout, level) = (self.layout(), self.pressure.finest_mut());
        let ([columns, rows, planes], strides, faces) = (layout.size, level.strides(), &self.faces);
        let chunks = level.outflow.par_chunks_mut(strides[2]).enumerate().skip(1).take(planes);
        chunks.with_min_len(PLANES).for_each(|(plane, outflow)| {
            for y in 0..rows {
                let at = layout.at(0, y as isize, plane as isize - 1);
                let to = (y + 1) * strides[1] + 1;
                let outflow = &mut outflow[to..to + columns];
                outflow.fill(0.0);
                for (faces, step) in faces.iter().zip(layout.stride) {
                    let data = &faces.data;
                    let (low, high) = (&data[at..at + columns], &data[at + step..at + step + columns]);
                    outflow
                        .iter_mut()
                        .zip(low.iter().zip(high))
                        .for_each(|(out, (low, high))| *out += high - low);
                }
            }
        });
    }

    /// What flows out of cells of air though it should not, in metres a second over a cell: the root of the mean of squares, and the most.
    pub fn outflow_left(&self) -> (f32, f32) {
        let mut copy = self.clone();
        copy.find_outflow();
        let level = copy.pressure.finest();
        let strides = level.strides();
        let (mut squares, mut most, mut count) = (0.0_f64, 0.0_f32, 0.0_f64);
        for (at, outflow) in level.outflow.iter().enumerate() {
            let is_air = (0..3).any(|a| {
                level.open[a][at] > 0.0 || level.open[a].get(at + strides[a]).is_some_and(|open| *open > 0.0)
            });
            if is_air {
                squares += f64::from(*outflow) * f64::from(*outflow);
                most = most.max(outflow.abs());
                count += 1.0;
            }
        }
        ((squares / count.max(1.0)).sqrt() as f32, most)
    }

    /// Velocities in the middle of cells, from those of their faces.
    pub fn find_centres(&mut self) {
        let layout = self.layout();
        for axis in 0..3 {
            let (faces, step) = (&self.faces[axis].data, layout.stride[axis]);
            let [columns, rows, planes] = layout.size;
            let chunks =
                self.centred[axis].data.par_chunks_mut(layout.stride[2]).enumerate().skip(LOW).take(planes);
            chunks.with_min_len(PLANES).for_each(|(plane, centred)| {
                for y in 0..rows {
                    let to = layout.at(0, y as isize, 0) % layout.stride[2];
                    let at = plane * layout.stride[2] + to;
                    let (low, high) = (&faces[at..at + columns], &faces[at + step..at + step + columns]);
                    let row = centred[to..to + columns].iter_mut();
                    row.zip(low.iter().zip(high)).for_each(|(c, (low, high))| *c = 0.5 * (low + high));
                }
            });
            (0..3).for_each(|rim| self.centred[axis].fill_rim(rim, false));
        }
        let [x, y, z] = self.centred.each_ref().map(|grid| &grid.data);
        self.velocity.par_chunks_mut(layout.stride[2]).enumerate().with_min_len(PLANES).for_each(
            |(plane, all)| {
                let from = plane * layout.stride[2];
                let sources = [x, y, z].map(|data| &data[from..from + all.len()]);
                for (i, velocity) in all.iter_mut().enumerate() {
                    *velocity = f32x4::new([sources[0][i], sources[1][i], sources[2][i], 0.0]);
                }
            },
        );
    }

    /// What particles ask about the air.
    pub fn sampler(&self) -> Sampler<'_> {
        Sampler {
            velocity: &self.velocity,
            layout: self.layout(),
            origin: self.window.origin().into(),
            inverse: 1.0 / self.window.cell,
            size: self.window.size.as_vec3a(),
        }
    }
}

/// The air for particles: many ask.
pub(crate) struct Sampler<'a> {
    velocity: &'a [f32x4],
    layout: Layout,
    origin: Vec3A,
    inverse: f32,
    size: Vec3A,
}

impl Sampler<'_> {
    /// The air at four points; still outside of the window.
    #[inline(always)]
    pub fn breeze(&self, points: Vec3x4) -> Breeze {
        let places = (points - Vec3x4::splat(self.origin)) * self.inverse + Vec3x4::splat(Vec3A::splat(0.5));
        let Vec3x4 { x, y, z } = places;
        let ends = Vec3x4::splat(self.size + 1.0);
        let is_above = x.simd_ge(f32x4::ZERO) & y.simd_ge(f32x4::ZERO) & z.simd_ge(f32x4::ZERO);
        let is_in = (is_above & x.simd_lt(ends.x) & y.simd_lt(ends.y) & z.simd_lt(ends.z)).to_bitmask();
        let mut cells = [None; LANES];
        let mut found = [[f32x4::ZERO; LANES]; 4];
        for (lane, place) in places.to_lanes().into_iter().enumerate() {
            if is_in >> lane & 1 == 1 {
                let [velocity, x, y, z] = self.between(place, &mut cells[lane]);
                (found[0][lane], found[1][lane], found[2][lane], found[3][lane]) = (velocity, x, y, z);
            }
        }
        let [velocity, slopes @ ..] = found.map(|lanes| {
            let [x, y, z, _] = f32x4::transpose(lanes);
            Vec3x4::new(x, y, z)
        });
        Breeze { cells, velocity, slopes: slopes.map(|slope| slope * self.inverse) }
    }

    /// The velocity at a place, and how it changes along x, y and z, a cell each. Places are counted from the middle of the cell before the first.
    #[inline(always)]
    fn between(&self, place: Vec3A, own: &mut Option<u32>) -> [f32x4; 4] {
        // Above 0, so that cutting off is rounding down; floor is a call on machines without an instruction for it.
        let cell = place.to_array().map(|p| p as i32);
        let f: [f32; 3] = std::array::from_fn(|axis| place[axis] - cell[axis] as f32);
        *own = self.cell(cell, f);
        let [fx, fy, fz] = f.map(f32x4::splat);
        let [_, row, plane] = self.layout.stride;
        let at = self.layout.at(cell[0] as isize - 1, cell[1] as isize - 1, cell[2] as isize - 1);
        let corners = &self.velocity[at..at + plane + row + 2];
        let pair = |at: usize| {
            let (a, b) = (corners[at], corners[at + 1]);
            (a + (b - a) * fx, b - a)
        };
        let [(v00, x00), (v10, x10)] = [pair(0), pair(row)];
        let [(v01, x01), (v11, x11)] = [pair(plane), pair(plane + row)];
        let (y0, y1) = (v10 - v00, v11 - v01);
        let (v0, v1) = (v00 + y0 * fy, v01 + y1 * fy);
        let (x0, x1) = (x00 + (x10 - x00) * fy, x01 + (x11 - x01) * fy);
        [v0 + (v1 - v0) * fz, x0 + (x1 - x0) * fz, y0 + (y1 - y0) * fz, v1 - v0]
    }

    /// The cell of the window that a place is in: half a cell farther on than it is counted.
    #[inline(always)]
    fn cell(&self, place: [i32; 3], f: [f32; 3]) -> Option<u32> {
        let own: [isize; 3] =
            std::array::from_fn(|axis| place[axis] as isize - 1 + isize::from(f[axis] >= 0.5));
        let is_in = (0..3).all(|axis| (0..self.layout.size[axis] as isize).contains(&own[axis]));
        is_in.then(|| self.layout.at(own[0], own[1], own[2]) as u32)
    }
}

impl Push {
    /// Nothing, for air of this layout.
    pub fn clear(&mut self, layout: &Layout) {
        if self.cells.len() != layout.len() || self.rows.len() * layout.stride[1] != layout.len() {
            self.cells.clear();
            self.cells.resize(layout.len(), Vec4::ZERO);
            self.rows.clear();
            self.rows.resize(layout.len() / layout.stride[1], false);
        }
        let rows = self.rows.par_iter_mut().zip(self.cells.par_chunks_mut(layout.stride[1]));
        rows.with_min_len(256).filter(|(has, _)| **has).for_each(|(has, cells)| {
            cells.fill(Vec4::ZERO);
            *has = false;
        });
    }

    /// Adds to a cell.
    pub fn add(&mut self, cell: u32, row: u32, push: Vec4) {
        self.cells[cell as usize] += push;
        self.rows[row as usize] = true;
    }
}

/// Where the lower face along an axis is, from the lowest corner of its cell, in cells.
fn middle_of_face(axis: usize) -> Vec3 {
    let mut middle = Vec3::splat(0.5);
    middle[axis] = 0.0;
    middle
}
