//! The whole: Rapier and what breaks in it, stepped together.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use glam::DVec2;
use rapier2d::prelude::{CCDSolver, PhysicsPipeline, PhysicsWorld, RigidBody, RigidBodySet};
use smithereens_planar::Aabb;
use smithereens_planar::pattern::Pattern;
use web_time::Instant;

use crate::convert::{narrow, widen_pose};
use crate::debris::Debris;
use crate::drag::Drag;
use crate::hash::Hash;
use crate::motion::{Motion, Motions};
use crate::shot::Projectile;
use crate::skeleton::Skeleton;
use crate::watch::Watch;
use crate::{
    Body, BodyId, Event, Library, Material, Options, OptionsError, PatternKind, Pose, Retired, SpawnError,
};

/// A world of bodies in the plane that fall, collide and break.
///
/// ```
/// use smithereens_flat::{Material, NewBody, Options, Pose, World};
/// use smithereens_planar::{Aabb, Compound, Shape};
/// use glam::DVec2;
/// let mut world = World::new(Options::default(), Material::table())?;
/// let steel = world.material("steel").unwrap();
/// let floor = Shape::new(&Aabb::new(DVec2::new(-9.0, -1.0), DVec2::new(9.0, 0.0)).corners(), &[])?;
/// world.add(NewBody { fixed: true, material: steel, ..NewBody::of(&floor, Pose::IDENTITY) })?;
/// let stone = Shape::new(&Aabb::square(0.5).corners(), &[])?;
/// world.add(NewBody::of(&stone, Pose::at(DVec2::new(0.0, 9.0))))?;
/// (0..120).for_each(|_| world.step());
/// assert!(world.bodies().count() > 2, "it fell from nine metres and broke");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A clone goes on as the world does: undo and restart are worlds put aside (see [`History`](crate::History)).
pub struct World {
    pub(crate) options: Options,
    pub(crate) materials: Vec<Material>,
    pub(crate) library: Library,
    /// Patterns of materials, by kind, number of cells and variant: made when first asked for.
    pub(crate) shelf: BTreeMap<(PatternKind, usize, u64), Arc<Pattern>>,
    pub(crate) physics: PhysicsWorld,
    pub(crate) bodies: BTreeMap<BodyId, Body>,
    pub(crate) next_id: u64,
    pub(crate) steps: u64,
    pub(crate) draws: u64,
    pub(crate) motions: Motions,
    pub(crate) projectiles: Vec<Projectile>,
    pub(crate) next_projectile: u64,
    pub(crate) debris: Debris,
    pub(crate) drag: Option<Drag>,
    pub(crate) skeletons: BTreeMap<BodyId, Skeleton>,
    pub(crate) events: Vec<Event>,
    pub(crate) retired: Retired,
    times: StepTimes,
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
    /// Debris.
    pub debris: Duration,
}

impl StepTimes {
    /// All of it.
    pub fn total(&self) -> Duration {
        self.physics + self.fracture + self.stress + self.debris
    }
}

/// Events that nobody takes are kept up to this number.
const MOST_EVENTS: usize = 4096;

impl World {
    /// An empty world. Options that are out of range are refused, and named.
    pub fn new(options: Options, materials: Vec<Material>) -> Result<World, OptionsError> {
        options.check()?;
        let mut physics = PhysicsWorld { gravity: narrow(options.gravity), ..PhysicsWorld::default() };
        physics.integration_parameters.dt = options.step as f32;
        Ok(World {
            options,
            materials,
            library: Library::of_kinds(),
            shelf: BTreeMap::new(),
            physics,
            bodies: BTreeMap::new(),
            next_id: 0,
            steps: 0,
            draws: options.seed,
            motions: Motions::default(),
            projectiles: Vec::new(),
            next_projectile: 0,
            debris: Debris::default(),
            drag: None,
            skeletons: BTreeMap::new(),
            events: Vec::new(),
            retired: Retired::default(),
            times: StepTimes::default(),
        })
    }

    /// How bodies move and break.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes how bodies move and break from now on. What is out of range is refused, and named; so is another depth.
    pub fn set_options(&mut self, options: Options) -> Result<(), OptionsError> {
        options.check()?;
        if options.depth != self.options.depth {
            return Err(OptionsError::Depth(self.options.depth));
        }
        self.physics.gravity = narrow(options.gravity);
        self.physics.integration_parameters.dt = options.step as f32;
        if self.options.gravity != options.gravity {
            self.skeletons.clear();
            self.physics.wake_up_all(true);
        }
        self.options = options;
        Ok(())
    }

    /// The materials.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Adds a material. One whose numbers are out of range is refused.
    pub fn add_material(&mut self, material: Material) -> Result<crate::MaterialId, SpawnError> {
        if !material.is_sound() {
            return Err(SpawnError::Material(material.name));
        }
        self.materials.push(material);
        Ok(crate::MaterialId(self.materials.len() as u32 - 1))
    }

    /// The material with this name.
    pub fn material(&self, name: &str) -> Option<crate::MaterialId> {
        let index = self.materials.iter().position(|material| material.name == name)?;
        Some(crate::MaterialId(index as u32))
    }

    /// The patterns that materials name, and a user cycles through.
    pub fn patterns(&self) -> &Library {
        &self.library
    }

    /// The same, to be changed.
    pub fn patterns_mut(&mut self) -> &mut Library {
        &mut self.library
    }

    /// The bodies, in the order in which they came to be.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = &Body> {
        self.bodies.values()
    }

    /// A body.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(&id)
    }

    /// The body at a point of the world: the last one added, if there are several.
    pub fn body_at(&self, point: DVec2) -> Option<BodyId> {
        let holds = |body: &&Body| self.frame(body).is_some_and(|pose| body.contains(pose.point_back(point)));
        self.bodies.values().rev().find(holds).map(|body| body.id)
    }

    /// Where the compound of a body is in the world.
    pub fn pose(&self, id: BodyId) -> Option<Pose> {
        self.frame(self.bodies.get(&id)?)
    }

    pub(crate) fn frame(&self, body: &Body) -> Option<Pose> {
        frame_of(body, &self.physics.bodies)
    }

    /// The rigid body of a body.
    pub fn rigid(&self, id: BodyId) -> Option<&RigidBody> {
        self.physics.bodies.get(self.bodies.get(&id)?.handle)
    }

    /// The velocity of a body's centre of mass, and its spin, in metres and radians per second.
    pub fn velocity(&self, id: BodyId) -> Option<(DVec2, f64)> {
        let motion = Motion::of(self.rigid(id)?);
        Some((motion.velocity, motion.spin))
    }

    /// What a body weighs, in kilograms.
    pub fn mass_of(&self, id: BodyId) -> Option<f64> {
        let body = self.bodies.get(&id)?;
        Some(body.compound.mass().area * self.density(body.material))
    }

    /// In kilograms a square metre.
    pub(crate) fn density(&self, material: crate::MaterialId) -> f64 {
        self.materials[material.0 as usize].density * self.options.depth
    }

    /// The area of all bodies, of debris, and of what is retired, in square metres: that of all bodies that were ever added, but for those that
    /// were removed.
    pub fn area(&self) -> f64 {
        let bodies: f64 = self.bodies.values().map(|body| body.compound.mass().area).sum();
        bodies + self.debris.area() + self.retired.area
    }

    /// What that weighs, in kilograms.
    pub fn mass(&self) -> f64 {
        let of = |body: &Body| body.compound.mass().area * self.density(body.material);
        let bodies: f64 = self.bodies.values().map(of).sum();
        bodies + self.debris.mass() + self.retired.mass
    }

    /// The momentum of all that moves, debris included, in newton seconds.
    pub fn momentum(&self) -> DVec2 {
        let of = |body: &Body| {
            let rigid = self.physics.bodies.get(body.handle).filter(|rigid| rigid.is_dynamic());
            let mass = body.compound.mass().area * self.density(body.material);
            rigid.map_or(DVec2::ZERO, |rigid| Motion::of(rigid).velocity * mass)
        };
        self.bodies.values().map(of).sum::<DVec2>() + self.debris.momentum()
    }

    /// What broke since [`World::drain_events`] was last called; the newest few thousand.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Takes what broke.
    pub fn drain_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// What is gone, and why.
    pub fn retired(&self) -> &Retired {
        &self.retired
    }

    /// What was too small to be a body, as it falls.
    pub fn debris(&self) -> &Debris {
        &self.debris
    }

    /// How many steps were done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How much time has passed in it, in seconds.
    pub fn time(&self) -> f64 {
        self.steps as f64 * self.options.step
    }

    /// What the last step took.
    pub fn times(&self) -> StepTimes {
        self.times
    }

    /// How many bodies are awake.
    pub fn awake(&self) -> usize {
        self.physics.islands.num_active_bodies()
    }

    /// The box around all bodies; empty if there are none.
    pub fn extent(&self) -> Aabb {
        let of = |body: &Body| self.bounds_of(body).unwrap_or(Aabb::EMPTY);
        self.bodies.values().fold(Aabb::EMPTY, |all, body| all.union(of(body)))
    }

    /// The box around a body where it is, or somewhat more.
    pub(crate) fn bounds_of(&self, body: &Body) -> Option<Aabb> {
        let map = self.frame(body)?.map();
        Some(Aabb::around(body.compound.bounds().corners().map(|corner| map.transform_point2(corner))))
    }

    /// One step: things move, touch and break.
    pub fn step(&mut self) {
        let start = Instant::now();
        self.pull();
        self.motions.note(&self.physics.bodies, &self.physics.islands);
        let watch = Watch::default();
        self.physics.step_with_events(&(), &watch);
        self.steps += 1;
        self.times.physics = start.elapsed();
        let start = Instant::now();
        self.remove_lost();
        self.read_touches(watch.take());
        self.fly();
        self.times.fracture = start.elapsed();
        let start = Instant::now();
        self.strain();
        self.times.stress = start.elapsed();
        let start = Instant::now();
        self.debris.step(&self.physics, &self.options, self.steps, &mut self.retired);
        self.keep_to_cap();
        let many = self.events.len().saturating_sub(MOST_EVENTS);
        self.events.drain(..many);
        self.times.debris = start.elapsed();
    }

    /// A number that differs from hit to hit, and is the same in every run.
    pub(crate) fn draw(&mut self) -> u64 {
        self.draws = self.draws.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.draws ^ (self.draws >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 29)
    }

    /// A number that tells two states apart: of all poses, velocities and pieces, of projectiles and of debris, to the bit.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Hash::default();
        for body in self.bodies.values() {
            hash.add(body.id.0);
            hash.add(body.compound.pieces().len() as u64);
            hash.add(body.compound.mass().area.to_bits());
            let Some(rigid) = self.physics.bodies.get(body.handle) else { continue };
            let (pose, velocity) = (rigid.position(), rigid.linvel());
            let numbers = [
                pose.translation.x,
                pose.translation.y,
                pose.rotation.re,
                pose.rotation.im,
                velocity.x,
                velocity.y,
                rigid.angvel(),
            ];
            numbers.into_iter().for_each(|x| hash.add(u64::from(x.to_bits())));
        }
        self.projectiles.iter().for_each(|projectile| projectile.hash(&mut hash));
        self.debris.hash(&mut hash);
        hash.value()
    }
}

pub(crate) fn frame_of(body: &Body, bodies: &RigidBodySet) -> Option<Pose> {
    let pose = widen_pose(bodies.get(body.handle)?.position());
    Some(Pose { at: pose.point(-body.center), ..pose })
}

impl Clone for World {
    fn clone(&self) -> World {
        let physics = &self.physics;
        World {
            physics: PhysicsWorld {
                gravity: physics.gravity,
                integration_parameters: physics.integration_parameters,
                physics_pipeline: PhysicsPipeline::new(),
                collision_pipeline: Default::default(),
                islands: physics.islands.clone(),
                broad_phase: physics.broad_phase.clone(),
                narrow_phase: physics.narrow_phase.clone(),
                bodies: physics.bodies.clone(),
                colliders: physics.colliders.clone(),
                impulse_joints: physics.impulse_joints.clone(),
                multibody_joints: physics.multibody_joints.clone(),
                soft_bodies: physics.soft_bodies.clone(),
                ccd_solver: CCDSolver::new(),
            },
            options: self.options,
            materials: self.materials.clone(),
            library: self.library.clone(),
            shelf: self.shelf.clone(),
            bodies: self.bodies.clone(),
            next_id: self.next_id,
            steps: self.steps,
            draws: self.draws,
            motions: self.motions.clone(),
            projectiles: self.projectiles.clone(),
            next_projectile: self.next_projectile,
            debris: self.debris.clone(),
            drag: self.drag,
            skeletons: self.skeletons.clone(),
            events: self.events.clone(),
            retired: self.retired,
            times: self.times,
        }
    }
}
