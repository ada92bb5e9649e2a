//! The air around the dust: incompressible, on a grid of cells with velocities at their faces (Harlow and Welch 1965).
//!
//! A step: walls and movers are put in their places, dust pushes the air, air carries itself along, and pressure makes it flow around what it cannot
//! flow through.

use glam::{IVec3, Vec3, Vec3A, Vec4};
use rayon::prelude::*;

use crate::advect::sweep;
use crate::blockers::Blockers;
use crate::grid::{Grid, LOW, Layout, PLANES};
use crate::obstacles::{Obstacles, drag};
use crate::pressure::Multigrid;
use crate::report::Times;
use crate::shape::Moving;
use crate::window::Window;

/// The density of air, in kilograms a cubic metre.
pub(crate) const AIR_DENSITY: f32 = 1.2;
/// More cycles while the pressure is still far from what it should be.
const FIRST_CYCLES: u32 = 3;

/// The air in a window.
#[derive(Clone, Debug)]
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
    velocity: Vec<Vec4>,
    obstacles: Obstacles,
}

/// What dust does to the air of a cell in a step: its momentum, in kilograms times metres a second, and its mass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Push {
    pub cells: Vec<Vec4>,
    /// Whether there is any in a row along x, the rim's rows included.
    pub rows: Vec<bool>,
}

/// The air at a point: its velocity, and how that changes along x, y and z.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Breeze {
    /// Where in memory the cell is, if it is in the window.
    pub cell: Option<u32>,
    pub velocity: Vec3A,
    pub slopes: [Vec3A; 3],
}

impl Air {
    /// Still air.
    pub fn new(window: Window, blockers: &Blockers) -> Air {
        let layout = Layout::new(window.size);
        let faces = || std::array::from_fn(|axis| Grid::faces(layout, axis));
        Air {
            window,
            faces: faces(),
            next: faces(),
            between: Grid::centred(layout),
            centred: std::array::from_fn(|_| Grid::centred(layout)),
            velocity: vec![Vec4::ZERO; layout.len()],
            obstacles: Obstacles::new(&window, blockers),
            pressure: Multigrid::new(layout.size),
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
    pub fn set_blockers(&mut self, blockers: &Blockers) {
        self.obstacles = Obstacles::new(&self.window, blockers);
    }

    /// The same air in another window; still where there was none.
    pub fn moved(&self, window: Window, blockers: &Blockers) -> Air {
        let mut air = Air::new(window, blockers);
        let shift = window.min - self.window.min;
        let is_same_lattice = window.rung == self.window.rung;
        for axis in 0..3 {
            let old = &self.faces[axis];
            let (layout, last) = (air.layout(), air.faces[axis].last);
            let half = middle_of_face(axis);
            air.faces[axis]
                .data
                .par_chunks_mut(layout.stride[2])
                .enumerate()
                .skip(LOW)
                .take(last[2] + 1)
                .for_each(|(plane, data)| {
                    let z = (plane - LOW) as i32;
                    for (y, x) in (0..=last[1] as i32).flat_map(|y| (0..=last[0] as i32).map(move |x| (y, x)))
                    {
                        let at = IVec3::new(x, y, z);
                        let to = layout.at(x as isize, y as isize, 0) % layout.stride[2];
                        data[to] = if is_same_lattice {
                            value(old, at + shift)
                        } else {
                            let point = window.origin() + (at.as_vec3() + half) * window.cell;
                            between(old, (point - self.window.origin()) / self.window.cell - half)
                        };
                    }
                });
        }
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
                    *velocity = Vec4::new(sources[0][i], sources[1][i], sources[2][i], 0.0);
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
    velocity: &'a [Vec4],
    layout: Layout,
    origin: Vec3A,
    inverse: f32,
    size: Vec3A,
}

impl Sampler<'_> {
    /// The air at a point; still outside of the window.
    #[inline]
    pub fn breeze(&self, point: Vec3A) -> Breeze {
        let place = (point - self.origin) * self.inverse + 0.5;
        if !(place.cmpge(Vec3A::ZERO).all() && place.cmplt(self.size + 1.0).all()) {
            return Breeze::default();
        }
        // Above 0, so that cutting off is rounding down; floor is a call on machines without an instruction for it.
        let [x, y, z] = place.to_array().map(|p| p as u32);
        let f = place - Vec3A::new(x as f32, y as f32, z as f32);
        let [_, row, plane] = self.layout.stride;
        let at = self.layout.at(x as isize - 1, y as isize - 1, z as isize - 1);
        let corners = &self.velocity[at..at + plane + row + 2];
        let pair = |at: usize| {
            let (a, b) = (corners[at], corners[at + 1]);
            (a + (b - a) * f.x, b - a)
        };
        let [(v00, x00), (v10, x10)] = [pair(0), pair(row)];
        let [(v01, x01), (v11, x11)] = [pair(plane), pair(plane + row)];
        let (y0, y1) = (v10 - v00, v11 - v01);
        let (v0, v1) = (v00 + y0 * f.y, v01 + y1 * f.y);
        let (x0, x1) = (x00 + (x10 - x00) * f.y, x01 + (x11 - x01) * f.y);
        let slopes = [x0 + (x1 - x0) * f.z, y0 + (y1 - y0) * f.z, v1 - v0];
        // Half a cell farther on, as places are counted from the middle of the cell before the first.
        let upper = [f.x, f.y, f.z].map(|f| isize::from(f >= 0.5));
        let cell = [x, y, z].map(|n| n as isize - 1);
        let own: [isize; 3] = std::array::from_fn(|axis| cell[axis] + upper[axis]);
        let is_in = (0..3).all(|axis| (0..self.layout.size[axis] as isize).contains(&own[axis]));
        Breeze {
            cell: is_in.then(|| self.layout.at(own[0], own[1], own[2]) as u32),
            velocity: Vec3A::from_vec4(v0 + (v1 - v0) * f.z),
            slopes: slopes.map(|slope| Vec3A::from_vec4(slope * self.inverse)),
        }
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

/// A number of a grid; 0 outside of it.
fn value(grid: &Grid, at: IVec3) -> f32 {
    let last = IVec3::from_array(grid.last.map(|n| n as i32));
    let is_in = at.cmpge(IVec3::ZERO).all() && at.cmple(last).all();
    if is_in { grid.data[grid.layout.at(at.x as isize, at.y as isize, at.z as isize)] } else { 0.0 }
}

/// A grid between its numbers.
fn between(grid: &Grid, place: Vec3) -> f32 {
    let base = place.floor();
    let (at, f) = (base.as_ivec3(), place - base);
    let corners = (0..8).map(|i| IVec3::new(i & 1, i >> 1 & 1, i >> 2));
    let weight = |corner: IVec3| {
        let far = corner.as_vec3();
        (far * f + (1.0 - far) * (1.0 - f)).element_product()
    };
    corners.map(|corner| weight(corner) * value(grid, at + corner)).sum()
}
