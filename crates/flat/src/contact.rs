//! Contacts harder than a material is strong.

use glam::DVec2;
use rapier2d::prelude::*;
use smithereens_planar::Cover;

use crate::convert::narrow;
use crate::hit::Blow;
use crate::watch::Touch;
use crate::{BodyId, Cause, Push, Turning, World};

/// Of the impulse that ends the approach of two bodies: more is not a blow.
const MOST_BLOW: f64 = 1.2;

impl World {
    /// Breaks what was touched too hard in the last step.
    pub(crate) fn read_touches(&mut self, touches: Vec<Touch>) {
        let mut blows: Vec<(BodyId, Blow)> = Vec::new();
        for touch in touches {
            let closing = self.closing_speed(&touch);
            if closing < self.options.slowest {
                continue;
            }
            let touch = self.blow(touch, closing);
            let most = (0..2).map(|side| self.touch(&touch, side, &mut blows)).fold(0.0, f64::max);
            if most > 1.0 {
                self.give_back(&touch, 1.0 - 1.0 / most);
            }
        }
        for (id, blow) in blows {
            // All its numbers come from physics, and were checked.
            let _ = self.strike(id, &blow);
        }
    }

    /// One side of a contact. Returns how many times its strength it was hit with, if it breaks.
    fn touch(&mut self, touch: &Touch, side: usize, blows: &mut Vec<(BodyId, Blow)>) -> f64 {
        let body = touch.bodies[side].and_then(|id| self.bodies.get(&id));
        let Some(body) = body.filter(|body| body.safe_until <= self.steps) else { return 0.0 };
        let Some(pose) = self.frame(body) else { return 0.0 };
        let material = &self.materials[body.material.0 as usize];
        let excess = touch.force / (material.strength * self.options.depth);
        let Some(how) = material.break_at(excess) else { return 0.0 };
        let into = if side == 0 { -touch.normal } else { touch.normal };
        let blow = Blow {
            point: pose.point_back(touch.at),
            direction: pose.direction_back(into),
            impulse: pose.direction_back(into * touch.impulse),
            reach: if body.weakness.is_some() { f64::INFINITY } else { how.radius },
            push: Push::Speed(material.push),
            how,
            own: None,
            cover: Cover::Extend,
            turning: Turning::Random,
            cause: Cause::Contact,
        };
        let is_sound = blow.point.is_finite() && blow.impulse.is_finite();
        if !is_sound {
            return 0.0;
        }
        let id = body.id;
        let cool_down = (self.options.cool_down / self.options.step).ceil() as u64;
        let safe_until = self.steps.saturating_add(cool_down);
        self.bodies.entry(id).and_modify(|body| body.safe_until = safe_until);
        blows.push((id, blow));
        excess
    }

    /// How fast the two sides came together: what only rests on another breaks nothing, however heavy.
    fn closing_speed(&self, touch: &Touch) -> f64 {
        let [a, b] = touch.handles.map(|handle| self.motions.at(&self.physics.bodies, handle, touch.at));
        (a - b).dot(touch.normal)
    }

    /// The part of a contact that is a blow: what it takes to end the approach, and to bounce off. The rest is load, or comes from being squeezed.
    fn blow(&self, touch: Touch, closing: f64) -> Touch {
        let mobile: f64 = touch.handles.iter().map(|&handle| self.mobility(handle, &touch)).sum();
        let most = MOST_BLOW * closing / mobile.max(f64::MIN_POSITIVE);
        let part = (most / touch.impulse).min(1.0);
        Touch { impulse: touch.impulse * part, force: touch.force * part, ..touch }
    }

    /// How fast a contact point of a body gets under a unit of impulse along the contact; zero for what does not move.
    fn mobility(&self, handle: Option<RigidBodyHandle>, touch: &Touch) -> f64 {
        let rigid = handle.and_then(|handle| self.physics.bodies.get(handle));
        let Some(rigid) = rigid.filter(|rigid| rigid.is_dynamic()) else { return 0.0 };
        let arm = (narrow(touch.at) - rigid.center_of_mass()).perp_dot(narrow(touch.normal));
        f64::from(1.0 / rigid.mass() + arm * arm * rigid.mass_properties().effective_world_inv_inertia)
    }

    /// What breaks holds up no more than its strength: the rest of the impulse is given back, and acts on the fragments.
    fn give_back(&mut self, touch: &Touch, part: f64) {
        for (handle, sign) in touch.handles.into_iter().zip([1.0, -1.0]) {
            let rigid = handle.and_then(|h| self.physics.bodies.get_mut(h));
            if let Some(rigid) = rigid.filter(|rigid| rigid.is_dynamic()) {
                let impulse: DVec2 = touch.normal * (sign * part * touch.impulse);
                rigid.apply_impulse_at_point(narrow(impulse), narrow(touch.at), true);
            }
        }
    }
}
