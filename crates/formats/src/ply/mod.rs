//! PLY, Stanford's polygon format: a header that declares elements, then their values as text or binary.

mod header;
mod points;
mod read;
mod values;
mod write;

pub use points::{CloudPoint, write_cloud};
pub use read::read_ply;
pub use write::write_ply;
