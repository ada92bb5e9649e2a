//! From a file to a solid: welded, turned the right way out, with normals everywhere.

use std::path::Path;

use anyhow::{Result, anyhow};
use glam::DVec3;
use smithereens::{Mesh, Solid, SolidError};
use smithereens_formats::Material;

use crate::looks;
use crate::normals;

/// A model, ready to be broken.
pub struct Intake {
    /// What it encloses.
    pub solid: Solid,
    /// The materials of its slots.
    pub materials: Vec<Material>,
    /// What was done to it or found missing, for the user.
    pub notes: Vec<String>,
}

/// Reads a model.
pub fn read(path: &Path) -> Result<Intake> {
    let model = smithereens_formats::read(path)?;
    let mut notes = Vec::new();
    for missing in &model.missing {
        notes.push(format!("{} is missing: going on without it", missing.display()));
    }
    let mut mesh = model.mesh;
    let welded = mesh.weld();
    if welded > 0 {
        notes.push(format!("welded {welded} vertices that lay at the place of another"));
    }
    let in_file = |error| explain(error, path, &mesh);
    let solid = match prove(&mesh) {
        Err(SolidError::InsideOut { .. }) => {
            notes.push("the model is inside out: its faces were turned".to_owned());
            let mut turned = mesh.clone();
            turned.flip();
            prove(&turned).map_err(in_file)?
        }
        other => other.map_err(in_file)?,
    };
    Ok(Intake { solid, materials: looks::exterior(model.materials), notes })
}

/// Normals come first: cut pieces then keep the shading of the whole.
fn prove(mesh: &Mesh) -> Result<Solid, SolidError> {
    let mut mesh = mesh.clone();
    normals::complete(&mut mesh);
    Solid::new(mesh)
}

/// The vertices of an error have the numbers of the welded mesh, so their places are told as well.
fn explain(error: SolidError, path: &Path, mesh: &Mesh) -> anyhow::Error {
    let name = path.display();
    let ends = |a: u32, b: u32| {
        let place = |v: u32| mesh.positions.get(v as usize).map_or(DVec3::NAN, |p| *p);
        format!("from {} to {}", place(a), place(b))
    };
    match error {
        SolidError::Open { a, b, .. } => anyhow!(
            "{name}: {error}\n  the edge runs {}\n  hint: only closed models can be broken; fill holes with a modelling \
             program (in Blender: Mesh > Clean Up > Fill Holes, then Merge by Distance)",
            ends(a, b)
        ),
        SolidError::Winding { a, b, .. } => anyhow!(
            "{name}: {error}\n  the edge runs {}\n  hint: in Blender, Mesh > Normals > Recalculate Outside",
            ends(a, b)
        ),
        error => anyhow!("{name}: {error}"),
    }
}
