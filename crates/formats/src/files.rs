//! Files next to the one being read, and files that are whole or not there.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::shortened;
use crate::{ReadError, WriteError};

/// The files that a file refers to by name. Each is read once, however often it is named.
pub(crate) struct Neighbours<'a> {
    folder: Option<&'a Path>,
    read: BTreeMap<PathBuf, Option<Arc<[u8]>>>,
    pub(crate) missing: Vec<PathBuf>,
}

impl<'a> Neighbours<'a> {
    /// Without a folder, every neighbour is missing.
    pub(crate) fn of(folder: Option<&'a Path>) -> Neighbours<'a> {
        Neighbours { folder, read: BTreeMap::new(), missing: Vec::new() }
    }

    /// The bytes of a neighbour; `None`, and noted as missing, where it cannot be read.
    pub(crate) fn get(&mut self, name: &str) -> Option<Arc<[u8]>> {
        let relative = PathBuf::from(name.trim().replace('\\', "/"));
        // A statement that names nothing misses nothing.
        relative.file_name()?;
        if !self.read.contains_key(&relative) {
            let bytes = self.folder.and_then(|folder| find(folder, &relative));
            if bytes.is_none() {
                self.missing.push(relative.clone());
            }
            self.read.insert(relative.clone(), bytes);
        }
        self.read[&relative].clone()
    }

    /// The same for a file that cannot be done without.
    pub(crate) fn require(&mut self, name: &str) -> Result<Arc<[u8]>, ReadError> {
        self.get(name).ok_or_else(|| ReadError::File {
            path: self.folder.unwrap_or(Path::new("")).join(shortened(name)),
            cause: std::io::Error::new(
                std::io::ErrorKind::NotFound,
                "put it next to the file that refers to it",
            ),
        })
    }
}

/// Exporters write absolute paths of the machine they ran on: then the bare name is tried. Only plain
/// files are opened, since a device may never end.
fn find(folder: &Path, relative: &Path) -> Option<Arc<[u8]>> {
    let bare = relative.file_name()?;
    let candidates = [folder.join(relative), folder.join(bare)];
    let found = candidates.iter().find(|path| path.is_file())?;
    fs::read(found).ok().map(Arc::from)
}

/// Reads a whole file; the error names it.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    fs::read(path).map_err(|cause| ReadError::File { path: path.to_owned(), cause })
}

/// Writes a file so that it is either whole or as it was before: to a temporary file in the same folder, which
/// then takes the name. On an error nothing half-written stays.
///
/// ```
/// let path = std::env::temp_dir().join(format!("smithereens-doc-{}.txt", std::process::id()));
/// smithereens_formats::write_atomically(&path, b"all of it")?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"all of it");
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), smithereens_formats::WriteError>(())
/// ```
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_together(&[(path, bytes)])
}

/// Writes files that belong together: all of them to temporary files first, which then take the names. If one cannot be
/// written, all are as they were before.
///
/// ```
/// let folder = std::env::temp_dir().join(format!("smithereens-doc-together-{}", std::process::id()));
/// std::fs::create_dir_all(&folder).unwrap();
/// let (good, bad) = (folder.join("model.obj"), folder.join("missing").join("model.mtl"));
/// assert!(smithereens_formats::write_together(&[(&good, "v 0 0 0"), (&bad, "newmtl a")]).is_err());
/// assert!(!good.exists());
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
pub fn write_together<P: AsRef<Path>, B: AsRef<[u8]>>(files: &[(P, B)]) -> Result<(), WriteError> {
    let mut waiting = Waiting { files: Vec::with_capacity(files.len()) };
    for (path, bytes) in files {
        let path = path.as_ref();
        let failed = |cause| WriteError::File { path: path.to_owned(), cause };
        let temporary = temporary_beside(path).ok_or_else(|| {
            failed(std::io::Error::new(std::io::ErrorKind::InvalidInput, "this is no file name"))
        })?;
        waiting.files.push((temporary.clone(), path));
        write_whole(&temporary, bytes.as_ref()).map_err(failed)?;
    }
    while let Some((temporary, path)) = waiting.files.first() {
        let failed = |cause| WriteError::File { path: path.to_path_buf(), cause };
        fs::rename(temporary, path).map_err(failed)?;
        waiting.files.remove(0);
    }
    Ok(())
}

/// Temporary files that have not taken their names; they go with it.
struct Waiting<'a> {
    files: Vec<(PathBuf, &'a Path)>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        for (temporary, _) in &self.files {
            // It may not exist: the error worth telling is the first one.
            fs::remove_file(temporary).ok();
        }
    }
}

fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    // A rename may reach the disk before the bytes do; after a power cut the name would hold nothing.
    file.sync_all()
}

/// Unique among processes and threads, so that two writers of one file do not share a temporary.
fn temporary_beside(path: &Path) -> Option<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name()?.to_string_lossy();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    Some(path.with_file_name(format!(".{name}.{}-{count}.part", std::process::id())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("smithereens-atomic-{}", std::process::id()));
        // A folder of the target's name makes the rename fail, after the bytes were written.
        let target = folder.join("taken.glb");
        fs::create_dir_all(target.join("full")).unwrap();
        let error = write_atomically(&target, b"bytes").unwrap_err();
        assert!(error.to_string().contains("taken.glb"), "{error}");
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["taken.glb"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_that_cannot_all_be_written_stay_as_they_were() {
        let folder = std::env::temp_dir().join(format!("smithereens-together-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (old, missing) = (folder.join("old.glb"), folder.join("nowhere").join("report.json"));
        fs::write(&old, b"old").unwrap();
        let error = write_together(&[(&old, b"new"), (&missing, b"{}!")]).unwrap_err();
        assert!(error.to_string().contains("report.json"), "{error}");
        assert_eq!(fs::read(&old).unwrap(), b"old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        write_together(&[(&old, &b"new"[..]), (&folder.join("report.json"), b"{}")]).unwrap();
        assert_eq!(fs::read(&old).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_neighbour_is_found_by_its_bare_name() {
        let folder = std::env::temp_dir().join(format!("smithereens-neighbours-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("wood.png"), b"png").unwrap();
        let mut neighbours = Neighbours::of(Some(&folder));
        assert_eq!(neighbours.get(r"C:\art\wood.png").as_deref(), Some(&b"png"[..]));
        assert_eq!(neighbours.get("stone.png"), None);
        assert_eq!(neighbours.get("stone.png"), None);
        assert_eq!(neighbours.missing, [PathBuf::from("stone.png")]);
        fs::remove_dir_all(folder).unwrap();
    }
}
