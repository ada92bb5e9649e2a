//! Scenes: surfaces with materials, a camera, and the light of a studio.

use std::sync::Arc;

use glam::{Quat, Vec2, Vec3};

use crate::shape::{Part, Placed};
use crate::{Camera, Grain, Image, Shape, Sprite};

/// Everything in the picture.
///
/// ```
/// use glam::{Vec3, vec3};
/// use smithereens_picture::{Camera, Material, Options, Scene, Surface, render};
/// let mut scene = Scene::default();
/// scene.materials.push(Material::stone([0.4, 0.38, 0.35], 1.0));
/// let positions = [Vec3::ZERO, vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0)];
/// let skipped = scene.push(Surface { positions: &positions, indices: &[0, 1, 2], ..Surface::default() });
/// assert_eq!(skipped, 0);
/// scene.frame(vec3(-1.0, -0.6, -1.5), 4.0 / 3.0);
/// let image = render(&scene, &Options { width: 40, height: 30, ..Options::default() })?;
/// assert_eq!(image.width(), 40);
/// # Ok::<(), smithereens_picture::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scene {
    /// What surfaces are made of; [`Surface::material`] is an index into these.
    pub materials: Vec<Material>,
    /// From where it is seen.
    pub camera: Camera,
    /// What is up: the sky's zenith and the ground's normal.
    pub up: Vec3,
    /// The key light.
    pub sun: Sun,
    /// The fill light.
    pub sky: Sky,
    /// A floor that catches shadows, or none.
    pub ground: Option<Ground>,
    /// What is seen behind everything, and what the floor fades into.
    pub backdrop: Backdrop,
    /// Multiplies all light on objects; 1 shows a white surface in full light just below white.
    pub exposure: f32,
    /// Dust. Sprites that are nowhere, or cannot be seen, are left out.
    pub sprites: Vec<Sprite>,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) placed: Vec<Placed>,
    skipped: usize,
}

/// Triangles to draw, all of one material. Vertex attributes are parallel to the positions, or empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surface<'a> {
    /// Vertex positions.
    pub positions: &'a [Vec3],
    /// A shading normal for each vertex. Triangles are flat where there is none.
    pub normals: &'a [Vec3],
    /// A texture coordinate for each vertex.
    pub uvs: &'a [Vec2],
    /// Three vertices for each triangle; either winding.
    pub indices: &'a [u32],
    /// An index into [`Scene::materials`].
    pub material: usize,
}

/// What a surface is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The share of light it reflects, linear; multiplies the texture.
    pub base_color: [f32; 3],
    /// From 0, a mirror's sharp highlight, to 1, chalk.
    pub roughness: f32,
    /// The strength of reflections at normal incidence: 0.04 for stone, plaster and plastic.
    pub reflectance: f32,
    /// Colours over texture coordinates, repeating.
    pub texture: Option<Arc<Image>>,
    /// Mottling through the volume.
    pub grain: Option<Grain>,
}

impl Material {
    /// A uniform, matt material.
    pub fn matt(base_color: [f32; 3]) -> Material {
        Material { base_color, ..Material::default() }
    }

    /// Rough stone, for an object of this extent: the grain is about a fiftieth of it.
    pub fn stone(base_color: [f32; 3], extent: f32) -> Material {
        let grain = Grain { size: 0.018 * extent, contrast: 0.22, bump: 0.07 };
        Material { base_color, grain: Some(grain), ..Material::default() }
    }
}

impl Default for Material {
    fn default() -> Material {
        Material { base_color: [0.5; 3], roughness: 0.75, reflectance: 0.04, texture: None, grain: None }
    }
}

/// A distant disc of light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// From the scene to the sun; any length.
    pub direction: Vec3,
    /// The light on a surface that faces it, linear.
    pub color: [f32; 3],
    /// Half the angle it covers, in radians. The real sun's is 0.005; a studio lamp's 0.1 gives soft shadows.
    pub angular_radius: f32,
}

impl Default for Sun {
    fn default() -> Sun {
        Sun { direction: Vec3::new(0.55, 0.9, 0.6), color: [1.75, 1.64, 1.5], angular_radius: 0.06 }
    }
}

/// Light from all around above the horizon, changing evenly with height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// The light from straight above, linear.
    pub zenith: [f32; 3],
    /// The light from the horizon.
    pub horizon: [f32; 3],
}

impl Default for Sky {
    fn default() -> Sky {
        Sky { zenith: [0.6, 0.63, 0.68], horizon: [0.38, 0.385, 0.4] }
    }
}

/// An endless floor. It shows the backdrop's colour, darkened where light is kept from it: no horizon is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Where the floor lies along [`Scene::up`].
    pub height: f32,
    /// The share of light it throws back up at objects, linear.
    pub color: [f32; 3],
}

/// The picture's own background: a soft gradient with a pool of light in the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backdrop {
    /// The colour at the upper edge, linear.
    pub top: [f32; 3],
    /// The colour at the lower edge.
    pub bottom: [f32; 3],
    /// How much darker the corners are than the middle: 0 is even.
    pub vignette: f32,
}

impl Default for Backdrop {
    fn default() -> Backdrop {
        Backdrop { top: [0.66, 0.66, 0.66], bottom: [0.86, 0.85, 0.83], vignette: 0.28 }
    }
}

/// A triangle as it is shaded.
#[derive(Clone, Debug)]
pub(crate) struct Triangle {
    pub corners: [Vec3; 3],
    pub normals: Option<[Vec3; 3]>,
    pub uvs: [Vec2; 3],
    pub material: u32,
}

/// Coordinates beyond this overflow single precision when multiplied three times.
const FARTHEST: f32 = 1e12;

impl Scene {
    /// Adds triangles; returns how many of them cannot be drawn: a vertex that is missing or not finite, or no area.
    pub fn push(&mut self, surface: Surface<'_>) -> usize {
        let skipped = triangles_of(&surface, &mut self.triangles);
        self.skipped += skipped;
        skipped
    }

    /// Adds a shape, turned and then moved; returns how many of its triangles cannot be drawn. That is all of them where the pose is not
    /// finite, or too far away.
    pub fn place(&mut self, shape: &Arc<Shape>, turn: Quat, at: Vec3) -> usize {
        let turn = turn.normalize();
        let is_sound = turn.is_finite() && at.abs().max_element() + shape.reach <= FARTHEST;
        let skipped = shape.skipped() + if is_sound { 0 } else { shape.triangles.len() };
        self.placed.extend(is_sound.then(|| Placed::new(shape, turn, at)));
        self.skipped += skipped;
        skipped
    }

    /// How many triangles are drawn.
    pub fn triangle_count(&self) -> usize {
        self.parts().map(|part| part.triangles.len()).sum()
    }

    /// How many triangles of all surfaces and shapes could not be drawn.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// The smallest box around all triangles; `None` when there are none.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.corners().map(|c| (c, c)).reduce(|(min, max), (c, _)| (min.min(c), max.max(c)))
    }

    /// All triangles: those that lie as they were given, then each shape that was placed.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let loose = Part { triangles: &self.triangles, pose: None };
        [loose].into_iter().chain(self.placed.iter().map(Placed::part))
    }

    fn corners(&self) -> impl Iterator<Item = Vec3> {
        self.parts().flat_map(|part| (0..part.triangles.len()).flat_map(move |index| part.corners(index)))
    }

    /// Takes a picture of everything: the camera looks along `direction` and has all in a frame of this width over
    /// height, the ground lies under it, and the sun stands to the left, where it shows shapes and casts shadows to the right.
    pub fn frame(&mut self, direction: Vec3, aspect: f32) {
        if self.triangle_count() == 0 {
            return;
        }
        let up = self.up.normalize_or(Vec3::Y);
        self.camera = Camera::framing_points(self.corners(), direction, up, aspect);
        let height = self.corners().map(|c| c.dot(up)).fold(f32::INFINITY, f32::min);
        self.ground = Some(Ground { height, ..self.ground.unwrap_or_default() });
        self.light();
    }

    /// Puts the sun to the left of the camera, where it shows shapes and casts shadows to the right.
    pub fn light(&mut self) {
        let up = self.up.normalize_or(Vec3::Y);
        let view = self.camera.target - self.camera.eye;
        let right = view.cross(self.camera.up).normalize_or(Vec3::X);
        let level = up.cross(right).normalize_or(Vec3::Z);
        self.sun.direction = up - right * 1.0 - level * 0.12;
    }
}

impl Default for Ground {
    fn default() -> Ground {
        Ground { height: 0.0, color: [0.5, 0.49, 0.47] }
    }
}

impl Default for Scene {
    /// An empty studio: sun over the right shoulder, soft sky, warm grey backdrop, floor at height 0.
    fn default() -> Scene {
        Scene {
            materials: Vec::new(),
            camera: Camera::default(),
            up: Vec3::Y,
            sun: Sun::default(),
            sky: Sky::default(),
            ground: Some(Ground::default()),
            backdrop: Backdrop::default(),
            exposure: 1.0,
            sprites: Vec::new(),
            triangles: Vec::new(),
            placed: Vec::new(),
            skipped: 0,
        }
    }
}

/// Adds the triangles of a surface; returns how many cannot be drawn.
pub(crate) fn triangles_of(surface: &Surface<'_>, into: &mut Vec<Triangle>) -> usize {
    let (triples, rest) = surface.indices.as_chunks::<3>();
    let before = into.len();
    into.extend(triples.iter().filter_map(|triple| triangle(surface, triple)));
    triples.len() - (into.len() - before) + usize::from(!rest.is_empty())
}

fn triangle(surface: &Surface<'_>, triple: &[u32; 3]) -> Option<Triangle> {
    let corners = gather(surface.positions, triple)?;
    if !corners.iter().all(|c| c.abs().max_element() <= FARTHEST) {
        return None;
    }
    let [a, b, c] = corners;
    (b - a).cross(c - a).try_normalize()?;
    let normals = gather(surface.normals, triple).map(|normals| normals.map(|n| n.try_normalize()));
    let normals = match normals {
        Some([Some(a), Some(b), Some(c)]) => Some([a, b, c]),
        _ => None,
    };
    let uvs = gather(surface.uvs, triple).unwrap_or_default();
    Some(Triangle { corners, normals, uvs, material: surface.material as u32 })
}

fn gather<T: Copy>(values: &[T], triple: &[u32; 3]) -> Option<[T; 3]> {
    let [a, b, c] = triple.map(|i| values.get(i as usize).copied());
    Some([a?, b?, c?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_drawn_is_skipped_and_counted() {
        let mut scene = Scene::default();
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN, Vec3::X * 2.0, Vec3::X * 1e30];
        let indices = [0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 99, 0, 2, 5, 1, 2];
        assert_eq!(scene.push(Surface { positions: &positions, indices: &indices, ..Surface::default() }), 5);
        assert_eq!((scene.triangle_count(), scene.skipped()), (1, 5));
        assert_eq!(scene.bounds(), Some((Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0))));
    }

    #[test]
    fn a_triangle_without_usable_normals_is_flat() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
        for normals in [&[][..], &[Vec3::Z; 2], &[Vec3::Z, Vec3::ZERO, Vec3::Z], &[Vec3::NAN; 3]] {
            let mut scene = Scene::default();
            scene.push(Surface { positions: &positions, normals, indices: &[0, 1, 2], ..Surface::default() });
            assert_eq!(scene.triangles[0].normals, None);
        }
    }
}
