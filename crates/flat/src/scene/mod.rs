//! What is wrong with a file of materials, patterns, or a scene.
mod error;
pub use error::SceneError;
pub(crate) use error::line_of;
