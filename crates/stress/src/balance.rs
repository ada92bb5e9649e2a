//! Bodies in flight: what nothing holds is held by its own inertia.
//!
//! The loads on an island without a support accelerate it as a whole. Taken away from the loads, that acceleration leaves what stresses
//! it (d'Alembert's principle, inertia relief). The loads that are left balance each other, so that one node of the island
//! can be pinned: the pin bears nothing.

use glam::{DMat3, DVec3};

use crate::block::{Six, halves, six};

/// A node as a body: mass, centre, inertia.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mass {
    pub mass: f64,
    pub centre: DVec3,
    pub inertia: DMat3,
}

/// An island's mass, its centre and its inertia about it.
pub(crate) fn total(masses: impl Iterator<Item = Mass> + Clone) -> Mass {
    let mass: f64 = masses.clone().map(|m| m.mass).sum();
    let centre = masses.clone().map(|m| m.centre * m.mass).sum::<DVec3>() / mass;
    let mut inertia = DMat3::ZERO;
    for m in masses {
        let away = m.centre - centre;
        let around = DMat3::from_diagonal(DVec3::splat(away.length_squared())) - crate::section::outer(away);
        inertia += m.inertia + around * m.mass;
    }
    Mass { mass, centre, inertia }
}

/// How the loads on an island accelerate it: its centre, and its rotation.
pub(crate) fn acceleration(whole: &Mass, loads: impl Iterator<Item = (DVec3, Six)>) -> (DVec3, DVec3) {
    let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
    for (centre, load) in loads {
        let (f, t) = halves(&load);
        force += f;
        torque += t + (centre - whole.centre).cross(f);
    }
    (force / whole.mass, solve_inertia(whole.inertia, torque))
}

/// What is left of the load on a node of the island.
pub(crate) fn relieved(load: &Six, node: &Mass, whole: &Mass, (linear, angular): (DVec3, DVec3)) -> Six {
    let (force, torque) = halves(load);
    let own = linear + angular.cross(node.centre - whole.centre);
    six(force - own * node.mass, torque - node.inertia * angular)
}

/// An inertia's part of a torque's axis, where it has one: a row of points does not resist a turn about itself.
fn solve_inertia(inertia: DMat3, torque: DVec3) -> DVec3 {
    let size = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    if size <= 0.0 {
        return DVec3::ZERO;
    }
    let unit = inertia * (1.0 / size);
    if unit.determinant() <= f64::EPSILON * f64::EPSILON {
        return DVec3::ZERO;
    }
    unit.inverse() * (torque / size)
}
