//! Voronoi cells of points in a box.
//!
//! Each cell starts as the box and is clipped by the bisectors with the points around it, nearest first,
//! until no point near enough to cut it is left (Rycroft 2009, *Voro++*). The points are sorted into
//! a grid, so that the time is linear in their number. Departures: three planes meet in every
//! vertex, which keeps a clip to the vertices it changes; and cells are independent of each other, so
//! they are made on all threads.

use glam::DVec3;
use rayon::prelude::*;

use crate::{Aabb, Clip, Convex, ConvexFace, Cut, Plane, PlaneId, Side, Tolerance};

/// What lies across a face of a Voronoi cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// The cell of another point.
    Point(u32),
    /// A wall of the box: -x, +x, -y, +y, -z, +z.
    Wall(u8),
}

/// The cell of a point.
#[derive(Clone, Debug, Default)]
pub struct VoronoiCell {
    /// Its shape; empty for a point at the place of an earlier one, or whose cell misses the box.
    pub convex: Convex,
    /// What lies across each face.
    pub across: Vec<Across>,
}

/// The Voronoi cells of points in a box, one a point. Points closer than the box's [`Tolerance`] count as one: the
/// first gets the cell.
///
/// ```
/// use smithereens_geometry::{voronoi, Aabb};
/// use glam::DVec3;
/// let cells = voronoi(&[DVec3::splat(-0.5), DVec3::splat(0.5)], &Aabb::cube(1.0));
/// assert!((cells[0].convex.volume() - 4.0).abs() < 1e-12);
/// ```
pub fn voronoi(points: &[DVec3], bounds: &Aabb) -> Vec<VoronoiCell> {
    let tolerance = Tolerance::for_box(bounds);
    let grid = PointGrid::new(points);
    let alive = grid.first_of_each(points, tolerance.length());
    let chunk = (points.len() / (rayon::current_num_threads() * 8)).clamp(16, 1024);
    let chunks: Vec<Vec<VoronoiCell>> = (0..points.len())
        .collect::<Vec<_>>()
        .par_chunks(chunk)
        .map_init(
            || CellMaker::new(&alive, tolerance.rounding()),
            |maker, indices| indices.iter().map(|&i| maker.cell(&grid, points, i as u32, bounds)).collect(),
        )
        .collect();
    chunks.into_iter().flatten().collect()
}

/// Whether a cell of a point outside the box only touches it: where the plane towards a point inside is a
/// wall.
fn is_flat(convex: &Convex, least: f64) -> bool {
    let area: f64 = (0..convex.faces.len()).map(|f| convex.face_area(f)).sum();
    convex.volume() <= area * least
}

/// The bisector of two points, oriented from the one with the lower index to the other.
pub fn bisector(points: &[DVec3], a: u32, b: u32) -> Plane {
    let (low, high) = (points[a.min(b) as usize], points[a.max(b) as usize]);
    let normal = (high - low).normalize();
    Plane::new(normal, normal.dot((low + high) * 0.5))
}

/// Marks the faces of Voronoi cells with identities from `first` on: a wall of the box by its
/// number, the face between two points by a number of their own. Returns how many were used.
pub fn mark_cells(cells: &mut [VoronoiCell], first: u64) -> u64 {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (index, cell) in cells.iter().enumerate() {
        let index = index as u32;
        pairs.extend(cell.across.iter().filter_map(|a| match a {
            Across::Point(other) => Some((index.min(*other), index.max(*other))),
            Across::Wall(_) => None,
        }));
    }
    pairs.sort_unstable();
    pairs.dedup();
    for (index, cell) in cells.iter_mut().enumerate() {
        let index = index as u32;
        for (face, across) in cell.convex.faces.iter_mut().zip(&cell.across) {
            face.cut = Some(match *across {
                Across::Wall(wall) => Cut::new(PlaneId::new(first + wall as u64), wall_side(wall)),
                Across::Point(other) => {
                    let pair = (index.min(other), index.max(other));
                    let rank = pairs.binary_search(&pair).unwrap_or(0) as u64;
                    let side = if index < other { Side::Behind } else { Side::Front };
                    Cut::new(PlaneId::new(first + 6 + rank), side)
                }
            });
        }
    }
    6 + pairs.len() as u64
}

/// The canonical plane of a wall has its normal along the positive axis.
fn wall_side(wall: u8) -> Side {
    if wall & 1 == 0 { Side::Front } else { Side::Behind }
}

/// Points sorted into boxes.
struct PointGrid {
    min: DVec3,
    pitch: f64,
    size: [i32; 3],
    starts: Vec<u32>,
    /// Points and their indices, box after box.
    points: Vec<(DVec3, u32)>,
}

const POINTS_PER_BOX: f64 = 3.0;
const MOST_BOXES_PER_POINT: f64 = 8.0;

impl PointGrid {
    fn new(points: &[DVec3]) -> PointGrid {
        let boxes = (points.len() as f64 / POINTS_PER_BOX).max(1.0);
        let grid = PointGrid::with_boxes(points, boxes);
        // Points that crowd in a part of the box, as seeds in a thin solid do, want smaller boxes.
        let crowding = grid.crowding() / (POINTS_PER_BOX + 1.0);
        if crowding < 2.0 {
            return grid;
        }
        PointGrid::with_boxes(points, boxes * crowding.min(MOST_BOXES_PER_POINT * POINTS_PER_BOX))
    }

    fn with_boxes(points: &[DVec3], boxes: f64) -> PointGrid {
        let all = Aabb::of_points(points.iter().copied());
        let extent = if all.extent() > 0.0 { all.extent() } else { 1.0 };
        let size = all.size().max(DVec3::splat(extent * 1e-3)); // flat sets have a little depth
        let pitch = (size.element_product() / boxes).cbrt();
        let counts = (size / pitch).ceil().max(DVec3::ONE);
        let mut grid = PointGrid {
            min: all.min,
            pitch,
            size: counts.to_array().map(|c| c as i32),
            starts: Vec::new(),
            points: Vec::new(),
        };
        grid.sort(points);
        grid
    }

    /// Whether each point is the first of those within `hair` of it.
    fn first_of_each(&self, points: &[DVec3], hair: f64) -> Vec<bool> {
        let is_first = |(index, &point): (usize, &DVec3)| {
            let (low, high) = (self.place(point - hair), self.place(point + hair));
            !(low[2]..=high[2]).any(|z| {
                (low[1]..=high[1]).any(|y| {
                    (low[0]..=high[0]).any(|x| {
                        let mut near = self.points_in([x, y, z]).iter();
                        near.any(|&(p, i)| (i as usize) < index && p.distance_squared(point) <= hair * hair)
                    })
                })
            })
        };
        points.par_iter().enumerate().with_min_len(1024).map(is_first).collect()
    }

    fn points_in(&self, place: [i32; 3]) -> &[(DVec3, u32)] {
        let index = self.box_of(place);
        &self.points[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// With how many points a point shares its box, itself included, on average.
    fn crowding(&self) -> f64 {
        let squares: f64 = self.starts.windows(2).map(|w| f64::from(w[1] - w[0]).powi(2)).sum();
        squares / self.points.len().max(1) as f64
    }

    fn sort(&mut self, points: &[DVec3]) {
        let boxes: usize = self.size.iter().map(|&s| s as usize).product();
        let index: Vec<u32> = points.iter().map(|&p| self.box_of(self.place(p)) as u32).collect();
        self.starts = vec![0; boxes + 1];
        index.iter().for_each(|&b| self.starts[b as usize + 1] += 1);
        for b in 0..boxes {
            self.starts[b + 1] += self.starts[b];
        }
        let mut next = self.starts.clone();
        self.points = vec![(DVec3::ZERO, 0); points.len()];
        for (i, &b) in index.iter().enumerate() {
            self.points[next[b as usize] as usize] = (points[i], i as u32);
            next[b as usize] += 1;
        }
    }

    fn place(&self, point: DVec3) -> [i32; 3] {
        let at = (point - self.min) / self.pitch;
        std::array::from_fn(|axis| (at[axis] as i32).clamp(0, self.size[axis] - 1))
    }

    fn box_of(&self, place: [i32; 3]) -> usize {
        ((place[2] * self.size[1] + place[1]) * self.size[0] + place[0]) as usize
    }

    /// Squared distance of a point from a box of the grid.
    fn distance_squared(&self, place: [i32; 3], point: DVec3) -> f64 {
        let min = self.min + DVec3::from_array(place.map(f64::from)) * self.pitch;
        let max = min + DVec3::splat(self.pitch);
        (point - point.clamp(min, max)).length_squared()
    }
}

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
struct CellMaker<'a> {
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
    fn new(alive: &'a [bool], hair: f64) -> CellMaker<'a> {
        CellMaker { alive, hair, ..CellMaker::default() }
    }

    fn cell(&mut self, grid: &PointGrid, points: &[DVec3], index: u32, bounds: &Aabb) -> VoronoiCell {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn random_points(count: usize, seed: u64) -> Vec<DVec3> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        (0..count).map(|_| DVec3::new(next(), next(), next())).collect()
    }

    #[test]
    fn cells_fill_the_box_and_hold_what_is_nearest() {
        for (count, seed) in [(1, 1), (2, 2), (10, 3), (500, 4), (3000, 5)] {
            let points = random_points(count, seed);
            let cells = voronoi(&points, &Aabb::cube(1.0));
            let volume: f64 = cells.iter().map(|c| c.convex.volume()).sum();
            assert!((volume - 8.0).abs() < 1e-11, "{count}: {volume}");
            for sample in random_points(50, seed + 100) {
                let nearest = (0..count)
                    .min_by(|&a, &b| {
                        points[a].distance_squared(sample).total_cmp(&points[b].distance_squared(sample))
                    })
                    .unwrap();
                assert!(cells[nearest].convex.depth(sample) < 1e-12);
            }
        }
    }

    #[test]
    fn grids_duplicates_and_points_outside_still_fill_the_box() {
        let mut grid = Vec::new();
        for i in 0..125 {
            grid.push(DVec3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64) * 0.5 - 1.0);
        }
        let mut doubled = random_points(40, 9);
        doubled.extend(doubled.clone());
        let outside: Vec<DVec3> = random_points(60, 11).iter().map(|p| *p * 3.0).collect();
        for points in [grid, doubled, outside] {
            let mut cells = voronoi(&points, &Aabb::cube(1.0));
            let volume: f64 = cells.iter().map(|c| c.convex.volume()).sum();
            assert!((volume - 8.0).abs() < 1e-9, "{volume}");
            mark_cells(&mut cells, 0);
        }
    }

    #[test]
    fn neighbours_hold_the_same_plane_from_both_sides() {
        let mut cells = voronoi(&random_points(100, 21), &Aabb::cube(1.0));
        mark_cells(&mut cells, 1000);
        for cell in &cells {
            for (face, across) in cell.convex.faces().iter().zip(&cell.across) {
                let Across::Point(other) = across else { continue };
                let back = cells[*other as usize]
                    .convex
                    .faces()
                    .iter()
                    .find(|f| f.cut == face.cut.map(Cut::opposite));
                assert!(back.is_none_or(|b| b.halfspace().plane == face.halfspace().plane));
            }
        }
    }
}
