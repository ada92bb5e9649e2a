//! A collision shape that stands on the right corners of its faces.
//!
//! A contact of Rapier has room for four corners of a face, and of a face with more it takes the first four in a row. A hexagon is half of
//! itself then: what lies on it tips over an edge that is not there, and sinks into a floor where a corner is missing. Fragments have
//! hexagons all over. Here a face is represented by the quadrangle of its corners that carries the body most safely, of those by the
//! largest; if another corner reaches deeper, by the best with that.

use std::sync::OnceLock;

use rapier3d::math::{Pose, Real, Vector};
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::{
    FeatureId, PackedFeatureId, PolygonalFeature, PolygonalFeatureMap, RoundConvexPolyhedron, Shape,
    ShapeType, SharedShape, SupportMap, TypedShape,
};

/// How much deeper a corner must be, in metres, to be worth another quadrangle: contacts that change from step to step jitter.
const DEEPER: Real = 0.001;
/// A contact has room for as many corners of a face.
const ROOM: usize = 4;
/// Of faces with more corners, so many are tried.
const MOST_CORNERS: usize = 9;
/// A quadrangle that carries as safely as the face but for this is good enough.
const SAFE_ENOUGH: Real = 0.98;

/// A convex with a round margin. To others it looks like Rapier's own.
#[derive(Clone, Debug)]
pub(crate) struct Faceted {
    round: RoundConvexPolyhedron,
    bounds: Aabb,
    /// For each face with more corners than there is room for.
    quads: Vec<Option<Quads>>,
    /// At a density of one: Rapier asks for the middle of all that is fast, every step.
    mass: OnceLock<MassProperties>,
}

/// The best quadrangles of a face, as indices of its corners.
#[derive(Clone, Debug)]
struct Quads {
    best: Quad,
    /// With each corner.
    with: Vec<Quad>,
}

type Quad = [u32; ROOM];

impl Faceted {
    pub fn new(round: RoundConvexPolyhedron) -> Faceted {
        let core = &round.inner_shape;
        let quads = core.faces().iter().map(|face| {
            let first = face.first_vertex_or_edge as usize;
            let corners = &core.vertices_adj_to_face()[first..first + face.num_vertices_or_edges as usize];
            let places: Vec<Vector> = corners.iter().map(|&vertex| core.points()[vertex as usize]).collect();
            (corners.len() > ROOM).then(|| Quads::of(&places, face.normal))
        });
        let quads = quads.collect();
        Faceted { bounds: round.compute_local_aabb(), quads, mass: OnceLock::new(), round }
    }

    /// The same as Rapier's own kind of shape, if it is that.
    pub fn from_shape(shape: &SharedShape) -> Option<Faceted> {
        shape.as_round_convex_polyhedron().map(|round| Faceted::new(round.clone()))
    }

    /// The face that looks most in a direction.
    fn face_toward(&self, direction: Vector) -> usize {
        greatest(self.round.inner_shape.faces().iter().map(|face| face.normal.dot(direction))).0
    }
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
    fn choose(&self, depth: impl Fn(u32) -> Real) -> Quad {
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
fn greatest(numbers: impl Iterator<Item = Real>) -> (usize, Real) {
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

/// Without the margin: contacts add that.
impl SupportMap for Faceted {
    fn local_support_point(&self, direction: Vector) -> Vector {
        self.round.inner_shape.local_support_point(direction)
    }
}

impl PolygonalFeatureMap for Faceted {
    fn local_support_feature(&self, direction: Vector, out: &mut PolygonalFeature) {
        let core = &self.round.inner_shape;
        let index = self.face_toward(direction);
        let face = &core.faces()[index];
        let first = face.first_vertex_or_edge;
        let vertex = |corner: u32| core.vertices_adj_to_face()[(first + corner) as usize];
        let corners = match &self.quads[index] {
            Some(quads) => quads.choose(|corner| core.points()[vertex(corner) as usize].dot(direction)),
            None => [0, 1, 2, 3],
        };
        let count = ROOM.min(face.num_vertices_or_edges as usize);
        for (place, &corner) in corners[..count].iter().enumerate() {
            out.vertices[place] = core.points()[vertex(corner) as usize];
            out.vids[place] = PackedFeatureId::vertex(vertex(corner));
            out.eids[place] = PackedFeatureId::edge(core.edges_adj_to_face()[(first + corner) as usize]);
        }
        out.fid = PackedFeatureId::face(index as u32);
        out.num_vertices = count;
    }

    fn is_convex_polyhedron(&self) -> bool {
        true
    }
}

impl RayCast for Faceted {
    fn cast_local_ray_and_get_normal(&self, ray: &Ray, most: Real, solid: bool) -> Option<RayIntersection> {
        self.round.cast_local_ray_and_get_normal(ray, most, solid)
    }
}

impl PointQuery for Faceted {
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        self.round.project_local_point(point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        self.round.project_local_point_and_get_feature(point)
    }
}

impl Shape for Faceted {
    fn compute_local_aabb(&self) -> Aabb {
        self.bounds
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.round.compute_local_bounding_sphere()
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, scale: Vector, subdivisions: u32) -> Option<Box<dyn Shape>> {
        self.round.scale_dyn(scale, subdivisions)
    }

    fn compute_aabb(&self, position: &Pose) -> Aabb {
        self.round.compute_aabb(position)
    }

    fn mass_properties(&self, density: Real) -> MassProperties {
        match density {
            1.0 => *self.mass.get_or_init(|| self.round.mass_properties(1.0)),
            _ => self.round.mass_properties(density),
        }
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    /// As what it is saved and drawn.
    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::RoundConvexPolyhedron(&self.round)
    }

    fn ccd_thickness(&self) -> Real {
        self.bounds.half_extents().min_element()
    }

    fn ccd_angular_thickness(&self) -> Real {
        self.round.ccd_angular_thickness()
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        Some(&self.round)
    }

    fn as_polygonal_feature_map(&self) -> Option<(&dyn PolygonalFeatureMap, Real)> {
        Some((self, self.round.border_radius))
    }
}
