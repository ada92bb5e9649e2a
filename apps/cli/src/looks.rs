//! What the outside and the inside look like where the model does not say.

use glam::DVec3;
use smithereens_formats::Material;

/// Warm stone, linear.
const STONE: [f32; 4] = [0.25, 0.185, 0.135, 1.0];
/// The same stone, freshly broken.
const FRESH_STONE: [f32; 4] = [0.6, 0.5, 0.38, 1.0];

/// The model's materials; a file without any gives one default, which becomes stone.
pub fn exterior(mut materials: Vec<Material>) -> Vec<Material> {
    if materials.is_empty() {
        materials.push(Material::default());
    }
    for material in materials.iter_mut().filter(|m| **m == Material::default()) {
        *material = stone();
    }
    materials
}

/// Warm stone.
pub fn stone() -> Material {
    Material { name: "exterior".to_owned(), base_color: STONE, roughness: 0.85, ..Material::default() }
}

/// The outside and the inside of what is made of a material.
pub fn of_material(made_of: &smithereens_simulate::Material) -> Vec<Material> {
    let smithereens_simulate::Look { colour, interior, roughness } = made_of.look;
    let material = |part: &str, [r, g, b]: [f32; 3], roughness: f32| Material {
        name: format!("{} {part}", made_of.name),
        base_color: [r, g, b, 1.0],
        roughness,
        ..Material::default()
    };
    vec![material("outside", colour, roughness), material("inside", interior, 1.0)]
}

/// The materials of a model, with the inside of what it is made of; a model that says nothing looks like that outside, too.
pub fn of_model(model: Vec<Material>, made_of: Vec<Material>) -> Vec<Material> {
    let mut all = model;
    for material in all.iter_mut().filter(|m| **m == stone()) {
        *material = made_of[0].clone();
    }
    all.extend(made_of.into_iter().last());
    all
}

/// The material of cut faces: the given sRGB colour, or a lighter and rougher tone of the model's first one.
pub fn interior(materials: &[Material], color: Option<DVec3>) -> Material {
    let base_color = match (color, materials.first()) {
        (Some(color), _) => {
            let [r, g, b] = color.to_array().map(linear);
            [r, g, b, 1.0]
        }
        (None, Some(first)) if first.base_color_texture.is_none() && first.base_color != STONE => {
            let [r, g, b, _] = first.base_color.map(|c| c + (0.9 - c) * 0.55);
            [r, g, b, 1.0]
        }
        _ => FRESH_STONE,
    };
    Material { name: "interior".to_owned(), base_color, roughness: 1.0, ..Material::default() }
}

fn linear(srgb: f64) -> f32 {
    let linear = if srgb <= 0.04045 { srgb / 12.92 } else { libm::pow((srgb + 0.055) / 1.055, 2.4) };
    linear as f32
}
