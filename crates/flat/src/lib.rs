//! Bodies in the plane that fall, collide and break, on Rapier: the world to `smithereens_planar`'s geometry.
//!
//! ```text
//! step ──contacts──▶ harder than the material, a hit, a projectile, too much load ──fracture──▶ fragments ──▶ bodies, debris
//! ```
//!
//! After Karo and Yu, *Fracture Simulation via Convex Decomposition in Two Dimensions*, and the twin of `smithereens_simulate`: the same words.
//!
//! 1. A [`Body`] is a compound with a rigid body: its pieces are the colliders, its mass is exact. While a piece reaches into one of its
//!    anchors, it is held.
//! 2. A [`World`] steps. Contacts harder than a [`Material`] is strong break it; how hard decides the pattern, how far it reaches and how fine it is.
//! 3. [`World::fracture`] is a click: a [`Hit`] with a pattern of one's own, say, of a [`Library`]. [`World::fire`] shoots projectiles that nothing
//!    deflects. What is known to break by nature comes apart along its faults instead.
//! 4. Fragments inherit the velocity that their place had, and are pushed apart. What is too small to be a body is [`Debris`].
//! 5. What bears more than its material does comes apart along its bonds, if [`Options::stress`] is on.
//! 6. [`World::grab`] drags bodies by a spring. [`History`] undoes.
//! 7. [`draw`] makes stills of it, as SVG, PNG and GIF.
//! 8. A [`Scene`](scene::Scene) is a text file with all of that in it, and the text of what a world has become.
//!
//! The same input and seed give the same bits, on any number of threads. Nothing here panics on what a user can cause, prints, or touches
//! global state or files.

mod body;
mod contact;
mod convert;
mod debris;
mod drag;
pub mod draw;
mod event;
mod hash;
mod history;
mod hit;
mod load;
mod material;
mod materials;
mod motion;
mod options;
mod outline;
mod pose;
mod recipe;
mod replace;
mod saved;
pub mod scene;
mod shot;
mod skeleton;
mod spawn;
mod watch;
mod world;

pub use body::{Body, BodyId, MaterialId};
pub use debris::{Chip, Debris};
pub use event::{Cause, Event, Retired};
pub use history::History;
pub use hit::{Hit, HitError, Push, Turning};
pub use material::{Break, Choice, Look, Material};
pub use options::{Options, OptionsError};
pub use outline::{Loop, Outline};
pub use pose::Pose;
pub use recipe::{Library, Named, PatternFileError, PatternKind, Recipe};
pub use saved::LoadError;
pub use shot::{Projectile, Shot};
pub use smithereens_planar as planar;
pub use spawn::{NewBody, SpawnError};
pub use world::{StepTimes, World};
