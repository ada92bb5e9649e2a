//! A particle: a handful of dust that goes with the air, sinks, turns, spreads and settles.

use glam::{Quat, Vec3, Vec3A, Vec4};
use serde::{Deserialize, Serialize};
use wide::f32x4;

use crate::air::Sampler;
use crate::blockers::Blockers;
use crate::lanes::{LANES, Quatx4, Vec3x4};
use crate::{random, swirl};

/// Some of the dust.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Particle {
    pub at: Vec3A,
    pub velocity: Vec3A,
    /// Turned by the whirls; its first axis is the arrow that they push it along, its third the axis that they turn it about.
    pub turn: Quat,
    /// The mean squares of the whirls' velocities.
    pub energy: Vec3A,
    pub age: f32,
    pub life: f32,
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
    /// The momentum that the air got from it, and its mass.
    pub push: Vec4,
    pub fate: Fate,
    /// Where in memory the cell of air is that it was in, if it was in the window.
    pub cell: Option<u32>,
}

/// What a particle has run into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touch {
    Nothing,
    Side,
    /// Something underneath.
    Ground,
    /// A blocker came over it.
    Buried,
}

/// Everything around particles.
pub(crate) struct Surroundings<'a> {
    pub air: Option<Sampler<'a>>,
    pub blockers: &'a Blockers,
    pub floor: Option<f32>,
    pub gravity: Vec3A,
    pub time: f32,
    /// The side of a cell.
    pub cell: f32,
    /// The length of gravity, but not nothing.
    pub weight: f32,
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

/// Four particles go on by a step.
pub(crate) fn step(particles: &mut [Particle; LANES], around: &Surroundings<'_>) -> [Trace; LANES] {
    let (time, cell) = (around.time, around.cell);
    let at = Vec3x4::from_lanes(particles.each_ref().map(|p| p.at));
    let breeze = around.air.as_ref().map(|air| air.breeze(at)).unwrap_or_default();
    let turn = Quatx4::from_lanes(particles.each_ref().map(|p| p.turn));
    let energy = Vec3x4::from_lanes(particles.each_ref().map(|p| p.energy));
    let energy = swirl::grown(energy, &breeze.slopes, cell, time);
    let whirl = swirl::velocity(turn, energy) * around.swirl;
    let turn = swirl::turned(turn, &breeze.slopes, energy, cell, time);
    let before = Vec3x4::from_lanes(particles.each_ref().map(|p| p.velocity));
    // What sinks slowly follows the air at once: implicit, so that any step is stable.
    let fall = f32x4::from(particles.each_ref().map(|p| p.fall));
    let (slip, fallen) = (around.weight * time, Vec3x4::splat(around.gravity * time));
    let wanted = (before + fallen) * fall + (breeze.velocity + whirl) * slip;
    let velocity = (wanted * (f32x4::ONE / (fall + slip))).clamp_length_max(FASTEST);
    let mass = f32x4::from(particles.each_ref().map(|p| p.mass as f32));
    let lost = ((fallen - (velocity - before)) * mass).to_lanes();
    let (turn, energy, velocity) = (turn.to_lanes(), energy.to_lanes(), velocity.to_lanes());
    let (mass, wind) = (mass.to_array(), breeze.velocity.to_lanes());
    std::array::from_fn(|lane| {
        let particle = &mut particles[lane];
        (particle.turn, particle.energy, particle.velocity) = (turn[lane], energy[lane], velocity[lane]);
        let touch = particle.advance(around);
        particle.age += time;
        let fate = particle.fate(around, touch, wind[lane]);
        Trace { push: Vec3::from(lost[lane]).extend(mass[lane]), fate, cell: breeze.cells[lane] }
    })
}

/// Any number of particles go on by a step.
pub(crate) fn step_all(particles: &mut [Particle], traces: &mut [Trace], around: &Surroundings<'_>) {
    let (fours, rest) = particles.as_chunks_mut::<LANES>();
    let (fours_left, rest_left) = traces.as_chunks_mut::<LANES>();
    for (particles, traces) in fours.iter_mut().zip(fours_left) {
        *traces = step(particles, around);
    }
    // The last few are four with the first of them in the lanes that are left.
    if let Some(first) = rest.first() {
        let mut few = [*first; LANES];
        few[..rest.len()].copy_from_slice(rest);
        let left = step(&mut few, around);
        rest.copy_from_slice(&few[..rest.len()]);
        rest_left.copy_from_slice(&left[..rest.len()]);
    }
}

impl Particle {
    /// Moves, but not into anything.
    fn advance(&mut self, around: &Surroundings<'_>) -> Touch {
        let way = self.velocity * around.time;
        let mut touch = Touch::Nothing;
        if around.blockers.is_empty() {
            self.at += way;
        } else {
            let length = way.length_squared();
            let is_short = length <= STRIDE * STRIDE;
            let looks = if is_short { 1.0 } else { (length.sqrt() / STRIDE).ceil().min(LOOKS) };
            for _ in 0..looks as u32 {
                let last = self.at;
                self.at += way / looks;
                touch = self.leave_blockers(around.blockers, last);
                if touch != Touch::Nothing {
                    break;
                }
            }
        }
        let lowest = around.floor.map_or(f32::NEG_INFINITY, |floor| floor + GAP);
        if self.at.y < lowest {
            self.at.y = lowest;
            self.velocity.y = self.velocity.y.max(0.0);
            let is_buried = around.blockers.at(self.at).is_some();
            touch = if is_buried { Touch::Buried } else { Touch::Ground };
        }
        touch
    }

    /// Out of the blocker it is in, if it is in one. Back to where it was, if one is beside another.
    fn leave_blockers(&mut self, blockers: &Blockers, last: Vec3A) -> Touch {
        let Some(blocker) = blockers.at(self.at) else { return Touch::Nothing };
        let (out, normal) = blocker.way_out(self.at, GAP);
        self.velocity -= normal * self.velocity.dot(normal).min(0.0);
        let free = [out, last].into_iter().find(|place| blockers.at(*place).is_none());
        self.at = free.unwrap_or(last);
        match free {
            None => Touch::Buried,
            Some(_) if normal.y > 0.5 => Touch::Ground,
            Some(_) => Touch::Side,
        }
    }

    fn fate(&self, around: &Surroundings<'_>, touch: Touch, wind: Vec3A) -> Fate {
        if self.age >= self.life {
            return Fate::Faded;
        }
        let chance = || around.time / LINGER * (1.0 - wind.length() / LIFT);
        match touch {
            Touch::Buried => Fate::Settled,
            Touch::Ground if random::unit(self.seed, around.step) < chance() => Fate::Settled,
            _ => Fate::Aloft,
        }
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
            && (0.5..2.0).contains(&self.turn.length_squared())
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
