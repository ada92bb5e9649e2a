//! Fractures in turn, under a budget of time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use glam::DVec3;
use rapier3d::prelude::RigidBodyHandle;
use serde::{Deserialize, Serialize};
use smithereens::{Aabb, FractureJob, FractureOptions, Impact, Progress};
use smithereens_modes::Answer;

use crate::destruction::nearest_point;
use crate::shelf::goes_with_body;
use crate::{BodyId, Break, Destruction, Explosion, Physics, Turn};

/// A hit that waits for its turn, in the coordinates of the body's compound: fragments keep those.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub body: BodyId,
    pub point: DVec3,
    pub direction: DVec3,
    /// In newton seconds: what breaks by nature does so by this.
    pub impulse: DVec3,
    pub how: Break,
    pub blast: Option<Explosion>,
    /// What hit it, if that is a body.
    pub striker: Option<RigidBodyHandle>,
    /// Whether it was asked for, by a call or an explosion: it does not wait until others rest, and is not dropped.
    pub is_asked_for: bool,
    /// The step in which it came.
    pub since: u64,
}

/// A fracture under way.
pub(crate) struct Job {
    pub hit: Pending,
    /// Decided which pattern it is, and how that is turned.
    pub draw: u64,
    pub work: Work,
}

/// How a body breaks.
pub(crate) enum Work {
    /// By a pattern.
    Cut(Box<FractureJob>),
    /// By nature, in no time.
    Part,
    /// Not at all: its faults hold.
    Hold,
}

impl Destruction {
    /// Works off the hits, as far as the budget goes, or as far as it went before.
    pub(crate) fn run_jobs(&mut self, physics: &mut Physics, dt: f64, as_before: Option<Turn>) {
        let start = Instant::now();
        self.drop_late(dt);
        self.turn = Turn::default();
        let mut born = 0;
        loop {
            let is_room = physics.islands.num_active_bodies() + born <= self.options.most_awake;
            let Some(mut job) = self.job.take().or_else(|| self.next_job(is_room)) else { break };
            let is_done = match (as_before, self.options.budget) {
                (Some(before), _) => self.turn.finished < before.finished,
                (None, Some(budget)) => advance(&mut job.work, budget.saturating_sub(start.elapsed())),
                (None, None) => true,
            };
            if !is_done {
                self.job = Some(job);
                break;
            }
            self.turn.finished += 1;
            let Some(pose) = self.pose(physics.bodies, job.hit.body) else { continue };
            let at = pose.point(job.hit.point);
            let reached = Aabb::new(at, at).grown(job.hit.how.radius);
            let hit = &job.hit;
            let fracture = match job.work {
                Work::Cut(fracture) => Some(fracture.finish()),
                Work::Part => self.part(hit),
                Work::Hold => None,
            };
            let Some(fracture) = fracture else {
                hit.blast.iter().for_each(|blast| self.blast(physics, hit.body, blast));
                continue;
            };
            if let Some(event) = self.replace(physics, job.hit.body, fracture, Some(&job.hit), reached) {
                born += event.born.len();
                self.events.push(event);
            }
        }
        self.turn.is_under_way = self.job.is_some();
        self.forget_families();
    }

    /// Forgets what became of bodies, as far as no hit is left that would ask. Under fire there is always one that waits.
    fn forget_families(&mut self) {
        let under_way = self.job.iter().map(|job| job.hit.body);
        let mut asked_for: Vec<BodyId> = self.pending.iter().map(|hit| hit.body).chain(under_way).collect();
        let mut kept = BTreeMap::new();
        while let Some(id) = asked_for.pop() {
            if let Some(fragments) = self.fragments_of.remove(&id) {
                asked_for.extend(&fragments);
                kept.insert(id, fragments);
            }
        }
        self.fragments_of = kept;
    }

    /// Drops hits that have waited for too long.
    fn drop_late(&mut self, dt: f64) {
        let patience = (self.options.patience / dt.max(1e-6)).ceil() as u64;
        let waiting = self.pending.len();
        self.pending.retain(|hit| hit.is_asked_for || self.step.saturating_sub(hit.since) <= patience);
        self.late += waiting - self.pending.len();
    }

    /// The next hit in turn, those that were asked for first. The others wait until there is room for more bodies that are awake.
    fn next_job(&mut self, is_room: bool) -> Option<Box<Job>> {
        let next = |this: &Destruction| {
            let asked_for = this.pending.iter().position(|hit| hit.is_asked_for && this.is_ready(hit));
            asked_for.or_else(|| this.pending.iter().position(|hit| is_room && this.is_ready(hit)))
        };
        while let Some(hit) = next(self).and_then(|index| self.pending.remove(index)) {
            let Some(body) = self.now(hit.body, hit.point) else { continue };
            let draw = self.draw();
            if let Some(job) = self.begin(Pending { body, ..hit }, draw) {
                return Some(Box::new(job));
            }
        }
        None
    }

    /// Whether a hit need not wait: what bends is hit when it is one again.
    fn is_ready(&self, hit: &Pending) -> bool {
        let bends = || self.now(hit.body, hit.point).is_some_and(|id| self.is_bending(id));
        self.bending.is_empty() || !bends()
    }

    /// Begins the fracture of a body.
    pub(crate) fn begin(&mut self, hit: Pending, draw: u64) -> Option<Job> {
        match self.answer(&hit) {
            Answer::NoFault => {}
            Answer::Parts => return Some(Job { hit, draw, work: Work::Part }),
            Answer::Holds => return Some(Job { hit, draw, work: Work::Hold }),
        }
        let (pattern, deformation) = self.shelf.pattern(&hit.how, draw)?;
        let direction = if goes_with_body(hit.how.pattern) { DVec3::ZERO } else { hit.direction };
        let impact = Impact { point: hit.point, direction, radius: hit.how.radius, deformation };
        let options = FractureOptions { fit: self.options.fit, ..FractureOptions::default() };
        let compound = &self.bodies.get(&hit.body)?.compound;
        let fracture = FractureJob::new(compound, &pattern, &impact, &options).ok()?;
        Some(Job { hit, draw, work: Work::Cut(Box::new(fracture)) })
    }

    /// What has become of a body at a point: of it and its fragments, the one nearest to that.
    fn now(&self, id: BodyId, point: DVec3) -> Option<BodyId> {
        let mut family = vec![id];
        let mut next = 0;
        while next < family.len() {
            family.extend(self.fragments_of.get(&family[next]).into_iter().flatten());
            next += 1;
        }
        let alive = family.into_iter().filter_map(|id| Some((id, self.bodies.get(&id)?)));
        let far = alive.map(|(id, body)| (nearest_point(&body.compound, point).distance_squared(point), id));
        far.min_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1))).map(|(_, id)| id)
    }
}

/// Goes on for so long; whether it came to its end.
fn advance(work: &mut Work, left: Duration) -> bool {
    match work {
        Work::Cut(fracture) => !left.is_zero() && fracture.advance(left) == Progress::Done,
        Work::Part | Work::Hold => !left.is_zero(),
    }
}
