//! Bodies of a scene that break by nature.

use std::sync::Arc;

use glam::DVec3;
use serde::Deserialize;
use smithereens::{Aabb, Compound, Mesh, Solid};
use smithereens_modes::{Brittle, BrittleOptions, CellOptions, Weakness};
use smithereens_repair::{RepairOptions, repair};

/// How a body is made ready to break by nature: into how many cells it is cut, how many modes are found.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModesEntry {
    /// About how many cells.
    pub cells: usize,
    /// How many modes, each along any axis.
    pub count: usize,
    /// How hard it is to open a fault, by the direction it looks in.
    pub eta: [f64; 3],
    /// Boxes in its own coordinates that never break, each by its two corners.
    pub whole: Vec<[[f64; 3]; 2]>,
    /// Over how many cells faults are smoothed; zero: along the faces of cells.
    pub smooth: f64,
    /// Another seed, other cells.
    pub seed: u64,
}

impl Default for ModesEntry {
    fn default() -> ModesEntry {
        ModesEntry { cells: 4000, count: 10, eta: [1.0; 3], whole: Vec::new(), smooth: 1.0, seed: 0 }
    }
}

/// More are a slip of the pen.
const MOST_CELLS: usize = 100_000;
const MOST_MODES: usize = 100;

/// What becomes a body: a compound, and where it breaks by nature, if it does.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its pieces and bonds.
    pub compound: Compound,
    /// Where it breaks by nature.
    pub weakness: Option<Arc<Weakness>>,
}

impl From<Compound> for Loaded {
    fn from(compound: Compound) -> Loaded {
        Loaded { compound, weakness: None }
    }
}

impl ModesEntry {
    /// Makes the solid of a compound ready: its pieces as one.
    pub(super) fn make_ready(&self, compound: &Compound) -> Result<Loaded, String> {
        if self.cells > MOST_CELLS || self.count > MOST_MODES {
            return Err(format!("give up to {MOST_CELLS} cells and {MOST_MODES} modes"));
        }
        let bounds = |[a, b]: &[[f64; 3]; 2]| Aabb::of_points([DVec3::from(*a), DVec3::from(*b)]);
        let options = BrittleOptions {
            cells: CellOptions { count: self.cells, seed: self.seed, ..CellOptions::default() },
            modes: self.count,
            eta: DVec3::from(self.eta),
            whole: self.whole.iter().map(bounds).collect(),
            smooth: self.smooth,
            ..BrittleOptions::default()
        };
        let solid = united(compound)?;
        let brittle = Brittle::of(&solid, &options).map_err(|error| error.to_string())?;
        Ok(Loaded { compound: brittle.compound, weakness: Some(Arc::new(brittle.weakness)) })
    }
}

/// All pieces of a compound as one solid, those that overlap united.
fn united(compound: &Compound) -> Result<Solid, String> {
    let pieces: Vec<_> = compound.pieces().iter().filter(|piece| !piece.is_ghost()).collect();
    if let [only] = &pieces[..] {
        return Solid::new(only.to_mesh()).map_err(|error| error.to_string());
    }
    let mut mesh = Mesh::default();
    pieces.iter().for_each(|piece| mesh.append(&piece.to_mesh()));
    repair(&mesh, &RepairOptions::default()).map(|repaired| repaired.solid).map_err(|error| error.to_string())
}
