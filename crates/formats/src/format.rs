//! Which format a file has, and reading and writing by it.

use std::path::{Path, PathBuf};

use crate::files::read_file;
use crate::gltf::{GlbScene, read_gltf, write_glb};
use crate::obj::{read_obj, write_obj};
use crate::off::{read_off, write_off};
use crate::ply::{read_ply, write_ply};
use crate::stl::{read_stl, write_stl};
use crate::{Model, ReadError, WriteError, write_atomically, write_together};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// Geomview's Object File Format.
    Off,
    /// Stanford's polygon format.
    Ply,
    /// Stereolithography.
    Stl,
    /// glTF 2.0, as text or as GLB.
    Gltf,
}

impl Format {
    /// The format that a file's ending names, in any case.
    ///
    /// ```
    /// use smithereens_formats::Format;
    /// assert_eq!(Format::of_path("bunny.PLY".as_ref()), Some(Format::Ply));
    /// assert_eq!(Format::of_path("bunny".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Format::Obj),
            "off" => Some(Format::Off),
            "ply" => Some(Format::Ply),
            "stl" => Some(Format::Stl),
            "gltf" | "glb" => Some(Format::Gltf),
            _ => None,
        }
    }

    /// The format that a file's first bytes tell.
    pub fn of_bytes(bytes: &[u8]) -> Option<Format> {
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
        let begins = |with: &[u8]| text.starts_with(with);
        if begins(b"glTF") || begins(b"{") {
            return Some(Format::Gltf);
        }
        if begins(b"ply\n") || begins(b"ply\r") {
            return Some(Format::Ply);
        }
        let first = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if first.ends_with(b"OFF") {
            return Some(Format::Off);
        }
        if first.eq_ignore_ascii_case(b"solid") || is_binary_stl(bytes) {
            return Some(Format::Stl);
        }
        let mut lines = text.split(|&b| b == b'\n').take(100).map(|line| line.trim_ascii());
        let is_statement = |line: &[u8]| {
            [&b"v "[..], b"vn ", b"vt ", b"mtllib ", b"usemtl "].iter().any(|s| line.starts_with(s))
        };
        lines.any(is_statement).then_some(Format::Obj)
    }
}

fn is_binary_stl(bytes: &[u8]) -> bool {
    let Some(count) = bytes.get(80..84) else { return false };
    let count = u64::from(u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    bytes.len() as u64 == 84 + 50 * count
}

/// Reads a file by its ending, or by its first bytes where that tells nothing.
///
/// ```
/// let path = std::env::temp_dir().join(format!("smithereens-doc-read-{}.off", std::process::id()));
/// std::fs::write(&path, "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
/// assert_eq!(smithereens_formats::read(&path)?.mesh.triangle_count(), 1);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), smithereens_formats::ReadError>(())
/// ```
pub fn read(path: &Path) -> Result<Model, ReadError> {
    let bytes = read_file(path)?;
    let folder = path.parent();
    let format = Format::of_path(path).or_else(|| Format::of_bytes(&bytes));
    let model = match format {
        _ if bytes.is_empty() => Err(ReadError::Empty),
        Some(Format::Obj) => read_obj(&bytes, folder),
        Some(Format::Off) => read_off(&bytes),
        Some(Format::Ply) => read_ply(&bytes),
        Some(Format::Stl) => read_stl(&bytes),
        Some(Format::Gltf) => read_gltf(&bytes, folder),
        None => Err(ReadError::UnknownFormat),
    };
    model.map_err(|cause| ReadError::Content { path: path.to_owned(), cause: Box::new(cause) })
}

/// Writes a file by its ending: `.obj` (with `.mtl` and textures beside it), `.off`, `.ply`, `.stl` or `.glb`.
///
/// Files are written together or not at all; see [`write_together`].
///
/// ```
/// # let mut mesh = smithereens_geometry::Mesh { positions: vec![glam::DVec3::ZERO; 3], ..Default::default() };
/// # mesh.push_polygon(&[0, 1, 2], smithereens_geometry::Slot(0));
/// use smithereens_formats::{Model, write};
/// let path = std::env::temp_dir().join(format!("smithereens-doc-write-{}.glb", std::process::id()));
/// write(&path, &Model::from_mesh(mesh))?;
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), smithereens_formats::WriteError>(())
/// ```
pub fn write(path: &Path, model: &Model) -> Result<(), WriteError> {
    let text_gltf = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gltf"));
    let bytes = match Format::of_path(path) {
        Some(Format::Obj) => return write_obj_files(path, model),
        Some(Format::Off) => write_off(&model.mesh)?,
        Some(Format::Ply) => write_ply(&model.mesh)?,
        Some(Format::Stl) => write_stl(&model.mesh)?,
        Some(Format::Gltf) if !text_gltf => write_glb(&GlbScene::from_model(model)?)?,
        _ => return Err(WriteError::UnknownFormat(path.to_owned())),
    };
    write_atomically(path, &bytes)
}

/// The geometry comes last: where it is, what it refers to is there too.
fn write_obj_files(path: &Path, model: &Model) -> Result<(), WriteError> {
    let mtl_path = path.with_extension("mtl");
    let mtl_name = mtl_path.file_name().unwrap_or_default().to_string_lossy();
    let files = write_obj(model, &mtl_name)?;
    let images = files.images.iter().map(|(name, image)| (path.with_file_name(name), image.bytes.to_vec()));
    let mut all: Vec<(PathBuf, Vec<u8>)> = images.collect();
    all.extend([(mtl_path, files.mtl), (path.to_owned(), files.obj)]);
    write_together(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_tell_the_format() {
        let cases: [(&[u8], Option<Format>); 8] = [
            (b"# by hand\nv 0 0 0\n", Some(Format::Obj)),
            (b"COFF\n", Some(Format::Off)),
            (b"ply\r\nformat", Some(Format::Ply)),
            (b"solid cube\n", Some(Format::Stl)),
            (b"glTF\x02\0\0\0", Some(Format::Gltf)),
            (b" {\"asset\":{}}", Some(Format::Gltf)),
            (b"\x89PNG\r\n", None),
            (b"", None),
        ];
        for (bytes, format) in cases {
            assert_eq!(Format::of_bytes(bytes), format, "{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(Format::of_bytes(&[0; 84]), Some(Format::Stl));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = read(Path::new("nowhere/bunny.obj")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read nowhere/bunny.obj: "), "{error}");
    }
}
