//! What is inside, found for all nodes at once.
//!
//! The paper shoots a ray from every empty node and looks at the first leaf that it hits: it is inside if that leaf faces away (Section 3.2). Around a closed
//! and oriented surface any ray gives the same answer, as long as it is followed exactly, and so may all nodes of a row share one: here each row of voxels along x
//! has a ray through their middles. The surface's crossings of it are counted with their signs, in whole numbers, so that a ray that grazes an edge or a corner
//! crosses one of the triangles there and not two. A node that no triangle meets has no crossing within it, and so the sum of the signs before it is the
//! number of times that the surface winds around *all* of it.

use crate::morton::decode;
use crate::voxelise::{FINENESS, Steps};

/// The crossings of all rows.
pub(crate) struct Rows {
    level: u32,
    /// One past the last crossing of each row, by y, then z.
    ends: Vec<u32>,
    /// From which voxel on the middles lie beyond it, and by how much the winding changes there. In order of voxels.
    crossings: Vec<(u16, i16)>,
}

impl Rows {
    /// Of triangles, and of a grid of this level.
    pub fn of(triangles: &[Steps], level: u32) -> Rows {
        let mut found: Vec<(u32, u16, i16)> = Vec::new();
        triangles.iter().for_each(|steps| cross(steps, level, &mut found));
        found.sort_unstable();
        let rows = 1_usize << (2 * level);
        let mut ends = vec![0_u32; rows];
        for &(row, ..) in &found {
            ends[row as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        Rows { level, ends, crossings: found.into_iter().map(|(_, at, turn)| (at, turn)).collect() }
    }

    fn row(&self, y: u32, z: u32) -> &[(u16, i16)] {
        let row = ((z << self.level) + y) as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.crossings[start as usize..self.ends[row] as usize]
    }

    /// Which voxels of a brick have their middles inside.
    pub fn inside_brick(&self, code: u32) -> u64 {
        let [bx, by, bz] = decode(code).map(|x| x * 4);
        let resolution = 1 << self.level;
        let mut inside = 0;
        for z in (0..4).filter(|z| bz + z < resolution) {
            for y in (0..4).filter(|y| by + y < resolution) {
                let row = self.row(by + y, bz + z);
                for x in (0..4).filter(|x| bx + x < resolution) {
                    let before = row.iter().take_while(|(at, _)| u32::from(*at) <= bx + x);
                    let winding: i32 = before.map(|(_, turn)| i32::from(*turn)).sum();
                    inside |= u64::from(winding > 0) << (x + 4 * y + 16 * z);
                }
            }
        }
        inside
    }

    /// Whether a node above the bricks, or a whole brick, that no triangle meets is inside.
    pub fn is_inside_node(&self, depth: usize, code: u32) -> bool {
        let side = 1 << (self.level.max(2) - depth as u32);
        let [x, y, z] = decode(code).map(|x| x * side);
        let resolution = 1 << self.level;
        if x >= resolution || y >= resolution || z >= resolution {
            return false;
        }
        let before = self.row(y, z).iter().take_while(|(at, _)| u32::from(*at) <= x);
        before.map(|(_, turn)| i32::from(*turn)).sum::<i32>() > 0
    }
}

/// Adds the rows that a triangle crosses: the row, the first voxel whose middle is beyond, and whether the surface is entered or left.
fn cross(steps: &Steps, level: u32, found: &mut Vec<(u32, u16, i16)>) {
    let shift = FINENESS - level;
    let half = 1_i64 << (shift - 1);
    let [p, q, r] = *steps;
    let sub = |a: [i64; 3], b: [i64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let (u, v) = (sub(q, p), sub(r, p));
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    if normal[0] == 0 {
        return;
    }
    let resolution = 1_i64 << level;
    // Where the surface looks against x it is entered.
    let (turn, corners) = if normal[0] < 0 { (1, [p, r, q]) } else { (-1, [p, q, r]) };
    let range = |axis: usize| {
        let low = steps.iter().map(|p| p[axis]).min().unwrap_or(0);
        let high = steps.iter().map(|p| p[axis]).max().unwrap_or(0);
        // Middles at least at `low` and at most at `high`.
        ((low - half + (1 << shift) - 1) >> shift).max(0)..=((high - half) >> shift).min(resolution - 1)
    };
    for z in range(2) {
        for y in range(1) {
            let middle = [(y << shift) + half, (z << shift) + half];
            if !(0..3).all(|i| is_left(corners[i], corners[(i + 1) % 3], middle)) {
                continue;
            }
            let [dy, dz] = [middle[0] - p[1], middle[1] - p[2]];
            // The crossing is half a voxel or more from the middle of any voxel that no triangle meets: rounding decides nothing.
            let x = p[0] as f64
                - (normal[1] as f64 * dy as f64 + normal[2] as f64 * dz as f64) / normal[0] as f64;
            let first = ((x - half as f64) / f64::from(1 << shift)).ceil().clamp(0.0, resolution as f64);
            found.push((((z << level) + y) as u32, first as u16, turn));
        }
    }
}

/// Whether a middle lies to the left of an edge, seen against x. One that lies on it is moved a little along y, and far less along z: so of two triangles
/// at an edge it is in one, and of those around a corner, too.
fn is_left(a: [i64; 3], b: [i64; 3], [y, z]: [i64; 2]) -> bool {
    let (dy, dz) = (b[1] - a[1], b[2] - a[2]);
    let side = dy * (z - a[2]) - dz * (y - a[1]);
    if side != 0 {
        side > 0
    } else if dz != 0 {
        dz < 0
    } else {
        dy > 0
    }
}
