//! Primitives become faces.

use glam::{Vec2, Vec3};
use smithereens_geometry::{Mesh, Slot};

use super::accessor;
use super::document::Document;
use super::schema::Primitive;
use crate::text::finite_or_zero;
use crate::{Place, Problem, ReadError};

/// The most vertices or corners that a document may unfold to. Nodes and primitives can use the same accessor
/// again and again, so that a small file could ask for any amount of memory.
const MOST: usize = 1 << 25;

/// What may still be unfolded.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn full() -> Budget {
        Budget(MOST)
    }

    fn spend(&mut self, count: usize, place: &Place) -> Result<(), ReadError> {
        match self.0.checked_sub(count) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => place.clone().has(Problem::Unsupported(format!(
                "with it the scene has more than {MOST} vertices and corners: split it into several files"
            ))),
        }
    }
}

/// The faces of a primitive in its mesh's space; empty for points and lines.
pub(super) fn read(
    document: &Document,
    primitive: &Primitive,
    slot: Slot,
    place: &Place,
    budget: &mut Budget,
) -> Result<Mesh, ReadError> {
    let mode = primitive.mode.unwrap_or(4);
    let (4..=6, Some(&positions)) = (mode, primitive.attributes.get("POSITION")) else {
        return Ok(Mesh::default());
    };
    budget.spend(accessor::count(document, positions)?, place)?;
    let positions = accessor::floats::<3>(document, positions)?;
    let mut mesh = Mesh::default();
    for (vertex, position) in positions.iter().enumerate() {
        let point = Vec3::from_array(*position).as_dvec3();
        if !point.is_finite() {
            let place = Place::Thing(format!("{place}, vertex {vertex}"));
            return place.has(Problem::NotFinite { found: format!("{position:?}") });
        }
        mesh.positions.push(point);
    }
    let corners = corners(document, primitive, positions.len(), place, budget)?;
    push_triangles(&mut mesh, &corners, mode, slot, place)?;
    read_attributes(document, primitive, &mut mesh, place)?;
    Ok(mesh)
}

fn corners(
    document: &Document,
    primitive: &Primitive,
    vertices: usize,
    place: &Place,
    budget: &mut Budget,
) -> Result<Vec<u32>, ReadError> {
    let Some(index) = primitive.indices else {
        budget.spend(vertices, place)?;
        return Ok((0..vertices as u32).collect());
    };
    budget.spend(accessor::count(document, index)?, place)?;
    let corners = accessor::indices(document, index)?;
    match corners.iter().find(|&&v| v as usize >= vertices) {
        None => Ok(corners),
        Some(&v) => place.clone().has(Problem::OutOfRange {
            referrer: "an index",
            what: "vertex",
            index: i64::from(v),
            count: vertices,
            growing: false,
        }),
    }
}

fn push_triangles(
    mesh: &mut Mesh,
    corners: &[u32],
    mode: u32,
    slot: Slot,
    place: &Place,
) -> Result<(), ReadError> {
    if mode == 4 {
        if !corners.len().is_multiple_of(3) {
            return place
                .clone()
                .has(Problem::Invalid("the number of its corners is not a multiple of three"));
        }
        corners.chunks_exact(3).for_each(|t| mesh.push_polygon(t, slot));
        return Ok(());
    }
    for (i, w) in corners.windows(3).enumerate() {
        let triangle = match mode {
            5 if i % 2 == 1 => [w[0], w[2], w[1]],
            5 => [w[0], w[1], w[2]],
            _ => [w[1], w[2], corners[0]],
        };
        // Strips repeat vertices to jump: those triangles are not meant to be there.
        let [a, b, c] = triangle;
        if a != b && b != c && c != a {
            mesh.push_polygon(&triangle, slot);
        }
    }
    Ok(())
}

fn read_attributes(
    document: &Document,
    primitive: &Primitive,
    mesh: &mut Mesh,
    place: &Place,
) -> Result<(), ReadError> {
    let vertices = mesh.positions.len();
    let check = |index: usize| match accessor::count(document, index)? {
        count if count == vertices => Ok(index),
        _ => place.clone().has(Problem::Invalid("its attributes have different counts")),
    };
    if let Some(&index) = primitive.attributes.get("NORMAL") {
        let normals = accessor::floats::<3>(document, check(index)?)?;
        let normal = |&v: &u32| Vec3::from_array(normals[v as usize].map(|c| finite_or_zero(f64::from(c))));
        mesh.normals = mesh.corners.iter().map(normal).collect();
    }
    if let Some(&index) = primitive.attributes.get(&uv_set(document, primitive)) {
        let uvs = accessor::floats::<2>(document, check(index)?)?;
        let uv = |&v: &u32| Vec2::from_array(uvs[v as usize].map(|c| finite_or_zero(f64::from(c))));
        mesh.uvs = mesh.corners.iter().map(uv).collect();
    }
    Ok(())
}

/// Corners carry one texture coordinate: the one that the material's colour is laid by.
fn uv_set(document: &Document, primitive: &Primitive) -> String {
    let material = primitive.material.and_then(|m| document.root.materials.get(m));
    let texture = material.and_then(|m| m.pbr_metallic_roughness.base_color_texture.as_ref());
    format!("TEXCOORD_{}", texture.map_or(0, |t| t.tex_coord))
}
