//! What acts on bodies, and what comes apart under it.
//!
//! A body that is held bears its weight, what touches it, and all that rests on it; one that is free bears what touches it, and its inertia. Blows
//! count in the step in which they come, other contacts on average over a tenth of a second: a solver's forces shake.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use glam::DVec3;
use rapier3d::prelude::*;
use smithereens::{Aabb, Bond, Fracture, Report};
use smithereens_stress::Load;

use crate::skeleton::Skeleton;
use crate::watch::{Touch, impulses, owner_of};
use crate::{Body, BodyId, Destruction, Physics, Pose};

/// Contacts count on average over so many seconds.
const AVERAGE: f64 = 0.1;
/// What is this close to where something came apart may have been carried by it, in metres.
const NEXT_TO: f64 = 0.05;

/// A blow on a body, in the coordinates of its compound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blow {
    pub body: BodyId,
    pub at: DVec3,
    pub force: DVec3,
}

/// How something that rests pushes one of those that carry it: where, and how hard for each newton of its weight and of what rests on it in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Push {
    pub on: BodyId,
    pub at: DVec3,
    pub force: DVec3,
}

impl Destruction {
    /// How much of what it can bear the joint of a body bears that bears most, and where that is, in the coordinates of its compound. Nothing if
    /// stress is not looked at, or the body has no joints.
    pub fn highest_stress(&self, id: BodyId) -> Option<(f64, DVec3)> {
        self.skeletons.get(&id)?.highest_stress()
    }

    /// Notes a blow for both sides.
    pub(crate) fn note_blow(&mut self, physics: &Physics, touch: &Touch) {
        for (side, sign) in [(0, -1.0), (1, 1.0)].into_iter().filter(|_| self.options.stress) {
            let pose = touch.bodies[side].and_then(|id| Some((id, self.pose(physics.bodies, id)?)));
            if let Some((body, pose)) = pose {
                let force = pose.direction_back(touch.normal * (sign * touch.force));
                self.blows.push(Blow { body, at: pose.point_back(touch.at), force });
            }
        }
    }

    /// Breaks the bonds that bear too much. What nothing holds any more falls.
    pub(crate) fn strain(&mut self, physics: &mut Physics, dt: f64) {
        if !self.options.stress {
            return;
        }
        let mut blows: BTreeMap<BodyId, Vec<Blow>> = BTreeMap::new();
        for blow in std::mem::take(&mut self.blows) {
            blows.entry(blow.body).or_default().push(blow);
        }
        self.skeletons.retain(|id, _| self.bodies.contains_key(id));
        let under_load = |(id, body): &(&BodyId, &Body)| self.is_under_load(physics, **id, body);
        let ids: Vec<BodyId> = self.bodies.iter().filter(under_load).map(|(id, _)| *id).collect();
        for id in ids {
            let start = Instant::now();
            let blows = blows.get(&id).map_or(&[][..], |blows| blows);
            let broken = self.strain_one(physics, id, blows, (dt / AVERAGE).min(1.0));
            if !broken.is_empty() {
                self.come_apart(physics, id, &broken, start);
            }
        }
    }

    /// Whether a body has joints that may bear something now. Fragments that fill their hull are one stone.
    fn is_under_load(&self, physics: &Physics, id: BodyId, body: &Body) -> bool {
        let has_joints = body.compound.pieces().len() > 1 && body.lump.is_none();
        let is_awake = |rigid: &RigidBody| rigid.is_enabled() && !rigid.is_sleeping();
        has_joints
            && body.safe_until <= self.step
            && !self.resting.contains(id)
            && body.rigid(physics.bodies).is_some_and(is_awake)
    }

    fn strain_one(&mut self, physics: &Physics, id: BodyId, blows: &[Blow], share: f64) -> Vec<Bond> {
        let Some(pose) = self.pose(physics.bodies, id) else { return Vec::new() };
        let Some(mut skeleton) = self.skeleton(physics, id) else { return Vec::new() };
        let body = &self.bodies[&id];
        let is_held = !body.is_free(physics.bodies);
        let mut contacts = skeleton.no_loads();
        self.add_contacts(physics, body, &pose, &skeleton, &mut contacts);
        if is_held {
            for (at, force) in self.weights_on(id) {
                let at = pose.point_back(at);
                skeleton.add(&mut contacts, nearest_piece(body, at), at, pose.direction_back(force));
            }
        }
        let mut hard = skeleton.no_loads();
        for blow in blows {
            skeleton.add(&mut hard, nearest_piece(body, blow.at), blow.at, blow.force);
        }
        skeleton.bear(&contacts, &hard, share);
        let broken = skeleton.break_overloaded();
        self.skeletons.insert(id, skeleton);
        broken
    }

    /// Where a body bears most under a blow, in its own coordinates. Nothing if it has no joints.
    pub(crate) fn weakest_under(
        &mut self,
        physics: &Physics,
        id: BodyId,
        at: DVec3,
        force: DVec3,
    ) -> Option<DVec3> {
        let mut skeleton = self.skeleton(physics, id)?;
        let mut hard = skeleton.no_loads();
        skeleton.add(&mut hard, nearest_piece(&self.bodies[&id], at), at, force);
        let contacts = skeleton.no_loads();
        skeleton.bear(&contacts, &hard, 0.0);
        let highest = skeleton.highest();
        self.skeletons.insert(id, skeleton);
        highest
    }

    /// The skeleton of a body, out of the list; made if there is none.
    fn skeleton(&mut self, physics: &Physics, id: BodyId) -> Option<Skeleton> {
        let pose = self.pose(physics.bodies, id)?;
        let body = &self.bodies[&id];
        let is_held = !body.is_free(physics.bodies);
        let known = self.skeletons.remove(&id).filter(|known| known.changed == body.changed);
        let gravity = if is_held { pose.direction_back(self.options.gravity) } else { DVec3::ZERO };
        let material = &self.materials[body.material.0 as usize];
        known.or_else(|| Skeleton::of(body, material, gravity)).filter(|_| self.options.stress)
    }

    /// What pushed a body in the last step.
    fn add_contacts(
        &self,
        physics: &Physics,
        body: &Body,
        pose: &Pose,
        skeleton: &Skeleton,
        loads: &mut [Load],
    ) {
        for (piece, handle) in body.colliders.iter().enumerate() {
            let Some(handle) = *handle else { continue };
            for pair in physics.narrow_phase.contact_pairs_with(handle) {
                let sign = if pair.collider1 == handle { -1.0 } else { 1.0 };
                for Contact { at, normal, friction } in contacts(physics, pair, self.step_time) {
                    let force = (normal + friction) * sign;
                    skeleton.add(loads, piece, pose.point_back(at), pose.direction_back(force));
                }
            }
        }
    }

    /// How something that is about to rest pushes those that carry it.
    pub(crate) fn pushes(&self, physics: &Physics, id: BodyId) -> Vec<Push> {
        let mut pushes = Vec::new();
        let Some(body) = self.bodies.get(&id).filter(|_| self.options.stress) else { return pushes };
        let mut up = 0.0;
        for handle in body.handles() {
            for pair in physics.narrow_phase.contact_pairs_with(handle) {
                let (other, sign) =
                    if pair.collider1 == handle { (pair.collider2, 1.0) } else { (pair.collider1, -1.0) };
                let on = physics.colliders.get(other).and_then(owner_of);
                for Contact { at, normal, friction } in contacts(physics, pair, self.step_time) {
                    let force = (normal + friction) * sign;
                    up -= force.y;
                    // What is only pressed from the side does not carry.
                    pushes.extend(on.filter(|_| normal.y * sign < 0.0).map(|on| Push { on, at, force }));
                }
            }
        }
        pushes.retain(|push| push.force.y < 0.0);
        if up <= 0.0 {
            return Vec::new();
        }
        pushes.iter_mut().for_each(|push| push.force /= up);
        pushes
    }

    /// The forces of all that rests on a body, and of what rests on that in turn.
    fn weights_on(&self, id: BodyId) -> Vec<(DVec3, DVec3)> {
        let (mut above, mut next) = (BTreeSet::new(), vec![id]);
        while let Some(carrier) = next.pop() {
            next.extend(self.resting.load_of(carrier).into_iter().filter(|&load| above.insert(load)));
        }
        above.remove(&id);
        let height = |id: &BodyId| self.resting.bounds(*id).map_or(0.0, |bounds| bounds.min.y + bounds.max.y);
        let mut above: Vec<BodyId> = above.into_iter().collect();
        above.sort_by(|a, b| height(b).total_cmp(&height(a)).then(a.cmp(b)));
        let mut carried: BTreeMap<BodyId, f64> = BTreeMap::new();
        let mut found = Vec::new();
        for load in above {
            let Some(body) = self.bodies.get(&load) else { continue };
            let own = self.mass_of(body) * self.options.gravity.length();
            let all = own + carried.get(&load).copied().unwrap_or(0.0);
            for push in self.resting.pushes(load) {
                match push.on == id {
                    true => found.push((push.at, push.force * all)),
                    false => *carried.entry(push.on).or_default() -= push.force.y * all,
                }
            }
        }
        found
    }

    /// The body goes on without some of its bonds, or as what is left of it.
    fn come_apart(&mut self, physics: &mut Physics, id: BodyId, broken: &[Bond], start: Instant) {
        let Some(pose) = self.pose(physics.bodies, id) else { return };
        let Some(body) = self.bodies.get_mut(&id) else { return };
        let mut fragments = body.compound.split(broken);
        if fragments.len() == 1 {
            body.compound = fragments.remove(0).compound;
            body.changed = self.step;
            if let Some(skeleton) = self.skeletons.get_mut(&id) {
                skeleton.changed = self.step;
            }
            return;
        }
        let places = broken.iter().map(|bond| pose.point(bond.centroid));
        let reached = Aabb::of_points(places).grown(NEXT_TO);
        let mut report = Report { fragments: fragments.len(), ..Report::default() };
        report.times.gather = start.elapsed();
        let fracture = Fracture { fragments, report };
        self.skeletons.remove(&id);
        if let Some(event) = self.replace(physics, id, fracture, None, reached) {
            self.events.push(event);
        }
    }
}

/// The forces of a contact on its second side, in newtons: along its normal and across it.
struct Contact {
    at: DVec3,
    normal: DVec3,
    friction: DVec3,
}

/// The contacts of a pair that push.
fn contacts(physics: &Physics, pair: &ContactPair, dt: f64) -> impl Iterator<Item = Contact> {
    let pushing = impulses(pair, physics.bodies).filter(|contact| contact.impulse > 0.0);
    pushing.map(move |contact| Contact {
        at: (contact.points[0] + contact.points[1]) * 0.5,
        normal: contact.normal * (contact.impulse / dt),
        friction: contact.friction / dt,
    })
}

/// The piece whose box is nearest to a point.
fn nearest_piece(body: &Body, at: DVec3) -> usize {
    let pieces = body.compound.pieces().iter().enumerate().filter(|(_, piece)| !piece.is_ghost());
    let far = pieces.map(|(index, piece)| (piece.bounds().distance_squared(at), index));
    far.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map_or(0, |(_, index)| index)
}
