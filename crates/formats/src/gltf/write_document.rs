//! The document of a GLB as it grows: meshes and nodes first, then all that is around them.

use glam::{DVec3, Vec2, Vec3};
use serde_json::{Map, Value, json};

use super::GlbPrimitive;
use super::body::BodyBytes;
use super::write_buffer::Buffer;
use super::write_material::Materials;
use crate::{Material, WriteError};

/// A document that is being written.
pub(super) struct DocumentWriter<'a> {
    materials: &'a [Material],
    pub(super) buffer: Buffer,
    pub(super) nodes: Vec<Value>,
    meshes: Vec<Value>,
    pub(super) animations: Vec<Value>,
}

impl<'a> DocumentWriter<'a> {
    pub(super) fn new(materials: &'a [Material]) -> DocumentWriter<'a> {
        DocumentWriter {
            materials,
            buffer: Buffer::default(),
            nodes: Vec::new(),
            meshes: Vec::new(),
            animations: Vec::new(),
        }
    }

    /// Writes a mesh; returns its index, or `None` if it has no triangles. Errors name the place.
    pub(super) fn mesh(
        &mut self,
        place: &str,
        name: &str,
        primitives: &[GlbPrimitive],
    ) -> Result<Option<usize>, WriteError> {
        let primitives = primitives.iter().filter(|p| !p.indices.is_empty());
        let primitives = primitives.map(|p| self.primitive(place, p)).collect::<Result<Vec<_>, _>>()?;
        Ok(self.mesh_of(name, primitives))
    }

    /// Writes a mesh of primitives that are written; returns its index, or `None` if there are none.
    pub(super) fn mesh_of(&mut self, name: &str, primitives: Vec<Value>) -> Option<usize> {
        if primitives.is_empty() {
            return None;
        }
        let mut mesh = Map::new();
        insert_text(&mut mesh, "name", name);
        mesh.insert("primitives".into(), primitives.into());
        self.meshes.push(mesh.into());
        Some(self.meshes.len() - 1)
    }

    fn primitive(&mut self, place: &str, p: &GlbPrimitive) -> Result<Value, WriteError> {
        let vertices = Lists { positions: &p.positions, normals: &p.normals, uvs: &p.uvs };
        check_vertices(place, &vertices)?;
        check_triangles(place, &p.indices, p.positions.len())?;
        let attributes = self.attributes(&vertices, &p.indices, self.is_textured(place, p.material)?);
        Ok(self.triangles(&attributes, &p.indices, p.positions.len(), p.material))
    }

    /// Writes vertices that were checked; the triangles around those without a normal give it to them.
    pub(super) fn attributes(
        &mut self,
        vertices: &Lists<'_>,
        indices: &[u32],
        textured: bool,
    ) -> Map<String, Value> {
        let mut attributes = Map::new();
        attributes.insert("POSITION".into(), json!(self.buffer.positions(vertices.positions)));
        if !vertices.normals.is_empty() {
            let normals = unit_normals(vertices, indices);
            attributes.insert("NORMAL".into(), json!(self.buffer.normals(&normals)));
        }
        if !vertices.uvs.is_empty() {
            attributes.insert("TEXCOORD_0".into(), json!(self.buffer.uvs(vertices.uvs)));
        } else if textured {
            // A material with textures must not meet a primitive without coordinates.
            let zeros = vec![Vec2::ZERO; vertices.positions.len()];
            attributes.insert("TEXCOORD_0".into(), json!(self.buffer.uvs(&zeros)));
        }
        attributes
    }

    /// Writes triangles over vertices that are written.
    pub(super) fn triangles(
        &mut self,
        attributes: &Map<String, Value>,
        indices: &[u32],
        vertices: usize,
        material: usize,
    ) -> Value {
        let indices = self.buffer.indices(indices, vertices);
        json!({ "attributes": attributes, "indices": indices, "material": material })
    }

    /// Whether a material, which must be there, has textures.
    pub(super) fn is_textured(&self, place: &str, material: usize) -> Result<bool, WriteError> {
        let count = self.materials.len();
        let found = self.materials.get(material).map(is_textured);
        found.map_or_else(|| inconsistent(place, format!("it refers to material {material} of {count}")), Ok)
    }

    /// The whole file: `top` are the nodes of the scene, `extras` is about all of it, and bodies are each a name and
    /// its bytes.
    pub(super) fn finish(
        self,
        top: Vec<usize>,
        extras: &Value,
        bodies: &[BodyBytes],
    ) -> Result<Vec<u8>, WriteError> {
        let materials = Materials::of(self.materials)?;
        let images = materials.images.iter().map(|i| &i.bytes[..]);
        let finished = self.buffer.finish(images.chain(bodies.iter().flat_map(BodyBytes::views)))?;
        let mut asset = Map::new();
        asset.insert("version".into(), json!("2.0"));
        asset.insert("generator".into(), json!("smithereens"));
        insert_extras(&mut asset, extras);
        let mut root = Map::new();
        root.insert("asset".into(), asset.into());
        if !top.is_empty() {
            root.insert("scene".into(), json!(0));
            root.insert("scenes".into(), json!([{ "nodes": top }]));
        }
        let mut used = Vec::new();
        if materials.emissive_strength_used {
            used.push("KHR_materials_emissive_strength");
        }
        if !bodies.is_empty() {
            used.push("SMITHEREENS_body");
            let first = finished.first_image + materials.images.len();
            let bodies = BodyBytes::list(bodies, first);
            root.insert("extensions".into(), json!({ "SMITHEREENS_body": { "bodies": bodies } }));
        }
        insert_list(&mut root, "extensionsUsed", used);
        insert_list(&mut root, "images", materials.image_list(finished.first_image));
        insert_list(&mut root, "nodes", self.nodes);
        insert_list(&mut root, "meshes", self.meshes);
        insert_list(&mut root, "animations", self.animations);
        insert_list(&mut root, "accessors", finished.accessors);
        insert_list(&mut root, "bufferViews", finished.views);
        insert_list(&mut root, "materials", materials.materials);
        insert_list(&mut root, "textures", materials.textures);
        insert_list(&mut root, "samplers", materials.samplers);
        if !finished.bytes.is_empty() {
            root.insert("buffers".into(), json!([{ "byteLength": finished.bytes.len() }]));
        }
        container(Value::from(root).to_string().into_bytes(), finished.bytes)
    }
}

/// The two chunks, padded as each wants it.
fn container(mut document: Vec<u8>, binary: Vec<u8>) -> Result<Vec<u8>, WriteError> {
    document.resize(document.len().next_multiple_of(4), b' ');
    let binary_chunk = if binary.is_empty() { 0 } else { 8 + binary.len() };
    let total = 12 + 8 + document.len() + binary_chunk;
    let word = |n: usize| u32::try_from(n).map(u32::to_le_bytes).map_err(|_| WriteError::TooLarge);
    let mut out = Vec::with_capacity(total);
    out.extend(b"glTF");
    out.extend(2u32.to_le_bytes());
    out.extend(word(total)?);
    out.extend(word(document.len())?);
    out.extend(b"JSON");
    out.extend(document);
    if !binary.is_empty() {
        out.extend(word(binary.len())?);
        out.extend(b"BIN\0");
        out.extend(binary);
    }
    Ok(out)
}

/// Vertices as lists, parallel or empty.
pub(super) struct Lists<'a> {
    pub(super) positions: &'a [Vec3],
    pub(super) normals: &'a [Vec3],
    pub(super) uvs: &'a [Vec2],
}

pub(super) fn check_vertices(place: &str, lists: &Lists<'_>) -> Result<(), WriteError> {
    let vertices = lists.positions.len();
    if let Some(vertex) = lists.positions.iter().position(|v| !v.is_finite()) {
        return Err(WriteError::NotFinite { place: place.to_owned(), vertex });
    }
    for (what, count) in [("normals", lists.normals.len()), ("uvs", lists.uvs.len())] {
        if count != 0 && count != vertices {
            return inconsistent(place, format!("{count} {what} for {vertices} vertices"));
        }
    }
    if let Some(vertex) = lists.uvs.iter().position(|uv| !uv.is_finite()) {
        return inconsistent(place, format!("the texture coordinate of vertex {vertex} is not finite"));
    }
    Ok(())
}

pub(super) fn check_triangles(place: &str, indices: &[u32], vertices: usize) -> Result<(), WriteError> {
    if !indices.len().is_multiple_of(3) {
        return inconsistent(place, format!("{} indices are no triangles", indices.len()));
    }
    if let Some(index) = indices.iter().find(|&&i| i as usize >= vertices) {
        return inconsistent(place, format!("a triangle refers to vertex {index} of {vertices}"));
    }
    Ok(())
}

fn inconsistent<T>(place: &str, problem: String) -> Result<T, WriteError> {
    Err(WriteError::Inconsistent { place: place.to_owned(), problem })
}

fn is_textured(m: &Material) -> bool {
    let textures = [
        &m.base_color_texture,
        &m.metallic_roughness_texture,
        &m.normal_texture,
        &m.occlusion_texture,
        &m.emissive_texture,
    ];
    textures.iter().any(|t| t.is_some())
}

/// Normals must have length one. Those that have none get that of the triangles around.
fn unit_normals(vertices: &Lists<'_>, indices: &[u32]) -> Vec<Vec3> {
    let mut normals: Vec<Vec3> =
        vertices.normals.iter().map(|n| n.as_dvec3().normalize_or_zero().as_vec3()).collect();
    if normals.iter().all(|n| *n != Vec3::ZERO) {
        return normals;
    }
    let mut around = vec![DVec3::ZERO; normals.len()];
    for t in indices.chunks_exact(3) {
        let [a, b, c] = [t[0], t[1], t[2]].map(|i| vertices.positions[i as usize].as_dvec3());
        let area = (b - a).cross(c - a);
        t.iter().for_each(|&i| around[i as usize] += area);
    }
    for (normal, around) in normals.iter_mut().zip(around) {
        if *normal == Vec3::ZERO {
            *normal = around.normalize_or(DVec3::Z).as_vec3();
        }
    }
    normals
}

pub(super) fn insert_text(map: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        map.insert(key.into(), json!(text));
    }
}

pub(super) fn insert_extras(map: &mut Map<String, Value>, extras: &Value) {
    if !extras.is_null() {
        map.insert("extras".into(), extras.clone());
    }
}

/// Lists of a glTF document must not be empty: they are left out instead.
pub(super) fn insert_list<T: Into<Value>>(map: &mut Map<String, Value>, key: &str, list: Vec<T>) {
    if !list.is_empty() {
        map.insert(key.into(), list.into());
    }
}
