//! What was done to a world, and what a clock decided in it: enough to do all of it again.

use std::sync::Arc;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use smithereens::{Aabb, Compound};
use smithereens_modes::Weakness;

use crate::saved::{Compounds, LoadError, Weaknesses, sealed, unsealed};
use crate::{
    BodyId, DebrisOptions, Explosion, Hit, Material, MaterialId, NewBody, Options, Pose, Turn, World, dust,
};

/// Something that was done to a world.
#[derive(Clone, Debug)]
pub enum Command {
    /// [`World::add`].
    Add(Box<NewBody>),
    /// [`World::remove`].
    Remove(BodyId),
    /// [`World::hit`].
    Hit(Hit),
    /// [`World::explode`].
    Explode(Explosion),
    /// [`World::add_ground`], with its height and friction.
    AddGround(f64, f64),
    /// [`World::raise_dust`].
    RaiseDust(dust::Options),
    /// [`World::shed_debris`].
    ShedDebris(DebrisOptions),
    /// [`World::step`].
    Step(Turn),
}

/// All that was done to a world since it was made.
///
/// A world that keeps a log ([`World::keep_log`]) writes down every call. What is changed in Rapier's sets by hand is not seen by it.
///
/// ```
/// use smithereens_simulate::{Log, Material, NewBody, Options, Pose, World};
/// use smithereens::{Aabb, Compound, Convex};
/// use glam::DVec3;
/// # use std::time::Duration;
/// let budget = Some(Duration::from_micros(50)); // how far a fracture gets in it depends on the machine
/// let mut world = World::new(Options { budget, ..Options::default() }, Material::table());
/// world.keep_log();
/// world.add_ground(0.0, 0.6);
/// let cube = Compound::from_convexes(vec![Convex::from_box(&Aabb::cube(0.5))])?;
/// world.add(NewBody::at(cube, Pose::at(DVec3::new(0.0, 20.0, 0.0))))?;
/// (0..180).for_each(|_| world.step());
/// let log = Log::from_bytes(&world.log().unwrap().to_bytes())?;
/// assert_eq!(log.replay().state_hash(), world.state_hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Log {
    options: Options,
    materials: Vec<Material>,
    gravity: DVec3,
    dt: f32,
    commands: Vec<Command>,
}

impl Log {
    pub(crate) fn new(world: &World) -> Log {
        Log {
            options: world.destruction.options,
            materials: world.destruction.materials.clone(),
            gravity: world.physics.gravity.as_dvec3(),
            dt: world.physics.integration_parameters.dt,
            commands: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// What was done, in order.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// A world to which nothing has been done yet.
    pub fn start(&self) -> World {
        let mut world = World::new(self.options, self.materials.clone());
        world.physics.gravity = self.gravity.as_vec3();
        world.physics.integration_parameters.dt = self.dt;
        world
    }

    /// Does all of it again.
    pub fn replay(&self) -> World {
        let mut world = self.start();
        self.commands.iter().for_each(|command| command.apply(&mut world));
        world
    }

    /// All of it as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut compounds, mut weaknesses) = (Compounds::default(), Weaknesses::default());
        let save = |command| SavedCommand::of(command, &mut compounds, &mut weaknesses);
        let commands = self.commands.iter().map(save).collect();
        let saved = SavedLog {
            options: self.options,
            materials: self.materials.clone(),
            gravity: self.gravity,
            dt: self.dt,
            commands,
            compounds: compounds.list,
            weaknesses: weaknesses.bytes(),
        };
        // Writing to memory cannot fail: nothing in a log is of a kind that has no bytes.
        sealed(MAGIC, postcard::to_allocvec(&saved).unwrap_or_default())
    }

    /// The log that the bytes were made from.
    pub fn from_bytes(bytes: &[u8]) -> Result<Log, LoadError> {
        let saved: SavedLog =
            postcard::from_bytes(unsealed(MAGIC, bytes)?).map_err(|_| LoadError::Damaged)?;
        let compounds = saved.compounds.iter().map(|bytes| Compound::from_bytes(bytes));
        let compounds = compounds.collect::<Result<Vec<_>, _>>()?;
        let weaknesses = Weaknesses::read(&saved.weaknesses)?;
        let commands = saved.commands.into_iter().map(|command| command.command(&compounds, &weaknesses));
        Ok(Log {
            options: saved.options,
            materials: saved.materials,
            gravity: saved.gravity,
            dt: saved.dt,
            commands: commands.collect::<Option<_>>().ok_or(LoadError::Damaged)?,
        })
    }
}

const MAGIC: [u8; 4] = *b"smLg";

impl Command {
    /// Does it. What was refused then is refused now.
    pub fn apply(&self, world: &mut World) {
        match self {
            Command::Add(new) => drop(world.add((**new).clone())),
            Command::Remove(id) => drop(world.remove(*id)),
            Command::Hit(hit) => _ = world.hit(hit),
            Command::Explode(explosion) => _ = world.explode(explosion),
            Command::AddGround(height, friction) => world.add_ground(*height, *friction),
            Command::RaiseDust(options) => _ = world.raise_dust(*options),
            Command::ShedDebris(options) => _ = world.shed_debris(*options),
            Command::Step(turn) => world.step_as(*turn),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct SavedLog {
    options: Options,
    materials: Vec<Material>,
    gravity: DVec3,
    dt: f32,
    compounds: Vec<Vec<u8>>,
    weaknesses: Vec<Vec<u8>>,
    commands: Vec<SavedCommand>,
}

#[derive(Serialize, Deserialize)]
enum SavedCommand {
    Add {
        compound: u32,
        pose: Pose,
        velocity: DVec3,
        spin: DVec3,
        material: MaterialId,
        anchors: Vec<[DVec3; 2]>,
        weakness: Option<u32>,
    },
    Remove(BodyId),
    Hit(Hit),
    Explode(Explosion),
    AddGround(f64, f64),
    RaiseDust(dust::Options),
    ShedDebris(DebrisOptions),
    Step(Turn),
}

impl SavedCommand {
    fn of(command: &Command, compounds: &mut Compounds, weaknesses: &mut Weaknesses) -> SavedCommand {
        match command {
            Command::Add(new) => SavedCommand::Add {
                compound: compounds.index(&new.compound),
                pose: new.pose,
                velocity: new.velocity,
                spin: new.spin,
                material: new.material,
                anchors: new.anchors.iter().map(|bounds| [bounds.min, bounds.max]).collect(),
                weakness: new.weakness.as_ref().map(|weakness| weaknesses.index(weakness)),
            },
            Command::Remove(id) => SavedCommand::Remove(*id),
            Command::Hit(hit) => SavedCommand::Hit(*hit),
            Command::Explode(explosion) => SavedCommand::Explode(*explosion),
            Command::AddGround(height, friction) => SavedCommand::AddGround(*height, *friction),
            Command::RaiseDust(options) => SavedCommand::RaiseDust(*options),
            Command::ShedDebris(options) => SavedCommand::ShedDebris(*options),
            Command::Step(turn) => SavedCommand::Step(*turn),
        }
    }

    /// None if it speaks of a compound or a weakness that is not there.
    fn command(self, compounds: &[Compound], weaknesses: &[Arc<Weakness>]) -> Option<Command> {
        Some(match self {
            SavedCommand::Add { compound, pose, velocity, spin, material, anchors, weakness } => {
                let compound = compounds.get(compound as usize)?.clone();
                let anchors = anchors.into_iter().map(|[min, max]| Aabb::new(min, max)).collect();
                let weakness = Weaknesses::at(weaknesses, weakness)?.cloned();
                let new = NewBody { compound, pose, velocity, spin, material, anchors, weakness };
                Command::Add(Box::new(new))
            }
            SavedCommand::Remove(id) => Command::Remove(id),
            SavedCommand::Hit(hit) => Command::Hit(hit),
            SavedCommand::Explode(explosion) => Command::Explode(explosion),
            SavedCommand::AddGround(height, friction) => Command::AddGround(height, friction),
            SavedCommand::RaiseDust(options) => Command::RaiseDust(options),
            SavedCommand::ShedDebris(options) => Command::ShedDebris(options),
            SavedCommand::Step(turn) => Command::Step(turn),
        })
    }
}
