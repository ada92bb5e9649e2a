//! Stills with no GPU and no display, for documents, golden images and contact sheets.
//!
//! [`Scene`] takes triangles ([`Surface`]) and [`Material`]s; [`render`] casts rays at them and gives an [`Image`],
//! which writes itself as PNG. On the way:
//!
//! 1. `scene` drops what cannot be drawn, and counts it;
//! 2. `split` and `plan` sort triangles into a tree, once for each `shape` however often it is placed; `bvh` and `ray` find the
//!    first on a ray, without gaps between neighbours;
//! 3. `material` gives the point hit its colour, grain and normals;
//! 4. `studio` lights it: a soft sun, a sky with occlusion, light from the floor;
//! 5. `haze` lays dust over it: [`Sprite`]s with the look of `billow`s, added up in the slices of a `veil`, lit and casting a shadow;
//! 6. `render` averages the samples of each pixel, more where they disagree, and may share the sky between pixels of one surface, its
//!    `facet`s; `tone` fits the light to the screen.
//!
//! The same scene and options give the same bytes, on any number of threads, in debug and in release: samples are
//! hashed from the pixel's index, sums have a fixed order, and functions beyond square roots come from `libm`.
//! `tests/pictures.rs` pins it.

mod billow;
mod bvh;
mod camera;
mod error;
mod facet;
mod grain;
mod haze;
mod image;
mod material;
mod plan;
mod ray;
mod render;
mod sampling;
mod scene;
mod shape;
mod sheet;
mod split;
mod studio;
mod tone;
mod veil;

pub use camera::Camera;
pub use error::Error;
pub use grain::Grain;
pub use haze::Sprite;
pub use image::Image;
pub use render::{Options, render, render_with_progress};
pub use scene::{Backdrop, Ground, Material, Scene, Sky, Sun, Surface};
pub use shape::Shape;
pub use sheet::contact_sheet;
