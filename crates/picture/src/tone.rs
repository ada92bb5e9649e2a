//! From light to pixels: the Khronos PBR Neutral tone curve, then sRGB.
//!
//! The curve is from "Khronos PBR Neutral Tone Mapper" (2024): colours up to `START` keep their hue and
//! brightness, so that a grey stone stays that grey; only highlights are compressed and desaturated. It is
//! algebra only, hence the same on every machine.

use std::sync::LazyLock;

use glam::Vec3;

const START: f32 = 0.8 - 0.04;
const DESATURATION: f32 = 0.15;

/// The linear value of each sRGB byte.
pub(crate) static SRGB_TO_LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0)));

/// The pixel that shows a linear colour.
pub(crate) fn pixel(light: Vec3) -> [u8; 3] {
    let shown = compress(light.max(Vec3::ZERO));
    shown.to_array().map(|c| (srgb_from_linear(c.clamp(0.0, 1.0)) * 255.0 + 0.5) as u8)
}

fn compress(color: Vec3) -> Vec3 {
    let low = color.min_element();
    let offset = if low < 0.08 { low - 6.25 * low * low } else { 0.04 };
    let color = color - offset;
    let peak = color.max_element();
    if peak < START {
        return color;
    }
    let room = 1.0 - START;
    let new_peak = 1.0 - room * room / (peak + room - START);
    let faded = 1.0 - 1.0 / (DESATURATION * (peak - new_peak) + 1.0);
    (color * (new_peak / peak)) * (1.0 - faded) + Vec3::splat(new_peak) * faded
}

fn srgb_from_linear(c: f32) -> f32 {
    if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * libm::powf(c, 1.0 / 2.4) - 0.055 }
}

fn linear_from_srgb(c: f32) -> f32 {
    if c <= 0.040_45 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_the_way_to_linear_and_back() {
        for byte in 0..=255_u8 {
            let back = srgb_from_linear(SRGB_TO_LINEAR[byte as usize]) * 255.0 + 0.5;
            assert_eq!(back as u8, byte);
        }
    }

    #[test]
    fn brighter_light_is_never_darker_and_never_wraps() {
        let mut last = 0;
        for step in 0..2000 {
            let [r, ..] = pixel(Vec3::splat(step as f32 * 0.01));
            assert!(r >= last);
            last = r;
        }
        assert!(last >= 250);
        assert_eq!(pixel(Vec3::splat(f32::NAN)).len(), 3);
    }
}
