//! Real models for tests that want them: scans and parts that are not the project's to ship.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What is wrong with a model, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Closed and wound outward.
    Watertight,
    /// Closed, but wound inside out.
    InsideOut,
    /// Closed, with a vertex where two sheets touch.
    TouchingSheets,
    /// With holes.
    Open,
    /// Triangles that share no vertices, or shells that pass through each other.
    Soup,
    /// Edges with more than two faces.
    NonManifold,
}

/// A model and what is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// The name of the file.
    pub file: &'static str,
    /// How many triangles it has; faces with more corners count as many.
    pub triangles: usize,
    /// Its handles, where known.
    pub genus: Option<u32>,
    /// What is wrong with it.
    pub condition: Condition,
}

const fn model(file: &'static str, triangles: usize, genus: Option<u32>, condition: Condition) -> Model {
    Model { file, triangles, genus, condition }
}

/// All models.
pub const MODELS: [Model; 19] = [
    model("bunny.off", 6_966, Some(0), Condition::Watertight),
    model("armadillo.obj", 86_482, Some(0), Condition::Watertight),
    model("bunny-70k.ply", 70_372, None, Condition::Watertight),
    model("dragon.ply", 99_988, None, Condition::Watertight),
    model("fertility-genus4.off", 9_000, Some(4), Condition::Watertight),
    model("rocker-arm-genus1.obj", 20_088, Some(1), Condition::Watertight),
    model("fandisk-sharp.obj", 12_946, None, Condition::Watertight),
    model("spot-uv.obj", 5_856, None, Condition::Watertight),
    model("thingi-73416.stl", 76_840, Some(13), Condition::Watertight),
    model("thingi-65004.stl", 1_466, Some(2), Condition::Watertight),
    model("horse-inverted.ply", 96_966, None, Condition::InsideOut),
    model("cow-nonmanifold-vertex.obj", 5_804, None, Condition::TouchingSheets),
    model("stanford-bunny-holes.obj", 69_451, None, Condition::Open),
    model("teapot-open.obj", 6_320, None, Condition::Open),
    model("suzanne-open.obj", 968, None, Condition::Open),
    model("kitchen-pot-soup.obj", 23_288, None, Condition::Soup),
    model("offset-degenerate.obj", 4_418, None, Condition::Open),
    model("dragon-48k-nonmanifold.ply", 47_794, None, Condition::NonManifold),
    model("dragon-200k-nonmanifold.ply", 202_520, None, Condition::NonManifold),
];

/// The folder of models beside the workspace, `../shared/models`; `None`, said once on the terminal, where there is none:
/// tests then do with [`crate::fixtures`].
pub fn models_dir() -> Option<PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/models");
        let found = dir.canonicalize().ok().filter(|d| d.is_dir());
        if found.is_none() {
            eprintln!("no models at ../shared/models: using procedural fixtures only");
        }
        found
    };
    FOUND.get_or_init(find).clone()
}

/// The file of a model, if it is there.
pub fn model_path(file: &str) -> Option<PathBuf> {
    Some(models_dir()?.join(file)).filter(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_files_that_are_there() {
        if models_dir().is_some() {
            for model in MODELS {
                assert!(model_path(model.file).is_some(), "{} is missing", model.file);
            }
        }
        assert_eq!(model_path("no-such-model.obj"), None);
    }
}
