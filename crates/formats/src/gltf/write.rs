//! Writing GLB: a tree of nodes with triangles, such as the fragments of a fracture.

use std::collections::BTreeMap;

use glam::{DVec3, Vec2, Vec3};
use serde_json::{Map, Value, json};
use smithereens_geometry::{Mesh, Slot};

use super::body::BodyBytes;
use super::write_document::{DocumentWriter, insert_extras, insert_list, insert_text};
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
pub(super) fn primitives(
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

/// The same with bodies to load back as they are, with what each is made of.
pub(super) fn write_with_bodies(scene: &GlbScene, bodies: &[BodyBytes]) -> Result<Vec<u8>, WriteError> {
    let mut document = DocumentWriter::new(&scene.materials);
    let top = scene.nodes.iter().map(|n| write_node(&mut document, n)).collect::<Result<Vec<_>, _>>()?;
    document.finish(top, &scene.extras, bodies)
}

/// Writes a node and those below it; returns its index.
fn write_node(document: &mut DocumentWriter, node: &GlbNode) -> Result<usize, WriteError> {
    let place = format!("node \"{}\"", node.name);
    if !node.translation.is_finite() {
        let problem = format!("its translation is {}", node.translation);
        return Err(WriteError::Inconsistent { place, problem });
    }
    let mut value = Map::new();
    insert_text(&mut value, "name", &node.name);
    insert_extras(&mut value, &node.extras);
    if node.translation != DVec3::ZERO {
        value.insert("translation".into(), json!(node.translation.to_array()));
    }
    if let Some(mesh) = document.mesh(&place, &node.name, &node.primitives)? {
        value.insert("mesh".into(), json!(mesh));
    }
    let index = document.nodes.len();
    document.nodes.push(Value::Null);
    let children = node.children.iter().map(|c| write_node(document, c)).collect::<Result<Vec<_>, _>>()?;
    insert_list(&mut value, "children", children);
    document.nodes[index] = value.into();
    Ok(index)
}
