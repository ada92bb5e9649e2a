//! Compounds that fall, collide and break, on Rapier.
//!
//! ```text
//! step ──contacts──▶ Watch ──harder than the material──▶ hits ──fracture, under a budget──▶ fragments ──▶ bodies
//! ```
//!
//! 1. A [`Body`] is a compound with a rigid body: its pieces are the colliders, its mass is exact. While a piece reaches into one of its
//!    anchors, it is held.
//! 2. Rapier steps. A [`Watch`] reads which contacts were hard, and where.
//! 3. What was hit harder than its [`Material`] is strong breaks: how hard decides the pattern, how far it reaches and how fine it is. A
//!    [`Hit`] by a call and an [`Explosion`] break too.
//!    What is known to break by nature comes apart along its faults instead (its [`Weakness`](modes::Weakness)).
//! 4. Fractures run in turn, all at once or within a budget a step. Fragments inherit the velocity their place had.
//! 5. What bears more than its material does comes apart along its joints, if [`Options::stress`] is on, and what nothing holds any more falls.
//! 6. Faces that were laid open give off dust, if it is wanted: a [`Cloud`] has it.
//! 7. What is too small to be a body falls down as chips, if they are wanted: [`Debris`] has them.
//!
//! A [`World`] does it all. If you step Rapier yourself, lend its sets to a [`Destruction`]: its watch is the event handler, and
//! [`Destruction::after_step`] follows each step.

mod body;
mod carry;
mod chip;
mod cloud;
mod collide;
mod convert;
mod cover;
mod crumb;
mod debris;
mod destruction;
mod ductile;
mod event;
mod faceted;
mod fibres;
mod flight;
mod gap;
mod grit;
mod hash;
mod jobs;
mod load;
mod log;
mod lump;
mod material;
mod materials;
mod motion;
mod nature;
mod options;
mod outline;
mod physics;
mod plastic;
mod pose;
mod punch;
mod record;
mod rest;
mod saved;
pub mod scene;
mod shape;
mod shelf;
mod sides;
mod skeleton;
mod spawn;
mod surroundings;
mod trigger;
mod turn;
mod vacant;
mod watch;
mod world;

pub use body::{Body, BodyId, MaterialId};
pub use chip::{Chip, ChipShape, chip_shapes};
pub use cloud::Cloud;
pub use debris::{Debris, DebrisError, DebrisOptions};
pub use destruction::{Destruction, Explosion, NewBody, SpawnError};
pub use ductile::Bends;
pub use event::{Event, Retired};
pub use fibres::Fibres;
pub use log::{Command, Log};
pub use material::{Break, Look, Material};
pub use options::Options;
pub use physics::Physics;
pub use pose::Pose;
pub use record::{ChipTrack, Recorder, Track};
pub use saved::LoadError;
pub use smithereens_dust as dust;
pub use smithereens_modes as modes;
pub use trigger::Hit;
pub use turn::Turn;
pub use watch::Watch;
pub use world::{StepTimes, World};
