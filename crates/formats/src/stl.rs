//! STL, the soup of triangles that printers take, text or binary.

use glam::DVec3;
use smithereens_geometry::{Mesh, Slot};

use crate::check::check;
use crate::text::{Lines, Tokens, finite, unexpected};
use crate::{Model, Place, Problem, ReadError, WriteError};
use smithereens_geometry::triangulate::Triangulator;

/// A binary file: a header that may say anything, a count, then records of this size.
const HEADER: usize = 80;
const RECORD: usize = 50;

/// Reads an STL file, text or binary. Corners at exactly the same place become one vertex.
///
/// The facets' normals are left: they say what the corners say, or are wrong.
///
/// ```
/// let text = b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid";
/// assert_eq!(smithereens_formats::read_stl(text)?.mesh.area(), 0.5);
/// # Ok::<(), smithereens_formats::ReadError>(())
/// ```
pub fn read_stl(bytes: &[u8]) -> Result<Model, ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::Empty);
    }
    let mut mesh = Mesh::default();
    if is_text(bytes) {
        read_text(bytes, &mut mesh)?
    } else {
        read_binary(bytes, &mut mesh)?
    }
    if mesh.faces.is_empty() {
        return Err(ReadError::NoFaces);
    }
    mesh.weld();
    Ok(Model::from_mesh(mesh))
}

/// A text begins with "solid", but so do many binary files: a size that fits the count tells those.
fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let solid = start.len() >= 5 && start[..5].eq_ignore_ascii_case(b"solid");
    let fits = declared(bytes)
        .is_some_and(|count| bytes.len() as u64 == (HEADER + 4) as u64 + count * RECORD as u64);
    // A damaged binary file has bytes that no text has.
    let plain = bytes.iter().take(1024).all(|&b| b != 0);
    solid && !fits && plain
}

fn declared(bytes: &[u8]) -> Option<u64> {
    let raw = bytes.get(HEADER..HEADER + 4)?;
    Some(u64::from(u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]])))
}

fn read_binary(bytes: &[u8], mesh: &mut Mesh) -> Result<(), ReadError> {
    let Some(count) = declared(bytes) else {
        return Place::Byte(bytes.len()).has(Problem::Ends { expected: "the number of triangles" });
    };
    let records = &bytes[HEADER + 4..];
    if count * RECORD as u64 > records.len() as u64 {
        let problem = Problem::TooFewBytes { what: "triangles", declared: count, bytes: records.len() };
        return Place::Byte(HEADER).has(problem);
    }
    for record in records.chunks_exact(RECORD).take(count as usize) {
        // Twelve bytes of normal come first.
        let corners = record[12..48].chunks_exact(12);
        push_triangle(mesh, corners.map(|c| point(c, mesh.faces.len())).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(())
}

fn point(raw: &[u8], face: usize) -> Result<DVec3, ReadError> {
    let mut point = DVec3::ZERO;
    for (axis, c) in raw.chunks_exact(4).enumerate() {
        point[axis] = finite(f64::from(f32::from_le_bytes([c[0], c[1], c[2], c[3]])), Place::Face(face))?;
    }
    Ok(point)
}

fn push_triangle(mesh: &mut Mesh, corners: impl IntoIterator<Item = DVec3>) {
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(corners);
    mesh.push_polygon(&[first, first + 1, first + 2], Slot(0));
}

fn read_text(bytes: &[u8], mesh: &mut Mesh) -> Result<(), ReadError> {
    let mut tokens = Tokens::of(Lines::of(bytes));
    let mut corners = Vec::with_capacity(3);
    let mut open = false;
    while let Some(word) = tokens.next() {
        match &word.to_ascii_lowercase()[..] {
            // Names may hold anything, even keywords.
            b"solid" | b"endsolid" => tokens.skip_line(),
            b"facet" => open = true,
            b"vertex" => corners.push(vertex(&mut tokens)?),
            b"endfacet" => {
                open = false;
                end_facet(mesh, &mut corners, tokens.line())?;
            }
            b"normal" => {
                // Often "nan nan nan": whatever they are, three words are passed over.
                for _ in 0..3 {
                    tokens.require("a normal")?;
                }
            }
            b"outer" | b"loop" | b"endloop" => {}
            _ => return Err(unexpected(word, "a keyword of STL", tokens.line())),
        }
    }
    if open {
        return Place::Line(tokens.line()).has(Problem::Ends { expected: "endfacet" });
    }
    Ok(())
}

fn vertex(tokens: &mut Tokens) -> Result<DVec3, ReadError> {
    let mut point = DVec3::ZERO;
    for axis in 0..3 {
        point[axis] = finite(tokens.number("a coordinate")?, Place::Line(tokens.line()))?;
    }
    Ok(point)
}

fn end_facet(mesh: &mut Mesh, corners: &mut Vec<DVec3>, line: usize) -> Result<(), ReadError> {
    match corners.len() {
        0..3 => return Place::Line(line).has(Problem::ShortFace { corners: corners.len() }),
        3 => push_triangle(mesh, corners.drain(..)),
        _ => return Place::Line(line).has(Problem::Invalid("a facet of STL has three vertices, not more")),
    }
    Ok(())
}

/// Writes a mesh as binary STL: all faces become triangles, positions single precision.
///
/// ```
/// # let mut mesh = smithereens_geometry::Mesh { positions: vec![glam::DVec3::ZERO; 3], ..Default::default() };
/// # mesh.push_polygon(&[0, 1, 2], smithereens_geometry::Slot(0));
/// assert_eq!(smithereens_formats::write_stl(&mesh)?.len(), 84 + 50);
/// # Ok::<(), smithereens_formats::WriteError>(())
/// ```
pub fn write_stl(mesh: &Mesh) -> Result<Vec<u8>, WriteError> {
    check(mesh)?;
    let mut out = vec![0; HEADER + 4];
    let mut triangulator = Triangulator::default();
    let mut count = 0u32;
    for face in 0..mesh.faces.len() {
        let normal = mesh.face_normal(face).as_vec3();
        for triangle in triangulator.triangles(mesh, face) {
            let vertices = triangle.map(|corner| mesh.corners[corner as usize] as usize);
            let corners = vertices.map(|vertex| mesh.positions[vertex].as_vec3());
            if let Some(i) = corners.iter().position(|c| !c.is_finite()) {
                return Err(WriteError::NotFinite {
                    place: "single precision".to_owned(),
                    vertex: vertices[i],
                });
            }
            for vector in [normal, corners[0], corners[1], corners[2]] {
                vector.to_array().iter().for_each(|c| out.extend(c.to_le_bytes()));
            }
            out.extend([0, 0]);
            count = count.checked_add(1).ok_or(WriteError::TooLarge)?;
        }
    }
    let title = b"smithereens";
    out[..title.len()].copy_from_slice(title);
    out[HEADER..HEADER + 4].copy_from_slice(&count.to_le_bytes());
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid two facet\n\
        facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 1 0\n endloop\n endfacet\n\
        FACET NORMAL nan nan nan\n OUTER LOOP\n VERTEX 1 0 0\n VERTEX 1 1 0\n VERTEX 0 1 0\n ENDLOOP\n ENDFACET\n\
        endsolid two facet\n";

    fn message(bytes: &[u8]) -> String {
        read_stl(bytes).unwrap_err().to_string()
    }

    #[test]
    fn text_and_binary_agree() {
        let model = read_stl(TEXT.as_bytes()).unwrap();
        assert_eq!(model.mesh.positions.len(), 4);
        let mut binary = write_stl(&model.mesh).unwrap();
        assert_eq!(read_stl(&binary).unwrap(), model);
        binary[..6].copy_from_slice(b"solid ");
        assert_eq!(read_stl(&binary).unwrap(), model);
    }

    #[test]
    fn errors_name_the_culprit() {
        let binary = write_stl(&read_stl(TEXT.as_bytes()).unwrap().mesh).unwrap();
        assert!(
            message(&binary[..100])
                .starts_with("byte 80: 2 triangles are declared, but only 16 bytes follow")
        );
        assert!(message(&binary[..70]).contains("the number of triangles"));
        assert_eq!(
            message(&TEXT.as_bytes()[..70]),
            "line 5: the file ends where a coordinate should follow: it was cut off, copy or export it again"
        );
        assert!(
            message(TEXT.replace("vertex 0 1 0", "").as_bytes()).starts_with("line 8: face has 2 corners")
        );
        assert!(
            message(TEXT.replace("vertex 0 1 0", "vertex 0 inf 0").as_bytes())
                .starts_with("line 6: a coordinate is inf")
        );
        assert!(message(b"solid empty\nendsolid").contains("no faces"));
        let mut nan = binary.clone();
        nan[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(message(&nan).starts_with("face 0: a coordinate is NaN"));
    }
}
