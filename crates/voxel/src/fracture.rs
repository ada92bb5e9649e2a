//! Fracture: cells of seeds, the share of each object, and the islands in it.

use std::sync::Arc;

use rayon::prelude::*;
use web_time::Instant;

use crate::canopy::Canopy;
use crate::cell::{Sites, half_side};
use crate::clip::{At, Growth, Made, Scratch, Source};
use crate::islands::{islands, mark_whole};
use crate::objects::Region;
use crate::settle::VOXELS;
use crate::trunk::{Spot, Trunk};
use crate::{Error, Octree, Seeds};

/// At which level it is decided what hangs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Islands {
    /// At the finest: two voxels that share a face, an edge or a corner hang together.
    #[default]
    Finest,
    /// At this level: a node of it counts as full if anything is in it. Faster where it is needed, and forgiving of small gaps.
    Level(u32),
    /// Not at all: what is of one object is one piece.
    Ignored,
}

/// How an octree is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FractureOptions {
    /// What counts as one piece.
    pub islands: Islands,
}

/// A piece of an octree that broke.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its voxels.
    pub octree: Octree,
    /// The object of the seeds in whose cells it lay.
    pub object: u32,
}

/// What a fracture did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fracture {
    /// The pieces, in order of their objects, islands of one object side by side.
    pub pieces: Vec<Piece>,
    /// How long it took.
    pub times: Times,
}

/// How long the stages of a fracture took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Cells, with their octrees, colours and normals: the sum over all threads.
    pub cells: f64,
    /// Islands: the sum over all threads.
    pub islands: f64,
    /// All of it, by the clock.
    pub total: f64,
}

/// Memory for fractures. What a first fracture takes from the system, the next one finds there; give back pieces that are done with.
///
/// ```
/// use smithereens_voxel::{Arena, FractureOptions, Grid, Octree, Seeds, fracture_in};
/// use glam::DVec3;
/// let grid = Grid::new(5, DVec3::splat(-1.0), 2.0)?;
/// let ball = Octree::of_field(grid, |point| point.length() - 0.8, [180, 170, 150, 255])?;
/// let seeds = Seeds::inside(&ball, 8, 1)?;
/// let mut arena = Arena::default();
/// for _ in 0..3 {
///     let broken = fracture_in(&mut arena, &ball, &seeds, &FractureOptions::default())?;
///     assert_eq!(broken.pieces.len(), 8);
///     arena.reclaim(broken);
/// }
/// # Ok::<(), smithereens_voxel::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Arena {
    trunks: Vec<Trunk>,
}

impl Arena {
    /// Takes back the memory of pieces.
    pub fn reclaim(&mut self, broken: Fracture) {
        self.trunks.extend(broken.pieces.into_iter().map(|piece| piece.octree.trunk));
    }
}

/// Breaks an octree: what lies in the cells of the seeds of one object, and hangs together, is a piece.
///
/// ```
/// use smithereens_voxel::{FractureOptions, Grid, Octree, Seeds, fracture};
/// use glam::DVec3;
/// let grid = Grid::new(6, DVec3::splat(-1.0), 2.0)?;
/// let ball = Octree::of_field(grid, |point| point.length() - 0.8, [180, 170, 150, 255])?;
/// let halves = Seeds::new(vec![DVec3::X * -0.3, DVec3::X * 0.3])?;
/// let broken = fracture(&ball, &halves, &FractureOptions::default())?;
/// let voxels: u64 = broken.pieces.iter().map(|piece| piece.octree.voxel_count()).sum();
/// assert_eq!((broken.pieces.len(), voxels), (2, ball.voxel_count()));
/// # Ok::<(), smithereens_voxel::Error>(())
/// ```
pub fn fracture(octree: &Octree, seeds: &Seeds, options: &FractureOptions) -> Result<Fracture, Error> {
    fracture_in(&mut Arena::default(), octree, seeds, options)
}

/// The same, in memory that is there already.
pub fn fracture_in(
    arena: &mut Arena,
    octree: &Octree,
    seeds: &Seeds,
    options: &FractureOptions,
) -> Result<Fracture, Error> {
    let start = Instant::now();
    let floor = floor_of(octree, options)?;
    let sites = Sites::of(seeds, &octree.grid)?;
    let objects = objects_of(&sites);
    let mut spare = std::mem::take(&mut arena.trunks);
    // The largest are the most useful ones.
    let rest = spare.split_off(spare.len().min(objects.len()));
    spare.resize_with(objects.len(), Trunk::default);
    let canopy = Canopy::of(&sites, &octree.trunk);
    let work = Work { octree, sites: &sites, canopy, floor };
    let tasks = objects.into_par_iter().zip(spare).with_max_len(1);
    let done: Vec<Done> =
        tasks.map_init(Scratch::default, |scratch, (seeds, trunk)| work.of(&seeds, trunk, scratch)).collect();
    let mut broken = Fracture::default();
    arena.trunks = rest;
    for Done { object, trunks, spare, cells, islands } in done {
        let piece =
            |trunk| Piece { octree: Octree { trunk, skin: Arc::clone(&octree.skin), ..*octree }, object };
        broken.pieces.extend(trunks.into_iter().map(piece));
        arena.trunks.extend(spare);
        broken.times.cells += cells;
        broken.times.islands += islands;
    }
    broken.times.total = milliseconds(start);
    Ok(broken)
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// The depth from which on what hangs together is not looked at.
fn floor_of(octree: &Octree, options: &FractureOptions) -> Result<usize, Error> {
    let level = octree.grid.level();
    let depth = octree.grid.depth();
    match options.islands {
        Islands::Finest => Ok(VOXELS),
        Islands::Ignored => Ok(0),
        Islands::Level(asked) if asked > level => {
            let wanted = "islands cannot be found at a level that is finer than the octree";
            Err(Error::Option { name: "level", value: f64::from(asked), wanted })
        }
        Islands::Level(asked) if asked == level => Ok(VOXELS),
        // Octants of bricks are one level above voxels.
        Islands::Level(asked) if asked + 1 == level => Ok(depth + 1),
        Islands::Level(asked) => Ok((asked as usize).min(depth)),
    }
}

/// The seeds of each object, objects in order of their numbers.
fn objects_of(sites: &Sites) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..sites.points.len()).collect();
    order.sort_by_key(|&seed| (sites.objects[seed], seed));
    order.chunk_by(|&a, &b| sites.objects[a] == sites.objects[b]).map(<[usize]>::to_vec).collect()
}

/// What all objects have in common.
struct Work<'a> {
    octree: &'a Octree,
    sites: &'a Sites,
    canopy: Canopy,
    floor: usize,
}

/// The pieces of an object.
struct Done {
    object: u32,
    trunks: Vec<Trunk>,
    /// Memory that was not needed.
    spare: Option<Trunk>,
    cells: f64,
    islands: f64,
}

impl Work<'_> {
    fn of(&self, seeds: &[usize], mut trunk: Trunk, scratch: &mut Scratch) -> Done {
        let start = Instant::now();
        let source = Source { trunk: &self.octree.trunk, skin: &self.octree.skin };
        trunk.reset(source.trunk.depth());
        let made = match *seeds {
            [seed] => self.cell(seed, source, &mut trunk, scratch),
            _ => self.region(seeds, source, &mut trunk, scratch),
        };
        let cells = milliseconds(start);
        let start = Instant::now();
        let object = self.sites.objects[seeds[0]];
        let mut done = Done { object, trunks: Vec::new(), spare: None, cells, islands: 0.0 };
        if made != Made::Node {
            done.spare = Some(trunk);
            return done;
        }
        match islands(&trunk, &self.octree.skin, self.floor, scratch) {
            Some(islands) => {
                done.trunks = islands;
                done.spare = Some(trunk);
            }
            None => {
                if self.floor == VOXELS {
                    mark_whole(&mut trunk);
                }
                done.trunks.push(trunk);
            }
        }
        done.islands = milliseconds(start);
        done
    }

    /// What lies in the cell of a seed.
    fn cell(&self, seed: usize, source: Source, trunk: &mut Trunk, scratch: &mut Scratch) -> Made {
        if source.trunk.root() == Spot::Empty {
            return Made::Nothing;
        }
        let planes = self.sites.bisectors(seed);
        trunk.cuts.faces.extend_from_slice(&source.trunk.cuts.faces);
        trunk.cuts.faces.extend(planes.iter().map(|plane| plane.normal));
        Growth { source, trunk, scratch }.clip_from(&self.canopy, 0, seed as u32, &planes, At::ROOT)
    }

    /// What lies in the cells of several seeds of one object.
    fn region(&self, seeds: &[usize], source: Source, trunk: &mut Trunk, scratch: &mut Scratch) -> Made {
        if source.trunk.root() == Spot::Empty {
            return Made::Nothing;
        }
        trunk.cuts.faces.extend_from_slice(&source.trunk.cuts.faces);
        let region = Region { sites: self.sites, object: self.sites.objects[seeds[0]] };
        let mut stack: Vec<u32> = (0..self.sites.points.len() as u32).collect();
        let (all, half) = (stack.len(), half_side(source.trunk, 0));
        self.sites.enter(&mut stack, 0..all, [half; 3], half);
        region.clip(&mut Growth { source, trunk, scratch }, &mut stack, At::ROOT, all)
    }
}
