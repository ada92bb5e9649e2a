//! The sides that a convex stands on, and which of their corners.
//!
//! A contact of Rapier has room for four corners of a face, and of a face with more it takes the first four in a row. A hexagon is half of
//! itself then: what lies on it tips over an edge that is not there, and sinks into a floor where a corner is missing. Fragments have
//! hexagons all over. Here a face is represented by the quadrangle of its corners that carries the body most safely, of those by the
//! largest; if another corner reaches deeper, by the best with that.
//!
//! Faces of a chip or a needle that are one but for a little are one side, and the quadrangle is that of the side. Each of the faces lies to
//! one side of the centre: pushed out of a floor on one of them, a light chip turned instead of rising, and in the next step stood on a face
//! beyond its centre. So it rocked, and sank as it did.

use rapier3d::math::{Real, Vector};
use rapier3d::parry::shape::ConvexPolyhedron;

/// How much deeper a corner must be, in metres, to be worth another quadrangle: contacts that change from step to step jitter.
const DEEPER: Real = 0.001;
/// A contact has room for as many corners of a face.
pub(crate) const ROOM: usize = 4;
/// Of faces with more corners, so many are tried.
const MOST_CORNERS: usize = 9;
/// Where a shape is thinner than this part of its extent, faces are one side whose corners are no farther from it than this, in metres, and that
/// look the same way, by this cosine.
const THIN: Real = 0.1;
const FLAT: Real = 0.003;
const SAME_WAY: Real = 0.5;
/// A quadrangle that carries as safely as the face but for this is good enough.
const SAFE_ENOUGH: Real = 0.98;

/// A face, or several that are one but for a little.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// Vertices and edges of the shape, in turn.
    pub vertices: Vec<u32>,
    pub edges: Vec<u32>,
    /// If it has more corners than there is room for.
    pub quads: Option<Quads>,
}

/// The best quadrangles of a side, as indices of its corners.
#[derive(Clone, Debug)]
pub(crate) struct Quads {
    best: Quad,
    /// With each corner.
    with: Vec<Quad>,
}

type Quad = [u32; ROOM];

/// The sides of a shape, the largest faces' first, and which side each face belongs to.
pub(crate) fn sides(core: &ConvexPolyhedron) -> (Vec<Side>, Vec<u32>) {
    let faces = core.faces();
    let (points, thin) = (core.points(), THIN * extent(core.points()));
    let depth = |of: usize, vertex: u32| {
        let origin = points[vertices(core, of)[0] as usize];
        (origin - points[vertex as usize]).dot(faces[of].normal)
    };
    let is_thin = |of: usize| (0..points.len() as u32).all(|vertex| depth(of, vertex) <= thin);
    let is_on = |face: usize, of: usize| {
        faces[face].normal.dot(faces[of].normal) > SAME_WAY
            && vertices(core, face).iter().all(|&vertex| depth(of, vertex).abs() <= FLAT)
    };
    let mut order: Vec<(Real, usize)> = (0..faces.len()).map(|face| (area(core, face), face)).collect();
    order.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    let (mut sides, mut side_of) = (Vec::new(), vec![None; faces.len()]);
    for (_, seed) in order {
        if side_of[seed].is_some() {
            continue;
        }
        let is_thin = is_thin(seed);
        let is_part =
            |&face: &usize| face == seed || (is_thin && side_of[face].is_none() && is_on(face, seed));
        let parts: Vec<usize> = (0..faces.len()).filter(is_part).collect();
        parts.iter().for_each(|&face| side_of[face] = Some(sides.len() as u32));
        sides.push(Side::of(core, &parts, faces[seed].normal));
    }
    (sides, side_of.into_iter().flatten().collect())
}

fn corners_of(core: &ConvexPolyhedron, face: usize) -> std::ops::Range<usize> {
    let face = &core.faces()[face];
    let first = face.first_vertex_or_edge as usize;
    first..first + face.num_vertices_or_edges as usize
}

fn vertices(core: &ConvexPolyhedron, face: usize) -> &[u32] {
    &core.vertices_adj_to_face()[corners_of(core, face)]
}

/// The diagonal of the box around points.
fn extent(points: &[Vector]) -> Real {
    let bounds = points.iter().fold(None, |bounds: Option<(Vector, Vector)>, &p| {
        Some(bounds.map_or((p, p), |(least, most)| (least.min(p), most.max(p))))
    });
    bounds.map_or(0.0, |(least, most)| (most - least).length())
}

fn area(core: &ConvexPolyhedron, face: usize) -> Real {
    let corner = |&vertex: &u32| core.points()[vertex as usize];
    let corners = vertices(core, face);
    let fan = corners.windows(2).map(|pair| {
        let origin = corner(&corners[0]);
        (corner(&pair[0]) - origin).cross(corner(&pair[1]) - origin).dot(core.faces()[face].normal)
    });
    fan.sum()
}

impl Side {
    fn of(core: &ConvexPolyhedron, faces: &[usize], normal: Vector) -> Side {
        let (vertices, edges) = match faces {
            &[face] => {
                (vertices(core, face).to_vec(), core.edges_adj_to_face()[corners_of(core, face)].to_vec())
            }
            _ => {
                let corners = faces.iter().flat_map(|&face| vertices(core, face)).copied();
                let outline = outline(core.points(), corners.collect(), normal);
                // Some of its edges are none of the shape's. They only need to be told apart.
                (outline.clone(), outline)
            }
        };
        let places: Vec<Vector> = vertices.iter().map(|&vertex| core.points()[vertex as usize]).collect();
        Side { quads: (places.len() > ROOM).then(|| Quads::of(&places, normal)), vertices, edges }
    }
}

/// The corners of the hull of some vertices, seen against a normal, in turn (Andrew's monotone chain).
fn outline(points: &[Vector], mut corners: Vec<u32>, normal: Vector) -> Vec<u32> {
    let (u, v) = normal.any_orthonormal_pair();
    let flat = |corner: u32| (points[corner as usize].dot(u), points[corner as usize].dot(v));
    corners.sort_by(|&a, &b| {
        let (a, b) = ((flat(a), a), (flat(b), b));
        a.0.0.total_cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)).then(a.1.cmp(&b.1))
    });
    corners.dedup();
    let turns_left = |a: u32, b: u32, c: u32| {
        let (a, b, c) = (flat(a), flat(b), flat(c));
        (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0) > 0.0
    };
    let chain = |corners: &mut dyn Iterator<Item = u32>| {
        let mut chain: Vec<u32> = Vec::new();
        for corner in corners {
            while let [.., a, b] = chain[..] {
                if turns_left(a, b, corner) {
                    break;
                }
                chain.pop();
            }
            chain.push(corner);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut corners.iter().copied());
    hull.extend(chain(&mut corners.iter().rev().copied()));
    hull
}

impl Quads {
    fn of(places: &[Vector], normal: Vector) -> Quads {
        let safe_enough = room(places, normal) * SAFE_ENOUGH;
        let rank =
            |quad: Quad| (Rank::of(quad.map(|corner| places[corner as usize]), normal, safe_enough), quad);
        let mut ranked: Vec<(Rank, Quad)> = quads(&most_telling(places)).map(rank).collect();
        ranked.sort_by(|x, y| y.0.total_cmp(&x.0));
        let best_with = |corner: u32| {
            let found = ranked.iter().find(|(_, quad)| quad.contains(&corner));
            found.map_or_else(|| replaced(ranked[0].1, corner), |(_, quad)| *quad)
        };
        Quads { best: ranked[0].1, with: (0..places.len() as u32).map(best_with).collect() }
    }

    /// The quadrangle to stand on, if the corners reach so deep.
    pub fn choose(&self, depth: impl Fn(u32) -> Real) -> Quad {
        let (corner, deepest) = greatest((0..self.with.len() as u32).map(&depth));
        let (_, reached) = greatest(self.best.into_iter().map(&depth));
        if deepest > reached + DEEPER { self.with[corner] } else { self.best }
    }
}

/// How good a quadrangle is for the face: how safely it carries what the face carries, then how large it is.
#[derive(Clone, Copy, Debug)]
struct Rank {
    safety: Real,
    area: Real,
}

impl Rank {
    /// Shapes are drawn about the centre of mass. A face that does not carry it has no room to lose.
    fn of(corners: [Vector; ROOM], normal: Vector, safe_enough: Real) -> Rank {
        let across = (corners[2] - corners[0]).cross(corners[3] - corners[1]);
        let safety = if safe_enough > 0.0 { room(&corners, normal).min(safe_enough) } else { 0.0 };
        Rank { safety, area: across.dot(normal).abs() }
    }

    fn total_cmp(&self, other: &Rank) -> std::cmp::Ordering {
        self.safety.total_cmp(&other.safety).then(self.area.total_cmp(&other.area))
    }
}

/// How far the origin, seen along the normal, is within a polygon; negative outside.
fn room(corners: &[Vector], normal: Vector) -> Real {
    let next = corners.iter().cycle().skip(1);
    let rooms = corners.iter().zip(next).map(|(&a, &b)| normal.cross(b - a).normalize_or_zero().dot(-a));
    rooms.fold(Real::INFINITY, Real::min)
}

/// The corners of a polygon, or as many as are worth trying, without those next to which it bends least.
fn most_telling(places: &[Vector]) -> Vec<u32> {
    let mut kept: Vec<u32> = (0..places.len() as u32).collect();
    let at = |corner: u32| places[corner as usize];
    while kept.len() > MOST_CORNERS {
        let count = kept.len();
        let ear = |i: usize| {
            let [a, b, c] = [kept[(i + count - 1) % count], kept[i], kept[(i + 1) % count]].map(at);
            -(b - a).cross(c - b).length_squared()
        };
        kept.remove(greatest((0..count).map(ear)).0);
    }
    kept
}

/// Where the first of the greatest numbers is, and the number.
pub(crate) fn greatest(numbers: impl Iterator<Item = Real>) -> (usize, Real) {
    let first = (0, Real::NEG_INFINITY);
    numbers.enumerate().fold(first, |most, next| if next.1 > most.1 { next } else { most })
}

/// All quadrangles of some corners, in their order.
fn quads(corners: &[u32]) -> impl Iterator<Item = Quad> {
    let count = corners.len();
    let pairs = (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)));
    let all = pairs
        .flat_map(move |(a, b)| (b + 1..count).flat_map(move |c| (c + 1..count).map(move |d| [a, b, c, d])));
    all.map(|quad| quad.map(|i| corners[i]))
}

/// A quadrangle with a corner in the place of the one nearest to it in their order.
fn replaced(quad: Quad, corner: u32) -> Quad {
    let mut new = quad;
    if let Some(nearest) = new.iter_mut().min_by_key(|c| c.abs_diff(corner)) {
        *nearest = corner;
    }
    new.sort_unstable();
    new
}
