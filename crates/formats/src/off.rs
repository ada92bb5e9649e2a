//! OFF, the Object File Format of Geomview: counts, vertices, faces.

use std::fmt::Write;

use glam::{Vec2, Vec3};
use smithereens_geometry::{Mesh, Slot};

use crate::check::{check, has_holes};
use crate::text::{Lines, Words, finite_or_zero, parse, unexpected};
use crate::{Model, Place, Problem, ReadError, WriteError};
use smithereens_geometry::triangulate::Triangulator;

/// Reads an OFF text: `OFF`, or with `ST` (texture coordinates), `C` (colours, which are skipped) and `N`
/// (normals) before it.
///
/// ```
/// let text = b"OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
/// let model = smithereens_formats::read_off(text)?;
/// assert_eq!(model.mesh.faces.len(), 1);
/// assert_eq!(model.mesh.triangle_count(), 2);
/// # Ok::<(), smithereens_formats::ReadError>(())
/// ```
pub fn read_off(bytes: &[u8]) -> Result<Model, ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::Empty);
    }
    let mut lines = Lines::of(bytes);
    let (kind, counts) = header(&mut lines)?;
    let (vertices, faces) = read_counts(&mut lines, counts)?;
    let mut mesh = Mesh::default();
    let mut attributes = Attributes::default();
    for _ in 0..vertices {
        let words = next_line(&mut lines, "a vertex")?;
        read_vertex(words, kind, &mut mesh, &mut attributes)?;
    }
    for _ in 0..faces {
        read_face(next_line(&mut lines, "a face")?, &mut mesh)?;
    }
    if mesh.faces.is_empty() {
        return Err(ReadError::NoFaces);
    }
    attributes.spread_over_corners(&mut mesh);
    Ok(Model::from_mesh(mesh))
}

/// Which attributes the vertices have.
#[derive(Clone, Copy, Default)]
struct Kind {
    normals: bool,
    uvs: bool,
}

/// The attributes of vertices; corners get them in the end.
#[derive(Default)]
struct Attributes {
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
}

impl Attributes {
    fn spread_over_corners(&self, mesh: &mut Mesh) {
        if !self.normals.is_empty() {
            mesh.normals = mesh.corners.iter().map(|&v| self.normals[v as usize]).collect();
        }
        if !self.uvs.is_empty() {
            mesh.uvs = mesh.corners.iter().map(|&v| self.uvs[v as usize]).collect();
        }
    }
}

/// The kind, and what follows it on its line: some files have the counts there, even without a space.
fn header<'a>(lines: &mut Lines<'a>) -> Result<(Kind, Words<'a>), ReadError> {
    let mut words = next_line(lines, "OFF")?;
    let line = words.line;
    let whole = words.clone();
    let word = words.require("OFF")?;
    let Some(at) = word.windows(3).position(|w| w == b"OFF") else {
        // The keyword may be left out.
        return if word[0].is_ascii_digit() {
            Ok((Kind::default(), whole))
        } else {
            Err(unexpected(word, "OFF", line))
        };
    };
    let kind = kind_of(&word[..at], line)?;
    if words.rest().starts_with(b"BINARY") {
        let problem = "binary OFF is not read: convert it to text, or to PLY".to_owned();
        return Place::Line(line).has(Problem::Unsupported(problem));
    }
    let glued = &word[at + 3..];
    Ok((kind, if glued.is_empty() { words } else { whole.skip_bytes(at + 3) }))
}

fn kind_of(prefix: &[u8], line: usize) -> Result<Kind, ReadError> {
    match prefix {
        [rest @ .., b'4' | b'n'] | [b'4' | b'n', rest @ ..] if rest.iter().all(|b| b"STCN4n".contains(b)) => {
            let problem =
                "vertices with four or n coordinates are not read: export them with three".to_owned();
            Place::Line(line).has(Problem::Unsupported(problem))
        }
        _ if prefix.iter().all(|b| b"STCN".contains(b)) => {
            Ok(Kind { normals: prefix.contains(&b'N'), uvs: prefix.starts_with(b"ST") })
        }
        _ => Err(unexpected(prefix, "one of the prefixes ST, C and N of OFF", line)),
    }
}

fn read_counts<'a>(lines: &mut Lines<'a>, same_line: Words<'a>) -> Result<(usize, usize), ReadError> {
    let mut words = if same_line.rest().is_empty() { next_line(lines, "the counts")? } else { same_line };
    let line = words.line;
    let (vertices, faces) = (words.declared()?, words.declared()?);
    let bytes = lines.rest().len();
    // A vertex takes `0 0 0` and a line end at least, a face takes `3 0 1 2`.
    for (what, declared, least) in [("vertices", vertices, 6), ("faces", faces, 8)] {
        if declared.saturating_mul(least) > bytes + least {
            return Place::Line(line).has(Problem::TooFewBytes { what, declared: declared as u64, bytes });
        }
    }
    Ok((vertices, faces))
}

fn next_line<'a>(lines: &mut Lines<'a>, expected: &'static str) -> Result<Words<'a>, ReadError> {
    match lines.next_filled() {
        Some(words) => Ok(words),
        None => Place::Line(lines.number()).has(Problem::Ends { expected }),
    }
}

/// A vertex line: the point, then its normal, then a colour of any length, then its texture coordinate.
fn read_vertex(
    mut words: Words,
    kind: Kind,
    mesh: &mut Mesh,
    attributes: &mut Attributes,
) -> Result<(), ReadError> {
    mesh.positions.push(words.point()?);
    if kind.normals {
        let normal = [words.number()?, words.number()?, words.number()?];
        attributes.normals.push(Vec3::from_array(normal.map(finite_or_zero)));
    }
    if kind.uvs {
        let colour = words.clone().count().saturating_sub(2);
        words.by_ref().take(colour).for_each(drop);
        let (u, v) = (words.number()?, words.number()?);
        attributes.uvs.push(Vec2::new(finite_or_zero(u), finite_or_zero(1.0 - v)));
    }
    Ok(())
}

/// A face line: how many corners, the corners, then perhaps a colour.
fn read_face(mut words: Words, mesh: &mut Mesh) -> Result<(), ReadError> {
    let line = words.line;
    let corners = words.declared()?;
    if corners < 3 {
        return Place::Line(line).has(Problem::ShortFace { corners });
    }
    for _ in 0..corners {
        let word = words.require("a vertex of the face")?;
        let index: i64 = parse(word).ok_or_else(|| unexpected(word, "a vertex index", line))?;
        let count = mesh.positions.len();
        if index < 0 || index as usize >= count {
            let problem =
                Problem::OutOfRange { referrer: "face", what: "vertex", index, count, growing: false };
            return Place::Line(line).has(problem);
        }
        mesh.corners.push(index as u32);
    }
    mesh.end_loop();
    mesh.end_face(Slot(0), None);
    Ok(())
}

/// Writes positions and faces as OFF. Polygons stay polygons; those with holes become triangles.
///
/// ```
/// # let mut mesh = smithereens_geometry::Mesh { positions: vec![glam::DVec3::ZERO; 3], ..Default::default() };
/// # mesh.push_polygon(&[0, 1, 2], smithereens_geometry::Slot(0));
/// let text = smithereens_formats::write_off(&mesh)?;
/// assert!(text.starts_with(b"OFF\n3 1 0\n"));
/// # Ok::<(), smithereens_formats::WriteError>(())
/// ```
pub fn write_off(mesh: &Mesh) -> Result<Vec<u8>, WriteError> {
    check(mesh)?;
    let (mut faces, mut face_count) = (String::new(), 0);
    let mut triangulator = Triangulator::default();
    for face in 0..mesh.faces.len() {
        let corners = mesh.face_corners(face);
        if has_holes(mesh, face) {
            for triangle in triangulator.triangles(mesh, face) {
                face_count += 1;
                let [a, b, c] = triangle.map(|corner| mesh.corners[corner as usize]);
                writeln!(faces, "3 {a} {b} {c}").expect("a string takes all");
            }
        } else {
            face_count += 1;
            write!(faces, "{}", corners.len()).expect("a string takes all");
            for vertex in &mesh.corners[corners] {
                write!(faces, " {vertex}").expect("a string takes all");
            }
            faces.push('\n');
        }
    }
    let mut text = format!("OFF\n{} {face_count} 0\n", mesh.positions.len());
    for p in &mesh.positions {
        writeln!(text, "{} {} {}", p.x, p.y, p.z).expect("a string takes all");
    }
    text.push_str(&faces);
    Ok(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &[u8]) -> String {
        read_off(text).unwrap_err().to_string()
    }

    #[test]
    fn headers_and_comments_are_tolerated() {
        let plain = b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
        let same: [&[u8]; 4] = [
            b"# made by hand\nOFF # triangle\n\n3 1 0\n0 0 0 # a\n1 0 0\r\n0 1 0\n3 0 1 2 255 0 0\n",
            b"OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
            b"OFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2",
            b"COFF\n3 1 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n0 1 0 1 1 1 1\n3 0 1 2\n",
        ];
        let expected = read_off(plain).unwrap();
        for text in same {
            assert_eq!(read_off(text).unwrap(), expected, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn attributes_of_vertices_reach_corners() {
        let text =
            b"STCNOFF\n3 1 0\n0 0 0 0 0 1 9 9 9 0 0\n1 0 0 0 0 1 9 9 9 1 0\n0 1 0 0 0 1 9 9 9 0 1\n3 2 0 1\n";
        let mesh = read_off(text).unwrap().mesh;
        assert_eq!(mesh.normals, [Vec3::Z; 3]);
        assert_eq!(mesh.uvs, [Vec2::ZERO, Vec2::Y, Vec2::ONE]);
    }

    #[test]
    fn errors_name_the_culprit() {
        assert_eq!(message(b""), "the file is empty: export it again");
        assert_eq!(
            message(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 99\n"),
            "line 6: face refers to vertex 99, but the file has 3"
        );
        assert_eq!(
            message(b"OFF\n4000000000 1 0\n0 0 0\n"),
            "line 2: 4000000000 vertices are declared, but only 6 bytes follow: the file was cut off or damaged"
        );
        assert!(message(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1   \n").contains("2 corners"));
        assert!(message(b"OFF\n3 1 0\n0 0 0\n1 inf 0\n0 1 0\n3 0 1 2\n").starts_with("line 4"));
        assert!(message(b"OFF BINARY\n").contains("binary OFF"));
        assert!(message(b"4OFF\n").contains("four or n coordinates"));
        assert!(message(b"\xFF\xFE\x00").contains("is not OFF"));
    }
}
