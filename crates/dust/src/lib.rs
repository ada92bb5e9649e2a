//! Dust on a coarse grid of air: sources at broken faces, dragged by bodies, swirled by oriented particles.
//!
//! [`Dust`] is all of a scene's. [`Puff`]s come in from faces that a fracture has exposed, [`Mover`]s drag the air and [`Blocker`]s stand in its way,
//! [`Mote`]s go out to be drawn. A step:
//!
//! 1. `crowd` retires the oldest of too many particles; `window` puts a box of cells around the others, and nowhere else is there any air;
//! 2. `obstacles` marks cells that are full of something, and gives faces their velocities;
//! 3. `advect` lets the air carry itself along; it takes the momentum that dust has lost to it, weight included: dusty air is heavy;
//! 4. `pressure` makes it flow around things and never pile up;
//! 5. each `particle` goes with the air and with the whirls that are too small for cells (`swirl`), sinks, settles and fades.
//!
//! What came in is somewhere: [`Books`] are kept to the last bit. The same calls give the same bits, on any number of threads, in debug and release, and after
//! being saved (`Dust` is `Serialize` and `Deserialize`). Without a `Dust` there is no cost; without dust in it there is next to none.

mod advect;
mod air;
mod blockers;
mod books;
mod convert;
mod crowd;
mod dust;
mod error;
mod grid;
mod lanes;
mod mote;
mod obstacles;
mod options;
mod particle;
mod pressure;
mod puff;
mod random;
mod report;
mod resample;
mod saved;
mod shape;
mod swirl;
mod window;

pub use books::Books;
pub use dust::Dust;
pub use error::Error;
pub use mote::Mote;
pub use options::Options;
pub use puff::Puff;
pub use report::{Clock, Report, Times};
pub use shape::{Blocker, Mover, Shape};
