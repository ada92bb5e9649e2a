//! From voxels in Morton order to octrees: breadth first, level by level from the bricks up (Zhou et al. 2011, as in Section 4.6), and many trees at once.

use rayon::prelude::*;

use crate::brick::{Brick, bit, bits, reach, spread};
use crate::look::{Kind, Look, Skin};
use crate::morton::{decode, encode};
use crate::octree::Octree;
use crate::settle::settle;
use crate::trunk::Trunk;
use crate::{Error, Grid, Interior, Payload, unmorton};

/// A voxel that is to be in an octree: its Morton code, and what it looks like if it turns out to be on the surface.
pub type Coded = (u64, Payload);

impl Octree {
    /// All voxels of an object, in the order of their [Morton codes](crate::morton). Those with an empty one among the 26 around them are its boundary, the others are internal.
    ///
    /// ```
    /// use smithereens_voxel::{Grid, Kind, Octree, Payload, morton};
    /// use glam::DVec3;
    /// let grid = Grid::new(3, DVec3::ZERO, 8.0)?;
    /// let mut voxels: Vec<_> = (0..125).map(|i| morton([i % 5, i / 5 % 5, i / 25])).collect();
    /// voxels.sort_unstable();
    /// let voxels: Vec<_> = voxels.into_iter().map(|code| (code, Payload::default())).collect();
    /// let block = Octree::of_voxels(grid, &voxels)?;
    /// assert_eq!((block.boundary_count(), block.internal_count()), (98, 27));
    /// # Ok::<(), smithereens_voxel::Error>(())
    /// ```
    pub fn of_voxels(grid: Grid, voxels: &[Coded]) -> Result<Octree, Error> {
        check(&grid, voxels.iter().map(|&(code, _)| (0, code)))?;
        Ok(of_checked(grid, voxels))
    }

    /// Many objects at once, each with a label: voxels in the order of their labels, and of their Morton codes within these. Gives each label and its octree.
    pub fn forest(grid: Grid, voxels: &[(u32, Coded)]) -> Result<Vec<(u32, Octree)>, Error> {
        check(&grid, voxels.iter().map(|&(label, (code, _))| (label, code)))?;
        let runs: Vec<&[(u32, Coded)]> = voxels.chunk_by(|a, b| a.0 == b.0).collect();
        let tree = |run: &&[(u32, Coded)]| {
            let coded: Vec<Coded> = run.iter().map(|&(_, coded)| coded).collect();
            (run[0].0, of_checked(grid, &coded))
        };
        Ok(runs.par_iter().map(tree).collect())
    }
}

fn check(grid: &Grid, codes: impl Iterator<Item = (u32, u64)>) -> Result<(), Error> {
    let mut last = None;
    for (index, (label, code)) in codes.enumerate() {
        if last.is_some_and(|last| last >= (label, code)) {
            return Err(Error::Order { index });
        }
        if code >> (3 * grid.level()) != 0 {
            return Err(Error::Outside { index, voxel: unmorton(code), resolution: grid.resolution() });
        }
        last = Some((label, code));
    }
    Ok(())
}

/// The bit of a voxel in its brick, from the last six bits of its code.
fn bit_of(code: u64) -> u32 {
    bit(unmorton(code & 63))
}

fn of_checked(grid: Grid, voxels: &[Coded]) -> Octree {
    let runs: Vec<&[Coded]> = voxels.chunk_by(|a, b| a.0 >> 6 == b.0 >> 6).collect();
    let solid: Vec<(u32, u64)> = runs
        .iter()
        .map(|run| ((run[0].0 >> 6) as u32, run.iter().fold(0, |mask, (code, _)| mask | 1 << bit_of(*code))))
        .collect();
    let bricks = (0..solid.len()).into_par_iter().with_min_len(256).map(|index| brick(&grid, &solid, index));
    let bricks: Vec<(u64, u64)> = bricks.collect();
    let (mut trunk, mut full, mut payloads) = (Trunk::new(grid.depth()), Vec::new(), Vec::new());
    for ((&(code, _), &(boundary, internal)), run) in solid.iter().zip(&bricks).zip(&runs) {
        if boundary == 0 {
            full.push(code);
            continue;
        }
        let look = Look::new(Kind::Skin(trunk.bricks.len() as u32));
        trunk.bricks.push(Brick::new(code, boundary, internal, look));
        let mut of_bits = [Payload::default(); 64];
        run.iter().for_each(|(code, payload)| of_bits[bit_of(*code) as usize] = *payload);
        payloads.extend(bits(boundary).map(|bit| of_bits[bit as usize]));
    }
    let full = levels_of(full, grid.depth());
    trunk.grow(|depth, code| full[depth].binary_search(&code).is_ok());
    settle(&mut trunk);
    let masks = trunk.bricks.iter().map(|brick| brick.boundary).collect();
    Octree { grid, trunk, skin: Skin::shared(masks, payloads), interior: Interior::default() }
}

/// The boundary and the internal voxels of a brick.
fn brick(grid: &Grid, solid: &[(u32, u64)], index: usize) -> (u64, u64) {
    let (code, mask) = solid[index];
    let at = decode(code);
    let mut beside_empty = spread(!mask);
    for direction in (0..27).filter(|&direction| direction != 13) {
        let by = [direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1];
        let neighbour = at.iter().zip(by).map(|(&x, by)| x.checked_add_signed(by));
        let neighbour: Option<Vec<u32>> = neighbour.collect();
        let other = neighbour.filter(|at| at.iter().all(|&x| x < 1 << grid.depth())).and_then(|at| {
            solid.binary_search_by_key(&encode([at[0], at[1], at[2]]), |&(code, _)| code).ok()
        });
        let other = other.map_or(0, |other| solid[other].1);
        beside_empty |= reach(!other, by.map(|x| -x));
    }
    (mask & beside_empty, mask & !beside_empty)
}

/// Places that are full at each depth: eight that are make one that is.
fn levels_of(bricks: Vec<u32>, depth: usize) -> Vec<Vec<u32>> {
    let mut levels = vec![bricks];
    for _ in 0..depth {
        let last = &levels[levels.len() - 1];
        let parents = last.chunk_by(|a, b| a >> 3 == b >> 3).filter(|run| run.len() == 8);
        let parents = parents.map(|run| run[0] >> 3).collect();
        levels.push(parents);
    }
    levels.reverse();
    levels
}
