//! Writing PLY.

use std::fmt::Write;

use smithereens_geometry::Mesh;

use crate::WriteError;
use crate::check::{check, has_holes};
use crate::listed::{Listed, look};
use smithereens_geometry::triangulate::Triangulator;

/// Writes a mesh as binary little-endian PLY: double positions, float normals and texture coordinates.
/// Polygons stay polygons; those with holes become triangles.
///
/// PLY's attributes belong to vertices: a vertex is written once for each set of attributes that its corners have.
///
/// ```
/// # let mut mesh = smithereens_geometry::Mesh { positions: vec![glam::DVec3::ZERO; 3], ..Default::default() };
/// # mesh.push_polygon(&[0, 1, 2], smithereens_geometry::Slot(0));
/// let bytes = smithereens_formats::write_ply(&mesh)?;
/// assert_eq!(smithereens_formats::read_ply(&bytes).unwrap().mesh, mesh);
/// # Ok::<(), smithereens_formats::WriteError>(())
/// ```
pub fn write_ply(mesh: &Mesh) -> Result<Vec<u8>, WriteError> {
    check(mesh)?;
    let vertices = Vertices::of(mesh);
    let (face_count, faces) = faces_of(mesh, &vertices);
    let mut out = header(mesh, vertices.sources.len(), face_count).into_bytes();
    for source in &vertices.sources {
        source.write(mesh, &mut out);
    }
    out.extend(faces);
    Ok(out)
}

/// Where a written vertex comes from.
#[derive(Clone, Copy)]
enum Source {
    /// A vertex of a mesh without attributes.
    Vertex(usize),
    /// A corner, which stands for all that look the same.
    Corner(usize),
}

struct Vertices {
    sources: Vec<Source>,
    /// The written vertex of each corner.
    of_corner: Vec<u32>,
}

impl Vertices {
    fn of(mesh: &Mesh) -> Vertices {
        if !mesh.has_normals() && !mesh.has_uvs() {
            let sources = (0..mesh.positions.len()).map(Source::Vertex).collect();
            return Vertices { sources, of_corner: mesh.corners.clone() };
        }
        let listed = Listed::of((0..mesh.corners.len()).map(|corner| look(mesh, corner)));
        let sources = listed.firsts.into_iter().map(Source::Corner).collect();
        Vertices { sources, of_corner: listed.index }
    }
}

impl Source {
    fn write(self, mesh: &Mesh, out: &mut Vec<u8>) {
        let vertex = match self {
            Source::Vertex(vertex) => vertex,
            Source::Corner(corner) => mesh.corners[corner] as usize,
        };
        mesh.positions[vertex].to_array().iter().for_each(|c| out.extend(c.to_le_bytes()));
        let Source::Corner(corner) = self else { return };
        if let Some(normal) = mesh.normals.get(corner) {
            normal.to_array().iter().for_each(|c| out.extend(c.to_le_bytes()));
        }
        if let Some(uv) = mesh.uvs.get(corner) {
            // In double precision, so that reading it back gives the same bits.
            out.extend(f64::from(uv.x).to_le_bytes());
            out.extend((1.0 - f64::from(uv.y)).to_le_bytes());
        }
    }
}

fn header(mesh: &Mesh, vertices: usize, faces: usize) -> String {
    let mut text = format!("ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\n");
    let mut properties = |scalar: &str, names: &[&str]| {
        for name in names {
            writeln!(text, "property {scalar} {name}").expect("a string takes all");
        }
    };
    properties("double", &["x", "y", "z"]);
    if mesh.has_normals() {
        properties("float", &["nx", "ny", "nz"]);
    }
    if mesh.has_uvs() {
        properties("double", &["s", "t"]);
    }
    // Viewers know lengths of one byte only; longer ones are written where a face needs them.
    let count =
        if (0..mesh.faces.len()).any(|f| mesh.face_corners(f).len() > 255) { "uint" } else { "uchar" };
    text + &format!("element face {faces}\nproperty list {count} uint vertex_indices\nend_header\n")
}

fn faces_of(mesh: &Mesh, vertices: &Vertices) -> (usize, Vec<u8>) {
    let wide = (0..mesh.faces.len()).any(|f| mesh.face_corners(f).len() > 255);
    let (mut count, mut out) = (0, Vec::new());
    let mut triangulator = Triangulator::default();
    let mut put = |corners: &mut dyn ExactSizeIterator<Item = usize>| {
        count += 1;
        let length = (corners.len() as u32).to_le_bytes();
        out.extend_from_slice(if wide { &length } else { &length[..1] });
        corners.for_each(|corner| out.extend(vertices.of_corner[corner].to_le_bytes()));
    };
    for face in 0..mesh.faces.len() {
        if has_holes(mesh, face) {
            triangulator.triangles(mesh, face).iter().for_each(|t| put(&mut t.iter().map(|&c| c as usize)));
        } else {
            put(&mut mesh.face_corners(face));
        }
    }
    (count, out)
}
