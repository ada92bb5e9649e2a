//! A still of fragments.

use std::sync::Arc;

use anyhow::Result;
use glam::DVec3;
use smithereens_formats::Material;
use smithereens_picture::{Grain, Image, Options, Scene, Surface, render_with_progress};

use crate::convert;
use crate::drawn::Drawn;
use crate::stages::Tell;

/// How a picture is taken.
#[derive(Clone, Copy, Debug)]
pub struct Shot {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// The way the camera looks.
    pub view: DVec3,
}

/// Takes a picture; returns it as PNG.
pub fn take(drawn: &[Drawn], materials: &[Material], shot: &Shot, progress: &dyn Tell) -> Result<Vec<u8>> {
    let mut scene = Scene::default();
    for fragment in drawn {
        for primitive in &fragment.primitives {
            let positions = convert::world_positions(primitive, fragment.place);
            scene.push(Surface {
                positions: &positions,
                normals: &primitive.normals,
                uvs: &primitive.uvs,
                indices: &primitive.indices,
                material: primitive.material,
            });
        }
    }
    let (min, max) = scene.bounds().unwrap_or_default();
    let extent = (max - min).max_element();
    scene.materials = materials.iter().map(|m| look(m, extent)).collect();
    let (width, height) = shot.size;
    scene.frame(convert::direction(shot.view), width as f32 / height as f32);
    let options = Options { width, height, ..Options::default() };
    let image = render_with_progress(&scene, &options, |share| progress.tell(share))?;
    Ok(image.to_png())
}

/// What is smoother has no grain.
const SMOOTH: f32 = 0.5;

/// What a material looks like on something of this extent.
pub fn look(material: &Material, extent: f32) -> smithereens_picture::Material {
    let [r, g, b, _] = material.base_color;
    let texture = material.base_color_texture.as_ref().and_then(|t| Image::from_png(&t.image.bytes).ok());
    let stone = Grain { size: 0.018 * extent, contrast: 0.2, bump: 0.06 };
    smithereens_picture::Material {
        base_color: [r, g, b],
        roughness: material.roughness,
        grain: (texture.is_none() && material.roughness > SMOOTH).then_some(stone),
        texture: texture.map(Arc::new),
        ..smithereens_picture::Material::default()
    }
}
