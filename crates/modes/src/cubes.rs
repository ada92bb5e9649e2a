//! A lattice of cubes, each in five tetrahedra: what memberships are linear on.
//!
//! A tetrahedron in the middle of a cube has every other corner of it, and four at the corners that are left have the rest. Neighbours take turns, so that
//! their faces meet. The middle of the box is between two cubes, so that the lattice looks the same in a mirror, but for a hair: faces of symmetric solids should not
//! lie in its planes.

use glam::{BVec3, DVec3, UVec3};
use smithereens::pattern::{PatternCell, wall_cut};
use smithereens::{Aabb, Compound, Convex, Cut, Plane, PlaneId, Side};

/// Where cubes are, and which of them may hold something of a solid.
pub(crate) struct Cubes {
    middle: DVec3,
    size: f64,
    /// Along each axis, an even number.
    counts: UVec3,
    is_used: Vec<bool>,
}

/// More cubes than this are made larger.
const MOST: f64 = 2e6;
/// How far off the middle of the box the lattice is, in cubes.
const SHIFT: DVec3 = DVec3::new(0.0137, 0.0171, 0.0109);
/// Identities for the walls of the box.
const WALLS: u64 = 6;
/// Identities a cube: its low sides, and the faces of its middle.
const IDS: u64 = 7;

/// Four corners of the lattice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tetrahedron {
    /// As [`Cubes::vertex`] numbers them.
    pub vertices: [u32; 4],
    pub points: [DVec3; 4],
    /// The face that lies opposite to each corner.
    faces: [(Plane, Cut); 4],
}

impl Cubes {
    /// Cubes of about this size around all pieces.
    pub fn around(compound: &Compound, size: f64) -> Cubes {
        let bounds = compound.bounds();
        let room = |size: f64| ((bounds.size() / (2.0 * size)).ceil() + 1.0) * 2.0;
        let mut size = size;
        while room(size).element_product() > MOST {
            size *= 1.25;
        }
        let counts = room(size).as_uvec3();
        let is_used = vec![false; counts.element_product() as usize];
        let mut cubes = Cubes { middle: bounds.center() + SHIFT * size, size, counts, is_used };
        for piece in compound.pieces() {
            let hair = DVec3::splat(size * HAIR);
            let own = piece.bounds();
            let [low, high] = [own.min - hair, own.max + hair].map(|corner| cubes.cube_at(corner));
            for (z, y) in (low.z..=high.z).flat_map(|z| (low.y..=high.y).map(move |y| (z, y))) {
                (low.x..=high.x).for_each(|x| {
                    let cube = cubes.number(UVec3::new(x, y, z));
                    cubes.is_used[cube] = true;
                });
            }
        }
        cubes
    }

    /// The box that all cubes fill.
    pub fn bounds(&self) -> Aabb {
        Aabb::new(self.point(UVec3::ZERO), self.point(self.counts))
    }

    fn point(&self, at: UVec3) -> DVec3 {
        self.middle + (at.as_dvec3() - (self.counts / 2).as_dvec3()) * self.size
    }

    fn cube_at(&self, place: DVec3) -> UVec3 {
        let along = (place - self.middle) / self.size + (self.counts / 2).as_dvec3();
        along.max(DVec3::ZERO).as_uvec3().min(self.counts - UVec3::ONE)
    }

    fn number(&self, cube: UVec3) -> usize {
        ((cube.z * self.counts.y + cube.y) * self.counts.x + cube.x) as usize
    }

    /// The number of a corner of the lattice.
    fn vertex(&self, at: UVec3) -> u32 {
        let room = self.counts + UVec3::ONE;
        (at.z * room.y + at.y) * room.x + at.x
    }

    /// How many corners the lattice has.
    pub fn vertices(&self) -> usize {
        (self.counts + UVec3::ONE).element_product() as usize
    }

    /// The cubes that may hold something, in order.
    pub fn used(&self) -> impl Iterator<Item = UVec3> {
        let [x, y, z] = self.counts.to_array();
        let all =
            (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| UVec3::new(i, j, k))));
        all.filter(|&cube| self.is_used[self.number(cube)])
    }

    /// The corners of a cube with their places: bit 0 of an index is x, bit 1 y, bit 2 z.
    pub fn corners(&self, cube: UVec3) -> [(u32, DVec3); 8] {
        std::array::from_fn(|corner| {
            let at = cube + offset(corner);
            (self.vertex(at), self.point(at))
        })
    }

    /// The five tetrahedra of a cube, that in the middle first.
    pub fn tetrahedra(&self, cube: UVec3) -> [Tetrahedron; 5] {
        let corners = self.corners(cube);
        let first = WALLS + self.number(cube) as u64 * IDS + 3;
        // The faces of the middle: across the corner opposite to each of its own.
        let inner: [(Plane, PlaneId); 4] = std::array::from_fn(|face| {
            let corner = MIDDLE[face] ^ turn(cube) ^ 7;
            let outward = (offset(corner).as_dvec3() * 2.0 - 1.0) * (1.0 / 3f64.sqrt());
            (Plane::new(outward, outward.dot(corners[corner ^ 1].1)), PlaneId::new(first + face as u64))
        });
        std::array::from_fn(|tetrahedron| {
            let of = match tetrahedron.checked_sub(1) {
                None => MIDDLE.map(|corner| corner ^ turn(cube)),
                Some(face) => {
                    let corner = MIDDLE[face] ^ turn(cube) ^ 7;
                    [corner, corner ^ 1, corner ^ 2, corner ^ 4]
                }
            };
            let faces = std::array::from_fn(|i| match (tetrahedron, i) {
                (0, face) => (inner[face].0, Cut::new(inner[face].1, Side::Behind)),
                (_, 0) => (inner[tetrahedron - 1].0, Cut::new(inner[tetrahedron - 1].1, Side::Front)),
                (_, across) => self.side(cube, across - 1, of[0] >> (across - 1) & 1 == 1),
            });
            Tetrahedron { vertices: of.map(|c| corners[c].0), points: of.map(|c| corners[c].1), faces }
        })
    }

    /// The square on one side of a cube, seen from it.
    fn side(&self, cube: UVec3, axis: usize, is_high: bool) -> (Plane, Cut) {
        let mut at = cube;
        at[axis] += u32::from(is_high);
        let plane = Plane::new(DVec3::AXES[axis], self.point(at)[axis]);
        let wall = axis as u8 * 2;
        let cut = match at[axis] {
            0 => wall_cut(wall),
            last if last == self.counts[axis] => wall_cut(wall + 1),
            _ => {
                let id = WALLS + self.number(at) as u64 * IDS + axis as u64;
                Cut::new(PlaneId::new(id), if is_high { Side::Behind } else { Side::Front })
            }
        };
        (plane, cut)
    }

    /// The tetrahedron that a place lies in, and how much of it belongs to each corner.
    pub fn find(&self, place: DVec3) -> ([u32; 4], [f64; 4]) {
        let cube = self.cube_at(place);
        let mut local = (place - self.point(cube)) / self.size;
        if turn(cube) == 1 {
            local.x = 1.0 - local.x;
        }
        let half = local * 0.5;
        let middle = [
            1.0 - half.element_sum(),
            half.x + half.y - half.z,
            half.x - half.y + half.z,
            half.y + half.z - half.x,
        ];
        let tetrahedra = self.tetrahedra(cube);
        match (0..4).find(|&face| middle[face] < 0.0) {
            None => (tetrahedra[0].vertices, middle),
            Some(face) => {
                let corner = offset(MIDDLE[face] ^ 7).as_dvec3();
                let away = (local - corner).abs();
                (tetrahedra[face + 1].vertices, [1.0 - away.element_sum(), away.x, away.y, away.z])
            }
        }
    }

    /// Where nothing is: large boxes, for cells that fill the room between used cubes.
    pub fn empty_boxes(&self, first_id: u64) -> Vec<PatternCell> {
        let mut boxes = Vec::new();
        let mut left = vec![(UVec3::ZERO, self.counts)];
        while let Some((low, high)) = left.pop() {
            if !self.is_any_used(low, high) {
                boxes.push((low, high));
                continue;
            }
            let size = high - low;
            let axis = (0..3).max_by_key(|&axis| (size[axis], axis)).unwrap_or(0);
            if size[axis] > 1 {
                let (mut end, mut start) = (high, low);
                end[axis] = low[axis] + size[axis] / 2;
                start[axis] = end[axis];
                left.extend([(start, high), (low, end)]);
            }
        }
        (0..).zip(boxes).map(|(index, ends)| self.empty_box(ends, first_id + index * WALLS)).collect()
    }

    fn is_any_used(&self, low: UVec3, high: UVec3) -> bool {
        let rows = (low.z..high.z).flat_map(|z| (low.y..high.y).map(move |y| (y, z)));
        rows.into_iter().any(|(y, z)| {
            let first = self.number(UVec3::new(low.x, y, z));
            self.is_used[first..first + (high.x - low.x) as usize].iter().any(|&used| used)
        })
    }

    fn empty_box(&self, (low, high): (UVec3, UVec3), first_id: u64) -> PatternCell {
        let mut convex = Convex::from_box(&Aabb::new(self.point(low), self.point(high)));
        let [at_start, at_end] = [low.cmpeq(UVec3::ZERO), high.cmpeq(self.counts)];
        for wall in 0..6u8 {
            let ends: BVec3 = if wall % 2 == 0 { at_start } else { at_end };
            let outer = wall_cut(wall);
            let own = Cut::new(PlaneId::new(first_id + u64::from(wall)), outer.side());
            convex.mark(wall as usize, if ends.test(wall as usize / 2) { outer } else { own });
        }
        PatternCell { convex, colour: 0 }
    }

    /// All identities from here on are unused.
    pub fn first_free_id(&self) -> u64 {
        WALLS + self.is_used.len() as u64 * IDS
    }
}

impl Tetrahedron {
    /// Its shape, marked.
    pub fn convex(&self) -> Option<Convex> {
        let [a, b, c, d] = self.points;
        let is_right = (b - a).cross(c - a).dot(d - a) > 0.0;
        let face = |opposite: usize| {
            let (plane, cut) = self.faces[opposite];
            let plane = if cut.side() == Side::Behind { plane } else { plane.flipped() };
            let mut around = AROUND[opposite];
            if !is_right {
                around.reverse();
            }
            (plane, Some(cut), around.to_vec())
        };
        Convex::from_faces(self.points.to_vec(), &[0, 1, 2, 3].map(face))
    }
}

/// The corners of the middle, in a cube with an even number of cubes before it.
const MIDDLE: [usize; 4] = [0, 3, 5, 6];
/// The corners of the face opposite to each, seen from outside, where the fourth is on the right hand side of the first three.
const AROUND: [[u32; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
/// Of a cube: solids that touch its side may be in it.
const HAIR: f64 = 1e-6;

fn offset(corner: usize) -> UVec3 {
    UVec3::new(corner as u32 & 1, corner as u32 >> 1 & 1, corner as u32 >> 2 & 1)
}

/// One in cubes that are the mirror image of those beside them.
fn turn(cube: UVec3) -> usize {
    (cube.element_sum() & 1) as usize
}
