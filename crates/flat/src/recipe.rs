//! Patterns by name: how they are written in files and scenes, and the shelf of them that a world breaks by.
//!
//! ```toml
//! [[pattern]]
//! name = "my star"
//! points = [[0, 0], [0.5, 0.1], [-0.3, 0.6], [0.2, -0.7]]
//!
//! [[pattern]]
//! name = "pane"
//! kind = "web"
//! sectors = 15
//! ```

use std::sync::Arc;

use glam::DVec2;
use serde::{Deserialize, Serialize};
use smithereens_planar::Aabb;
use smithereens_planar::pattern::{
    Bricks, Falloff, Mortar, Pattern, PatternError, Planes, Points, Slices, Spheres, Uniform, Web,
};
use thiserror::Error;

/// A kind of pattern, made of as many cells as wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PatternKind {
    /// Voronoi cells, spread evenly.
    #[default]
    Voronoi,
    /// Voronoi cells, crowded at the impact.
    Falloff,
    /// Voronoi cells on circles around the impact.
    Spheres,
    /// A web of radial cracks, as in glass.
    Web,
    /// Bricks in courses.
    Bricks,
    /// Parallel cuts, as of wood along its grain.
    Slices,
    /// Straight cuts of any direction.
    Planes,
    /// Control points of a user's own. Without them, four cells.
    Points,
}

impl PatternKind {
    /// All kinds that are made by a number of cells.
    pub const ALL: [PatternKind; 7] = [
        PatternKind::Voronoi,
        PatternKind::Falloff,
        PatternKind::Spheres,
        PatternKind::Web,
        PatternKind::Bricks,
        PatternKind::Slices,
        PatternKind::Planes,
    ];

    /// As it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            PatternKind::Voronoi => "voronoi",
            PatternKind::Falloff => "falloff",
            PatternKind::Spheres => "spheres",
            PatternKind::Web => "web",
            PatternKind::Bricks => "bricks",
            PatternKind::Slices => "slices",
            PatternKind::Planes => "planes",
            PatternKind::Points => "points",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<PatternKind> {
        PatternKind::ALL.into_iter().chain([PatternKind::Points]).find(|kind| kind.name() == name)
    }

    /// Whether it goes with the body's axes instead of the impact's way.
    pub fn goes_with_body(self) -> bool {
        matches!(self, PatternKind::Bricks | PatternKind::Slices)
    }
}

/// A pattern as it is written: what is left out is as the kind has it. Lengths are in half widths of the pattern, which spans -1 to 1 with the impact in
/// the middle.
///
/// ```
/// use smithereens_flat::{PatternKind, Recipe};
/// let recipe = Recipe { kind: PatternKind::Web, sectors: Some(9), rings: Some(3), ..Recipe::default() };
/// assert_eq!(recipe.pattern()?.cells().len(), 9 * 4);
/// let drawn = Recipe::of_points("mine", vec![glam::DVec2::ZERO, glam::DVec2::splat(0.5)]);
/// assert_eq!(drawn.pattern()?.cells().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// What it is called.
    pub name: String,
    /// What it is made by; `points` if left out where points are given.
    pub kind: PatternKind,
    /// The control points, of Voronoi cells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<DVec2>,
    /// The colour of each point's cell: cells of one colour stay together. Empty: each has its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub colours: Vec<u32>,
    /// How many cells there are, about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
    /// Another seed, another pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Of `falloff`: how fast the density falls, from 0 to 1.9.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exponent: Option<f64>,
    /// Of `spheres`: how many circles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spheres: Option<usize>,
    /// Of `web`: how many sectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sectors: Option<usize>,
    /// Of `web`: how many ring lines cross a sector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rings: Option<usize>,
    /// Of `web` and `spheres`: the radius of the outermost ring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Of `web` and `spheres`: how the radii grow; 1 is evenly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<f64>,
    /// Of `web` and `slices`: how irregular, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<f64>,
    /// Of `bricks`: length and height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<DVec2>,
    /// Of `bricks`: how far every other course is shifted, in bricks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// Of `bricks`: how thick joints are, which crumble. None: bricks touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mortar: Option<f64>,
    /// Of `slices`: across the slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<DVec2>,
    /// Of `planes`: how far from the impact they pass, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
}

impl Recipe {
    /// Control points in the square from -1 to 1, as a user draws them.
    pub fn of_points(name: &str, points: Vec<DVec2>) -> Recipe {
        Recipe { name: name.to_owned(), kind: PatternKind::Points, points, ..Recipe::default() }
    }

    /// A kind with so many cells, about.
    pub fn of_kind(kind: PatternKind, cells: usize, seed: u64) -> Recipe {
        Recipe {
            name: kind.name().to_owned(),
            kind,
            cells: Some(cells),
            seed: Some(seed),
            ..Recipe::default()
        }
    }

    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        let (bounds, seed) = (Aabb::square(1.0), self.seed.unwrap_or(0));
        let cells = |default| self.cells.unwrap_or(default).max(1);
        if !self.points.is_empty() || self.kind == PatternKind::Points {
            let own = Points { points: self.points.clone(), colours: self.colours.clone(), bounds };
            let four = Points { points: Points::default().points, ..own.clone() };
            return if self.points.is_empty() { four.pattern() } else { own.pattern() };
        }
        match self.kind {
            PatternKind::Voronoi | PatternKind::Points => {
                Uniform { cells: cells(Uniform::default().cells), bounds, seed }.pattern()
            }
            PatternKind::Falloff => {
                let default = Falloff::default();
                let exponent = self.exponent.unwrap_or(default.exponent);
                Falloff { cells: cells(default.cells), exponent, bounds, seed }.pattern()
            }
            PatternKind::Spheres => {
                let default = Spheres::default();
                let spheres = self.spheres.unwrap_or(default.spheres);
                let radius = self.radius.unwrap_or(default.radius);
                let growth = self.growth.unwrap_or(default.growth);
                Spheres { cells: cells(default.cells), spheres, radius, growth, bounds, seed }.pattern()
            }
            PatternKind::Web => self.web(bounds, seed).pattern(),
            PatternKind::Bricks => self.bricks(bounds).pattern(),
            PatternKind::Slices => Slices {
                slices: cells(Slices::default().slices),
                direction: self.direction.unwrap_or(DVec2::X),
                jitter: self.jitter.unwrap_or(0.7),
                bounds,
                seed,
            }
            .pattern(),
            PatternKind::Planes => {
                // Lines make up to half their square of cells.
                let planes = self.cells.map(|cells| libm::sqrt(2.0 * cells as f64) as usize + 1);
                let default = Planes::default();
                let spread = self.spread.unwrap_or(default.spread);
                Planes { planes: planes.unwrap_or(default.planes), spread, bounds, seed }.pattern()
            }
        }
    }

    fn web(&self, bounds: Aabb, seed: u64) -> Web {
        let default = Web::default();
        // A web has about half as many rings as sectors.
        let of_cells = self.cells.map(|cells| (libm::sqrt(2.0 * cells as f64) as usize).max(4));
        let sectors = self.sectors.or(of_cells).unwrap_or(default.sectors);
        Web {
            sectors,
            rings: self.rings.or(of_cells.map(|n| n / 2)).unwrap_or(default.rings),
            radius: self.radius.unwrap_or(default.radius),
            growth: self.growth.unwrap_or(default.growth),
            jitter: self.jitter.unwrap_or(default.jitter),
            bounds,
            seed,
        }
    }

    fn bricks(&self, bounds: Aabb) -> Bricks {
        let default = Bricks::default();
        // Bricks are twice as long as high.
        let of_cells = self.cells.map(|cells| DVec2::new(1.0, 0.5) * libm::sqrt(8.0 / cells.max(1) as f64));
        Bricks {
            size: self.size.or(of_cells).unwrap_or(default.size),
            offset: self.offset.unwrap_or(default.offset),
            mortar: self.mortar.filter(|m| *m > 0.0).map_or(Mortar::None, Mortar::Crumbles),
            bounds,
        }
    }
}

/// Why a file has no patterns.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PatternFileError {
    /// It is no TOML of the right form.
    #[error("{}{what}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Form {
        /// The line, if it is one line's fault.
        line: Option<usize>,
        /// What is wrong.
        what: String,
    },
    /// One of them cannot be made.
    #[error("pattern {name:?}: {error}")]
    Pattern {
        /// Which.
        name: String,
        /// Why.
        error: PatternError,
    },
    /// Two have the same name.
    #[error("there are two patterns {0:?}: rename one")]
    Repeats(String),
}

/// A pattern that is made.
#[derive(Clone, Debug)]
pub struct Named {
    /// As it is written.
    pub recipe: Recipe,
    /// Its cells.
    pub pattern: Arc<Pattern>,
}

/// Patterns by name, one of which is the current one: Karo & Yu's users cycle through those they have drawn (section 4.3).
///
/// ```
/// use smithereens_flat::{Library, Recipe};
/// use glam::DVec2;
/// let mut library = Library::default();
/// library.add(Recipe::of_points("two", vec![-DVec2::X * 0.5, DVec2::X * 0.5]))?;
/// library.add(Recipe::of_points("one", vec![DVec2::ZERO]))?;
/// assert_eq!(library.current().unwrap().recipe.name, "one");
/// assert_eq!(library.cycle(1).unwrap().recipe.name, "two");
/// let again = Library::read(&library.write())?;
/// assert_eq!(again.patterns().len(), 2);
/// # Ok::<(), smithereens_flat::PatternFileError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Library {
    patterns: Vec<Named>,
    current: usize,
}

/// The form of a pattern file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "pattern", default)]
    patterns: Vec<Recipe>,
}

impl Library {
    /// One pattern of each kind: something to begin with.
    pub fn of_kinds() -> Library {
        let mut library = Library::default();
        for kind in PatternKind::ALL {
            // These parameters are known to be sound.
            let _ = library.add(Recipe::of_kind(kind, 48, 1));
        }
        library.current = PatternKind::ALL.iter().position(|kind| *kind == PatternKind::Web).unwrap_or(0);
        library
    }

    /// The patterns of a file.
    pub fn read(text: &str) -> Result<Library, PatternFileError> {
        let file: File = toml::from_str(text).map_err(|e| PatternFileError::Form {
            line: e.span().map(|span| crate::scene::line_of(text, span.start)),
            what: e.message().to_owned(),
        })?;
        Library::of(file.patterns)
    }

    /// Patterns as they are written.
    pub fn of(recipes: Vec<Recipe>) -> Result<Library, PatternFileError> {
        let mut library = Library::default();
        for recipe in recipes {
            if library.named(&recipe.name).is_some() {
                return Err(PatternFileError::Repeats(recipe.name));
            }
            library.add(recipe)?;
        }
        library.current = 0;
        Ok(library)
    }

    /// The text of a file with all patterns.
    pub fn write(&self) -> String {
        // Numbers of text files are signed.
        let signed = |seed: u64| seed & i64::MAX as u64;
        let recipe = |own: &Recipe| Recipe { seed: own.seed.map(signed), ..own.clone() };
        let file = File { patterns: self.patterns.iter().map(|named| recipe(&named.recipe)).collect() };
        toml::to_string(&file).unwrap_or_default()
    }

    /// Adds a pattern, or puts it in the place of the one with its name, and makes it the current one.
    pub fn add(&mut self, recipe: Recipe) -> Result<&Named, PatternFileError> {
        let fault = |error| PatternFileError::Pattern { name: recipe.name.clone(), error };
        let pattern = Arc::new(recipe.pattern().map_err(fault)?);
        let known = self.patterns.iter().position(|named| named.recipe.name == recipe.name);
        let named = Named { recipe, pattern };
        self.current = known.unwrap_or(self.patterns.len());
        match known {
            Some(index) => self.patterns[index] = named,
            None => self.patterns.push(named),
        }
        Ok(&self.patterns[self.current])
    }

    /// Takes away the current pattern.
    pub fn remove_current(&mut self) -> Option<Named> {
        let removed = (self.current < self.patterns.len()).then(|| self.patterns.remove(self.current));
        self.current = self.current.min(self.patterns.len().saturating_sub(1));
        removed
    }

    /// All of them, in order.
    pub fn patterns(&self) -> &[Named] {
        &self.patterns
    }

    /// The one with this name.
    pub fn named(&self, name: &str) -> Option<&Named> {
        self.patterns.iter().find(|named| named.recipe.name == name)
    }

    /// The current one.
    pub fn current(&self) -> Option<&Named> {
        self.patterns.get(self.current)
    }

    /// Which the current one is.
    pub fn index(&self) -> usize {
        self.current
    }

    /// Makes another one the current one: so many further, around the end.
    pub fn cycle(&mut self, by: isize) -> Option<&Named> {
        let count = self.patterns.len() as isize;
        if count > 0 {
            self.current = (self.current as isize + by).rem_euclid(count) as usize;
        }
        self.current()
    }
}
