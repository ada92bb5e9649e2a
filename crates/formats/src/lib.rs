//! Meshes in and out of files: OBJ, OFF, PLY, STL, glTF and GLB.
//!
//! ```text
//! bytes ──read_obj, read_off, read_ply, read_stl, read_gltf──▶ Model ──write_…──▶ bytes ──write_atomically──▶ file
//! ```
//!
//! [`read()`] and [`write()`] go by the file's ending. Readers keep what a fracture needs: polygons as polygons,
//! normals and texture coordinates per corner, a material slot per face, textures as the bytes they are.
//! They trust no byte: any input gives a model or a [`ReadError`] that names the culprit, in time and memory
//! that follow from the size of the file, not from what it declares.
//!
//! Fragments are written as a [`GlbScene`], one node each; compounds prepared for breaking as a [`BodyFile`], which loads back to the bit;
//! what moved and broke over time as a [`Recording`], which Blender and viewers play; the dust of a frame as a cloud of
//! [`CloudPoint`]s ([`write_cloud`]).

mod check;
mod error;
mod files;
mod format;
mod gltf;
mod listed;
mod model;
mod obj;
mod off;
mod ply;
mod stl;
mod text;

pub use error::{ActorProblem, Place, Problem, ReadError, WriteError};
pub use files::{write_atomically, write_together};
pub use format::{Format, read, write};
pub use gltf::{
    Actor, Body, BodyFile, Deviation, GlbNode, GlbPrimitive, GlbScene, Pose, Recording, Shape, Triangles,
    Vertices, read_bodies, read_gltf, write_bodies, write_glb, write_recording,
};
pub use model::{AlphaMode, Filter, Image, Material, Minify, Model, Object, Sampler, Texture, Wrap};
pub use obj::{ObjFiles, read_obj, write_obj};
pub use off::{read_off, write_off};
pub use ply::{CloudPoint, read_ply, write_cloud, write_ply};
pub use stl::{read_stl, write_stl};
