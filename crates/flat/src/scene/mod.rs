//! Scenes: what is there, what happens to it, and what of it is seen, in a short text file.
//!
//! ```toml
//! seed = 3
//! duration = 4.0
//! ground = 0
//!
//! [[body]]
//! name = "pane"
//! shape = { box = [4.0, 3.0] }
//! material = "glass"
//! at = [0.0, 1.5]
//! anchor = "bottom"
//!
//! [[shot]]
//! time = 0.5
//! from = [-6.0, 1.6]
//! toward = [0.0, 1.6]
//! ```

mod build;
mod built_in;
mod error;
mod modes;
mod read;
mod shapes;
mod weakness;
mod write;

use glam::DVec2;
use serde::{Deserialize, Serialize};
use smithereens_planar::Compound;

use crate::{Material, Push, Recipe, Turning};

pub use build::{Placed, Stage};
pub use built_in::{BuiltIn, built_in};
pub use error::SceneError;
pub(crate) use error::line_of;
pub use modes::ModesEntry;
pub use shapes::{Arch, Blob, Chain, Regular, Ring, Shape, Wall};
pub use weakness::WeaknessEntry;

/// A scene as it is written.
///
/// ```
/// use smithereens_flat::scene::Scene;
/// let scene = Scene::read("duration = 2.0\n[[body]]\nshape = { box = [1, 1] }\nat = [0, 3]\n")?;
/// assert_eq!(scene.bodies.len(), 1);
/// let error = Scene::read("duration = 2.0\n\n[[body]]\nshape = { cube = 1 }\n").unwrap_err();
/// assert_eq!(error.line, Some(4));
/// # Ok::<(), smithereens_flat::scene::SceneError>(())
/// ```
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scene {
    /// What it shows, in a line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Decides all that is left to chance.
    pub seed: u64,
    /// In seconds.
    pub duration: f64,
    /// Steps a second.
    pub rate: f64,
    /// In metres per second squared.
    pub gravity: [f64; 2],
    /// How high the floor is: a slab of steel. Left out: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground: Option<f64>,
    /// The box that bodies and projectiles live in: what leaves it is gone. Left out: a large one around all that there is.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[[f64; 2]; 2]>,
    /// The box that pictures show. Left out: all that there is at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<[[f64; 2]; 2]>,
    /// How thick everything is, in metres.
    pub depth: f64,
    /// Whether forces are followed through bodies, and what bears too much comes apart.
    pub stress: bool,
    /// How much is kept.
    pub budget: BudgetEntry,
    /// Materials of its own, by name.
    #[serde(rename = "material", skip_serializing_if = "toml::Table::is_empty")]
    pub materials: toml::Table,
    /// Patterns of its own: materials and hits may name them.
    #[serde(rename = "pattern", skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<Recipe>,
    /// What is there from the start.
    #[serde(rename = "body", skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<BodyEntry>,
    /// Where bodies break by nature, of bodies that fractures left.
    #[serde(rename = "weakness", skip_serializing_if = "Vec::is_empty")]
    pub weaknesses: Vec<WeaknessEntry>,
    /// What is clicked on.
    #[serde(rename = "hit", skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<HitEntry>,
    /// What is shot.
    #[serde(rename = "shot", skip_serializing_if = "Vec::is_empty")]
    pub shots: Vec<ShotEntry>,
    /// Materials that it may name besides its own.
    #[serde(skip)]
    table: Vec<Material>,
    #[serde(skip)]
    source: String,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene {
            about: String::new(),
            seed: 0,
            duration: 5.0,
            rate: 60.0,
            gravity: [0.0, -9.81],
            ground: None,
            bounds: None,
            view: None,
            depth: 1.0,
            stress: false,
            budget: BudgetEntry::default(),
            materials: toml::Table::new(),
            patterns: Vec::new(),
            bodies: Vec::new(),
            weaknesses: Vec::new(),
            hits: Vec::new(),
            shots: Vec::new(),
            table: Material::table(),
            source: String::new(),
        }
    }
}

/// A body, or several alike.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BodyEntry {
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is made of: one of the table, or of the scene's own. Left out: stone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Where its origin is.
    #[serde(default)]
    pub at: [f64; 2],
    /// How it is turned, in degrees, counter-clockwise.
    #[serde(default)]
    pub turn: f64,
    /// In metres per second.
    #[serde(default)]
    pub velocity: [f64; 2],
    /// In degrees per second.
    #[serde(default)]
    pub spin: f64,
    /// Whether all of it is held, and what breaks off as well.
    #[serde(default)]
    pub fixed: bool,
    /// What holds it: it does while a piece of the body reaches into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// Where it can come apart by itself: it is cut into pieces that hang together. What a hit breaks needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grain: Option<Grain>,
    /// That it breaks by nature, along faults that are found when the scene is staged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<ModesEntry>,
    /// How many there are along each axis, and how far apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
    /// Its shape.
    pub shape: Shape,
}

impl BodyEntry {
    /// A body of a shape, at the origin and at rest.
    pub fn of(shape: Shape) -> BodyEntry {
        BodyEntry {
            name: None,
            material: None,
            at: [0.0; 2],
            turn: 0.0,
            velocity: [0.0; 2],
            spin: 0.0,
            fixed: false,
            anchor: None,
            grain: None,
            modes: None,
            copies: None,
            shape,
        }
    }
}

/// Where a body can come apart by itself.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Grain {
    /// voronoi, bricks, slices and so on, or one of the scene's own.
    #[serde(default = "voronoi")]
    pub pattern: String,
    /// How many pieces there are, about.
    #[serde(default = "sixteen")]
    pub cells: usize,
}

fn voronoi() -> String {
    "voronoi".to_owned()
}

fn sixteen() -> usize {
    16
}

/// What holds a body.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Anchor {
    /// A side of its box: bottom, top, left, right; or all of it.
    Side(String),
    /// Boxes in its own coordinates, each by its two corners.
    Boxes(Vec<[[f64; 2]; 2]>),
}

/// Bodies alike, in rows.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Copies {
    /// How many along x and y.
    pub count: [u32; 2],
    /// How far apart.
    pub step: [f64; 2],
    /// How far every other row is shifted along x: bricks lie so.
    pub shift: f64,
}

impl Default for Copies {
    fn default() -> Copies {
        Copies { count: [1; 2], step: [0.0; 2], shift: 0.0 }
    }
}

/// A click on a body, when its time comes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HitEntry {
    /// In seconds.
    pub time: f64,
    /// Where: the body that is there is hit. Nothing happens if there is none.
    pub at: [f64; 2],
    /// The way it travels.
    #[serde(default)]
    pub direction: [f64; 2],
    /// How hard, in multiples of what the material bears.
    #[serde(default = "two")]
    pub strength: f64,
    /// How far it reaches, in metres; `inf` for all of the body. Left out: as far as the material has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// The pattern: one of the scene's own, or a kind. Left out: the material's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Half the width of the pattern, in metres. Left out: the radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// What becomes of the pattern where it is too small: extend, scale or leave.
    #[serde(default)]
    pub cover: CoverEntry,
    /// How the pattern is turned.
    #[serde(default)]
    pub turning: Turning,
    /// What drives fragments apart: `{ speed = 1 }` or `{ impulse = 50 }`. Left out: as the material has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<Push>,
}

fn two() -> f64 {
    2.0
}

/// What becomes of a pattern where it is too small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CoverEntry {
    /// It goes on.
    #[default]
    Extend,
    /// It is scaled.
    Scale,
    /// It stays as it is.
    Leave,
}

/// Projectiles, when their time comes.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ShotEntry {
    /// In seconds.
    pub time: f64,
    /// From where.
    pub from: [f64; 2],
    /// Towards where.
    pub toward: [f64; 2],
    /// In metres per second.
    #[serde(default = "sixty")]
    pub speed: f64,
    /// How many bodies each breaks.
    #[serde(default = "three")]
    pub breaks: u32,
    /// How hard it hits, in multiples of what materials bear.
    #[serde(default = "four")]
    pub strength: f64,
    /// How far a hit of it reaches, in metres. Left out: as far as the material has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// How long it is, in metres.
    #[serde(default = "half")]
    pub length: f64,
    /// How many, one after the other.
    #[serde(default = "one")]
    pub count: u32,
    /// How long from one to the next, in seconds.
    #[serde(default = "half")]
    pub every: f64,
    /// How far from one to the next where they go, in metres.
    #[serde(default)]
    pub step: [f64; 2],
}

fn sixty() -> f64 {
    60.0
}

fn four() -> f64 {
    4.0
}

fn half() -> f64 {
    0.5
}

fn three() -> u32 {
    3
}

fn one() -> u32 {
    1
}

/// How much is kept.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetEntry {
    /// The most bodies that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<usize>,
    /// The most pieces of debris.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debris: Option<usize>,
    /// How long debris is there, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub life: Option<f64>,
    /// The least area of a body, in square metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<f64>,
    /// The least width of a piece that collides, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinnest: Option<f64>,
}

/// A compound as it is, written out: what a fracture left.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Broken {
    /// Its pieces and bonds.
    pub compound: Compound,
    /// The number of the first mark that a fracture left.
    pub first_cut: u64,
    /// Where it breaks by nature: the number of one of the scene's, from 0 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weakness: Option<usize>,
}

/// A vector as it is written.
pub(super) fn written(vector: DVec2) -> [f64; 2] {
    vector.to_array()
}
