//! The border to physics: `f64` becomes `f32` here, and nowhere else.

use glam::DVec2;
use rapier2d::math::{Rotation, Vector};
use rapier2d::prelude::{MassProperties, SharedShape};
use smithereens_planar::{Convex, Mass};

use crate::Pose;

pub(crate) fn narrow(vector: DVec2) -> Vector {
    vector.as_vec2()
}

pub(crate) fn widen(vector: Vector) -> DVec2 {
    vector.as_dvec2()
}

pub(crate) fn narrow_pose(pose: &Pose) -> rapier2d::math::Pose {
    let axis = narrow(pose.axis());
    rapier2d::math::Pose::from_parts(narrow(pose.at), Rotation { re: axis.x, im: axis.y })
}

pub(crate) fn widen_pose(pose: &rapier2d::math::Pose) -> Pose {
    let turn = libm::atan2(f64::from(pose.rotation.im), f64::from(pose.rotation.re));
    Pose { turn, at: widen(pose.translation) }
}

/// A body's radius of gyration is taken for at least this, in metres: in single precision, contacts spin what is smaller out of control.
const LEAST_GYRATION: f64 = 2e-3;

/// The mass of a body whose centre is at a place of its physics frame.
pub(crate) fn mass_properties(mass: &Mass, center: DVec2, density: f64) -> MassProperties {
    let weight = mass.area * density;
    let inertia = (mass.inertia * density).max(weight * LEAST_GYRATION * LEAST_GYRATION);
    MassProperties::new(narrow(center), weight as f32, inertia as f32)
}

/// Corners nearer to each other than this part of the extent are one to physics.
const NEAR: f64 = 1e-4;

/// A convex as physics sees it, about a place. None if nothing of it would hold anything: it is thinner than `thinnest`.
pub(crate) fn narrow_convex(convex: &Convex, about: DVec2, thinnest: f64) -> Option<SharedShape> {
    if width(convex) <= thinnest {
        return None;
    }
    let near = convex.bounds().extent() * NEAR;
    let mut corners: Vec<DVec2> = Vec::with_capacity(convex.edges().len());
    for corner in convex.corners() {
        if corners.last().is_none_or(|last| last.distance(corner) > near) {
            corners.push(corner);
        }
    }
    while corners.len() > 3 && corners[corners.len() - 1].distance(corners[0]) <= near {
        corners.pop();
    }
    let is_turn = |index: &usize| {
        let count = corners.len();
        let [before, at, next] = [index + count - 1, *index, index + 1].map(|i| corners[i % count]);
        (at - before).perp_dot(next - at) > (at - before).length() * (next - at).length() * NEAR
    };
    let points: Vec<Vector> =
        (0..corners.len()).filter(is_turn).map(|index| narrow(corners[index] - about)).collect();
    SharedShape::convex_polyline_unmodified(points)
}

/// How wide a convex is where it is narrowest.
pub(crate) fn width(convex: &Convex) -> f64 {
    let depth = |edge: &smithereens_planar::Edge| {
        convex.corners().map(|corner| -edge.line.distance(corner)).fold(0.0, f64::max)
    };
    convex.edges().iter().map(depth).fold(f64::INFINITY, f64::min)
}
