//! Break any solid along any pattern, where it was hit.

mod bond;
mod compound;
pub mod pattern;
mod piece;

pub use bond::Bond;
pub use compound::{Compound, CompoundError};
pub use piece::Piece;
pub use smithereens_geometry::*;
