//! Bodies of a scene that break by nature.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smithereens_planar::Compound;
use smithereens_planar::modes::{Brittle, BrittleOptions, CellOptions, Weakness};

/// How a body is made ready to break by nature: into how many cells it is cut, how many modes are found.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModesEntry {
    /// About how many cells.
    pub cells: usize,
    /// How many modes, each along any axis.
    pub count: usize,
    /// Another seed, other cells.
    pub seed: u64,
}

impl Default for ModesEntry {
    fn default() -> ModesEntry {
        ModesEntry { cells: 1200, count: 8, seed: 0 }
    }
}

/// More are a slip of the pen.
const MOST_CELLS: usize = 50_000;
const MOST_MODES: usize = 100;

impl ModesEntry {
    /// Makes the outline of a compound ready.
    pub fn make_ready(&self, compound: &Compound) -> Result<(Compound, Arc<Weakness>), String> {
        if self.cells > MOST_CELLS || self.count > MOST_MODES {
            return Err(format!("modes: give up to {MOST_CELLS} cells and {MOST_MODES} modes"));
        }
        let options = BrittleOptions {
            cells: CellOptions { count: self.cells, seed: self.seed },
            modes: self.count,
            ..BrittleOptions::default()
        };
        let outline = compound.outline();
        let [shape] = &outline[..] else {
            return Err(format!("modes: the body is of {} parts", outline.len()));
        };
        let brittle = Brittle::of(shape, &options).map_err(|error| format!("modes: {error}"))?;
        Ok((brittle.compound, Arc::new(brittle.weakness)))
    }
}
