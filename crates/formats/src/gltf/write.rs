//! Writing GLB: a tree of nodes with triangles, such as the fragments of a fracture.

use std::collections::BTreeMap;

use glam::{DVec3, Vec2, Vec3};
use serde_json::{Map, Value, json};
use smithereens_geometry::{Mesh, Slot};

use super::write_buffer::Buffer;
use super::write_material::Materials;
use crate::check::check;
use crate::listed::{Listed, look};
use crate::{Material, Model, WriteError};
use smithereens_geometry::triangulate::Triangulator;

/// What a GLB file is written from.
///
/// ```
/// use smithereens_formats::{GlbNode, GlbPrimitive, GlbScene, Material, write_glb};
/// use glam::{DVec3, Vec3};
/// let triangle = GlbPrimitive {
///     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
///     indices: vec![0, 1, 2],
///     ..GlbPrimitive::default()
/// };
/// let node = GlbNode {
///     name: "fragment 0".into(),
///     translation: DVec3::Y,
///     primitives: vec![triangle],
///     extras: serde_json::json!({ "mass": 2.5 }),
///     ..GlbNode::default()
/// };
/// let scene = GlbScene { nodes: vec![node], materials: vec![Material::default()], ..GlbScene::default() };
/// assert!(write_glb(&scene)?.starts_with(b"glTF"));
/// # Ok::<(), smithereens_formats::WriteError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlbScene {
    /// The nodes at the top.
    pub nodes: Vec<GlbNode>,
    /// The materials that primitives refer to.
    pub materials: Vec<Material>,
    /// Anything about the file as a whole (`asset.extras`); `Null` for nothing.
    pub extras: Value,
}

/// A node of the scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlbNode {
    /// Its name.
    pub name: String,
    /// Where it is in its parent.
    pub translation: DVec3,
    /// Its triangles, one primitive a material.
    pub primitives: Vec<GlbPrimitive>,
    /// Anything about it; `Null` for nothing.
    pub extras: Value,
    /// The nodes that move with it.
    pub children: Vec<GlbNode>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlbPrimitive {
    /// The place of each vertex in its node.
    pub positions: Vec<Vec3>,
    /// The normal of each vertex, or empty: then faces are flat.
    pub normals: Vec<Vec3>,
    /// The texture coordinate of each vertex, origin at the top left, or empty.
    pub uvs: Vec<Vec2>,
    /// The vertices of each triangle, counter-clockwise seen from outside.
    pub indices: Vec<u32>,
    /// Its material, as an index into the scene's.
    pub material: usize,
}

impl GlbScene {
    /// A scene with a node for each named object of a model, or one for all of it. Slots without a material, such
    /// as [`Slot::INTERIOR`], share a default one.
    pub fn from_model(model: &Model) -> Result<GlbScene, WriteError> {
        let mesh = &model.mesh;
        check(mesh)?;
        let mut materials = model.materials.clone();
        let interior = materials.len();
        if mesh.faces.iter().any(|f| f.slot.0 as usize >= interior) {
            materials.push(Material { name: "interior".to_owned(), ..Material::default() });
        }
        let material_of = |slot: Slot| (slot.0 as usize).min(interior);
        // A list of starts rather than the ranges: no face is lost, whatever the ranges leave out.
        let mut starts: Vec<(usize, &str)> =
            model.objects.iter().map(|o| (o.faces.start.min(mesh.faces.len()), o.name.as_str())).collect();
        starts.sort_by_key(|s| s.0);
        if starts.first().is_none_or(|s| s.0 > 0) {
            starts.insert(0, (0, "mesh"));
        }
        let ends = starts.iter().skip(1).map(|s| s.0).chain([mesh.faces.len()]);
        let nodes = starts.iter().zip(ends).filter(|(start, end)| start.0 < *end);
        let nodes = nodes.map(|(&(start, name), end)| GlbNode {
            name: name.to_owned(),
            primitives: primitives(mesh, start..end, material_of),
            ..GlbNode::default()
        });
        Ok(GlbScene { nodes: nodes.collect(), materials, extras: Value::Null })
    }
}

/// The faces as triangles, one primitive a material, each vertex once for each look it has.
fn primitives(
    mesh: &Mesh,
    faces: std::ops::Range<usize>,
    material_of: impl Fn(Slot) -> usize,
) -> Vec<GlbPrimitive> {
    let mut triangulator = Triangulator::default();
    let mut corners: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for face in faces {
        let list = corners.entry(material_of(mesh.faces[face].slot)).or_default();
        list.extend(triangulator.triangles(mesh, face).iter().flatten().map(|&c| c as usize));
    }
    corners.into_iter().map(|(material, corners)| primitive(mesh, &corners, material)).collect()
}

fn primitive(mesh: &Mesh, corners: &[usize], material: usize) -> GlbPrimitive {
    let listed = Listed::of(corners.iter().map(|&corner| look(mesh, corner)));
    let corners: Vec<usize> = listed.firsts.iter().map(|&place| corners[place]).collect();
    let position = |&corner: &usize| mesh.positions[mesh.corners[corner] as usize].as_vec3();
    GlbPrimitive {
        positions: corners.iter().map(position).collect(),
        normals: corners.iter().filter_map(|&corner| mesh.normals.get(corner).copied()).collect(),
        uvs: corners.iter().filter_map(|&corner| mesh.uvs.get(corner).copied()).collect(),
        indices: listed.index,
        material,
    }
}

/// Writes a scene as GLB, textures inside. What comes out follows the rules of the Khronos validator: aligned views, bounds of
/// positions, unit normals, nothing empty. Primitives without triangles are left out.
pub fn write_glb(scene: &GlbScene) -> Result<Vec<u8>, WriteError> {
    write_with_bodies(scene, &[])
}

/// The same with bodies to load back as they are, each a name and its bytes.
pub(super) fn write_with_bodies(
    scene: &GlbScene,
    bodies: &[(String, Vec<u8>)],
) -> Result<Vec<u8>, WriteError> {
    let mut writer =
        Writer { scene, bodies, buffer: Buffer::default(), nodes: Vec::new(), meshes: Vec::new() };
    let top = scene.nodes.iter().map(|node| writer.node(node)).collect::<Result<Vec<_>, _>>()?;
    let materials = Materials::of(&scene.materials)?;
    writer.finish(top, materials)
}

struct Writer<'a> {
    scene: &'a GlbScene,
    bodies: &'a [(String, Vec<u8>)],
    buffer: Buffer,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
}

impl Writer<'_> {
    /// Writes a node and those below it; returns its index.
    fn node(&mut self, node: &GlbNode) -> Result<usize, WriteError> {
        if !node.translation.is_finite() {
            return inconsistent(node, format!("its translation is {}", node.translation));
        }
        let mut value = Map::new();
        insert_text(&mut value, "name", &node.name);
        insert_extras(&mut value, &node.extras);
        if node.translation != DVec3::ZERO {
            value.insert("translation".into(), json!(node.translation.to_array()));
        }
        let primitives = node.primitives.iter().filter(|p| !p.indices.is_empty());
        let primitives = primitives.map(|p| self.primitive(node, p)).collect::<Result<Vec<_>, _>>()?;
        if !primitives.is_empty() {
            value.insert("mesh".into(), json!(self.meshes.len()));
            let mut mesh = Map::new();
            insert_text(&mut mesh, "name", &node.name);
            mesh.insert("primitives".into(), primitives.into());
            self.meshes.push(mesh.into());
        }
        let index = self.nodes.len();
        self.nodes.push(Value::Null);
        let children = node.children.iter().map(|c| self.node(c)).collect::<Result<Vec<_>, _>>()?;
        insert_list(&mut value, "children", children);
        self.nodes[index] = value.into();
        Ok(index)
    }

    fn primitive(&mut self, node: &GlbNode, p: &GlbPrimitive) -> Result<Value, WriteError> {
        check_primitive(node, p, self.scene.materials.len())?;
        let mut attributes = Map::new();
        attributes.insert("POSITION".into(), json!(self.buffer.positions(&p.positions)));
        if !p.normals.is_empty() {
            attributes.insert("NORMAL".into(), json!(self.buffer.normals(&unit_normals(p))));
        }
        let textured = self.scene.materials.get(p.material).is_some_and(is_textured);
        if !p.uvs.is_empty() {
            attributes.insert("TEXCOORD_0".into(), json!(self.buffer.uvs(&p.uvs)));
        } else if textured {
            // A material with textures must not meet a primitive without coordinates.
            let zeros = vec![Vec2::ZERO; p.positions.len()];
            attributes.insert("TEXCOORD_0".into(), json!(self.buffer.uvs(&zeros)));
        }
        let indices = self.buffer.indices(&p.indices, p.positions.len());
        Ok(json!({ "attributes": attributes, "indices": indices, "material": p.material }))
    }

    fn finish(self, top: Vec<usize>, materials: Materials) -> Result<Vec<u8>, WriteError> {
        let images = materials.images.iter().map(|i| &i.bytes[..]);
        let finished = self.buffer.finish(images.chain(self.bodies.iter().map(|b| &b.1[..])))?;
        let mut asset = Map::new();
        asset.insert("version".into(), json!("2.0"));
        asset.insert("generator".into(), json!("smithereens"));
        insert_extras(&mut asset, &self.scene.extras);
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
        if !self.bodies.is_empty() {
            used.push("SMITHEREENS_body");
            let first = finished.first_image + materials.images.len();
            let names = self.bodies.iter().map(|b| &b.0).zip(first..);
            let bodies: Vec<Value> =
                names.map(|(n, view)| json!({ "name": n, "bufferView": view })).collect();
            root.insert("extensions".into(), json!({ "SMITHEREENS_body": { "bodies": bodies } }));
        }
        insert_list(&mut root, "extensionsUsed", used);
        insert_list(&mut root, "images", materials.image_list(finished.first_image));
        insert_list(&mut root, "nodes", self.nodes);
        insert_list(&mut root, "meshes", self.meshes);
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

fn check_primitive(node: &GlbNode, p: &GlbPrimitive, materials: usize) -> Result<(), WriteError> {
    let vertices = p.positions.len();
    if let Some(vertex) = p.positions.iter().position(|v| !v.is_finite()) {
        return Err(WriteError::NotFinite { place: place(node), vertex });
    }
    for (what, count) in [("normals", p.normals.len()), ("uvs", p.uvs.len())] {
        if count != 0 && count != vertices {
            return inconsistent(node, format!("{count} {what} for {vertices} vertices"));
        }
    }
    if let Some(vertex) = p.uvs.iter().position(|uv| !uv.is_finite()) {
        return inconsistent(node, format!("the texture coordinate of vertex {vertex} is not finite"));
    }
    if !p.indices.len().is_multiple_of(3) {
        return inconsistent(node, format!("{} indices are no triangles", p.indices.len()));
    }
    if let Some(index) = p.indices.iter().find(|&&i| i as usize >= vertices) {
        return inconsistent(node, format!("a triangle refers to vertex {index} of {vertices}"));
    }
    if p.material >= materials {
        return inconsistent(node, format!("it refers to material {} of {materials}", p.material));
    }
    Ok(())
}

fn place(node: &GlbNode) -> String {
    format!("node \"{}\"", node.name)
}

fn inconsistent<T>(node: &GlbNode, problem: String) -> Result<T, WriteError> {
    Err(WriteError::Inconsistent { place: place(node), problem })
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
fn unit_normals(p: &GlbPrimitive) -> Vec<Vec3> {
    let mut normals: Vec<Vec3> =
        p.normals.iter().map(|n| n.as_dvec3().normalize_or_zero().as_vec3()).collect();
    if normals.iter().all(|n| *n != Vec3::ZERO) {
        return normals;
    }
    let mut around = vec![DVec3::ZERO; normals.len()];
    for t in p.indices.chunks_exact(3) {
        let [a, b, c] = [t[0], t[1], t[2]].map(|i| p.positions[i as usize].as_dvec3());
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

fn insert_text(map: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        map.insert(key.into(), json!(text));
    }
}

fn insert_extras(map: &mut Map<String, Value>, extras: &Value) {
    if !extras.is_null() {
        map.insert("extras".into(), extras.clone());
    }
}

/// Lists of a glTF document must not be empty: they are left out instead.
fn insert_list<T: Into<Value>>(map: &mut Map<String, Value>, key: &str, list: Vec<T>) {
    if !list.is_empty() {
        map.insert(key.into(), list.into());
    }
}
