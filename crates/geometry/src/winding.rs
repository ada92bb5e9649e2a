//! Whether a point is inside: the solid angle that the surface fills around it.

use std::f64::consts::PI;

use glam::DVec3;

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
