//! What has settled rests: it is held where it is until something happens to it.
//!
//! A heap is one island to a solver, awake as long as one stone in it moves. So every body that has been still for a while is taken out
//! of it, by itself, and merged with all that rests: its rigid body goes, and its colliders become part of the static world, with no contacts
//! among them. (As colliders of one static body, all of them would be looked at anew whenever one comes or goes.) It wakes, with a rigid
//! body of its own,
//!
//! - when it is hit so hard that it would move: the momentum is shared with it then, and none is lost;
//! - when something that carried it leaves its place, breaks there, or is gone.

use glam::DVec3;
use rapier3d::prelude::*;
use smithereens::Aabb;

use crate::carry::{Carriers, Rest};
use crate::convert::{narrow, widen_pose};
use crate::load::Push;
use crate::trigger::mobility;
use crate::watch::{Touch, body_of};
use crate::{BodyId, Destruction, Physics, Pose};

/// What has moved by no more than this, in metres at its rim, is still. What starts to topple is slow for long, but it does not stay where it is.
const STILL: f64 = 0.01;
/// Where more than this part of those that may be are awake, a body smaller than this, in metres, comes to rest up to so many times as soon, and
/// may move as many times as far meanwhile.
const CROWDED: f64 = 0.5;
const MOST_CROWD: f64 = 3.0;
const SMALL: f64 = 1.0;
/// A push wakes what would go on this fast with it, in metres per second. Less than this part of its weight is not told of.
const WAKE_SPEED: f64 = 0.15;
const WAKE_WEIGHTS: f64 = 0.05;
/// What comes closer more slowly than this, in metres per second, pushes nothing away.
pub(crate) const LEAST_PUSH: f64 = 0.05;
/// Where it is crowded, what carries a body that is still is asked every so many steps only: it takes longer than all else that is looked at.
const ASK_EVERY: u64 = 3;
/// What stands on fragments this much lighter than itself waits for so many times as long.
const LIGHTER: f64 = 0.5;
const RUBBLE_PATIENCE: f64 = 2.0;
/// A body has left its place when it has moved so far, in metres, or turned so far, in radians.
const LEAVE: f64 = 0.03;
const LEAVE_TURN: f64 = 0.05;
/// What is this close to where something broke may have been carried by it.
const NEXT_TO: f64 = 0.03;
/// The weight of a kilogram, wherever: what counts is what is a hit and what is a load.
const GRAVITY: f64 = 9.81;

/// What is seen of a body that is awake.
enum Look {
    /// Nothing new.
    Moves,
    /// It carried something, and is not there any more.
    HasLeft,
    /// It may come to rest, on these.
    IsCalm(Vec<BodyId>),
}

/// For how many steps a body must have been still to come to rest.
struct Calm {
    steps: f64,
    crowd: f64,
}

impl Calm {
    /// What is large takes its time, however many are awake: the first moments of its fall are slow.
    fn crowd(&self, size: f64) -> f64 {
        if size < SMALL { self.crowd } else { 1.0 }
    }

    /// How far a body of a size may move and count as still.
    fn reach(&self, size: f64) -> f64 {
        STILL * self.crowd(size)
    }

    /// Whether a body of a size has been still for long enough.
    fn allows(&self, size: f64, still_steps: u32) -> bool {
        f64::from(still_steps) >= self.steps / self.crowd(size)
    }

    /// The same for what nothing carries: it may be at the top of its flight.
    fn allows_uncarried(&self, still_steps: u32) -> bool {
        f64::from(still_steps) >= self.steps * self.crowd
    }
}

impl Destruction {
    /// How many bodies rest.
    pub fn resting(&self) -> usize {
        self.resting.len()
    }

    /// Whether a body rests: it is held where it settled, until something happens to it.
    pub fn is_resting(&self, id: BodyId) -> bool {
        self.resting.contains(id)
    }

    /// The box around a body in the world.
    pub(crate) fn world_bounds(&self, physics: &Physics, id: BodyId) -> Option<Aabb> {
        let pose = self.pose(physics.bodies, id)?;
        let local = self.bodies[&id].compound.bounds();
        let (middle, half) = ((local.min + local.max) * 0.5, (local.max - local.min) * 0.5);
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (pose.turn * (half * axis)).abs());
        let (middle, half) = (pose.point(middle), axes[0] + axes[1] + axes[2]);
        Some(Aabb::new(middle - half, middle + half))
    }

    /// Where a body is now, to tell later whether it has left.
    fn place(&self, physics: &Physics, id: BodyId) -> Option<Pose> {
        Some(widen_pose(&self.bodies.get(&id)?.frame(physics.bodies)?))
    }

    /// Lays to rest what has been still for long enough, and wakes what has lost what carried it.
    pub(crate) fn settle(&mut self, physics: &mut Physics, dt: f64) {
        let active: Vec<RigidBodyHandle> = physics.islands.active_bodies().collect();
        let room = self.options.most_awake.max(1) as f64 * CROWDED;
        let crowd = (physics.islands.num_active_bodies() as f64 / room).clamp(1.0, MOST_CROWD);
        let calm = Calm { steps: (self.options.rest_after / dt.max(1e-6)).ceil(), crowd };
        if !calm.steps.is_finite() {
            return;
        }
        // All are looked at before the first is laid to rest: its contacts are not known any more then.
        let (mut left, mut calmed) = (Vec::new(), Vec::new());
        for handle in active {
            let Some(rigid) = physics.bodies.get(handle).filter(|rigid| rigid.is_dynamic()) else { continue };
            match body_of(rigid).map(|id| (id, self.look(physics, id, &calm))) {
                Some((id, Look::HasLeft)) => left.push(id),
                Some((id, Look::IsCalm(carriers))) => calmed.push((id, carriers, self.pushes(physics, id))),
                _ => {}
            }
        }
        left.into_iter().for_each(|id| self.wake_load(physics, id));
        for (id, carriers, pushes) in calmed {
            self.lay_to_rest(physics, id, carriers, pushes);
        }
    }

    fn look(&mut self, physics: &Physics, id: BodyId, calm: &Calm) -> Look {
        let Some(body) = self.bodies.get_mut(&id) else { return Look::Moves };
        let Some(rigid) = body.rigid(physics.bodies) else { return Look::Moves };
        let pose = widen_pose(rigid.position());
        let size = body.compound.bounds().extent();
        let is_still = body.still.is_some_and(|since| since.rim_way(&pose, 0.5 * size) <= calm.reach(size));
        (body.still, body.still_steps) =
            if is_still { (body.still, body.still_steps + 1) } else { (Some(pose), 0) };
        if body.place.is_some_and(|place| has_left(&place, &pose)) {
            body.place = None;
            return Look::HasLeft;
        }
        let is_asked = calm.crowd <= 1.0 || (self.step + id.0).is_multiple_of(ASK_EVERY);
        if is_asked && calm.allows(size, body.still_steps) {
            let carriers = Carriers::of(physics, body);
            let (still_steps, is_carried) = (body.still_steps, !carriers.is_none());
            let is_calm = match self.stands_on_rubble(id, &carriers) {
                true => f64::from(still_steps) >= calm.steps * RUBBLE_PATIENCE,
                false => is_carried || calm.allows_uncarried(still_steps),
            };
            if is_calm && !carriers.on_foreign && !self.is_pressed(&carriers, calm) {
                return Look::IsCalm(carriers.bodies);
            }
        }
        Look::Moves
    }

    /// Whether a body is carried by fragments lighter than itself: they may give way slowly.
    fn stands_on_rubble(&self, id: BodyId, carriers: &Carriers) -> bool {
        let mass = |id: &BodyId| self.bodies.get(id).map_or(0.0, |body| self.mass_of(body));
        let is_rubble =
            |carrier: &&BodyId| self.bodies.get(carrier).is_some_and(|body| body.parent.is_some());
        carriers.bodies.iter().filter(is_rubble).any(|carrier| mass(carrier) < LIGHTER * mass(&id))
    }

    /// Whether something heavier weighs on a body that is not still itself: the body may yet be pressed away.
    fn is_pressed(&self, carriers: &Carriers, calm: &Calm) -> bool {
        let is_still = |id: &BodyId| {
            let body = self.bodies.get(id);
            body.is_some_and(|b| calm.allows(b.compound.bounds().extent(), b.still_steps))
        };
        carriers.under_foreign || !carriers.under.iter().all(is_still)
    }

    fn lay_to_rest(&mut self, physics: &mut Physics, id: BodyId, carriers: Vec<BodyId>, pushes: Vec<Push>) {
        let Some(bounds) = self.world_bounds(physics, id) else { return };
        for &carrier in &carriers {
            let place = self.place(physics, carrier);
            self.bodies.entry(carrier).and_modify(|body| body.place = body.place.or(place));
        }
        let Some(body) = self.bodies.get_mut(&id) else { return };
        (body.still, body.still_steps) = (None, 0);
        body.place = None;
        physics.set_down(body, &mut self.vacant);
        self.resting.insert(id, Rest { bounds, carriers, pushes });
        self.listen(physics, id, true);
    }

    /// Contacts of what rests are told of from where they may wake it, those of others from where they may break it.
    fn listen(&self, physics: &mut Physics, id: BodyId, is_resting: bool) {
        let body = &self.bodies[&id];
        let material = &self.materials[body.material.0 as usize];
        let weight = self.mass_of(body) * GRAVITY;
        let threshold =
            if is_resting { material.strength.min(weight * WAKE_WEIGHTS) } else { material.strength };
        let events =
            if threshold.is_finite() { ActiveEvents::CONTACT_FORCE_EVENTS } else { ActiveEvents::empty() };
        for handle in body.handles() {
            if let Some(collider) = physics.colliders.get_mut(handle) {
                collider.set_active_events(events);
                collider.set_contact_force_event_threshold(threshold as f32);
            }
        }
    }

    /// Lets a body move again, if it rests.
    pub(crate) fn wake(&mut self, physics: &mut Physics, id: BodyId) {
        if !self.resting.remove(id) {
            return;
        }
        let place = self.place(physics, id).filter(|_| self.resting.is_loaded(id));
        let Some(mass) = self.bodies.get(&id).map(|body| self.mass_properties(body)) else { return };
        let Some(body) = self.bodies.get_mut(&id) else { return };
        body.place = place;
        (body.still, body.still_steps) = (None, 0);
        physics.lift(body, id, mass, &mut self.vacant);
        self.listen(physics, id, false);
    }

    /// Wakes what rests and is hit so hard that it would move. Static, it took all of the impulse; now both sides go on together, as after
    /// a blow without rebound. Whether something woke.
    pub(crate) fn wake_by_touch(&mut self, physics: &mut Physics, touch: &Touch) -> bool {
        let mut woke = false;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(id) = touch.bodies[side].filter(|id| self.resting.contains(*id)) else { continue };
            let other = touch.handles[1 - side].and_then(|handle| physics.bodies.get(handle));
            let Some(other) = other.filter(|rigid| rigid.is_dynamic()) else { continue };
            if !self.gives_way(id, touch, f64::from(other.mass())) {
                continue;
            }
            self.wake(physics, id);
            woke = true;
            let handles = [self.bodies[&id].handle(), touch.handles[1 - side]];
            let mobile = handles.map(|handle| mobility(physics, handle, touch));
            let push = touch.normal * (sign * touch.impulse / (mobile[0] + mobile[1]));
            for (handle, share) in handles.into_iter().zip([mobile[1], mobile[0]]) {
                if let Some(rigid) = handle.and_then(|handle| physics.bodies.get_mut(handle)) {
                    rigid.apply_impulse_at_point(narrow(push * share), narrow(touch.at), true);
                }
            }
        }
        woke
    }

    /// Whether something that rests would move under a push: go on with what pushes it, slide, or topple over the edge of its foot. Rubble
    /// lies among other rubble, which holds it: it takes a blow.
    fn gives_way(&self, id: BodyId, touch: &Touch, pusher: f64) -> bool {
        let (body, Some(bounds)) = (&self.bodies[&id], self.resting.bounds(id)) else { return false };
        let material = &self.materials[body.material.0 as usize];
        let mass = self.mass_of(body);
        let (weight, aside) = (mass * GRAVITY, touch.force * touch.normal.with_y(0.0).length());
        let foot = 0.5 * bounds.size().x.min(bounds.size().z);
        let lever = (touch.at.y - bounds.min.y).max(0.0);
        let would_tip = aside > material.friction * weight || aside * lever > foot * weight;
        touch.impulse >= WAKE_SPEED * (mass + pusher) || (body.parent.is_none() && would_tip)
    }

    /// Wakes all that rests on a body.
    pub(crate) fn wake_load(&mut self, physics: &mut Physics, id: BodyId) {
        for loaded in self.resting.load_of(id) {
            self.wake(physics, loaded);
        }
    }

    /// Wakes what rests on a body where it has broken: around the hit, and on its fragments.
    pub(crate) fn wake_load_where_broken(
        &mut self,
        physics: &mut Physics,
        id: BodyId,
        hit: Aabb,
        born: &[BodyId],
    ) {
        if self.resting.is_loaded(id) {
            let fragments = born.iter().filter_map(|&fragment| self.world_bounds(physics, fragment));
            let places: Vec<Aabb> = fragments.chain([hit]).map(|bounds| bounds.grown(NEXT_TO)).collect();
            for loaded in self.resting.load_within(id, &places) {
                self.wake(physics, loaded);
            }
        }
    }

    /// Wakes what rests within reach of a place.
    pub(crate) fn wake_around(&mut self, physics: &mut Physics, at: DVec3, reach: f64) {
        for id in self.resting.within(&Aabb::new(at, at).grown(reach)) {
            self.wake(physics, id);
        }
    }
}

fn has_left(place: &Pose, now: &Pose) -> bool {
    now.at.distance(place.at) > LEAVE || now.turn.dot(place.turn).abs() < libm::cos(LEAVE_TURN * 0.5)
}
