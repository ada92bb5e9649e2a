//! The octree as its users see it: three kinds of node at every level, and a payload for each boundary voxel.

use std::sync::Arc;

use glam::DVec3;

use crate::brick::{Brick, bit, bits, octant, place};
use crate::look::{Shown, Skin, shown};
use crate::morton::{decode, encode};
use crate::trunk::{Spot, Trunk};
use crate::{Grid, Interior, Payload};

/// What a node is (Section 3.1 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The surface of the object passes through it.
    Boundary,
    /// It lies wholly inside.
    Internal,
    /// It lies wholly outside.
    Empty,
}

/// An object of voxels: a whole one, or a piece of one that broke.
///
/// A fracture gives each piece the grid of the whole, so that a voxel has the same coordinates in all of them. A boundary voxel in which a cell ends has a copy
/// in every piece that it is cut between; its middle is in one of them, whose voxel it *is*: that piece *owns* it.
///
/// ```
/// use smithereens_voxel::{Grid, Kind, Octree};
/// use glam::DVec3;
/// let grid = Grid::new(5, DVec3::splat(-1.0), 2.0)?;
/// let ball = Octree::of_field(grid, |point| point.length() - 0.8, [180, 170, 150, 255])?;
/// assert_eq!(ball.kind(5, [16, 16, 16]), Kind::Internal);
/// assert_eq!(ball.kind(5, [0, 0, 0]), Kind::Empty);
/// assert_eq!(ball.kind(0, [0, 0, 0]), Kind::Boundary);
/// assert!(ball.voxel_count() > ball.boundary_count());
/// # Ok::<(), smithereens_voxel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Octree {
    pub(crate) grid: Grid,
    pub(crate) trunk: Trunk,
    pub(crate) skin: Arc<Skin>,
    /// What it looks like where it is broken.
    pub interior: Interior,
}

/// How much memory an octree takes, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// Nodes and bricks: where there is what.
    pub structure: usize,
    /// Colours and normals that are its own.
    pub payload: usize,
    /// Colours and normals that it shares with all pieces of the same object.
    pub shared: usize,
}

impl Bytes {
    /// All of it.
    pub fn total(&self) -> usize {
        self.structure + self.payload + self.shared
    }
}

/// A voxel of an octree that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Voxel {
    /// Where it is.
    pub at: [u32; 3],
    /// Boundary or internal.
    pub kind: Kind,
    /// Whether its middle is in this piece: it is in no other, but for copies.
    pub owned: bool,
}

impl Octree {
    /// Where its voxels are.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.trunk.bricks.is_empty()
    }

    /// What a node of a level is; level 0 is the whole cube. What lies outside is empty.
    pub fn kind(&self, level: u32, at: [u32; 3]) -> Kind {
        let level = level.min(self.grid.level());
        if at.iter().any(|&x| x >> level != 0) {
            return Kind::Empty;
        }
        let depth = self.grid.depth();
        // Above the bricks a node is one of the tree; from there on it is some of the bits of a brick.
        let above = (level as usize).min(depth);
        let below = level - above as u32;
        match self.trunk.find(above, encode(at.map(|x| x >> below))) {
            Spot::Empty => Kind::Empty,
            Spot::Full => Kind::Internal,
            Spot::Node(index) if above == depth => {
                kind_in(&self.trunk.bricks[index as usize], self.mask_of(level, at))
            }
            Spot::Node(_) => Kind::Boundary,
        }
    }

    /// The voxels of its brick that a node at the depth of bricks or below stands for.
    fn mask_of(&self, level: u32, at: [u32; 3]) -> u64 {
        match self.grid.level() - level {
            0 => 1 << bit(at),
            1 => octant(at.iter().rev().fold(0, |index, x| index << 1 | x & 1)),
            _ => !0,
        }
    }

    /// The payload of a boundary voxel; `None` for any other.
    pub fn payload(&self, at: [u32; 3]) -> Option<Payload> {
        if at.iter().any(|&x| x >> self.grid.level() != 0) {
            return None;
        }
        let Spot::Node(index) = self.trunk.find(self.grid.depth(), encode(at.map(|x| x >> 2))) else {
            return None;
        };
        let brick = &self.trunk.bricks[index as usize];
        (brick.boundary >> bit(at) & 1 == 1).then(|| self.payload_in(brick, bit(at)))
    }

    /// Whether a voxel shows what a fracture laid open, not the surface that the object was made with.
    pub fn is_cut(&self, at: [u32; 3]) -> bool {
        if at.iter().any(|&x| x >> self.grid.level() != 0) {
            return false;
        }
        let Spot::Node(index) = self.trunk.find(self.grid.depth(), encode(at.map(|x| x >> 2))) else {
            return false;
        };
        let brick = &self.trunk.bricks[index as usize];
        brick.boundary >> bit(at) & 1 == 1 && self.shows_cut(brick, bit(at))
    }

    /// Whether a boundary voxel of a brick shows a cut.
    pub(crate) fn shows_cut(&self, brick: &Brick, bit: u32) -> bool {
        matches!(shown(&self.skin, &self.trunk.cuts, brick.look, bit), Shown::Cut(_))
    }

    pub(crate) fn payload_in(&self, brick: &Brick, bit: u32) -> Payload {
        match shown(&self.skin, &self.trunk.cuts, brick.look, bit) {
            Shown::Skin(payload) => payload,
            Shown::Cut(normal) => {
                let at = voxel_of(brick, bit);
                Payload::of(self.interior.color(self.grid.center_of(at)), normal)
            }
        }
    }

    /// All boundary voxels with their payloads, in the order of their Morton codes down to bricks of 4 × 4 × 4, and x first within these.
    pub fn boundary(&self) -> impl Iterator<Item = ([u32; 3], Payload)> + '_ {
        let of_brick = move |brick: &'_ Brick| {
            let brick = *brick;
            bits(brick.boundary).map(move |bit| (voxel_of(&brick, bit), self.payload_in(&brick, bit)))
        };
        self.trunk.bricks.iter().flat_map(of_brick)
    }

    /// All voxels that are not empty: those of bricks, then those of places that are wholly internal. There are a great many.
    pub fn voxels(&self) -> impl Iterator<Item = Voxel> + '_ {
        let of_brick = move |brick: &'_ Brick| {
            let brick = *brick;
            bits(brick.solid()).map(move |bit| {
                let is_boundary = brick.boundary >> bit & 1 == 1;
                let kind = if is_boundary { Kind::Boundary } else { Kind::Internal };
                Voxel { at: voxel_of(&brick, bit), kind, owned: brick.owned() >> bit & 1 == 1 }
            })
        };
        let of_full = |(at, side): ([u32; 3], u32)| {
            (0..side * side * side).map(move |index| {
                let by = [index % side, index / side % side, index / side / side];
                let at = std::array::from_fn(|axis| at[axis] + by[axis]);
                Voxel { at, kind: Kind::Internal, owned: true }
            })
        };
        self.trunk.bricks.iter().flat_map(of_brick).chain(self.internal_nodes().into_iter().flat_map(of_full))
    }

    /// The nodes above the bricks that are wholly internal: the least voxel of each, and how many voxels it has a side.
    pub fn internal_nodes(&self) -> Vec<([u32; 3], u32)> {
        let depth = self.trunk.depth();
        let mut nodes = Vec::new();
        self.trunk.each_full(|at, code| {
            let side = 4 << (depth - at);
            nodes.push((decode(code).map(|x| x * side), side));
        });
        nodes
    }

    /// How many boundary voxels there are, copies among them.
    pub fn boundary_count(&self) -> u64 {
        self.trunk.bricks.iter().map(|brick| u64::from(brick.boundary.count_ones())).sum()
    }

    /// How many voxels it owns, boundary and internal. Times [`Grid::voxel_volume`], that is its volume: those of all pieces sum to that of the whole.
    pub fn voxel_count(&self) -> u64 {
        let in_bricks: u64 =
            self.trunk.bricks.iter().map(|brick| u64::from(brick.owned().count_ones())).sum();
        in_bricks + self.internal_nodes().iter().map(|(_, side)| u64::from(*side).pow(3)).sum::<u64>()
    }

    /// How many internal voxels there are.
    pub fn internal_count(&self) -> u64 {
        let in_bricks: u64 =
            self.trunk.bricks.iter().map(|brick| u64::from(brick.internal().count_ones())).sum();
        in_bricks + self.internal_nodes().iter().map(|(_, side)| u64::from(*side).pow(3)).sum::<u64>()
    }

    /// The least and the greatest voxel along each axis; `None` where there is none.
    pub fn extent(&self) -> Option<([u32; 3], [u32; 3])> {
        let corners = |brick: &Brick| {
            let base = decode(brick.code()).map(|x| x * 4);
            let mut all = bits(brick.solid()).map(place);
            let first = all.next()?;
            let (low, high) = all.fold((first, first), |(low, high), at| {
                (std::array::from_fn(|k| low[k].min(at[k])), std::array::from_fn(|k| high[k].max(at[k])))
            });
            let add = |at: [u32; 3]| std::array::from_fn(|k| base[k] + at[k]);
            Some((add(low), add(high)))
        };
        let join = |(low, high): ([u32; 3], [u32; 3]), (l, h): ([u32; 3], [u32; 3])| {
            (std::array::from_fn(|k| low[k].min(l[k])), std::array::from_fn(|k| high[k].max(h[k])))
        };
        // What is internal is enclosed by bricks.
        self.trunk.bricks.iter().filter_map(corners).reduce(join)
    }

    /// The centre of mass of the voxels it owns, in the object's space; `None` where it owns none.
    pub fn center(&self) -> Option<DVec3> {
        let (mut count, mut sum) = (0_u64, [0_u64; 3]);
        for brick in &self.trunk.bricks {
            let base = decode(brick.code()).map(|x| u64::from(x) * 8 + 1);
            for bit in bits(brick.owned()) {
                let at = place(bit);
                count += 1;
                (0..3).for_each(|k| sum[k] += base[k] + 2 * u64::from(at[k]));
            }
        }
        for (at, side) in self.internal_nodes() {
            let volume = u64::from(side).pow(3);
            count += volume;
            (0..3).for_each(|k| sum[k] += volume * (2 * u64::from(at[k]) + u64::from(side)));
        }
        // Twice the coordinates of centres are whole numbers, and their sums are exact.
        let mean = DVec3::from_array(sum.map(|sum| sum as f64 / 2.0 / count as f64));
        (count > 0).then(|| self.grid.point(mean))
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> Bytes {
        Bytes { structure: self.trunk.bytes(), payload: self.trunk.cuts.bytes(), shared: self.skin.bytes() }
    }
}

/// Where a bit of a brick is.
pub(crate) fn voxel_of(brick: &Brick, bit: u32) -> [u32; 3] {
    let (base, at) = (decode(brick.code()), place(bit));
    std::array::from_fn(|axis| base[axis] * 4 + at[axis])
}

/// What those voxels of a brick are that a mask names.
fn kind_in(brick: &Brick, mask: u64) -> Kind {
    if brick.boundary & mask != 0 {
        Kind::Boundary
    } else if brick.inside & mask == mask {
        Kind::Internal
    } else if brick.inside & mask != 0 {
        Kind::Boundary
    } else {
        Kind::Empty
    }
}
