//! What two octrees in general position have in common (Section 5.1): where their surfaces pass through each other, how much they share, and which way parts them.
//!
//! 1. Both trees are walked at once, down to a level that is chosen for the pair. Two places are looked into if their boxes overlap in the space of the first; two that are internal are
//!    left out, since what is looked for is the surface of what both share.
//! 2. A boundary node of one that meets an internal node of the other is a *point* of that surface, with its normal. One that meets boundary nodes only counts as far as its middle lies
//!    behind theirs.
//! 3. A point stands for the surface that a node has on average: its face divided by the sum of the parts of its normal. Times the normal that is how the volume grows as the surface moves,
//!    its *gradient*.
//! 4. The volume is a third of the sum of points times gradients.
//!
//! Departures: the paper puts points in the middle of what two voxels share, or on a face where both are boundary, and averages them on the lattice of one of the objects; there normals of
//! surfaces that face each other cancel, and columns of the other, which is turned, have gaps. Here each node is its own mean. It then looks along each column for a point where the
//! surface is entered and the next, where it is left. What that adds up along an axis is the sum of coordinates times gradients, for which nobody needs to know which point goes with
//! which; here that is taken along all three.

use glam::{DAffine3, DVec3};
use smithereens_geometry::Aabb;

use crate::Error;
use crate::morton::decode;
use crate::octree::Octree;
use crate::trunk::Spot;

/// An octree down to a level, ready to meet others.
#[derive(Clone, Debug)]
pub struct Husk<'a> {
    octree: &'a Octree,
    depth: usize,
    /// The mean normal of each node of the level.
    normals: Vec<DVec3>,
}

/// A point of the surface of what two objects share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapPoint {
    /// Where, in the space of the first object.
    pub position: DVec3,
    /// The surface that is there, times its outward normal: how the volume grows as that surface moves.
    pub gradient: DVec3,
    /// Whether that surface is of the second object.
    pub of_second: bool,
}

/// What two objects have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlap {
    /// The points of its surface: those of the first object, then those of the second.
    pub points: Vec<OverlapPoint>,
    /// How large it is.
    pub volume: f64,
    /// How many pairs of nodes met.
    pub pairs: usize,
}

impl<'a> Husk<'a> {
    /// Of a level that is at least two above that of the octree: from bricks of 4 × 4 × 4 voxels up.
    pub fn of(octree: &'a Octree, level: u32) -> Result<Husk<'a>, Error> {
        let depth = level as usize;
        if depth > octree.trunk.depth() {
            let wanted = "an octree can meet others at a level that is at least two less than its own";
            return Err(Error::Option { name: "level", value: f64::from(level), wanted });
        }
        let trunk = &octree.trunk;
        let normal = |index: u32| {
            let bricks = trunk.runs(depth, index).last().unwrap_or_default();
            let bricks = &trunk.bricks[bricks.start as usize..bricks.end as usize];
            let each = bricks.iter().flat_map(|brick| {
                crate::brick::bits(brick.boundary).map(|bit| octree.payload_in(brick, bit).normal())
            });
            each.sum::<DVec3>().normalize_or(DVec3::Y)
        };
        Ok(Husk { octree, depth, normals: (0..trunk.len(depth)).map(normal).collect() })
    }

    /// What it shares with another, which `first_from_second` moves from its own space to that of this one.
    ///
    /// ```
    /// use smithereens_voxel::{Grid, Husk, Octree};
    /// use glam::{DAffine3, DVec3};
    /// let grid = Grid::new(7, DVec3::splat(-1.0), 2.0)?;
    /// let ball = Octree::of_field(grid, |point| point.length() - 0.8, [180, 170, 150, 255])?;
    /// let husk = Husk::of(&ball, 5)?;
    /// let apart = husk.overlap(&husk, &DAffine3::from_translation(DVec3::X * 1.9));
    /// let close = husk.overlap(&husk, &DAffine3::from_translation(DVec3::X * 1.2));
    /// assert_eq!(apart.volume, 0.0);
    /// assert!((close.volume / 0.184 - 1.0).abs() < 0.25, "{}", close.volume);
    /// # Ok::<(), smithereens_voxel::Error>(())
    /// ```
    pub fn overlap(&self, second: &Husk, first_from_second: &DAffine3) -> Overlap {
        let mut walk = Walk { first: self, second, map: first_from_second, found: Vec::new(), pairs: 0 };
        let (a, b) = (self.root(), second.root());
        if a.spot != Spot::Empty && b.spot != Spot::Empty {
            walk.meet(a, b);
        }
        let Walk { mut found, pairs, .. } = walk;
        found.sort_unstable_by_key(|found| found.node);
        let point = |run: &[Found]| {
            let of_second = run[0].node.0;
            let husk = if of_second { second } else { self };
            let own = husk.normals[run[0].node.1 as usize];
            let normal = if of_second { first_from_second.matrix3 * own } else { own };
            let inside = run.iter().map(|found| found.inside).sum::<f64>() / run.len() as f64;
            let share = if run.iter().any(|found| found.is_deep) { 1.0 } else { inside };
            let area = share * husk.cell() * husk.cell() / own.abs().element_sum();
            OverlapPoint { position: run[0].point, gradient: normal * area, of_second }
        };
        let mut points: Vec<OverlapPoint> = found.chunk_by(|a, b| a.node == b.node).map(point).collect();
        points.retain(|point| point.gradient != DVec3::ZERO);
        // About their middle, so that it does not matter that gradients do not quite cancel.
        let middle = points.iter().map(|point| point.position).sum::<DVec3>() / points.len().max(1) as f64;
        let flux: f64 = points.iter().map(|point| (point.position - middle).dot(point.gradient)).sum();
        Overlap { points, volume: (flux / 3.0).max(0.0), pairs }
    }

    /// The side of a node of its level.
    fn cell(&self) -> f64 {
        self.side(self.depth)
    }

    fn side(&self, depth: usize) -> f64 {
        let voxels = f64::from(4_u32 << (self.octree.trunk.depth() - depth));
        voxels * self.octree.grid().voxel_size()
    }

    fn root(&self) -> Place {
        Place { depth: 0, spot: self.octree.trunk.root(), code: 0 }
    }

    /// Whether a place is not looked into any further.
    fn is_leaf(&self, place: Place) -> bool {
        place.spot == Spot::Full || place.depth == self.depth
    }

    fn octants(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        (0..8).filter_map(move |octant| {
            let spot = self.octree.trunk.child(place.depth, place.spot, octant);
            let child = Place { depth: place.depth + 1, spot, code: place.code << 3 | octant };
            (spot != Spot::Empty).then_some(child)
        })
    }

    /// Half the side of a place, and its middle.
    fn cube(&self, place: Place) -> (f64, DVec3) {
        let side = self.side(place.depth);
        let at = DVec3::from_array(decode(place.code).map(f64::from));
        (0.5 * side, self.octree.grid().origin() + (at + 0.5) * side)
    }
}

/// A place of a tree.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    spot: Spot,
    code: u32,
}

/// A boundary node that meets a node of the other object.
struct Found {
    /// Whether it is of the second object, and its number there.
    node: (bool, u32),
    /// Its middle.
    point: DVec3,
    /// Whether the other node is internal.
    is_deep: bool,
    /// 1 if its middle is behind the surface in the other node, else 0.
    inside: f64,
}

struct Walk<'a> {
    first: &'a Husk<'a>,
    second: &'a Husk<'a>,
    map: &'a DAffine3,
    found: Vec<Found>,
    pairs: usize,
}

impl Walk<'_> {
    fn meet(&mut self, a: Place, b: Place) {
        if !self.meets(a, b) {
            return;
        }
        let (first, second) = (self.first, self.second);
        match (first.is_leaf(a), second.is_leaf(b)) {
            (true, true) => self.touch(a, b),
            (false, true) => first.octants(a).for_each(|a| self.meet(a, b)),
            (true, false) => second.octants(b).for_each(|b| self.meet(a, b)),
            (false, false) if first.side(a.depth) >= second.side(b.depth) => {
                first.octants(a).for_each(|a| self.meet(a, b));
            }
            (false, false) => second.octants(b).for_each(|b| self.meet(a, b)),
        }
    }

    /// Whether the boxes of two places overlap, in the space of the first.
    fn meets(&self, a: Place, b: Place) -> bool {
        let (half, middle) = self.first.cube(a);
        let own = Aabb::new(middle - half, middle + half);
        let (half, middle) = self.second.cube(b);
        let turn = self.map.matrix3;
        let reach = (turn.x_axis.abs() + turn.y_axis.abs() + turn.z_axis.abs()) * half;
        let middle = self.map.transform_point3(middle);
        own.overlaps(&Aabb::new(middle - reach, middle + reach))
    }

    fn touch(&mut self, a: Place, b: Place) {
        self.pairs += usize::from((a.spot, b.spot) != (Spot::Full, Spot::Full));
        let first = self.first.cube(a).1;
        let second = self.map.transform_point3(self.second.cube(b).1);
        let mut add = |of_second: bool, index: u32, point: DVec3, other: Option<(DVec3, DVec3)>| {
            let is_behind = other.is_none_or(|(middle, normal)| (point - middle).dot(normal) <= 0.0);
            let (node, inside) = ((of_second, index), f64::from(is_behind));
            self.found.push(Found { node, point, is_deep: other.is_none(), inside });
        };
        match (a.spot, b.spot) {
            (Spot::Node(a), Spot::Full) => add(false, a, first, None),
            (Spot::Full, Spot::Node(b)) => add(true, b, second, None),
            (Spot::Node(a), Spot::Node(b)) => {
                let of_second = self.map.matrix3 * self.second.normals[b as usize];
                add(false, a, first, Some((second, of_second)));
                add(true, b, second, Some((first, self.first.normals[a as usize])));
            }
            _ => {}
        }
    }
}

/// How hard two objects push each other apart, and rub (Section 5.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// What the force is a multiple of: times the volume, times its gradient.
    pub stiffness: f64,
    /// What friction is a multiple of: times the relative velocity along the surface, times the area.
    pub friction: f64,
}

/// A force, and its moment about the origin of the first object's space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// The force.
    pub force: DVec3,
    /// Its moment.
    pub torque: DVec3,
}

impl Overlap {
    /// What acts on the first object, and on the second, in the space of the first. `velocity` says how fast the second moves past the first at a point.
    pub fn forces(&self, response: &Response, velocity: impl Fn(DVec3) -> DVec3) -> [Wrench; 2] {
        let mut wrenches = [Wrench::default(); 2];
        let mut act = |object: usize, at: DVec3, force: DVec3| {
            wrenches[object].force += force;
            wrenches[object].torque += at.cross(force);
        };
        for point in &self.points {
            let object = usize::from(point.of_second);
            act(object, point.position, point.gradient * (-response.stiffness * self.volume));
            let area = point.gradient.length();
            let normal = point.gradient.normalize_or_zero();
            let past = velocity(point.position);
            let rub = (past - normal * past.dot(normal)) * (response.friction * area);
            act(0, point.position, rub);
            act(1, point.position, -rub);
        }
        wrenches
    }

    /// The points of one of the objects.
    pub fn of_object(&self, second: bool) -> impl Iterator<Item = &OverlapPoint> {
        self.points.iter().filter(move |point| point.of_second == second)
    }
}
