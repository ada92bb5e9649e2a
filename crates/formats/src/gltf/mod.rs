//! glTF 2.0 and its binary container GLB.
//!
//! Read with a schema of our own: the `gltf` crate's accessors overflow and panic on counts that lie.

mod accessor;
mod animation;
mod body;
mod document;
mod keyframes;
mod material;
mod primitive;
mod read;
mod scene;
mod schema;
mod shape;
mod write;
mod write_buffer;
mod write_document;
mod write_material;

pub use animation::{Actor, Pose, Recording, write_recording};
pub use body::{Body, BodyFile, read_bodies, write_bodies};
pub use keyframes::Deviation;
pub use read::read_gltf;
pub use shape::{Shape, Triangles, Vertices};
pub use write::{GlbNode, GlbPrimitive, GlbScene, write_glb};
