//! Which faces go to which cells.
//!
//! Most faces that are not in one cell lie in two: some corners in one, the others in its neighbour, and nothing in
//! any third cell. Such a face is halved by the plane between the two, and no other cell is asked. It is known by
//! where that plane cuts its edges: both points are inside both cells. They are *clearly* inside, by the tolerance of
//! the cells, far above rounding: so no third cell can claim a part of an edge that a halved face has given to its two.
//! Where the ends of an edge have room for it in their cells, that needs no look at the walls.

use crate::{Aabb, Halfspace, Mesh};

use super::carve::Partition;
use super::face::{NONE, cut_place};

/// A face that a plane shares out between a cell and its neighbour.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HalvedFace {
    pub face: u32,
    /// The cell's facet towards the neighbour.
    pub wall: u32,
}

/// Faces in a row: where mesh order is near order in space, one for many.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FaceRun {
    pub first: u32,
    pub end: u32,
}

/// Faces in order, each with a cell it goes to.
#[derive(Debug, Default)]
pub(crate) struct SortedFaces {
    /// In the cell as a whole.
    pub inside: Vec<(u32, FaceRun)>,
    /// Half in the cell.
    pub halved: Vec<(u32, HalvedFace)>,
    /// Perhaps in the cell.
    pub between: Vec<(u32, u32)>,
}

impl SortedFaces {
    fn add_run(&mut self, cell: u32, run: FaceRun) {
        if cell != NONE {
            self.inside.push((cell, run));
        }
    }
}

/// Sorts faces into cells by the owners of their corners.
pub(crate) struct FaceSorter<'a> {
    pub mesh: &'a Mesh,
    pub partition: &'a Partition,
    /// The cell of each vertex.
    pub owners: &'a [u32],
    /// The room of each vertex in its cell.
    pub rooms: &'a [f64],
}

impl FaceSorter<'_> {
    pub fn sort(&self, faces: std::ops::Range<usize>) -> SortedFaces {
        let mut sorted = SortedFaces::default();
        let mut near = NearCells { seen: vec![NONE; self.partition.cells.len()], cells: Vec::new() };
        let mut known = [(NONE, NONE); 2];
        let mut start = self.mesh.face_corners(faces.start).start;
        let (mut run_cell, mut run_first) = (NONE, faces.start as u32);
        for (face, loops_end) in (run_first..).zip(self.mesh.faces[faces.clone()].iter().map(|f| f.loops_end))
        {
            let end = self.mesh.loop_ends[loops_end as usize - 1] as usize;
            let corners = &self.mesh.corners[start..end];
            start = end;
            let owner = self.only_owner(corners);
            if owner != run_cell {
                sorted.add_run(run_cell, FaceRun { first: run_first, end: face });
                (run_cell, run_first) = (owner, face);
            }
            if owner == NONE {
                self.sort_divided(face, corners, &mut known, &mut near, &mut sorted);
            }
        }
        sorted.add_run(run_cell, FaceRun { first: run_first, end: faces.end as u32 });
        sorted
    }

    /// Sorts a face whose corners are in several cells. `known` is what was found of the last that lies in two.
    #[inline(never)] // most faces are in one cell: the loop over those is kept tight
    fn sort_divided(
        &self,
        face: u32,
        corners: &[u32],
        known: &mut [(u32, u32); 2],
        near: &mut NearCells,
        sorted: &mut SortedFaces,
    ) {
        if let Some(halves) = self.halves(face as usize, known) {
            *known = halves;
            sorted.halved.extend(halves.map(|(cell, wall)| (cell, HalvedFace { face, wall })));
        } else {
            self.find_cells(face, corners, near);
            sorted.between.extend(near.cells.iter().map(|&c| (c, face)));
        }
    }

    /// The cell of all corners, or [`NONE`].
    #[inline]
    fn only_owner(&self, corners: &[u32]) -> u32 {
        let owner = |vertex: u32| self.owners[vertex as usize];
        let first = owner(corners[0]);
        let is_only = match *corners {
            [_, b, c] => (owner(b) == first) & (owner(c) == first),
            _ => corners.iter().all(|&v| owner(v) == first),
        };
        if is_only { first } else { NONE }
    }

    /// The two cells that a face lies in, each with its facet towards the other. `known` is the answer for a face before:
    /// those in a row are often along one cut.
    fn halves(&self, face: usize, known: &[(u32, u32); 2]) -> Option<[(u32, u32); 2]> {
        let (corners, owners) = (&self.mesh.corners[self.mesh.face_corners(face)], self.owners);
        let [here, there] = two_owners(corners.iter().map(|&v| owners[v as usize]))?;
        if self.mesh.face_loops(face).len() != 1 {
            return None;
        }
        let at = |vertex: u32| self.mesh.positions[vertex as usize];
        let [this, other] = [here, there].map(|c| &self.partition.cells[c as usize]);
        let [wall, back] = match *known {
            [(a, wall), (b, back)] if (a, b) == (here, there) => [wall, back],
            [(a, back), (b, wall)] if (a, b) == (there, here) => [wall, back],
            _ => {
                let beyond = corners.iter().find(|&&v| owners[v as usize] == there)?;
                this.shared_wall(other, at(*beyond))?
            }
        };
        let halves = [(here, wall), (there, back)];
        let halfspace = &this.halfspaces()[wall as usize];
        let mut previous = *corners.last()?;
        for &vertex in corners {
            // A vertex with room is off all walls of its cell, and so on its side of this one.
            let is_sure = self.rooms[vertex as usize] > 0.0;
            if !is_sure && halfspace.excludes(at(vertex)) != (owners[vertex as usize] == there) {
                return None;
            }
            if owners[vertex as usize] != owners[previous as usize]
                && !self.is_shared_out([previous.min(vertex), previous.max(vertex)], halfspace, &halves)
            {
                return None;
            }
            previous = vertex;
        }
        Some(halves)
    }

    /// Whether an edge, its lower end first, passes from one of two cells to the other clear of all other walls. It does if the
    /// ends have the room for it; else the point where it passes is asked about.
    fn is_shared_out(&self, ends: [u32; 2], halfspace: &Halfspace, halves: &[(u32, u32); 2]) -> bool {
        let [low, high] = ends.map(|vertex| self.mesh.positions[vertex as usize]);
        let rooms = ends.map(|vertex| self.rooms[vertex as usize]);
        let room = rooms[0].min(rooms[1]);
        let squared = low.distance_squared(high);
        if room > 0.0 && squared < room * room {
            return true;
        }
        let place = cut_place(halfspace.plane.distance(low), halfspace.plane.distance(high));
        let (point, length) = (low + (high - low) * place, squared.sqrt());
        halves.iter().all(|&(cell, wall)| {
            let is_low = self.owners[ends[0] as usize] == cell;
            let (room, way) = if is_low { (rooms[0], place) } else { (rooms[1], 1.0 - place) };
            length * way < room || self.partition.cells[cell as usize].clearly_holds(point, wall)
        })
    }

    /// The cells that may reach a face.
    fn find_cells(&self, face: u32, corners: &[u32], near: &mut NearCells) {
        near.cells.clear();
        corners.iter().for_each(|&v| near.add(face, self.owners[v as usize], || true));
        let bounds = Aabb::of_points(corners.iter().map(|&v| self.mesh.positions[v as usize]));
        let overlaps = |cell: u32| self.partition.cells[cell as usize].bounds().overlaps(&bounds);
        self.partition.locator.for_each_in(&bounds, |cell| near.add(face, cell, || overlaps(cell)));
    }
}

/// The cells near a face, each once.
struct NearCells {
    /// For each cell the face that it was last asked about.
    seen: Vec<u32>,
    cells: Vec<u32>,
}

impl NearCells {
    fn add(&mut self, face: u32, cell: u32, is_near: impl FnOnce() -> bool) {
        let seen = &mut self.seen[cell as usize];
        if *seen != face {
            *seen = face;
            self.cells.extend(is_near().then_some(cell));
        }
    }
}

/// The owners of a loop's corners if they are two, each of one run of corners.
fn two_owners(owners: impl ExactSizeIterator<Item = u32> + Clone) -> Option<[u32; 2]> {
    let first = owners.clone().next()?;
    let second = owners.clone().find(|&o| o != first)?;
    let mut turns = 0;
    let mut previous = first;
    for owner in owners.chain([first]) {
        if owner != first && owner != second {
            return None;
        }
        turns += (owner != previous) as u32;
        previous = owner;
    }
    (turns == 2).then_some([first, second])
}

/// Lists of items, one list a cell.
#[derive(Debug, Default)]
pub(crate) struct Buckets<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Buckets<T> {
    pub fn of(&self, cell: u32) -> &[T] {
        &self.items[self.starts[cell as usize] as usize..self.starts[cell as usize + 1] as usize]
    }

    /// Lists of what is in the runs, in order.
    pub fn new<'a>(cells: usize, runs: impl Iterator<Item = &'a [(u32, T)]> + Clone) -> Buckets<T>
    where
        T: 'a,
    {
        let mut starts = vec![0u32; cells + 1];
        for &(cell, _) in runs.clone().flatten() {
            starts[cell as usize + 1] += 1;
        }
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut items = vec![T::default(); starts[cells] as usize];
        for &(cell, item) in runs.flatten() {
            items[next[cell as usize] as usize] = item;
            next[cell as usize] += 1;
        }
        Buckets { starts, items }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{DAffine3, DVec3};

    use super::*;
    use crate::{Cell, CellGrid, Convex, Halfspace, Locator, Slot, mark_cells, voronoi};

    fn spiral(count: usize) -> impl Iterator<Item = DVec3> {
        (0..count).map(move |i| {
            let (z, turn) = (1.0 - (2 * i + 1) as f64 / count as f64, i as f64 * 2.399_963);
            let r = (1.0 - z * z).sqrt();
            DVec3::new(r * libm::cos(turn), r * libm::sin(turn), z)
        })
    }

    fn partition(points: &[DVec3]) -> Partition {
        let bounds = Aabb::cube(1.2);
        let mut cells = voronoi(points, &bounds);
        mark_cells(&mut cells, 0);
        let shapes: Vec<&Convex> = cells.iter().map(|c| &c.convex).collect();
        let grid = Arc::new(CellGrid::new(bounds, &shapes));
        let locator = Locator::new(grid, DAffine3::IDENTITY, 0..0);
        Partition { cells: cells.into_iter().map(|c| Cell::new(c.convex)).collect(), locator }
    }

    /// The area of a triangle's part in a cell, by clipping the polygon plane by plane.
    fn area_in(halfspaces: &[Halfspace], triangle: &[DVec3]) -> f64 {
        let mut polygon = triangle.to_vec();
        for halfspace in halfspaces {
            let mut kept = Vec::new();
            for (i, &a) in polygon.iter().enumerate() {
                let b = polygon[(i + 1) % polygon.len()];
                let (da, db) = (halfspace.depth(a), halfspace.depth(b));
                kept.extend((da <= 0.0).then_some(a));
                kept.extend(((da <= 0.0) != (db <= 0.0)).then(|| a + (b - a) * (da / (da - db))));
            }
            polygon = kept;
        }
        let fan = (2..polygon.len()).map(|i| (polygon[i - 1] - polygon[0]).cross(polygon[i] - polygon[0]));
        fan.sum::<DVec3>().length() * 0.5
    }

    #[test]
    fn the_halves_of_a_face_make_up_all_of_it() {
        let ball: Vec<DVec3> = spiral(900).collect();
        let mesh = Convex::hull(&ball).unwrap().to_mesh(Slot(0));
        let seeds: Vec<DVec3> = spiral(40).zip(0..).map(|(p, i)| p * (0.5 + 0.012 * i as f64)).collect();
        let partition = partition(&seeds);
        let seats = mesh.positions.iter().map(|&p| partition.seat(p));
        let (owners, rooms): (Vec<u32>, Vec<f64>) = seats.map(|seat| (seat.cell, seat.room.beside)).unzip();
        let sorter = FaceSorter { mesh: &mesh, partition: &partition, owners: &owners, rooms: &rooms };
        let sorted = sorter.sort(0..mesh.faces.len());
        assert!(sorted.halved.len() > 300 && sorted.between.len() > 50, "both kinds are there");
        for pair in sorted.halved.chunks(2) {
            let [(a, first), (b, second)] = *pair else { panic!("halves come in pairs") };
            assert!(first.face == second.face && a != b);
            let corners = &mesh.corners[mesh.face_corners(first.face as usize)];
            let triangle: Vec<DVec3> = corners.iter().map(|&v| mesh.positions[v as usize]).collect();
            let halves = [a, b].map(|c| area_in(partition.cells[c as usize].halfspaces(), &triangle));
            let whole = area_in(&[], &triangle);
            assert!((halves[0] + halves[1] - whole).abs() < 1e-12 * whole, "{halves:?} of {whole}");
        }
    }
}
