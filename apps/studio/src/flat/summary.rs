//! What is in a sandbox, for scripts and tests that look at a page from outside.

use serde::{Deserialize, Serialize};

use super::sandbox::Sandbox;

/// What is in a sandbox now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The scene's name.
    pub title: String,
    /// The tool in hand.
    pub tool: String,
    /// Steps since the scene began.
    pub steps: u64,
    /// Whether time passes.
    pub is_running: bool,
    /// How many bodies there are.
    pub bodies: usize,
    /// How many of them broke off something.
    pub fragments: usize,
    /// How many bodies broke since the scene was opened.
    pub broken: usize,
    /// Projectiles fired.
    pub fired: usize,
    /// Bodies drawn.
    pub drawn: usize,
    /// Projectiles in flight.
    pub projectiles: usize,
    /// The area of all bodies, debris, and what is gone.
    pub area: f64,
    /// What is wrong with what is drawn.
    pub objection: Option<String>,
    /// The names of all patterns.
    pub patterns: Vec<String>,
    /// The pattern that breaks.
    pub pattern: String,
    /// How many cells it has.
    pub cells: usize,
    /// The points on the board.
    pub points: usize,
    /// Where buttons, the canvas and the board are on the screen.
    pub spots: Vec<Spot>,
    /// The first bodies, and where their middle is seen.
    pub places: Vec<Spot>,
    /// What was said last.
    pub said: String,
}

/// Where something is on the screen, in points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spot {
    /// What.
    pub name: String,
    /// Its middle.
    pub x: f32,
    /// Its middle.
    pub y: f32,
    /// How wide it is.
    pub width: f32,
    /// How high it is.
    pub height: f32,
}

/// So many bodies are listed.
const LISTED: usize = 64;

impl Summary {
    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Where something is.
    pub fn spot(&self, name: &str) -> Option<&Spot> {
        self.spots.iter().find(|spot| spot.name == name)
    }

    /// Where the middle of a body is seen.
    pub fn place(&self, name: &str) -> Option<&Spot> {
        self.places.iter().find(|spot| spot.name == name)
    }
}

impl Sandbox {
    /// What is in it now.
    pub fn summary(&self) -> Summary {
        let patterns = self.stage.world.patterns();
        let current = patterns.current();
        let spot = |name: &str, rect: eframe::egui::Rect| {
            let [x, y] = rect.center().into();
            Spot { name: name.to_owned(), x, y, width: rect.width(), height: rect.height() }
        };
        let canvas = self.view.map(|view| ("canvas", view.canvas));
        let named = self.spots.iter().chain(&self.board.spots).copied().chain(canvas);
        let places = self.stage.world.bodies().take(LISTED).filter_map(|body| {
            let middle = self.stage.world.pose(body.id)?.point(body.compound().mass().center);
            let seen = self.view?.screen_from_plane(middle);
            Some(spot(body.name(), eframe::egui::Rect::from_center_size(seen, eframe::egui::Vec2::ZERO)))
        });
        Summary {
            title: self.title.clone(),
            tool: self.tool.name().to_owned(),
            steps: self.stage.world.steps(),
            is_running: self.clock.is_running,
            bodies: self.stage.world.bodies().len(),
            fragments: self.stage.world.bodies().filter(|body| body.parent().is_some()).count(),
            broken: self.tally.broken,
            fired: self.tally.fired,
            drawn: self.tally.drawn,
            projectiles: self.stage.world.projectiles().len(),
            area: self.stage.world.area(),
            objection: self.objection.as_ref().map(|objection| objection.words.clone()),
            patterns: patterns.patterns().iter().map(|named| named.recipe.name.clone()).collect(),
            pattern: current.map(|named| named.recipe.name.clone()).unwrap_or_default(),
            cells: current.map_or(0, |named| named.pattern.cells().len()),
            points: self.board.points.len(),
            spots: named.map(|(name, rect)| spot(name, rect)).collect(),
            places: places.collect(),
            said: self.said.clone(),
        }
    }
}
