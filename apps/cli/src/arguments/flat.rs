//! Options of `flat`.

use std::path::PathBuf;

use clap::Args;

use super::{not_negative, positive, size};

/// Options of `flat`.
#[derive(Debug, Args)]
pub struct Flat {
    /// The scene: a file (TOML), or the name of one that comes with the program (see --list).
    pub scene: Option<PathBuf>,

    /// The picture to write: .svg or .png of a moment, .gif of all of it. Without this, --report or --save, the sandbox opens.
    #[arg(short, long, value_name = "OUT.svg|png|gif")]
    pub output: Option<PathBuf>,

    /// Tells which scenes come with the program.
    #[arg(long)]
    pub list: bool,

    /// The moment of the picture, in seconds. Otherwise the end of the scene. Of a GIF: where it begins.
    #[arg(long, value_name = "SECONDS", value_parser = not_negative)]
    pub at: Option<f64>,

    /// Ends after so many seconds of the scene, instead of where it says.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub until: Option<f64>,

    /// The size of the picture in pixels; of each one, with --sheet. Otherwise 960x540, and 640x360 for a GIF or a sheet.
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<(u32, u32)>,

    /// Pictures a second of a GIF, up to 50.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=50))]
    pub fps: u32,

    /// Instead of one moment, so many from the beginning to the end, on one page (PNG).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100))]
    pub sheet: Option<u32>,

    /// Draws the pieces that bodies consist of.
    #[arg(long)]
    pub pieces: bool,

    /// Draws the bonds between pieces; from green to red by how much they bear, where the scene looks at stress.
    #[arg(long)]
    pub bonds: bool,

    /// Leaves out the grid behind the picture.
    #[arg(long)]
    pub no_grid: bool,

    /// Writes what happened, as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// Writes what the scene has become, as a scene that goes on from there.
    #[arg(long, value_name = "SCENE.toml")]
    pub save: Option<PathBuf>,

    /// Materials of yours, for scenes to name: [material.NAME] tables, as in a scene.
    #[arg(long, value_name = "FILE.toml")]
    pub materials: Option<PathBuf>,

    /// Another seed than the scene's.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Prints nothing but warnings and errors.
    #[arg(short, long)]
    pub quiet: bool,
}

pub const ABOUT: &str = "The same in two dimensions: bodies in the plane fall, collide and break.

With a scene and -o, it writes a picture of a moment (SVG, PNG) or of all of it (GIF), with no window. Without -o, the sandbox opens, \
where you draw shapes and patterns, drag, click and shoot; with the scene in it, if there is one.

A scene is a text file (TOML): bodies of simple shapes, points or chains with holes, what they are made of, what holds them, what is \
clicked on and what is shot. Lengths in metres, masses in kilograms, times in seconds, angles in degrees. The same scene gives the \
same result and the same picture, bit for bit, on any number of threads.";

pub const EXAMPLES: &str = "A scene:
  duration = 3.0
  ground = 0                             # a floor of steel

  [[body]]
  name = \"pane\"
  shape = { box = [4.0, 2.5] }           # or disc, regular, ring, polygon, chain, blob, wall, arch, pieces
  material = \"glass\"                     # stone, concrete, glass, wood, steel, brick, ice, ceramic, clay, or your own
  at = [0.0, 1.4]
  anchor = \"bottom\"

  [[body]]
  shape = { chain = { points = [[-1, 0], [1, 0], [0, 2]], holes = [[[-0.3, 0.3], [0.3, 0.3], [0, 1]]] } }
  at = [0.0, 6.0]

  [[shot]]                               # and [[hit]] for a click: time, at, strength, radius, pattern
  time = 0.5
  from = [-6.0, 2.0]
  toward = [0.0, 1.5]
  breaks = 2                             # bodies it breaks before it is gone

  [[pattern]]                            # control points from -1 to 1, or kind = \"web\" and so on
  name = \"mine\"
  points = [[0, 0], [0.3, 0.1], [-0.2, 0.4]]

Examples:
  smithereens flat --list
  smithereens flat pane -o pane.gif
  smithereens flat wall.toml -o wall.png --at 0.8 --size 1280x720
  smithereens flat arch -o arch.svg --at 0.5 --bonds         how much its joints bear
  smithereens flat bridge -o bridge.png --sheet 12           how it went, on one page
  smithereens flat wall.toml --report wall.json
  smithereens flat wall.toml --until 1 --save half.toml      what it has become, to go on from
  smithereens flat                                           the sandbox";
