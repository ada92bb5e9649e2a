//! From a signed distance to an octree.

use glam::DVec3;
use rayon::prelude::*;

use crate::brick::{Brick, bits};
use crate::look::{Kind, Look, Skin};
use crate::morton::decode;
use crate::octree::{Octree, voxel_of};
use crate::settle::settle;
use crate::trunk::Trunk;
use crate::{Error, Grid, Interior, Payload};

impl Octree {
    /// What a signed distance, below zero inside, is the distance of. It may be too small, as those of unions and intersections are, but nowhere changes by
    /// more than the way that is gone: nodes farther from the surface than their size are not looked into.
    ///
    /// A voxel is boundary if the sign changes between its corners. Beyond the grid all is outside.
    pub fn of_field(
        grid: Grid,
        distance: impl Fn(DVec3) -> f64 + Sync,
        color: [u8; 4],
    ) -> Result<Octree, Error> {
        let field = Field { grid, distance };
        let mut codes = Vec::new();
        field.near(0, 0, &mut codes)?;
        let bricks = codes.par_iter().with_min_len(64).map(|&code| field.brick(code));
        let mut trunk = Trunk::new(grid.depth());
        trunk.bricks = bricks
            .filter(|brick| brick.as_ref().map_or(true, |brick| brick.boundary != 0))
            .collect::<Result<_, _>>()?;
        for (index, brick) in (0..).zip(&mut trunk.bricks) {
            brick.look = Look::new(Kind::Skin(index));
        }
        // No surface is in these places: any of their corners says where they are.
        trunk.grow(|depth, code| field.is_inside(decode(code).map(|x| x * field.side(depth)).map(|x| x + 1)));
        settle(&mut trunk);
        let payloads = trunk.bricks.par_iter().with_min_len(64).map(|brick| field.payloads(brick, color));
        let payloads: Vec<Vec<Payload>> = payloads.collect();
        let masks = trunk.bricks.iter().map(|brick| brick.boundary).collect();
        Ok(Octree {
            grid,
            trunk,
            skin: Skin::shared(masks, payloads.concat()),
            interior: Interior::default(),
        })
    }
}

struct Field<F> {
    grid: Grid,
    distance: F,
}

impl<F: Fn(DVec3) -> f64 + Sync> Field<F> {
    /// How many voxels a place of this depth has a side.
    fn side(&self, depth: usize) -> u32 {
        4 << (self.grid.depth() - depth)
    }

    fn at(&self, place: DVec3) -> Result<f64, Error> {
        let point = self.grid.point(place);
        let distance = (self.distance)(point);
        if distance.is_nan() { Err(Error::Distance { point }) } else { Ok(distance) }
    }

    /// The bricks in which the surface may be.
    fn near(&self, depth: usize, code: u32, codes: &mut Vec<u32>) -> Result<(), Error> {
        let side = self.side(depth);
        let least = decode(code).map(|x| x * side);
        let resolution = self.grid.resolution();
        if least.iter().any(|&x| x >= resolution) {
            return Ok(());
        }
        let half = f64::from(side) * 0.5;
        let distance = self.at(DVec3::from_array(least.map(f64::from)) + half)?;
        let reach = half * 1.75 * self.grid.voxel_size();
        let at_border = least.iter().any(|&x| x == 0 || x + side >= resolution);
        if distance > reach || distance < -reach && !at_border {
            return Ok(());
        }
        if depth == self.grid.depth() {
            codes.push(code);
            return Ok(());
        }
        (0..8).try_for_each(|octant| self.near(depth + 1, code << 3 | octant, codes))
    }

    /// Whether a corner of voxels is inside.
    fn is_inside(&self, corner: [u32; 3]) -> bool {
        let resolution = self.grid.resolution();
        corner.iter().all(|&x| x > 0 && x < resolution)
            && self.at(DVec3::from_array(corner.map(f64::from))).is_ok_and(|distance| distance < 0.0)
    }

    fn brick(&self, code: u32) -> Result<Brick, Error> {
        let least = decode(code).map(|x| x * 4);
        let mut inside = [false; 125];
        for (index, inside) in (0..).zip(&mut inside) {
            let by = [index % 5, index / 5 % 5, index / 25];
            let corner = std::array::from_fn(|k| least[k] + by[k]);
            self.at(DVec3::from_array(corner.map(f64::from)))?;
            *inside = self.is_inside(corner);
        }
        let (mut boundary, mut internal) = (0, 0);
        for voxel in 0..64 {
            let [x, y, z] = crate::brick::place(voxel);
            let corner =
                |q: u32| inside[((x + (q & 1)) + 5 * (y + (q >> 1 & 1)) + 25 * (z + (q >> 2))) as usize];
            let count = (0..8).filter(|&q| corner(q)).count();
            boundary |= u64::from(count > 0 && count < 8) << voxel;
            internal |= u64::from(count == 8) << voxel;
        }
        Ok(Brick::new(code, boundary, internal, Look::default()))
    }

    fn payloads(&self, brick: &Brick, color: [u8; 4]) -> Vec<Payload> {
        let payload = |bit: u32| {
            let middle = DVec3::from_array(voxel_of(brick, bit).map(f64::from)) + 0.5;
            let along = |by: DVec3| {
                let [ahead, behind] = [middle + by, middle - by].map(|at| self.at(at).unwrap_or(0.0));
                ahead - behind
            };
            let slope = DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z));
            Payload::new(color, if slope.is_finite() { slope } else { DVec3::Y })
        };
        bits(brick.boundary).map(payload).collect()
    }
}
