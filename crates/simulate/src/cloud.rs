//! The dust of a world: from what breaks, dragged by what moves, around what stands.

use std::time::{Duration, Instant};

use rapier3d::prelude::RigidBody;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use smithereens_dust::{Blocker, Dust, Error, Mover, Options, Report, Shape};

use crate::convert::{widen, widen_pose};
use crate::outline::{Block, LOOKED_UP, Outlines, Seen, volume_of_note};
use crate::watch::body_of;
use crate::{Body, BodyId, Destruction, Physics, Pose};

/// Steps of dust are no longer than this, in seconds.
const LONGEST: f64 = 0.05;
/// What is slower than this, in metres a second, drags no air.
const SLOW: f64 = 0.2;
/// What stands is looked at after so many steps, or after so few if something broke meanwhile: dust is born where a wall was.
const LOOK_EVERY: u64 = 24;
const LOOK_AFTER: u64 = 3;

/// The dust of a world.
///
/// Fractures give it off from faces they lay open, as much as the [`Material`](crate::Material) says. [`World::raise_dust`](crate::World::raise_dust) has
/// one; with Rapier in your own hands, call [`Cloud::step`] after [`Destruction::after_step`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cloud {
    dust: Dust,
    /// The step in which it was looked for what stands.
    looked: u64,
    /// Whether something broke since.
    is_stale: bool,
    /// What bodies look like to dust; can be worked out again.
    #[serde(skip)]
    outlines: Outlines,
    #[serde(skip)]
    report: Report,
    #[serde(skip)]
    time: Duration,
}

impl Cloud {
    /// Clear air.
    pub fn new(options: Options) -> Result<Cloud, Error> {
        Ok(Cloud {
            dust: Dust::new(options)?,
            looked: 0,
            is_stale: true,
            outlines: Outlines::default(),
            report: Report::default(),
            time: Duration::ZERO,
        })
    }

    /// The dust, to be drawn.
    pub fn dust(&self) -> &Dust {
        &self.dust
    }

    /// What its last step did.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What its last step took, with looking for what moves and stands.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// The mass of all dust there ever was, in kilograms: in the air, settled and gone.
    pub fn mass(&self) -> f64 {
        self.dust.books().total()
    }

    /// Goes on by a step, with what broke in it.
    pub fn step(&mut self, destruction: &mut Destruction, physics: &Physics, time: f64) {
        let start = Instant::now();
        self.is_stale |= !destruction.events().is_empty();
        let puffs = destruction.take_puffs();
        if !(puffs.is_empty() && self.dust.is_clear()) {
            self.look(destruction, physics);
            for puff in puffs.iter().filter(|puff| !self.dust.add(puff)) {
                // From a body that is nowhere: its mass is kept all the same.
                destruction.retired.mass += puff.mass;
            }
            let cell = self.dust.options().cell;
            let movers = movers(&mut self.outlines, destruction, physics, cell);
            self.advance(&movers, time);
        } else {
            self.report = Report::default();
        }
        self.time = start.elapsed();
    }

    fn advance(&mut self, movers: &[Mover], time: f64) {
        let parts = (time / LONGEST).ceil().clamp(1.0, MOST_PARTS);
        for _ in 0..parts as usize {
            // Time that does not go on is no step, and there is no other mistake to be made.
            if let Ok(report) = self.dust.step(time / parts, movers) {
                self.report = report;
            }
        }
    }

    /// Looks for what stands, now and then.
    fn look(&mut self, destruction: &Destruction, physics: &Physics) {
        let since = destruction.step.saturating_sub(self.looked);
        if since < if self.is_stale { LOOK_AFTER } else { LOOK_EVERY } {
            return;
        }
        (self.looked, self.is_stale) = (destruction.step, false);
        let cell = self.dust.options().cell;
        let blockers = blockers(&mut self.outlines, destruction, physics, cell);
        if blockers != self.dust.blockers() {
            self.dust.set_blockers(&blockers);
        }
    }
}

/// A step of more parts than this is a slip of the pen.
const MOST_PARTS: f64 = 1000.0;

/// What is awake and moves, in the order of the bodies.
fn movers(outlines: &mut Outlines, destruction: &Destruction, physics: &Physics, cell: f64) -> Vec<Mover> {
    let moves =
        |rigid: &RigidBody| rigid.is_dynamic() && rigid.linvel().length_squared() > (SLOW * SLOW) as f32;
    let awake = physics.islands.active_bodies().filter_map(|handle| physics.bodies.get(handle));
    let awake = awake.filter(|rigid| moves(rigid)).filter_map(|rigid| {
        let id = body_of(rigid)?;
        Some(Seen { id, changed: destruction.body(id)?.changed, state: rigid })
    });
    let mut awake: Vec<Seen<&RigidBody>> = awake.collect();
    awake.sort_by_key(|seen| seen.id);
    outlines.prepare(&awake, destruction, cell);
    let seen = awake.par_iter().with_min_len(LOOKED_UP);
    seen.flat_map_iter(|seen| movers_of(outlines.of(seen.id), seen.state)).collect()
}

/// A body as what drags the air.
fn movers_of(blocks: &[Block], rigid: &RigidBody) -> impl Iterator<Item = Mover> {
    let (velocity, spin) = (widen(rigid.linvel()), widen(rigid.angvel()));
    let (pose, center) = (widen_pose(rigid.position()), widen(rigid.center_of_mass()));
    blocks.iter().map(move |(middle, half)| {
        let at = pose.point(*middle);
        let velocity = velocity + spin.cross(at - center);
        Mover { shape: Shape::Box(*half), at, turn: pose.turn, velocity, spin }
    })
}

/// What is held or rests, and is large.
fn blockers(
    outlines: &mut Outlines,
    destruction: &Destruction,
    physics: &Physics,
    cell: f64,
) -> Vec<Blocker> {
    let bodies = &*physics.bodies;
    let stays = |body: &Body| body.rigid(bodies).is_none_or(|rigid| rigid.is_fixed() || rigid.is_sleeping());
    // Bodies are all over memory: to find them is quick, to look at them is not.
    let all: Vec<(BodyId, &Body)> = destruction.bodies.iter().map(|(id, body)| (*id, body)).collect();
    let large = all.par_iter().with_min_len(LOOKED_UP).filter_map(|(id, body)| {
        if body.compound.mass().volume < volume_of_note(cell) || !stays(body) {
            return None;
        }
        let state = widen_pose(&body.frame(bodies)?);
        Some(Seen { id: *id, changed: body.changed, state })
    });
    let large: Vec<Seen<Pose>> = large.collect();
    outlines.prepare(&large, destruction, cell);
    let seen = large.par_iter().with_min_len(LOOKED_UP);
    seen.flat_map_iter(|seen| blockers_of(outlines.of(seen.id), seen.state)).collect()
}

/// A body as what stands in the way.
fn blockers_of(blocks: &[Block], pose: Pose) -> impl Iterator<Item = Blocker> {
    let blocker = move |(middle, half): &Block| Blocker {
        shape: Shape::Box(*half),
        at: pose.point(*middle),
        turn: pose.turn,
    };
    blocks.iter().map(blocker)
}
