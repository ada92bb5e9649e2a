//! The plug-in: bodies that break, in sets of Rapier that someone else owns and steps.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::DVec3;
use rapier3d::prelude::*;
use serde::{Deserialize, Serialize};
use smithereens::{Aabb, Compound};
use smithereens_dust::Puff;
use smithereens_modes::{Answer, Weakness};
use thiserror::Error;

use crate::carry::Resting;
use crate::collide::{Mould, Shapes};
use crate::convert::{narrow, widen, widen_pose};
use crate::crumb::{Shed, Throw};
use crate::ductile::{Bend, Bends};
use crate::grit::{Motion, Source};
use crate::jobs::{Job, Pending};
use crate::load::Blow;
use crate::motion::Motions;
use crate::nature::Nature;
use crate::shelf::Shelf;
use crate::skeleton::Skeleton;
use crate::vacant::Vacant;
use crate::watch::body_of;
use crate::{Body, BodyId, Event, Material, MaterialId, Options, Physics, Pose, Retired, Turn, Watch};

/// Why a body cannot be.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SpawnError {
    /// There is no such material.
    #[error("there is no material {0}: the world has {1}")]
    NoMaterial(u32, usize),
    /// A number of its material is out of range.
    #[error("a number of the material {0:?} is out of range")]
    Material(String),
    /// A number of the pose or the velocity is NaN or infinite.
    #[error("the body's {0} is not finite")]
    NotFinite(&'static str),
    /// It has no mass.
    #[error("the body's mass is {0} kg: its volume and the density of its material must be positive")]
    NoMass(f64),
    /// None of its pieces is thick enough to collide.
    #[error("the body is thinner than {0} m everywhere: nothing would hold it")]
    Thin(f64),
}

/// A body to be.
#[derive(Clone, Debug)]
pub struct NewBody {
    /// Its pieces and bonds.
    pub compound: Compound,
    /// Where the compound's frame is in the world.
    pub pose: Pose,
    /// The velocity of its centre of mass, in metres per second.
    pub velocity: DVec3,
    /// How it turns, in radians per second.
    pub spin: DVec3,
    /// What it is made of.
    pub material: MaterialId,
    /// Boxes in the compound's coordinates: it is held while one of its pieces reaches into one of them.
    pub anchors: Vec<Aabb>,
    /// Where it breaks by nature, of a compound that was made ready for that: what is harder than its material is strong parts it along its faults then,
    /// and its fragments again. Copies are to share it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use glam::DVec3;
    /// use smithereens::{Aabb, Convex, Slot, Solid};
    /// use smithereens_simulate::modes::{Brittle, BrittleOptions, CellOptions};
    /// use smithereens_simulate::{Material, NewBody, Options, Pose, World};
    /// let bar = Convex::from_box(&Aabb::new(-DVec3::new(0.1, 0.1, 1.0), DVec3::new(0.1, 0.1, 1.0)));
    /// let cells = CellOptions { count: 200, ..CellOptions::default() };
    /// let options = BrittleOptions { cells, modes: 3, ..BrittleOptions::default() };
    /// let brittle = Brittle::of(&Solid::new(bar.to_mesh(Slot(0)))?, &options)?;
    ///
    /// let mut world = World::new(Options::default(), Material::table());
    /// world.add_ground(0.0, 0.6);
    /// let weakness = Some(Arc::new(brittle.weakness));
    /// world.add(NewBody { weakness, ..NewBody::at(brittle.compound, Pose::at(DVec3::Y * 8.0)) })?;
    /// (0..120).for_each(|_| world.step());
    /// assert!(world.destruction.bodies().count() > 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub weakness: Option<Arc<Weakness>>,
}

impl NewBody {
    /// At rest at a pose, free to fall.
    pub fn at(compound: Compound, pose: Pose) -> NewBody {
        let (velocity, spin, material) = (DVec3::ZERO, DVec3::ZERO, MaterialId(0));
        NewBody { compound, pose, velocity, spin, material, anchors: Vec::new(), weakness: None }
    }
}

/// An explosion. What is near breaks if the force on it exceeds its strength, and is blown away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explosion {
    /// Where.
    pub at: DVec3,
    /// How far it reaches. Its effect falls off to nothing there, with the square of what is left of the way.
    pub radius: f64,
    /// The force on what is next to it, in newtons.
    pub force: f64,
    /// The impulse on what is next to it, in newton seconds per square metre.
    pub impulse: f64,
}

impl Explosion {
    /// How much of it is left at a distance, from 1 to 0.
    pub fn falloff(&self, distance: f64) -> f64 {
        let left = (1.0 - distance / self.radius).clamp(0.0, 1.0);
        left * left
    }
}

/// Bodies that break: plug it into a world that steps Rapier.
///
/// Hand [`Destruction::watch`] to Rapier's step as the event handler, and call [`Destruction::after_step`] after it.
pub struct Destruction {
    pub(crate) options: Options,
    pub(crate) materials: Vec<Material>,
    pub(crate) bodies: BTreeMap<BodyId, Body>,
    /// The fragments that broken bodies became, as long as hits wait that were meant for those.
    pub(crate) fragments_of: BTreeMap<BodyId, Vec<BodyId>>,
    pub(crate) next_id: u64,
    pub(crate) step: u64,
    pub(crate) pending: VecDeque<Pending>,
    pub(crate) job: Option<Box<Job>>,
    pub(crate) shelf: Shelf,
    pub(crate) watch: Watch,
    pub(crate) motions: Motions,
    pub(crate) events: Vec<Event>,
    pub(crate) retired: Retired,
    pub(crate) frozen: Vec<BodyId>,
    /// Hits that were dropped because they had waited for too long.
    pub(crate) late: usize,
    /// What rests, and on what.
    pub(crate) resting: Resting,
    pub(crate) draws: u64,
    /// What bodies that break by nature share.
    pub(crate) natures: Vec<Arc<Nature>>,
    /// What forces go through, of bodies that are looked at.
    pub(crate) skeletons: BTreeMap<BodyId, Skeleton>,
    pub(crate) blows: Vec<Blow>,
    /// What looking at stress took in the last step.
    pub(crate) stress_time: Duration,
    /// The length of the last step, in seconds.
    pub(crate) step_time: f64,
    pub(crate) cool_down_steps: u64,
    pub(crate) turn: Turn,
    /// The places of colliders that went since the last step.
    pub(crate) vacant: Vacant,
    /// Bodies that are bending.
    pub(crate) bending: Vec<Bend>,
    pub(crate) bends: Bends,
    /// Dust that nobody has taken yet; none where none is wanted.
    pub(crate) puffs: Option<Vec<Puff>>,
    /// Debris that nobody has taken yet; none where none is wanted.
    pub(crate) shed: Option<Shed>,
}

impl Destruction {
    /// Nothing yet.
    pub fn new(options: Options, materials: Vec<Material>) -> Destruction {
        Destruction {
            options,
            materials,
            bodies: BTreeMap::new(),
            fragments_of: BTreeMap::new(),
            next_id: 0,
            step: 0,
            pending: VecDeque::new(),
            job: None,
            shelf: Shelf::new(options.seed),
            watch: Watch::default(),
            motions: Motions::default(),
            events: Vec::new(),
            retired: Retired::default(),
            frozen: Vec::new(),
            late: 0,
            resting: Resting::default(),
            draws: options.seed,
            natures: Vec::new(),
            skeletons: BTreeMap::new(),
            blows: Vec::new(),
            stress_time: Duration::ZERO,
            step_time: 0.0,
            cool_down_steps: 0,
            turn: Turn::default(),
            vacant: Vacant::default(),
            bending: Vec::new(),
            bends: Bends::default(),
            puffs: None,
            shed: None,
        }
    }

    /// The event handler for Rapier's step.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// How it breaks, and what it is held to.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The materials.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// The bodies, in the order in which they came to be.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = (BodyId, &Body)> {
        self.bodies.iter().map(|(&id, body)| (id, body))
    }

    /// A body.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(&id)
    }

    /// Where the compound of a body is in the world.
    pub fn pose(&self, bodies: &RigidBodySet, id: BodyId) -> Option<Pose> {
        let body = self.bodies.get(&id)?;
        let pose = widen_pose(&body.frame(bodies)?);
        Some(Pose { at: pose.point(-body.center), ..pose })
    }

    /// The fractures that ended in the last step.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What is gone, and why.
    pub fn retired(&self) -> &Retired {
        &self.retired
    }

    /// Bodies that are held because their state was not finite any more.
    pub fn frozen(&self) -> &[BodyId] {
        &self.frozen
    }

    /// How many hits were dropped because they had waited for longer than allowed.
    pub fn late(&self) -> usize {
        self.late
    }

    /// How long stress was looked at in the last step.
    pub fn stress_time(&self) -> Duration {
        self.stress_time
    }

    /// How many hits wait for their turn, the one under way included.
    pub fn waiting(&self) -> usize {
        self.pending.len() + usize::from(self.job.is_some())
    }

    /// The mass of all bodies, in kilograms. With that of what is retired, of debris and of all dust, it is that of all bodies that were ever added.
    pub fn mass(&self) -> f64 {
        self.bodies.values().map(|body| self.mass_of(body)).sum()
    }

    pub(crate) fn density(&self, material: MaterialId) -> f64 {
        self.materials[material.0 as usize].density
    }

    /// Adds a body.
    pub fn add(&mut self, physics: &mut Physics, new: NewBody) -> Result<BodyId, SpawnError> {
        let material = self.materials.get(new.material.0 as usize);
        let material = material.ok_or(SpawnError::NoMaterial(new.material.0, self.materials.len()))?;
        if !material.is_sound() {
            return Err(SpawnError::Material(material.name.clone()));
        }
        let mass = new.compound.mass().volume * material.density;
        if !new.pose.is_sound() {
            return Err(SpawnError::NotFinite("pose"));
        }
        if !new.velocity.is_finite() || !new.spin.is_finite() {
            return Err(SpawnError::NotFinite("velocity"));
        }
        if !(mass.is_finite() && mass > 0.0) {
            return Err(SpawnError::NoMass(mass));
        }
        if self.is_thin(&new.compound) {
            return Err(SpawnError::Thin(self.options.thinnest));
        }
        let nature = self.nature(new.weakness.as_ref());
        if let Some(nature) = &nature {
            nature.make_ready(&new.compound);
        }
        let mould = Mould { thinnest: self.options.thinnest, nature: nature.as_deref() };
        let shapes = Shapes::of(&new.compound, None, &mould);
        let id = self.spawn(physics, new, shapes, None);
        if let Some(handle) = self.bodies[&id].handle() {
            self.motions.note_one(physics.bodies, handle);
        }
        Ok(id)
    }

    /// Takes a body away, with its mass.
    pub fn remove(&mut self, physics: &mut Physics, id: BodyId) -> Option<Body> {
        self.wake_load(physics, id);
        let body = self.bodies.remove(&id)?;
        self.resting.remove(id);
        physics.remove_body(&body, &mut self.vacant);
        Some(body)
    }

    /// To be called after each step of Rapier: what was hit breaks.
    pub fn after_step(&mut self, physics: &mut Physics, dt: f64) {
        self.break_what_was_hit(physics, dt, None);
    }

    /// The same, but with as many fractures as there were before, however long they take.
    pub fn after_step_as(&mut self, physics: &mut Physics, dt: f64, before: Turn) {
        self.break_what_was_hit(physics, dt, Some(before));
    }

    /// What the clock decided in the last step.
    pub fn turn(&self) -> Turn {
        self.turn
    }

    fn break_what_was_hit(&mut self, physics: &mut Physics, dt: f64, as_before: Option<Turn>) {
        self.step += 1;
        self.step_time = dt.max(1e-6);
        self.events.clear();
        self.vacant.release(physics);
        self.freeze_unsound(physics);
        self.read_touches(physics, dt);
        self.run_jobs(physics, dt, as_before);
        self.bend(physics, dt);
        let start = Instant::now();
        self.strain(physics, dt);
        self.stress_time = start.elapsed();
        self.keep_to_cap(physics);
        self.settle(physics, dt);
        self.motions.note(physics.bodies, physics.islands);
    }

    /// Holds bodies whose state is not finite, so that nothing of it spreads.
    fn freeze_unsound(&mut self, physics: &mut Physics) {
        let is_sound = |rigid: &RigidBody| {
            rigid.position().is_finite() && rigid.linvel().is_finite() && rigid.angvel().is_finite()
        };
        let unsound = |handle: &RigidBodyHandle| physics.bodies.get(*handle).is_some_and(|r| !is_sound(r));
        let unsound: Vec<RigidBodyHandle> = physics.islands.active_bodies().filter(unsound).collect();
        for handle in unsound {
            let Some(rigid) = physics.bodies.get_mut(handle) else { continue };
            if let Some(id) = body_of(rigid).filter(|id| self.bodies.contains_key(id)) {
                self.frozen.push(id);
                rigid.set_enabled(false);
            }
        }
    }

    /// Retires the smallest bodies, those at rest first, until there are no more than allowed.
    fn keep_to_cap(&mut self, physics: &mut Physics) {
        let too_many = self.bodies.len().saturating_sub(self.options.most_bodies);
        if too_many == 0 {
            return;
        }
        let mut order: Vec<(bool, f64, BodyId)> = Vec::new();
        for (&id, body) in &self.bodies {
            let is_resting = self.resting.contains(id);
            if is_resting || body.is_free(physics.bodies) {
                let is_awake = body.rigid(physics.bodies).is_some_and(|rigid| !rigid.is_sleeping());
                order.push((is_awake, body.compound.mass().volume, id));
            }
        }
        order.sort_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        for (_, _, id) in order.into_iter().take(too_many) {
            self.retire(physics, id);
        }
    }

    /// Takes away a body that is one too many. What it weighs becomes debris, if that is wanted.
    fn retire(&mut self, physics: &mut Physics, id: BodyId) {
        let (pose, motion) = (self.pose(physics.bodies, id), self.motion(physics, id));
        let Some(body) = self.remove(physics, id) else { return };
        self.retired.over_cap += 1;
        let hit = body.compound.mass().center;
        let rubble = self.rubble(&body.compound, self.mass_of(&body), &Throw { hit, push: 0.0 });
        let Motion { velocity, spin, center } = motion.unwrap_or_default();
        let pose = pose.unwrap_or_default();
        let (material, left) = (body.material, body.left);
        self.scatter(&Source { pose, material, blast: None, left, velocity, spin, center }, &rubble, None);
    }

    /// A number that differs from hit to hit, and is the same in every run.
    pub(crate) fn draw(&mut self) -> u64 {
        self.draws = self.draws.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.draws ^ (self.draws >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 29)
    }

    /// Blows up: what is within reach and not strong enough breaks, and all of it is pushed away. False: a number of it is not finite, or
    /// it reaches nothing.
    pub fn explode(&mut self, physics: &mut Physics, explosion: &Explosion) -> bool {
        let Explosion { at, radius, force, impulse } = *explosion;
        let is_sound = at.is_finite() && [radius, force, impulse].iter().all(|n| n.is_finite() && *n >= 0.0);
        if !is_sound || radius == 0.0 {
            return false;
        }
        self.wake_around(physics, at, radius);
        let ids: Vec<BodyId> = self.bodies.keys().copied().collect();
        for id in ids {
            self.blow_up(physics, id, explosion);
        }
        true
    }

    fn blow_up(&mut self, physics: &mut Physics, id: BodyId, explosion: &Explosion) {
        let Some(pose) = self.pose(physics.bodies, id) else { return };
        let body = &self.bodies[&id];
        let at = pose.point_back(explosion.at);
        let nearest = nearest_point(&body.compound, at);
        let falloff = explosion.falloff(nearest.distance(at));
        if falloff <= 0.0 {
            return;
        }
        let strength = self.materials[body.material.0 as usize].strength;
        let how = self.materials[body.material.0 as usize].break_at(explosion.force * falloff / strength);
        match how {
            Some(how) => {
                let reach = how.radius.max(explosion.radius - nearest.distance(at));
                let how = crate::Break { radius: reach.min(explosion.radius), ..how };
                let direction = (nearest - at).normalize_or_zero();
                let hit = Pending {
                    body: id,
                    point: nearest,
                    direction,
                    impulse: self.impulse_of_blast(body, at, nearest, explosion),
                    how,
                    blast: Some(*explosion),
                    striker: None,
                    is_asked_for: true,
                    since: self.step,
                };
                match self.answer(&hit) {
                    Answer::Holds => self.blast(physics, id, explosion),
                    Answer::NoFault | Answer::Parts => self.pending.push_back(hit),
                }
            }
            None => self.blast(physics, id, explosion),
        }
    }

    /// The impulse of an explosion on a body next to it, in the body's coordinates: of its pressure, or of its force over a step.
    fn impulse_of_blast(&self, body: &Body, at: DVec3, nearest: DVec3, explosion: &Explosion) -> DVec3 {
        let mass = body.compound.mass();
        let ways = [nearest - at, mass.center - at];
        let way = ways.into_iter().find_map(DVec3::try_normalize).unwrap_or(DVec3::ZERO);
        let area = libm::pow(mass.volume, 2.0 / 3.0);
        let most = (explosion.impulse * area).max(explosion.force * self.step_time);
        way * (most * explosion.falloff(nearest.distance(at)))
    }

    /// The push of an explosion on a body.
    pub(crate) fn blast(&self, physics: &mut Physics, id: BodyId, explosion: &Explosion) {
        let Some(body) = self.bodies.get(&id) else { return };
        let Some(rigid) = body.rigid_mut(physics.bodies).filter(|rigid| rigid.is_dynamic()) else {
            return;
        };
        let way = widen(rigid.translation()) - explosion.at;
        let area = libm::pow(body.compound.mass().volume, 2.0 / 3.0);
        let impulse = way.normalize_or_zero() * (explosion.impulse * explosion.falloff(way.length()) * area);
        if impulse != DVec3::ZERO {
            rigid.apply_impulse(narrow(impulse), true);
        }
    }
}

/// The point of a compound's convexes nearest to a place, or close to it: in the box of the nearest piece.
pub(crate) fn nearest_point(compound: &Compound, at: DVec3) -> DVec3 {
    let solid = compound.pieces().iter().filter(|piece| !piece.is_ghost());
    let distance = |bounds: &Aabb| bounds.distance_squared(at);
    let nearest = solid.min_by(|a, b| distance(a.bounds()).total_cmp(&distance(b.bounds())));
    nearest.map_or(at, |piece| at.clamp(piece.bounds().min, piece.bounds().max))
}
