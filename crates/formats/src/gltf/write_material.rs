//! Materials as a glTF document says them, their images collected for the binary chunk.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{AlphaMode, Filter, Image, Material, Sampler, Texture, Wrap, WriteError};

/// The lists of a document that materials fill.
#[derive(Default)]
pub(super) struct Materials {
    pub(super) materials: Vec<Value>,
    pub(super) textures: Vec<Value>,
    pub(super) samplers: Vec<Value>,
    pub(super) images: Vec<Arc<Image>>,
    pub(super) emissive_strength_used: bool,
}

impl Materials {
    pub(super) fn of(materials: &[Material]) -> Result<Materials, WriteError> {
        let mut lists = Materials::default();
        for material in materials {
            let value = lists.material(material)?;
            lists.materials.push(value);
        }
        Ok(lists)
    }

    fn material(&mut self, m: &Material) -> Result<Value, WriteError> {
        let mut pbr = Map::new();
        pbr.insert("baseColorFactor".into(), json!(m.base_color.map(unit)));
        pbr.insert("metallicFactor".into(), json!(unit(m.metallic)));
        pbr.insert("roughnessFactor".into(), json!(unit(m.roughness)));
        self.texture(&mut pbr, "baseColorTexture", &m.base_color_texture, None)?;
        self.texture(&mut pbr, "metallicRoughnessTexture", &m.metallic_roughness_texture, None)?;
        let mut value = Map::new();
        value.insert("pbrMetallicRoughness".into(), pbr.into());
        if !m.name.is_empty() {
            value.insert("name".into(), json!(m.name));
        }
        if m.double_sided {
            value.insert("doubleSided".into(), json!(true));
        }
        self.texture(&mut value, "normalTexture", &m.normal_texture, Some("scale"))?;
        self.texture(&mut value, "occlusionTexture", &m.occlusion_texture, Some("strength"))?;
        self.texture(&mut value, "emissiveTexture", &m.emissive_texture, None)?;
        self.emissive(&mut value, m.emissive);
        alpha(&mut value, m.alpha);
        Ok(value.into())
    }

    /// Factors end at 1: what is brighter takes an extension.
    fn emissive(&mut self, value: &mut Map<String, Value>, light: [f32; 3]) {
        let light = light.map(|c| if c.is_finite() { c.max(0.0) } else { 0.0 });
        let strength = light.into_iter().fold(1.0, f32::max);
        if light != [0.0; 3] {
            value.insert("emissiveFactor".into(), json!(light.map(|c| unit(c / strength))));
        }
        if strength > 1.0 {
            self.emissive_strength_used = true;
            let extension = json!({ "KHR_materials_emissive_strength": { "emissiveStrength": strength } });
            value.insert("extensions".into(), extension);
        }
    }

    fn texture(
        &mut self,
        value: &mut Map<String, Value>,
        key: &str,
        texture: &Option<Texture>,
        strength_key: Option<&str>,
    ) -> Result<(), WriteError> {
        let Some(texture) = texture else { return Ok(()) };
        let source = self.image(&texture.image)?;
        let sampler = index_of(&mut self.samplers, sampler(&texture.sampler));
        let index = index_of(&mut self.textures, json!({ "source": source, "sampler": sampler }));
        let mut reference = json!({ "index": index });
        match strength_key {
            Some("strength") => reference["strength"] = json!(unit(texture.strength)),
            Some(key) if texture.strength.is_finite() => reference[key] = json!(texture.strength),
            _ => {}
        }
        value.insert(key.into(), reference);
        Ok(())
    }

    fn image(&mut self, image: &Arc<Image>) -> Result<usize, WriteError> {
        match image.mime() {
            Some("image/png" | "image/jpeg") => {}
            other => {
                let kind = other.unwrap_or("of an unknown format");
                return Err(WriteError::Texture { name: image.name.clone(), kind });
            }
        }
        let known = self.images.iter().position(|i| Arc::ptr_eq(i, image) || i == image);
        Ok(known.unwrap_or_else(|| {
            self.images.push(image.clone());
            self.images.len() - 1
        }))
    }

    /// The document's list of images, which are buffer views from `first_view` on.
    pub(super) fn image_list(&self, first_view: usize) -> Vec<Value> {
        let entry = |(i, image): (usize, &Arc<Image>)| json!({ "bufferView": first_view + i, "mimeType": image.mime(), "name": image.name });
        self.images.iter().enumerate().map(entry).collect()
    }
}

/// The place of a value in a list, added where it is new.
fn index_of(list: &mut Vec<Value>, value: Value) -> usize {
    list.iter().position(|known| *known == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

/// glTF's factors lie between 0 and 1, and JSON has no NaN.
fn unit(value: f32) -> f32 {
    if value.is_nan() { 1.0 } else { value.clamp(0.0, 1.0) }
}

fn alpha(value: &mut Map<String, Value>, alpha: AlphaMode) {
    match alpha {
        AlphaMode::Opaque => {}
        AlphaMode::Mask { cutoff } => {
            value.insert("alphaMode".into(), json!("MASK"));
            value.insert("alphaCutoff".into(), json!(unit(cutoff)));
        }
        AlphaMode::Blend => {
            value.insert("alphaMode".into(), json!("BLEND"));
        }
    }
}

fn sampler(sampler: &Sampler) -> Value {
    let wrap = |w| match w {
        Wrap::Repeat => 10497,
        Wrap::Clamp => 33071,
        Wrap::Mirror => 33648,
    };
    let mut value = json!({ "wrapS": wrap(sampler.wrap_u), "wrapT": wrap(sampler.wrap_v) });
    if let Some(filter) = sampler.magnify {
        value["magFilter"] = json!(if filter == Filter::Nearest { 9728 } else { 9729 });
    }
    if let Some(minify) = sampler.minify {
        value["minFilter"] = json!(match (minify.pixels, minify.levels) {
            (Filter::Nearest, None) => 9728,
            (Filter::Linear, None) => 9729,
            (Filter::Nearest, Some(Filter::Nearest)) => 9984,
            (Filter::Linear, Some(Filter::Nearest)) => 9985,
            (Filter::Nearest, Some(Filter::Linear)) => 9986,
            (Filter::Linear, Some(Filter::Linear)) => 9987,
        });
    }
    value
}
