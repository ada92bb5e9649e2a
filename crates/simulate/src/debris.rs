//! The debris of a world: chips of what breaks, too small to be bodies.
//!
//! Each moves by itself, as a ball that hardly rolls ([`Flight`](crate::flight::Flight)). It does not touch the others, and Rapier knows nothing of it: so it
//! breaks nothing, wakes nothing and holds nothing up. A chip that has been still for a while lies, and stays where it is until what it lies on moves.

use std::time::{Duration, Instant};

use glam::DVec3;
use rapier3d::prelude::*;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::chip::{Bed, Chip, Seat};
use crate::convert::widen_pose;
use crate::crumb::Crumb;
use crate::flight::Air;
use crate::grit::blown;
use crate::hash::Hash;
use crate::surroundings::Surroundings;
use crate::watch::owner_of;
use crate::{Destruction, Explosion, Physics};

/// A chip that moves by less than this part of its radius is still.
const STILL: f64 = 0.5;
/// What has flown for less than this, in seconds, does not make room for others: it would be gone in the air.
const FLIGHT: f64 = 2.0;
/// No thread has fewer chips to itself: it takes longer to wake it than to move them.
const LEAST_CHIPS: usize = 64;

/// What debris there is. Lengths in metres, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebrisOptions {
    /// The most chips. Beyond them those that lie go first, the oldest of them before others, and then those that have flown for long; the
    /// smallest of the new ones go if that is not enough.
    pub most: usize,
    /// The radius of the smallest. What is smaller becomes dust, or is gone.
    pub smallest: f64,
    /// The radius of the largest that falls off a face. What is retired is divided into chips about as large.
    pub largest: f64,
    /// For how long a chip must have been still to lie.
    pub rest: f64,
    /// For how long it lies before it is gone; what is still on its way after so long goes, too.
    pub life: f64,
}

impl Default for DebrisOptions {
    fn default() -> DebrisOptions {
        DebrisOptions { most: 2000, smallest: 0.006, largest: 0.03, rest: 0.2, life: 30.0 }
    }
}

/// Why there is no debris.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("debris cannot have such `{option}`: it must be {allowed}")]
pub struct DebrisError {
    /// The option.
    pub option: &'static str,
    /// What it can be.
    pub allowed: &'static str,
}

impl DebrisOptions {
    /// Whether there can be such debris.
    pub fn check(&self) -> Result<(), DebrisError> {
        let is_length = |x: f64| x.is_finite() && x >= 1e-4;
        let rules = [
            ("most", self.most > 0, "at least 1"),
            ("smallest", is_length(self.smallest), "at least a tenth of a millimetre"),
            ("largest", is_length(self.largest) && self.largest >= self.smallest, "at least the smallest"),
            ("rest", self.rest >= 0.0, "0 or more seconds"),
            ("life", self.life >= 0.0, "0 or more seconds"),
        ];
        match rules.into_iter().find(|(_, is_fine, _)| !is_fine) {
            Some((option, _, allowed)) => Err(DebrisError { option, allowed }),
            None => Ok(()),
        }
    }
}

/// The debris of a world.
///
/// What a fracture retires becomes chips, and so do the faces it lays open, as much as the [`Material`](crate::Material) says.
/// [`World::shed_debris`](crate::World::shed_debris) has it; with Rapier in your own hands, call [`Debris::step`] after
/// [`Destruction::after_step`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Debris {
    options: DebrisOptions,
    /// In order of their birth.
    chips: Vec<Chip>,
    born: u64,
    #[serde(skip)]
    time: Duration,
}

impl Debris {
    /// None yet, from what breaks from now on.
    pub fn new(destruction: &mut Destruction, options: DebrisOptions) -> Result<Debris, DebrisError> {
        options.check()?;
        let debris = Debris { options, chips: Vec::new(), born: 0, time: Duration::ZERO };
        debris.resume(destruction);
        Ok(debris)
    }

    /// Has what comes from now on be like this.
    pub(crate) fn change(
        &mut self,
        destruction: &mut Destruction,
        options: DebrisOptions,
    ) -> Result<(), DebrisError> {
        options.check()?;
        self.options = options;
        self.resume(destruction);
        Ok(())
    }

    /// Has fractures tell of it.
    pub(crate) fn resume(&self, destruction: &mut Destruction) {
        destruction.give_off_debris(self.options);
    }

    /// Whether all of it is of one of so many materials.
    pub(crate) fn is_of(&self, materials: usize) -> bool {
        self.chips.iter().all(|chip| (chip.material.0 as usize) < materials)
    }

    /// What it is like.
    pub fn options(&self) -> &DebrisOptions {
        &self.options
    }

    /// All chips, in order of their birth.
    pub fn chips(&self) -> &[Chip] {
        &self.chips
    }

    /// How many there have ever been.
    pub fn born(&self) -> u64 {
        self.born
    }

    /// How many are on their way: the others lie.
    pub fn flying(&self) -> usize {
        self.chips.iter().filter(|chip| !chip.is_lying()).count()
    }

    /// The mass of all chips, in kilograms.
    pub fn mass(&self) -> f64 {
        self.chips.iter().map(|chip| chip.mass).sum()
    }

    /// What its last step took.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Goes on by a step of Rapier's, with what broke in it.
    pub fn step(&mut self, destruction: &mut Destruction, physics: &Physics, dt: f64) {
        let start = Instant::now();
        self.carry(destruction, physics, dt);
        self.look(destruction, physics, dt);
        let crumbs = destruction.take_crumbs();
        if !crumbs.is_empty() {
            self.add(destruction, crumbs, (FLIGHT / dt.max(1e-6)).ceil() as u64);
        }
        self.time = start.elapsed();
    }

    /// Moves what flies, and has what lies on something that moves fly.
    fn carry(&mut self, destruction: &Destruction, physics: &Physics, dt: f64) {
        let air = Air { around: Surroundings::of(physics), gravity: physics.gravity, time: dt as f32 };
        let bodies = &*physics.bodies;
        let chips = self.chips.par_iter_mut().with_min_len(LEAST_CHIPS);
        chips.for_each_init(Vec::new, |found, chip| {
            let ball = chip.ball(&destruction.materials[chip.material.0 as usize]);
            if let Seat::Flies(flight) = &mut chip.seat {
                air.carry(ball, &mut chip.frame, flight, found);
            } else if let Seat::Lies(Some(bed)) = chip.seat
                && !is_made(destruction, bodies, &bed, chip)
            {
                chip.fly(DVec3::ZERO, destruction.step);
            }
        });
    }

    /// Chips that are still come to lie, and those whose time is over go.
    fn look(&mut self, destruction: &mut Destruction, physics: &Physics, dt: f64) {
        let steps = |seconds: f64| (seconds / dt.max(1e-6)).ceil();
        let (rest, life) = (steps(self.options.rest), steps(self.options.life));
        let step = destruction.step;
        self.chips.retain_mut(|chip| {
            let is_over = step.saturating_sub(chip.since) as f64 >= life;
            if is_over || !chip.frame.is_finite() {
                retire(destruction, chip);
                return false;
            }
            if let Seat::Flies(flight) = chip.seat {
                let at = chip.frame.translation;
                let is_still = f64::from(at.distance(chip.still)) <= STILL * chip.radius;
                (chip.still, chip.still_steps) =
                    if is_still { (chip.still, chip.still_steps + 1) } else { (at, 0) };
                if f64::from(chip.still_steps) >= rest
                    && let Some(bed) = flight.on.and_then(|on| bed(destruction, physics, on))
                {
                    (chip.seat, chip.since) = (Seat::Lies(bed), step);
                }
            }
            true
        });
    }

    /// Makes chips, and room for them; those that find none are gone, the smallest first.
    fn add(&mut self, destruction: &mut Destruction, mut crumbs: Vec<Crumb>, flight: u64) {
        let is_sound =
            |crumb: &Crumb| crumb.at.is_finite() && crumb.velocity.is_finite() && crumb.spin.is_finite();
        let room = self.make_room(destruction, crumbs.len(), flight);
        let mut order: Vec<usize> = (0..crumbs.len()).filter(|&index| is_sound(&crumbs[index])).collect();
        order.sort_by(|&a, &b| crumbs[b].mass.total_cmp(&crumbs[a].mass).then(a.cmp(&b)));
        let mut is_kept = vec![false; crumbs.len()];
        order.into_iter().take(room).for_each(|index| is_kept[index] = true);
        for (crumb, is_kept) in crumbs.drain(..).zip(is_kept) {
            if !is_kept {
                destruction.retired.debris += 1;
                destruction.retired.mass += crumb.mass;
                continue;
            }
            self.chips.push(Chip::new(self.born, &crumb, destruction.step));
            self.born += 1;
        }
    }

    /// Lets those go that are too many: what lies, and then what has flown for so many steps, the oldest of each first. For how many there is
    /// room then.
    fn make_room(&mut self, destruction: &mut Destruction, wanted: usize, flight: u64) -> usize {
        let step = destruction.step;
        let is_old = |chip: &Chip| step.saturating_sub(chip.since) >= flight;
        let too_many = (self.chips.len() + wanted).saturating_sub(self.options.most);
        let lying = self.chips.iter().filter(|chip| chip.is_lying()).count();
        let mut left = [too_many.min(lying), too_many.saturating_sub(lying)];
        self.chips.retain(|chip| {
            let left = &mut left[usize::from(!chip.is_lying())];
            let is_kept = *left == 0 || !(chip.is_lying() || is_old(chip));
            if !is_kept {
                *left -= 1;
                retire(destruction, chip);
            }
            is_kept
        });
        self.options.most.saturating_sub(self.chips.len())
    }

    /// The push of an explosion on all chips.
    pub fn explode(&mut self, destruction: &Destruction, explosion: &Explosion) {
        for chip in &mut self.chips {
            let push = blown(explosion, chip.pose().at, chip.volume(), chip.mass);
            if push.is_finite() && push != DVec3::ZERO {
                chip.fly(push, destruction.step);
            }
        }
    }

    /// Adds what tells two states apart.
    pub(crate) fn hash(&self, hash: &mut Hash) {
        hash.add(self.born);
        for chip in &self.chips {
            hash.add(chip.id);
            hash.add(chip.mass.to_bits());
            let mut add = |numbers: &[f32]| numbers.iter().for_each(|x| hash.add(u64::from(x.to_bits())));
            add(&chip.frame.translation.to_array());
            add(&chip.frame.rotation.to_array());
            if let Seat::Flies(flight) = chip.seat {
                add(&flight.velocity.to_array());
                add(&flight.spin.to_array());
            }
        }
    }
}

/// A chip goes, and is counted.
fn retire(destruction: &mut Destruction, chip: &Chip) {
    destruction.retired.debris += 1;
    destruction.retired.mass += chip.mass;
}

/// Whether what a chip lies on is where it was, as far as the chip can tell.
fn is_made(destruction: &Destruction, bodies: &RigidBodySet, bed: &Bed, chip: &Chip) -> bool {
    let body = destruction.bodies.get(&bed.body).filter(|body| body.changed == bed.changed);
    let Some(frame) = body.and_then(|body| body.frame(bodies)) else { return false };
    let at = chip.pose().at;
    let now = widen_pose(&frame).point(bed.pose.point_back(at));
    now.distance(at) <= STILL * chip.radius
}

/// What a chip can lie on, if that is what holds it up. Some of nothing: something that is not ours, and does not move.
fn bed(destruction: &Destruction, physics: &Physics, on: ColliderHandle) -> Option<Option<Bed>> {
    let collider = physics.colliders.get(on)?;
    match owner_of(collider) {
        Some(id) => {
            let body = destruction.bodies.get(&id)?;
            let pose = widen_pose(&body.frame(physics.bodies)?);
            Some(Some(Bed { body: id, changed: body.changed, pose }))
        }
        None => {
            let rigid = collider.parent().and_then(|parent| physics.bodies.get(parent));
            rigid.is_none_or(RigidBody::is_fixed).then_some(None)
        }
    }
}
