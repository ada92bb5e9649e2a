//! Files as careless programs write them: whatever the mesh says, with no check at all.
//!
//! The writers of `smithereens-formats` refuse what is not finite or refers to nothing. Readers must live with it.

use serde_json::json;
use smithereens_geometry::Mesh;

/// A format to write a mesh in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unchecked {
    /// Wavefront OBJ.
    Obj,
    /// STL, binary: triangles only, in single precision.
    Stl,
    /// PLY, text.
    Ply,
    /// Geomview's OFF.
    Off,
    /// glTF in one file: triangles only, in single precision.
    Glb,
}

impl Unchecked {
    /// All formats.
    pub const ALL: [Unchecked; 5] =
        [Unchecked::Obj, Unchecked::Stl, Unchecked::Ply, Unchecked::Off, Unchecked::Glb];

    /// The ending of its files, without a dot.
    pub fn ending(self) -> &'static str {
        match self {
            Unchecked::Obj => "obj",
            Unchecked::Stl => "stl",
            Unchecked::Ply => "ply",
            Unchecked::Off => "off",
            Unchecked::Glb => "glb",
        }
    }

    /// The bytes of a file. Every loop is written as a face of its own.
    ///
    /// ```
    /// use smithereens_testing::{fixtures, unchecked::Unchecked};
    /// let mut mesh = fixtures::boxed(glam::DVec3::ONE).into_mesh();
    /// mesh.positions[0].x = f64::NAN;
    /// assert!(smithereens_formats::read_off(&Unchecked::Off.write(&mesh)).is_err());
    /// ```
    pub fn write(self, mesh: &Mesh) -> Vec<u8> {
        match self {
            Unchecked::Obj => obj(mesh).into_bytes(),
            Unchecked::Stl => stl(mesh),
            Unchecked::Ply => ply(mesh).into_bytes(),
            Unchecked::Off => off(mesh).into_bytes(),
            Unchecked::Glb => glb(mesh),
        }
    }
}

fn loops(mesh: &Mesh) -> impl Iterator<Item = &[u32]> {
    (0..mesh.loop_ends.len()).map(|index| &mesh.corners[mesh.loop_corners(index)])
}

/// Every loop as a fan of triangles.
fn triangles(mesh: &Mesh) -> impl Iterator<Item = [u32; 3]> {
    loops(mesh).flat_map(|corners| corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]))
}

fn obj(mesh: &Mesh) -> String {
    let mut text = String::new();
    mesh.positions.iter().for_each(|p| text += &format!("v {} {} {}\n", p.x, p.y, p.z));
    for corners in loops(mesh) {
        text += "f";
        corners.iter().for_each(|&v| text += &format!(" {}", u64::from(v) + 1));
        text += "\n";
    }
    text
}

fn off(mesh: &Mesh) -> String {
    format!("OFF\n{} {} 0\n{}", mesh.positions.len(), mesh.loop_ends.len(), listed(mesh))
}

fn ply(mesh: &Mesh) -> String {
    let properties: String = ["x", "y", "z"].map(|axis| format!("property double {axis}\n")).concat();
    format!(
        "ply\nformat ascii 1.0\nelement vertex {}\n{properties}element face {}\n\
         property list uint uint vertex_indices\nend_header\n{}",
        mesh.positions.len(),
        mesh.loop_ends.len(),
        listed(mesh)
    )
}

/// Vertices, then faces as a count and indices, one a line.
fn listed(mesh: &Mesh) -> String {
    let mut text = String::new();
    mesh.positions.iter().for_each(|p| text += &format!("{} {} {}\n", p.x, p.y, p.z));
    for corners in loops(mesh) {
        text += &corners.len().to_string();
        corners.iter().for_each(|v| text += &format!(" {v}"));
        text += "\n";
    }
    text
}

fn stl(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((triangles(mesh).count() as u32).to_le_bytes());
    for triangle in triangles(mesh) {
        bytes.extend([0; 12]);
        for vertex in triangle {
            bytes.extend(single(mesh, vertex).into_iter().flat_map(f32::to_le_bytes));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

/// A vertex in single precision; one that is not there is not a number.
fn single(mesh: &Mesh, vertex: u32) -> [f32; 3] {
    mesh.positions.get(vertex as usize).map_or([f32::NAN; 3], |p| p.to_array().map(|x| x as f32))
}

fn glb(mesh: &Mesh) -> Vec<u8> {
    let indices: Vec<u8> = triangles(mesh).flatten().flat_map(u32::to_le_bytes).collect();
    let vertices = 0..mesh.positions.len() as u32;
    let positions: Vec<u8> = vertices.flat_map(|v| single(mesh, v)).flat_map(f32::to_le_bytes).collect();
    let (first, second) = (positions.len(), indices.len());
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": mesh.positions.len(), "type": "VEC3" },
            { "bufferView": 1, "componentType": 5125, "count": second / 4, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": first },
            { "buffer": 0, "byteOffset": first, "byteLength": second },
        ],
        "buffers": [{ "byteLength": first + second }],
    });
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = 12 + 8 + text.len() + 8 + first + second;
    let mut bytes = b"glTF".to_vec();
    [2, length as u32, text.len() as u32].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.extend(b"JSON");
    bytes.extend(text);
    bytes.extend(((first + second) as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(positions);
    bytes.extend(indices);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use smithereens_formats::{Model, ReadError, read_gltf, read_obj, read_off, read_ply, read_stl};

    fn read(format: Unchecked, bytes: &[u8]) -> Result<Model, ReadError> {
        match format {
            Unchecked::Obj => read_obj(bytes, None),
            Unchecked::Stl => read_stl(bytes),
            Unchecked::Ply => read_ply(bytes),
            Unchecked::Off => read_off(bytes),
            Unchecked::Glb => read_gltf(bytes, None),
        }
    }

    #[test]
    fn readers_take_what_is_sound_and_refuse_what_is_not() {
        let mut mesh = fixtures::boxed(glam::DVec3::new(1.0, 2.0, 3.0)).into_mesh();
        for format in Unchecked::ALL {
            let back = read(format, &format.write(&mesh)).unwrap_or_else(|e| panic!("{format:?}: {e}")).mesh;
            assert_eq!((back.triangle_count(), back.signed_volume()), (12, 6.0), "{format:?}");
        }
        mesh.corners[0] = 1_000_000_000;
        for format in Unchecked::ALL {
            assert!(read(format, &format.write(&mesh)).is_err(), "{format:?}");
        }
    }
}
