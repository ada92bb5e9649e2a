//! The picture: every pixel the mean of its own samples, so that threads cannot change it.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use crate::facet::Facet;
use crate::sampling::{Samples, Use, tent};
use crate::studio::{Glimpse, Studio};
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
    /// How many pixels away a surface still lends its samples of the sky, where it goes on without an edge. With 0 each pixel has only its
    /// own: fine cracks are sharper, and many more samples are needed.
    pub shared_sky: u32,
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
            shared_sky: 0,
            seed: 0,
        }
    }
}

/// The standard error, as a share of its brightness, below which a pixel is done.
const NOISE: f32 = 0.08;
/// As many samples of the sky make it smooth.
const LEAST_SHARED: u32 = 24;
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
    let within = |pixels: u32| {
        let rows = y.saturating_sub(pixels)..=y.saturating_add(pixels).min(options.height - 1);
        let columns = x.saturating_sub(pixels)..=x.saturating_add(pixels).min(width - 1);
        rows.flat_map(move |row| columns.clone().map(move |column| &draft[(row * width + column) as usize]))
    };
    let sky = |sum: &Sum| match options.shared_sky {
        0 => Some(Vec3::ZERO),
        pixels => sum.shared_sky(within(pixels)),
    };
    let neighbours = if options.shared_sky == 0 { NEIGHBOURS } else { 1 };
    if within(neighbours).all(Sum::is_settled)
        && let Some(change) = sky(&sum)
    {
        return sum.mean() + change;
    }
    loop {
        sum.extend(studio, options, x, y, sum.count.saturating_mul(2).min(most));
        let change = sky(&sum);
        if sum.count == most || (sum.is_settled() && change.is_some()) {
            return sum.mean() + change.unwrap_or_default();
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
) -> Glimpse {
    let lens = samples.point(index, Use::Lens);
    let px = (x as f32 + 0.5 + tent(lens.x)) * (2.0 / options.width as f32) - 1.0;
    let py = (y as f32 + 0.5 + tent(lens.y)) * (2.0 / options.height as f32) - 1.0;
    // One blinding highlight must not decide a whole pixel: it would sparkle.
    let glimpse = studio.light(px, py, samples, index);
    Glimpse { light: glimpse.light.min(Vec3::splat(4.0)), ..glimpse }
}

/// Samples added up, and how far their brightness strays.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    light: Vec3,
    brightness: f32,
    squares: f32,
    count: u32,
    sky: Vec3,
    tint: Vec3,
    /// Where the first sample was, if all were on the same surface.
    facet: Option<Facet>,
}

impl Sum {
    /// Adds samples of a pixel until there are `end`.
    fn extend(&mut self, studio: &Studio<'_>, options: &Options, x: u32, y: u32, end: u32) {
        let samples = Samples::of_pixel(y * options.width + x, options.seed);
        let usual_sky = (options.shared_sky > 0).then(|| studio.mean_sky());
        while self.count < end {
            self.add(sample_light(studio, options, x, y, samples, self.count), usual_sky);
        }
    }

    fn mean(&self) -> Vec3 {
        self.light / self.count as f32
    }

    /// Where the sky is shared, its noise is not the pixel's own: it counts as usual.
    fn add(&mut self, glimpse: Glimpse, usual_sky: Option<Vec3>) {
        let light = usual_sky.map_or(glimpse.light, |sky| glimpse.light + glimpse.tint * (sky - glimpse.sky));
        let brightness = light.dot(Vec3::new(0.2126, 0.7152, 0.0722));
        let facet = if self.count == 0 { glimpse.facet } else { self.facet };
        self.facet = facet.filter(|facet| glimpse.facet.is_some_and(|other| facet.goes_on(&other)));
        self.light += glimpse.light;
        self.sky += glimpse.sky;
        self.tint += glimpse.tint;
        self.brightness += brightness;
        self.squares += brightness * brightness;
        self.count += 1;
    }

    /// What changes in the mean by the sky of pixels on the same surface; none if there are too few to ask.
    fn shared_sky<'a>(&self, around: impl Iterator<Item = &'a Sum>) -> Option<Vec3> {
        if self.tint == Vec3::ZERO {
            return Some(Vec3::ZERO);
        }
        let facet = self.facet?;
        let goes_on = |other: &&Sum| other.facet.is_some_and(|other| facet.goes_on(&other));
        let (sky, count) =
            around.filter(goes_on).fold((Vec3::ZERO, 0), |(sky, n), s| (sky + s.sky, n + s.count));
        let change = sky / count as f32 - self.sky / self.count as f32;
        (count >= LEAST_SHARED).then(|| self.tint / self.count as f32 * change)
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
