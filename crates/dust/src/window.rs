//! Where the air is worked out: a box of cells around the dust, which follows it.
//!
//! Cells lie on a lattice that begins at the floor. When the box would have more cells than allowed, they become larger, by a quarter each time.

use glam::{IVec3, UVec3, Vec3};
use serde::{Deserialize, Serialize};

/// By how much cells grow at a time: twice as many fit into the same room, or nearly.
const RUNG: f32 = 1.25;
/// How often they may: up to nine times their size.
const RUNGS: u32 = 10;
/// Sides are multiples of this, so that the grid of pressures can be halved as often.
const SIDE: i32 = 8;
/// Cells of air around the dust, and how many there must be before the box follows.
const MARGIN: i32 = 4;
const LEAST_MARGIN: i32 = 1;
/// No cell is farther from the lattice's origin than this, wherever dust is: sums stay in range.
const FARTHEST: i32 = 1 << 28;

/// A box of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Window {
    /// How often cells have grown.
    pub rung: u32,
    /// The length of a cell.
    pub cell: f32,
    /// The height at which the lattice begins.
    pub base: f32,
    /// The first cell, counted from the lattice's origin.
    pub min: IVec3,
    /// Cells along each axis.
    pub size: UVec3,
}

/// What a window is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The smallest cell.
    pub cell: f32,
    /// The floor, if there is one.
    pub floor: Option<f32>,
    pub most_cells: usize,
}

impl Window {
    /// The best window around a box: with the smallest cells that the limit allows.
    pub fn around(low: Vec3, high: Vec3, frame: &Frame) -> Window {
        let windows = (0..=RUNGS).map(|rung| Window::on_rung(low, high, frame, rung));
        let fits = |window: &Window| window.count() <= frame.most_cells as u64;
        let mut last = None;
        for window in windows {
            if fits(&window) {
                return window;
            }
            last = Some(window);
        }
        last.map_or_else(|| Window::on_rung(low, high, frame, 0), |window| window.cropped(frame.most_cells))
    }

    fn on_rung(low: Vec3, high: Vec3, frame: &Frame, rung: u32) -> Window {
        let cell = (0..rung).fold(frame.cell, |cell, _| cell * RUNG);
        let base = frame.floor.unwrap_or(0.0);
        let far = IVec3::splat(FARTHEST);
        let from = |point: Vec3| ((point - Vec3::Y * base) / cell).floor().as_ivec3().clamp(-far, far);
        let mut min = from(low) - MARGIN;
        if frame.floor.is_some() {
            // Dust not far above the floor will be on it soon: the air in between must know of it.
            min.y = if min.y < SIDE { 0 } else { min.y };
        }
        let span =
            (from(high).saturating_sub(min).saturating_add(IVec3::splat(1 + MARGIN))).max(IVec3::splat(SIDE));
        let size = ((span + (SIDE - 1)) / SIDE * SIDE).as_uvec3();
        Window { rung, cell, base, min, size }
    }

    fn count(&self) -> u64 {
        self.size.to_array().iter().fold(1, |count: u64, n| count.saturating_mul(u64::from(*n)))
    }

    /// With its longest sides shortened, about the middle, until it has few enough cells.
    fn cropped(mut self, most: usize) -> Window {
        while self.count() > most as u64 && self.size.max_element() > SIDE as u32 {
            let axis = self.size.max_position();
            let halved = (self.size[axis] / 2).div_ceil(SIDE as u32) * SIDE as u32;
            let size = halved.min(self.size[axis] - SIDE as u32);
            if axis != 1 {
                self.min[axis] += ((self.size[axis] - size) / 2) as i32;
            }
            self.size[axis] = size;
        }
        self
    }

    /// Whether it still does for a box for which `best` would be the best window: all in it, and not much larger than needed.
    pub fn serves(&self, low: Vec3, high: Vec3, best: &Window, has_floor: bool) -> bool {
        let first = self.cell_of(low) - IVec3::splat(LEAST_MARGIN);
        let last = self.cell_of(high) + IVec3::splat(LEAST_MARGIN);
        let first = if has_floor { first.max(IVec3::new(i32::MIN, 0, i32::MIN)) } else { first };
        let is_in = first.cmpge(IVec3::ZERO).all() && last.cmplt(self.size.as_ivec3()).all();
        is_in && self.rung <= best.rung && self.count() <= 2 * best.count() + 512
    }

    /// Whether it is a box of cells that can be: of what was saved, nobody knows.
    pub fn is_sound(&self) -> bool {
        let is_near = self.min.to_array().iter().all(|at| at.unsigned_abs() <= 2 * FARTHEST.unsigned_abs());
        is_near && self.cell > 0.0 && self.cell.is_finite() && self.base.is_finite()
    }

    /// The lowest corner.
    pub fn origin(&self) -> Vec3 {
        self.min.as_vec3() * self.cell + Vec3::Y * self.base
    }

    /// The cell of the window that a point is in; outside of it, too.
    pub fn cell_of(&self, point: Vec3) -> IVec3 {
        let far = IVec3::splat(FARTHEST);
        ((point - self.origin()) / self.cell).floor().as_ivec3().clamp(-far, far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { cell: 0.5, floor: Some(0.0), most_cells: 60_000 };

    #[test]
    fn a_window_has_the_box_in_it_and_few_enough_cells() {
        for size in [0.0, 0.1, 3.0, 20.0, 60.0, 500.0] {
            let (low, high) = (Vec3::new(-size, 0.0, 5.0), Vec3::new(size, 0.3 * size, 5.0 + size));
            let window = Window::around(low, high, &FRAME);
            assert!(window.count() <= 60_000, "{window:?}");
            assert!(window.size.to_array().iter().all(|n| n % 8 == 0 && *n > 0));
            assert_eq!(window.min.y, 0);
            if size < 100.0 {
                assert!(window.serves(low, high, &window, true), "{window:?}");
            }
        }
    }

    #[test]
    fn cells_are_as_small_as_there_is_room_for() {
        let small = Window::around(Vec3::ZERO, Vec3::splat(5.0), &FRAME);
        let large = Window::around(Vec3::ZERO, Vec3::splat(40.0), &FRAME);
        assert_eq!(small.cell, 0.5);
        assert!(large.cell > 0.9 && large.count() > 20_000, "{large:?}");
    }

    #[test]
    fn absurd_boxes_are_cropped() {
        let window = Window::around(Vec3::splat(-1e6), Vec3::splat(1e6), &FRAME);
        assert!(window.count() <= 60_000);
        let window = Window::around(Vec3::splat(-1e30), Vec3::splat(1e30), &FRAME);
        assert!(window.count() <= 60_000);
    }
}
