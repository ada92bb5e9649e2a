//! The sandbox is a program of its own: whoever only makes pictures need not build a window.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::arguments::Flat;

/// The sandbox's program.
const PROGRAM: &str = "smithereens-studio";

/// Opens the sandbox, with a scene in it if there is one, and waits until it is closed.
pub fn open(arguments: &Flat) -> Result<()> {
    if let Some(path) = &arguments.scene {
        // What is wrong with it is told here, where one sees it.
        let text = super::read(path)?;
        let scene = smithereens_flat::scene::Scene::read_with(&text, super::materials(arguments)?);
        scene.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    }
    let Some(program) = find() else {
        bail!(
            "the sandbox is not here: {PROGRAM} is neither beside this program nor on the PATH. Build and open it by
    cargo run --release -p {PROGRAM}
or write a picture, with no window:
    smithereens flat pane -o pane.gif"
        );
    };
    let status = Command::new(&program).args(&arguments.scene).status();
    let status = status.with_context(|| format!("cannot run {}", program.display()))?;
    if !status.success() {
        bail!("{} ended with {status}", program.display());
    }
    Ok(())
}

/// The program, beside this one or on the path.
fn find() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = beside.into_iter().chain(std::env::split_paths(&path));
    folders.map(|folder| folder.join(&name)).find(|program| program.is_file())
}
