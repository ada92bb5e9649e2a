//! Forces through a graph of rigid pieces and elastic joints: what is overloaded, what breaks, what falls.
//!
//! [`Structure`] says what there is: nodes with a mass, some of them held, and joints between them with an area, second moments and a
//! [`Material`]. [`Stress`] takes it, with gravity and [`Load`]s, and tells the [`Forces`] through each joint, and how much of its
//! strength they take. [`Stress::break_overloaded`] breaks joints and redistributes their loads until nothing is overloaded.
//! No physics engine is needed, and nothing of the other crates.
//!
//! ```
//! use glam::DVec3;
//! use smithereens_stress::{Breaking, Joint, Material, Node, Section, Stress, Structure};
//! // A shelf of stone on two pillars: one of them is taken away.
//! let shelf = Node::boxed(DVec3::new(0.0, 1.1, 0.0), DVec3::new(2.0, 0.2, 0.5), 2600.0);
//! let foot = Section::rectangle(DVec3::X * 0.1, DVec3::Z * 0.1);
//! let on = |pillar, x| Joint::new(pillar, 0, DVec3::new(x, 1.0, 0.0), DVec3::Y, foot);
//! let mut stress = Stress::new(Structure {
//!     nodes: vec![shelf, Node::held(DVec3::new(-0.9, 0.5, 0.0)), Node::held(DVec3::new(0.9, 0.5, 0.0))],
//!     joints: vec![on(1, -0.9), on(2, 0.9)],
//!     materials: vec![Material::stone()],
//! })?;
//! stress.set_gravity(DVec3::NEG_Y * 9.81)?;
//! assert!(stress.break_overloaded(&Breaking::default()).joints.is_empty());
//! stress.remove_joint(1)?;
//! assert_eq!(stress.break_overloaded(&Breaking::default()).falling().collect::<Vec<_>>(), [0]);
//! # Ok::<(), smithereens_stress::StressError>(())
//! ```
//!
//! On the way:
//!
//! 1. `link` makes a spring of each joint; `section` knows its axes;
//! 2. `islands` finds what nothing holds, and `balance` takes from its loads what accelerates it as a whole;
//! 3. `gradient` solves by conjugate gradients, preconditioned by `hierarchy`: levels of ever fewer rigid bodies (`aggregate`, `net`, `level`, `sweep`), the
//!    last of them solved directly (`factor`). `bond` is what binds bodies, and `lanes` takes eight at once. `patch` keeps it when joints change, and `local` solves near them first;
//! 4. `contact` opens and closes dry joints, `forces` tells what joints bear, and `breaking` breaks them.
//!
//! The same input gives the same bits, in debug and in release, on whatever thread. The page `docs/algorithms/stress.md` says why it is done so.

mod aggregate;
mod balance;
mod block;
mod bond;
mod breaking;
mod contact;
mod error;
mod factor;
mod forces;
mod gradient;
mod hierarchy;
mod islands;
mod lanes;
mod level;
mod link;
mod local;
mod material;
mod net;
mod patch;
mod precondition;
mod section;
mod stress;
mod structure;
mod sweep;

pub use breaking::{Breaking, Broken};
pub use error::StressError;
pub use forces::{Failure, Forces, Utilisation};
pub use islands::Island;
pub use material::{Hold, Material};
pub use section::Section;
pub use stress::{Load, Options, Solved, Stress};
pub use structure::{Joint, Node, Structure, Support};
