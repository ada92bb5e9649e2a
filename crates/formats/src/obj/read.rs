//! Reading OBJ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use glam::{Vec2, Vec3};
use smithereens_geometry::{Mesh, Slot};

use super::mtl;
use crate::files::Neighbours;
use crate::text::{Lines, Words, finite_or_zero, parse, unexpected};
use crate::{Material, Model, Object, Place, Problem, ReadError};

/// Reads an OBJ text: polygons, corner normals and texture coordinates, objects, groups and materials.
///
/// Material files and textures are looked for in `folder`; without a folder, or where they are not there, the materials
/// have their names only. Lines, points, curves and vertex colours are skipped.
///
/// ```
/// let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl wood\nf 1 2 3 4\n";
/// let model = smithereens_formats::read_obj(text, None)?;
/// assert_eq!(model.mesh.faces.len(), 1);
/// assert_eq!(model.materials[0].name, "wood");
/// # Ok::<(), smithereens_formats::ReadError>(())
/// ```
pub fn read_obj(bytes: &[u8], folder: Option<&Path>) -> Result<Model, ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::Empty);
    }
    let mut reader = Reader::new(folder);
    let mut lines = Lines::of(bytes);
    while let Some(line) = lines.next_continued() {
        reader.statement(line.words())?;
    }
    reader.finish()
}

struct Reader<'a> {
    mesh: Mesh,
    uvs: Vec<Vec2>,
    normals: Vec<Vec3>,
    /// Whether any corner so far had one: else the attribute is left out.
    any_uv: bool,
    any_normal: bool,
    materials: Vec<Material>,
    slots: BTreeMap<String, Slot>,
    slot: Option<Slot>,
    libraries: BTreeSet<String>,
    objects: Vec<Object>,
    neighbours: Neighbours<'a>,
}

impl<'a> Reader<'a> {
    fn new(folder: Option<&'a Path>) -> Reader<'a> {
        Reader {
            mesh: Mesh::default(),
            uvs: Vec::new(),
            normals: Vec::new(),
            any_uv: false,
            any_normal: false,
            materials: Vec::new(),
            slots: BTreeMap::new(),
            slot: None,
            libraries: BTreeSet::new(),
            objects: Vec::new(),
            neighbours: Neighbours::of(folder),
        }
    }

    fn statement(&mut self, mut words: Words) -> Result<(), ReadError> {
        match words.next() {
            Some(b"v") => self.mesh.positions.push(words.point()?),
            Some(b"vt") => {
                // The second coordinate may be left out: it is 0.
                let u = words.number()?;
                let v = if words.rest().is_empty() { 0.0 } else { words.number()? };
                self.uvs.push(Vec2::new(finite_or_zero(u), finite_or_zero(1.0 - v)));
            }
            Some(b"vn") => {
                let normal = [words.number()?, words.number()?, words.number()?];
                self.normals.push(Vec3::from_array(normal.map(finite_or_zero)));
            }
            Some(b"f") => self.face(words)?,
            Some(b"usemtl") => self.slot = Some(self.slot_of(words.name())),
            Some(b"mtllib") => self.library(words),
            Some(b"o" | b"g") => self.object(words.name()),
            _ => {}
        }
        Ok(())
    }

    fn face(&mut self, words: Words) -> Result<(), ReadError> {
        let line = words.line;
        let before = self.mesh.corners.len();
        for word in words.take_while(|w| !w.starts_with(b"#")) {
            self.corner(word, line)?;
        }
        let corners = self.mesh.corners.len() - before;
        if corners < 3 {
            return Place::Line(line).has(Problem::ShortFace { corners });
        }
        let slot = match self.slot {
            Some(slot) => slot,
            None => self.slot_of(String::new()),
        };
        self.mesh.end_loop();
        self.mesh.end_face(slot, None);
        Ok(())
    }

    /// A corner is `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&mut self, word: &[u8], line: usize) -> Result<(), ReadError> {
        let mut parts = word.split(|&b| b == b'/');
        let vertex = parts.next().unwrap_or_default();
        let vertex = resolve(vertex, "vertex", self.mesh.positions.len(), line)?;
        let mut attribute = |what, count| match parts.next() {
            None | Some(b"") => Ok(None),
            Some(part) => resolve(part, what, count, line).map(Some),
        };
        let uv = attribute("texture coordinate", self.uvs.len())?;
        let normal = attribute("normal", self.normals.len())?;
        self.mesh.corners.push(vertex as u32);
        self.mesh.uvs.push(uv.map_or(Vec2::ZERO, |i| self.uvs[i]));
        self.mesh.normals.push(normal.map_or(Vec3::ZERO, |i| self.normals[i]));
        self.any_uv |= uv.is_some();
        self.any_normal |= normal.is_some();
        Ok(())
    }

    fn slot_of(&mut self, name: String) -> Slot {
        let next = Slot(self.materials.len() as u32);
        let slot = *self.slots.entry(name.clone()).or_insert(next);
        if slot == next {
            self.materials.push(Material { name, ..Material::default() });
        }
        slot
    }

    /// `mtllib` takes several names, but many exporters write one with spaces in it: that is tried first.
    fn library(&mut self, words: Words) {
        let whole = words.name();
        if !self.libraries.insert(whole.clone()) {
            return;
        }
        let single = words.clone().count() == 1;
        let missing_before = self.neighbours.missing.len();
        if let Some(text) = self.neighbours.get(&whole) {
            return self.define(&text);
        }
        if !single {
            self.neighbours.missing.truncate(missing_before);
            for name in words {
                if let Some(text) = self.neighbours.get(&String::from_utf8_lossy(name)) {
                    self.define(&text);
                }
            }
        }
    }

    fn define(&mut self, library: &[u8]) {
        for material in mtl::read(library, &mut self.neighbours) {
            let slot = self.slot_of(material.name.clone());
            self.materials[slot.0 as usize] = material;
        }
    }

    fn object(&mut self, name: String) {
        self.end_object();
        let start = self.mesh.faces.len();
        self.objects.push(Object { name, faces: start..start });
    }

    /// Names without faces are dropped: exporters write `o` and `g` on successive lines.
    fn end_object(&mut self) {
        let end = self.mesh.faces.len();
        if let Some(last) = self.objects.last_mut() {
            last.faces.end = end;
            if last.faces.is_empty() {
                self.objects.pop();
            }
        }
    }

    fn finish(mut self) -> Result<Model, ReadError> {
        if self.mesh.faces.is_empty() {
            return Err(ReadError::NoFaces);
        }
        self.end_object();
        if !self.any_uv {
            self.mesh.uvs = Vec::new();
        }
        if !self.any_normal {
            self.mesh.normals = Vec::new();
        }
        let missing = self.neighbours.missing;
        Ok(Model { mesh: self.mesh, materials: self.materials, objects: self.objects, missing })
    }
}

/// An index from 1 up, or from -1 down for the latest, as an index from 0 up.
fn resolve(word: &[u8], what: &'static str, count: usize, line: usize) -> Result<usize, ReadError> {
    let index: i64 = parse(word).ok_or_else(|| unexpected(word, "an index", line))?;
    let position = if index < 0 { count as i64 + index.max(-i64::from(u32::MAX)) } else { index - 1 };
    if (0..count as i64).contains(&position) {
        return Ok(position as usize);
    }
    let problem = Problem::OutOfRange { referrer: "face", what, index, count, growing: true };
    Place::Line(line).has(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &[u8]) -> String {
        read_obj(text, None).unwrap_err().to_string()
    }

    #[test]
    fn corners_refer_forwards_and_backwards() {
        let text = b"v 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0.25 0.25\nvn 0 0 1\n\
            f 1/1/1 2//1 -2/-1 \\\n -1 # last\nl 1 2\ns off\n";
        let mesh = read_obj(text, None).unwrap().mesh;
        assert_eq!(mesh.corners, [0, 1, 2, 3]);
        let uv = Vec2::new(0.25, 0.75);
        assert_eq!(mesh.uvs, [uv, Vec2::ZERO, uv, Vec2::ZERO]);
        assert_eq!(mesh.normals, [Vec3::Z, Vec3::Z, Vec3::ZERO, Vec3::ZERO]);
    }

    #[test]
    fn objects_and_materials_split_the_faces() {
        let text =
            b"mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no a\ng b\nusemtl Wood #2\nf 1 2 3\n\
            f 1 2 3\no \xFF\nusemtl Wood #2\nf 3 2 1\n";
        let model = read_obj(text, None).unwrap();
        let names: Vec<_> = model.objects.iter().map(|o| (o.name.as_str(), o.faces.clone())).collect();
        assert_eq!(names, [("b", 1..3), ("\u{FFFD}", 3..4)]);
        let slots: Vec<_> = model.mesh.faces.iter().map(|f| f.slot.0).collect();
        assert_eq!(slots, [0, 1, 1, 1]);
        assert_eq!(model.materials[1].name, "Wood #2");
        assert_eq!(model.missing, [std::path::PathBuf::from("gone.mtl")]);
    }

    #[test]
    fn errors_name_the_culprit() {
        let cube = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec();
        let with = |more: &[u8]| message(&[&cube[..], more].concat());
        assert_eq!(with(b"f 1 2 99"), "line 4: face refers to vertex 99, but the file has 3 so far");
        assert_eq!(with(b"f 1 2 -4"), "line 4: face refers to vertex -4, but the file has 3 so far");
        assert_eq!(with(b"f 1 2 0"), "line 4: face refers to vertex 0, but the file has 3 so far");
        assert_eq!(
            with(b"f 1/7 2 3"),
            "line 4: face refers to texture coordinate 7, but the file has 0 so far"
        );
        assert_eq!(with(b"f 1 2"), "line 4: face has 2 corners, but needs 3 or more: remove it");
        assert_eq!(with(b"f 1 2 x"), "line 4: \"x\" is not an index");
        assert_eq!(with(b"v 1 2"), "line 4: a coordinate is missing");
        assert!(with(b"v 1 2 NaN").starts_with("line 4: a coordinate is NaN"));
        assert!(with(b"").contains("no faces"));
        assert!(with(b"f 1 2 -9223372036854775808").starts_with("line 4: face refers"));
    }
}
