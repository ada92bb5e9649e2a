//! Files that are written together, after all else is done.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use smithereens_formats::{GlbScene, Model, write_glb, write_obj, write_together};

/// What a model can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// GLB.
    Glb,
    /// OBJ with its materials.
    Obj,
}

impl Ending {
    /// The format that a file's ending asks for.
    pub fn of(path: &Path) -> Result<Ending> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            "glb" => Ok(Ending::Glb),
            "obj" => Ok(Ending::Obj),
            _ => bail!("cannot write {}: give it the ending .glb or .obj", path.display()),
        }
    }
}

/// Files to be written.
#[derive(Default)]
pub struct Outputs {
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Outputs {
    /// Adds a file.
    pub fn add(&mut self, path: &Path, bytes: Vec<u8>) {
        self.files.push((path.to_owned(), bytes));
    }

    /// Adds a GLB.
    pub fn add_glb(&mut self, path: &Path, scene: &GlbScene) -> Result<()> {
        self.add(path, write_glb(scene)?);
        Ok(())
    }

    /// Adds an OBJ, after the files it refers to: where it is, they are.
    pub fn add_obj(&mut self, path: &Path, model: &Model) -> Result<()> {
        let mtl_path = path.with_extension("mtl");
        let mtl_name = mtl_path.file_name().unwrap_or_default().to_string_lossy();
        let files = write_obj(model, &mtl_name)?;
        for (name, image) in &files.images {
            self.add(&path.with_file_name(name), image.bytes.to_vec());
        }
        self.add(&mtl_path, files.mtl);
        self.add(path, files.obj);
        Ok(())
    }

    /// Writes all files; if one cannot be written, all are as they were before.
    pub fn write(self) -> Result<()> {
        Ok(write_together(&self.files)?)
    }
}

/// Refuses, before any work, files that cannot be written: no such folder, or two for one name.
pub fn check(input: &Path, outputs: &[&Path]) -> Result<()> {
    for (index, path) in outputs.iter().enumerate() {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            bail!("cannot write {}: there is no folder {}", path.display(), folder.display());
        }
        if path.is_dir() {
            bail!("cannot write {}: it is a folder", path.display());
        }
        if outputs[..index].contains(path) {
            bail!("{} is asked for twice: give each file its own name", path.display());
        }
        if path.exists() && input.exists() && is_same(path, input)? {
            bail!("{} is the model itself: write to another file", path.display());
        }
    }
    Ok(())
}

fn is_same(a: &Path, b: &Path) -> Result<bool> {
    let full = |path: &Path| path.canonicalize().with_context(|| format!("cannot read {}", path.display()));
    Ok(full(a)? == full(b)?)
}
