//! What keeps the convexes of neighbouring pieces out of each other.
//!
//! A fault follows cells, so it is bumpy, and it may bend. The convexes around what lies on its two sides overlap by about a cell then; as colliders
//! they would push each other apart. So between two convexes of different pieces there is a plane, a *fence*, of which each keeps its own side as it
//! collides. What is cut, drawn and weighed stays as it is.
//!
//! A fence is the mean plane of the common fault, weighed by area, or whichever of some other planes cuts off less. Where a convex would lose much of what it
//! holds, its cells are split along the fence and both parts get fences of their own: so does a cup around the foot of its handle. Each half is
//! nearer to convex, so that this ends soon; a convex that would lose most of its room keeps it.

use std::collections::BTreeMap;

use glam::{DMat3, DVec3};
use smithereens::{Compound, Convex, Fit, Halfspace, Plane, Tolerance};

use crate::CellGraph;
use crate::clusters::{connected, few, points_of};
use crate::partition::Partition;

/// A cluster that loses more of its volume to its fences than this is split.
const MOST_LOST: f64 = 0.04;
/// How often all are looked at.
const ROUNDS: usize = 4;
/// A convex that would lose more than this part of what it holds, or of its room, is not clipped.
const MOST_GONE: f64 = 0.45;
/// Places of a fence that are tried along each direction.
const PLACES: u32 = 12;
/// Of a convex's faces, how many are tried as fences.
const MOST_FACES: usize = 40;

/// The fences of each cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fences {
    /// The cluster of each cell.
    pub cluster_of_cell: Vec<u32>,
    /// What each cluster keeps behind.
    pub of_cluster: Vec<Vec<Plane>>,
}

impl Fences {
    /// What a convex of a cluster collides as: nothing where it would be empty.
    pub fn keep(&self, cluster: u32, convex: &Convex) -> Option<Convex> {
        let fences = self.of_cluster.get(cluster as usize)?;
        let mut kept = convex.clone();
        for fence in fences {
            kept = kept.clipped(&Halfspace::behind(*fence))?;
        }
        Some(kept)
    }

    /// The same for clusters some of which others have joined: `labels` tells whose fences each part is behind.
    pub fn regrouped(self, labels: &[u32]) -> (Partition, Fences) {
        let clusters = Partition::numbered(labels.iter().copied());
        let of = |part: usize| self.of_cluster[labels[part] as usize].clone();
        let of_cluster = clusters.first_cells().into_iter().map(of).collect();
        let fences = Fences { cluster_of_cell: clusters.of_cells().to_vec(), of_cluster };
        (clusters, fences)
    }

    /// The same with the clusters of other cells.
    pub fn seen_by(self, cluster_of_cell: Vec<u32>) -> Fences {
        Fences { cluster_of_cell, ..self }
    }
}

/// Clusters, split further where fences would cut off much, and the fences between those of different pieces.
pub(crate) fn fenced(
    compound: &Compound,
    graph: &CellGraph,
    pieces: &Partition,
    clusters: Partition,
) -> (Partition, Fences) {
    let blocks: Vec<Block> = (0..graph.cells().len()).map(|cell| Block::new(compound, cell)).collect();
    let touch = Tolerance::for_box(&compound.bounds()).length();
    let mut clusters = clusters;
    for round in 1.. {
        let mut field = Field::new(compound, &blocks, pieces, &clusters, touch);
        field.fence_all(graph, &clusters);
        let halved = if round < ROUNDS { field.halved(graph, &clusters) } else { None };
        match halved {
            Some(finer) => clusters = finer,
            None => {
                let of_cluster = field.parts.into_iter().map(|part| part.fences).collect();
                let fences = Fences { cluster_of_cell: clusters.of_cells().to_vec(), of_cluster };
                return (clusters, fences);
            }
        }
    }
    (clusters, Fences::default())
}

/// A cell as a box of the same moments.
struct Block {
    centre: DVec3,
    volume: f64,
    /// Covariance of its points.
    spread: DMat3,
}

impl Block {
    fn new(compound: &Compound, cell: usize) -> Block {
        let mass = compound.pieces()[cell].mass();
        let inertia = mass.inertia();
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let spread = (DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - inertia) * (1.0 / mass.volume);
        Block { centre: mass.center, volume: mass.volume, spread }
    }

    /// From where to where it reaches along a direction.
    fn along(&self, direction: DVec3) -> Span {
        let middle = self.centre.dot(direction);
        let half = libm::sqrt((3.0 * direction.dot(self.spread * direction)).max(0.0));
        Span { low: middle - half, high: middle + half, volume: self.volume }
    }
}

#[derive(Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
    volume: f64,
}

impl Span {
    /// How much of it is above a height.
    fn above(&self, height: f64) -> f64 {
        let reach = (self.high - self.low).max(f64::MIN_POSITIVE);
        self.volume * ((self.high - height) / reach).clamp(0.0, 1.0)
    }

    fn below(&self, height: f64) -> f64 {
        self.volume - self.above(height)
    }
}

/// A cluster, and the convex around it as far as fences have left it.
struct Part {
    cells: Vec<u32>,
    piece: usize,
    volume: f64,
    convex: Convex,
    fences: Vec<Plane>,
    /// How much of each cell is beyond one of them.
    lost: Vec<f64>,
}

/// All clusters.
struct Field<'a> {
    blocks: &'a [Block],
    parts: Vec<Part>,
    touch: f64,
}

/// Where two clusters touch: area, and sums over it of normals from the first and of places.
#[derive(Clone, Copy, Default)]
struct Fault {
    area: f64,
    normal: DVec3,
    place: DVec3,
}

impl<'a> Field<'a> {
    fn new(
        compound: &Compound,
        blocks: &'a [Block],
        pieces: &Partition,
        clusters: &Partition,
        touch: f64,
    ) -> Field<'a> {
        let mut cells: Vec<Vec<u32>> = vec![Vec::new(); clusters.count()];
        for (cell, &cluster) in (0..).zip(clusters.of_cells()) {
            cells[cluster as usize].push(cell);
        }
        let part = |cells: Vec<u32>| {
            let points = cells.iter().flat_map(|&cell| points_of(compound, cell));
            let points: Vec<DVec3> = points.copied().collect();
            Part {
                piece: pieces.of(cells[0] as usize),
                volume: cells.iter().map(|&cell| blocks[cell as usize].volume).sum(),
                convex: Fit::HULL.around(&points),
                fences: Vec::new(),
                lost: vec![0.0; cells.len()],
                cells,
            }
        };
        Field { blocks, parts: cells.into_iter().map(part).collect(), touch }
    }

    /// Puts fences between all clusters of different pieces whose convexes overlap: first where most area is shared.
    fn fence_all(&mut self, graph: &CellGraph, clusters: &Partition) {
        let faults = faults(graph, clusters);
        let mut pairs: Vec<([usize; 2], Fault)> = Vec::new();
        for a in 0..self.parts.len() {
            for b in a + 1..self.parts.len() {
                let [x, y] = [&self.parts[a], &self.parts[b]];
                if x.piece != y.piece && x.convex.bounds().overlaps(&y.convex.bounds()) {
                    pairs.push(([a, b], faults.get(&[a as u32, b as u32]).copied().unwrap_or_default()));
                }
            }
        }
        pairs.sort_by(|x, y| y.1.area.total_cmp(&x.1.area).then(x.0.cmp(&y.0)));
        for (pair, fault) in pairs {
            let [a, b] = pair.map(|part| &self.parts[part].convex);
            if !are_apart(a, b, self.touch)
                && let Some(fence) = self.fence(pair, &fault)
            {
                let other = Plane { normal: -fence.normal, offset: -fence.offset };
                self.parts[pair[0]].keep(self.blocks, fence);
                self.parts[pair[1]].keep(self.blocks, other);
            }
        }
    }

    /// The plane between two clusters, with the first behind it, that cuts off least of them.
    fn fence(&self, [a, b]: [usize; 2], fault: &Fault) -> Option<Plane> {
        let [a, b] = [&self.parts[a], &self.parts[b]];
        let mean = fault.normal.try_normalize();
        let across = (b.centre(self.blocks) - a.centre(self.blocks)).try_normalize();
        let normals =
            mean.into_iter().chain(across).chain(a.outward()).chain(b.outward().map(|normal| -normal));
        let mut best: Option<(f64, Plane)> = None;
        for normal in normals {
            let [below, above] = [a, b].map(|part| part.along(self.blocks, normal));
            let top = below.iter().map(|span| span.high).fold(f64::NEG_INFINITY, f64::max);
            let bottom = above.iter().map(|span| span.low).fold(f64::INFINITY, f64::min);
            let middle = (fault.area > 0.0).then(|| fault.place.dot(normal) / fault.area);
            let place = |index: u32| bottom + (top - bottom) * f64::from(index) / f64::from(PLACES);
            for offset in middle.into_iter().chain((0..=PLACES).map(place)) {
                let lost = below.iter().map(|span| span.above(offset)).sum::<f64>() / a.volume
                    + above.iter().map(|span| span.below(offset)).sum::<f64>() / b.volume;
                if best.is_none_or(|(least, _)| lost < least) {
                    best = Some((lost, Plane { normal, offset }));
                }
            }
        }
        best.map(|(_, fence)| fence)
    }

    /// The clusters, with those that lose much in two along the fence that takes most; none if none does.
    fn halved(&self, graph: &CellGraph, clusters: &Partition) -> Option<Partition> {
        let mut label = clusters.of_cells().to_vec();
        let mut count = clusters.count() as u32;
        let few = few(label.len());
        for part in self.parts.iter().filter(|part| part.cells.len() > few) {
            let lost = |fence: &Plane| -> f64 {
                part.along(self.blocks, fence.normal).iter().map(|span| span.above(fence.offset)).sum()
            };
            let most =
                part.fences.iter().map(|fence| (lost(fence), fence)).max_by(|x, y| x.0.total_cmp(&y.0));
            let Some((_, fence)) = most else { continue };
            let is_beyond = |&&cell: &&u32| fence.distance(self.blocks[cell as usize].centre) > 0.0;
            let beyond: Vec<u32> = part.cells.iter().filter(is_beyond).copied().collect();
            let lost: f64 = part.lost.iter().sum();
            if lost > MOST_LOST * part.volume && !beyond.is_empty() && beyond.len() < part.cells.len() {
                beyond.into_iter().for_each(|cell| label[cell as usize] = count);
                count += 1;
            }
        }
        (count as usize > clusters.count()).then(|| connected(graph, &label))
    }
}

impl Part {
    fn centre(&self, blocks: &[Block]) -> DVec3 {
        let moment = |&cell: &u32| blocks[cell as usize].centre * blocks[cell as usize].volume;
        self.cells.iter().map(moment).sum::<DVec3>() / self.volume
    }

    /// The ways that its faces look.
    fn outward(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.convex.faces().iter().take(MOST_FACES).map(|face| face.halfspace().outward().normal)
    }

    fn along(&self, blocks: &[Block], direction: DVec3) -> Vec<Span> {
        self.cells.iter().map(|&cell| blocks[cell as usize].along(direction)).collect()
    }

    /// Goes behind a fence, unless that leaves little of it.
    fn keep(&mut self, blocks: &[Block], fence: Plane) {
        let beyond = self.along(blocks, fence.normal).into_iter().map(|span| span.above(fence.offset));
        let lost: Vec<f64> = self.lost.iter().zip(beyond).map(|(lost, beyond)| lost.max(beyond)).collect();
        let kept = self.convex.clipped(&Halfspace::behind(fence));
        let has_room = |kept: &Convex| kept.volume() >= (1.0 - MOST_GONE) * self.volume;
        if let Some(kept) =
            kept.filter(has_room).filter(|_| lost.iter().sum::<f64>() <= MOST_GONE * self.volume)
        {
            (self.convex, self.lost) = (kept, lost);
            self.fences.push(fence);
        }
    }
}

fn faults(graph: &CellGraph, clusters: &Partition) -> BTreeMap<[u32; 2], Fault> {
    let mut faults: BTreeMap<[u32; 2], Fault> = BTreeMap::new();
    for face in graph.faces() {
        let [a, b] = face.cells.map(|cell| clusters.of_cells()[cell as usize]);
        if a != b {
            let fault = faults.entry([a.min(b), a.max(b)]).or_default();
            let normal = face.normal.normalize_or_zero() * if a < b { face.area } else { -face.area };
            let [x, y] = face.cells.map(|cell| graph.cells()[cell as usize].centre);
            fault.area += face.area;
            fault.normal += normal;
            fault.place += (x + y) * (0.5 * face.area);
        }
    }
    faults
}

/// Whether a face of one of two convexes has the other in front of it, but for a touch.
fn are_apart(a: &Convex, b: &Convex, touch: f64) -> bool {
    let has_in_front = |of: &Convex, other: &Convex| {
        of.faces().iter().any(|face| {
            let plane = face.halfspace().outward();
            other.vertices().iter().all(|vertex| plane.distance(*vertex) >= -touch)
        })
    };
    has_in_front(a, b) || has_in_front(b, a)
}
