//! A scene from its text.

use glam::DVec2;
use smithereens_planar::Aabb;

use super::{Scene, SceneError};
use crate::{Library, Material, Options, PatternKind, materials};

/// Nobody waits for more.
const LONGEST: f64 = 3600.0;

impl Scene {
    /// Reads a scene. What is wrong is told with its line.
    pub fn read(text: &str) -> Result<Scene, SceneError> {
        Scene::read_with(text, Material::table())
    }

    /// Reads a scene that may name other materials than ours: see [`Material::read`].
    pub fn read_with(text: &str, materials: Vec<Material>) -> Result<Scene, SceneError> {
        let mut scene: Scene =
            toml::from_str(text).map_err(|e| SceneError::at(text, e.span(), e.message().to_owned()))?;
        (scene.source, scene.table) = (text.to_owned(), materials);
        scene.check()?;
        scene.own_materials()?;
        scene.library()?;
        Ok(scene)
    }

    fn check(&self) -> Result<(), SceneError> {
        let fault = |what: String| Err(SceneError { line: None, what });
        if !(self.duration > 0.0 && self.duration <= LONGEST) {
            return fault(format!("duration is {}: give seconds, up to {LONGEST}", self.duration));
        }
        if !(self.rate >= 10.0 && self.rate <= 1000.0) {
            return fault(format!("rate is {}: give steps a second, from 10 to 1000", self.rate));
        }
        for (name, corners) in [("box", self.bounds), ("view", self.view)] {
            if corners.map(room).is_some_and(|room| !has_area(&room)) {
                return fault(format!("{name} has no area: give its lower left and its upper right corner"));
            }
        }
        self.options().check()?;
        for (index, hit) in self.hits.iter().enumerate() {
            let is_sound = hit.time >= 0.0
                && hit.at.iter().chain(&hit.direction).all(|n| n.is_finite())
                && hit.strength > 0.0
                && hit.strength.is_finite()
                && hit.radius.is_none_or(|radius| radius > 0.0)
                && hit.size.is_none_or(|size| size > 0.0 && size.is_finite());
            if !is_sound {
                let what = "time, strength, radius and size of a hit must be positive numbers";
                return Err(self.fault_of("[[hit]]", index, what));
            }
        }
        for (index, shot) in self.shots.iter().enumerate() {
            let numbers = [shot.speed, shot.strength, shot.length];
            let is_sound = numbers.iter().all(|n| n.is_finite() && *n > 0.0)
                && shot.radius.is_none_or(|radius| radius > 0.0)
                && shot.breaks > 0
                && shot.every >= 0.0
                && shot.time >= 0.0
                && shot.from.iter().chain(&shot.toward).chain(&shot.step).all(|n| n.is_finite());
            if !is_sound || shot.from == shot.toward {
                let what = "speed, strength and length of a shot must be positive, and it must go somewhere";
                return Err(self.fault_of("[[shot]]", index, what));
            }
        }
        Ok(())
    }

    /// A fault of the entry with this head and number, at the line where it begins.
    pub(super) fn fault_of(&self, head: &str, index: usize, what: impl Into<String>) -> SceneError {
        let heads = self.source.lines().enumerate().filter(|(_, line)| line.trim() == head);
        SceneError { line: heads.map(|(line, _)| line + 1).nth(index), what: what.into() }
    }

    /// The table of materials, and those of the scene.
    pub fn own_materials(&self) -> Result<Vec<Material>, SceneError> {
        let mut all = self.table.clone();
        for (name, value) in &self.materials {
            materials::add(&mut all, name, value)
                .map_err(|what| materials::fault(&self.source, name, &what))?;
        }
        let library = self.library()?;
        let of_breaks = all.iter().flat_map(|material| material.breaks.iter().map(move |b| (material, b)));
        for (material, b) in of_breaks {
            if let crate::Choice::Named(pattern) = &b.pattern
                && library.named(pattern).is_none()
            {
                let what = no_pattern(pattern, &library);
                return Err(materials::fault(&self.source, &material.name, &what));
            }
        }
        Ok(all)
    }

    /// The scene's own patterns, then one of each kind.
    pub fn library(&self) -> Result<Library, SceneError> {
        let mut all = self.patterns.clone();
        let is_own = |name: &str| self.patterns.iter().any(|own| own.name == name);
        let kinds = PatternKind::ALL.into_iter().filter(|kind| !is_own(kind.name()));
        let nameless = self.patterns.iter().position(|recipe| recipe.name.is_empty());
        if let Some(index) = nameless {
            return Err(self.fault_of("[[pattern]]", index, "a pattern needs a name"));
        }
        all.extend(kinds.map(|kind| crate::Recipe::of_kind(kind, 48, self.seed)));
        Library::of(all).map_err(|error| {
            let name = match &error {
                crate::PatternFileError::Pattern { name, .. } => name.clone(),
                crate::PatternFileError::Repeats(name) => name.clone(),
                crate::PatternFileError::Form { .. } => String::new(),
            };
            let index = self.patterns.iter().rposition(|own| own.name == name);
            self.fault_of("[[pattern]]", index.unwrap_or(0), error.to_string())
        })
    }

    /// How its world moves and breaks.
    pub fn options(&self) -> Options {
        let default = Options::default();
        Options {
            seed: self.seed,
            gravity: DVec2::from(self.gravity),
            step: 1.0 / self.rate,
            depth: self.depth,
            stress: self.stress,
            bounds: self.bounds.map(room),
            smallest: self.budget.smallest.unwrap_or(default.smallest),
            thinnest: self.budget.thinnest.unwrap_or(default.thinnest),
            most_bodies: self.budget.bodies.unwrap_or(default.most_bodies),
            most_debris: self.budget.debris.unwrap_or(default.most_debris),
            debris_life: self.budget.life.unwrap_or(default.debris_life),
            ..default
        }
    }
}

/// What is said where a pattern is named that is not there.
pub(super) fn no_pattern(name: &str, library: &Library) -> String {
    let known: Vec<&str> = library.patterns().iter().map(|named| named.recipe.name.as_str()).collect();
    format!("there is no pattern {name:?}: use {}, or add a [[pattern]] of that name", known.join(", "))
}

fn has_area(room: &Aabb) -> bool {
    room.size().is_finite() && room.size().min_element() > 0.0
}

/// The box between two corners.
pub(super) fn room([a, b]: [[f64; 2]; 2]) -> Aabb {
    Aabb::around([DVec2::from(a), DVec2::from(b)])
}
