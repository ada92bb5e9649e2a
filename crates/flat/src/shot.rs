//! Projectiles: thin triangles of infinite mass that nothing deflects, and that break what they touch: Karo & Yu, section 4.3.

use glam::DVec2;
use serde::{Deserialize, Serialize};
use smithereens_planar::{Aabb, Convex, Cover};

use crate::hash::Hash;
use crate::hit::{Blow, PLAIN};
use crate::motion::Motion;
use crate::{Body, BodyId, Break, Cause, Pose, Push, Turning, World};

/// A projectile to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shot {
    /// From where.
    pub from: DVec2,
    /// Towards where.
    pub toward: DVec2,
    /// In metres per second.
    pub speed: f64,
    /// How many bodies it breaks before it is gone.
    pub breaks: u32,
    /// How hard it hits, in multiples of what materials bear.
    pub strength: f64,
    /// How far a hit of it reaches, in metres. None: as far as the material has it.
    pub radius: Option<f64>,
    /// How long it is, in metres; it is a fifth as wide.
    pub length: f64,
}

impl Default for Shot {
    fn default() -> Shot {
        Shot {
            from: DVec2::ZERO,
            toward: DVec2::X,
            speed: 60.0,
            breaks: 3,
            strength: 4.0,
            radius: None,
            length: 0.5,
        }
    }
}

/// A thin triangle that flies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Projectile {
    id: u64,
    tip: DVec2,
    way: DVec2,
    shot: Shot,
    broken: u32,
    /// What it has broken already, and what broke off there: each body once. Sorted.
    spared: Vec<BodyId>,
    fired: u64,
}

/// A projectile is so many times as long as wide.
const SLENDER: f64 = 5.0;
/// Where there is no box, it is gone after so many seconds.
const LIFE: f64 = 10.0;

impl Projectile {
    /// Its corners, the tip first.
    pub fn corners(&self) -> [DVec2; 3] {
        self.corners_at(self.tip)
    }

    fn corners_at(&self, tip: DVec2) -> [DVec2; 3] {
        let (back, half) =
            (self.way * self.shot.length, self.way.perp() * (self.shot.length / SLENDER * 0.5));
        [tip, tip - back + half, tip - back - half]
    }

    /// Its tip.
    pub fn tip(&self) -> DVec2 {
        self.tip
    }

    /// Its velocity.
    pub fn velocity(&self) -> DVec2 {
        self.way * self.shot.speed
    }

    /// How many bodies it may still break.
    pub fn left(&self) -> u32 {
        self.shot.breaks.saturating_sub(self.broken)
    }

    pub(crate) fn spare_fragments(&mut self, broken: BodyId, born: &[BodyId]) {
        if self.spared.binary_search(&broken).is_ok() {
            self.spared.extend(born);
            self.spared.sort_unstable();
            self.spared.dedup();
        }
    }

    pub(crate) fn hash(&self, hash: &mut Hash) {
        self.tip.to_array().into_iter().for_each(|x| hash.add(x.to_bits()));
        hash.add(u64::from(self.broken));
    }
}

impl World {
    /// Fires a projectile. None: a number of it is not finite, or it goes nowhere.
    pub fn fire(&mut self, shot: &Shot) -> Option<u64> {
        let numbers = [shot.speed, shot.strength, shot.length];
        let is_sound = numbers.iter().all(|n| n.is_finite() && *n > 0.0)
            && shot.radius.is_none_or(|radius| radius > 0.0)
            && shot.breaks > 0
            && shot.from.is_finite();
        let way = (shot.toward - shot.from).try_normalize().filter(|_| is_sound)?;
        let id = self.next_projectile;
        self.next_projectile += 1;
        let (tip, fired) = (shot.from, self.steps);
        let spared = Vec::new();
        self.projectiles.push(Projectile { id, tip, way, shot: *shot, broken: 0, spared, fired });
        Some(id)
    }

    /// The projectiles that fly, in the order in which they were fired.
    pub fn projectiles(&self) -> impl ExactSizeIterator<Item = &Projectile> {
        self.projectiles.iter()
    }

    /// Projectiles go on for a step, and break what is in their way.
    pub(crate) fn fly(&mut self) {
        let ids: Vec<u64> = self.projectiles.iter().map(|projectile| projectile.id).collect();
        for id in ids {
            while let Some((body, place)) = self.next_in_way(id) {
                self.pierce(id, body, place);
            }
            if let Some(projectile) = self.projectiles.iter_mut().find(|projectile| projectile.id == id) {
                projectile.tip += projectile.way * (projectile.shot.speed * self.options.step);
            }
        }
        let (room, now, step) = (self.options.bounds, self.steps, self.options.step);
        self.projectiles.retain(|projectile| {
            let bounds = Aabb::around(projectile.corners());
            let is_inside = match room {
                Some(room) => room.meets(&bounds),
                None => (now - projectile.fired) as f64 * step < LIFE,
            };
            is_inside && projectile.left() > 0 && projectile.tip.is_finite()
        });
    }

    /// The first body that a projectile meets in this step, and how far on its way that is.
    fn next_in_way(&self, id: u64) -> Option<(BodyId, f64)> {
        let projectile = self.projectiles.iter().find(|projectile| projectile.id == id)?;
        if projectile.left() == 0 {
            return None;
        }
        let dt = self.options.step;
        let way = projectile.shot.speed * dt;
        let end = projectile.tip + projectile.way * way;
        let swept = Aabb::around(projectile.corners().into_iter().chain([end]));
        let mut first: Option<(BodyId, f64)> = None;
        for body in self.bodies.values() {
            let material = &self.materials[body.material.0 as usize];
            if material.strength.is_infinite() || projectile.spared.binary_search(&body.id).is_ok() {
                continue;
            }
            let Some((bounds, pose, before)) = self.stretch(body, dt) else { continue };
            if !bounds.meets(&swept) {
                continue;
            }
            if let Some(part) = meets(projectile, end, body, &before, &pose)
                && first.is_none_or(|(_, least)| part < least)
            {
                first = Some((body.id, part));
            }
        }
        first
    }

    /// Where a body is, where it was a step before, and the box around both.
    fn stretch(&self, body: &Body, dt: f64) -> Option<(Aabb, Pose, Pose)> {
        let pose = self.frame(body)?;
        let rigid = self.physics.bodies.get(body.handle)?;
        let bounds =
            |pose: &Pose| Aabb::around(body.compound.bounds().corners().map(|corner| pose.point(corner)));
        if !rigid.is_dynamic() || rigid.is_sleeping() {
            return Some((bounds(&pose), pose, pose));
        }
        let motion = Motion::of(rigid);
        let center = pose.point_back(motion.center);
        let turned = Pose { turn: pose.turn - motion.spin * dt, at: DVec2::ZERO };
        let before = Pose { at: motion.center - motion.velocity * dt - turned.point(center), ..turned };
        Some((bounds(&pose).union(bounds(&before)), pose, before))
    }

    /// A projectile breaks a body.
    fn pierce(&mut self, id: u64, body: BodyId, place: f64) {
        let Some(index) = self.projectiles.iter().position(|projectile| projectile.id == id) else { return };
        let projectile = &mut self.projectiles[index];
        if let Err(place) = projectile.spared.binary_search(&body) {
            projectile.spared.insert(place, body);
        }
        let shot = projectile.shot;
        let tip = projectile.tip + projectile.way * (shot.speed * self.options.step * place);
        let way = projectile.way;
        let Some((owner, pose)) = self.bodies.get(&body).and_then(|body| Some((body, self.frame(body)?)))
        else {
            return;
        };
        let material = &self.materials[owner.material.0 as usize];
        let how = material.break_at(shot.strength.max(1.0)).unwrap_or(PLAIN);
        let (point, direction) = (pose.point_back(tip), pose.direction_back(way));
        let by_nature = if owner.weakness.is_some() { f64::INFINITY } else { how.radius };
        let reach = shot.radius.unwrap_or(by_nature);
        let blow = Blow {
            point,
            direction,
            impulse: self.impulse_of_call(owner, point, direction, shot.strength),
            how: Break { radius: if reach.is_finite() { reach } else { how.radius }, ..how },
            own: None,
            reach,
            cover: Cover::Extend,
            turning: Turning::Random,
            push: Push::Speed(material.push * PUSH),
            cause: Cause::Shot,
        };
        if matches!(self.strike(body, &blow), Ok(Some(_))) {
            self.projectiles[index].broken += 1;
        }
    }
}

/// What projectiles break flies apart so many times faster: one expects it to.
const PUSH: f64 = 2.0;

/// How far on its way a projectile touches a body first, from 0 to 1. Both go straight in the frame of the body: bodies turn little in a step.
fn meets(projectile: &Projectile, end: DVec2, body: &Body, before: &Pose, now: &Pose) -> Option<f64> {
    let from = projectile.corners().map(|corner| before.point_back(corner));
    let to = projectile.corners_at(end).map(|corner| now.point_back(corner));
    let swept = Convex::hull(&[from, to].concat())?;
    let bounds = swept.bounds();
    let near = body.compound.pieces().iter().filter(|piece| piece.bounds().meets(&bounds));
    let way = to[0] - from[0];
    let place = |convex: &Convex| {
        let common = swept.intersection(convex)?;
        // The tip is there first, but for where the body comes from the side.
        let first = common.corners().map(|corner| (corner - from[0]).dot(way)).fold(f64::INFINITY, f64::min);
        Some((first / way.length_squared()).clamp(0.0, 1.0))
    };
    near.filter_map(|piece| place(piece.convex())).reduce(f64::min)
}
