//! Whether a point is inside: how often the surface winds around it.

use std::f64::consts::PI;

use glam::{DVec2, DVec3, Vec3Swizzles};

use crate::Mesh;

/// How often the surface winds around a point: one inside a solid, zero outside.
///
/// Holes and non-convex faces need no triangulation: the fan of a loop about its first vertex covers
/// the right solid angle, since its overlaps cancel.
pub fn winding_number(mesh: &Mesh, point: DVec3) -> f64 {
    let mut sum = 0.0;
    for index in 0..mesh.loop_ends.len() {
        let corners = &mesh.corners[mesh.loop_corners(index)];
        let at = |i: usize| mesh.positions[corners[i] as usize] - point;
        for i in 1..corners.len().saturating_sub(1) {
            sum += half_solid_angle(at(0), at(i), at(i + 1));
        }
    }
    sum / (2.0 * PI)
}

/// Van Oosterom and Strackee 1983.
fn half_solid_angle(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if numerator == 0.0 && denominator == 0.0 { 0.0 } else { libm::atan2(numerator, denominator) }
}

/// Whether a closed surface winds around a point. The winding number is counted along a ray in direction x: out of the surface
/// is one more, into it one less. On which side of the ray an edge passes is asked of the edge alone, so that
/// faces which share it agree, and a ray between two faces meets one of them.
pub(crate) fn encloses(mesh: &Mesh, point: DVec3) -> bool {
    let mut winding = 0;
    for index in 0..mesh.loop_ends.len() {
        let corners = &mesh.corners[mesh.loop_corners(index)];
        let is_above = |&vertex: &u32| mesh.positions[vertex as usize].z > point.z;
        if corners.iter().all(is_above) || !corners.iter().any(is_above) {
            continue;
        }
        let at = |i: usize| mesh.positions[corners[i] as usize] - point;
        for i in 1..corners.len().saturating_sub(1) {
            winding += crossing(at(0), at(i), at(i + 1));
        }
    }
    winding > 0
}

/// How a ray from the origin in direction x passes a triangle: 1 out of the surface, -1 into it, 0 if it misses.
#[inline]
fn crossing(a: DVec3, b: DVec3, c: DVec3) -> i32 {
    let turn = passing(a.yz(), b.yz()) + passing(b.yz(), c.yz()) + passing(c.yz(), a.yz());
    let is_ahead = || a.dot(b.cross(c)) * f64::from(turn) > 0.0;
    if turn != 0 && is_ahead() { turn } else { 0 }
}

/// How an edge passes the first axis of a plane on its positive side: 1 upwards, -1 downwards, 0 not at all.
fn passing(from: DVec2, to: DVec2) -> i32 {
    let is_up = to.y > 0.0;
    if (from.y > 0.0) == is_up {
        return 0;
    }
    let (low, high) = if is_up { (from, to) } else { (to, from) };
    match low.perp_dot(high) > 0.0 {
        true if is_up => 1,
        true => -1,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Convex, Slot};

    #[test]
    fn a_ray_counts_what_the_solid_angle_measures() {
        let mut mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
        let mut cavity = Convex::from_box(&Aabb::cube(0.4)).to_mesh(Slot(0));
        cavity.flip();
        mesh.append(&cavity);
        mesh.append(&Convex::from_box(&Aabb::new(DVec3::splat(0.3), DVec3::splat(1.7))).to_mesh(Slot(0)));
        for i in 0..4913 {
            let place = DVec3::new((i % 17) as f64, (i / 17 % 17) as f64, (i / 289) as f64);
            let point = place * 0.25 - 2.05;
            assert_eq!(encloses(&mesh, point), winding_number(&mesh, point) > 0.5, "{point}");
        }
    }

    #[test]
    fn a_ray_along_edges_and_through_vertices_counts_once() {
        let mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
        for point in [DVec3::ZERO, DVec3::new(-0.5, 0.5, 0.5), DVec3::new(0.2, 0.2, -0.2)] {
            assert!(encloses(&mesh, point) && !encloses(&mesh, point - DVec3::X * 3.0));
        }
        assert!(!encloses(&mesh, DVec3::new(-3.0, 1.0, 1.0)) && !encloses(&mesh, DVec3::new(-3.0, 1.0, 0.0)));
    }
}
