//! What acts on bodies, and what comes apart under it: falling under own weight.
//!
//! A body that is held bears its weight and what touches it; one that is free bears what touches it, and its inertia. Contacts count on average over a
//! tenth of a second: a solver's forces shake.

use glam::DVec2;
use rapier2d::prelude::*;
use smithereens_planar::Bond;
use web_time::Instant;

use crate::hit::parted;
use crate::replace::Breakage;
use crate::skeleton::Skeleton;
use crate::watch::impulses;
use crate::{Body, BodyId, Cause, Pose, Push, World};

/// Contacts count on average over so many seconds.
const AVERAGE: f64 = 0.1;

impl World {
    /// How much of what it can bear each bond of a body bears, in the coordinates of its compound. Nothing if stress is not looked at, or the body has
    /// no joints.
    pub fn stresses(&self, id: BodyId) -> Vec<(Bond, f64)> {
        self.skeletons.get(&id).map_or_else(Vec::new, Skeleton::utilisations)
    }

    /// Breaks the bonds that bear too much. What nothing holds any more falls.
    pub(crate) fn strain(&mut self) {
        if !self.options.stress {
            self.skeletons.clear();
            return;
        }
        self.skeletons.retain(|id, _| self.bodies.contains_key(id));
        let ids: Vec<BodyId> =
            self.bodies.values().filter(|body| self.is_under_load(body)).map(|body| body.id).collect();
        for id in ids {
            let broken = self.strain_one(id);
            if !broken.is_empty() {
                self.come_apart(id, &broken);
            }
        }
    }

    /// Whether a body has joints that may bear something now.
    fn is_under_load(&self, body: &Body) -> bool {
        let is_awake = |rigid: &RigidBody| rigid.is_enabled() && !rigid.is_sleeping();
        body.compound.pieces().len() > 1
            && body.safe_until <= self.steps
            && self.physics.bodies.get(body.handle).is_some_and(is_awake)
    }

    fn strain_one(&mut self, id: BodyId) -> Vec<Bond> {
        let known = self.skeletons.remove(&id);
        let body = &self.bodies[&id];
        let Some(pose) = self.frame(body) else { return Vec::new() };
        let gravity = if body.is_fixed { pose.direction_back(self.options.gravity) } else { DVec2::ZERO };
        let material = &self.materials[body.material.0 as usize];
        let known = known.filter(|known| known.made_of == (body.changed, body.is_fixed));
        let made = known.or_else(|| Skeleton::of(body, material, gravity, self.options.depth));
        let Some(mut skeleton) = made else { return Vec::new() };
        let mut loads = skeleton.no_loads();
        self.add_contacts(body, &pose, &skeleton, &mut loads);
        skeleton.bear(&loads, (self.options.step / AVERAGE).min(1.0));
        let broken = skeleton.break_overloaded();
        self.skeletons.insert(id, skeleton);
        broken
    }

    /// What pushed a body in the last step.
    fn add_contacts(
        &self,
        body: &Body,
        pose: &Pose,
        skeleton: &Skeleton,
        loads: &mut [smithereens_stress::Load],
    ) {
        let per_second = 1.0 / self.options.step;
        for (piece, handle) in body.colliders.iter().enumerate() {
            let Some(handle) = *handle else { continue };
            for pair in self.physics.narrow_phase.contact_pairs_with(handle) {
                let sign = if pair.collider1 == handle { -1.0 } else { 1.0 };
                for contact in impulses(pair, &self.physics.bodies).filter(|c| c.impulse > 0.0) {
                    let force = contact.normal * (sign * contact.impulse * per_second);
                    skeleton.add(loads, piece, pose.point_back(contact.at), pose.direction_back(force));
                }
            }
        }
    }

    /// The body goes on without some of its bonds, or as what is left of it.
    fn come_apart(&mut self, id: BodyId, broken: &[Bond]) {
        let start = Instant::now();
        let Some(body) = self.bodies.get_mut(&id) else { return };
        let mut fragments = body.compound.split(broken);
        if fragments.len() == 1 {
            body.compound = fragments.remove(0).compound;
            return;
        }
        let point = broken.iter().map(|bond| bond.middle).sum::<DVec2>() / broken.len() as f64;
        let made = parted(body, fragments);
        let reach = body.compound.bounds().extent();
        let breakage = Breakage { point, reach, push: Push::Speed(0.0), cause: Cause::Stress };
        self.replace(id, made, &breakage, start);
    }
}
