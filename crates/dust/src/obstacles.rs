//! What stands and moves in the air, cell by cell: which faces are walls, and how fast they move.

use std::ops::Range;

use glam::{IVec3, Vec3A};
use rayon::prelude::*;

use crate::grid::{Grid, LOW, PLANES, cleared};
use crate::pressure::Level;
use crate::shape::{Form, Moving};
use crate::window::Window;

/// Cells of air (what is cleared is air), of what stands still, and of movers, from `FIRST_MOVER` on.
const AIR: u32 = 0;
const STILL: u32 = 1;
const FIRST_MOVER: u32 = 2;
/// Planes that are worth a task when all is looked at that stands.
const SLAB: usize = 8;
/// Forms that are worth one.
const FORMS: usize = 256;

/// What each cell of a window is full of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Obstacles {
    size: [usize; 3],
    /// How many blockers each cell is in, and how many cells of each row along x are in any: so they can come and go one by one.
    still: Vec<u32>,
    still_rows: Vec<u32>,
    cells: Vec<u32>,
    /// Whether there is anything but air in a row.
    rows: Vec<bool>,
}

impl Obstacles {
    /// Looks at what stands still, in the memory of others.
    pub fn new(window: &Window, blockers: &[Form], memory: Obstacles) -> Obstacles {
        let size = window.size.to_array().map(|n| n as usize);
        let (cells, rows) = (size.iter().product(), size[1] * size[2]);
        let mut obstacles = Obstacles {
            size,
            still: cleared(memory.still, cells),
            cells: cleared(memory.cells, cells),
            still_rows: cleared(memory.still_rows, rows),
            rows: cleared(memory.rows, rows),
        };
        let thick: Vec<Form> =
            blockers.par_iter().with_min_len(FORMS).map(|form| thickened(window, form)).collect();
        let [columns, rows, _] = size;
        let slabs = obstacles.still.par_chunks_mut(SLAB * columns * rows);
        slabs.zip(obstacles.still_rows.par_chunks_mut(SLAB * rows)).enumerate().for_each(
            |(slab, (cells, rows))| {
                let mut slab = Tally { first: slab * SLAB, cells, rows };
                thick.iter().for_each(|form| slab.put(window, form));
            },
        );
        obstacles
    }

    /// Takes out what stands no more, and puts in what is new: `known` has where it was before. The same as if all were looked at.
    pub fn change(&mut self, window: &Window, before: &[Form], now: &[Form], known: &[Option<usize>]) {
        let mut is_gone = vec![true; before.len()];
        known.iter().flatten().for_each(|index| is_gone[*index] = false);
        let gone = before.iter().zip(is_gone).filter(|(_, is_gone)| *is_gone).map(|(form, _)| form);
        let new = now.iter().zip(known).filter(|(_, known)| known.is_none()).map(|(form, _)| form);
        if (gone.clone().count() + new.clone().count()) * 2 > now.len() {
            *self = Obstacles::new(window, now, std::mem::take(self));
            return;
        }
        let mut all = Tally { first: 0, cells: &mut self.still, rows: &mut self.still_rows };
        gone.for_each(|form| all.take(window, &thickened(window, form)));
        new.for_each(|form| all.put(window, &thickened(window, form)));
    }

    /// Puts movers in their places. Those smaller than a cell are returned: they are too small to be a wall.
    pub fn place<'a>(&mut self, window: &Window, movers: &'a [Moving]) -> Vec<&'a Moving> {
        self.cells.iter_mut().zip(&self.still).for_each(|(cell, count)| *cell = (*count).min(STILL));
        self.rows.iter_mut().zip(&self.still_rows).for_each(|(row, count)| *row = *count > 0);
        let mut all = Slab { first: 0, cells: &mut self.cells, rows: &mut self.rows };
        let mut small = Vec::new();
        for (number, mover) in (FIRST_MOVER..).zip(movers) {
            if mover.0.reach().max_element() < 0.5 * window.cell {
                small.push(mover);
            } else {
                all.fill(window, &thickened(window, &mover.0), number);
            }
        }
        small
    }

    /// Closes faces of whatever is no air, and gives the air there its velocity.
    pub fn close(
        &self,
        window: &Window,
        faces: &mut [Grid; 3],
        level: &mut Level,
        movers: &[Moving],
        floor: bool,
    ) {
        let strides = level.strides();
        for axis in 0..3 {
            let layout = faces[axis].layout;
            let opens = level.open[axis].par_chunks_mut(strides[2]).skip(1);
            let planes = faces[axis].data.par_chunks_mut(layout.stride[2]).skip(LOW);
            let count = self.size[2] + usize::from(axis == 2);
            planes.zip(opens).enumerate().take(count).with_min_len(PLANES).for_each(|(z, (faces, open))| {
                for y in 0..self.size[1] + usize::from(axis == 1) {
                    let (at, to) = (layout.at(0, y as isize, 0) % layout.stride[2], (y + 1) * strides[1] + 1);
                    let count = self.size[0] + usize::from(axis == 0);
                    let (faces, open) = (&mut faces[at..at + count], &mut open[to..to + count]);
                    open.fill(1.0);
                    if floor && window.min.y == 0 && axis == 1 && y == 0 {
                        // Nothing flows through the floor.
                        open.fill(0.0);
                        faces.fill(0.0);
                    } else if self.is_row_near(axis, y, z) {
                        self.close_row(window, faces, open, movers, [axis, y, z]);
                    }
                }
            });
        }
    }

    /// Whether faces of a row along x may be those of something.
    fn is_row_near(&self, axis: usize, y: usize, z: usize) -> bool {
        let [_, ny, nz] = self.size;
        let has = |y: usize, z: usize| y < ny && z < nz && self.rows[y + ny * z];
        let before = match axis {
            1 if y > 0 => has(y - 1, z),
            2 if z > 0 => has(y, z - 1),
            _ => false,
        };
        has(y, z) || before
    }

    fn close_row(
        &self,
        window: &Window,
        faces: &mut [f32],
        open: &mut [f32],
        movers: &[Moving],
        [axis, y, z]: [usize; 3],
    ) {
        for (x, (velocity, open)) in faces.iter_mut().zip(open).enumerate() {
            let here = [x, y, z];
            let mut before = here.map(|n| n as i32);
            before[axis] -= 1;
            let sides = [before, here.map(|n| n as i32)].map(|at| self.cell(at));
            let Some(full) = sides.into_iter().find(|cell| *cell != AIR) else { continue };
            *open = 0.0;
            *velocity = match movers.get(full.wrapping_sub(FIRST_MOVER) as usize) {
                Some((form, velocity, spin)) if full >= FIRST_MOVER => {
                    let mut face = centre(window, here);
                    face[axis] -= 0.5 * window.cell;
                    (*velocity + spin.cross(face - form.at))[axis]
                }
                _ => 0.0,
            };
        }
    }

    /// What a cell is full of; air beyond the window.
    fn cell(&self, at: [i32; 3]) -> u32 {
        let size = self.size.map(|n| n as i32);
        if (0..3).any(|axis| !(0..size[axis]).contains(&at[axis])) {
            return AIR;
        }
        self.cells[(at[0] + size[0] * (at[1] + size[1] * at[2])) as usize]
    }
}

/// Planes of a window, one after another, and their rows along x: how many blockers are where.
struct Tally<'a> {
    first: usize,
    cells: &'a mut [u32],
    rows: &'a mut [u32],
}

impl Tally<'_> {
    fn put(&mut self, window: &Window, form: &Form) {
        for (cell, row) in self.full(window, form) {
            self.cells[cell] += 1;
            self.rows[row] += u32::from(self.cells[cell] == 1);
        }
    }

    fn take(&mut self, window: &Window, form: &Form) {
        for (cell, row) in self.full(window, form) {
            self.cells[cell] -= 1;
            self.rows[row] -= u32::from(self.cells[cell] == 0);
        }
    }

    /// The cells whose centres are in a shape, and their rows.
    fn full(&self, window: &Window, form: &Form) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (window, form, first) = (*window, *form, self.first);
        let (columns, rows) = (window.size.x as usize, window.size.y as usize);
        let planes = first..first + self.rows.len() / rows;
        let reach = form.reach();
        let near = cells_in(&window, (form.at - reach, form.at + reach), planes);
        near.filter(move |at| form.has(centre(&window, *at))).map(move |at| {
            let row = at[1] + rows * (at[2] - first);
            (at[0] + columns * row, row)
        })
    }
}

/// The same, and what they are full of.
struct Slab<'a> {
    first: usize,
    cells: &'a mut [u32],
    rows: &'a mut [bool],
}

impl Slab<'_> {
    /// Marks the cells whose centres are in a shape.
    fn fill(&mut self, window: &Window, form: &Form, what: u32) {
        let reach = form.reach();
        let (columns, rows) = (window.size.x as usize, window.size.y as usize);
        let planes = self.first..self.first + self.rows.len() / rows;
        for at in cells_in(window, (form.at - reach, form.at + reach), planes) {
            let row = at[1] + rows * (at[2] - self.first);
            let cell = &mut self.cells[at[0] + columns * row];
            if *cell == AIR && form.has(centre(window, at)) {
                *cell = what;
                self.rows[row] = true;
            }
        }
    }
}

/// A plate is at least as thick as a cell: air must not flow through it.
fn thickened(window: &Window, form: &Form) -> Form {
    form.thickened(0.51 * window.cell)
}

fn centre(window: &Window, at: [usize; 3]) -> Vec3A {
    Vec3A::from(window.origin()) + (Vec3A::from_array(at.map(|n| n as f32)) + 0.5) * window.cell
}

/// The cells in some planes of a window that a box reaches into.
fn cells_in(
    window: &Window,
    (low, high): (Vec3A, Vec3A),
    planes: Range<usize>,
) -> impl Iterator<Item = [usize; 3]> + use<> {
    let first = window.cell_of(low.into()).max(IVec3::new(0, 0, planes.start as i32));
    let end = window.size.with_z(planes.end as u32).as_ivec3();
    let last = window.cell_of(high.into()).min(end - 1);
    let rows = (first.z..=last.z).flat_map(move |z| (first.y..=last.y).map(move |y| (z, y)));
    rows.flat_map(move |(z, y)| (first.x..=last.x).map(move |x| [x, y, z].map(|n| n as usize)))
}

/// The air in the cells that small movers are in goes along with them, by the share of the cell that they fill.
pub(crate) fn drag(window: &Window, faces: &mut [Grid; 3], small: &[&Moving]) {
    let room = window.cell * window.cell * window.cell;
    for (form, velocity, _) in small.iter().copied() {
        let at = window.cell_of(form.at.into());
        if at.cmplt(IVec3::ZERO).any() || at.cmpge(window.size.as_ivec3()).any() {
            continue;
        }
        let share = (form.volume() / room).min(1.0);
        for axis in 0..3 {
            let layout = faces[axis].layout;
            let first = layout.at(at.x as isize, at.y as isize, at.z as isize);
            for face in [first, first + layout.stride[axis]] {
                let value = &mut faces[axis].data[face];
                *value += share * (velocity[axis] - *value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blockers::found_again;
    use crate::window::Frame;
    use crate::{Blocker, Shape};
    use glam::{DQuat, Vec3};
    use smithereens_testing::chance::Chance;

    #[test]
    fn what_comes_and_goes_one_by_one_is_as_if_all_were_looked_at() {
        let mut chance = Chance::new(5);
        let frame = Frame { cell: 0.5, floor: Some(0.0), most_cells: 49_152 };
        let window = Window::around(Vec3::new(-8.0, 0.0, -8.0), Vec3::new(8.0, 6.0, 8.0), &frame);
        let mut form = || {
            let half = (chance.point() + 1.2) * 0.6;
            let turn = DQuat::from_axis_angle(chance.direction(), 1.0);
            Blocker { shape: Shape::Box(half), at: chance.point() * 9.0, turn }.form().expect("a form")
        };
        let mut forms: Vec<Form> = (0..300).map(|_| form()).collect();
        let mut obstacles = Obstacles::new(&window, &forms, Obstacles::default());
        for round in 0..40 {
            let mut now: Vec<Form> = forms
                .iter()
                .enumerate()
                .filter(|(i, _)| i % 17 != round % 17)
                .map(|(_, form)| *form)
                .collect();
            (0..round % 23).for_each(|at| now.insert(at * 7, form()));
            obstacles.change(&window, &forms, &now, &found_again(&forms, &now));
            let anew = Obstacles::new(&window, &now, Obstacles::default());
            assert_eq!(obstacles.still, anew.still);
            assert_eq!(obstacles.still_rows, anew.still_rows);
            forms = now;
        }
        assert!(obstacles.still.iter().any(|count| *count > 1), "some are in two");
    }
}
