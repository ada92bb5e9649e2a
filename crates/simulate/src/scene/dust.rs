//! The dust of a scene.

use glam::DVec3;
use serde::Deserialize;

use super::{Scene, SceneError};
use crate::dust::{Dust, Error, Options};

/// Dust of what breaks: the table `[dust]` has it fly, with what it says. How much of it there is, materials say.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DustEntry {
    /// The side of a cell of air, in metres.
    pub cell: Option<f64>,
    /// The most cells of air; when dust fills more room, cells grow.
    pub most_cells: Option<usize>,
    /// The most particles; beyond them the oldest go.
    pub most_particles: Option<usize>,
    /// Particles for a square metre of broken face.
    pub per_area: Option<f64>,
    /// The radius of a new particle's cloud, in metres.
    pub radius: Option<f64>,
    /// How many square metres a kilogram of dust can hide.
    pub extinction: Option<f64>,
    /// For how long particles are seen, at least and at most, in seconds.
    pub life: Option<[f64; 2]>,
}

impl Scene {
    /// What its dust is like; none if it has none.
    pub fn dust_options(&self) -> Result<Option<Options>, SceneError> {
        let Some(entry) = self.dust else { return Ok(None) };
        let default = Options::default();
        let options = Options {
            cell: entry.cell.unwrap_or(default.cell),
            most_cells: entry.most_cells.unwrap_or(default.most_cells),
            most_particles: entry.most_particles.unwrap_or(default.most_particles),
            per_area: entry.per_area.unwrap_or(default.per_area),
            radius: entry.radius.unwrap_or(default.radius),
            extinction: entry.extinction.unwrap_or(default.extinction),
            life: entry.life.unwrap_or(default.life),
            floor: self.ground,
            gravity: DVec3::from(self.gravity),
            seed: self.seed as u32,
            ..default
        };
        Dust::new(options).map_err(|e| self.dust_fault(&e))?;
        Ok(Some(options))
    }

    /// A fault of its dust, at the line where that begins.
    pub(super) fn dust_fault(&self, error: &Error) -> SceneError {
        let line = self.source.lines().position(|line| line.trim().starts_with("[dust]"));
        SceneError { line: line.map(|line| line + 1), what: error.to_string() }
    }
}
