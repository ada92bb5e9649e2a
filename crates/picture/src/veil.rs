//! How much light gets through: clouds of sprites as seen from one side, in slices of depth.
//!
//! Games sort sprites from back to front and lay one over the other; where a sprite meets a wall, a hard line shows, and one behind another changes
//! places with it from picture to picture. Here each sprite is what it stands for, a ball of dust: what it holds back is shared among the slices of depth that
//! it reaches into, and slices are added up from the front. So their order does not matter, and a wall cuts through them softly.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::billow::Billows;

/// Slices of depth.
pub(crate) const SLICES: usize = 32;
/// Rows of columns that are filled at once.
const BAND: usize = 8;

/// A sprite as it is seen from one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// Its centre in columns, and how far away it is.
    pub x: f32,
    pub y: f32,
    pub depth: f32,
    /// How many columns its radius is, and how deep it is to either side.
    pub radius: f32,
    pub thickness: f32,
    /// What it holds back in its middle, as an optical depth, and what it throws towards the eye, times that.
    pub dense: f32,
    pub glow: Vec3,
    /// The sine and the cosine of its turn.
    pub turn: [f32; 2],
    pub variant: u32,
    /// Where its bright side is, in its plane, and how much brighter that is.
    pub bright: [f32; 2],
}

/// What reaches the eye from behind a depth, and what is added before it: for each column, slice after slice.
#[derive(Clone, Debug)]
pub(crate) struct Veil {
    width: usize,
    height: usize,
    near: f32,
    slice: f32,
    /// Light added, and the share that gets through, up to the end of each slice.
    columns: Vec<Vec4>,
}

impl Veil {
    /// Of patches between two depths, in so many columns.
    pub fn new(width: usize, height: usize, depths: [f32; 2], patches: &[Patch], billows: &Billows) -> Veil {
        let slice = ((depths[1] - depths[0]) / SLICES as f32).max(f32::MIN_POSITIVE);
        let mut veil = Veil {
            width,
            height,
            near: depths[0],
            slice,
            columns: vec![Vec4::ZERO; width * height * SLICES],
        };
        let bands = Bands::of(patches, height);
        let (near, columns) = (veil.near, &mut veil.columns);
        columns.par_chunks_mut(BAND * width * SLICES).enumerate().for_each(|(band, columns)| {
            for index in bands.list(band) {
                splat(columns, width, band * BAND, [near, slice], &patches[*index as usize], billows);
            }
            columns.chunks_exact_mut(SLICES).for_each(add_up);
        });
        veil
    }

    /// What is added before a depth at a place, and the share of light that gets through from there. Places beyond the border are clear.
    pub fn at(&self, x: f32, y: f32, depth: f32) -> Vec4 {
        let (x, y) = (x - 0.5, y - 0.5);
        let (column, row) = (x.floor(), y.floor());
        let (fx, fy) = (x - column, y - row);
        let past = ((depth - self.near) / self.slice).clamp(0.0, SLICES as f32);
        let corner = |dx: f32, dy: f32| self.column(column + dx, row + dy, past);
        let upper = corner(0.0, 0.0) * (1.0 - fx) + corner(1.0, 0.0) * fx;
        let lower = corner(0.0, 1.0) * (1.0 - fx) + corner(1.0, 1.0) * fx;
        upper * (1.0 - fy) + lower * fy
    }

    fn column(&self, x: f32, y: f32, past: f32) -> Vec4 {
        if !(x >= 0.0 && y >= 0.0 && x < self.width as f32 && y < self.height as f32) {
            return Vec4::W;
        }
        let slices = &self.columns[(y as usize * self.width + x as usize) * SLICES..][..SLICES];
        let whole = past as usize;
        let before = if whole == 0 { Vec4::W } else { slices[whole - 1] };
        let after = slices[whole.min(SLICES - 1)];
        before + (after - before) * (past - whole as f32)
    }
}

/// Which patches reach into which rows, in the order of the patches: threads have no say in sums.
struct Bands {
    starts: Vec<usize>,
    lists: Vec<u32>,
}

impl Bands {
    fn of(patches: &[Patch], height: usize) -> Bands {
        let count = height.div_ceil(BAND);
        let range = |patch: &Patch| {
            let row = |y: f32| (y.max(0.0) as usize / BAND).min(count);
            if patch.y + patch.radius < 0.0 || patch.y - patch.radius >= height as f32 {
                return 0..0;
            }
            row(patch.y - patch.radius)..(row(patch.y + patch.radius) + 1).min(count)
        };
        let mut starts = vec![0; count + 1];
        patches.iter().flat_map(range).for_each(|band| starts[band + 1] += 1);
        (0..count).for_each(|band| starts[band + 1] += starts[band]);
        let mut next = starts.clone();
        let mut lists = vec![0; starts[count]];
        for (index, patch) in (0..).zip(patches) {
            for band in range(patch) {
                lists[next[band]] = index;
                next[band] += 1;
            }
        }
        Bands { starts, lists }
    }

    fn list(&self, band: usize) -> &[u32] {
        &self.lists[self.starts[band]..self.starts[band + 1]]
    }
}

/// Adds a patch to the columns of a band that begins with row `first`.
fn splat(
    columns: &mut [Vec4],
    width: usize,
    first: usize,
    depths: [f32; 2],
    patch: &Patch,
    billows: &Billows,
) {
    let rows = columns.len() / (width * SLICES);
    let low = |middle: f32, least: usize| ((middle - patch.radius - 0.5).ceil().max(least as f32)) as usize;
    let high =
        |middle: f32, most: usize| ((middle + patch.radius + 0.5).floor().clamp(0.0, most as f32)) as usize;
    let inverse = 1.0 / patch.radius;
    let [sine, cosine] = patch.turn;
    for row in low(patch.y, first)..high(patch.y, first + rows) {
        let v = (row as f32 + 0.5 - patch.y) * inverse;
        for column in low(patch.x, 0)..high(patch.x, width) {
            let u = (column as f32 + 0.5 - patch.x) * inverse;
            let inside = 1.0 - u * u - v * v;
            if inside <= 0.0 {
                continue;
            }
            let share = billows.at(patch.variant, cosine * u - sine * v, sine * u + cosine * v) * inside;
            let dense = patch.dense * share;
            if dense <= 1e-5 {
                continue;
            }
            let lit = 1.0 + patch.bright[0] * u + patch.bright[1] * v;
            let amount = (patch.glow * (dense * lit)).extend(dense);
            let at = ((row - first) * width + column) * SLICES;
            spread(
                &mut columns[at..at + SLICES],
                depths,
                patch.depth,
                patch.thickness * inside.sqrt(),
                amount,
            );
        }
    }
}

/// Shares an amount among the slices that a ball reaches into.
fn spread(slices: &mut [Vec4], [near, slice]: [f32; 2], depth: f32, half: f32, amount: Vec4) {
    let half = half.max(0.5 * slice);
    let from = ((depth - half - near) / slice).clamp(0.0, SLICES as f32);
    let to = ((depth + half - near) / slice).clamp(0.0, SLICES as f32);
    let part = amount * (slice / (2.0 * half));
    let (first, last) = (from as usize, (to as usize).min(SLICES - 1));
    for (index, slice) in slices.iter_mut().enumerate().take(last + 1).skip(first) {
        let length = to.min(index as f32 + 1.0) - from.max(index as f32);
        *slice += part * length.max(0.0);
    }
}

/// From what is in each slice to what is seen through all up to it.
fn add_up(slices: &mut [Vec4]) {
    if slices.iter().all(|slice| slice.w == 0.0) {
        slices.fill(Vec4::W);
        return;
    }
    let mut seen = Vec4::W;
    for slice in slices {
        let dense = slice.w;
        if dense > 0.0 {
            // Light of a slice is dimmed by half of itself, on average: exact for even dust.
            let through = libm::expf(-dense);
            let color = slice.truncate() / dense;
            let light = seen.truncate() + color * (seen.w * (1.0 - through));
            seen = light.extend(seen.w * through);
        }
        *slice = seen;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(depth: f32, dense: f32, color: f32) -> Patch {
        Patch {
            x: 8.0,
            y: 8.0,
            depth,
            radius: 6.0,
            thickness: 0.5,
            dense,
            glow: Vec3::splat(color),
            turn: [0.0, 1.0],
            variant: 1,
            bright: [0.0; 2],
        }
    }

    fn veil(patches: &[Patch]) -> Veil {
        Veil::new(16, 16, [0.0, 10.0], patches, &Billows::new())
    }

    #[test]
    fn the_front_hides_the_back_in_whatever_order_they_come() {
        let (front, back) = (patch(2.0, 6.0, 1.0), patch(7.0, 6.0, 0.2));
        for patches in [[front, back], [back, front]] {
            let seen = veil(&patches).at(8.0, 8.0, 10.0);
            assert!(seen.x > 0.9 && seen.w < 0.01, "{seen}");
        }
    }

    #[test]
    fn dust_grows_softly_with_depth_and_adds_up() {
        let veil = veil(&[patch(5.0, 1.0, 0.5)]);
        assert_eq!(veil.at(8.0, 8.0, 4.0), Vec4::W, "before it, nothing");
        let mut last = 1.0;
        for step in 0..40 {
            let seen = veil.at(8.0, 8.0, 4.0 + step as f32 * 0.05);
            assert!(seen.w <= last + 1e-6 && last - seen.w < 0.1, "no leap: {last} to {}", seen.w);
            // Light that is added is what was taken, times the dust's own.
            assert!((seen.x - 0.5 * (1.0 - seen.w)).abs() < 0.02, "{seen}");
            last = seen.w;
        }
        assert!(last < 0.7);
        assert_eq!(veil.at(8.0, 8.0, f32::INFINITY), veil.at(8.0, 8.0, 9.9));
        assert_eq!(veil.at(-5.0, 8.0, 10.0), Vec4::W);
    }

    #[test]
    fn patches_beyond_the_border_are_cut_off() {
        for (x, y) in [(-3.0, 8.0), (18.0, 8.0), (8.0, -4.0), (8.0, 20.0), (-50.0, 8.0), (8.0, 500.0)] {
            let veil = veil(&[Patch { x, y, ..patch(5.0, 3.0, 1.0) }]);
            assert!(veil.columns.iter().all(|column| column.is_finite()));
        }
    }
}
