//! Writing OBJ.

use std::collections::BTreeSet;
use std::fmt::{Result, Write};
use std::sync::Arc;

use smithereens_geometry::{Mesh, Slot};

use super::mtl;
use crate::check::{check, has_holes};
use crate::listed::Listed;
use crate::{Image, Material, Model, WriteError};
use smithereens_geometry::triangulate::Triangulator;

/// The files that make an OBJ: they belong into one folder.
#[derive(Clone, Debug)]
pub struct ObjFiles {
    /// The geometry; it refers to the materials by the name that was given.
    pub obj: Vec<u8>,
    /// The materials; they refer to the images by their names.
    pub mtl: Vec<u8>,
    /// The textures with their file names.
    pub images: Vec<(String, Arc<Image>)>,
}

/// Writes a model as OBJ and MTL. Polygons stay polygons; those with holes become triangles.
///
/// `mtl_name` is the file name that the materials will have. Slots without a material, such as
/// [`Slot::INTERIOR`], get a default one.
///
/// ```
/// use smithereens_formats::{Model, read_obj, write_obj};
/// let model = read_obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", None)?;
/// let files = write_obj(&model, "square.mtl").unwrap();
/// assert_eq!(read_obj(&files.obj, None)?.mesh, model.mesh);
/// # Ok::<(), smithereens_formats::ReadError>(())
/// ```
pub fn write_obj(model: &Model, mtl_name: &str) -> std::result::Result<ObjFiles, WriteError> {
    check(&model.mesh)?;
    let materials = materials_of(model);
    let mut images = mtl::Images::default();
    let mtl = mtl::write(materials.iter().map(|m| (m.name.as_str(), &m.material)), &mut images);
    let mut obj = String::new();
    write_text(&mut obj, model, mtl_name, &materials).expect("a string takes all");
    Ok(ObjFiles { obj: obj.into_bytes(), mtl: mtl.into_bytes(), images: images.files })
}

/// A material with a name of its own, since OBJ refers to materials by name.
struct Named {
    slot: Slot,
    name: String,
    material: Material,
}

/// The slots in use, in order.
fn materials_of(model: &Model) -> Vec<Named> {
    let slots: BTreeSet<Slot> = model.mesh.faces.iter().map(|f| f.slot).collect();
    let mut taken = BTreeSet::new();
    let mut named = Vec::new();
    for slot in slots {
        let known = model.materials.get(slot.0 as usize).cloned();
        let material = known.unwrap_or_else(|| Material { name: default_name(slot), ..Material::default() });
        let plain = one_line(&material.name, &default_name(slot));
        let mut name = plain.clone();
        let mut copy = 1;
        while !taken.insert(name.clone()) {
            copy += 1;
            name = format!("{plain}-{copy}");
        }
        named.push(Named { slot, name, material });
    }
    named
}

fn default_name(slot: Slot) -> String {
    if slot == Slot::INTERIOR { "interior".to_owned() } else { format!("material-{}", slot.0) }
}

/// A name cannot end its line, nor continue it.
fn one_line(name: &str, otherwise: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_control() || c == '\\' { '_' } else { c }).collect();
    let clean = clean.trim();
    if clean.is_empty() { otherwise.to_owned() } else { clean.to_owned() }
}

fn write_text(out: &mut String, model: &Model, mtl_name: &str, materials: &[Named]) -> Result {
    let mesh = &model.mesh;
    writeln!(out, "mtllib {}", one_line(mtl_name, "materials.mtl"))?;
    for p in &mesh.positions {
        writeln!(out, "v {} {} {}", p.x, p.y, p.z)?;
    }
    let uvs = Listed::of(mesh.uvs.iter().map(|uv| uv.to_array().map(f32::to_bits)));
    for &corner in &uvs.firsts {
        let uv = mesh.uvs[corner].as_dvec2();
        // In double precision, so that reading it back gives the same bits.
        writeln!(out, "vt {} {}", uv.x, 1.0 - uv.y)?;
    }
    let normals = Listed::of(mesh.normals.iter().map(|n| n.to_array().map(f32::to_bits)));
    for &corner in &normals.firsts {
        let n = mesh.normals[corner];
        writeln!(out, "vn {} {} {}", n.x, n.y, n.z)?;
    }
    let corners = Corners { mesh, uvs, normals };
    write_faces(out, model, &corners, materials)
}

struct Corners<'a> {
    mesh: &'a Mesh,
    uvs: Listed,
    normals: Listed,
}

impl Corners<'_> {
    fn write_face(&self, out: &mut String, corners: impl Iterator<Item = usize>) -> Result {
        out.push('f');
        for corner in corners {
            let vertex = self.mesh.corners[corner] + 1;
            let uv = self.uvs.index.get(corner).map(|i| i + 1);
            let normal = self.normals.index.get(corner).map(|i| i + 1);
            match (uv, normal) {
                (None, None) => write!(out, " {vertex}")?,
                (Some(uv), None) => write!(out, " {vertex}/{uv}")?,
                (None, Some(normal)) => write!(out, " {vertex}//{normal}")?,
                (Some(uv), Some(normal)) => write!(out, " {vertex}/{uv}/{normal}")?,
            }
        }
        out.push('\n');
        Ok(())
    }
}

fn write_faces(out: &mut String, model: &Model, corners: &Corners, materials: &[Named]) -> Result {
    let mesh = &model.mesh;
    let mut triangulator = Triangulator::default();
    let mut objects = model.objects.iter().filter(|o| !o.faces.is_empty()).peekable();
    let mut slot = None;
    for face in 0..mesh.faces.len() {
        if let Some(object) = objects.next_if(|o| o.faces.start <= face) {
            writeln!(out, "o {}", one_line(&object.name, "object"))?;
        }
        if slot != Some(mesh.faces[face].slot) {
            slot = Some(mesh.faces[face].slot);
            let found = materials.binary_search_by_key(&mesh.faces[face].slot, |m| m.slot);
            let named = &materials[found.expect("every slot in use is listed")];
            writeln!(out, "usemtl {}", named.name)?;
        }
        if has_holes(mesh, face) {
            for &triangle in triangulator.triangles(mesh, face) {
                corners.write_face(out, triangle.into_iter().map(|c| c as usize))?;
            }
        } else {
            corners.write_face(out, mesh.face_corners(face))?;
        }
    }
    Ok(())
}
