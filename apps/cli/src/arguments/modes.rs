//! Options of `modes`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use glam::DVec3;
use smithereens::Aabb;
use smithereens_modes::{Arrangement, UNBREAKABLE};

use super::{Camera, Making, not_negative, number, positive, vector};

/// Options of `modes`.
#[derive(Debug, Args)]
pub struct Modes {
    /// The model: OBJ, OFF, PLY, STL, GLB or glTF.
    pub model: PathBuf,

    /// The file to write: a body, as GLB.
    #[arg(short, long, value_name = "BODY.glb")]
    pub output: PathBuf,

    /// How many modes to find, from the lowest on. Ten make some dozens of pieces.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub count: u32,

    /// How many cells to choose faults from, about. More follow weak places more closely, and take longer.
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u32).range(2..=200_000))]
    pub cells: u32,

    /// How cells lie.
    #[arg(long, value_enum, value_name = "HOW", default_value = "relaxed")]
    pub arrangement: ArrangementName,

    /// How hard it is to open a fault that looks along x, y and z: 10,10,1 splits wood between layers that lie across z.
    #[arg(long, value_name = "X,Y,Z", default_value = "1,1,1", value_parser = factors)]
    pub eta: DVec3,

    /// A box in which nothing breaks, by two corners, in the model's units. May be given several times.
    #[arg(long, value_name = "X,Y,Z,X,Y,Z", value_parser = region, allow_hyphen_values = true)]
    pub whole: Vec<Aabb>,

    /// A material, by its name, next to which a fault costs so many times its area; `whole` for none at all. May be given several times.
    #[arg(long, value_name = "MATERIAL=FACTOR", value_parser = paint)]
    pub paint: Vec<(String, f64)>,

    /// Whether modes are found in a coarse cage around the model: auto does so for models that had to be mended, whose shells may be loose, and
    /// for those of more than a million triangles. The pieces are cut from the model itself in any case.
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub cage: CageName,

    /// Pieces with less than this part of the volume go to a neighbour.
    #[arg(long, value_name = "PART", default_value_t = 0.001, value_parser = part)]
    pub sliver: f64,

    /// Smooths faults over so many cells instead of leading them along faces of cells; one if no number is given.
    #[arg(long, value_name = "CELLS", default_value_t = 0.0, default_missing_value = "1", num_args = 0..=1, require_equals = true, value_parser = not_negative)]
    pub smooth: f64,

    /// How far a blow spreads, as a part of the cube root of the volume.
    #[arg(long, value_name = "PART", default_value_t = 0.18, value_parser = positive)]
    pub reach: f64,

    /// Another seed, other cells.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// How the body is made.
    #[command(flatten)]
    pub making: Making,

    /// Writes what was found, with the energy and time of every mode, as JSON.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,

    /// Writes what the picture shows as GLB: the first modes and all pieces, moved apart.
    #[arg(long, value_name = "FILE.glb")]
    pub exploded: Option<PathBuf>,

    /// A picture of the first modes, each as it breaks alone, and of all pieces.
    #[command(flatten)]
    pub camera: Camera,

    /// How many modes are shown.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=64))]
    pub shown: u32,

    /// Moves pieces apart in picture and GLB by this share of their distance from the middle.
    #[arg(long, value_name = "D", default_value_t = 0.25, value_parser = not_negative)]
    pub explode: f64,

    /// Prints nothing but warnings and errors.
    #[arg(short, long)]
    pub quiet: bool,
}

/// How cells lie, by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ArrangementName {
    /// Voronoi cells of relaxed points: no direction is easier than others.
    Relaxed,
    /// Those of a body-centred cubic lattice.
    Lattice,
}

impl From<ArrangementName> for Arrangement {
    fn from(name: ArrangementName) -> Arrangement {
        match name {
            ArrangementName::Relaxed => Arrangement::Relaxed,
            ArrangementName::Lattice => Arrangement::Lattice,
        }
    }
}

/// When there is a cage, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CageName {
    /// For what was mended, and for what is huge.
    Auto,
    /// For all.
    Always,
    /// For none.
    Never,
}

fn paint(text: &str) -> Result<(String, f64), String> {
    let (material, factor) = text.rsplit_once('=').ok_or("give a material and a factor: handle=whole")?;
    let factor = if factor == "whole" { UNBREAKABLE } else { positive(factor)? };
    Ok((material.to_owned(), factor))
}

fn factors(text: &str) -> Result<DVec3, String> {
    let factors = vector(text)?;
    let sound = factors.cmpgt(DVec3::ZERO).all() && factors.cmplt(DVec3::splat(1e6)).all();
    if sound { Ok(factors) } else { Err("give three numbers above zero and below a million".to_owned()) }
}

fn part(text: &str) -> Result<f64, String> {
    let part = number(text)?;
    if (0.0..1.0).contains(&part) { Ok(part) } else { Err("give a number from 0 to below 1".to_owned()) }
}

fn region(text: &str) -> Result<Aabb, String> {
    let numbers = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
    let [a, b, c, d, e, f] = numbers[..] else { return Err("give six numbers: two corners".to_owned()) };
    let corners = [DVec3::new(a, b, c), DVec3::new(d, e, f)];
    let region = Aabb::of_points(corners);
    if region.is_empty() { Err("give finite numbers".to_owned()) } else { Ok(region) }
}

pub(super) const ABOUT: &str = "Finds where a model breaks by nature, and saves it as a body that does.

A shape has ways in which it breaks most easily, its fracture modes, as it has notes at which it rings: a cup at its handle, a dumbbell at its neck. \
The model is cut into thousands of cells; modes are the faults between them of least area for what they part. All modes together make the pieces \
of the body, with the model's own surface outside. Which of them come off depends on where and how hard it is hit: `shatter` with --strength.

Any glTF viewer shows the body; `shatter` takes it as it was saved, bit for bit.";

pub(super) const EXAMPLES: &str = "Examples:
  smithereens modes bunny.ply -o body.glb --picture modes.png
  smithereens shatter body.glb -o broken.glb --at 0,0.15,0 --direction 0,-1,0 --strength 2
  smithereens modes plank.obj -o plank.glb --eta 10,10,1 --count 16
  smithereens modes cup.obj -o cup.glb --smooth --paint handle=whole
  smithereens modes cup.obj -o cup.glb --whole -0.05,0,-0.05,0.05,0.1,0.05";
