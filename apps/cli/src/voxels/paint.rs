//! The colours of a model's materials, for its voxels.

use glam::{DVec3, Vec2};
use smithereens::Slot;
use smithereens_formats::Material;
use smithereens_picture::Image;
use smithereens_voxel::{Interior, Paint};

use crate::looks;

/// Colours by material slot: a linear factor, and a texture.
pub struct Paints(Vec<([f32; 3], Option<Image>)>);

impl Paints {
    /// Of materials; textures that are no PNG are left out, and counted.
    pub fn of(materials: &[Material]) -> (Paints, usize) {
        let mut unread = 0;
        let paint = |material: &Material| {
            let [r, g, b, _] = material.base_color;
            let texture = material.base_color_texture.as_ref();
            let image = texture.and_then(|texture| Image::from_png(&texture.image.bytes).ok());
            unread += usize::from(texture.is_some() && image.is_none());
            ([r, g, b], image)
        };
        let paints = materials.iter().map(paint).collect();
        (Paints(paints), unread)
    }
}

impl Paint for Paints {
    fn color(&self, slot: Slot, uv: Vec2) -> [u8; 4] {
        let (factor, texture) =
            self.0.get(slot.0 as usize).map_or(([0.5; 3], None), |(f, t)| (*f, t.as_ref()));
        let texel = texture.map_or([255; 3], |image| {
            let at = |x: f32, side: u32| ((x - x.floor()) * side as f32) as u32;
            image.pixel(at(uv.x, image.width()), at(uv.y, image.height()))
        });
        let [r, g, b] = std::array::from_fn(|i| encode(factor[i] * decode(texel[i])));
        [r, g, b, 255]
    }
}

/// What the inside of an object of this extent looks like.
pub fn interior(materials: &[Material], color: Option<DVec3>, extent: f64) -> Interior {
    let [r, g, b, _] = looks::interior(materials, color).base_color;
    Interior::Stone { color: [encode(r), encode(g), encode(b), 255], grain: 0.03 * extent, contrast: 0.25 }
}

fn decode(byte: u8) -> f32 {
    let srgb = f32::from(byte) / 255.0;
    if srgb <= 0.04045 { srgb / 12.92 } else { libm::powf((srgb + 0.055) / 1.055, 2.4) }
}

fn encode(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let srgb =
        if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 };
    (srgb * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_back() {
        for byte in 0..=255 {
            assert_eq!(encode(decode(byte)), byte);
        }
    }
}
