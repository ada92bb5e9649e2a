//! The debris of a scene.

use serde::Deserialize;

use super::{Scene, SceneError};
use crate::{DebrisError, DebrisOptions};

/// Debris of what breaks: the table `[debris]` has it fall, with what it says. How much of it faces give, materials say.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DebrisEntry {
    /// The most chips; beyond them those that lie go, the oldest first.
    pub most: Option<usize>,
    /// The radius of the smallest, in metres.
    pub smallest: Option<f64>,
    /// The radius of the largest, in metres.
    pub largest: Option<f64>,
    /// For how long a chip must have been still to lie, in seconds.
    pub rest: Option<f64>,
    /// For how long it lies before it is gone, in seconds; `inf` for ever.
    pub life: Option<f64>,
}

impl Scene {
    /// What its debris is like; none if it has none.
    pub fn debris_options(&self) -> Result<Option<DebrisOptions>, SceneError> {
        let Some(entry) = self.debris else { return Ok(None) };
        let default = DebrisOptions::default();
        let options = DebrisOptions {
            most: entry.most.unwrap_or(default.most),
            smallest: entry.smallest.unwrap_or(default.smallest),
            largest: entry.largest.unwrap_or(default.largest),
            rest: entry.rest.unwrap_or(default.rest),
            life: entry.life.unwrap_or(default.life),
        };
        options.check().map_err(|e| self.debris_fault(&e))?;
        Ok(Some(options))
    }

    /// A fault of its debris, at the line where that begins.
    pub(super) fn debris_fault(&self, error: &DebrisError) -> SceneError {
        let line = self.source.lines().position(|line| line.trim().starts_with("[debris]"));
        SceneError { line: line.map(|line| line + 1), what: error.to_string() }
    }
}
