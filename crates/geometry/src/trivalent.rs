//! Convex polyhedra under way: clipped by one plane after the other, with three planes in every vertex.
//!
//! What a clip changes is a patch of vertices and the ring of edges around it; all else stays where it is. So a clip costs a
//! look at every vertex, four at a time, and work with the ring: several times less than making a [`Convex`] anew. Voronoi
//! cells and fits are made this way.

use glam::DVec3;

use crate::{Aabb, Clip, Convex, ConvexFace, Cut, Plane};

/// Positions of four vertices: the processor handles them at once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Four {
    pub x: [f64; 4],
    pub y: [f64; 4],
    pub z: [f64; 4],
}

impl Four {
    fn splat(point: DVec3) -> Four {
        Four { x: [point.x; 4], y: [point.y; 4], z: [point.z; 4] }
    }

    #[inline]
    pub fn get(&self, lane: usize) -> DVec3 {
        DVec3::new(self.x[lane], self.y[lane], self.z[lane])
    }

    #[inline]
    pub fn set(&mut self, lane: usize, point: DVec3) {
        (self.x[lane], self.y[lane], self.z[lane]) = point.into();
    }
}

/// A vertex: the three planes that meet in it, counter-clockwise from outside, the vertices at the other ends of
/// its edges, and the edges' numbers there; edge i is between planes i and i + 1.
#[derive(Clone, Copy, Debug, Default)]
struct Corner {
    planes: [u16; 3],
    neighbours: [u16; 3],
    back: [u8; 3],
}

/// A vertex made by a clip, the vertex kept at the other end of its edge, and the edge's number there.
#[derive(Clone, Copy, Debug)]
struct Made {
    position: DVec3,
    planes: [u16; 3],
    kept: u16,
    slot: u8,
}

/// A polyhedron in which three planes meet in every vertex. `P` tells of a plane.
#[derive(Clone, Debug)]
pub(crate) struct Trivalent<P> {
    /// A point inside: it stands in the places without a vertex, where no plane cuts it away.
    inside: DVec3,
    positions: Vec<Four>,
    corners: Vec<Corner>,
    /// The planes, those that have been cut away included.
    planes: Vec<P>,
    height: Vec<[f64; 4]>,
    out: Vec<bool>,
    /// The vertices that go, and the edges out of the patch they make.
    lost: Vec<u16>,
    ring: Vec<(u16, u8)>,
    made: Vec<Made>,
    fresh: Vec<u16>,
    /// For each plane, a vertex on it and the edge that leads on around it.
    first_corner: Vec<(u16, u8)>,
}

const NONE: u16 = u16::MAX;

impl<P> Default for Trivalent<P> {
    fn default() -> Trivalent<P> {
        Trivalent {
            inside: DVec3::ZERO,
            positions: Vec::new(),
            corners: Vec::new(),
            planes: Vec::new(),
            height: Vec::new(),
            out: Vec::new(),
            lost: Vec::new(),
            ring: Vec::new(),
            made: Vec::new(),
            fresh: Vec::new(),
            first_corner: Vec::new(),
        }
    }
}

impl<P: Copy> Trivalent<P> {
    /// Starts with a box, seen from a point in it.
    pub fn start_box(&mut self, bounds: &Aabb, center: DVec3, walls: [P; 6]) {
        self.inside = DVec3::ZERO;
        self.positions.clear();
        self.positions.resize(2, Four::default());
        self.corners.clear();
        for (v, corner) in (0..8u16).zip(bounds.corners()) {
            let [x, y, z] = [v & 1, 2 + (v >> 1 & 1), 4 + (v >> 2 & 1)];
            let even = v.count_ones() % 2 == 0;
            // The edge between two walls runs along the third axis.
            self.corners.push(if even {
                Corner { planes: [x, y, z], neighbours: [v ^ 4, v ^ 1, v ^ 2], back: [2, 1, 0] }
            } else {
                Corner { planes: [x, z, y], neighbours: [v ^ 2, v ^ 1, v ^ 4], back: [2, 1, 0] }
            });
            self.set_position(v, corner - center);
        }
        self.planes.clear();
        self.planes.extend(walls);
    }

    /// Starts with a convex, `planes` telling of its faces. `false`, and nothing to go on with, if more than three of them
    /// meet in a vertex.
    pub fn start(&mut self, convex: &Convex, inside: DVec3, planes: impl Iterator<Item = P>) -> bool {
        let count = convex.vertices.len();
        if convex.corners.len() != count * 3 || count >= NONE as usize {
            return false;
        }
        self.inside = inside;
        self.planes.clear();
        self.planes.extend(planes);
        self.positions.clear();
        self.positions.resize(count.div_ceil(4), Four::splat(inside));
        for (v, &position) in (0..).zip(&convex.vertices) {
            self.set_position(v, position);
        }
        self.corners.clear();
        self.corners.resize(count, Corner::default());
        self.link_corners(convex)
    }

    /// Finds out what meets in each vertex of a convex.
    fn link_corners(&mut self, convex: &Convex) -> bool {
        // For each vertex the faces that have it so far, with the vertices before and after it there.
        let mut around = vec![(0u8, [(0u16, 0u16, 0u16); 3]); convex.vertices.len()];
        for face in 0..convex.faces.len() {
            let corners = convex.face_vertices(face);
            for (i, &v) in corners.iter().enumerate() {
                let before = corners[if i == 0 { corners.len() - 1 } else { i - 1 }];
                let after = corners[if i + 1 == corners.len() { 0 } else { i + 1 }];
                let (count, faces) = &mut around[v as usize];
                let Some(entry) = faces.get_mut(*count as usize) else { return false };
                *entry = (face as u16, before as u16, after as u16);
                *count += 1;
            }
        }
        for (corner, (count, faces)) in self.corners.iter_mut().zip(&around) {
            let [a, mut b, mut c] = *faces;
            if b.1 != a.2 {
                (b, c) = (c, b);
            }
            if *count != 3 || b.1 != a.2 || c.1 != b.2 || a.1 != c.2 {
                return false;
            }
            corner.planes = [a.0, b.0, c.0];
            corner.neighbours = [a.2, b.2, c.2];
        }
        for v in 0..self.corners.len() {
            for slot in 0..3u8 {
                let Corner { planes, neighbours, .. } = self.corners[v];
                let there = &self.corners[neighbours[slot as usize] as usize];
                let back = there.planes.iter().position(|&p| p == planes[after(slot) as usize]);
                let Some(back) = back else { return false };
                self.corners[v].back[slot as usize] = back as u8;
            }
        }
        true
    }

    /// The convex, moved; `face` is asked for the plane of each face, pointing out, and its mark.
    pub fn convex(&mut self, shift: DVec3, mut face: impl FnMut(P) -> (Plane, Option<Cut>)) -> Convex {
        self.first_corner.clear();
        self.first_corner.resize(self.planes.len(), (NONE, 0));
        for (v, corner) in self.corners.iter().enumerate().rev() {
            for (slot, &plane) in (0..3).zip(&corner.planes) {
                self.first_corner[plane as usize] = (v as u16, slot);
            }
        }
        let faces = self.first_corner.iter().filter(|first| first.0 != NONE).count();
        let mut convex = Convex {
            vertices: (0..self.corners.len() as u16).map(|v| self.position(v) + shift).collect(),
            corners: Vec::with_capacity(self.corners.len() * 3),
            faces: Vec::with_capacity(faces),
        };
        for (&first, &plane) in self.first_corner.iter().zip(&self.planes) {
            if first.0 != NONE {
                self.walk_face(first, &mut convex.corners);
                let (plane, cut) = face(plane);
                convex.faces.push(ConvexFace { plane, cut, end: convex.corners.len() as u32 });
            }
        }
        convex
    }

    /// Lists the vertices around a plane.
    fn walk_face(&self, first: (u16, u8), around: &mut Vec<u32>) {
        let (mut v, mut slot) = first;
        for _ in 0..self.corners.len() {
            around.push(v as u32);
            let corner = &self.corners[v as usize];
            (v, slot) = (corner.neighbours[slot as usize], after(corner.back[slot as usize]));
            if v == first.0 {
                return;
            }
        }
    }

    /// The vertices, four at a time; the last places may hold a point inside instead.
    pub fn positions(&self) -> &[Four] {
        &self.positions
    }

    fn position(&self, vertex: u16) -> DVec3 {
        self.positions[vertex as usize / 4].get(vertex as usize % 4)
    }

    fn set_position(&mut self, vertex: u16, position: DVec3) {
        self.positions[vertex as usize / 4].set(vertex as usize % 4, position);
    }

    /// Cuts away where `normal · x > offset`, if that is beyond the square root of `least` anywhere. A shape that has as many
    /// planes or vertices as there are numbers for is cut no more.
    pub fn clip(&mut self, normal: DVec3, offset: f64, least: f64, plane: P) -> Clip {
        let highest = self.measure(normal, offset);
        if highest <= 0.0 || highest * highest <= least {
            return Clip::Whole;
        }
        self.out.clear();
        self.out.extend(self.height.as_flattened()[..self.corners.len()].iter().map(|&h| h > 0.0));
        if !self.walk_ring() {
            match self.lost.len() {
                0 => return Clip::Whole,
                all if all == self.corners.len() => return Clip::Nothing,
                _ if !self.walk_torn_ring() => return Clip::Whole,
                _ => {}
            }
        }
        if self.planes.len().max(self.corners.len() + self.ring.len()) >= NONE as usize {
            return Clip::Whole;
        }
        self.replace_patch(plane);
        Clip::Part
    }

    /// How far beyond the plane each vertex is, in units of the normal; returns the greatest, at least zero.
    fn measure(&mut self, normal: DVec3, offset: f64) -> f64 {
        self.height.resize(self.positions.len(), [0.0; 4]);
        let mut highest = [0.0; 4];
        for (height, &Four { x, y, z }) in self.height.iter_mut().zip(&self.positions) {
            *height = std::array::from_fn(|i| x[i] * normal.x + y[i] * normal.y + z[i] * normal.z - offset);
            highest = greater(*height, highest);
        }
        greatest(highest)
    }

    /// Lists the edges out of the patch that goes, in order around it; `false` unless they are one ring.
    fn walk_ring(&mut self) -> bool {
        self.list_lost();
        self.ring.clear();
        let mut count = 0;
        let mut first = None;
        for &v in &self.lost {
            for (slot, &next) in self.corners[v as usize].neighbours.iter().enumerate() {
                if !self.out[next as usize] {
                    count += 1;
                    first = first.or(Some((v, slot as u8)));
                }
            }
        }
        let Some(first) = first else { return false };
        let (mut v, mut slot) = first;
        while self.ring.len() < count {
            self.ring.push((v, slot));
            // On around the plane after the edge, through the patch, to the next edge out of it.
            loop {
                slot = after(slot);
                let corner = &self.corners[v as usize];
                let next = corner.neighbours[slot as usize];
                if !self.out[next as usize] {
                    break;
                }
                (v, slot) = (next, corner.back[slot as usize]);
            }
            if (v, slot) == first {
                break;
            }
        }
        (v, slot) == first && self.ring.len() == count && count >= 3
    }

    fn list_lost(&mut self) {
        self.lost.resize(self.out.len(), 0);
        let mut count = 0;
        for (v, &out) in self.out.iter().enumerate() {
            self.lost[count] = v as u16; // written over if the vertex stays: cheaper than to branch
            count += out as usize;
        }
        self.lost.truncate(count);
    }

    /// By rounding, the side that goes or the side that stays may be torn: then only the patch around the
    /// highest vertex goes, or only that around the lowest stays.
    #[cold]
    fn walk_torn_ring(&mut self) -> bool {
        let farthest = |side: f64, height: &[f64]| {
            let higher = |a: usize, b: usize| if height[b] * side > height[a] * side { b } else { a };
            (0..height.len()).fold(0, higher) as u16
        };
        let height = &self.height.as_flattened()[..self.corners.len()];
        let (highest, lowest) = (farthest(1.0, height), farthest(-1.0, height));
        self.keep_patch_only(highest, true);
        if self.walk_ring() {
            return true;
        }
        self.keep_patch_only(lowest, false);
        self.walk_ring()
    }

    /// Of the vertices that are `out` or not, gives those that do not hang together with `start` to the others.
    fn keep_patch_only(&mut self, start: u16, out: bool) {
        let candidates = std::mem::replace(&mut self.out, vec![!out; self.corners.len()]);
        self.out[start as usize] = out;
        let mut stack = vec![start];
        while let Some(v) = stack.pop() {
            for next in self.corners[v as usize].neighbours {
                if candidates[next as usize] == out && self.out[next as usize] != out {
                    self.out[next as usize] = out;
                    stack.push(next);
                }
            }
        }
    }

    fn replace_patch(&mut self, plane: P) {
        let number = self.planes.len() as u16;
        self.planes.push(plane);
        // New vertices are made before any slot of the patch is written over.
        let mut made = std::mem::take(&mut self.made);
        made.clear();
        made.extend(self.ring.iter().map(|&edge| self.vertex_on(edge, number)));
        self.make_room(made.len());
        let last = made.len() - 1;
        for (i, &Made { position, planes, kept, slot }) in made.iter().enumerate() {
            let here = self.fresh[i];
            let next = self.fresh[if i == last { 0 } else { i + 1 }];
            let previous = self.fresh[if i == 0 { last } else { i - 1 }];
            self.set_position(here, position);
            let neighbours = [kept, next, previous];
            self.corners[here as usize] = Corner { planes, neighbours, back: [slot, 2, 1] };
            let kept = &mut self.corners[kept as usize];
            (kept.neighbours[slot as usize], kept.back[slot as usize]) = (here, 0);
        }
        for i in (made.len()..self.lost.len()).rev() {
            self.remove(self.lost[i]);
        }
        self.made = made;
    }

    /// Where new vertices go: into the slots of those lost, then behind the others.
    fn make_room(&mut self, count: usize) {
        let old = self.corners.len();
        self.fresh.clear();
        self.fresh.extend(self.lost.iter().take(count));
        let more = count - self.fresh.len();
        self.fresh.extend(old as u16..(old + more) as u16);
        self.corners.resize(old + more, Corner::default());
        self.positions.resize((old + more).div_ceil(4), Four::splat(self.inside));
    }

    /// The vertex where the new plane cuts an edge of the ring.
    fn vertex_on(&self, (lost, slot): (u16, u8), plane: u16) -> Made {
        let corner = &self.corners[lost as usize];
        let (kept, back) = (corner.neighbours[slot as usize], corner.back[slot as usize]);
        let (first, second) = (corner.planes[slot as usize], corner.planes[after(slot) as usize]);
        let height = self.height.as_flattened();
        let (low, high) = (height[kept as usize], height[lost as usize]);
        let place = if high > low { (low / (low - high)).clamp(0.0, 1.0) } else { 0.5 };
        let (from, to) = (self.position(kept), self.position(lost));
        Made { position: from + (to - from) * place, planes: [first, second, plane], kept, slot: back }
    }

    /// Fills a gap with the last vertex.
    fn remove(&mut self, slot: u16) {
        let moved = self.corners.len() as u16 - 1;
        self.set_position(slot, self.position(moved));
        self.set_position(moved, self.inside);
        self.positions.truncate((moved as usize).div_ceil(4));
        self.corners.swap_remove(slot as usize);
        if slot < moved {
            let Corner { neighbours, back, .. } = self.corners[slot as usize];
            for (neighbour, edge) in neighbours.into_iter().zip(back) {
                self.corners[neighbour as usize].neighbours[edge as usize] = slot;
            }
        }
    }
}

/// The next of the three edges of a vertex.
#[inline]
fn after(slot: u8) -> u8 {
    if slot == 2 { 0 } else { slot + 1 }
}

pub(crate) fn greater(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
}

/// The greatest of four numbers, at least zero.
pub(crate) fn greatest(four: [f64; 4]) -> f64 {
    four.into_iter().fold(0.0, |a, b| if b > a { b } else { a })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Halfspace;

    #[test]
    fn clips_are_those_of_a_convex() {
        let directions = [(1.0, 0.3, 0.2), (-0.4, 1.0, 0.1), (0.2, -0.3, -1.0), (-1.0, -1.0, 0.9)];
        let mut convex = Convex::from_box(&Aabb::cube(1.0));
        for round in 0..6 {
            for (x, y, z) in directions {
                let normal = DVec3::new(x, y, z + 0.1 * round as f64).normalize();
                let plane = Plane::new(normal, 0.9 - 0.05 * round as f64);
                let mut shape: Trivalent<(Plane, Option<Cut>)> = Trivalent::default();
                let faces = convex.faces.iter().map(|f| (f.plane, f.cut));
                assert!(shape.start(&convex, DVec3::ZERO, faces));
                let clip = shape.clip(plane.normal, plane.offset, 0.0, (plane, None));
                let expected = convex.clipped(&Halfspace::behind(plane)).unwrap();
                let found = shape.convex(DVec3::ZERO, |face| face);
                assert_eq!(clip == Clip::Part, expected != convex);
                assert_eq!(found.faces.len(), expected.faces.len());
                assert!((found.volume() - expected.volume()).abs() < 1e-14);
                convex = expected;
            }
        }
        assert!(convex.faces.len() > 12, "{} faces", convex.faces.len());
    }

    #[test]
    fn a_pyramid_has_four_faces_in_its_tip() {
        let base = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
        let pyramid = Convex::hull(&[&base[..], &[DVec3::Z]].concat()).unwrap();
        let mut shape: Trivalent<()> = Trivalent::default();
        assert!(!shape.start(&pyramid, DVec3::Z * 0.1, pyramid.faces.iter().map(|_| ())));
    }

    #[test]
    fn a_shape_with_no_numbers_left_is_cut_no_more() {
        let mut shape: Trivalent<u8> = Trivalent::default();
        shape.start_box(&Aabb::cube(1.0), DVec3::ZERO, [0; 6]);
        shape.planes.resize(NONE as usize, 0);
        assert_eq!(shape.clip(DVec3::X, 0.5, 0.0, 1), Clip::Whole);
        assert!(
            (shape.convex(DVec3::ZERO, |_| (Plane::new(DVec3::X, 1.0), None)).volume() - 8.0).abs() < 1e-12
        );
    }

    #[test]
    fn what_is_cut_away_as_a_whole_is_nothing() {
        let mut shape: Trivalent<u8> = Trivalent::default();
        shape.start_box(&Aabb::cube(1.0), DVec3::ZERO, [0; 6]);
        assert_eq!(shape.clip(DVec3::X, 2.0, 0.0, 1), Clip::Whole);
        assert_eq!(shape.clip(DVec3::X, 0.9, 0.1, 1), Clip::Whole);
        assert_eq!(shape.clip(DVec3::X, -2.0, 0.0, 1), Clip::Nothing);
    }
}
