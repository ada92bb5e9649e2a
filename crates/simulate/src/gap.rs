//! How far a point is from a shape, and which way leads out of it.
//!
//! Rapier finds that by iteration for convexes, and by another iteration for points within. For a point and a convex whose faces are known neither is
//! needed: the face whose plane is farthest is the nearest face, if the foot of the point lies on it, and if not, an edge is nearest.

use rapier3d::math::Vector;
use rapier3d::parry::shape::{ConvexPolyhedron, Shape, TypedShape};

use crate::faceted::Faceted;

/// From the surface of a shape to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gap {
    /// In metres; negative within the shape.
    pub distance: f32,
    /// Away from the shape. Where that is convex and the point is outside, all of it lies behind the plane of this normal through the point that is nearest.
    pub normal: Vector,
}

/// What is wanted of a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// What is farther than this may be said to be nearer than it is, as long as all of it lies behind the plane. That is found sooner.
    pub exact: f32,
    /// What is farther than this is not told.
    pub most: f32,
}

impl Reach {
    /// The same from a core with a margin.
    pub fn grown(self, margin: f32) -> Reach {
        Reach { exact: self.exact + margin, most: self.most + margin }
    }
}

impl Gap {
    /// Less than any.
    pub const NOWHERE: Gap = Gap { distance: f32::NEG_INFINITY, normal: Vector::ZERO };

    /// From a shape to a point in its coordinates; none if it is out of reach, or nobody can tell.
    pub fn of(shape: &dyn Shape, point: Vector, reach: Reach) -> Option<Gap> {
        if let Some(faceted) = shape.as_shape::<Faceted>() {
            return faceted.gap(point, reach).filter(|gap| gap.distance <= reach.most);
        }
        let gap = match shape.as_typed_shape() {
            TypedShape::ConvexPolyhedron(convex) => to_convex(convex, planes(convex), point, reach)?,
            TypedShape::Cuboid(cuboid) => to_box(cuboid.half_extents, point),
            _ => to_any(shape, point, reach.most)?,
        };
        (gap.distance <= reach.most).then_some(gap)
    }

    /// To a point from another that is outside of the shape, if they are not the same.
    fn between(from: Vector, to: Vector) -> Option<Gap> {
        let distance = from.distance(to);
        let normal = (to - from) / distance;
        normal.is_finite().then_some(Gap { distance, normal })
    }
}

fn to_box(half: Vector, point: Vector) -> Gap {
    let beyond = point.abs() - half;
    let nearest = point.clamp(-half, half);
    let (axis, distance) =
        (0..3).fold(
            (0, beyond[0]),
            |(axis, most), other| {
                if beyond[other] > most { (other, beyond[other]) } else { (axis, most) }
            },
        );
    let mut normal = Vector::ZERO;
    normal[axis] = if point[axis] < 0.0 { -1.0 } else { 1.0 };
    let inside = Gap { distance, normal };
    if distance <= 0.0 { inside } else { Gap::between(nearest, point).unwrap_or(inside) }
}

/// The plane of a face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    normal: Vector,
    offset: f32,
}

impl Plane {
    fn distance(&self, point: Vector) -> f32 {
        point.dot(self.normal) - self.offset
    }
}

/// The planes of all faces. Rapier takes faces for one that are a third of a degree apart: their plane is that of the one it kept.
pub(crate) fn planes(convex: &ConvexPolyhedron) -> impl Iterator<Item = Plane> + Clone {
    let (points, corners) = (convex.points(), convex.vertices_adj_to_face());
    convex.faces().iter().map(move |face| {
        let corner = points[corners[face.first_vertex_or_edge as usize] as usize];
        Plane { normal: face.normal, offset: corner.dot(face.normal) }
    })
}

/// From a convex, of which the planes of all faces are known.
pub(crate) fn to_convex(
    convex: &ConvexPolyhedron,
    planes: impl Iterator<Item = Plane> + Clone,
    point: Vector,
    reach: Reach,
) -> Option<Gap> {
    let mut most = Gap::NOWHERE;
    let mut nearest = 0;
    for (index, plane) in planes.clone().enumerate() {
        let distance = plane.distance(point);
        if distance > reach.most {
            return None;
        }
        if distance > most.distance {
            (most, nearest) = (Gap { distance, normal: plane.normal }, index);
        }
    }
    if most.distance <= 0.0 || most.distance > reach.exact || is_above(convex, nearest, point) {
        return Some(most);
    }
    let in_sight = planes.enumerate().filter(|(_, plane)| plane.distance(point) > 0.0);
    Some(to_edges(convex, in_sight.map(|(face, _)| face), point).unwrap_or(most))
}

/// Whether the foot of a point on the plane of a face is on the face.
fn is_above(convex: &ConvexPolyhedron, face: usize, point: Vector) -> bool {
    let (around, normal) = (corners(convex, face), convex.faces()[face].normal);
    let Some(last) = around.last() else { return false };
    let mut from = convex.points()[*last as usize];
    around.iter().all(|corner| {
        let to = convex.points()[*corner as usize];
        let outward = (to - from).cross(normal);
        outward.dot(point - std::mem::replace(&mut from, to)) <= 0.0
    })
}

/// To the nearest point of the edges of some faces. The nearest edge of all is one of a face that the point is in front of.
fn to_edges(convex: &ConvexPolyhedron, faces: impl Iterator<Item = usize>, point: Vector) -> Option<Gap> {
    let (mut nearest, mut least) = (None, f32::INFINITY);
    for face in faces {
        let around = corners(convex, face);
        let mut from = convex.points()[*around.last()? as usize];
        for corner in around {
            let to = convex.points()[*corner as usize];
            let way = to - from;
            let foot = from + way * ((point - from).dot(way) / way.length_squared()).clamp(0.0, 1.0);
            let far = foot.distance_squared(point);
            if far < least {
                (nearest, least) = (Some(foot), far);
            }
            from = to;
        }
    }
    Gap::between(nearest?, point)
}

/// The corners of a face, in order.
fn corners(convex: &ConvexPolyhedron, face: usize) -> &[u32] {
    let face = &convex.faces()[face];
    let first = face.first_vertex_or_edge as usize;
    &convex.vertices_adj_to_face()[first..first + face.num_vertices_or_edges as usize]
}

/// Whatever else there is: what lies on it or within must be told by the shape itself.
fn to_any(shape: &dyn Shape, point: Vector, reach: f32) -> Option<Gap> {
    let projection = shape.project_local_point(point, false);
    let gap = Gap::between(projection.point, point)?;
    if projection.is_inside {
        return Some(Gap { distance: -gap.distance, normal: -gap.normal });
    }
    (gap.distance <= reach).then_some(gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crumb::Draws;
    use rapier3d::parry::shape::Triangle;
    use rapier3d::prelude::SharedShape;

    /// To the nearest triangle of a shape.
    fn to_triangles(shape: &SharedShape, point: Vector) -> f32 {
        let (round, margin) = match shape.as_typed_shape() {
            TypedShape::RoundConvexPolyhedron(round) => (Some(&round.inner_shape), round.border_radius),
            TypedShape::ConvexPolyhedron(convex) => (Some(convex), 0.0),
            _ => (None, 0.0),
        };
        let known = |shape: &dyn Shape| {
            let known = shape.project_local_point(point, false);
            known.point.distance(point) * if known.is_inside { -1.0 } else { 1.0 }
        };
        let Some(convex) = round else { return known(shape.as_ref()) };
        let (corners, triangles) = convex.to_trimesh();
        let of = |index: [u32; 3]| index.map(|corner| corners[corner as usize]);
        let far = |[a, b, c]: [Vector; 3]| known(&Triangle::new(a, b, c)).abs();
        let is_behind = |[a, b, c]: [Vector; 3]| (b - a).cross(c - a).dot(point - a) <= 0.0;
        let nearest = triangles.iter().map(|t| far(of(*t))).fold(f32::INFINITY, f32::min);
        let is_inside = triangles.iter().all(|t| is_behind(of(*t)));
        nearest * if is_inside { -1.0 } else { 1.0 } - margin
    }

    fn faceted(shape: SharedShape) -> SharedShape {
        SharedShape::new(Faceted::from_shape(&shape).expect("a round hull"))
    }

    fn shapes() -> Vec<SharedShape> {
        let mut draws = Draws::of(&[7]);
        let mut hull = || -> Vec<Vector> {
            (0..8).map(|_| draws.way().as_vec3() * Vector::new(0.5, 0.3, 0.2)).collect()
        };
        vec![
            SharedShape::convex_hull(&hull()).expect("a hull"),
            faceted(SharedShape::round_convex_hull(&hull(), 0.01).expect("a hull")),
            SharedShape::cuboid(0.5, 0.05, 0.3),
            SharedShape::ball(0.3),
        ]
    }

    #[test]
    fn it_is_the_distance_to_the_nearest_triangle() {
        for (which, shape) in shapes().iter().enumerate() {
            let mut draws = Draws::of(&[which as u64]);
            let mut outside = 0;
            for _ in 0..4000 {
                let point = draws.way().as_vec3() * 0.8;
                let gap = Gap::of(shape.as_ref(), point, Reach { exact: 10.0, most: 10.0 }).expect("a gap");
                let distance = to_triangles(shape, point);
                assert!((gap.distance - distance).abs() < 1e-5, "{which} at {point}: {gap:?}, {distance}");
                assert!((gap.normal.length() - 1.0).abs() < 1e-5);
                let back = to_triangles(shape, point - gap.normal * gap.distance);
                assert!(back.abs() < 1e-4, "{which} at {point}: {gap:?}, {back}");
                outside += usize::from(distance > 0.0);
            }
            assert!((100..3999).contains(&outside), "{outside} outside of {which}");
        }
    }

    #[test]
    fn what_is_out_of_reach_is_not_told() {
        for shape in shapes() {
            let gap =
                |exact, most| Gap::of(shape.as_ref(), Vector::new(1.5, 1.2, 0.3), Reach { exact, most });
            assert_eq!(gap(0.5, 0.5), None);
            let (exact, rough) = (gap(3.0, 3.0).expect("a gap"), gap(0.1, 3.0).expect("a gap"));
            assert!(rough.distance > 0.1 && rough.distance <= exact.distance + 1e-6, "{rough:?}, {exact:?}");
        }
    }
}
