//! A scene from its text.

use serde::Deserialize;
use smithereens::pattern::PatternKind;

use super::{Scene, SceneError};
use crate::{Break, Material};

/// Nobody waits for more.
const LONGEST: f64 = 3600.0;

/// A material of the scene's own: what it says differs from the one it is like.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MaterialEntry {
    like: Option<String>,
    density: Option<f64>,
    friction: Option<f64>,
    restitution: Option<f64>,
    strength: Option<f64>,
    push: Option<f64>,
    dust: Option<f64>,
    pattern: Option<String>,
    cells: Option<usize>,
    radius: Option<f64>,
}

impl Scene {
    /// Reads a scene. What is wrong is told with its line.
    pub fn parse(text: &str) -> Result<Scene, SceneError> {
        let mut scene: Scene =
            toml::from_str(text).map_err(|e| SceneError::at(text, e.span(), e.message().to_owned()))?;
        scene.source = text.to_owned();
        scene.check()?;
        scene.own_materials()?;
        scene.dust_options()?;
        Ok(scene)
    }

    fn check(&self) -> Result<(), SceneError> {
        let fault = |what: String| Err(SceneError::at(&self.source, None, what));
        if !(self.duration > 0.0 && self.duration <= LONGEST) {
            return fault(format!("duration is {}: give seconds, up to {LONGEST}", self.duration));
        }
        if !(self.rate >= 10.0 && self.rate <= 1000.0) {
            return fault(format!("rate is {}: give steps a second, from 10 to 1000", self.rate));
        }
        if !self.gravity.iter().all(|g| g.is_finite()) {
            return fault("gravity is not finite".into());
        }
        for (index, explosion) in self.explosions.iter().enumerate() {
            let numbers = [explosion.radius, explosion.force, explosion.impulse];
            if !(numbers.iter().all(|n| n.is_finite() && *n >= 0.0) && explosion.radius > 0.0) {
                let heads =
                    self.source.lines().enumerate().filter(|(_, line)| line.trim() == "[[explosion]]");
                let line = heads.map(|(line, _)| line + 1).nth(index);
                let what = "radius, force and impulse of an explosion must be positive".to_owned();
                return Err(SceneError { line, what });
            }
        }
        Ok(())
    }

    /// The table of materials, and those of the scene after it.
    pub fn own_materials(&self) -> Result<Vec<Material>, SceneError> {
        let mut all = Material::table();
        for (name, value) in &self.materials {
            let material = self.own_material(name, value, &all)?;
            match all.iter_mut().find(|m| m.name == *name) {
                Some(known) => *known = material,
                None => all.push(material),
            }
        }
        Ok(all)
    }

    fn own_material(
        &self,
        name: &str,
        value: &toml::Value,
        all: &[Material],
    ) -> Result<Material, SceneError> {
        let fault = |what: String| SceneError { line: self.line_of_material(name), what };
        let entry: MaterialEntry = value
            .clone()
            .try_into()
            .map_err(|e: toml::de::Error| fault(format!("material {name}: {}", e.message())))?;
        let like =
            entry.like.as_deref().unwrap_or(if all.iter().any(|m| m.name == name) { name } else { "stone" });
        let base = all.iter().find(|m| m.name == like);
        let mut material =
            base.cloned().ok_or_else(|| fault(format!("material {name} is like {like:?}, which is none")))?;
        material.name = name.to_owned();
        for (own, of) in [
            (entry.density, &mut material.density),
            (entry.friction, &mut material.friction),
            (entry.restitution, &mut material.restitution),
            (entry.strength, &mut material.strength),
            (entry.push, &mut material.push),
            (entry.dust, &mut material.dust),
        ] {
            if let Some(value) = own {
                *of = value;
            }
        }
        if entry.pattern.is_some() || entry.cells.is_some() || entry.radius.is_some() {
            let first = material.breaks.first().copied();
            let first =
                first.unwrap_or(Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 16, radius: 0.5 });
            let pattern = match &entry.pattern {
                Some(kind) => kind.parse().map_err(|e| fault(format!("material {name}: {e}")))?,
                None => first.pattern,
            };
            let cells = entry.cells.unwrap_or(first.cells);
            let radius = entry.radius.unwrap_or(first.radius);
            material.breaks = vec![Break { above: 1.0, pattern, cells, radius }];
        }
        if material.is_sound() {
            Ok(material)
        } else {
            Err(fault(format!("material {name}: a number is out of range")))
        }
    }

    /// Where the table of a material begins.
    fn line_of_material(&self, name: &str) -> Option<usize> {
        let heads = [format!("[material.{name}]"), format!("[material.\"{name}\"]")];
        let found = self.source.lines().position(|l| heads.iter().any(|head| l.trim().starts_with(head)));
        found.map(|line| line + 1)
    }
}
