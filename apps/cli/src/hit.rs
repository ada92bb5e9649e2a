//! Where the model is hit, and where fragments fly from there.

use glam::{DQuat, DVec3};
use smithereens::{Fragment, Impact, Mesh};

use crate::drawn::Pose;
use crate::ray::first_hit;

/// What the user says about the impact.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// The place.
    pub at: Option<DVec3>,
    /// The way it travels.
    pub direction: Option<DVec3>,
    /// How far it reaches.
    pub radius: Option<f64>,
    /// The way the camera looks: where nothing else is said, what it sees is hit.
    pub view: DVec3,
}

impl Hit {
    /// The impact on a model.
    pub fn impact(&self, mesh: &Mesh) -> Impact {
        let bounds = mesh.bounds();
        let radius = self.radius.unwrap_or(f64::INFINITY);
        let point = match self.at {
            Some(point) => point,
            None if radius.is_finite() => facing(mesh, self.direction.unwrap_or(self.view)),
            None => bounds.center(),
        };
        Impact { direction: self.direction.unwrap_or(DVec3::ZERO), radius, ..Impact::at(point) }
    }
}

impl Hit {
    /// A blow on a model: on its surface, in a direction.
    pub fn blow(&self, mesh: &Mesh) -> Impact {
        let direction = self.direction.unwrap_or(self.view);
        let point = self.at.unwrap_or_else(|| facing(mesh, direction));
        let radius = self.radius.unwrap_or(f64::INFINITY);
        Impact { direction, radius, ..Impact::at(point) }
    }
}

/// Where something that travels along `direction` towards the model's middle meets it; where it flies through a hole,
/// the vertex it would come to first.
fn facing(mesh: &Mesh, direction: DVec3) -> DVec3 {
    let bounds = mesh.bounds();
    let start = bounds.center() - direction * bounds.size().length();
    let least = |a: DVec3, b: DVec3| if b.dot(direction) < a.dot(direction) { b } else { a };
    let first = || mesh.positions.iter().copied().reduce(least);
    first_hit(mesh, start, direction).or_else(first).unwrap_or(bounds.center())
}

/// Where fragments are drawn when they are moved apart by a share of their distance from the middle of the break.
pub fn explode(fragments: &[Fragment], impact: &Impact, mesh: &Mesh, share: f64) -> Vec<Pose> {
    let middle = mesh.bounds().center();
    let from = match impact.radius.is_finite() {
        // Under the surface, so that all that is loose comes out.
        true => impact.point + (middle - impact.point).normalize_or_zero() * impact.radius,
        false => middle,
    };
    let pose = |fragment: &Fragment| {
        let center = fragment.compound.mass().center;
        let moves = fragment.colour.is_some();
        let place = if moves { center + (center - from) * share } else { center };
        Pose { place, turn: DQuat::IDENTITY }
    };
    fragments.iter().map(pose).collect()
}
