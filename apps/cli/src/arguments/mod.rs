//! What can be said on the command line.

mod flat;
mod modes;
mod voxels;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use glam::DVec3;
use smithereens::Fit;
use smithereens_modes::Projection;
use smithereens_repair::{Level, Overlaps, RepairOptions};

use crate::picture::Shot;

pub use flat::Flat;
pub use modes::{CageName, Modes};
pub use voxels::{SurfaceName, Voxelize};

/// Breaks models into solid fragments.
#[derive(Debug, Parser)]
#[command(version, about, long_about = LONG_ABOUT, after_long_help = EXAMPLES, max_term_width = 110)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const LONG_ABOUT: &str = "Breaks models into solid fragments.

Lengths are in the units of the model; masses assume that these are metres. The same model, options and seed give \
the same fragments, bit for bit, on any number of threads.";

const EXAMPLES: &str = "Examples:
  smithereens demo
          needs no files: breaks a torus and writes a GLB, a PNG and a report to out/
  smithereens shatter bunny.ply -o broken.glb --cells 90 --explode 0.3 --picture broken.png
          breaks all of the bunny into about 90 fragments, moves them apart, and takes a picture
  smithereens inspect scan.ply
          says what is wrong with a model, and which command mends it
  smithereens prepare statue.glb -o body.glb --pieces 40
          decomposes the statue into pieces with tight convexes around them, ready to break
  smithereens shatter statue.glb -o hit.glb --at 0,1.2,0.4 --radius 0.3 --direction=0,0,-1
          breaks the statue only where it was hit; the rest stays whole
  smithereens flat pane -o pane.gif
          shoots a pane of glass in the plane, and writes the film

`smithereens help shatter` explains every option. Exit codes: 0 done, 1 it cannot be done (nothing is written), \
2 the command line is wrong.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Break a model.
    #[command(long_about = SHATTER_ABOUT, after_long_help = SHATTER_EXAMPLES)]
    Shatter(Box<Shatter>),
    /// Decompose a model into pieces that break well, and save it as a body.
    #[command(long_about = PREPARE_ABOUT, after_long_help = PREPARE_EXAMPLES)]
    Prepare(Box<Prepare>),
    /// Find where a model breaks by nature, and save it as a body that does.
    #[command(long_about = modes::ABOUT, after_long_help = modes::EXAMPLES)]
    Modes(Box<Modes>),
    /// Make voxels of a model, which break in milliseconds.
    #[command(long_about = voxels::ABOUT, after_long_help = voxels::EXAMPLES)]
    Voxelize(Box<Voxelize>),
    /// Say what is wrong with a model, and what mends it.
    #[command(long_about = INSPECT_ABOUT, after_long_help = INSPECT_EXAMPLES)]
    Inspect(Inspect),
    /// Let the bodies of a scene fall, collide and break.
    #[command(long_about = SIMULATE_ABOUT, after_long_help = SIMULATE_EXAMPLES)]
    Simulate(Box<Simulate>),
    /// The same in two dimensions: pictures of a scene in the plane, or the sandbox.
    #[command(long_about = flat::ABOUT, after_long_help = flat::EXAMPLES)]
    Flat(Box<Flat>),
    /// Break something that comes with the program, and take pictures of it.
    #[command(after_long_help = DEMO_EXAMPLES)]
    Demo(Demo),
}

/// Options of `shatter`.
#[derive(Debug, Args)]
pub struct Shatter {
    /// The model: OBJ, OFF, PLY, STL, GLB or glTF; a body that `prepare` or `modes` has written; or voxels, .svo or .vox.
    pub model: PathBuf,

    /// The file to write: .glb, one node a fragment; .obj, one object a fragment; of voxels .svo, which breaks again, or .glb.
    #[arg(short, long, value_name = "OUT.glb")]
    pub output: PathBuf,

    /// How it breaks: a name (voronoi, falloff, spheres, web, bricks, wood, planes, slices, modes), or a pattern file (TOML). Otherwise
    /// modes for a body that has them, voronoi for all else. Voxels break by spheres, if it is said where they are hit, or voronoi.
    #[arg(long, value_name = "NAME|FILE")]
    pub pattern: Option<String>,

    /// How hard a body with modes is hit: at 1, with an impulse that would give all of it the speed at which its pieces part.
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = positive)]
    pub strength: f64,

    /// What a blow on a body with modes is projected onto.
    #[arg(long, value_enum, value_name = "ONTO", default_value = "modes")]
    pub projection: ProjectionName,

    /// How many cells the pattern has, about: as many fragments with voronoi and falloff, more or fewer with others.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub cells: u32,

    /// Where it is hit. Otherwise its middle; with --radius or modes, where the direction meets the surface.
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub at: Option<DVec3>,

    /// The way the impact travels; patterns are turned to it. Any length but zero.
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    pub direction: Option<DVec3>,

    /// How far the impact reaches: what lies beyond stays whole. Otherwise all breaks.
    #[arg(long, value_name = "R", value_parser = positive, allow_hyphen_values = true)]
    pub radius: Option<f64>,

    /// Another seed, another break.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// How a broken model is mended.
    #[command(flatten)]
    pub mending: Mending,

    /// How convexes are fitted to the pieces in them: more directions, tighter collisions.
    #[arg(long, value_enum, value_name = "FIT", default_value = "26dop")]
    pub fit: FitName,

    /// Pieces of less volume are dropped, in cubic units of the model; the report counts them.
    #[arg(long, value_name = "V", default_value_t = 0.0, value_parser = not_negative, allow_hyphen_values = true)]
    pub min_volume: f64,

    /// Moves fragments apart by this share of their distance from the middle. 0 leaves them in place.
    #[arg(long, value_name = "D", default_value_t = 0.0, value_parser = not_negative, allow_hyphen_values = true)]
    pub explode: f64,

    /// Mass of a cubic unit, in kg/m³: 2500 is stone, 700 wood.
    #[arg(long, value_name = "KG/M³", default_value_t = 2500.0, value_parser = positive, allow_hyphen_values = true)]
    pub density: f64,

    /// The colour of the inside, from 0 to 1 each (sRGB). Otherwise a lighter tone of the model's.
    #[arg(long, value_name = "R,G,B", value_parser = color)]
    pub interior: Option<DVec3>,

    /// Writes what was done, with every fragment's volume and all times, as JSON.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,

    /// How voxels are drawn, in a GLB and in the picture.
    #[arg(long, value_enum, value_name = "HOW", default_value = "smooth")]
    pub surface: SurfaceName,

    /// A picture of the result.
    #[command(flatten)]
    pub camera: Camera,

    /// Prints nothing but warnings and errors.
    #[arg(short, long)]
    pub quiet: bool,
}

const SHATTER_ABOUT: &str = "Breaks a model and writes the fragments.

A model that is closed, every edge between two faces, is broken as it is. Any other is mended first, by the lightest means \
that give a solid, and every step is said: see --repair. Materials and textures are kept; faces made by cuts get a material of their own. Each \
fragment is a node with its centre of mass as origin, and its volume, mass and bonds in `extras`.";

const SHATTER_EXAMPLES: &str = "Examples:
  smithereens shatter bunny.ply -o broken.glb --cells 90 --report report.json
  smithereens shatter window.obj -o broken.glb --pattern web --at 0,1,0 --direction 0,0,1
  smithereens shatter body.glb -o broken.glb --at 0,0.15,0 --direction 0,-1,0 --strength 2
  smithereens shatter armadillo.obj -o hit.obj --radius 20 --explode 0.4 --picture hit.png
  smithereens shatter bunny.svo -o broken.glb --cells 90 --explode 0.3    voxels, made by `smithereens voxelize`";

/// What a blow is projected onto, by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ProjectionName {
    /// The modes: pieces far apart may come off together.
    Modes,
    /// The pieces: what breaks stays near the blow.
    Pieces,
}

impl From<ProjectionName> for Projection {
    fn from(name: ProjectionName) -> Projection {
        match name {
            ProjectionName::Modes => Projection::Modes,
            ProjectionName::Pieces => Projection::Pieces,
        }
    }
}

/// Options of `prepare`.
#[derive(Debug, Args)]
pub struct Prepare {
    /// The model: OBJ, OFF, PLY, STL, GLB or glTF.
    pub model: PathBuf,

    /// The file to write: a body, as GLB.
    #[arg(short, long, value_name = "BODY.glb")]
    pub output: PathBuf,

    /// How many pieces to decompose it into: of a scene, each of its nodes; with --overlaps ghosts, shared out by volume. [default: 32]
    #[arg(long, value_name = "N", group = "goal", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub pieces: Option<u32>,

    /// As few pieces as will do for hulls that exceed the model's volume by this share of it: 0.05 is a close fit.
    #[arg(long, value_name = "C", group = "goal", value_parser = positive)]
    pub concavity: Option<f64>,

    /// The nodes to decompose it by, one a line as x y z, in the units of the model.
    #[arg(long, value_name = "FILE", group = "goal")]
    pub nodes: Option<PathBuf>,

    /// Searches for some milliseconds instead of a second: nodes are only spread evenly.
    #[arg(long, conflicts_with = "nodes")]
    pub instant: bool,

    /// Another seed, another search.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// How the body is made.
    #[command(flatten)]
    pub making: Making,

    /// Writes the nodes to a file that --nodes reads: move some, and decompose again.
    #[arg(long, value_name = "FILE")]
    pub save_nodes: Option<PathBuf>,

    /// Writes what was done, with every body's pieces and fit and all times, as JSON.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,

    /// A picture of the pieces, each in a colour of its own.
    #[command(flatten)]
    pub camera: Camera,

    /// Moves pieces apart in the picture by this share of their distance from the middle.
    #[arg(long, value_name = "D", default_value_t = 0.2, value_parser = not_negative, requires = "picture")]
    pub explode: f64,

    /// Prints nothing but warnings and errors.
    #[arg(short, long)]
    pub quiet: bool,
}

const PREPARE_ABOUT: &str = "Decomposes a model into pieces that break well, and saves it as a body.

Nodes are placed in the model, and each cell around a node cuts out a piece, with a convex fitted around it: what collides, and what \
breaks. Nodes are searched for so that hulls fit the pieces closely, or yours are taken. A model that is not closed is mended first, by \
the lightest means that give a solid: see --repair. A scene becomes one body a node, or one of all with --merge.

Any glTF viewer shows the body; `shatter` takes it as it was saved, bit for bit, without preparing it again.";

const PREPARE_EXAMPLES: &str = "Examples:
  smithereens prepare bunny.ply -o body.glb
  smithereens prepare bunny.ply -o body.glb --pieces 12 --picture pieces.png --save-nodes nodes.txt
  smithereens prepare bunny.ply -o body.glb --nodes nodes.txt
  smithereens prepare castle.glb -o body.glb --concavity 0.05 --report report.json
  smithereens prepare temple.glb -o body.glb --merge --overlaps ghosts --pieces 60
  smithereens shatter body.glb -o broken.glb --radius 0.3";

/// How a picture is taken.
#[derive(Debug, Args)]
pub struct Camera {
    /// Takes a picture, as PNG: of the fragments, or of prepared pieces, each in a colour of its own.
    #[arg(long, value_name = "FILE.png")]
    pub picture: Option<PathBuf>,

    /// The picture's size in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size, requires = "picture")]
    pub picture_size: (u32, u32),

    /// The way the picture's camera looks; y is up.
    #[arg(long, value_name = "X,Y,Z", default_value = "-0.5,-0.42,-1", value_parser = direction, allow_hyphen_values = true)]
    pub view: DVec3,
}

impl Camera {
    /// As pictures are taken.
    pub fn shot(&self) -> Shot {
        Shot { size: self.picture_size, view: self.view }
    }
}

/// How a body is made of a model.
#[derive(Clone, Copy, Debug, Args)]
pub struct Making {
    /// One body of all nodes of a scene, instead of one a node. Nodes that overlap are united, or not: see --overlaps.
    #[arg(long)]
    pub merge: bool,

    /// How a broken model is mended.
    #[command(flatten)]
    pub mending: Mending,

    /// How convexes are fitted to the pieces in them.
    #[arg(long, value_enum, value_name = "FIT", default_value = "hull")]
    pub fit: FitName,

    /// The colour of the inside, from 0 to 1 each (sRGB). Otherwise a lighter tone of the model's.
    #[arg(long, value_name = "R,G,B", value_parser = color)]
    pub interior: Option<DVec3>,
}

/// How a broken model is mended.
#[derive(Clone, Copy, Debug, Args)]
pub struct Mending {
    /// How far a repair of the model may go.
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "auto")]
    pub repair: LevelName,

    /// What is to become of shells that overlap: columns that reach into a roof, say.
    #[arg(long, value_enum, value_name = "HOW", default_value = "unite")]
    pub overlaps: OverlapsName,

    /// Cells along the model's longest side, where it is remeshed: more keep more detail.
    #[arg(long, value_name = "N", default_value_t = 192, value_parser = clap::value_parser!(u32).range(8..=512))]
    pub resolution: u32,
}

impl Mending {
    /// As the library has it.
    pub fn options(&self) -> RepairOptions {
        RepairOptions {
            level: self.repair.into(),
            overlaps: self.overlaps.into(),
            resolution: self.resolution,
            ..RepairOptions::default()
        }
    }
}

/// [`Level`] as it is called on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelName {
    /// Changes nothing: a model that is not closed is refused.
    Off,
    /// Welds, orients, splits and fills holes; the surface stays where it is.
    Light,
    /// The lightest that gives a solid: light; sheets get a thickness; a new surface where nothing else helps.
    Auto,
    /// Makes a new surface in any case.
    Remesh,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Level {
        match name {
            LevelName::Off => Level::Off,
            LevelName::Light => Level::Light,
            LevelName::Auto => Level::Auto,
            LevelName::Remesh => Level::Remesh,
        }
    }
}

/// [`Overlaps`] as they are called on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OverlapsName {
    /// They become one surface, exactly, with nothing inside: for what is one thing, such as a figure put together from parts.
    /// Needs --repair auto.
    Unite,
    /// As unite, and a shell that passes through itself becomes one with itself, also in a watertight model: exact, but takes longer.
    UniteAll,
    /// Each stays a part of its own, as it was modelled, and breaks as such; what parts share counts once and holds them together.
    /// For what was built from parts: temples, furniture, machines. Volumes are exact where of two parts one is convex.
    Ghosts,
}

impl From<OverlapsName> for Overlaps {
    fn from(name: OverlapsName) -> Overlaps {
        match name {
            OverlapsName::Unite => Overlaps::Unite,
            OverlapsName::UniteAll => Overlaps::UniteAll,
            OverlapsName::Ghosts => Overlaps::Keep,
        }
    }
}

/// Options of `inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// The model: OBJ, OFF, PLY, STL, GLB or glTF.
    pub model: PathBuf,

    /// Prints JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

const INSPECT_ABOUT: &str = "Says what is wrong with a model, and what mends it.

Counts faces, parts and holes, edges of more than two faces, faces that are turned, doubled or without area, and faces that \
pass through one another, each with the first few culprits. Numbers of faces and vertices start at 0, in the order of the file. \
The exit code is 0 whatever is found; scripts read `sound` in the JSON.";

const INSPECT_EXAMPLES: &str = "Examples:
  smithereens inspect scan.ply
  smithereens inspect scan.ply --json";

/// Options of `simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// The scene (TOML).
    pub scene: PathBuf,

    /// The animation to write: each fragment a node that appears when it is born.
    #[arg(short, long, value_name = "OUT.glb")]
    pub output: Option<PathBuf>,

    /// Writes what happened, as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// Draws the times of steps and fractures.
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Writes twelve pictures from the beginning to the end, on one page.
    #[arg(long, value_name = "SHEET.png")]
    pub sheet: Option<PathBuf>,

    /// Writes a picture of every frame to a folder.
    #[arg(long, value_name = "DIR")]
    pub frames: Option<PathBuf>,

    /// Writes the dust of every frame to a folder: points as PLY, for particle tools.
    #[arg(long, value_name = "DIR")]
    pub dust: Option<PathBuf>,

    /// Materials of yours, for scenes to name: [material.NAME] tables, as in a scene.
    #[arg(long, value_name = "FILE.toml")]
    pub materials: Option<PathBuf>,

    /// Writes what the clock decided: with --replay, another run is the same to the bit, on a slower machine too.
    #[arg(long, value_name = "FILE.json")]
    pub log: Option<PathBuf>,

    /// Does again what a log tells, and checks that it came to the same.
    #[arg(long, value_name = "FILE.json")]
    pub replay: Option<PathBuf>,

    /// Saves the state at the end, to go on from.
    #[arg(long, value_name = "STATE")]
    pub save: Option<PathBuf>,

    /// Goes on from a saved state of the same scene.
    #[arg(long, value_name = "STATE", conflicts_with = "replay")]
    pub resume: Option<PathBuf>,

    /// Ends after so many seconds of the scene, instead of where it says.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub until: Option<f64>,

    /// Another seed than the scene's.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// The size of each picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "480x270", value_parser = size)]
    pub picture_size: (u32, u32),

    /// Prints nothing but warnings and errors.
    #[arg(short, long)]
    pub quiet: bool,
}

const SIMULATE_ABOUT: &str = "Lets the bodies of a scene fall, collide and break.

A scene is a text file (TOML): bodies of simple shapes or models, what they are made of, what holds them, what is shot and what \
blows up. Lengths in metres, masses in kilograms, times in seconds, angles in degrees. The same scene gives the same result, bit for \
bit, on any number of threads, unless it has a budget of time.";

const SIMULATE_EXAMPLES: &str = "A scene:
  duration = 4.0

  [[body]]
  name = \"wall\"
  shape = { box = [4.0, 3.0, 0.3] }      # or ball, cylinder, parts that overlap, or model = { file = \"x.obj\" }
  material = \"stone\"                   # stone, concrete, glass, wood, steel, or your own: [material.NAME]
  at = [0.0, 1.5, 0.0]
  anchor = \"bottom\"

  [[projectile]]
  time = 0.5
  from = [0.3, 1.6, -6.0]
  velocity = [0.0, 0.0, 50.0]

Examples:
  smithereens simulate wall.toml -o wall.glb --sheet wall.png
  smithereens simulate wall.toml --report wall.json --plot wall.svg
  smithereens simulate wall.toml --log run.json, then --replay run.json    the same run again, to the bit
  smithereens simulate wall.toml --until 2 --save half, then --resume half    the second half";

const DEMO_EXAMPLES: &str = "Examples:
  smithereens demo
          a torus, hit three times: demo.glb, demo.png, demo.json
  smithereens demo columns
          a roof loses two of its columns: an animation (columns.glb), twelve pictures on a page (columns.png), times drawn \
(columns.svg), numbers (columns.json)
  smithereens demo glass
          a window is shot three times
  smithereens demo arena
          a Roman arena is laid in ruins
  smithereens demo dust
          its first seconds, in clouds of dust
  smithereens demo bunnies --model yours.obj
          twenty bunnies, or whatever you have, are thrown at a wall";

/// What `demo` can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DemoName {
    /// A torus, hit three times.
    Torus,
    /// A roof that loses two of its columns.
    Columns,
    /// A window that is shot three times.
    Glass,
    /// A Roman arena that is laid in ruins.
    Arena,
    /// The first seconds of the arena, with dust.
    Dust,
    /// Bunnies, or a model of yours, thrown at a wall.
    Bunnies,
    /// A dragon, or a model of yours, that is shot.
    Dragon,
    /// An arch that stands until its keystone is shot
    Arch,
    /// A tower that loses half of its base, and topples to that side
    Tower,
    /// A bridge that loses a pier, span after span
    Bridge,
    /// Beams held at one end: one stands, one is too long, one is loaded
    Cantilever,
    /// A car door is hit by balls: it dents, bends and tears
    CarDoor,
    /// Cups that fall or are shot, and break by nature: handles come off before bowls break
    Cup,
    /// Dumbbells that break at their necks
    Dumbbell,
    /// A row of vases that break by nature, and a ball
    Vases,
    /// Five thousand dominoes.
    DominoCity,
}

/// Options of `demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// What to break.
    #[arg(value_enum, default_value = "torus")]
    pub name: DemoName,

    /// A model to take the place of the bunnies or the dragon.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,

    /// The folder for what is written; made if it is not there.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,

    /// Another seed, another break.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// The picture's size in pixels, or that of each on a page. Otherwise 1200x675, or 480x270 of each.
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub picture_size: Option<(u32, u32)>,

    /// Prints nothing but warnings and errors.
    #[arg(short, long)]
    pub quiet: bool,
}

/// [`Fit`] as it is called on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FitName {
    /// Boxes.
    Aabb,
    /// Boxes with their corners cut.
    #[value(name = "14dop")]
    Dop14,
    /// And with their edges cut.
    #[value(name = "26dop")]
    Dop26,
    /// Approximate hulls of twenty vertices: tighter, slower.
    Hull,
}

impl From<FitName> for Fit {
    fn from(name: FitName) -> Fit {
        match name {
            FitName::Aabb => Fit::Aabb,
            FitName::Dop14 => Fit::Dop14,
            FitName::Dop26 => Fit::Dop26,
            FitName::Hull => Fit::HULL,
        }
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("\"{text}\" is not a number"))
}

fn vector(text: &str) -> Result<DVec3, String> {
    let numbers = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
    let [x, y, z] = numbers[..] else { return Err("give three numbers, such as 0,1,-0.5".to_owned()) };
    let vector = DVec3::new(x, y, z);
    if vector.is_finite() { Ok(vector) } else { Err("give finite numbers".to_owned()) }
}

fn direction(text: &str) -> Result<DVec3, String> {
    vector(text)?.try_normalize().ok_or_else(|| "a direction needs a length".to_owned())
}

fn color(text: &str) -> Result<DVec3, String> {
    let color = vector(text)?;
    let within = color.cmpge(DVec3::ZERO).all() && color.cmple(DVec3::ONE).all();
    if within { Ok(color) } else { Err("give three numbers from 0 to 1".to_owned()) }
}

fn positive(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    if value > 0.0 { Ok(value) } else { Err("give a positive number".to_owned()) }
}

fn not_negative(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    let sound = value >= 0.0 && value.is_finite();
    if sound { Ok(value) } else { Err("give zero or a positive number".to_owned()) }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.parse().ok().filter(|s| (16..=8192).contains(s));
    let sides = text.split_once('x').and_then(|(w, h)| Some((side(w)?, side(h)?)));
    sides.ok_or_else(|| "give two numbers from 16 to 8192, such as 1280x720".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn values_out_of_range_are_refused() {
        assert_eq!(vector("1,-2, 3e1"), Ok(DVec3::new(1.0, -2.0, 30.0)));
        assert!(vector("1,2").is_err() && vector("1,2,NaN").is_err() && direction("0,0,0").is_err());
        assert!(positive("0").is_err() && positive("nan").is_err() && positive("inf").is_ok());
        assert!(not_negative("-1").is_err() && not_negative("inf").is_err());
        assert!(size("10x").is_err() && size("1280x720") == Ok((1280, 720)));
    }
}
