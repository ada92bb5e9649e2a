//! How bodies move: as a step began, and at any of their points.

use glam::DVec2;
use rapier2d::prelude::*;

use crate::convert::widen;

/// The velocities of rigid bodies as a step began: what a contact closes at is gone when Rapier tells of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motions {
    /// By the index of the handle.
    all: Vec<Option<(RigidBodyHandle, Motion)>>,
}

/// How a rigid body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Motion {
    pub velocity: DVec2,
    pub spin: f64,
    /// Its centre of mass, in the world.
    pub center: DVec2,
}

impl Motion {
    pub fn of(rigid: &RigidBody) -> Motion {
        Motion {
            velocity: widen(rigid.linvel()),
            spin: f64::from(rigid.angvel()),
            center: widen(rigid.center_of_mass()),
        }
    }

    /// How fast a point of the world moves that goes with the body.
    pub fn at(&self, point: DVec2) -> DVec2 {
        self.velocity + (point - self.center).perp() * self.spin
    }
}

impl Motions {
    /// Takes down how all that is awake moves.
    pub fn note(&mut self, bodies: &RigidBodySet, islands: &IslandManager) {
        self.all.iter_mut().for_each(|motion| *motion = None);
        for handle in islands.active_bodies() {
            let Some(rigid) = bodies.get(handle).filter(|rigid| rigid.is_dynamic()) else { continue };
            let index = handle.into_raw_parts().0 as usize;
            if self.all.len() <= index {
                self.all.resize(index + 1, None);
            }
            self.all[index] = Some((handle, Motion::of(rigid)));
        }
    }

    /// How fast the body was at a point of the world; zero for what was at rest.
    pub fn at(&self, bodies: &RigidBodySet, handle: Option<RigidBodyHandle>, point: DVec2) -> DVec2 {
        let known = handle.and_then(|handle| {
            let (owner, motion) = self.all.get(handle.into_raw_parts().0 as usize).copied().flatten()?;
            let rigid = bodies.get(handle).filter(|_| owner == handle)?;
            Some(Motion { center: widen(rigid.center_of_mass()), ..motion })
        });
        known.map_or(DVec2::ZERO, |motion| motion.at(point))
    }
}
