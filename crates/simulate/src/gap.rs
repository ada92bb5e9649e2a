//! How far a point is from a shape, and which way leads out of it.
//!
//! Rapier finds that by iteration for convexes, and by another iteration for points within. For a point and a convex whose faces are known neither is
//! needed: the face whose plane is farthest is the nearest face, if the foot of the point lies on it, and if not, an edge is nearest.

use rapier3d::math::Vector;
use rapier3d::parry::shape::{ConvexPolyhedron, Shape, TypedShape};

/// From the surface of a shape to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gap {
    /// In metres; negative within the shape.
    pub distance: f32,
    /// Away from the shape. Where that is convex and the point is outside, all of it lies behind the plane of this normal through the point that is nearest.
    pub normal: Vector,
}

impl Gap {
    /// From a shape to a point in its coordinates; none if it is more than `reach`, or nobody can tell.
    pub fn of(shape: &dyn Shape, point: Vector, reach: f32) -> Option<Gap> {
        let gap = match shape.as_typed_shape() {
            TypedShape::RoundConvexPolyhedron(round) => {
                let margin = round.border_radius;
                let Gap { distance, normal } = to_convex(&round.inner_shape, point, reach + margin)?;
                Gap { distance: distance - margin, normal }
            }
            TypedShape::ConvexPolyhedron(convex) => to_convex(convex, point, reach)?,
            TypedShape::Cuboid(cuboid) => to_box(cuboid.half_extents, point),
            _ => to_any(shape, point, reach)?,
        };
        (gap.distance <= reach).then_some(gap)
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

/// Rapier takes faces for one that are a third of a degree apart: where it did, the surface is that of the one it kept.
fn to_convex(convex: &ConvexPolyhedron, point: Vector, reach: f32) -> Option<Gap> {
    let (points, corners) = (convex.points(), convex.vertices_adj_to_face());
    let mut most = Gap { distance: f32::NEG_INFINITY, normal: Vector::ZERO };
    let mut nearest = 0;
    for (index, face) in convex.faces().iter().enumerate() {
        let corner = points[corners[face.first_vertex_or_edge as usize] as usize];
        let distance = (point - corner).dot(face.normal);
        if distance > reach {
            return None;
        }
        if distance > most.distance {
            (most, nearest) = (Gap { distance, normal: face.normal }, index);
        }
    }
    if most.distance <= 0.0 || is_above(convex, nearest, point) {
        return Some(most);
    }
    Some(to_edges(convex, point).unwrap_or(most))
}

/// Whether the foot of a point on the plane of a face is on the face.
fn is_above(convex: &ConvexPolyhedron, face: usize, point: Vector) -> bool {
    let face = &convex.faces()[face];
    let first = face.first_vertex_or_edge as usize;
    let around = &convex.vertices_adj_to_face()[first..first + face.num_vertices_or_edges as usize];
    let corner = |index: usize| convex.points()[around[index % around.len()] as usize];
    let is_within = |index: usize| {
        let (from, to) = (corner(index), corner(index + 1));
        (to - from).cross(face.normal).dot(point - from) <= 0.0
    };
    (0..around.len()).all(is_within)
}

/// To the nearest point of all edges.
fn to_edges(convex: &ConvexPolyhedron, point: Vector) -> Option<Gap> {
    let foot = |ends: [u32; 2]| {
        let [from, to] = ends.map(|end| convex.points()[end as usize]);
        let way = to - from;
        from + way * ((point - from).dot(way) / way.length_squared()).clamp(0.0, 1.0)
    };
    let feet = convex.edges().iter().map(|edge| foot(edge.vertices));
    let far = |foot: &Vector| foot.distance_squared(point);
    Gap::between(feet.min_by(|a, b| far(a).total_cmp(&far(b)))?, point)
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

    fn shapes() -> Vec<SharedShape> {
        let mut draws = Draws::of(&[7]);
        let mut hull = || -> Vec<Vector> {
            (0..8).map(|_| draws.way().as_vec3() * Vector::new(0.5, 0.3, 0.2)).collect()
        };
        vec![
            SharedShape::convex_hull(&hull()).expect("a hull"),
            SharedShape::round_convex_hull(&hull(), 0.01).expect("a hull"),
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
                let gap = Gap::of(shape.as_ref(), point, 10.0).expect("a gap");
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
            assert_eq!(Gap::of(shape.as_ref(), Vector::X * 2.0, 0.5), None);
            assert!(Gap::of(shape.as_ref(), Vector::X * 2.0, 2.0).is_some());
        }
    }
}
