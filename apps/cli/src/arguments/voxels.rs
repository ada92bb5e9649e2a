//! Options of `voxelize`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use glam::DVec3;

use super::{Camera, Mending, color};

/// Options of `voxelize`.
#[derive(Debug, Args)]
pub struct Voxelize {
    /// The model: OBJ, OFF, PLY, STL, GLB or glTF; or a file of voxels, .svo or .vox.
    pub model: PathBuf,

    /// The file to write: .svo, which `shatter` breaks; .vox, for MagicaVoxel, up to level 9; or .glb, the surface as a mesh.
    #[arg(short, long, value_name = "OUT.svo")]
    pub output: PathBuf,

    /// How fine: 2 to the power of this many voxels along the longest side. 8 is 256, 10 is 1024. A file of voxels keeps the level it has.
    #[arg(long, value_name = "L", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=12))]
    pub level: u32,

    /// How voxels are drawn, in a GLB and in the picture.
    #[arg(long, value_enum, value_name = "HOW", default_value = "smooth")]
    pub surface: SurfaceName,

    /// How a broken model is mended: what is not closed has no inside.
    #[command(flatten)]
    pub mending: Mending,

    /// The colour of the inside, from 0 to 1 each (sRGB). Otherwise a lighter tone of the model's, mottled.
    #[arg(long, value_name = "R,G,B", value_parser = color)]
    pub interior: Option<DVec3>,

    /// Writes what was done, with numbers of voxels, bytes and all times, as JSON.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,

    /// A picture of the voxels.
    #[command(flatten)]
    pub camera: Camera,

    /// Prints nothing but warnings and errors.
    #[arg(short, long)]
    pub quiet: bool,
}

/// How voxels are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SurfaceName {
    /// As the surface they stand for.
    Smooth,
    /// As cubes.
    Blocky,
}

pub(super) const ABOUT: &str = "Makes voxels of a model: a sparse octree of its surface and of all that is inside.

Every voxel that the surface passes through is found, with its colour, texture and normal, and what it encloses is known to be inside. `shatter` breaks the \
octree in milliseconds, down to single voxels, and its pieces break again. A model that is not closed is mended first: see --repair.";

pub(super) const EXAMPLES: &str = "Examples:
  smithereens voxelize bunny.ply -o bunny.svo --level 9 --picture bunny.png
  smithereens shatter bunny.svo -o broken.glb --cells 90 --explode 0.3 --picture broken.png
  smithereens shatter bunny.svo -o hit.svo --at 0,0.15,0 --radius 0.04
  smithereens shatter hit.svo -o again.glb --pattern voronoi --cells 200
  smithereens voxelize chair.glb -o chair.vox --level 7
  smithereens voxelize castle.vox -o castle.glb --surface blocky";
