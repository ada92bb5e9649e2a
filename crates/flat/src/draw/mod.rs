//! Stills of a world, with no window: the same picture as SVG, as PNG and as a frame of a GIF, and the same bytes on every machine.
//!
//! ```text
//! World ──draw──▶ Picture (paths) ──svg──▶ text
//!                                └─raster─▶ Image ──png, gif──▶ bytes
//! ```

mod bodies;
mod film;
mod image;
mod palette;
mod picture;
mod raster;
mod svg;

use std::sync::Arc;

use glam::{DAffine2, DVec2};
use smithereens_planar::Aabb;
use smithereens_planar::pattern::Pattern;

use crate::World;
use bodies::Painter;

pub use bodies::base;

pub use film::{Film, FilmError};
pub use image::{Image, sheet};
pub use picture::{Ink, Mark, Picture};

/// What of a world is drawn, and how large.
#[derive(Clone, Debug)]
pub struct DrawOptions {
    /// Width and height, in pixels.
    pub size: [u32; 2],
    /// The box that is seen: its middle is in the middle, and all of it fits. None: all bodies.
    pub view: Option<Aabb>,
    /// Whether there is a grid behind it, a line a metre or so.
    pub grid: bool,
    /// Whether the pieces of bodies are outlined.
    pub pieces: bool,
    /// Whether bonds are drawn, in the colour of how much they bear if stress is looked at.
    pub bonds: bool,
    /// A pattern over it, and where it is: world from pattern.
    pub pattern: Option<(Arc<Pattern>, DAffine2)>,
}

impl Default for DrawOptions {
    fn default() -> DrawOptions {
        DrawOptions { size: [960, 540], view: None, grid: true, pieces: false, bonds: false, pattern: None }
    }
}

/// No picture has more pixels along an axis.
const MOST_PIXELS: u32 = 8192;

/// Draws a world.
///
/// ```
/// use smithereens_flat::draw::{DrawOptions, draw};
/// use smithereens_flat::scene::Scene;
/// let world = Scene::read("[[body]]\nshape = { disc = 1 }\nmaterial = \"brick\"\n")?.world()?;
/// let picture = draw(&world, &DrawOptions { size: [64, 64], ..DrawOptions::default() });
/// assert!(picture.svg().starts_with("<svg"));
/// assert_eq!(picture.image().size(), [64, 64]);
/// # Ok::<(), smithereens_flat::scene::SceneError>(())
/// ```
pub fn draw(world: &World, options: &DrawOptions) -> Picture {
    let size = options.size.map(|pixels| pixels.clamp(1, MOST_PIXELS));
    let view = options.view.unwrap_or_else(|| {
        let all = world.extent();
        if all.is_empty() { Aabb::square(1.0) } else { all.grown(all.extent() * 0.1) }
    });
    let mut painter = Painter::new(world, Camera::new(size, &view));
    if options.grid {
        painter.grid();
    }
    painter.shadows();
    painter.bodies();
    painter.debris();
    painter.projectiles();
    if options.pieces {
        painter.pieces();
    }
    if options.bonds {
        painter.bonds();
    }
    if let Some((pattern, place)) = &options.pattern {
        painter.pattern(pattern, place);
    }
    painter.spring();
    painter.picture
}

/// From the world to pixels: y goes down there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub size: [u32; 2],
    /// Pixels a metre.
    pub scale: f64,
    middle: DVec2,
}

impl Camera {
    fn new(size: [u32; 2], view: &Aabb) -> Camera {
        let pixels = DVec2::new(f64::from(size[0]), f64::from(size[1]));
        let room = view.size().max(DVec2::splat(1e-9));
        Camera { size, scale: (pixels / room).min_element(), middle: view.center() }
    }

    /// A point of the world, in pixels.
    pub fn pixel(&self, point: DVec2) -> DVec2 {
        let away = (point - self.middle) * self.scale;
        DVec2::new(f64::from(self.size[0]) * 0.5 + away.x, f64::from(self.size[1]) * 0.5 - away.y)
    }

    /// A pixel, in the world.
    pub fn world(&self, pixel: DVec2) -> DVec2 {
        let away = pixel - DVec2::new(f64::from(self.size[0]), f64::from(self.size[1])) * 0.5;
        self.middle + DVec2::new(away.x, -away.y) / self.scale
    }
}
