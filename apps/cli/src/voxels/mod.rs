//! Voxels on the command line: what `voxelize` and `shatter` do with files of them.

mod break_up;
mod draw;
mod paint;
mod voxelize;

use std::path::Path;

use anyhow::{Context, Result, bail};
use smithereens_voxel::{Octree, read_svo, read_vox, write_svo, write_vox};

pub use break_up::run as shatter;
pub use voxelize::run as voxelize;

/// What voxels can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Svo,
    Vox,
    Glb,
}

impl Ending {
    fn of(path: &Path) -> Result<Ending> {
        match ending(path).as_str() {
            "svo" => Ok(Ending::Svo),
            "vox" => Ok(Ending::Vox),
            "glb" => Ok(Ending::Glb),
            _ => bail!("cannot write {}: give it the ending .svo, .vox or .glb", path.display()),
        }
    }
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Whether a file is one of voxels, by its ending.
pub fn is_voxel_file(path: &Path) -> bool {
    matches!(ending(path).as_str(), "svo" | "vox")
}

/// The octrees of a file of voxels.
fn read(path: &Path) -> Result<Vec<Octree>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let octrees =
        if ending(path) == "vox" { read_vox(&bytes).map(|octree| vec![octree]) } else { read_svo(&bytes) };
    let octrees = octrees.with_context(|| path.display().to_string())?;
    if octrees.iter().all(Octree::is_empty) {
        bail!("{} holds no voxels", path.display());
    }
    Ok(octrees)
}

/// Octrees as a file of voxels.
fn encode(octrees: &[&Octree], ending: Ending, path: &Path) -> Result<Vec<u8>> {
    match (ending, octrees) {
        (Ending::Vox, [octree]) => write_vox(octree).with_context(|| path.display().to_string()),
        (Ending::Vox, _) => {
            bail!(
                "cannot write {} pieces to {}: a .vox file holds one object; give .svo or .glb",
                octrees.len(),
                path.display()
            )
        }
        _ => Ok(write_svo(octrees)),
    }
}

/// A number that two runs share if and only if their voxels are the same to the bit, but for a chance of one in 2⁶⁴.
fn state_hash(octrees: &[&Octree]) -> u64 {
    let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    write_svo(octrees).iter().fold(0xcbf2_9ce4_8422_2325, add)
}
