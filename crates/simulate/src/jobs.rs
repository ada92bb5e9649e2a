//! Fractures in turn, under a budget of time.

use std::time::Instant;

use glam::DVec3;
use rapier3d::prelude::RigidBodyHandle;
use smithereens::{FractureJob, FractureOptions, Impact, Progress};

use crate::destruction::nearest_point;
use crate::shelf::goes_with_body;
use crate::{BodyId, Break, Destruction, Explosion, Physics};

/// A hit that waits for its turn, in the coordinates of the body's compound: fragments keep those.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub body: BodyId,
    pub point: DVec3,
    pub direction: DVec3,
    pub how: Break,
    pub blast: Option<Explosion>,
    /// What hit it, if that is a body.
    pub striker: Option<RigidBodyHandle>,
    /// The step in which it came.
    pub since: u64,
}

/// A fracture under way.
pub(crate) struct Job {
    pub hit: Pending,
    pub fracture: FractureJob,
}

impl Destruction {
    /// Works off the hits, as far as the budget goes.
    pub(crate) fn run_jobs(&mut self, physics: &mut Physics, dt: f64) {
        let start = Instant::now();
        let patience = (self.options.patience / dt.max(1e-6)).ceil() as u64;
        let waiting = self.pending.len();
        self.pending.retain(|hit| self.step.saturating_sub(hit.since) <= patience);
        self.late += waiting - self.pending.len();
        let mut born = 0;
        loop {
            if self.job.is_none() && physics.islands.num_active_bodies() + born > self.options.most_awake {
                return;
            }
            let Some(mut job) = self.job.take().or_else(|| self.next_job()) else {
                // No hit is left that would ask what became of a body.
                self.fragments_of.clear();
                return;
            };
            if let Some(budget) = self.options.budget {
                let left = budget.saturating_sub(start.elapsed());
                if left.is_zero() || job.fracture.advance(left) != Progress::Done {
                    self.job = Some(job);
                    return;
                }
            }
            let Job { hit, fracture } = *job;
            let fracture = fracture.finish();
            if let Some(event) = self.replace(physics, hit.body, fracture, &hit) {
                born += event.born.len();
                self.events.push(event);
            }
        }
    }

    fn next_job(&mut self) -> Option<Box<Job>> {
        while let Some(hit) = self.pending.pop_front() {
            let Some(body) = self.now(hit.body, hit.point) else { continue };
            let hit = Pending { body, ..hit };
            let draw = self.draw();
            let Some((pattern, deformation)) = self.shelf.pattern(&hit.how, draw) else { continue };
            let direction = if goes_with_body(hit.how.pattern) { DVec3::ZERO } else { hit.direction };
            let impact = Impact { point: hit.point, direction, radius: hit.how.radius, deformation };
            let options = FractureOptions { fit: self.options.fit, ..FractureOptions::default() };
            let compound = &self.bodies[&body].compound;
            if let Ok(fracture) = FractureJob::new(compound, &pattern, &impact, &options) {
                return Some(Box::new(Job { hit, fracture }));
            }
        }
        None
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
