//! How well hulls fit what is in a cell, and how that changes with the nodes.
//!
//! The hull of a part is spanned by where the surface crosses the lattice's edges, and by where cuts between cells meet those edges. A
//! hull's volume grows with each of its corners by a third of the area around it; a corner on a cut slides along its edge as the nodes on both sides
//! move. So a hull tells, for next to nothing, in which direction every node should go.

use std::cell::RefCell;
use std::sync::Arc;

use glam::DVec3;
use smithereens_geometry::UnionFind;

use super::cells::{Contents, Cost};
use super::hull_volume::HullVolume;
use super::samples::{NONE, Samples};

/// The nodes, and the cell of each point and of each crossing.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub samples: &'a Samples,
    pub nodes: &'a [DVec3],
    pub points: &'a [u32],
    pub crossings: &'a [u32],
}

/// A place that spans the hull of a part.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: DVec3,
    /// A point of the same part.
    point: u32,
    /// The node on the other side, if it lies on a cut.
    beyond: u32,
    /// How it slides as the cut moves.
    slide: DVec3,
}

/// Parts of fewer points than this are counted, but have no hull worth measuring.
const DUST: usize = 4;
/// Where a cut runs along an edge, a place on it slides at most this many times as fast as the cut moves.
const FASTEST: f64 = 4.0;

impl View<'_> {
    /// What spans the hulls of a cell.
    fn gather(&self, cell: u32, contents: &Contents, places: &mut Vec<Place>) {
        places.clear();
        for &crossing in &contents.crossings {
            self.add_surface(cell, crossing, places);
        }
        for &point in &contents.points {
            self.add_rims(cell, point, places);
        }
    }

    /// A crossing of a cell, and where cuts meet the surface next to it.
    fn add_surface(&self, cell: u32, index: u32, places: &mut Vec<Place>) {
        let samples = self.samples;
        let crossing = samples.crossings[index as usize];
        let inside = self.points[crossing.point as usize];
        let place = Place { at: crossing.at, point: crossing.point, beyond: NONE, slide: DVec3::ZERO };
        self.add(cell, place, NONE, places);
        if inside != cell {
            let cut = self.cut(cell, inside, crossing.at, samples.points[crossing.point as usize]);
            self.add(cell, Place { point: crossing.point, ..cut }, NONE, places);
        }
        for &other in samples.joined_to(index) {
            let beyond = self.crossings[other as usize];
            if beyond != cell {
                let to = samples.crossings[other as usize];
                let cut = self.cut(cell, beyond, crossing.at, to.at);
                self.add(cell, Place { point: crossing.point, ..cut }, to.point, places);
            }
        }
    }

    /// The rims of cuts next to a point of a cell. What lies within a cut is in the hull of its rim.
    fn add_rims(&self, cell: u32, point: u32, places: &mut Vec<Place>) {
        let samples = self.samples;
        let from = samples.points[point as usize];
        for crossing in samples.crossings_of(point) {
            let beyond = self.crossings[crossing as usize];
            if beyond != cell {
                let cut = self.cut(cell, beyond, from, samples.crossings[crossing as usize].at);
                places.push(Place { point, ..cut });
            }
        }
        for other in samples.beside(point) {
            if other == NONE || self.points[other as usize] == cell {
                continue;
            }
            let beyond = self.points[other as usize];
            if self.is_at_rim(point, cell, beyond) || self.is_at_rim(other, cell, beyond) {
                let cut = self.cut(cell, beyond, from, samples.points[other as usize]);
                places.push(Place { point, ..cut });
            }
        }
    }

    /// Whether next to a point between two cells there is a third, or the outside.
    fn is_at_rim(&self, point: u32, x: u32, y: u32) -> bool {
        let is_other = |p: u32| p == NONE || ![x, y].contains(&self.points[p as usize]);
        self.samples.beside(point).into_iter().any(is_other)
    }

    /// Adds a place, which goes with the part of its point, or of `or`, or of the points around it, whichever is in the cell first:
    /// with none of another, or a search would shave off volume for nothing.
    fn add(&self, cell: u32, place: Place, or: u32, places: &mut Vec<Place>) {
        let is_here = |&p: &u32| p != NONE && self.points[p as usize] == cell;
        let own = [place.point, or].into_iter().find(is_here);
        let own = own.or_else(|| self.samples.around(place.point).find(is_here));
        places.extend(own.map(|point| Place { point, ..place }));
    }

    /// Where the bisector of a cell's node and another cuts the way from one place to the other.
    fn cut(&self, cell: u32, beyond: u32, from: DVec3, to: DVec3) -> Place {
        let [a, b] = [cell, beyond].map(|cell| self.nodes[cell as usize]);
        let nearer = |p: DVec3| b.distance_squared(p) - a.distance_squared(p);
        let (start, end) = (nearer(from), nearer(to));
        let part = if start == end { 0.5 } else { start / (start - end) };
        let (way, across) = (to - from, a - b);
        let slide = way / way.dot(across);
        let fastest = FASTEST / across.length();
        let slide = if slide.is_finite() { slide.clamp_length_max(fastest) } else { DVec3::ZERO };
        Place { at: from.lerp(to, part.clamp(0.0, 1.0)), point: NONE, beyond, slide }
    }
}

/// Measures cells; its memory is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Gauge {
    hull: HullVolume,
    sets: UnionFind,
    /// For each point of the solid, its index among those of the cell.
    local: Vec<u32>,
    gathered: Vec<Place>,
    chosen: Vec<Place>,
    places: Vec<DVec3>,
    pulls: Vec<(u32, DVec3)>,
}

/// How the cost of a cell grows with nodes, some of which are named more than once.
pub(super) type Pulls = Arc<[(u32, DVec3)]>;

thread_local! {
    static GAUGE: RefCell<Gauge> = RefCell::default();
}

impl Gauge {
    /// Works with the thread's own. The work must not wait for other threads: meanwhile this one might take up more of it.
    pub fn with<T>(work: impl FnOnce(&mut Gauge) -> T) -> T {
        GAUGE.with_borrow_mut(work)
    }

    /// What a cell costs, and how that grows with the nodes that matter.
    pub fn measure(&mut self, view: &View, cell: u32, contents: &Contents) -> (Cost, Pulls) {
        if contents.points.is_empty() {
            return (Cost::default(), Pulls::default());
        }
        self.pulls.clear();
        view.gather(cell, contents, &mut self.gathered);
        self.join(view.samples, contents);
        let count = contents.points.len() as u32;
        let mut size = vec![0usize; count as usize];
        (0..count).for_each(|p| size[self.sets.root(p) as usize] += 1);
        let parts = (0..count).filter(|&p| size[p as usize] >= 1).count() as u32;
        let mut roots: Vec<u32> = (0..count).filter(|&p| size[p as usize] >= DUST).collect();
        if roots.is_empty() {
            roots = (0..count).filter(|&p| size[p as usize] > 0).take(1).collect();
        }
        let mut cost = Cost { hulls: 0.0, parts };
        for &root in &roots {
            self.choose(root, roots.len() == 1);
            cost.hulls += self.hull.of(&self.places);
            self.add_pulls(view, cell);
        }
        contents.points.iter().for_each(|&p| self.local[p as usize] = NONE);
        (cost, self.pulls[..].into())
    }

    /// Chooses the places that span the hull of a part.
    fn choose(&mut self, root: u32, is_only: bool) {
        self.chosen.clear();
        if is_only {
            std::mem::swap(&mut self.chosen, &mut self.gathered);
        } else {
            let Gauge { sets, local, gathered, chosen, .. } = self;
            chosen.extend(gathered.iter().filter(|place| sets.root(local[place.point as usize]) == root));
        }
        self.places.clear();
        self.places.extend(self.chosen.iter().map(|place| place.at));
    }

    /// How many parts a cell holds.
    pub fn parts(&mut self, samples: &Samples, contents: &Contents) -> u32 {
        self.join(samples, contents);
        let count = contents.points.len() as u32;
        let parts = (0..count).filter(|&point| self.sets.root(point) == point).count() as u32;
        contents.points.iter().for_each(|&p| self.local[p as usize] = NONE);
        parts
    }

    /// How the hull measured last grows with the nodes.
    fn add_pulls(&mut self, view: &View, cell: u32) {
        let Gauge { hull, chosen, pulls, .. } = self;
        let own = view.nodes[cell as usize];
        let mut of_own = DVec3::ZERO;
        hull.growth(|corner, growth| {
            let Place { at, beyond, slide, .. } = chosen[corner as usize];
            if beyond != NONE {
                let pull = growth.dot(slide);
                of_own -= (at - own) * pull;
                pulls.push((beyond, (at - view.nodes[beyond as usize]) * pull));
            }
        });
        pulls.push((cell, of_own));
    }

    /// Finds the parts of what is in a cell: along the axes first, which mostly does, then across corners.
    fn join(&mut self, samples: &Samples, contents: &Contents) {
        self.local.resize(samples.points.len(), NONE);
        (0..).zip(&contents.points).for_each(|(index, &point)| self.local[point as usize] = index);
        self.sets.reset(contents.points.len());
        for (index, &point) in (0..).zip(&contents.points) {
            for other in samples.ahead(point) {
                self.join_to(index, other);
            }
        }
        // Of two parts that meet at a corner, one at least is not the first.
        for (index, &point) in (0..).zip(&contents.points) {
            if self.sets.root(index) != 0 {
                for other in samples.around(point) {
                    self.join_to(index, other);
                }
            }
        }
    }

    fn join_to(&mut self, index: u32, point: u32) {
        if point != NONE {
            let other = self.local[point as usize];
            if other != NONE {
                self.sets.join(index, other);
            }
        }
    }
}
