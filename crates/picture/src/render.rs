//! The picture: every pixel the mean of its own samples, so that threads cannot change it.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use crate::sampling::{Samples, Use, tent};
use crate::studio::Studio;
use crate::{Error, Image, Scene, tone};

/// How large and how fine a picture is. Time goes with pixels × samples × (1 + rays).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Rays from the eye for each pixel, at first; powers of two are spread best. 0 counts as 1, here and below.
    pub samples: u32,
    /// Rays from the eye for a pixel that stays noisy: at edges, in soft shadows, in cracks.
    pub most_samples: u32,
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
        Options {
            width: 1280,
            height: 720,
            samples: 4,
            most_samples: 32,
            shadow_rays: 1,
            occlusion_rays: 2,
            seed: 0,
        }
    }
}

/// The standard error, as a share of its brightness, below which a pixel is done.
const NOISE: f32 = 0.08;
/// How far noise in one pixel makes its neighbours suspect, in pixels.
const NEIGHBOURS: u32 = 2;

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
    let tell = || {
        let done = rows_done.fetch_add(1, Ordering::Relaxed) + 1;
        progress(done as f32 / (2 * options.height) as f32);
    };
    let mut draft = vec![Sum::default(); options.width as usize * options.height as usize];
    let first = options.samples.clamp(1, most_samples(options));
    in_tiles(&mut draft, options, &tell, |sum, x, y| sum.extend(&studio, options, x, y, first));
    in_tiles(image.pixels_mut(), options, &tell, |bytes, x, y| {
        *bytes = tone::pixel(refine(&studio, options, &draft, x, y));
    });
    Ok(image)
}

/// The side of a tile, in pixels.
const TILE: usize = 8;

/// Works on all pixels, tile after tile: rays of neighbours go the same ways, through what is still near in memory.
fn in_tiles<T: Send>(
    pixels: &mut [T],
    options: &Options,
    tell: &(impl Fn() + Sync),
    work: impl Fn(&mut T, u32, u32) + Sync,
) {
    let width = options.width as usize;
    pixels.par_chunks_mut(TILE * width).enumerate().for_each(|(band, pixels)| {
        for left in (0..width).step_by(TILE) {
            for (row, pixels) in pixels.chunks_exact_mut(width).enumerate() {
                let tile = &mut pixels[left..(left + TILE).min(width)];
                for (column, pixel) in tile.iter_mut().enumerate() {
                    work(pixel, (left + column) as u32, (band * TILE + row) as u32);
                }
            }
        }
        (0..pixels.len() / width).for_each(|_| tell());
    });
}

/// The light of a pixel: its draft, and where that or a neighbour's is noisy, more samples until they agree. The
/// neighbours are asked because few samples may agree by chance: such pixels would stand out as specks.
fn refine(studio: &Studio<'_>, options: &Options, draft: &[Sum], x: u32, y: u32) -> Vec3 {
    let (width, most) = (options.width, most_samples(options));
    let mut sum = draft[(y * width + x) as usize];
    let rows = y.saturating_sub(NEIGHBOURS)..=(y + NEIGHBOURS).min(options.height - 1);
    let columns = x.saturating_sub(NEIGHBOURS)..=(x + NEIGHBOURS).min(width - 1);
    let settled = |(row, column): (u32, u32)| draft[(row * width + column) as usize].is_settled();
    if rows.flat_map(|row| columns.clone().map(move |column| (row, column))).all(settled) {
        return sum.mean();
    }
    loop {
        sum.extend(studio, options, x, y, sum.count.saturating_mul(2).min(most));
        if sum.count == most || sum.is_settled() {
            return sum.mean();
        }
    }
}

fn most_samples(options: &Options) -> u32 {
    options.most_samples.max(1)
}

fn sample_light(
    studio: &Studio<'_>,
    options: &Options,
    x: u32,
    y: u32,
    samples: Samples,
    index: u32,
) -> Vec3 {
    let lens = samples.point(index, Use::Lens);
    let px = (x as f32 + 0.5 + tent(lens.x)) * (2.0 / options.width as f32) - 1.0;
    let py = (y as f32 + 0.5 + tent(lens.y)) * (2.0 / options.height as f32) - 1.0;
    // One blinding highlight must not decide a whole pixel: it would sparkle.
    studio.light(px, py, samples, index).min(Vec3::splat(4.0))
}

/// Samples added up, and how far their brightness strays.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    light: Vec3,
    brightness: f32,
    squares: f32,
    count: u32,
}

impl Sum {
    /// Adds samples of a pixel until there are `end`.
    fn extend(&mut self, studio: &Studio<'_>, options: &Options, x: u32, y: u32, end: u32) {
        let samples = Samples::of_pixel(y * options.width + x, options.seed);
        while self.count < end {
            self.add(sample_light(studio, options, x, y, samples, self.count));
        }
    }

    fn mean(&self) -> Vec3 {
        self.light / self.count as f32
    }

    fn add(&mut self, light: Vec3) {
        let brightness = light.dot(Vec3::new(0.2126, 0.7152, 0.0722));
        self.light += light;
        self.brightness += brightness;
        self.squares += brightness * brightness;
        self.count += 1;
    }

    /// Whether the mean is as sure as the eye can tell. The eye sees ratios, but not in the dark.
    fn is_settled(&self) -> bool {
        let count = self.count as f32;
        let mean = self.brightness / count;
        let variance = (self.squares / count - mean * mean).max(0.0);
        let visible = NOISE * (mean + 0.05);
        variance <= visible * visible * count
    }
}
