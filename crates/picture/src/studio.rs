//! The light that reaches the eye along a ray: sun, sky and floor on stone.
//!
//! Units: a white surface that faces the sun shows [`Sun::color`](crate::Sun::color); a white surface under an open sky of one
//! colour shows that colour. So no factor of π appears.

use glam::Vec3;

use crate::bvh::Bvh;
use crate::camera::View;
use crate::facet::Facet;
use crate::haze::{Haze, Lights};
use crate::material::{Point, highlight, schlick};
use crate::plan::Plan;
use crate::ray::{Hit, Ray};
use crate::sampling::{Samples, Use, cosine_hemisphere, disc};
use crate::scene::Triangle;
use crate::shape::Part;
use crate::{Error, Options, Scene};

/// The share of blocked sky light that finds its way in by further bounces, times the surface's own colour.
const REBOUND: Vec3 = Vec3::splat(0.4);
/// The share of the scene's size over which the floor next to an object recovers its brightness.
const FLOOR_SHADE: f32 = 0.12;
/// Rays start this share of the scene's size above their surface: some ten times the rounding of a position.
const LIFT: f32 = 2e-6;
/// No triangle has this index.
const NONE: u32 = u32::MAX;

/// What a ray from the eye saw.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Glimpse {
    /// All light.
    pub light: Vec3,
    /// The light of the sky in it, which times the tint is seen.
    pub sky: Vec3,
    pub tint: Vec3,
    /// Where it was, unless it was nowhere.
    pub facet: Option<Facet>,
}

/// A scene, checked and prepared for rays.
pub(crate) struct Studio<'a> {
    scene: &'a Scene,
    /// All triangles, with the number of each part's first.
    parts: Vec<(u32, Part<'a>)>,
    bvh: Bvh,
    view: View,
    up: Vec3,
    sun: Vec3,
    sun_color: Vec3,
    sun_spread: [Vec3; 2],
    zenith: Vec3,
    horizon: Vec3,
    lift: f32,
    shade: f32,
    rays: [u32; 2],
    /// Dust, if there is any.
    haze: Option<Haze>,
}

impl<'a> Studio<'a> {
    pub fn new(scene: &'a Scene, options: &Options) -> Result<Studio<'a>, Error> {
        check_materials(scene)?;
        let sun = scene.sun.direction.normalize_or(Vec3::Y);
        let spread = libm::tanf(scene.sun.angular_radius.clamp(0.0, 1.5));
        let bvh = tree(scene);
        let (min, max) = bvh.bounds().unwrap_or_default();
        let size = (max - min).length();
        let farthest = min.abs().max(max.abs()).max_element();
        let view = scene.camera.view(options.width as f32 / options.height as f32)?;
        let mut studio = Studio {
            scene,
            parts: numbered(scene),
            bvh,
            view,
            up: scene.up.normalize_or(Vec3::Y),
            sun,
            sun_color: scene.sun.color.into(),
            sun_spread: <[Vec3; 2]>::from(sun.any_orthonormal_pair()).map(|axis| axis * spread),
            zenith: scene.sky.zenith.into(),
            horizon: scene.sky.horizon.into(),
            lift: LIFT * (size + farthest),
            shade: FLOOR_SHADE * size,
            rays: [options.shadow_rays.max(1), options.occlusion_rays.max(1)],
            haze: None,
        };
        let lights = Lights { sun, sun_color: studio.sun_color, sky: studio.mean_sky(), up: studio.up };
        studio.haze = Haze::new(scene, options, &view, &lights, &studio.bvh);
        Ok(studio)
    }

    /// The light at a point of the picture: x and y from -1, left and top, to 1.
    pub fn light(&self, x: f32, y: f32, samples: Samples, index: u32) -> Glimpse {
        let direction = self.view.direction(x, y);
        let floor = self.floor_distance(self.view.eye, direction);
        let hit = self.bvh.first_hit(&Ray::new(self.view.eye, direction));
        let glimpse = self.clear_light([x, y], direction, hit, floor, samples, index);
        let Some(haze) = &self.haze else { return glimpse };
        let distance =
            [hit.map(|hit| hit.distance), floor].into_iter().flatten().fold(f32::INFINITY, f32::min);
        let veil = haze.seen(x, y, distance);
        Glimpse { light: glimpse.light * veil.w + veil.truncate(), tint: glimpse.tint * veil.w, ..glimpse }
    }

    /// The light from what a ray meets, as if there were no dust before it.
    fn clear_light(
        &self,
        [x, y]: [f32; 2],
        direction: Vec3,
        hit: Option<Hit>,
        floor: Option<f32>,
        samples: Samples,
        index: u32,
    ) -> Glimpse {
        match (hit, floor) {
            (Some(hit), _) if floor.is_none_or(|floor| hit.distance <= floor) => {
                let triangle = &self.triangle(hit.triangle);
                let material = &self.scene.materials[triangle.material as usize];
                let point = Point::new(triangle, material, &hit, direction);
                let (light, sky) = self.surface(&point, hit.triangle, direction, samples, index);
                let facet = Some(Facet { at: point.lifted, normal: point.facing });
                let exposure = self.scene.exposure;
                Glimpse { light: light * exposure, sky, tint: point.color * exposure, facet }
            }
            (_, Some(floor)) => {
                let at = self.view.eye + direction * floor;
                let (share, sky, whole) = self.floor(at, samples, index);
                let backdrop = self.backdrop(x, y);
                let facet = Some(Facet { at, normal: self.up });
                Glimpse { light: backdrop * share, sky, tint: backdrop / whole, facet }
            }
            _ => Glimpse { light: self.backdrop(x, y), ..Glimpse::default() },
        }
    }

    fn triangle(&self, number: u32) -> Triangle {
        let after = self.parts.partition_point(|(first, _)| *first <= number);
        let (first, part) = &self.parts[after - 1];
        part.triangle((number - first) as usize)
    }

    /// The light of a surface, and that of the sky on it, before it takes its colour.
    fn surface(
        &self,
        point: &Point,
        triangle: u32,
        view: Vec3,
        samples: Samples,
        index: u32,
    ) -> (Vec3, Vec3) {
        let start = point.lifted + point.facing * self.lift;
        let sun = self.sun_share(start, point.normal, triangle, samples, index);
        let (sky, open) = self.sky_light(start, point, triangle, samples, index);
        let cosine = point.normal.dot(self.sun).max(0.0);
        let diffuse = point.color * (self.sun_color * (sun * cosine) + sky);
        let shine = highlight(point, -view, self.sun) * (sun * cosine);
        let mirror = view - point.normal * (2.0 * view.dot(point.normal));
        let reflected = schlick(point.reflectance, -view.dot(point.normal)) * (1.0 - point.roughness) * open;
        (diffuse + self.sun_color * shine + self.surroundings(start, mirror) * reflected, sky)
    }

    /// How much of the sun is seen: 0 to 1.
    fn sun_share(&self, start: Vec3, normal: Vec3, except: u32, samples: Samples, index: u32) -> f32 {
        if normal.dot(self.sun) <= 0.0 {
            return 0.0;
        }
        let [rays, _] = self.rays;
        let seen = (0..rays).filter(|ray| {
            let p = disc(samples.point(index.wrapping_mul(rays).wrapping_add(*ray), Use::Sun));
            let direction = self.sun + self.sun_spread[0] * p.x + self.sun_spread[1] * p.y;
            !self.bvh.blocked(&Ray::new(start, direction), except)
        });
        let share = seen.count() as f32 / rays as f32;
        self.haze.as_ref().map_or(share, |haze| share * haze.sun_through(start))
    }

    /// The light from all around, and the share of it that is not blocked.
    fn sky_light(
        &self,
        start: Vec3,
        point: &Point,
        except: u32,
        samples: Samples,
        index: u32,
    ) -> (Vec3, f32) {
        let [_, rays] = self.rays;
        let (mut light, mut open) = (Vec3::ZERO, 0.0);
        for ray in 0..rays {
            let mut direction = cosine_hemisphere(
                samples.point(index.wrapping_mul(rays).wrapping_add(ray), Use::Sky),
                point.normal,
            );
            // A smooth normal tilts directions into the flat triangle: turn them back out.
            direction -= point.facing * (2.0 * direction.dot(point.facing).min(0.0));
            if self.bvh.blocked(&Ray::new(start, direction), except) {
                light += self.mean_sky() * point.color * REBOUND;
            } else {
                light += self.surroundings(start, direction);
                open += 1.0;
            }
        }
        (light / rays as f32, open / rays as f32)
    }

    /// The light that the floor shows, as a share of what it would show with nothing on it; that of the sky alone; and the light that it
    /// would show.
    fn floor(&self, at: Vec3, samples: Samples, index: u32) -> (Vec3, Vec3, Vec3) {
        let start = at + self.up * self.lift;
        let cosine = self.up.dot(self.sun).max(0.0);
        let sun = self.sun_color * cosine;
        let shown = sun * self.sun_share(start, self.up, NONE, samples, index);
        // What is blocked is summed, not what is open: an empty floor has no noise at all.
        let [_, rays] = self.rays;
        let mut blocked = Vec3::ZERO;
        for ray in 0..rays {
            let direction = cosine_hemisphere(
                samples.point(index.wrapping_mul(rays).wrapping_add(ray), Use::Sky),
                self.up,
            );
            if self.bvh.blocked(&Ray::new(start, direction), NONE) {
                blocked += self.sky(direction) * (1.0 - 0.3 * REBOUND);
            }
        }
        let sky = (self.mean_sky() - blocked / rays as f32).max(Vec3::ZERO);
        let whole = sun + self.mean_sky() + 1e-6;
        ((shown + sky) / whole, sky, whole)
    }

    /// The light from a direction in which no triangle lies: sky above, floor below.
    fn surroundings(&self, start: Vec3, direction: Vec3) -> Vec3 {
        match (self.scene.ground, self.floor_distance(start, direction)) {
            (Some(ground), Some(distance)) => {
                let lit = self.sun_color * self.up.dot(self.sun).max(0.0) + self.mean_sky();
                // Right under an object the floor lies in its shade.
                Vec3::from(ground.color) * lit * (distance / (distance + self.shade + f32::MIN_POSITIVE))
            }
            _ => self.sky(direction),
        }
    }

    fn sky(&self, direction: Vec3) -> Vec3 {
        let height = direction.dot(self.up).clamp(0.0, 1.0);
        self.horizon + (self.zenith - self.horizon) * height
    }

    /// The sky's light on an open floor: the cosine-weighted mean of a linear gradient.
    pub fn mean_sky(&self) -> Vec3 {
        self.horizon + (self.zenith - self.horizon) * (2.0 / 3.0)
    }

    /// How far along a ray the floor is, seen from above.
    fn floor_distance(&self, start: Vec3, direction: Vec3) -> Option<f32> {
        let above = start.dot(self.up) - self.scene.ground?.height;
        let fall = -direction.dot(self.up);
        (above >= 0.0 && fall > 0.0).then(|| above / fall)
    }

    fn backdrop(&self, x: f32, y: f32) -> Vec3 {
        let backdrop = &self.scene.backdrop;
        let down = (0.5 * y + 0.5).clamp(0.0, 1.0);
        let blend = down * down * (3.0 - 2.0 * down);
        let color = Vec3::from(backdrop.top) * (1.0 - blend) + Vec3::from(backdrop.bottom) * blend;
        color * (1.0 - backdrop.vignette * (0.5 * (x * x + y * y)).min(1.0))
    }
}

fn check_materials(scene: &Scene) -> Result<(), Error> {
    let count = scene.materials.len();
    let loose = scene.triangles.iter().map(|t| t.material);
    let mut used = loose.chain(scene.placed.iter().filter_map(|placed| placed.shape.last_material));
    match used.find(|&material| material as usize >= count) {
        Some(material) => Err(Error::Material { material: material as usize, count }),
        None => Ok(()),
    }
}

fn tree(scene: &Scene) -> Bvh {
    let loose = Plan::new(&scene.triangles);
    let plans = [&loose].into_iter().chain(scene.placed.iter().map(|placed| &placed.shape.plan));
    Bvh::new(&plans.zip(scene.parts()).collect::<Vec<_>>())
}

/// The parts of a scene, each with the number of its first triangle.
fn numbered<'a>(scene: &'a Scene) -> Vec<(u32, Part<'a>)> {
    let number = |next: &mut u32, part: Part<'a>| {
        let first = *next;
        *next += part.triangles.len() as u32;
        Some((first, part))
    };
    scene.parts().scan(0, number).collect()
}
