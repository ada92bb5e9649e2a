//! Seeds: points whose Voronoi cells are the pattern of a fracture (Section 4.2), and which object the cell of each goes to (Section 4.7).

use glam::DVec3;

use crate::draw::Draw;
use crate::{Error, Octree};

/// The seeds of a pattern. Seeds of one object have no surface between them.
///
/// ```
/// use smithereens_voxel::Seeds;
/// use glam::DVec3;
/// let seeds = Seeds::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y])?.with_objects(&[7, 7, 3]);
/// assert_eq!(seeds.objects(), [7, 7, 3]);
/// # Ok::<(), smithereens_voxel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Seeds {
    points: Vec<DVec3>,
    objects: Vec<u32>,
}

/// Seeds at random on spheres of growing radii about a point of impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spheres {
    /// How many seeds in all, dealt to the spheres in turn.
    pub seeds: usize,
    /// How many spheres.
    pub spheres: usize,
    /// The radius of the largest, in the object's unit.
    pub radius: f64,
    /// How radii grow: 1 is evenly, 2 as squares.
    pub growth: f64,
    /// Whether seeds outside the object are drawn again, so that every cell has something in it.
    pub inside: bool,
    /// Another seed, other points.
    pub seed: u64,
}

impl Default for Spheres {
    fn default() -> Spheres {
        Spheres { seeds: 90, spheres: 6, radius: 1.0, growth: 1.5, inside: true, seed: 0 }
    }
}

/// How often a point is drawn again before it is taken as it is.
const TRIES: usize = 200;

impl Seeds {
    /// The most there may be.
    pub const MOST: usize = 10_000;

    /// Points of your own, each an object of its own.
    pub fn new(points: Vec<DVec3>) -> Result<Seeds, Error> {
        if points.is_empty() {
            return Err(Error::NoSeeds);
        }
        if points.len() > Seeds::MOST {
            return Err(Error::TooManySeeds { count: points.len() });
        }
        if let Some(index) = points.iter().position(|point| !point.is_finite()) {
            return Err(Error::Seed { index, point: points[index] });
        }
        let objects = (0..points.len() as u32).collect();
        Ok(Seeds { points, objects })
    }

    /// Points all over the inside of an object, every voxel as likely as any other.
    pub fn inside(octree: &Octree, count: usize, seed: u64) -> Result<Seeds, Error> {
        let voxels = Picker::of(octree);
        let mut draw = Draw::new(seed);
        let point = |_| {
            let voxel = voxels.pick(draw.below(voxels.count));
            let within = DVec3::new(draw.unit(), draw.unit(), draw.unit());
            octree.grid().point(DVec3::from_array(voxel.map(f64::from)) + within)
        };
        if octree.is_empty() {
            return Err(Error::Empty);
        }
        Seeds::new((0..count.min(Seeds::MOST + 1)).map(point).collect())
    }

    /// Points on spheres about an impact on an object.
    pub fn spheres(octree: &Octree, impact: DVec3, options: &Spheres) -> Result<Seeds, Error> {
        let check = |name, value: f64, sound: bool, wanted| {
            if sound { Ok(()) } else { Err(Error::Option { name, value, wanted }) }
        };
        check("radius", options.radius, options.radius > 0.0 && options.radius.is_finite(), "give a length")?;
        let grows = options.growth > 0.0 && options.growth <= 8.0;
        check("growth", options.growth, grows, "it should be more than 0 and at most 8")?;
        check("spheres", options.spheres as f64, options.spheres > 0, "it should be 1 or more")?;
        let mut draw = Draw::new(options.seed);
        let point = |index: usize| {
            let sphere = (index % options.spheres + 1) as f64 / options.spheres as f64;
            let radius = options.radius * libm::pow(sphere, options.growth);
            let mut point = impact + draw.direction() * radius;
            let mut tries = if options.inside { TRIES } else { 0 };
            // Where a sphere misses the object, smaller ones are tried.
            while tries > 0 && !octree.contains(point) {
                let shrink = tries as f64 / TRIES as f64;
                point = impact + draw.direction() * (radius * shrink);
                tries -= 1;
            }
            point
        };
        Seeds::new((0..options.seeds.min(Seeds::MOST + 1)).map(point).collect())
    }

    /// Gives each seed its object. Seeds beyond the end of the list stay objects of their own.
    pub fn with_objects(mut self, objects: &[u32]) -> Seeds {
        let own = objects.iter().copied().max().map_or(0, |most| most.saturating_add(1));
        let rest = (0..).map(|i: u32| own.saturating_add(i));
        self.objects = objects.iter().copied().chain(rest).take(self.points.len()).collect();
        self
    }

    /// A local fracture: all seeds farther from the impact than this are of one object, which stays whole around what breaks off.
    pub fn local(mut self, impact: DVec3, radius: f64) -> Seeds {
        let rest = self.points.len() as u32;
        for (index, (object, point)) in (0..).zip(self.objects.iter_mut().zip(&self.points)) {
            *object = if point.distance(impact) > radius { rest } else { index };
        }
        self
    }

    /// The points.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The object of each.
    pub fn objects(&self) -> &[u32] {
        &self.objects
    }
}

impl Octree {
    /// Whether a point lies in a voxel that is not empty.
    pub fn contains(&self, point: DVec3) -> bool {
        let place = self.grid().place(point).floor();
        let resolution = f64::from(self.grid().resolution());
        let is_in = place.cmpge(DVec3::ZERO).all() && place.cmplt(DVec3::splat(resolution)).all();
        is_in && self.kind(self.grid().level(), place.to_array().map(|x| x as u32)) != crate::Kind::Empty
    }
}

/// Picks voxels of an octree by number.
struct Picker<'a> {
    octree: &'a Octree,
    /// How many voxels there are in all bricks up to each.
    bricks: Vec<u64>,
    nodes: Vec<([u32; 3], u32)>,
    /// How many voxels there are in all bricks and in all nodes up to each.
    ends: Vec<u64>,
    count: u64,
}

impl Picker<'_> {
    fn of(octree: &Octree) -> Picker<'_> {
        let mut count = 0;
        let mut add = |voxels: u64| {
            count += voxels;
            count
        };
        let bricks = octree.trunk.bricks.iter().map(|brick| add(brick.solid().count_ones().into())).collect();
        let nodes = octree.internal_nodes();
        let ends = nodes.iter().map(|(_, side)| add(u64::from(*side).pow(3))).collect();
        Picker { octree, bricks, nodes, ends, count }
    }

    fn pick(&self, number: u64) -> [u32; 3] {
        let in_bricks = self.bricks.last().copied().unwrap_or(0);
        if number < in_bricks {
            let index = self.bricks.partition_point(|&end| end <= number);
            let brick = &self.octree.trunk.bricks[index];
            let before = if index == 0 { 0 } else { self.bricks[index - 1] };
            let bit = crate::brick::bits(brick.solid()).nth((number - before) as usize).unwrap_or(0);
            return crate::octree::voxel_of(brick, bit);
        }
        let index = self.ends.partition_point(|&end| end <= number).min(self.nodes.len() - 1);
        let before = if index == 0 { in_bricks } else { self.ends[index - 1] };
        let (at, side) = self.nodes[index];
        let side = u64::from(side);
        let within = number - before;
        let by = [within % side, within / side % side, within / side / side];
        std::array::from_fn(|axis| at[axis] + by[axis] as u32)
    }
}
