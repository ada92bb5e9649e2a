//! A collision shape that stands on the right corners of its faces: those of its [`Side`]s. To Rapier it is its own round convex otherwise.

use std::sync::OnceLock;

use rapier3d::math::{Pose, Real, Vector};
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::{
    FeatureId, PackedFeatureId, PolygonalFeature, PolygonalFeatureMap, RoundConvexPolyhedron, Shape,
    ShapeType, SharedShape, SupportMap, TypedShape,
};

use crate::gap::{Gap, Plane, Reach, planes, to_convex};
use crate::sides::{ROOM, Side, greatest, sides};

/// A convex with a round margin. To others it looks like Rapier's own.
#[derive(Clone, Debug)]
pub(crate) struct Faceted {
    round: RoundConvexPolyhedron,
    bounds: Aabb,
    /// The faces of the core side by side, to be asked by the thousand.
    planes: Vec<Plane>,
    sides: Vec<Side>,
    /// The side of each face.
    side_of: Vec<u32>,
    /// At a density of one: Rapier asks for the middle of all that is fast, every step.
    mass: OnceLock<MassProperties>,
}

impl Faceted {
    pub fn new(round: RoundConvexPolyhedron) -> Faceted {
        let (sides, side_of) = sides(&round.inner_shape);
        let planes = planes(&round.inner_shape).collect();
        Faceted { bounds: round.compute_local_aabb(), planes, sides, side_of, mass: OnceLock::new(), round }
    }

    /// The same as Rapier's own kind of shape, if it is that.
    pub fn from_shape(shape: &SharedShape) -> Option<Faceted> {
        shape.as_round_convex_polyhedron().map(|round| Faceted::new(round.clone()))
    }

    /// To a point; none if it is out of reach.
    pub fn gap(&self, point: Vector, reach: Reach) -> Option<Gap> {
        let reaches = Vector::splat(reach.most);
        let is_near =
            point.cmpge(self.bounds.mins - reaches).all() && point.cmple(self.bounds.maxs + reaches).all();
        if !is_near {
            return None;
        }
        let margin = self.round.border_radius;
        let planes = self.planes.iter().copied();
        let Gap { distance, normal } =
            to_convex(&self.round.inner_shape, planes, point, reach.grown(margin))?;
        Some(Gap { distance: distance - margin, normal })
    }

    /// The face that looks most in a direction.
    fn face_toward(&self, direction: Vector) -> usize {
        greatest(self.round.inner_shape.faces().iter().map(|face| face.normal.dot(direction))).0
    }
}

/// Without the margin: contacts add that.
impl SupportMap for Faceted {
    fn local_support_point(&self, direction: Vector) -> Vector {
        self.round.inner_shape.local_support_point(direction)
    }
}

impl PolygonalFeatureMap for Faceted {
    fn local_support_feature(&self, direction: Vector, out: &mut PolygonalFeature) {
        let points = self.round.inner_shape.points();
        let index = self.side_of[self.face_toward(direction)];
        let Side { vertices, edges, quads } = &self.sides[index as usize];
        let corners = match quads {
            Some(quads) => quads.choose(|corner| points[vertices[corner as usize] as usize].dot(direction)),
            None => [0, 1, 2, 3],
        };
        let count = ROOM.min(vertices.len());
        for (place, &corner) in corners[..count].iter().enumerate() {
            let vertex = vertices[corner as usize];
            out.vertices[place] = points[vertex as usize];
            out.vids[place] = PackedFeatureId::vertex(vertex);
            out.eids[place] = PackedFeatureId::edge(edges[corner as usize]);
        }
        out.fid = PackedFeatureId::face(index);
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
