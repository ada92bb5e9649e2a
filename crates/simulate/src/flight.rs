//! How a chip moves: a ball that flies, bounces, rolls a little and slides, and does nothing to what it touches.
//!
//! Müller, Chentanez, Kim 2013, section 5, have debris be balls of the physics engine with much angular damping. Here they are not in the engine: a ball
//! that pushes nothing and touches no other ball needs no solver, only the way to the first thing it hits. That way is found by planes: all of a convex
//! lies behind the plane through its nearest point, so a ball cannot hit before it comes to that plane, and where it does it is asked again.

use rapier3d::math::{Pose, Vector};
use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::prelude::*;
use serde::{Deserialize, Serialize};

use crate::gap::{Gap, Reach};
use crate::surroundings::{Near, Surroundings};

/// A ball rolls for ever; a chip does not. Per second.
const ANGULAR_DAMPING: f32 = 8.0;
/// What is nearer than this part of its radius touches a chip.
const TOUCH: f32 = 0.01;
/// Bodies push a chip out of themselves by no more than this part of its radius a step. Floors by as much as all of it.
const MOST_PUSH: f32 = 0.5;
/// What a chip hits in a step; then it waits for the next.
const MOST_HITS: usize = 6;
/// How often it is asked how far something is on the way to it. Faces need two, edges a few.
const MOST_LOOKS: usize = 12;
/// Along what is not convex, and away from it, it is asked again after at least this part of the radius.
const SHORTEST_LOOK: f32 = 0.25;
/// The part of a slip that stops when the contact of a solid ball stops to slip.
const SLIP: f32 = 2.0 / 7.0;
/// The moment of inertia of a solid ball, in masses and squares of its radius.
const INERTIA: f32 = 0.4;

/// The motion of a chip on its way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Flight {
    pub velocity: Vector,
    pub spin: Vector,
    /// What pushed it up most in the last step.
    pub on: Option<ColliderHandle>,
}

/// A chip as a ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub radius: f32,
    pub friction: f32,
    pub restitution: f32,
}

/// What all chips have in common in a step.
pub(crate) struct Air<'a> {
    pub around: Surroundings<'a>,
    pub gravity: Vector,
    /// How long the step is.
    pub time: f32,
}

/// Something that a ball comes to.
struct Hit<'a> {
    near: Near<'a>,
    normal: Vector,
    /// The part of the way that is left before it.
    part: f32,
}

/// A step of a ball, on its way.
struct Course {
    ball: Ball,
    at: Vector,
    /// How fast it was as the step began.
    before: Vector,
    /// How fast it goes on to the end of the step. What bounces off does so in the next: so it never has more energy than it had.
    way: Vector,
    spin: Vector,
    bounce: Vector,
    /// Of the step, in seconds.
    left: f32,
    /// How often it was somewhere else.
    moves: u32,
    /// How far up the hardest push up went, and what it came from.
    on: Option<(f32, ColliderHandle)>,
}

impl<'a> Air<'a> {
    /// Moves a ball by a step. The list is only room to work in.
    pub fn carry(&self, ball: Ball, pose: &mut Pose, flight: &mut Flight, found: &mut Vec<Near<'a>>) {
        let way = flight.velocity + self.gravity * self.time;
        let mut course = Course {
            ball,
            at: pose.translation,
            before: flight.velocity,
            way,
            spin: flight.spin / (1.0 + ANGULAR_DAMPING * self.time),
            bounce: Vector::ZERO,
            left: self.time,
            moves: 0,
            on: None,
        };
        self.around.find(&course.bounds(), found);
        course.cull(found);
        course.push_out(found);
        course.run(found, self);
        pose.translation = course.at;
        pose.rotation = turned(pose.rotation, course.spin * self.time);
        flight.velocity = course.way + course.bounce;
        flight.spin = course.spin;
        flight.on = course.on.map(|(_, on)| on);
    }
}

/// A turn, and then a small one about an axis as long as its angle. Without sines, which are not the same everywhere.
fn turned(turn: Rotation, by: Vector) -> Rotation {
    let half = by * 0.5;
    (Rotation::from_xyzw(half.x, half.y, half.z, 1.0) * turn).normalize()
}

impl Course {
    /// All that it may touch on its way.
    fn bounds(&self) -> Aabb {
        let (from, to) = (self.at, self.at + self.way * self.left);
        let reach = Vector::splat(self.ball.radius * (1.0 + TOUCH));
        Aabb::new(from.min(to) - reach, from.max(to) + reach)
    }

    /// Where it is as seen from something that moves, when that is where it will be at the end of the step.
    fn seen_from(&self, near: &Near) -> Vector {
        self.at + near.velocity(self.at) * self.left
    }

    /// How far its middle may be from what it touches after a way of this length.
    fn reach(&self, way: f32) -> Reach {
        let exact = self.ball.radius * (1.0 + TOUCH);
        Reach { exact, most: exact + way }
    }

    /// Leaves out what it cannot come to in this step, wherever it is pushed before.
    fn cull(&self, found: &mut Vec<Near>) {
        let pushed = self.ball.radius * (1.0 + MOST_PUSH);
        found.retain_mut(|near| {
            let way = (self.way - near.velocity(self.at)).length() * self.left;
            let Some(gap) = near.gap(self.seen_from(near), self.reach(pushed + way)) else { return false };
            (near.gap, near.asked) = (gap, self.moves);
            true
        });
    }

    /// Pushes it out of what it is in. Floors come last, and push farther than all bodies together: whatever presses a ball into them, it stays above.
    fn push_out(&mut self, found: &[Near]) {
        let radius = self.ball.radius;
        let mut most = radius * MOST_PUSH;
        for near in found {
            if let Some(Gap { distance, normal }) =
                self.gap_now(near, 0.0).filter(|gap| gap.distance < radius)
            {
                let push = (radius - distance).min(if near.is_floor() { radius } else { most });
                self.go(normal * push);
                most = (most - push).max(0.0);
            }
        }
    }

    /// From something to where it is now. What was asked since it moved last is not asked again.
    fn gap_now(&self, near: &Near, way: f32) -> Option<Gap> {
        if near.asked == self.moves {
            Some(near.gap)
        } else {
            near.gap(self.seen_from(near), self.reach(way))
        }
    }

    fn go(&mut self, way: Vector) {
        self.at += way;
        self.moves += 1;
    }

    fn run(&mut self, found: &[Near], air: &Air) {
        for _ in 0..MOST_HITS {
            let Some(hit) = self.first(found) else {
                return self.go(self.way * self.left);
            };
            if hit.part > 0.0 {
                self.go(self.way * (self.left * hit.part));
                self.left *= 1.0 - hit.part;
            }
            self.take(&hit, air);
        }
    }

    /// What it hits first; of several at once, the first of them.
    fn first<'a>(&self, found: &[Near<'a>]) -> Option<Hit<'a>> {
        let hits = found.iter().filter_map(|near| self.meet(near));
        hits.reduce(|first, hit| if hit.part < first.part { hit } else { first })
    }

    /// When it hits something.
    fn meet<'a>(&self, near: &Near<'a>) -> Option<Hit<'a>> {
        let radius = self.ball.radius;
        let way = (self.way - near.velocity(self.at)) * self.left;
        let (from, length) = (self.seen_from(near), way.length());
        let mut hit = Hit { near: *near, normal: Vector::ZERO, part: 0.0 };
        for look in 0..MOST_LOOKS {
            let ahead = length * (1.0 - hit.part);
            let gap = if look == 0 {
                self.gap_now(near, ahead)
            } else {
                near.gap(from + way * hit.part, self.reach(ahead))
            };
            let Gap { distance, normal } = gap?;
            let (free, closing) = (distance - radius, -way.dot(normal));
            hit.normal = normal;
            if free <= radius * TOUCH && closing > 0.0 {
                return Some(hit);
            }
            hit.part += match near.is_convex() {
                true if closing > 0.0 => (free - radius * TOUCH * 0.5) / closing,
                true => return None,
                false if closing > 0.0 => free.max(radius * TOUCH) / length,
                // Away from here, but it may be hit anywhere else.
                false => free.max(radius * SHORTEST_LOOK) / length,
            };
            if !(0.0..1.0).contains(&hit.part) {
                return None;
            }
        }
        // Close along something: the rest of the way is looked at from here.
        Some(hit)
    }

    /// Bounces off what it hits, is slowed down by it, and rolls.
    fn take(&mut self, hit: &Hit, air: &Air) {
        let Hit { near, normal, .. } = hit;
        let normal = *normal;
        let foot = self.at - normal * self.ball.radius;
        let ground = near.velocity(foot);
        let closing = -(self.way - ground).dot(normal);
        if closing <= 0.0 {
            return;
        }
        let restitution = 0.5 * (self.ball.restitution + near.restitution());
        // Without the gravity of this step: what lies does not bounce.
        let bounce = normal * (restitution * -(self.before - ground).dot(normal).min(0.0));
        self.way += normal * closing;
        let push = closing + bounce.length();
        if bounce.length_squared() > self.bounce.length_squared() {
            self.bounce = bounce;
        }
        let friction = 0.5 * (self.ball.friction + near.friction());
        self.rub(normal, ground, near.spin(), friction * push, friction * air.gravity.length() * air.time);
        let up = -normal.dot(air.gravity);
        if self.on.is_none_or(|(most, _)| up > most) {
            self.on = Some((up, near.handle));
        }
    }

    /// Friction, up to an impulse, in metres a second: first it stops the ball from slipping, as it does any ball. Then it stops it from rolling, as it does a
    /// chip with corners: no more of it than the chip's own weight gives, so that what lands hard rolls on.
    fn rub(&mut self, normal: Vector, ground: Vector, spin: Vector, most: f32, most_at_rest: f32) {
        let radius = self.ball.radius;
        let slip = (self.way - ground + self.spin.cross(normal * -radius)).reject_from_normalized(normal);
        let speed = slip.length();
        let stop = most.min(speed * SLIP);
        if speed > 0.0 {
            let slip = slip / speed;
            self.way -= slip * stop;
            self.spin += normal.cross(slip) * (stop / (INERTIA * radius));
        }
        let roll = (self.way - ground).reject_from_normalized(normal);
        let brake = most.min(most_at_rest) - stop;
        if brake > 0.0 {
            let speed = roll.length();
            let kept = if speed > brake { 1.0 - brake / speed } else { 0.0 };
            self.way -= roll * (1.0 - kept);
            self.spin = spin + (self.spin - spin) * kept;
        }
    }
}
