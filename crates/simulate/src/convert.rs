//! The border to physics: `f64` becomes `f32` here, and nowhere else.

use glam::{DQuat, DVec3};
use rapier3d::math::{Matrix, Vector};
use rapier3d::prelude::MassProperties;
use smithereens::Mass;

use crate::Pose;

pub(crate) fn narrow(vector: DVec3) -> Vector {
    vector.as_vec3()
}

pub(crate) fn widen(vector: Vector) -> DVec3 {
    vector.as_dvec3()
}

pub(crate) fn narrow_pose(pose: &Pose) -> rapier3d::math::Pose {
    rapier3d::math::Pose::from_parts(narrow(pose.at), pose.turn.as_quat().normalize())
}

pub(crate) fn widen_pose(pose: &rapier3d::math::Pose) -> Pose {
    let turn = pose.rotation.as_dquat();
    Pose { turn: if turn.is_finite() { turn.normalize() } else { DQuat::NAN }, at: widen(pose.translation) }
}

/// The least moment of inertia of a body is taken for at least this part of the greatest, and for at least that of its mass at this distance, in
/// metres. A needle's is a thousandth, and in single precision a contact that spins it about its length leaves nothing to hold it up: it sinks
/// through floors.
const LEAST_INERTIA: f32 = 0.05;
const LEAST_GYRATION: f32 = 0.015;

/// The mass of a body whose frame has its origin in the centre.
pub(crate) fn mass_properties(mass: &Mass, density: f64) -> MassProperties {
    let inertia = mass.inertia() * density;
    let inertia = Matrix::from_cols(narrow(inertia.x_axis), narrow(inertia.y_axis), narrow(inertia.z_axis));
    let exact = MassProperties::with_inertia_matrix(Vector::ZERO, (mass.volume * density) as f32, inertia);
    let principal = exact.principal_inertia();
    let spread = exact.mass() * LEAST_GYRATION * LEAST_GYRATION;
    let least = (principal.max_element() * LEAST_INERTIA).max(spread);
    if principal.min_element() >= least {
        return exact;
    }
    let frame = exact.principal_inertia_local_frame;
    MassProperties::with_principal_inertia_frame(
        Vector::ZERO,
        exact.mass(),
        principal.max(Vector::splat(least)),
        frame,
    )
}
