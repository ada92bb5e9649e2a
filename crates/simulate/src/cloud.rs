//! The dust of a world: from what breaks, dragged by what moves, around what stands.

use std::time::{Duration, Instant};

use glam::DVec3;
use rapier3d::prelude::RigidBody;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use smithereens::Aabb;
use smithereens_dust::{Blocker, Dust, Error, Mover, Options, Report, Shape};

use crate::convert::{widen, widen_pose};
use crate::watch::body_of;
use crate::{Body, BodyId, Destruction, Physics, Pose};

/// Steps of dust are no longer than this, in seconds.
const LONGEST: f64 = 0.05;
/// What is slower than this, in metres a second, drags no air.
const SLOW: f64 = 0.2;
/// What stands is looked at after so many steps, or after so few if something broke meanwhile: dust is born where a wall was.
const LOOK_EVERY: u64 = 24;
const LOOK_AFTER: u64 = 3;
/// What fills less of a cell of air than this does not stand in the way of dust.
const FILLED: f64 = 0.5;

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
    #[serde(skip)]
    report: Report,
    #[serde(skip)]
    time: Duration,
}

impl Cloud {
    /// Clear air.
    pub fn new(options: Options) -> Result<Cloud, Error> {
        let (report, time) = (Report::default(), Duration::ZERO);
        Ok(Cloud { dust: Dust::new(options)?, looked: 0, is_stale: true, report, time })
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
            self.advance(&movers(destruction, physics, self.dust.options().cell), time);
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
        let blockers = blockers(destruction, physics, self.dust.options().cell);
        if blockers != self.dust.blockers() {
            self.dust.set_blockers(&blockers);
        }
    }
}

/// A step of more parts than this is a slip of the pen.
const MOST_PARTS: f64 = 1000.0;

/// What is awake and moves, in the order of the bodies.
fn movers(destruction: &Destruction, physics: &Physics, cell: f64) -> Vec<Mover> {
    let moves =
        |rigid: &RigidBody| rigid.is_dynamic() && rigid.linvel().length_squared() > (SLOW * SLOW) as f32;
    let awake = physics.islands.active_bodies().filter_map(|handle| physics.bodies.get(handle));
    let mut awake: Vec<(BodyId, &RigidBody)> =
        awake.filter(|rigid| moves(rigid)).filter_map(|rigid| Some((body_of(rigid)?, rigid))).collect();
    awake.sort_by_key(|(id, _)| *id);
    let found = awake.par_iter().with_min_len(TASK).flat_map_iter(|(id, rigid)| {
        let body = destruction.body(*id);
        body.into_iter().flat_map(move |body| movers_of(body, rigid, cell))
    });
    found.collect()
}

/// Bodies that are worth a task.
const TASK: usize = 32;

/// A body as what drags the air.
fn movers_of(body: &Body, rigid: &RigidBody, cell: f64) -> impl Iterator<Item = Mover> {
    let (velocity, spin) = (widen(rigid.linvel()), widen(rigid.angvel()));
    let (pose, center) = (widen_pose(rigid.position()), widen(rigid.center_of_mass()));
    boxes(body, cell).map(move |(middle, half)| {
        let at = pose.point(middle - body.center);
        let velocity = velocity + spin.cross(at - center);
        Mover { shape: Shape::Box(half), at, turn: pose.turn, velocity, spin }
    })
}

/// What is held or rests, and is large.
fn blockers(destruction: &Destruction, physics: &Physics, cell: f64) -> Vec<Blocker> {
    let stays =
        |body: &&Body| body.rigid(physics.bodies).is_none_or(|rigid| rigid.is_fixed() || rigid.is_sleeping());
    let large: Vec<(&Body, Pose)> = destruction
        .bodies
        .values()
        .filter(|body| body.compound.mass().volume >= volume_of_note(cell))
        .filter(stays)
        .filter_map(|body| Some((body, widen_pose(&body.frame(physics.bodies)?))))
        .collect();
    let found = large.par_iter().with_min_len(TASK).flat_map_iter(|(body, pose)| {
        boxes(body, cell).map(move |(middle, half)| blocker(pose, middle - body.center, half))
    });
    found.collect()
}

fn blocker(pose: &Pose, middle: DVec3, half: DVec3) -> Blocker {
    Blocker { shape: Shape::Box(half), at: pose.point(middle), turn: pose.turn }
}

/// What has less volume is one box, and does not stand in the way of dust: it does not fill a cell of air.
fn volume_of_note(cell: f64) -> f64 {
    FILLED * cell * cell * cell
}

/// A body as boxes of its own frame, each by its middle and half its size: one if it is small, else one for each of its pieces that is not.
fn boxes(body: &Body, cell: f64) -> impl Iterator<Item = (DVec3, DVec3)> {
    let (least, pieces, volume) = (volume_of_note(cell), body.compound.pieces(), body.compound.mass().volume);
    let is_one = volume < least || pieces.len() == 1;
    let one = is_one.then(|| shrunk(&body.compound.bounds(), volume));
    let solid = pieces.iter().filter(move |piece| !is_one && !piece.is_ghost());
    let large = solid.filter(move |piece| piece.mass().volume >= least);
    one.into_iter().chain(large.map(|piece| shrunk(piece.bounds(), piece.mass().volume)))
}

/// A box about the same middle that has the volume of what is in it.
fn shrunk(bounds: &Aabb, volume: f64) -> (DVec3, DVec3) {
    let half = bounds.size() * 0.5;
    let filled = (volume / (8.0 * half.element_product())).clamp(0.0, 1.0);
    (bounds.center(), half * libm::cbrt(filled))
}
