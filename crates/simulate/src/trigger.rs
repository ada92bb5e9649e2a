//! What makes a body break: a call, or a contact harder than its material is strong.

use glam::DVec3;
use rapier3d::prelude::RigidBodyHandle;
use serde::{Deserialize, Serialize};
use smithereens_modes::Answer;

use crate::convert::narrow;
use crate::jobs::Pending;
use crate::rest::LEAST_PUSH;
use crate::watch::Touch;
use crate::{BodyId, Break, Destruction, Physics};

/// Of the impulse that ends the approach of two bodies: more is not a blow.
const MOST_BLOW: f64 = 1.2;

/// A hit by a call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The body.
    pub body: BodyId,
    /// Where, in the world.
    pub at: DVec3,
    /// The way it travels, in the world. Zero leaves the pattern as it is.
    pub direction: DVec3,
    /// How the body breaks. One that breaks by nature does so as far as the radius goes, by `above` times the impulse that would give all of it the
    /// speed at which its pieces part.
    pub how: Break,
}

impl Destruction {
    /// Hits a body. It breaks after the next step, if the budget allows. False: there is no such body, or a number is not finite.
    pub fn hit(&mut self, physics: &Physics, hit: &Hit) -> bool {
        let Some(pose) = self.pose(physics.bodies, hit.body) else { return false };
        let is_sound = hit.at.is_finite() && hit.direction.is_finite() && hit.how.radius > 0.0;
        if is_sound {
            let (point, direction) = (pose.point_back(hit.at), pose.direction_back(hit.direction));
            self.pending.push_back(Pending {
                body: hit.body,
                point,
                direction,
                impulse: self.impulse_of_call(hit.body, point, direction, hit.how.above),
                how: hit.how,
                blast: None,
                striker: None,
                is_asked_for: true,
                since: self.step,
            });
        }
        is_sound
    }

    /// Breaks what was touched too hard in the last step.
    pub(crate) fn read_touches(&mut self, physics: &mut Physics, dt: f64) {
        self.cool_down_steps = (self.options.cool_down / dt.max(1e-6)).ceil() as u64;
        let mut slowed: Vec<RigidBodyHandle> = Vec::new();
        for touch in self.watch.take() {
            let closing = self.closing_speed(physics, &touch);
            if closing < LEAST_PUSH {
                continue;
            }
            let was_slowed = |handle: &RigidBodyHandle| self.motions.was_slowed(physics.bodies, *handle);
            slowed.extend(touch.handles.into_iter().flatten().filter(was_slowed));
            let touch = blow(physics, touch, closing);
            let is_shared = self.wake_by_touch(physics, &touch);
            if closing < self.options.slowest {
                continue;
            }
            self.note_blow(physics, &touch);
            let most = (0..2).map(|side| self.touch(physics, &touch, side)).fold(0.0, f64::max);
            if most > 1.0 && !is_shared {
                give_back(physics, &touch, 1.0 - 1.0 / most);
            }
        }
        for handle in slowed {
            self.motions.hold(physics.bodies, handle);
        }
    }

    /// One side of a contact. Returns how many times its strength it was hit with, if it breaks.
    fn touch(&mut self, physics: &Physics, touch: &Touch, side: usize) -> f64 {
        let Some(id) = touch.bodies[side] else { return 0.0 };
        let Some(pose) = self.pose(physics.bodies, id) else { return 0.0 };
        let Some(body) = self.bodies.get(&id).filter(|body| body.safe_until <= self.step) else {
            return 0.0;
        };
        let safe_until = self.step.saturating_add(self.cool_down_steps);
        let material = &self.materials[body.material.0 as usize];
        let excess = touch.force / material.strength;
        let Some(how) = material.break_at(excess) else { return 0.0 };
        let at_weakest = material.at_weakest;
        let into = if side == 0 { -touch.normal } else { touch.normal };
        let hit = pose.point_back(touch.at);
        let force = pose.direction_back(into * touch.force);
        let point = if at_weakest { self.weakest_under(physics, id, hit, force) } else { None };
        let pending = Pending {
            body: id,
            point: point.unwrap_or(hit),
            direction: pose.direction_back(into),
            impulse: pose.direction_back(into * touch.impulse),
            how,
            blast: None,
            striker: touch.handles[1 - side],
            is_asked_for: false,
            since: self.step,
        };
        // Faults that hold throw back what hit them.
        if self.answer(&pending) == Answer::Holds {
            return 0.0;
        }
        self.bodies.entry(id).and_modify(|body| body.safe_until = safe_until);
        self.pending.push_back(pending);
        // What bends takes the whole blow as it does.
        if self.is_ductile(self.bodies[&id].material) { f64::INFINITY } else { excess }
    }

    /// How fast the two sides came together: what only rests on another breaks nothing, however heavy.
    fn closing_speed(&self, physics: &Physics, touch: &Touch) -> f64 {
        let [a, b] = touch.handles.map(|handle| self.motions.at(physics.bodies, handle, touch.at));
        (a - b).dot(touch.normal)
    }
}

/// How fast a contact point of a body gets under a unit of impulse along the contact; zero for what does not move.
pub(crate) fn mobility(physics: &Physics, handle: Option<RigidBodyHandle>, touch: &Touch) -> f64 {
    let rigid = handle.and_then(|handle| physics.bodies.get(handle));
    let Some(rigid) = rigid.filter(|rigid| rigid.is_dynamic()) else { return 0.0 };
    let arm = (narrow(touch.at) - rigid.center_of_mass()).cross(narrow(touch.normal));
    let turn = rigid.mass_properties().effective_world_inv_inertia * arm;
    f64::from(1.0 / rigid.mass() + arm.dot(turn))
}

/// The part of a contact that is a blow: what it takes to end the approach, and to bounce off. The rest is load, or comes from being squeezed: a
/// body between two others may be under any force, and give none of it away.
fn blow(physics: &Physics, touch: Touch, closing: f64) -> Touch {
    let mobile = touch.handles.iter().map(|&handle| mobility(physics, handle, &touch)).sum::<f64>();
    let most = MOST_BLOW * closing / mobile.max(f64::MIN_POSITIVE);
    let part = (most / touch.impulse).min(1.0);
    Touch { impulse: touch.impulse * part, force: touch.force * part, ..touch }
}

/// What breaks holds up no more than its strength: the rest of the impulse is given back, and acts on the fragments in the next step.
fn give_back(physics: &mut Physics, touch: &Touch, part: f64) {
    for (handle, sign) in touch.handles.into_iter().zip([1.0, -1.0]) {
        let rigid = handle.and_then(|h| physics.bodies.get_mut(h));
        if let Some(rigid) = rigid.filter(|rigid| rigid.is_dynamic()) {
            let impulse = touch.normal * (sign * part * touch.impulse);
            rigid.apply_impulse_at_point(narrow(impulse), narrow(touch.at), true);
        }
    }
}
