//! From a file to a solid: mended where need be, with normals everywhere.

use std::path::Path;

use anyhow::{Result, anyhow};
use glam::DVec3;
use serde_json::{Value, json};
use smithereens::{Mesh, Solid, SolidError};
use smithereens_formats::Material;
use smithereens_repair::{RepairError, RepairOptions, Repaired, Step, repair_with_progress};

use crate::looks;
use crate::normals;
use crate::stages::Tell;

/// A model, ready to be broken.
pub struct Intake {
    /// What it encloses.
    pub solid: Solid,
    /// The materials of its slots.
    pub materials: Vec<Material>,
    /// What was done to it, for the report.
    pub steps: Vec<Step>,
    /// What was done to it or found missing, for the user.
    pub notes: Vec<String>,
}

/// Reads a model, and mends it as far as the options allow.
pub fn read(path: &Path, options: &RepairOptions, tell: &dyn Tell) -> Result<Intake> {
    let model = smithereens_formats::read(path)?;
    let mut notes: Vec<String> = Vec::new();
    for missing in &model.missing {
        notes.push(format!("{} is missing: going on without it", missing.display()));
    }
    let repaired = repair_with_progress(&model.mesh, options, &|share| tell.tell(share))
        .map_err(|error| explain(error, path, &model.mesh))?;
    notes.extend(repaired.steps.iter().map(|step| format!("repair: {step}")));
    let steps = repaired.steps.clone();
    let solid =
        with_normals(&model.mesh, repaired).map_err(|error| anyhow!("{}: {error}", path.display()))?;
    Ok(Intake { solid, materials: looks::exterior(model.materials), steps, notes })
}

/// Cut pieces keep the shading of the whole, so normals come first; of a mesh that was sound before it became a solid, since
/// that may cut bent faces into triangles.
fn with_normals(mesh: &Mesh, repaired: Repaired) -> Result<Solid, SolidError> {
    let mut mesh = if repaired.steps.is_empty() { mesh.clone() } else { repaired.solid.into_mesh() };
    normals::complete(&mut mesh);
    Solid::new(mesh)
}

/// The steps of a repair, as the report has them.
pub fn steps_json(steps: &[Step]) -> Value {
    steps.iter().map(|step| json!({ "step": step.kind.name(), "changed": step.changed })).collect()
}

/// The places of an edge at fault are told as well as its vertices' numbers, and what to do.
fn explain(error: RepairError, path: &Path, mesh: &Mesh) -> anyhow::Error {
    let name = path.display();
    let place = |v: u32| mesh.positions.get(v as usize).map_or(DVec3::NAN, |p| *p);
    let hint = "hint: `--repair auto` mends it; `smithereens inspect` says what is wrong";
    match &error {
        RepairError::Level {
            error: solid @ (SolidError::Open { a, b, .. } | SolidError::Winding { a, b, .. }),
            ..
        } => {
            anyhow!("{name}: {solid}\n  the edge runs from {} to {}\n  {hint}", place(*a), place(*b))
        }
        RepairError::Level { error: solid, .. } => anyhow!("{name}: {solid}\n  {hint}"),
        error => anyhow!("{name}: {error}"),
    }
}
