//! A scene from its text.

use super::{Scene, SceneError};
use crate::{Material, materials};

/// Nobody waits for more.
const LONGEST: f64 = 3600.0;

impl Scene {
    /// Reads a scene. What is wrong is told with its line.
    pub fn parse(text: &str) -> Result<Scene, SceneError> {
        Scene::parse_with(text, Material::table())
    }

    /// Reads a scene that may name other materials than ours: see [`Material::read`].
    pub fn parse_with(text: &str, materials: Vec<Material>) -> Result<Scene, SceneError> {
        let mut scene: Scene =
            toml::from_str(text).map_err(|e| SceneError::at(text, e.span(), e.message().to_owned()))?;
        (scene.source, scene.table) = (text.to_owned(), materials);
        scene.check()?;
        scene.own_materials()?;
        scene.dust_options()?;
        scene.debris_options()?;
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
        let mut all = self.table.clone();
        for (name, value) in &self.materials {
            materials::add(&mut all, name, value)
                .map_err(|what| materials::fault(&self.source, name, &what))?;
        }
        Ok(all)
    }
}
