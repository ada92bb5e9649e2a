//! Dust in the picture: what it hides, how it is lit, and the shadow it casts.
//!
//! The same sprites are seen from three sides: from the eye, to be drawn; from the sun and from above, to know how much light gets to a point through all
//! that is before it.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::billow::Billows;
use crate::bvh::Bvh;
use crate::camera::View;
use crate::ray::Ray;
use crate::veil::{Patch, Veil};
use crate::{Options, Scene};

/// A soft, round patch of dust that faces the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprite {
    /// Its centre.
    pub at: Vec3,
    /// How far it reaches, all around.
    pub radius: f32,
    /// How far its look is turned about the view, in radians.
    pub turn: f32,
    /// The share of light that its middle holds back: 0 to 1.
    pub opacity: f32,
    /// The share of light it throws back, linear.
    pub color: [f32; 3],
    /// One of several looks; any number.
    pub variant: u32,
}

/// The most columns of the eye's veil: about those of a picture of 1000 x 600, at half its size.
const MOST_COLUMNS: f32 = 150_000.0;
/// Columns along the longer side of the veils of sun and sky.
const SIDE_COLUMNS: f32 = 112.0;
/// The most that a sprite holds back in its middle, as an optical depth.
const DENSEST: f32 = 6.0;
/// How much brighter the side towards the sun is.
const BRIGHT: f32 = 0.45;
/// The part of sunlight that has gone astray in the dust, and so reaches what lies in its own shade.
const ASTRAY: f32 = 0.25;
/// How much of the light that falls on dust comes back on the side it came from.
const BACK: f32 = 0.55;

/// All sprites of a scene, ready to be looked at.
pub(crate) struct Haze {
    eye: Veil,
    columns: [f32; 2],
    sun: Side,
}

/// Sprites from a side that is far away.
struct Side {
    veil: Veil,
    axes: [Vec3; 3],
    corner: [f32; 2],
    scale: f32,
}

/// What lights dust.
pub(crate) struct Lights {
    pub sun: Vec3,
    pub sun_color: Vec3,
    pub sky: Vec3,
    pub up: Vec3,
}

impl Haze {
    /// None if there is no dust.
    pub fn new(scene: &Scene, options: &Options, view: &View, lights: &Lights, bvh: &Bvh) -> Option<Haze> {
        let sprites: Vec<&Sprite> = scene.sprites.iter().filter(|sprite| sprite.is_visible()).collect();
        if sprites.is_empty() {
            return None;
        }
        let billows = Billows::new();
        let sun = Side::new(&sprites, lights.sun, &billows);
        let above = Side::new(&sprites, lights.up, &billows);
        let glow = |sprite: &&Sprite| {
            let direct = sun.through(sprite.at);
            let lit = sprite.lit(lights.sun, bvh);
            let straight = direct * lit;
            let astray = ASTRAY * direct.sqrt().sqrt() * (0.5 + 0.5 * lit);
            let sky = lights.sky * (0.4 + 0.6 * above.through(sprite.at));
            let light = lights.sun_color * (straight * (1.0 - ASTRAY) + astray) * BACK + sky * BACK;
            (Vec3::from(sprite.color).max(Vec3::ZERO) * light * scene.exposure, straight)
        };
        let glows: Vec<(Vec3, f32)> = sprites.par_iter().with_min_len(256).map(glow).collect();
        let (width, height) = columns(options);
        let bright = view.plane(lights.sun) * BRIGHT;
        let patches = sprites.iter().zip(glows).filter_map(|(sprite, (glow, lit))| {
            let (place, depth, radius) = view.place(sprite.at, sprite.radius)?;
            let scale = [0.5 * width as f32, 0.5 * height as f32];
            let near = (depth / sprite.radius - 0.3).clamp(0.0, 1.0);
            let mut patch = sprite.patch(depth, near);
            patch.x = (place.x + 1.0) * scale[0];
            patch.y = (place.y + 1.0) * scale[1];
            patch.radius = (radius * scale[1]).max(0.75);
            patch.glow = glow;
            patch.bright = (bright * lit).to_array();
            Some(patch)
        });
        let patches: Vec<Patch> = patches.collect();
        let eye = Veil::new(width, height, depths(&patches), &patches, &billows);
        Some(Haze { eye, columns: [width as f32, height as f32], sun })
    }

    /// Light that is added before a distance at a point of the picture, and the share that gets through from there.
    pub fn seen(&self, x: f32, y: f32, distance: f32) -> Vec4 {
        let [width, height] = self.columns;
        self.eye.at((x + 1.0) * 0.5 * width, (y + 1.0) * 0.5 * height, distance)
    }

    /// The share of the sun's light that gets to a point.
    pub fn sun_through(&self, point: Vec3) -> f32 {
        self.sun.through(point)
    }
}

impl Sprite {
    fn is_visible(&self) -> bool {
        let is_sound = self.at.abs().max_element() < 1e6 && self.radius > 0.0 && self.radius < 1e6;
        is_sound && self.opacity > 0.0 && self.turn.is_finite() && self.color.iter().all(|c| c.is_finite())
    }

    /// The share of it that the sun shines on: asked at the corners of a tetrahedron, as its middle alone would be lit or not.
    fn lit(&self, sun: Vec3, bvh: &Bvh) -> f32 {
        let reach = 0.35 * self.radius;
        let corners =
            [Vec3::ONE, Vec3::new(1.0, -1.0, -1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(-1.0, -1.0, 1.0)];
        let open =
            corners.iter().filter(|way| !bvh.blocked(&Ray::new(self.at + **way * reach, sun), u32::MAX));
        0.25 * open.count() as f32
    }

    /// As it is at some depth, with a part of its density; where and how large it is seen is up to the side.
    fn patch(&self, depth: f32, part: f32) -> Patch {
        let (sine, cosine) = libm::sincosf(self.turn);
        let dense = -libm::logf(1.0 - self.opacity.min(0.999));
        Patch {
            x: 0.0,
            y: 0.0,
            depth,
            radius: 0.0,
            thickness: self.radius,
            dense: part * dense.min(DENSEST),
            glow: Vec3::ZERO,
            turn: [sine, cosine],
            variant: self.variant,
            bright: [0.0; 2],
        }
    }
}

impl Side {
    /// As seen from far away in a direction.
    fn new(sprites: &[&Sprite], from: Vec3, billows: &Billows) -> Side {
        let (right, up) = from.any_orthonormal_pair();
        let axes = [right, up, -from];
        let places = sprites.iter().map(|sprite| (axes.map(|axis| axis.dot(sprite.at)), sprite.radius));
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for (place, radius) in places.clone() {
            (0..3).for_each(|axis| low[axis] = low[axis].min(place[axis] - radius));
            (0..3).for_each(|axis| high[axis] = high[axis].max(place[axis] + radius));
        }
        let longest = (high[0] - low[0]).max(high[1] - low[1]);
        let scale = SIDE_COLUMNS / longest;
        let size = [0, 1].map(|axis| ((high[axis] - low[axis]) * scale) as usize + 1);
        let patch = |(place, sprite): ([f32; 3], &&Sprite)| Patch {
            x: (place[0] - low[0]) * scale,
            y: (place[1] - low[1]) * scale,
            radius: (sprite.radius * scale).max(0.75),
            ..sprite.patch(place[2], 1.0)
        };
        let patches: Vec<Patch> = places.map(|(place, _)| place).zip(sprites).map(patch).collect();
        let veil = Veil::new(size[0], size[1], [low[2], high[2]], &patches, billows);
        Side { veil, axes, corner: [low[0], low[1]], scale }
    }

    /// The share of light from this side that gets to a point.
    fn through(&self, point: Vec3) -> f32 {
        let [x, y, depth] = self.axes.map(|axis| axis.dot(point));
        self.veil.at((x - self.corner[0]) * self.scale, (y - self.corner[1]) * self.scale, depth).w
    }
}

/// Half a picture's size, or less if that is too much.
fn columns(options: &Options) -> (usize, usize) {
    let (width, height) = (0.5 * options.width as f32, 0.5 * options.height as f32);
    let scale = (MOST_COLUMNS / (width * height)).sqrt().min(1.0);
    ((width * scale).ceil() as usize, (height * scale).ceil() as usize)
}

/// From the nearest to the farthest that any reaches.
fn depths(patches: &[Patch]) -> [f32; 2] {
    let near = patches.iter().map(|patch| patch.depth - patch.thickness).fold(f32::INFINITY, f32::min);
    let far = patches.iter().map(|patch| patch.depth + patch.thickness).fold(f32::NEG_INFINITY, f32::max);
    if near < far { [near.max(0.0), far] } else { [0.0, 1.0] }
}
