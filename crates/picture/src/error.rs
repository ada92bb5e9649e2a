//! What can be wrong with a request for a picture.

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The picture would have no pixels, or more than a PNG can address.
    #[error("a picture of {width}x{height} pixels cannot be drawn: both sides must be 1 to {max}", max = crate::Image::MAX_SIDE)]
    Size {
        /// Asked for.
        width: u32,
        /// Asked for.
        height: u32,
    },
    /// The bytes handed over are not three for each pixel.
    #[error("an image of {width}x{height} pixels needs {expected} bytes, three a pixel, but got {got}")]
    Bytes {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Three times the number of pixels.
        expected: usize,
        /// Bytes handed over.
        got: usize,
    },
    /// The camera has no direction: its eye is its target, its `up` lies along the view, or a number is not finite.
    #[error(
        "the camera at {eye} cannot look at {target}: they must be finite and apart, and `up` across the view"
    )]
    Camera {
        /// Where the eye is.
        eye: glam::Vec3,
        /// What it should look at.
        target: glam::Vec3,
    },
    /// A triangle names a material that the scene does not have.
    #[error("a surface uses material {material}, but the scene has {count}: push it to `Scene::materials`")]
    Material {
        /// The index used.
        material: usize,
        /// How many there are.
        count: usize,
    },
    /// A contact sheet needs at least one image.
    #[error("a contact sheet of no images has no size: pass at least one")]
    NoImages,
    /// The bytes are not a PNG that can be read.
    #[error("not a readable PNG: {0}")]
    Png(#[from] png::DecodingError),
    /// The PNG is of a kind that no texture needs.
    #[error("PNG of colour type {0:?} is not supported: save it as 8-bit grey or RGB, with or without alpha")]
    PngKind(png::ColorType),
    /// The file could not be written.
    #[error("cannot write the picture: {0}")]
    Io(#[from] std::io::Error),
}
