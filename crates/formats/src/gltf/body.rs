//! Bodies: compounds prepared for breaking, in a GLB that any viewer shows.
//!
//! Viewers see what is visible of each compound. Beside that, the extension `SMITHEREENS_body` names a buffer view a compound, which holds the nodes it was
//! decomposed by and all its bits: pieces, identities of planes, bonds, skins; and, if it breaks by nature, another with its modes.

use std::path::Path;

use glam::DVec3;
use serde_json::{Value, json};
use smithereens::{Compound, SavedError};

use super::document::Document;
use super::write::write_with_bodies;
use super::{GlbScene, material};
use crate::files::Neighbours;
use crate::{Material, Model, Object, ReadError, WriteError};

/// A compound with a name, and the nodes it was decomposed by, if any.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its pieces and bonds.
    pub compound: Compound,
    /// Where its nodes are: to go on editing.
    pub nodes: Vec<DVec3>,
    /// Where it breaks by nature, as the crate of fracture modes saves it, if that is known.
    pub modes: Option<Vec<u8>>,
}

/// Bodies, and the materials that the slots of their skins refer to; the last is that of the interior.
#[derive(Clone, Debug, Default)]
pub struct BodyFile {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The materials.
    pub materials: Vec<Material>,
}

/// Writes bodies as GLB.
///
/// ```
/// use smithereens::{Aabb, Compound, Convex};
/// use smithereens_formats::{Body, BodyFile, Material, read_bodies, write_bodies};
/// let compound = Compound::from_convexes(vec![Convex::from_box(&Aabb::cube(1.0))])?;
/// let body = Body { name: "cube".into(), compound, nodes: Vec::new(), modes: None };
/// let file = BodyFile { bodies: vec![body], materials: vec![Material::default()] };
/// let back = read_bodies(&write_bodies(&file)?, None)?.expect("there is a body in it");
/// assert_eq!(back.bodies[0].compound.to_bytes(), file.bodies[0].compound.to_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_bodies(file: &BodyFile) -> Result<Vec<u8>, WriteError> {
    let mut model = Model { materials: file.materials.clone(), ..Model::default() };
    let interior = file.materials.len().saturating_sub(1) as u32;
    for body in &file.bodies {
        let start = model.mesh.faces.len();
        let mut mesh = body.compound.visible_mesh();
        mesh.faces.iter_mut().for_each(|face| face.slot.0 = face.slot.0.min(interior));
        model.mesh.append(&mesh);
        model.objects.push(Object { name: body.name.clone(), faces: start..model.mesh.faces.len() });
    }
    let scene = GlbScene::from_model(&model)?;
    let bodies: Vec<BodyBytes> = file.bodies.iter().map(BodyBytes::of).collect();
    write_with_bodies(&scene, &bodies)
}

/// A body as it lies in a file.
pub(super) struct BodyBytes<'a> {
    name: &'a str,
    /// The nodes, as a count and coordinates, then the compound.
    compound: Vec<u8>,
    modes: Option<&'a [u8]>,
}

impl BodyBytes<'_> {
    fn of(body: &Body) -> BodyBytes<'_> {
        let mut compound = (body.nodes.len() as u64).to_le_bytes().to_vec();
        compound.extend(body.nodes.iter().flat_map(|n| n.to_array()).flat_map(f64::to_le_bytes));
        compound.extend(body.compound.to_bytes());
        BodyBytes { name: &body.name, compound, modes: body.modes.as_deref() }
    }

    /// What goes into buffer views, one after the other.
    pub(super) fn views(&self) -> impl Iterator<Item = &[u8]> {
        [Some(&self.compound[..]), self.modes].into_iter().flatten()
    }

    /// Bodies by name and buffer views, from the first on.
    pub(super) fn list(bodies: &[BodyBytes], first: usize) -> Vec<Value> {
        let mut next = first;
        let line = |body: &BodyBytes| {
            let view = next;
            next += body.views().count();
            match body.modes {
                Some(_) => json!({ "name": body.name, "bufferView": view, "modes": view + 1 }),
                None => json!({ "name": body.name, "bufferView": view }),
            }
        };
        bodies.iter().map(line).collect()
    }
}

/// Reads the bodies of a GLB or glTF; `None` if it has none, and is a model like any other.
pub fn read_bodies(bytes: &[u8], folder: Option<&Path>) -> Result<Option<BodyFile>, ReadError> {
    let mut neighbours = Neighbours::of(folder);
    let document = Document::read(bytes, &mut neighbours)?;
    let Some(extension) = &document.root.extensions.body else { return Ok(None) };
    let mut file = BodyFile { bodies: Vec::new(), materials: material::read(&document, &mut neighbours)? };
    for saved in &extension.bodies {
        let (view, _) = document.view(saved.buffer_view)?;
        let (nodes, rest) = split_nodes(view).map_err(|error| damaged(&saved.name, error))?;
        let compound = Compound::from_bytes(rest).map_err(|error| damaged(&saved.name, error))?;
        let modes = saved.modes.map(|view| document.view(view)).transpose()?;
        let modes = modes.map(|(bytes, _)| bytes.to_vec());
        file.bodies.push(Body { name: saved.name.clone(), compound, nodes, modes });
    }
    Ok(Some(file))
}

fn damaged(name: &str, error: SavedError) -> ReadError {
    ReadError::Body { name: name.to_owned(), error }
}

fn split_nodes(bytes: &[u8]) -> Result<(Vec<DVec3>, &[u8]), SavedError> {
    let (count, rest) = bytes.split_first_chunk::<8>().ok_or(SavedError::Damaged)?;
    let size = usize::try_from(u64::from_le_bytes(*count)).ok().and_then(|count| count.checked_mul(24));
    let (nodes, rest) = size.and_then(|size| rest.split_at_checked(size)).ok_or(SavedError::Damaged)?;
    let number = |bytes: &[u8]| bytes.first_chunk().map_or(f64::NAN, |chunk| f64::from_le_bytes(*chunk));
    let node = |n: &[u8]| DVec3::new(number(&n[..8]), number(&n[8..16]), number(&n[16..]));
    let nodes: Vec<DVec3> = nodes.chunks_exact(24).map(node).collect();
    if nodes.iter().all(|n| n.is_finite()) { Ok((nodes, rest)) } else { Err(SavedError::Damaged) }
}
