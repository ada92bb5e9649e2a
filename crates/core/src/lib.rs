//! Break any solid along any pattern, where it was hit.

mod bond;
mod compound;
mod fracture;
pub mod pattern;
mod piece;
mod visible;

pub use bond::Bond;
pub use compound::{Compound, CompoundError};
pub use fracture::{
    Dropped, Exposed, Fracture, FractureError, FractureJob, FractureOptions, Fragment, Impact, Progress,
    Report, StageTimes, fracture,
};
pub use piece::Piece;
pub use smithereens_geometry::*;
