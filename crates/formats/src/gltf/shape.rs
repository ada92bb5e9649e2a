//! What is seen of actors: triangles that share their vertices with other shapes where they can.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use serde_json::{Map, Value};
use smithereens_geometry::{Mesh, Slot};

use super::write::primitives;
use super::write_document::{DocumentWriter, Lists, check_triangles, check_vertices};
use crate::WriteError;
use crate::check::check_at;

/// What is seen of an actor, in its own frame of reference.
///
/// Whatever is shared is written once: a shape by all actors that hold it, vertices by all shapes that do. A body that loses a part goes
/// on as a shape with the same vertices and fewer triangles.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use smithereens_formats::{Shape, Triangles, Vertices};
/// let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
/// let vertices = std::sync::Arc::new(Vertices { positions, ..Vertices::default() });
/// let part = |indices: &[u32]| Triangles { vertices: vertices.clone(), indices: indices.to_vec(), material: 0 };
/// let whole = Shape { parts: vec![part(&[0, 1, 2, 1, 3, 2])] };
/// let rest = Shape { parts: vec![part(&[0, 1, 2])] };
/// assert!(std::sync::Arc::ptr_eq(&whole.parts[0].vertices, &rest.parts[0].vertices));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Its triangles: some for each material.
    pub parts: Vec<Triangles>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// What they lie between; there may be more than they use.
    pub vertices: Arc<Vertices>,
    /// The vertices of each triangle, counter-clockwise seen from outside.
    pub indices: Vec<u32>,
    /// Their material, as an index into those of the recording.
    pub material: usize,
}

/// Vertices as parallel lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertices {
    /// Where each is.
    pub positions: Vec<Vec3>,
    /// The normal of each, or empty: then faces are flat.
    pub normals: Vec<Vec3>,
    /// The texture coordinate of each, origin at the top left, or empty.
    pub uvs: Vec<Vec2>,
}

impl Shape {
    /// The shape of a mesh. Slots are materials; that of those beyond, such as [`Slot::INTERIOR`], is the last of so many.
    pub fn from_mesh(mesh: &Mesh, materials: usize) -> Result<Shape, WriteError> {
        check_at("mesh", mesh)?;
        let material_of = |slot: Slot| (slot.0 as usize).min(materials.saturating_sub(1));
        let parts = primitives(mesh, 0..mesh.faces.len(), material_of).into_iter().map(|p| Triangles {
            vertices: Arc::new(Vertices { positions: p.positions, normals: p.normals, uvs: p.uvs }),
            indices: p.indices,
            material: p.material,
        });
        Ok(Shape { parts: parts.collect() })
    }
}

/// The shapes and vertices that are written, by where they are in memory: never iterated.
#[derive(Default)]
pub(super) struct WrittenShapes {
    meshes: BTreeMap<*const Shape, Option<usize>>,
    /// Vertices without texture coordinates of their own are written with some if the material wants them.
    attributes: BTreeMap<(*const Vertices, bool), Map<String, Value>>,
}

impl WrittenShapes {
    /// The mesh of a shape, written if it was not before; none if it has no triangles. Errors name the place.
    pub(super) fn mesh(
        &mut self,
        document: &mut DocumentWriter,
        place: &str,
        name: &str,
        shape: &Arc<Shape>,
    ) -> Result<Option<usize>, WriteError> {
        if let Some(&known) = self.meshes.get(&Arc::as_ptr(shape)) {
            return Ok(known);
        }
        let parts = shape.parts.iter().filter(|part| !part.indices.is_empty());
        let parts = parts.map(|part| self.triangles(document, place, part)).collect::<Result<Vec<_>, _>>()?;
        let written = document.mesh_of(name, parts);
        self.meshes.insert(Arc::as_ptr(shape), written);
        Ok(written)
    }

    fn triangles(
        &mut self,
        document: &mut DocumentWriter,
        place: &str,
        part: &Triangles,
    ) -> Result<Value, WriteError> {
        let Vertices { positions, normals, uvs } = &*part.vertices;
        check_triangles(place, &part.indices, positions.len())?;
        let textured = document.is_textured(place, part.material)?;
        let key = (Arc::as_ptr(&part.vertices), textured && uvs.is_empty());
        let attributes = match self.attributes.entry(key) {
            Entry::Occupied(written) => written.into_mut(),
            Entry::Vacant(new) => {
                let lists = Lists { positions, normals, uvs };
                check_vertices(place, &lists)?;
                new.insert(document.attributes(&lists, &part.indices, textured))
            }
        };
        Ok(document.triangles(attributes, &part.indices, positions.len(), part.material))
    }
}
