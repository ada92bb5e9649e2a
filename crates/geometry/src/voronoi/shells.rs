//! The points around a point, nearest first, but for those that cannot cut its cell: the boxes of the grid shell
//! after shell, each shell without the boxes whose pull is too weak.

use glam::DVec3;

use super::grid::PointGrid;
use super::reach::Reach;

/// A search outward from a point. Its memory is used for one point after the other.
#[derive(Default)]
pub(super) struct Shells {
    center: DVec3,
    /// The center in units of the grid's boxes, and the box it is in.
    at: DVec3,
    place: [i32; 3],
    shell: i32,
    /// The boxes of the shell along each axis, with their pull.
    low: [i32; 3],
    high: [i32; 3],
    pulls: [Vec<f64>; 3],
    /// Squared distances, in single precision, over indices: sorted as one number.
    near: Vec<u64>,
}

/// Boxes are taken this much larger, in parts of their size, as rounding may put a point beside its box.
const MARGIN: f64 = 1e-6;

impl Shells {
    pub fn start(&mut self, grid: &PointGrid, center: DVec3) {
        self.center = center;
        self.at = grid.coordinates(center);
        self.place = grid.place(center);
        self.shell = 0;
    }

    /// Finds the points of the next shell that may cut the cell; `false` if no shell that is left has any.
    pub fn advance(&mut self, grid: &PointGrid, reach: &Reach) -> bool {
        if !self.may_go_on(grid, reach) {
            return false;
        }
        self.near.clear();
        self.weigh(grid, reach);
        // The shell's six sides; those that come first have its edges.
        let (mut low, mut high) = (self.low, self.high);
        for axis in [2, 1, 0] {
            let sides = [self.place[axis] - self.shell, self.place[axis] + self.shell];
            for &side in if self.shell == 0 { &sides[..1] } else { &sides } {
                if (0..grid.size[axis]).contains(&side) {
                    (low[axis], high[axis]) = (side, side);
                    self.gather(grid, reach, low, high);
                }
            }
            low[axis] = self.low[axis].max(sides[0] + 1);
            high[axis] = self.high[axis].min(sides[1] - 1);
        }
        self.near.sort_unstable();
        self.shell += 1;
        true
    }

    /// Numbers of the points that [`Shells::advance`] found, nearest first.
    pub fn near(&self) -> impl Iterator<Item = u32> {
        self.near.iter().map(|&packed| packed as u32)
    }

    /// Whether in any of six directions a point of this shell or of one farther out may cut the cell.
    fn may_go_on(&self, grid: &PointGrid, reach: &Reach) -> bool {
        let any = |axis: usize| {
            let (below, above) = (self.place[axis] - self.shell, self.place[axis] + self.shell);
            let (_, below_end) = self.span(grid, axis, below);
            let (above_start, _) = self.span(grid, axis, above);
            (below >= 0 && reach.meets(axis, f64::NEG_INFINITY, below_end))
                || (above < grid.size[axis] && reach.meets(axis, above_start, f64::INFINITY))
        };
        self.shell == 0 || (0..3).any(any)
    }

    /// From where to where a box of the grid is along an axis, seen from the center.
    fn span(&self, grid: &PointGrid, axis: usize, index: i32) -> (f64, f64) {
        let low = f64::from(index) - self.at[axis];
        ((low - MARGIN) * grid.pitch, (low + 1.0 + MARGIN) * grid.pitch)
    }

    fn weigh(&mut self, grid: &PointGrid, reach: &Reach) {
        for axis in 0..3 {
            self.low[axis] = (self.place[axis] - self.shell).max(0);
            self.high[axis] = (self.place[axis] + self.shell).min(grid.size[axis] - 1);
            let mut pulls = std::mem::take(&mut self.pulls[axis]);
            pulls.clear();
            pulls.extend((self.low[axis]..=self.high[axis]).map(|index| {
                let (low, high) = self.span(grid, axis, index);
                reach.pull(axis, low, high)
            }));
            self.pulls[axis] = pulls;
        }
    }

    /// Adds the points in a block of boxes that may cut the cell.
    fn gather(&mut self, grid: &PointGrid, reach: &Reach, low: [i32; 3], high: [i32; 3]) {
        if (0..3).any(|axis| low[axis] > high[axis]) {
            return;
        }
        let near = &mut self.near;
        let pulls: [&[f64]; 3] = std::array::from_fn(|axis| {
            let (first, last) = (low[axis] - self.low[axis], high[axis] - self.low[axis]);
            &self.pulls[axis][first as usize..=last as usize]
        });
        let most = |axis: usize| pulls[axis].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (most_x, most_y) = (most(0), most(1));
        for (z, pull_z) in (low[2]..).zip(pulls[2]) {
            if pull_z + most_y + most_x <= 0.0 {
                continue;
            }
            for (y, pull_y) in (low[1]..).zip(pulls[1]) {
                let strong = |pull_x: &f64| pull_z + pull_y + pull_x > 0.0;
                let Some(first) = pulls[0].iter().position(strong) else { continue };
                let last = pulls[0].iter().rposition(strong).unwrap_or(first);
                for &(point, index) in grid.points_in_row([low[0] + first as i32, y, z], last - first + 1) {
                    let to = point - self.center;
                    let distance = to.length_squared();
                    if !reach.misses(to, distance) {
                        near.push(((distance as f32).to_bits() as u64) << 32 | index as u64);
                    }
                }
            }
        }
    }
}
