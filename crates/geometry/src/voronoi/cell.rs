//! One cell: the box, clipped by one bisector after the other.

use glam::DVec3;

use super::grid::PointGrid;
use super::{Across, VoronoiCell, bisector};
use crate::{Aabb, Clip, Convex, ConvexFace, Plane};

/// A vertex of a cell: the three planes that meet in it, counter-clockwise from outside, and the
/// vertices at the other ends of its edges; edge i is between planes i and i + 1.
#[derive(Clone, Copy, Debug)]
struct Corner {
    planes: [u16; 3],
    neighbours: [u16; 3],
}

/// A vertex made by a clip, the vertex kept at the other end of its edge, and that one's slot for it.
#[derive(Clone, Copy)]
struct Made {
    position: DVec3,
    corner: Corner,
    kept: u16,
    slot: u8,
}

/// How far a cell reaches from its point.
#[derive(Clone, Copy)]
struct Reach {
    squared: f64,
    bounds: Aabb,
}

impl Reach {
    /// Whether the bisector with a point in this direction passes by even the box around the cell.
    #[inline]
    fn misses(&self, to: DVec3, distance: f64) -> bool {
        let most = (to * self.bounds.min).max(to * self.bounds.max);
        most.x + most.y + most.z < distance * 0.5
    }
}

/// Makes cells one after the other, reusing memory.
#[derive(Default)]
pub(super) struct CellMaker<'a> {
    /// Points that have a cell.
    alive: &'a [bool],
    /// A bisector that cuts away less depth than this cuts nothing: rounding has moved it.
    hair: f64,
    positions: Vec<DVec3>,
    corners: Vec<Corner>,
    planes: Vec<Across>,
    height: Vec<f64>,
    out: Vec<bool>,
    ring: Vec<(u16, u8)>,
    fresh: Vec<u16>,
    made: Vec<Made>,
    freed: Vec<u16>,
    /// Squared distances, in single precision, over indices: sorted as one number.
    near: Vec<u64>,
    first_corner: Vec<u16>,
}

const NONE: u16 = u16::MAX;

impl<'a> CellMaker<'a> {
    pub fn new(alive: &'a [bool], hair: f64) -> CellMaker<'a> {
        CellMaker { alive, hair, ..CellMaker::default() }
    }

    pub fn cell(&mut self, grid: &PointGrid, points: &[DVec3], index: u32, bounds: &Aabb) -> VoronoiCell {
        if !self.alive[index as usize] {
            return VoronoiCell::default();
        }
        let center = points[index as usize];
        self.start(bounds, center);
        let place = grid.place(center);
        let mut reach = self.reach();
        let farthest = grid.size.iter().copied().max().unwrap_or(1);
        for shell in 0..=farthest {
            // Boxes of the shells yet to come are at least this far away.
            let gap = (shell - 1).max(0) as f64 * grid.pitch;
            if gap * gap > 4.0 * reach.squared {
                break;
            }
            self.gather(grid, place, shell, center, &reach);
            self.near.sort_unstable();
            for i in 0..self.near.len() {
                let other = self.near[i] as u32;
                let to = points[other as usize] - center;
                let distance = to.length_squared();
                let idle = other == index || !self.alive[other as usize];
                if idle || distance > 4.0 * reach.squared || reach.misses(to, distance) {
                    continue;
                }
                match self.clip(to, distance, Across::Point(other)) {
                    Clip::Whole => {}
                    Clip::Part => reach = self.reach(),
                    Clip::Nothing => return VoronoiCell::default(),
                }
            }
        }
        let cell = self.finish(points, index, bounds, center);
        let beside = !bounds.contains(center) && is_flat(&cell.convex, self.hair);
        if beside { VoronoiCell::default() } else { cell }
    }

    /// The box, seen from the point.
    fn start(&mut self, bounds: &Aabb, center: DVec3) {
        self.positions.clear();
        self.positions.extend(bounds.corners().map(|c| c - center));
        self.corners.clear();
        for v in 0..8u16 {
            let [x, y, z] = [v & 1, 2 + (v >> 1 & 1), 4 + (v >> 2 & 1)];
            let odd = v.count_ones() % 2 == 0;
            // The edge between two walls runs along the third axis.
            self.corners.push(if odd {
                Corner { planes: [x, y, z], neighbours: [v ^ 4, v ^ 1, v ^ 2] }
            } else {
                Corner { planes: [x, z, y], neighbours: [v ^ 2, v ^ 1, v ^ 4] }
            });
        }
        self.planes.clear();
        self.planes.extend((0..6).map(Across::Wall));
    }

    fn reach(&self) -> Reach {
        let mut reach = Reach { squared: 0.0, bounds: Aabb::EMPTY };
        for &position in &self.positions {
            reach.squared = reach.squared.max(position.length_squared());
            reach.bounds = reach.bounds.including(position);
        }
        reach
    }

    /// The points in the boxes of a shell around a place that are near enough to matter.
    fn gather(&mut self, grid: &PointGrid, place: [i32; 3], shell: i32, center: DVec3, reach: &Reach) {
        self.near.clear();
        let most = 4.0 * reach.squared;
        let range =
            |axis: usize| (place[axis] - shell).max(0)..=(place[axis] + shell).min(grid.size[axis] - 1);
        for z in range(2) {
            for y in range(1) {
                let on_rim = (z - place[2]).abs() == shell || (y - place[1]).abs() == shell;
                for x in range(0) {
                    if !on_rim && (x - place[0]).abs() != shell {
                        continue;
                    }
                    if shell > 1 && grid.distance_squared([x, y, z], center) > most {
                        continue;
                    }
                    for &(point, other) in grid.points_in([x, y, z]) {
                        let to = point - center;
                        let distance = to.length_squared();
                        if distance <= most && !reach.misses(to, distance) {
                            self.near.push(((distance as f32).to_bits() as u64) << 32 | other as u64);
                        }
                    }
                }
            }
        }
    }

    /// Cuts away what is nearer to the other point.
    fn clip(&mut self, to: DVec3, distance: f64, across: Across) -> Clip {
        let half = distance * 0.5;
        self.height.clear();
        self.height.extend(self.positions.iter().map(|p| p.dot(to) - half));
        let highest = self.height.iter().fold(0.0, |high, &h| if h > high { h } else { high });
        if highest <= 0.0 || highest * highest <= self.hair * self.hair * distance {
            return Clip::Whole;
        }
        self.out.clear();
        self.out.extend(self.height.iter().map(|&h| h > 0.0));
        if self.out.iter().all(|&o| o) {
            return Clip::Nothing;
        }
        if !self.walk_ring() && !self.walk_torn_ring() {
            return Clip::Whole;
        }
        self.replace_patch(across);
        Clip::Part
    }

    /// Lists the edges out of the patch that goes, in order around it; `false` unless they are one ring.
    fn walk_ring(&mut self) -> bool {
        self.ring.clear();
        let mut count = 0;
        let mut first = None;
        for (v, corner) in self.corners.iter().enumerate() {
            if self.out[v] {
                for slot in 0..3 {
                    if !self.out[corner.neighbours[slot] as usize] {
                        count += 1;
                        first = first.or(Some((v as u16, slot as u8)));
                    }
                }
            }
        }
        let Some(first) = first else { return false };
        let (mut v, mut slot) = first;
        loop {
            self.ring.push((v, slot));
            if self.ring.len() > count {
                return false;
            }
            // On around the plane after the edge, through the patch, to the next edge out of it.
            loop {
                let plane = self.corners[v as usize].planes[(slot as usize + 1) % 3];
                slot = (slot + 1) % 3;
                let next = self.corners[v as usize].neighbours[slot as usize];
                if !self.out[next as usize] {
                    break;
                }
                let Some(back) = self.slot_back(next, v, plane) else { return false };
                v = next;
                slot = back;
            }
            if (v, slot) == first {
                return self.ring.len() == count && count >= 3;
            }
        }
    }

    /// The edge of `from` that leads to `to` and has `plane` after it.
    fn slot_back(&self, from: u16, to: u16, plane: u16) -> Option<u8> {
        let corner = &self.corners[from as usize];
        (0..3u8)
            .find(|&s| corner.neighbours[s as usize] == to && corner.planes[(s as usize + 1) % 3] == plane)
    }

    /// By rounding, the side that goes or the side that stays may be torn: then only the patch around the
    /// highest vertex goes, or only that around the lowest stays.
    fn walk_torn_ring(&mut self) -> bool {
        let farthest = |side: f64, height: &[f64]| {
            let higher = |a: usize, b: usize| if height[b] * side > height[a] * side { b } else { a };
            (0..height.len()).fold(0, higher) as u16
        };
        self.keep_patch_only(farthest(1.0, &self.height), true);
        if self.walk_ring() {
            return true;
        }
        self.keep_patch_only(farthest(-1.0, &self.height), false);
        self.walk_ring()
    }

    /// Of the vertices that are `out` or not, gives those that do not hang together with `start` to the others.
    fn keep_patch_only(&mut self, start: u16, out: bool) {
        let candidates = std::mem::replace(&mut self.out, vec![!out; self.positions.len()]);
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
        self.freed.clear();
        self.freed.extend((0..self.out.len() as u16).filter(|&v| self.out[v as usize]));
        // New vertices are made before any slot of the patch is written over.
        let mut made = std::mem::take(&mut self.made);
        made.clear();
        made.extend(self.ring.iter().map(|&edge| self.vertex_on(edge, plane)));
        self.fresh.clear();
        for (i, &Made { position, corner, .. }) in made.iter().enumerate() {
            match self.freed.get(i) {
                Some(&slot) => {
                    self.positions[slot as usize] = position;
                    self.corners[slot as usize] = corner;
                    self.fresh.push(slot);
                }
                None => {
                    self.positions.push(position);
                    self.corners.push(corner);
                    self.fresh.push(self.positions.len() as u16 - 1);
                }
            }
        }
        for (i, &Made { kept, slot, .. }) in made.iter().enumerate() {
            let here = self.fresh[i];
            let after = self.fresh[(i + 1) % made.len()];
            let before = self.fresh[(i + made.len() - 1) % made.len()];
            self.corners[here as usize].neighbours = [kept, after, before];
            self.corners[kept as usize].neighbours[slot as usize] = here;
        }
        for i in (made.len()..self.freed.len()).rev() {
            self.remove(self.freed[i]);
        }
        self.made = made;
    }

    /// The vertex where the new plane cuts an edge of the ring.
    fn vertex_on(&self, (lost, slot): (u16, u8), plane: u16) -> Made {
        let corner = &self.corners[lost as usize];
        let slot = slot as usize;
        let kept = corner.neighbours[slot];
        let (first, second) = (corner.planes[slot], corner.planes[(slot + 1) % 3]);
        let back = self.slot_back(kept, lost, first).unwrap_or(0);
        let (low, high) = (self.height[kept as usize], self.height[lost as usize]);
        let place = if high > low { (low / (low - high)).clamp(0.0, 1.0) } else { 0.5 };
        let (from, to) = (self.positions[kept as usize], self.positions[lost as usize]);
        let corner = Corner { planes: [first, second, plane], neighbours: [kept, NONE, NONE] };
        Made { position: from + (to - from) * place, corner, kept, slot: back }
    }

    /// Fills a gap with the last vertex.
    fn remove(&mut self, slot: u16) {
        self.positions.swap_remove(slot as usize);
        self.corners.swap_remove(slot as usize);
        let moved = self.corners.len() as u16;
        if slot < moved {
            for neighbour in self.corners[slot as usize].neighbours {
                for entry in &mut self.corners[neighbour as usize].neighbours {
                    if *entry == moved {
                        *entry = slot;
                    }
                }
            }
        }
    }

    fn finish(&mut self, points: &[DVec3], index: u32, bounds: &Aabb, center: DVec3) -> VoronoiCell {
        self.first_corner.clear();
        self.first_corner.resize(self.planes.len(), NONE);
        for (v, corner) in self.corners.iter().enumerate().rev() {
            for plane in corner.planes {
                self.first_corner[plane as usize] = v as u16;
            }
        }
        let mut cell = VoronoiCell::default();
        let faces = self.first_corner.iter().filter(|&&v| v != NONE).count();
        cell.convex.vertices = self.positions.iter().map(|&p| p + center).collect();
        cell.convex.corners.reserve_exact(self.corners.len() * 3);
        cell.convex.faces.reserve_exact(faces);
        cell.across.reserve_exact(faces);
        for plane in 0..self.planes.len() {
            if self.first_corner[plane] == NONE {
                continue;
            }
            self.walk_face(plane as u16, &mut cell.convex.corners);
            let across = self.planes[plane];
            cell.convex.faces.push(ConvexFace {
                plane: outward_plane(across, points, index, bounds),
                cut: None,
                end: cell.convex.corners.len() as u32,
            });
            cell.across.push(across);
        }
        cell
    }

    fn walk_face(&self, plane: u16, loop_: &mut Vec<u32>) {
        let first = self.first_corner[plane as usize];
        let mut v = first;
        for _ in 0..self.corners.len() {
            loop_.push(v as u32);
            let corner = &self.corners[v as usize];
            let slot = corner.planes.iter().position(|&p| p == plane).unwrap_or(0);
            v = corner.neighbours[slot];
            if v == first {
                return;
            }
        }
    }
}

fn outward_plane(across: Across, points: &[DVec3], index: u32, bounds: &Aabb) -> Plane {
    match across {
        Across::Point(other) => {
            let plane = bisector(points, index, other);
            if index < other { plane } else { plane.flipped() }
        }
        Across::Wall(wall) => {
            let axis = DVec3::AXES[wall as usize / 2];
            if wall & 1 == 0 {
                Plane::new(-axis, -bounds.min.dot(axis))
            } else {
                Plane::new(axis, bounds.max.dot(axis))
            }
        }
    }
}

/// Whether a cell of a point outside the box only touches it: where the plane towards a point inside is a
/// wall.
fn is_flat(convex: &Convex, least: f64) -> bool {
    let area: f64 = (0..convex.faces.len()).map(|f| convex.face_area(f)).sum();
    convex.volume() <= area * least
}
