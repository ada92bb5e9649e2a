//! What breaks something goes on together with what it broke loose.
//!
//! Fragments of a wall fill it as before, and each is wedged between its neighbours: something that hits one of them hits all, and bounces off.
//! So the momentum of what hits is handed to all fragments around the hit at once, most to those next to it, as after a blow without
//! rebound. Momentum stays what it was, and energy only goes.

use glam::DVec3;
use rapier3d::prelude::*;

use crate::convert::{narrow, widen};
use crate::{BodyId, Destruction, Physics};

/// A blow on a body that has just broken.
pub(crate) struct Punch {
    /// What hit it.
    pub striker: RigidBodyHandle,
    /// Where, and which way it travels, in the world.
    pub at: DVec3,
    pub direction: DVec3,
    /// How far the break reaches.
    pub radius: f64,
    /// How fast what broke was, there.
    pub velocity: DVec3,
}

impl Punch {
    /// How much of the speed next to the hit something at a place takes.
    fn share(&self, place: DVec3) -> f64 {
        let left = (1.0 - place.distance(self.at) / self.radius).clamp(0.0, 1.0);
        left * left * left * left
    }
}

impl Destruction {
    /// Hands the momentum of what hit a body to its fragments.
    pub(crate) fn punch(&self, physics: &mut Physics, punch: &Punch, born: &[BodyId]) {
        let Some(striker) = physics.bodies.get(punch.striker).filter(|rigid| rigid.is_dynamic()) else {
            return;
        };
        let mass = f64::from(striker.mass());
        let closing = (widen(striker.linvel()) - punch.velocity).dot(punch.direction);
        let mut shares = Vec::new();
        for handle in born.iter().filter_map(|id| self.bodies[id].handle()) {
            let Some(rigid) = physics.bodies.get(handle).filter(|rigid| rigid.is_dynamic()) else { continue };
            shares.push((handle, f64::from(rigid.mass()), punch.share(widen(rigid.center_of_mass()))));
        }
        let carried: f64 = shares.iter().map(|(_, mass, share)| mass * share).sum();
        if closing <= 0.0 || carried <= 0.0 {
            return;
        }
        let common = mass * closing / (mass + carried);
        shares.push((punch.striker, mass, 1.0 - closing / common));
        for (handle, _, share) in shares {
            if let Some(rigid) = physics.bodies.get_mut(handle) {
                rigid.set_linvel(rigid.linvel() + narrow(punch.direction * (common * share)), true);
            }
        }
    }
}
