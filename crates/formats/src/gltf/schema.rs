//! The parts of a glTF document that are read, as serde sees them. Everything else is skipped unparsed.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Root {
    pub(super) asset: Asset,
    pub(super) extensions_required: Vec<String>,
    pub(super) scene: Option<usize>,
    pub(super) scenes: Vec<Scene>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<BufferView>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) materials: Vec<Material>,
    pub(super) textures: Vec<Texture>,
    pub(super) images: Vec<Image>,
    pub(super) samplers: Vec<Sampler>,
    pub(super) extensions: Extensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Extensions {
    #[serde(rename = "SMITHEREENS_body")]
    pub(super) body: Option<BodyExtension>,
}

/// Bodies that were prepared for breaking.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct BodyExtension {
    pub(super) bodies: Vec<SavedBody>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SavedBody {
    pub(super) name: String,
    pub(super) buffer_view: usize,
    /// Where it breaks by nature.
    pub(super) modes: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asset {
    pub(super) version: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    pub(super) mode: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) shape: Shape,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Shape {
    #[serde(rename = "SCALAR")]
    Scalar,
    #[serde(rename = "VEC2")]
    Vec2,
    #[serde(rename = "VEC3")]
    Vec3,
    #[serde(rename = "VEC4")]
    Vec4,
    #[serde(other)]
    Matrix,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) byte_length: usize,
    pub(super) uri: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Material {
    pub(super) name: Option<String>,
    pub(super) pbr_metallic_roughness: Pbr,
    pub(super) normal_texture: Option<TextureRef>,
    pub(super) occlusion_texture: Option<TextureRef>,
    pub(super) emissive_texture: Option<TextureRef>,
    pub(super) emissive_factor: Option<[f32; 3]>,
    pub(super) alpha_mode: Option<String>,
    pub(super) alpha_cutoff: Option<f32>,
    pub(super) double_sided: bool,
    pub(super) extensions: MaterialExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Pbr {
    pub(super) base_color_factor: Option<[f32; 4]>,
    pub(super) metallic_factor: Option<f32>,
    pub(super) roughness_factor: Option<f32>,
    pub(super) base_color_texture: Option<TextureRef>,
    pub(super) metallic_roughness_texture: Option<TextureRef>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MaterialExtensions {
    #[serde(rename = "KHR_materials_emissive_strength")]
    pub(super) emissive_strength: Option<EmissiveStrength>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EmissiveStrength {
    pub(super) emissive_strength: Option<f32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureRef {
    pub(super) index: usize,
    #[serde(default)]
    pub(super) tex_coord: u32,
    /// Of normal textures.
    pub(super) scale: Option<f32>,
    /// Of occlusion textures.
    pub(super) strength: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Texture {
    pub(super) source: Option<usize>,
    pub(super) sampler: Option<usize>,
    pub(super) extensions: TextureExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TextureExtensions {
    #[serde(rename = "EXT_texture_webp")]
    pub(super) webp: Option<TextureSource>,
    #[serde(rename = "KHR_texture_basisu")]
    pub(super) basisu: Option<TextureSource>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TextureSource {
    pub(super) source: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Image {
    pub(super) name: Option<String>,
    pub(super) uri: Option<String>,
    pub(super) buffer_view: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Sampler {
    pub(super) mag_filter: Option<u32>,
    pub(super) min_filter: Option<u32>,
    pub(super) wrap_s: Option<u32>,
    pub(super) wrap_t: Option<u32>,
}
