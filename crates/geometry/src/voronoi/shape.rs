//! The shape of a cell under way: a polyhedron around its point that one bisector after the other clips.

use glam::DVec3;

use super::Across;
use super::reach::{Reach, greater, greatest};
use crate::{Aabb, Clip};

/// Positions of four vertices, relative to the point: the processor handles them at once. Places without a vertex hold
/// the point itself, which no bisector cuts away.
#[derive(Clone, Copy, Default)]
pub(super) struct Four {
    pub x: [f64; 4],
    pub y: [f64; 4],
    pub z: [f64; 4],
}

/// A vertex: the three planes that meet in it, counter-clockwise from outside, the vertices at the other ends of
/// its edges, and the edges' numbers there; edge i is between planes i and i + 1.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    pub planes: [u16; 3],
    pub neighbours: [u16; 3],
    pub back: [u8; 3],
}

/// A vertex made by a clip, the vertex kept at the other end of its edge, and the edge's number there.
#[derive(Clone, Copy)]
struct Made {
    position: DVec3,
    planes: [u16; 3],
    kept: u16,
    slot: u8,
}

/// A polyhedron in which three planes meet in every vertex.
#[derive(Default)]
pub(super) struct Shape {
    /// A bisector that cuts away less depth than this cuts nothing: rounding has moved it.
    hair: f64,
    positions: Vec<Four>,
    pub corners: Vec<Corner>,
    /// What lies across each plane, those that have been cut away included.
    pub planes: Vec<Across>,
    height: Vec<[f64; 4]>,
    out: Vec<bool>,
    /// The vertices that go, and the edges out of the patch they make.
    lost: Vec<u16>,
    ring: Vec<(u16, u8)>,
    made: Vec<Made>,
    fresh: Vec<u16>,
}

impl Shape {
    pub fn new(hair: f64) -> Shape {
        Shape { hair, ..Shape::default() }
    }

    /// The box, seen from a point.
    pub fn start(&mut self, bounds: &Aabb, center: DVec3) {
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
        self.planes.extend((0..6).map(Across::Wall));
    }

    pub fn position(&self, vertex: u16) -> DVec3 {
        let (four, lane) = (&self.positions[vertex as usize / 4], vertex as usize % 4);
        DVec3::new(four.x[lane], four.y[lane], four.z[lane])
    }

    fn set_position(&mut self, vertex: u16, position: DVec3) {
        let (four, lane) = (&mut self.positions[vertex as usize / 4], vertex as usize % 4);
        (four.x[lane], four.y[lane], four.z[lane]) = position.into();
    }

    pub fn reach(&self) -> Reach {
        Reach::of(&self.positions)
    }

    /// Cuts away what is nearer to a point in this direction, given its squared distance.
    pub fn clip(&mut self, to: DVec3, distance: f64, across: Across) -> Clip {
        let highest = self.measure(to, distance * 0.5);
        if highest <= 0.0 || highest * highest <= self.hair * self.hair * distance {
            return Clip::Whole;
        }
        self.out.clear();
        self.out.extend(self.height.as_flattened()[..self.corners.len()].iter().map(|&h| h > 0.0));
        if !self.walk_ring() {
            if self.lost.len() == self.corners.len() {
                return Clip::Nothing;
            }
            if !self.walk_torn_ring() {
                return Clip::Whole;
            }
        }
        self.replace_patch(across);
        Clip::Part
    }

    /// How far beyond the bisector each vertex is, in units of the distance; returns the greatest, at least zero.
    fn measure(&mut self, to: DVec3, half: f64) -> f64 {
        self.height.resize(self.positions.len(), [0.0; 4]);
        let mut highest = [0.0; 4];
        for (height, &Four { x, y, z }) in self.height.iter_mut().zip(&self.positions) {
            *height = std::array::from_fn(|i| x[i] * to.x + y[i] * to.y + z[i] * to.z - half);
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

    fn replace_patch(&mut self, across: Across) {
        let plane = self.planes.len() as u16;
        self.planes.push(across);
        // New vertices are made before any slot of the patch is written over.
        let mut made = std::mem::take(&mut self.made);
        made.clear();
        made.extend(self.ring.iter().map(|&edge| self.vertex_on(edge, plane)));
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
        let blank = Corner { planes: [0; 3], neighbours: [0; 3], back: [0; 3] };
        self.corners.resize(old + more, blank);
        self.positions.resize((old + more).div_ceil(4), Four::default());
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
        self.set_position(moved, DVec3::ZERO);
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
pub(super) fn after(slot: u8) -> u8 {
    if slot == 2 { 0 } else { slot + 1 }
}
