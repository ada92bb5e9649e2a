//! The picture: every pixel the mean of its own samples, so that threads cannot change it.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use crate::sampling::{Samples, Use, tent};
use crate::studio::Studio;
use crate::{Error, Image, Scene, tone};

/// How large and how fine a picture is. Time is about proportional to pixels × samples × (1 + rays).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Rays from the eye for each pixel: smooth edges. At least 1 is used; powers of two are spread best.
    pub samples: u32,
    /// Rays to the sun for each sample: smooth shadow borders.
    pub shadow_rays: u32,
    /// Rays to the sky for each sample: smooth occlusion.
    pub occlusion_rays: u32,
    /// Another seed, another noise.
    pub seed: u32,
}

impl Default for Options {
    /// 1280 x 720 in the quality of a document.
    fn default() -> Options {
        Options { width: 1280, height: 720, samples: 8, shadow_rays: 1, occlusion_rays: 2, seed: 0 }
    }
}

/// Draws a scene, on the threads of the rayon pool it is called in.
///
/// The same scene and options give the same bytes, on one thread or many, in debug and in release.
pub fn render(scene: &Scene, options: &Options) -> Result<Image, Error> {
    render_with_progress(scene, options, |_| ())
}

/// Draws a scene, and tells the share done, up to 1, after each row; from several threads, hence not always in order.
pub fn render_with_progress(
    scene: &Scene,
    options: &Options,
    progress: impl Fn(f32) + Sync,
) -> Result<Image, Error> {
    let mut image = Image::filled(options.width, options.height, [0; 3])?;
    let studio = Studio::new(scene, options)?;
    let rows_done = AtomicUsize::new(0);
    let rows = image.rows_mut().enumerate();
    rows.for_each(|(y, row)| {
        for (x, bytes) in row.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            *bytes = tone::pixel(pixel_light(&studio, options, x as u32, y as u32));
        }
        let done = rows_done.fetch_add(1, Ordering::Relaxed) + 1;
        progress(done as f32 / options.height as f32);
    });
    Ok(image)
}

fn pixel_light(studio: &Studio<'_>, options: &Options, x: u32, y: u32) -> Vec3 {
    let samples = Samples::of_pixel(y * options.width + x, options.seed);
    let count = options.samples.max(1);
    let to_picture =
        |pixel: u32, offset: f32, size: u32| (pixel as f32 + 0.5 + tent(offset)) * (2.0 / size as f32) - 1.0;
    let light = (0..count).map(|index| {
        let lens = samples.point(index, Use::Lens);
        let px = to_picture(x, lens.x, options.width);
        let py = to_picture(y, lens.y, options.height);
        // One blinding highlight must not decide a whole pixel: it would sparkle.
        studio.light(px, py, samples, index).min(Vec3::splat(4.0))
    });
    light.sum::<Vec3>() / count as f32
}
