//! How fast bodies were before a step: what a contact closes at is gone when Rapier tells of it.

use glam::DVec3;
use rapier3d::prelude::*;

use crate::convert::widen;

/// The velocities of rigid bodies as a step began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motions {
    /// By the index of the handle.
    all: Vec<Option<Motion>>,
}

#[derive(Clone, Copy, Debug)]
struct Motion {
    handle: RigidBodyHandle,
    velocity: Vector,
    spin: Vector,
}

impl Motions {
    /// Takes down how all that is awake moves.
    pub fn note(&mut self, bodies: &RigidBodySet, islands: &IslandManager) {
        self.all.iter_mut().for_each(|motion| *motion = None);
        for handle in islands.active_bodies() {
            self.note_one(bodies, handle);
        }
    }

    /// Takes down how a body moves.
    pub fn note_one(&mut self, bodies: &RigidBodySet, handle: RigidBodyHandle) {
        let Some(rigid) = bodies.get(handle).filter(|rigid| rigid.is_dynamic()) else { return };
        let index = handle.into_raw_parts().0 as usize;
        if self.all.len() <= index {
            self.all.resize(index + 1, None);
        }
        self.all[index] = Some(Motion { handle, velocity: rigid.linvel(), spin: rigid.angvel() });
    }

    /// Whether the step slowed a body down.
    pub fn was_slowed(&self, bodies: &RigidBodySet, handle: RigidBodyHandle) -> bool {
        let energies = bodies.get(handle).zip(self.energy(bodies, handle));
        energies.is_some_and(|(rigid, before)| rigid.kinetic_energy() < before)
    }

    /// Slows down a body that has more energy than it had. What several contacts took from it, some gave back in part: together that may be more.
    pub fn hold(&self, bodies: &mut RigidBodySet, handle: RigidBodyHandle) {
        let before = self.energy(bodies, handle);
        let (Some(before), Some(rigid)) = (before, bodies.get_mut(handle)) else { return };
        let now = rigid.kinetic_energy();
        if now > before {
            let part = (before / now).sqrt();
            rigid.set_linvel(rigid.linvel() * part, false);
            rigid.set_angvel(rigid.angvel() * part, false);
        }
    }

    /// The kinetic energy that a body had.
    fn energy(&self, bodies: &RigidBodySet, handle: RigidBodyHandle) -> Option<f32> {
        let motion = self.of(handle)?;
        let mut before = bodies.get(handle)?.clone();
        before.set_linvel(motion.velocity, false);
        before.set_angvel(motion.spin, false);
        Some(before.kinetic_energy())
    }

    fn of(&self, handle: RigidBodyHandle) -> Option<Motion> {
        let index = handle.into_raw_parts().0 as usize;
        self.all.get(index).copied().flatten().filter(|motion| motion.handle == handle)
    }

    /// How fast the body was at a point of the world; zero for what was at rest.
    pub fn at(&self, bodies: &RigidBodySet, handle: Option<RigidBodyHandle>, point: DVec3) -> DVec3 {
        let known = handle.and_then(|handle| self.of(handle));
        let rigid = handle.and_then(|h| bodies.get(h));
        match (known, rigid) {
            (Some(Motion { velocity, spin, .. }), Some(rigid)) => {
                widen(velocity) + widen(spin).cross(point - widen(rigid.center_of_mass()))
            }
            _ => DVec3::ZERO,
        }
    }
}
