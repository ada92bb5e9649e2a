//! The whole: Rapier and what breaks in it, stepped together.

use std::time::{Duration, Instant};

use rapier3d::prelude::PhysicsWorld;

use crate::{BodyId, Destruction, Explosion, Hit, Material, NewBody, Options, Physics, Pose, SpawnError};

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
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// Rapier.
    pub physics: Duration,
    /// Fractures, and what goes with them.
    pub fracture: Duration,
}

impl World {
    /// An empty world, with gravity.
    pub fn new(options: Options, materials: Vec<Material>) -> World {
        World {
            physics: PhysicsWorld::default(),
            destruction: Destruction::new(options, materials),
            times: StepTimes::default(),
        }
    }

    /// Adds a floor without end at a height.
    pub fn add_ground(&mut self, height: f64, friction: f64) {
        use rapier3d::prelude::*;
        let floor = ColliderBuilder::new(SharedShape::halfspace(Vector::Y))
            .translation(Vector::new(0.0, height as f32, 0.0))
            .friction(friction as f32);
        self.physics.colliders.insert(floor);
    }

    /// Adds a body.
    pub fn add(&mut self, new: NewBody) -> Result<BodyId, SpawnError> {
        self.destruction.add(&mut Physics::from(&mut self.physics), new)
    }

    /// Hits a body: see [`Destruction::hit`].
    pub fn hit(&mut self, hit: &Hit) -> bool {
        self.destruction.hit(&Physics::from(&mut self.physics), hit)
    }

    /// Blows up: see [`Destruction::explode`].
    pub fn explode(&mut self, explosion: &Explosion) -> bool {
        self.destruction.explode(&mut Physics::from(&mut self.physics), explosion)
    }

    /// Where the compound of a body is.
    pub fn pose(&self, id: BodyId) -> Option<Pose> {
        self.destruction.pose(&self.physics.bodies, id)
    }

    /// One step: things move, touch and break.
    pub fn step(&mut self) {
        let start = Instant::now();
        self.physics.step_with_events(&(), self.destruction.watch());
        self.times.physics = start.elapsed();
        let start = Instant::now();
        let dt = f64::from(self.physics.integration_parameters.dt);
        self.destruction.after_step(&mut Physics::from(&mut self.physics), dt);
        self.times.fracture = start.elapsed();
    }

    /// A number that tells two states apart: of all poses, velocities and pieces, to the bit.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Hash(0xCBF2_9CE4_8422_2325);
        for (id, body) in self.destruction.bodies() {
            hash.add(id.0);
            hash.add(body.compound().pieces().len() as u64);
            hash.add(body.compound().mass().volume.to_bits());
            if let Some(rigid) = self.physics.bodies.get(body.handle()) {
                let pose = rigid.position();
                pose.translation.to_array().into_iter().for_each(|x| hash.add(u64::from(x.to_bits())));
                pose.rotation.to_array().into_iter().for_each(|x| hash.add(u64::from(x.to_bits())));
                for velocity in [rigid.linvel(), rigid.angvel()] {
                    velocity.to_array().into_iter().for_each(|x| hash.add(u64::from(x.to_bits())));
                }
            }
        }
        hash.0
    }
}

/// FNV-1a over words.
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}
