//! OBJ, Wavefront's text format, with its material files.

mod mtl;
mod read;
mod write;

pub use read::read_obj;
pub use write::{ObjFiles, write_obj};
