//! Scenes: what is there, what happens to it, and from where it is seen, in a short text file.
//!
//! ```toml
//! seed = 3
//! duration = 4.0
//!
//! [[body]]
//! name = "wall"
//! shape = { box = [4.0, 3.0, 0.3] }
//! material = "stone"
//! at = [0.0, 1.5, 0.0]
//! anchor = "bottom"
//!
//! [[projectile]]
//! time = 0.5
//! from = [0.3, 1.6, -6.0]
//! velocity = [0.0, 0.0, 50.0]
//! ```

mod build;
mod debris;
mod dust;
mod error;
mod modes;
mod read;
mod saved;
mod shapes;
mod volley;

use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use crate::Material;

pub use build::{Placed, Stage};
pub use debris::DebrisEntry;
pub use dust::DustEntry;
pub use error::SceneError;
pub use modes::{Loaded, ModesEntry};
pub use shapes::{Along, Arch, Lathe, Part, Prism};

/// A scene as it is written.
///
/// ```
/// use smithereens_simulate::scene::Scene;
/// let scene = Scene::parse("duration = 2.0\n[[body]]\nshape = { box = [1, 1, 1] }\nat = [0, 3, 0]\n")?;
/// assert_eq!(scene.bodies.len(), 1);
/// let error = Scene::parse("duration = 2.0\n\n[[body]]\nshape = { cube = 1 }\n").unwrap_err();
/// assert_eq!(error.line, Some(4));
/// # Ok::<(), smithereens_simulate::scene::SceneError>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scene {
    /// Decides all that is left to chance.
    pub seed: u64,
    /// In seconds.
    pub duration: f64,
    /// Steps a second.
    pub rate: f64,
    /// In metres per second squared.
    pub gravity: [f64; 3],
    /// How high the floor is. Left out: there is none.
    pub ground: Option<f64>,
    /// Whether forces are followed through bodies, and what bears too much comes apart.
    pub stress: bool,
    /// Materials of its own, by name.
    #[serde(rename = "material")]
    pub materials: toml::Table,
    /// What is there from the start.
    #[serde(rename = "body")]
    pub bodies: Vec<BodyEntry>,
    /// What is shot.
    #[serde(rename = "projectile")]
    pub projectiles: Vec<ProjectileEntry>,
    /// What blows up.
    #[serde(rename = "explosion")]
    pub explosions: Vec<ExplosionEntry>,
    /// From where it is seen.
    pub camera: Option<CameraEntry>,
    /// How much a step may take.
    pub budget: BudgetEntry,
    /// Dust of what breaks. Left out: there is none.
    pub dust: Option<DustEntry>,
    /// Debris of what breaks. Left out: there is none.
    pub debris: Option<DebrisEntry>,
    /// Materials that it may name besides its own.
    #[serde(skip)]
    table: Vec<Material>,
    #[serde(skip)]
    source: String,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene {
            seed: 0,
            duration: 5.0,
            rate: 60.0,
            gravity: [0.0, -9.81, 0.0],
            ground: Some(0.0),
            stress: false,
            materials: toml::Table::new(),
            bodies: Vec::new(),
            projectiles: Vec::new(),
            explosions: Vec::new(),
            camera: None,
            budget: BudgetEntry::default(),
            dust: None,
            debris: None,
            table: Vec::new(),
            source: String::new(),
        }
    }
}

/// A body, or several alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyEntry {
    /// Its name.
    pub name: Option<String>,
    /// Its shape.
    pub shape: Shape,
    /// What it is made of: one of the table, or of the scene's own.
    pub material: Option<Spanned<String>>,
    /// Where it can come apart by itself: it is cut into pieces that hang together. What a hit breaks needs none.
    pub grain: Option<Spanned<Grain>>,
    /// That it breaks by nature, along faults that are found when the scene is staged. Parts that overlap are united for that.
    pub modes: Option<Spanned<ModesEntry>>,
    /// Where its origin is.
    #[serde(default)]
    pub at: [f64; 3],
    /// How it is turned about x, then y, then z, in degrees.
    #[serde(default)]
    pub turn: [f64; 3],
    /// In metres per second.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// In degrees per second, about the axes.
    #[serde(default)]
    pub spin: [f64; 3],
    /// What holds it.
    pub anchor: Option<Spanned<Anchor>>,
    /// How many there are along each axis, and how far apart.
    pub copies: Option<Copies>,
}

/// Where a body can come apart by itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grain {
    /// voronoi, bricks, slices, and so on.
    #[serde(default = "voronoi")]
    pub pattern: String,
    /// How many pieces there are, about.
    #[serde(default = "sixteen")]
    pub cells: usize,
}

fn voronoi() -> String {
    "voronoi".to_owned()
}

/// What holds a body.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Anchor {
    /// A side of its box: bottom, top, left, right, front, back; or all of it.
    Side(String),
    /// Boxes in its own coordinates, each by its two corners.
    Boxes(Vec<[[f64; 3]; 2]>),
}

/// Bodies alike, in rows, in a ring, or in rows of rings.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Copies {
    /// How many along x, y and z.
    pub count: [u32; 3],
    /// How far apart.
    pub step: [f64; 3],
    /// In a ring about y.
    pub ring: Option<Ring>,
}

impl Default for Copies {
    fn default() -> Copies {
        Copies { count: [1; 3], step: [0.0; 3], ring: None }
    }
}

/// Bodies alike around y, each with its z axis away from the middle.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// How many there would be in a full ring.
    pub count: u32,
    /// From the middle to the origin of each.
    pub radius: f64,
    /// The first that is there, and the first that is not any more. Left out: all are.
    pub only: Option<[u32; 2]>,
}

impl Ring {
    /// The angles of those that are there, from z towards x, in degrees.
    fn angles(&self) -> impl Iterator<Item = f64> {
        let [from, to] = self.only.unwrap_or([0, self.count]);
        let a_turn = 360.0 / f64::from(self.count.max(1));
        (from.min(self.count)..to.min(self.count)).map(move |index| a_turn * f64::from(index))
    }
}

/// The shape of a body.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Shape {
    /// A box about the origin: its size along x, y and z.
    Box([f64; 3]),
    /// A ball about the origin: its radius.
    Ball(f64),
    /// A cylinder along y about the origin.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its radius at the top, if that is another.
        top: Option<f64>,
        /// Its height.
        height: f64,
        /// How many sides it has.
        #[serde(default = "twenty")]
        sides: u32,
    },
    /// Simple shapes that may overlap, as artists model them.
    Parts(Vec<Part>),
    /// A model of the user's.
    Model(ModelEntry),
    /// That of a body before it, by its name.
    Of(Spanned<String>),
}

/// A model of the user's.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Its file.
    pub file: Spanned<PathBuf>,
    /// Into how many pieces it is decomposed, unless it is to break by nature. A body that is prepared stays as it is, and breaks by nature if that
    /// is how it was prepared.
    #[serde(default = "sixteen")]
    pub pieces: usize,
    /// How high it is made, about its middle. Left out: as it is.
    pub height: Option<f64>,
}

impl ModelEntry {
    /// A file, into how many pieces its model is decomposed, and how high it is made.
    pub fn new(file: PathBuf, pieces: usize, height: f64) -> ModelEntry {
        ModelEntry { file: Spanned::new(0..0, file), pieces, height: Some(height) }
    }
}

fn twenty() -> u32 {
    20
}

fn sixteen() -> usize {
    16
}

/// Something that is shot, when its time comes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectileEntry {
    /// In seconds.
    pub time: f64,
    /// From where.
    pub from: [f64; 3],
    /// In metres per second.
    pub velocity: [f64; 3],
    /// In metres.
    #[serde(default = "tenth")]
    pub radius: f64,
    /// Steel, if left out.
    pub material: Option<Spanned<String>>,
    /// More than one, one after the other.
    pub volley: Option<Volley>,
}

fn tenth() -> f64 {
    0.1
}

/// The same again and again, somewhere near.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volley {
    /// How often in all.
    pub count: u32,
    /// In seconds.
    pub every: f64,
    /// How far from the first, to both sides, along x, y and z.
    #[serde(default)]
    pub spread: [f64; 3],
    /// How far around y each is from the one before, in degrees, from z towards x. Where it goes turns with it.
    #[serde(default)]
    pub turn: f64,
}

/// Something that blows up, when its time comes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplosionEntry {
    /// In seconds.
    pub time: f64,
    /// Where.
    pub at: [f64; 3],
    /// More than one, one after the other.
    pub volley: Option<Volley>,
    /// How far it reaches.
    pub radius: f64,
    /// In newtons, on what is next to it.
    pub force: f64,
    /// In newton seconds per square metre, on what is next to it.
    #[serde(default)]
    pub impulse: f64,
}

/// From where a scene is seen.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraEntry {
    /// Where the eye is.
    pub from: [f64; 3],
    /// What is in the middle of the picture.
    pub to: [f64; 3],
    /// From the bottom to the top of the picture, in degrees.
    #[serde(default = "forty")]
    pub angle: f64,
}

fn forty() -> f64 {
    40.0
}

/// How much a step may take.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetEntry {
    /// Milliseconds of fracture a step. Left out: as many as it takes, and every run is the same.
    pub milliseconds: Option<f64>,
    /// The most bodies that are kept.
    pub bodies: Option<usize>,
    /// For how many seconds a body must have been slow to come to rest; `inf` for never.
    pub rest: Option<f64>,
    /// How many bodies may be awake before those that are slow come to rest sooner.
    pub awake: Option<usize>,
    /// The least volume of a body, in cubic metres.
    pub smallest: Option<f64>,
}
