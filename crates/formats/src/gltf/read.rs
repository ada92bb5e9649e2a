//! Reading glTF and GLB.

use std::path::Path;

use smithereens_geometry::{Mesh, Slot};

use super::document::{Document, entry};
use super::primitive::{self, Budget};
use super::scene::{Instance, instances};
use super::{material, schema};
use crate::error::shortened;
use crate::files::Neighbours;
use crate::{Material, Model, Object, Place, Problem, ReadError};

/// Reads a glTF text or a GLB file: the default scene's meshes in world space, with materials and textures.
///
/// Buffers and images outside the file are looked for in `folder`. Files split vertices where attributes differ:
/// vertices at exactly the same place become one again. Skins, morph targets, animations and cameras are skipped.
///
/// ```
/// use smithereens_formats::{GlbScene, Model, read_gltf, read_obj, write_glb};
/// let square = read_obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", None)?;
/// let glb = write_glb(&GlbScene::from_model(&square).unwrap()).unwrap();
/// assert_eq!(read_gltf(&glb, None)?.mesh.area(), 1.0);
/// # Ok::<(), smithereens_formats::ReadError>(())
/// ```
pub fn read_gltf(bytes: &[u8], folder: Option<&Path>) -> Result<Model, ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::Empty);
    }
    let mut neighbours = Neighbours::of(folder);
    let document = Document::read(bytes, &mut neighbours)?;
    let mut model = Model { materials: material::read(&document, &mut neighbours)?, ..Model::default() };
    let mut budget = Budget::full();
    for instance in instances(&document.root)? {
        add(&document, &instance, &mut model, &mut budget)?;
    }
    if model.mesh.faces.is_empty() {
        return Err(ReadError::NoFaces);
    }
    model.mesh.weld();
    model.missing = neighbours.missing;
    Ok(model)
}

fn add(
    document: &Document,
    instance: &Instance,
    model: &mut Model,
    budget: &mut Budget,
) -> Result<(), ReadError> {
    let source = entry(&document.root.meshes, instance.mesh, "mesh")?;
    let start = model.mesh.faces.len();
    for (index, primitive) in source.primitives.iter().enumerate() {
        let place = Place::Thing(format!("mesh {}, primitive {index}", instance.mesh));
        let slot = slot_of(document, primitive, model, &place)?;
        let mut mesh = primitive::read(document, primitive, slot, &place, budget)?;
        mesh.transform(&instance.world_from_mesh);
        check_finite(&mesh, &instance.name)?;
        model.mesh.append(&mesh);
    }
    let end = model.mesh.faces.len();
    if end > start {
        model.objects.push(Object { name: instance.name.clone(), faces: start..end });
    }
    Ok(())
}

/// A primitive without a material gets the default one, which is added after those of the file.
fn slot_of(
    document: &Document,
    primitive: &schema::Primitive,
    model: &mut Model,
    place: &Place,
) -> Result<Slot, ReadError> {
    let count = document.root.materials.len();
    match primitive.material {
        Some(index) if index < count => Ok(Slot(index as u32)),
        Some(index) => place.clone().has(Problem::OutOfRange {
            referrer: "it",
            what: "material",
            index: i64::try_from(index).unwrap_or(i64::MAX),
            count,
            growing: false,
        }),
        None => {
            if model.materials.len() == count {
                model.materials.push(Material::default());
            }
            Ok(Slot(count as u32))
        }
    }
}

/// A file's coordinates are finite by now, but its transforms may be too large for them.
fn check_finite(mesh: &Mesh, node: &str) -> Result<(), ReadError> {
    match mesh.positions.iter().find(|p| !p.is_finite()) {
        None => Ok(()),
        Some(p) => Place::Thing(format!("node \"{}\"", shortened(node)))
            .has(Problem::NotFinite { found: p.to_string() }),
    }
}
