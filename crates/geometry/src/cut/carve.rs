//! Cutting a solid by all cells of a partition at once.
//!
//! Every vertex is located in one cell. A face whose vertices are in one cell is in that cell; one that lies in two
//! cells is halved by the plane between them ([`super::sort`]); and only faces near the edges of cells are clipped,
//! each by the cells near it and of each cell by the planes that cut it. So the work is one look at every vertex, and
//! more only along the cuts.
//!
//! Each cell is closed on its own ([`super::close`]): for any answers of the side tests its piece is
//! closed, as every face asks the same questions about the vertices and edges it shares. Right is
//! another matter than closed, so the volumes are added up at the end; where they do not make the
//! whole, and where a cell is tangled, the solid is clipped plane by plane instead.

use std::sync::Mutex;

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use crate::{Aabb, Cut, Fitting, Halfspace, Mesh, Part, Solid, Tolerance, Trimmer};

use super::apart::{Neighbours, SplitPlanes};
use super::build::{PieceBuilder, plane_axes};
use super::cell::{Cell, Room};
use super::close::Closer;
use super::face::{Sides, is_out};
use super::locate::Locator;
use super::nest::encloses;
use super::parts::PartFinder;
use super::sort::{Buckets, FaceRun, FaceSorter, HalvedFace, SortedFaces};
use super::walls::Lanes;

/// Convex cells that fill the space a solid is in without overlap.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The cells.
    pub cells: Vec<Cell>,
    /// Finds the cells near a place.
    pub locator: Locator,
}

impl Partition {
    /// The cell that holds a point: the first of those near it that cuts nothing of it away, or the one
    /// that it is least far out of.
    pub fn cell_at(&self, point: DVec3) -> u32 {
        self.seat(point).cell
    }

    /// The same with the room it has there.
    pub(crate) fn seat(&self, point: DVec3) -> Seat {
        let mut found = None;
        self.locator.any_near(point, |cell| {
            found = self.cells[cell as usize].room(point).map(|room| Seat { cell, room });
            found.is_some()
        });
        found.unwrap_or_else(|| Seat { cell: self.nearest_cell(point), room: Room::default() })
    }

    /// The cells of points, and how much room each has there beside the nearest wall. Points that are near come one after the
    /// other: so each is looked for first where the one before was, and not at all where that had the room for both.
    fn seat_all(&self, points: &[DVec3], cells: &mut [u32], rooms: &mut [f64]) {
        let (mut seat, mut taken) = (Seat { cell: 0, room: Room::default() }, DVec3::ZERO);
        for ((&point, cell), room) in points.iter().zip(cells).zip(rooms) {
            let mut away = point.distance(taken);
            if away >= seat.room.inside {
                let here = self.cells[seat.cell as usize].room(point);
                seat = here.map_or_else(|| self.seat(point), |room| Seat { room, ..seat });
                (taken, away) = (point, 0.0);
            }
            (*cell, *room) = (seat.cell, seat.room.beside - away);
        }
    }

    #[cold]
    fn nearest_cell(&self, point: DVec3) -> u32 {
        let mut least = (f64::INFINITY, 0);
        self.locator.any_near(point, |index| {
            let depth = self.cells[index as usize].depth(point);
            if depth < least.0 {
                least = (depth, index);
            }
            false
        });
        least.1
    }

    /// The cells that may reach into a box, ascending.
    pub fn cells_near(&self, bounds: &Aabb) -> Vec<u32> {
        let mut cells = Vec::new();
        self.locator.for_each_in(bounds, |c| cells.push(c));
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

/// The cell that a point is in, and its room there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    pub cell: u32,
    pub room: Room,
}

/// What is in a cell.
#[derive(Clone, Debug)]
pub enum Carved {
    /// Nothing of the solid.
    Nothing,
    /// The cell lies wholly inside the solid.
    Whole,
    /// The parts of the solid in the cell, with convexes within the cell around them.
    Parts(Vec<Part>),
}

impl Carved {
    fn volume(&self, cell: &Cell) -> f64 {
        match self {
            Carved::Nothing => 0.0,
            Carved::Whole => cell.volume(),
            Carved::Parts(parts) => parts.iter().map(|part| part.solid.volume()).sum(),
        }
    }
}

/// Memory for carving cells, one a thread.
#[derive(Debug, Default)]
pub struct Knife {
    builder: PieceBuilder,
    closer: Closer,
    finder: PartFinder,
    trimmer: Trimmer,
    points: Vec<DVec3>,
    /// The corners of the face at hand that other cells own.
    strangers: Vec<u32>,
    /// The planes that cut the face at hand, with a row of sides and distances each.
    walls: Vec<u32>,
    out: Vec<bool>,
    distance: Vec<f64>,
}

/// Knives to share among threads, and among solids that are cut one after the other.
#[derive(Debug, Default)]
pub struct KnifeRack {
    knives: Mutex<Vec<Knife>>,
}

impl KnifeRack {
    fn with_knife<T>(&self, work: impl FnOnce(&mut Knife) -> T) -> T {
        let mut knife = self.knives.lock().ok().and_then(|mut k| k.pop()).unwrap_or_default();
        let done = work(&mut knife);
        self.knives.lock().map(|mut k| k.push(knife)).ok();
        done
    }
}

impl Knife {
    fn load(&mut self, mesh: &Mesh, corners: &[u32], is_owned: impl Fn(u32) -> bool) {
        self.walls.clear();
        self.out.clear();
        self.distance.clear();
        self.points.clear();
        self.points.extend(corners.iter().map(|&v| mesh.positions[v as usize]));
        self.strangers.clear();
        self.strangers.extend((0..corners.len() as u32).filter(|&i| !is_owned(corners[i as usize])));
    }

    /// How many corners each of four planes cuts away.
    fn test(&self, lanes: &Lanes) -> [u64; 4] {
        lanes.count_lost(self.strangers.iter().map(|&i| self.points[i as usize]))
    }

    fn keep_row(&mut self, halfspace: &Halfspace) {
        let start = self.out.len();
        self.distance.extend(self.points.iter().map(|&p| halfspace.plane.distance(p)));
        self.out.resize(start + self.points.len(), false);
        for &i in &self.strangers {
            self.out[start + i as usize] = is_out(halfspace.side, self.distance[start + i as usize]);
        }
    }

    /// Whether a corner of another cell is on the near side of all planes, by rounding.
    fn is_unclaimed(&self, corner: usize) -> bool {
        self.out.chunks(self.points.len()).all(|row| !row[corner])
    }

    fn is_cut_away(&self) -> bool {
        self.out.chunks(self.points.len()).any(|row| row.iter().all(|&o| o))
    }
}

/// Which faces of a solid meet which cells of a partition.
#[derive(Debug)]
pub struct CarvePlan {
    owners: Vec<u32>,
    inside: Buckets<FaceRun>,
    halved: Buckets<HalvedFace>,
    between: Buckets<u32>,
    /// Cells with surface in or near them, ascending.
    surface: Vec<u32>,
    /// The other cells near the solid, ascending.
    quiet: Vec<u32>,
}

/// Small enough to share among threads evenly, large enough to be worth a task.
const VERTICES_A_TASK: usize = 2048;
const FACES_A_TASK: usize = 2048;
const CELLS_A_TASK: usize = 8;

impl CarvePlan {
    /// Locates all vertices and sorts all faces, on all threads of the pool.
    pub fn new(solid: &Solid, partition: &Partition) -> CarvePlan {
        let mesh = solid.mesh();
        let (mut owners, mut rooms) = (vec![0; mesh.positions.len()], vec![0.0; mesh.positions.len()]);
        let seats = owners.par_chunks_mut(VERTICES_A_TASK).zip(rooms.par_chunks_mut(VERTICES_A_TASK));
        seats.zip(mesh.positions.par_chunks(VERTICES_A_TASK)).for_each(|((owners, rooms), points)| {
            partition.seat_all(points, owners, rooms);
        });
        let sorter = FaceSorter { mesh, partition, owners: &owners, rooms: &rooms };
        let tasks: Vec<usize> = (0..mesh.faces.len()).step_by(FACES_A_TASK).collect();
        let sorted: Vec<SortedFaces> = tasks
            .into_par_iter()
            .map(|first| sorter.sort(first..(first + FACES_A_TASK).min(mesh.faces.len())))
            .collect();
        let cells = partition.cells.len();
        let (inside, (halved, between)) = rayon::join(
            || Buckets::new(cells, sorted.iter().map(|s| &s.inside[..])),
            || {
                let halved = Buckets::new(cells, sorted.iter().map(|s| &s.halved[..]));
                (halved, Buckets::new(cells, sorted.iter().map(|s| &s.between[..])))
            },
        );
        let has_surface =
            |&c: &u32| !(inside.of(c).is_empty() && halved.of(c).is_empty() && between.of(c).is_empty());
        let mut is_near = vec![false; cells];
        partition.locator.for_each_in(&mesh.bounds(), |cell| is_near[cell as usize] = true);
        let near = (0..cells as u32).filter(|&cell| is_near[cell as usize]);
        let (surface, quiet) = near.partition(has_surface);
        CarvePlan { owners, inside, halved, between, surface, quiet }
    }

    /// The cells with surface in or near them, which [`Carver::carve`] is for.
    pub fn surface_cells(&self) -> &[u32] {
        &self.surface
    }
}

/// A solid being cut by a partition, following a plan made for the two.
#[derive(Clone, Copy, Debug)]
pub struct Carver<'a> {
    /// What is cut.
    pub solid: &'a Solid,
    /// What it is cut by.
    pub partition: &'a Partition,
    /// Which faces meet which cells.
    pub plan: &'a CarvePlan,
    /// How the parts get their convexes; if by nothing, the cell is the convex of all parts in it.
    pub fitting: Option<Fitting<'a>>,
    /// What planes are called that keep the convexes of a cell's parts apart, if these are fitted.
    pub split_planes: SplitPlanes<'a>,
}

impl Carver<'_> {
    /// Cuts out what is in one cell; `None` if no surface is in it after all, so that its neighbours
    /// must tell.
    pub fn carve(&self, cell: u32, knife: &mut Knife) -> Option<Carved> {
        let (mesh, shape) = (self.solid.mesh(), &self.partition.cells[cell as usize]);
        let plan = self.plan;
        let (inside, halved, between) = (plan.inside.of(cell), plan.halved.of(cell), plan.between.of(cell));
        knife.builder.begin(mesh);
        let whole = inside.iter().map(|run| (run.end - run.first) as usize).sum::<usize>();
        knife.builder.reserve(mesh, whole + halved.len() + between.len());
        for run in inside {
            knife.builder.add_whole_faces(mesh, run.first as usize..run.end as usize);
        }
        for &HalvedFace { face, wall } in halved {
            let halfspace = &shape.halfspaces()[wall as usize];
            let is_kept = |vertex: u32| plan.owners[vertex as usize] == cell;
            knife.builder.add_halved_face(mesh, face as usize, wall, halfspace, is_kept);
        }
        for &face in between {
            self.clip_face(cell, face as usize, knife);
        }
        if knife.builder.mesh.faces.is_empty() {
            return None;
        }
        let is_middle_inside = || self.solid.contains(shape.middle());
        Some(match knife.closer.close(&mut knife.builder, shape, is_middle_inside) {
            Ok(()) => {
                let mesh = std::mem::take(&mut knife.builder.mesh);
                let parts = if self.solid.is_in_one() && !knife.builder.has_lost_loops {
                    knife.finder.parts_of_cut(mesh, &knife.builder.cap_edges)
                } else {
                    knife.finder.parts(mesh)
                };
                self.fitted(cell, parts, &mut knife.trimmer)
            }
            Err(_) => self.carve_plane_by_plane(cell, &mut knife.trimmer),
        })
    }

    /// The parts are fitted as soon as they are cut, while they are at hand.
    fn fitted(&self, cell: u32, parts: Vec<Solid>, trimmer: &mut Trimmer) -> Carved {
        let shape = self.partition.cells[cell as usize].convex();
        let Some(fitting) = &self.fitting else {
            return Carved::Parts(
                parts.into_iter().map(|solid| Part { solid, convex: shape.clone() }).collect(),
            );
        };
        let parts: Vec<Part> = parts.into_iter().map(|part| fitting.part(shape, part, trimmer)).collect();
        Carved::Parts(if parts.len() > 1 {
            Neighbours { cell, shape, fitting, planes: self.split_planes, trimmer }.keep_apart(parts)
        } else {
            parts
        })
    }

    fn clip_face(&self, cell: u32, face: usize, knife: &mut Knife) {
        let mesh = self.solid.mesh();
        if !self.classify(cell, face, knife) {
            return;
        }
        let corners = mesh.face_corners(face).len();
        knife.builder.clipper.load(mesh, face);
        for (i, &wall) in knife.walls.iter().enumerate() {
            let range = i * corners..(i + 1) * corners;
            let sides = Sides {
                halfspace: &self.partition.cells[cell as usize].halfspaces()[wall as usize],
                label: wall,
                out: &knife.out[range.clone()],
                distance: &knife.distance[range],
            };
            knife.builder.clipper.clip(sides, || mesh.face_normal(face));
            if knife.builder.clipper.edges.is_empty() {
                return;
            }
        }
        knife.builder.add_clipped_face(mesh, face);
    }

    /// Finds the planes of the cell that cut a face; `false` if one of them cuts all of it away.
    ///
    /// A vertex that the cell owns is inside for all planes, and one that it does not own is outside
    /// for one at least, whatever the rounding: the faces that were never asked rely on it.
    fn classify(&self, cell: u32, face: usize, knife: &mut Knife) -> bool {
        let mesh = self.solid.mesh();
        let corners = &mesh.corners[mesh.face_corners(face)];
        knife.load(mesh, corners, |v| self.plan.owners[v as usize] == cell);
        let shape = &self.partition.cells[cell as usize];
        for (lanes, first) in shape.walls().lanes().iter().zip((0..).step_by(4)) {
            for (lost, wall) in knife.test(lanes).into_iter().zip(first..) {
                if lost as usize == corners.len() {
                    return false;
                }
                if lost > 0 {
                    knife.walls.push(wall);
                }
            }
        }
        for i in 0..knife.walls.len() {
            knife.keep_row(&shape.halfspaces()[knife.walls[i] as usize]);
        }
        let unclaimed = |&&i: &&u32| knife.is_unclaimed(i as usize);
        let Some(_) = knife.strangers.iter().find(unclaimed) else { return true };
        let stray: Vec<u32> = knife.strangers.iter().filter(unclaimed).copied().collect();
        stray.iter().for_each(|&i| self.put_out(cell, corners, i as usize, knife));
        !knife.is_cut_away()
    }

    /// Puts corner `i` outside of the plane it is deepest beyond.
    fn put_out(&self, cell: u32, corners: &[u32], i: usize, knife: &mut Knife) {
        let halfspaces = self.partition.cells[cell as usize].halfspaces();
        let at = |vertex: u32| self.solid.mesh().positions[vertex as usize];
        let mut deepest = 0;
        for (wall, halfspace) in halfspaces.iter().enumerate() {
            if halfspace.depth(at(corners[i])) > halfspaces[deepest].depth(at(corners[i])) {
                deepest = wall;
            }
        }
        let place = match knife.walls.binary_search(&(deepest as u32)) {
            Ok(place) => place,
            Err(place) => {
                knife.walls.insert(place, deepest as u32);
                let start = place * corners.len();
                let distances = corners.iter().map(|&v| halfspaces[deepest].plane.distance(at(v)));
                knife.distance.splice(start..start, distances);
                knife.out.splice(start..start, corners.iter().map(|_| false));
                place
            }
        };
        knife.out[place * corners.len() + i] = true;
    }

    fn carve_plane_by_plane(&self, cell: u32, trimmer: &mut Trimmer) -> Carved {
        match self.solid.clipped_by(self.partition.cells[cell as usize].convex()) {
            Some(solid) => self.fitted(cell, solid.parts(), trimmer),
            None => Carved::Nothing,
        }
    }

    /// All cells near the solid with what is in them, ascending, carved on all threads of the pool.
    pub fn run(&self, rack: &KnifeRack) -> Vec<(u32, Carved)> {
        let carve = |cells: &[u32]| -> Vec<Option<Carved>> {
            rack.with_knife(|knife| cells.iter().map(|&c| self.carve(c, knife)).collect())
        };
        let carved: Vec<_> = self.plan.surface.par_chunks(CELLS_A_TASK).map(carve).collect();
        self.finish(carved.into_iter().flatten().collect())
    }

    /// Some of the cells with what is in them, carved on all threads of the pool. Nobody adds up what the others hold: that is
    /// for the caller, who has it.
    pub fn run_some(&self, cells: &[u32], rack: &KnifeRack) -> Vec<(u32, Carved)> {
        let carve = |knife: &mut Knife, cell: u32| {
            let has_surface = self.plan.surface.binary_search(&cell).is_ok();
            let carved = if has_surface { self.carve(cell, knife) } else { None };
            (cell, carved.unwrap_or_else(|| self.ask_middle(cell)))
        };
        let carve = |&cell: &u32| rack.with_knife(|knife| carve(knife, cell));
        cells.par_iter().map(carve).collect()
    }

    /// Completes what [`Carver::carve`] found in the surface cells with the others, and checks the sum.
    pub fn finish(&self, carved: Vec<Option<Carved>>) -> Vec<(u32, Carved)> {
        let mut all: Vec<(u32, Carved)> = Vec::with_capacity(carved.len() + self.plan.quiet.len());
        let mut quiet = self.plan.quiet.clone();
        for (&cell, carved) in self.plan.surface.iter().zip(carved) {
            match carved {
                Some(carved) => all.push((cell, carved)),
                None => quiet.push(cell),
            }
        }
        quiet.sort_unstable();
        self.settle_quiet_cells(quiet, &mut all);
        let volume = self.solid.volume();
        if (self.total(&all) - volume).abs() > volume * Tolerance::RELATIVE {
            let carve = |trimmer: &mut Trimmer, &c: &u32| (c, self.carve_plane_by_plane(c, trimmer));
            all = self.plan.surface.par_iter().map_init(Trimmer::default, carve).collect();
            all.extend(self.plan.quiet.iter().map(|&c| (c, self.ask_middle(c))));
        }
        all.sort_by_key(|(cell, _)| *cell);
        all
    }

    fn total(&self, all: &[(u32, Carved)]) -> f64 {
        all.iter().map(|(c, carved)| carved.volume(&self.partition.cells[*c as usize])).sum()
    }

    fn ask_middle(&self, cell: u32) -> Carved {
        let middle = self.partition.cells[cell as usize].middle();
        if self.solid.contains(middle) { Carved::Whole } else { Carved::Nothing }
    }

    /// A cell without surface is outside if it reaches out of the solid's box, else as its neighbours are where they
    /// touch it.
    fn settle_quiet_cells(&self, mut waiting: Vec<u32>, all: &mut Vec<(u32, Carved)>) {
        let bounds = self.solid.mesh().bounds();
        waiting.retain(|&cell| {
            let shape = &self.partition.cells[cell as usize];
            let is_within = bounds.contains_box(&shape.bounds().grown(-shape.tolerance().length()));
            if !is_within {
                all.push((cell, Carved::Nothing));
            }
            is_within
        });
        let mut known: Vec<Option<usize>> = vec![None; self.partition.cells.len()];
        for (index, (cell, _)) in all.iter().enumerate() {
            known[*cell as usize] = Some(index);
        }
        while !waiting.is_empty() {
            let before = waiting.len();
            waiting.retain(|&cell| match self.as_neighbours(cell, &known, all) {
                Some(carved) => {
                    known[cell as usize] = Some(all.len());
                    all.push((cell, carved));
                    false
                }
                None => true,
            });
            if waiting.len() == before {
                let cell = waiting.remove(0);
                known[cell as usize] = Some(all.len());
                all.push((cell, self.ask_middle(cell)));
            }
        }
    }

    fn as_neighbours(&self, cell: u32, known: &[Option<usize>], all: &[(u32, Carved)]) -> Option<Carved> {
        let shape = &self.partition.cells[cell as usize];
        let hair = shape.tolerance().length();
        for (facet, halfspace) in shape.halfspaces().iter().enumerate() {
            let Some(across) = halfspace.complement().cut() else { continue };
            let point = middle_of(shape.convex().face_points(facet));
            let mut inside = None;
            self.partition.locator.any_near(point, |other| {
                let neighbour = &self.partition.cells[other as usize];
                let touches = neighbour.halfspaces().iter().any(|h| h.cut() == Some(across));
                let Some(index) = known[other as usize] else { return false };
                if !touches || neighbour.depth(point) > hair {
                    return false;
                }
                inside = Some(match &all[index].1 {
                    Carved::Nothing => false,
                    Carved::Whole => true,
                    Carved::Parts(parts) => parts.iter().any(|p| is_on_cut(&p.solid, across, point)),
                });
                true
            });
            if let Some(inside) = inside {
                return Some(if inside { Carved::Whole } else { Carved::Nothing });
            }
        }
        None
    }
}

/// Whether a point of a plane is on a face that this cut left on a part.
fn is_on_cut(part: &Solid, cut: Cut, point: DVec3) -> bool {
    let mesh = part.mesh();
    let mut inside = false;
    for face in (0..mesh.faces.len()).filter(|&f| mesh.faces[f].cut == Some(cut)) {
        let (u, v) = plane_axes(mesh.face_normal(face));
        let flat = |p: DVec3| DVec2::new((p - point).dot(u), (p - point).dot(v));
        for corners in mesh.loops_of(face) {
            let polygon: Vec<DVec2> = corners.iter().map(|&c| flat(mesh.positions[c as usize])).collect();
            inside ^= encloses(&polygon, DVec2::ZERO);
        }
    }
    inside
}

fn middle_of(points: impl Iterator<Item = DVec3> + Clone) -> DVec3 {
    points.clone().sum::<DVec3>() / points.count().max(1) as f64
}
