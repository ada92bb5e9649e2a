//! Reading PLY.

use glam::{DVec3, Vec2, Vec3};
use smithereens_geometry::{Mesh, Slot};

use super::header::{self, Element, Kind};
use super::values::Values;
use crate::text::{Lines, finite, finite_or_zero};
use crate::{Model, Place, Problem, ReadError};

/// Reads a PLY file, text or binary of either byte order: polygons, and normals and texture coordinates of
/// vertices, or texture coordinates of corners (`texcoord`). Other elements and properties are skipped.
///
/// Vertices that have attributes were split at seams: those at the same place become one again.
///
/// ```
/// let text = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
///     element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 1 0 0 0 1 0\n3 0 1 2\n";
/// assert_eq!(smithereens_formats::read_ply(text)?.mesh.area(), 0.5);
/// # Ok::<(), smithereens_formats::ReadError>(())
/// ```
pub fn read_ply(bytes: &[u8]) -> Result<Model, ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::Empty);
    }
    let mut lines = Lines::of(bytes);
    let header = header::read(&mut lines)?;
    let mut values = Values::after_header(bytes, lines, header.encoding);
    let mut vertices = Vertices::default();
    let mut mesh = Mesh::default();
    for element in &header.elements {
        element.check_count(header.encoding, values.bytes_left())?;
        match &element.name[..] {
            b"vertex" => vertices.read(element, &mut values)?,
            b"face" => read_faces(element, &mut values, &mut mesh)?,
            _ => skip(element, &mut values)?,
        }
    }
    if mesh.faces.is_empty() {
        return Err(ReadError::NoFaces);
    }
    vertices.give_to(&mut mesh)?;
    Ok(Model::from_mesh(mesh))
}

#[derive(Default)]
struct Vertices {
    positions: Vec<DVec3>,
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
}

/// The places of a vertex's numbers: x y z, normal, texture coordinate.
const PLACES: usize = 8;

fn place_of(property: &[u8]) -> Option<usize> {
    Some(match property {
        b"x" => 0,
        b"y" => 1,
        b"z" => 2,
        b"nx" => 3,
        b"ny" => 4,
        b"nz" => 5,
        b"s" | b"u" | b"texture_u" | b"tu" => 6,
        b"t" | b"v" | b"texture_v" | b"tv" => 7,
        _ => return None,
    })
}

impl Vertices {
    fn read(&mut self, element: &Element, values: &mut Values) -> Result<(), ReadError> {
        let places: Vec<_> = element.properties.iter().map(|p| place_of(&p.name)).collect();
        let has = |range: std::ops::Range<usize>| range.into_iter().all(|p| places.contains(&Some(p)));
        if !has(0..3) {
            return Place::Line(element.line)
                .has(Problem::Missing { expected: "one of the vertex's x, y and z" });
        }
        let mut items = Vec::new();
        for _ in 0..element.count {
            let mut numbers = [0.0; PLACES];
            for (property, place) in element.properties.iter().zip(&places) {
                values.property(property.kind, &mut items)?;
                if let Some(place) = *place {
                    numbers[place] = items.first().copied().unwrap_or(0.0);
                }
            }
            self.push(numbers, has(3..6), has(6..8))?;
        }
        Ok(())
    }

    fn push(&mut self, numbers: [f64; PLACES], normal: bool, uv: bool) -> Result<(), ReadError> {
        let [x, y, z, nx, ny, nz, u, v] = numbers;
        let index = self.positions.len();
        let coordinate = |value| finite(value, Place::Vertex(index));
        self.positions.push(DVec3::new(coordinate(x)?, coordinate(y)?, coordinate(z)?));
        if normal {
            self.normals.push(Vec3::from_array([nx, ny, nz].map(finite_or_zero)));
        }
        if uv {
            self.uvs.push(Vec2::new(finite_or_zero(u), finite_or_zero(1.0 - v)));
        }
        Ok(())
    }

    /// Corners were read as they are; only now is it known which vertices exist.
    fn give_to(self, mesh: &mut Mesh) -> Result<(), ReadError> {
        let count = self.positions.len();
        if let Some(corner) = mesh.corners.iter().position(|&v| v as usize >= count) {
            let index = i64::from(mesh.corners[corner]);
            let face = mesh.loop_ends.partition_point(|&end| end as usize <= corner);
            let problem =
                Problem::OutOfRange { referrer: "it", what: "vertex", index, count, growing: false };
            return Place::Face(face).has(problem);
        }
        mesh.positions = self.positions;
        // Several vertex elements need not have the same properties.
        if self.normals.len() == count {
            mesh.normals = mesh.corners.iter().map(|&v| self.normals[v as usize]).collect();
        }
        if self.uvs.len() == count && !mesh.has_uvs() {
            mesh.uvs = mesh.corners.iter().map(|&v| self.uvs[v as usize]).collect();
        }
        if mesh.has_normals() || mesh.has_uvs() {
            mesh.weld();
        }
        Ok(())
    }
}

fn read_faces(element: &Element, values: &mut Values, mesh: &mut Mesh) -> Result<(), ReadError> {
    let is_corners = |name: &[u8]| name == b"vertex_indices" || name == b"vertex_index";
    if !element.properties.iter().any(|p| is_corners(&p.name) && matches!(p.kind, Kind::List { .. })) {
        return Place::Line(element.line)
            .has(Problem::Missing { expected: "the face's list vertex_indices" });
    }
    let (mut items, mut corners, mut texcoords) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..element.count {
        texcoords.clear();
        for property in &element.properties {
            let target = match &property.name[..] {
                name if is_corners(name) => &mut corners,
                b"texcoord" => &mut texcoords,
                _ => &mut items,
            };
            values.property(property.kind, target)?;
        }
        push_face(mesh, &corners, &texcoords)?;
    }
    Ok(())
}

fn push_face(mesh: &mut Mesh, corners: &[f64], texcoords: &[f64]) -> Result<(), ReadError> {
    let face = mesh.faces.len();
    if corners.len() < 3 {
        return Place::Face(face).has(Problem::ShortFace { corners: corners.len() });
    }
    for &corner in corners {
        if corner < 0.0 || corner.fract() != 0.0 || corner > f64::from(u32::MAX - 1) || corner.is_nan() {
            return Place::Face(face)
                .has(Problem::Unexpected { found: corner.to_string(), expected: "a vertex index" });
        }
        mesh.corners.push(corner as u32);
    }
    if texcoords.len() == 2 * corners.len() {
        mesh.uvs.resize(mesh.corners.len() - corners.len(), Vec2::ZERO);
        let uv = |uv: &[f64]| Vec2::new(finite_or_zero(uv[0]), finite_or_zero(1.0 - uv[1]));
        mesh.uvs.extend(texcoords.chunks_exact(2).map(uv));
    } else if mesh.has_uvs() {
        mesh.uvs.resize(mesh.corners.len(), Vec2::ZERO);
    }
    mesh.end_loop();
    mesh.end_face(Slot(0), None);
    Ok(())
}

fn skip(element: &Element, values: &mut Values) -> Result<(), ReadError> {
    if element.properties.is_empty() {
        // Nothing to read, however many are declared.
        return Ok(());
    }
    let mut items = Vec::new();
    for _ in 0..element.count {
        for property in &element.properties {
            values.property(property.kind, &mut items)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &[u8]) -> String {
        read_ply(text).unwrap_err().to_string()
    }

    fn header(format: &str, vertices: u64, faces: u64) -> String {
        format!(
            "ply\nformat {format} 1.0\ncomment made by hand\nelement vertex {vertices}\nproperty double z\n\
             property uchar red\nproperty float x\nproperty short y\nproperty float s\nproperty float t\n\
             element camera 2\nproperty list uint double view\nproperty int id\n\
             element face {faces}\nproperty uchar flags\nproperty list uchar ushort vertex_index\nend_header\n"
        )
    }

    /// The same two triangles in any encoding; `order` turns little-endian bytes around where needed.
    fn binary(format: &str, order: fn(&mut [u8])) -> Vec<u8> {
        let mut out = header(format, 3, 2).into_bytes();
        let mut put = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            order(&mut bytes);
            out.extend(bytes);
        };
        for [x, y] in [[0, 0], [1, 0], [0, 1]] {
            put(&0.5f64.to_le_bytes());
            put(&[7]);
            put(&(x as f32).to_le_bytes());
            put(&(y as i16).to_le_bytes());
            put(&(x as f32).to_le_bytes());
            put(&(y as f32).to_le_bytes());
        }
        for views in [0u32, 2] {
            put(&views.to_le_bytes());
            (0..views).for_each(|_| put(&f64::NAN.to_le_bytes()));
            put(&9i32.to_le_bytes());
        }
        for face in [[0u16, 1, 2], [2, 1, 0]] {
            put(&[1]);
            put(&[3]);
            face.iter().for_each(|v| put(&v.to_le_bytes()));
        }
        out
    }

    #[test]
    fn encodings_agree() {
        let text = header("ascii", 3, 2)
            + "0.5 7 0 0 0 0\n0.5 7 1 0 1 0\n0.5 7 0 1 0 1\n0 9\n2 nan 1 9\n1 3 0 1 2\n1 3 2 1 0\n";
        let expected = read_ply(text.as_bytes()).unwrap();
        assert_eq!(expected.mesh.positions[1], DVec3::new(1.0, 0.0, 0.5));
        assert_eq!(expected.mesh.uvs[..3], [Vec2::Y, Vec2::ONE, Vec2::ZERO]);
        let little = binary("binary_little_endian", |_| ());
        assert_eq!(read_ply(&little).unwrap(), expected);
        assert_eq!(read_ply(&binary("binary_big_endian", <[u8]>::reverse)).unwrap(), expected);
        for length in 0..little.len() {
            assert!(read_ply(&little[..length]).is_err(), "cut at {length}");
        }
    }

    #[test]
    fn corners_may_have_texture_coordinates() {
        let text = "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\n\
            property list uchar float texcoord\nelement vertex 3\nproperty int x\nproperty int y\nproperty int z\n\
            end_header\n3 0 1 2 6 0 1 1 1 0 0\n0 0 0\n1 0 0\n0 1 0\n";
        assert_eq!(read_ply(text.as_bytes()).unwrap().mesh.uvs, [Vec2::ZERO, Vec2::X, Vec2::Y]);
    }

    #[test]
    fn errors_name_the_culprit() {
        let cut_off = "line 4: 5000000000 vertices are declared, but only 0 bytes follow";
        assert!(message(header("ascii", 5_000_000_000, 1).as_bytes()).starts_with(cut_off));
        let vertices = "0 7 0 0 0 0\n0 7 1 0 1 0\n0 7 0 1 0 1\n0 9\n0 9\n";
        let with = |faces: &str| message((header("ascii", 3, 1) + vertices + faces).as_bytes());
        assert_eq!(with("0 3 0 1 9"), "face 0: it refers to vertex 9, but the file has 3");
        assert_eq!(with("0 2 0 1"), "face 0: face has 2 corners, but needs 3 or more: remove it");
        assert_eq!(with("0 3 0 1 -1"), "face 0: \"-1\" is not a vertex index");
        assert!(with("0 200 0 1 2").contains("200 list items are declared"));
        assert!(
            message(b"ply\nformat ascii 1.0\nelement ghost 99999999999\nend_header\n").contains("no faces")
        );
        assert!(message(b"ply\nformat weird 1.0\n").contains("\"weird\" is not ascii"));
        let nan = header("ascii", 1, 1) + "nan 7 0 0 0 0\n0 9\n0 9\n0 3 0 0 0\n";
        assert!(message(nan.as_bytes()).starts_with("vertex 0: a coordinate is NaN"));
    }
}
