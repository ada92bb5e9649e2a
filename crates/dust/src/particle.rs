//! A particle: a handful of dust that goes with the air, sinks, turns, spreads and settles.

use glam::{Quat, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::air::{Air, Breeze};
use crate::blockers::Blockers;
use crate::{random, swirl};

/// Some of the dust.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Particle {
    pub at: Vec3,
    pub age: f32,
    pub velocity: Vec3,
    pub life: f32,
    /// Turned by the whirls; its first axis is the arrow that they push it along, its third the axis that they turn it about.
    pub turn: Quat,
    /// The mean squares of the whirls' velocities.
    pub energy: Vec3,
    /// How fast it sinks in still air.
    pub fall: f32,
    /// In kilograms. Double, as the books are kept with it.
    pub mass: f64,
    pub radius: f32,
    pub seed: u32,
}

/// What becomes of a particle in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fate {
    #[default]
    Aloft,
    /// It lies on the floor or on a blocker.
    Settled,
    /// Nobody can see it any more.
    Faded,
}

/// What a particle leaves behind in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trace {
    pub fate: Fate,
    /// The momentum that the air got from it, and its mass.
    pub push: Vec4,
}

/// Everything around particles.
pub(crate) struct Surroundings<'a> {
    pub air: Option<&'a Air>,
    pub blockers: &'a Blockers,
    pub floor: Option<f32>,
    pub gravity: Vec3,
    pub time: f32,
    /// The side of the smallest cell.
    pub cell: f32,
    pub swirl: f32,
    pub step: u32,
}

/// Speeds beyond this are no dust's.
const FASTEST: f32 = 200.0;
/// Air that is faster than this keeps dust from settling, in metres a second.
const LIFT: f32 = 0.8;
/// How long dust lies before it stays, in seconds, where the air is still.
const LINGER: f32 = 0.7;
/// How near to a surface particles come, in metres.
const GAP: f32 = 1e-3;
/// The longest way that is made without a look at blockers, in metres, and the most looks.
const STRIDE: f32 = 0.1;
const LOOKS: f32 = 32.0;

impl Particle {
    /// Goes on by a step.
    pub fn step(&mut self, around: &Surroundings<'_>) -> Trace {
        let time = around.time;
        let (breeze, cell) = match around.air {
            Some(air) => (air.at(self.at, 1.0 / air.window.cell), air.window.cell),
            None => (Breeze::default(), around.cell),
        };
        self.energy = swirl::grown(self.energy, &breeze.slopes, cell, time);
        let whirl = swirl::velocity(self.turn, self.energy) * around.swirl;
        self.turn = swirl::turned(self.turn, &breeze, self.energy, cell, time);
        let before = self.velocity;
        // What sinks slowly follows the air at once: implicit, so that any step is stable.
        let slip = around.gravity.length().max(1e-3) * time / self.fall;
        let wanted = before + (breeze.velocity + whirl) * slip + around.gravity * time;
        self.velocity = (wanted / (1.0 + slip)).clamp_length_max(FASTEST);
        let mass = self.mass as f32;
        let lost = (around.gravity * time - (self.velocity - before)) * mass;
        let touched = self.advance(around);
        self.age += time;
        let fate = self.fate(around, touched, breeze.velocity.length());
        Trace { fate, push: lost.extend(mass) }
    }

    /// Moves, but not into anything; tells whether something is underneath.
    fn advance(&mut self, around: &Surroundings<'_>) -> bool {
        let way = self.velocity * around.time;
        let mut touched = false;
        if around.blockers.is_empty() {
            self.at += way;
        } else {
            let looks = (way.length() / STRIDE).ceil().clamp(1.0, LOOKS);
            for _ in 0..looks as u32 {
                let last = self.at;
                self.at += way / looks;
                let stopped = self.leave_blockers(around.blockers, last);
                touched |= stopped.is_some_and(|is_under| is_under);
                if stopped.is_some() {
                    break;
                }
            }
        }
        let lowest = around.floor.map_or(f32::NEG_INFINITY, |floor| floor + GAP);
        if self.at.y < lowest {
            self.at.y = lowest;
            self.velocity.y = self.velocity.y.max(0.0);
            touched = true;
        }
        touched
    }

    /// Out of the blocker it is in, if it is in one; tells whether that lies underneath. Back to where it was, if one is beside another.
    fn leave_blockers(&mut self, blockers: &Blockers, last: Vec3) -> Option<bool> {
        let blocker = blockers.at(self.at)?;
        let (out, normal) = blocker.way_out(self.at, GAP);
        self.velocity -= normal * self.velocity.dot(normal).min(0.0);
        self.at = if blockers.at(out).is_none() { out } else { last };
        Some(normal.y > 0.5)
    }

    fn fate(&self, around: &Surroundings<'_>, touched: bool, wind: f32) -> Fate {
        if self.age >= self.life {
            return Fate::Faded;
        }
        let under_floor = around.floor.is_some_and(|floor| self.at.y < floor);
        if under_floor || around.blockers.at(self.at).is_some() {
            // A blocker came over it, or the floor was never above it.
            return Fate::Settled;
        }
        let chance = around.time / LINGER * (1.0 - wind / LIFT);
        let is_still = touched && random::unit(self.seed, around.step) < chance;
        if is_still { Fate::Settled } else { Fate::Aloft }
    }

    /// How much of it is still seen: all of it for half of its life, then ever less.
    pub fn strength(&self) -> f32 {
        let rest = (2.0 - 2.0 * self.age / self.life).clamp(0.0, 1.0);
        rest * rest * (3.0 - 2.0 * rest)
    }

    /// How far its dust has spread.
    pub fn spread(&self, rate: f32) -> f32 {
        (self.radius * self.radius + 4.0 * rate * self.age).sqrt()
    }
}

impl Particle {
    /// Whether all its numbers can be: of what was saved, nobody knows.
    pub fn is_sound(&self) -> bool {
        let vectors = [self.at, self.velocity, self.energy];
        let is_sound = |above: f32| above > 0.0 && above.is_finite();
        vectors.iter().all(|v| v.is_finite())
            && self.turn.is_normalized()
            && self.energy.min_element() >= 0.0
            && self.age >= 0.0
            && [self.life, self.fall, self.radius].into_iter().all(is_sound)
            && (0.0..=1e30).contains(&self.mass)
    }

    /// Its bits, for a hash.
    pub fn words(&self) -> [u64; 9] {
        let pair = |a: f32, b: f32| u64::from(a.to_bits()) << 32 | u64::from(b.to_bits());
        let turn = self.turn;
        [
            pair(self.at.x, self.at.y),
            pair(self.at.z, self.age),
            pair(self.velocity.x, self.velocity.y),
            pair(self.velocity.z, self.life),
            pair(turn.x, turn.y),
            pair(turn.z, turn.w),
            pair(self.energy.x, self.energy.y),
            pair(self.energy.z, f32::from_bits(self.seed)),
            self.mass.to_bits(),
        ]
    }
}
