//! The whole: Rapier and what breaks in it, stepped together.

use std::time::{Duration, Instant};

use glam::DVec3;
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBody};
use smithereens::Aabb;

use crate::convert::narrow;
use crate::hash::Hash;
use crate::{
    Body, BodyId, Cloud, Command, Debris, DebrisError, DebrisOptions, Destruction, Explosion, Hit, Log,
    Material, NewBody, Options, Physics, Pose, SpawnError, Turn, dust,
};

/// A world that steps itself.
///
/// ```
/// use smithereens_simulate::{Material, NewBody, Options, Pose, World};
/// use smithereens::{Aabb, Compound, Convex};
/// use glam::DVec3;
/// let mut world = World::new(Options::default(), Material::table());
/// world.add_ground(0.0, 0.6);
/// let cube = Compound::from_convexes(vec![Convex::from_box(&Aabb::cube(0.5))])?;
/// let id = world.add(NewBody::at(cube, Pose::at(DVec3::new(0.0, 20.0, 0.0))))?;
/// (0..240).for_each(|_| world.step());
/// assert!(world.destruction.bodies().count() > 1, "it fell from twenty metres and broke");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct World {
    /// Rapier.
    pub physics: PhysicsWorld,
    /// What breaks.
    pub destruction: Destruction,
    /// What the last step took.
    pub times: StepTimes,
    cloud: Option<Cloud>,
    debris: Option<Debris>,
    log: Option<Log>,
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// Rapier.
    pub physics: Duration,
    /// Fractures, and what goes with them.
    pub fracture: Duration,
    /// Stress.
    pub stress: Duration,
    /// Dust.
    pub dust: Duration,
    /// Debris, with all that its chips do.
    pub debris: Duration,
}

impl World {
    /// An empty world, with gravity.
    pub fn new(options: Options, materials: Vec<Material>) -> World {
        World {
            physics: PhysicsWorld::default(),
            destruction: Destruction::new(options, materials),
            times: StepTimes::default(),
            cloud: None,
            debris: None,
            log: None,
        }
    }

    pub(crate) fn from_parts(
        physics: PhysicsWorld,
        destruction: Destruction,
        cloud: Option<Cloud>,
        debris: Option<Debris>,
    ) -> World {
        let mut world = World { physics, destruction, times: StepTimes::default(), cloud, debris, log: None };
        if let Some(debris) = &world.debris {
            debris.resume(&mut world.destruction);
        }
        if world.cloud.is_some() {
            world.destruction.give_off_dust();
        }
        world
    }

    /// Goes on as another does; what it wrote down stays.
    pub(crate) fn put_together(&mut self, again: World) {
        (self.physics, self.destruction) = (again.physics, again.destruction);
        (self.cloud, self.debris) = (again.cloud, again.debris);
    }

    /// Has what breaks give off dust from now on: as much as its [`Material`] says. The floor of `options` is where dust settles, besides bodies.
    pub fn raise_dust(&mut self, options: dust::Options) -> Result<(), dust::Error> {
        let cloud = Cloud::new(options)?;
        self.note(|| Command::RaiseDust(options));
        self.destruction.give_off_dust();
        self.cloud = Some(cloud);
        Ok(())
    }

    /// Its dust, if there is any to be.
    pub fn cloud(&self) -> Option<&Cloud> {
        self.cloud.as_ref()
    }

    /// Has what breaks shed debris from now on: what is too small to be a body, and of broken faces as much as their [`Material`] says.
    /// Called again, it changes what comes from then on.
    pub fn shed_debris(&mut self, options: DebrisOptions) -> Result<(), DebrisError> {
        match &mut self.debris {
            Some(debris) => debris.change(&mut self.destruction, options)?,
            None => self.debris = Some(Debris::new(&mut self.destruction, options)?),
        }
        self.note(|| Command::ShedDebris(options));
        Ok(())
    }

    /// Its debris, if there is any to be.
    pub fn debris(&self) -> Option<&Debris> {
        self.debris.as_ref()
    }

    /// The mass of bodies, of debris, of dust and of what is retired, in kilograms: that of all bodies that were ever added.
    pub fn mass(&self) -> f64 {
        let dust = self.cloud.as_ref().map_or(0.0, Cloud::mass);
        let debris = self.debris.as_ref().map_or(0.0, Debris::mass);
        self.destruction.mass() + self.destruction.retired().mass + dust + debris
    }

    /// Writes down all that is done to it from now on; see [`Log`]. To be called before anything is done to it.
    pub fn keep_log(&mut self) {
        self.log = Some(Log::new(self));
    }

    /// What was done to it, if it keeps a log.
    pub fn log(&self) -> Option<&Log> {
        self.log.as_ref()
    }

    fn note(&mut self, command: impl FnOnce() -> Command) {
        if let Some(log) = &mut self.log {
            log.push(command());
        }
    }

    /// Adds a floor at a height, ten kilometres each way.
    ///
    /// It is made of slabs. Rapier's half-space would do for contacts, but its box has no end, and the tree of boxes that finds pairs
    /// grows into a list with it: with ten thousand colliders, that took more than half of a step.
    pub fn add_ground(&mut self, height: f64, friction: f64) {
        self.note(|| Command::AddGround(height, friction));
        for slab in slabs() {
            let half = narrow(slab.size() * 0.5);
            let slab = ColliderBuilder::cuboid(half.x, half.y, half.z)
                .translation(narrow((slab.min + slab.max) * 0.5 + DVec3::Y * height))
                .friction(friction as f32);
            self.physics.colliders.insert(slab);
        }
    }

    /// Adds a body.
    pub fn add(&mut self, new: NewBody) -> Result<BodyId, SpawnError> {
        self.note(|| Command::Add(Box::new(new.clone())));
        self.destruction.add(&mut Physics::from(&mut self.physics), new)
    }

    /// Takes a body away: see [`Destruction::remove`].
    pub fn remove(&mut self, id: BodyId) -> Option<Body> {
        self.note(|| Command::Remove(id));
        self.destruction.remove(&mut Physics::from(&mut self.physics), id)
    }

    /// Hits a body: see [`Destruction::hit`].
    pub fn hit(&mut self, hit: &Hit) -> bool {
        self.note(|| Command::Hit(*hit));
        self.destruction.hit(&Physics::from(&mut self.physics), hit)
    }

    /// Blows up: see [`Destruction::explode`].
    pub fn explode(&mut self, explosion: &Explosion) -> bool {
        self.note(|| Command::Explode(*explosion));
        let physics = &mut Physics::from(&mut self.physics);
        let is_sound = self.destruction.explode(physics, explosion);
        if let Some(debris) = self.debris.as_mut().filter(|_| is_sound) {
            debris.explode(&self.destruction, explosion);
        }
        is_sound
    }

    /// The rigid body of a body. What rests has none, and does not move.
    pub fn rigid(&self, id: BodyId) -> Option<&RigidBody> {
        self.destruction.body(id)?.rigid(&self.physics.bodies)
    }

    /// Where the compound of a body is.
    pub fn pose(&self, id: BodyId) -> Option<Pose> {
        self.destruction.pose(&self.physics.bodies, id)
    }

    /// One step: things move, touch and break.
    ///
    /// Rapier splits it into many short tasks for the threads of rayon's pool. Where this is the only world that steps, call it from within the
    /// pool (`rayon::scope(|_| world.step())`): a fifth faster, as the caller does not stand by with a thread of its own. Two worlds must not
    /// step within one pool at once: the threads of each wait for all others.
    pub fn step(&mut self) {
        self.advance(None);
    }

    /// One step, with as many fractures as there were before, however long they take: the same to the bit.
    pub fn step_as(&mut self, before: Turn) {
        self.advance(Some(before));
    }

    fn advance(&mut self, as_before: Option<Turn>) {
        let start = Instant::now();
        self.physics.step_with_events(&(), self.destruction.watch());
        self.times.physics = start.elapsed();
        let start = Instant::now();
        let dt = f64::from(self.physics.integration_parameters.dt);
        let physics = &mut Physics::from(&mut self.physics);
        match as_before {
            Some(before) => self.destruction.after_step_as(physics, dt, before),
            None => self.destruction.after_step(physics, dt),
        }
        self.times.stress = self.destruction.stress_time();
        self.times.fracture = start.elapsed().saturating_sub(self.times.stress);
        if let Some(cloud) = &mut self.cloud {
            cloud.step(&mut self.destruction, physics, dt);
            self.times.dust = cloud.time();
        }
        if let Some(debris) = &mut self.debris {
            debris.step(&mut self.destruction, physics, dt);
            self.times.debris = debris.time();
        }
        let turn = self.destruction.turn();
        self.note(|| Command::Step(turn));
    }

    /// A number that tells two states apart: of all poses, velocities and pieces, of debris and of dust, to the bit.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Hash::default();
        for (id, body) in self.destruction.bodies() {
            hash.add(id.0);
            hash.add(body.compound().pieces().len() as u64);
            hash.add(body.compound().mass().volume.to_bits());
            if let Some(pose) = body.frame(&self.physics.bodies) {
                pose.translation.to_array().into_iter().for_each(|x| hash.add(u64::from(x.to_bits())));
                pose.rotation.to_array().into_iter().for_each(|x| hash.add(u64::from(x.to_bits())));
            }
            if let Some(rigid) = body.rigid(&self.physics.bodies) {
                for velocity in [rigid.linvel(), rigid.angvel()] {
                    velocity.to_array().into_iter().for_each(|x| hash.add(u64::from(x.to_bits())));
                }
            }
        }
        self.cloud.iter().for_each(|cloud| hash.add(cloud.dust().state_hash()));
        self.debris.iter().for_each(|debris| debris.hash(&mut hash));
        hash.value()
    }
}

/// How far the slab in the middle of a floor reaches, in metres, how far the outer ones do, and how thick all are. The larger a slab,
/// the less exact are contacts with it.
const MIDDLE: f64 = 100.0;
const FAR: f64 = 10_000.0;
const THICK: f64 = 20.0;

/// The slabs of a floor at height zero: one in the middle, and those around it.
fn slabs() -> impl Iterator<Item = Aabb> {
    let ranges = [[-FAR, -MIDDLE], [-MIDDLE, MIDDLE], [MIDDLE, FAR]];
    let slab = |[x, z]: [[f64; 2]; 2]| Aabb::new(DVec3::new(x[0], -THICK, z[0]), DVec3::new(x[1], 0.0, z[1]));
    (0..9).map(move |i| slab([ranges[i % 3], ranges[i / 3]]))
}
