//! From a file to solids, mended where need be, with normals everywhere; or to the compounds of a prepared body.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use glam::DVec3;
use serde_json::{Value, json};
use smithereens::{Compound, Fit, Mesh, Solid, SolidError};
use smithereens_formats::{Body, BodyFile, Material, Model, Object, ReadError, read_bodies};
use smithereens_modes::Weakness;
use smithereens_repair::{Overlaps, RepairError, RepairOptions, Repaired, Step, repair_with_progress};

use crate::looks;
use crate::normals;
use crate::stages::Tell;

/// A part of a model that is one body.
pub struct Part {
    /// Its name.
    pub name: String,
    /// What it encloses: one solid, or those that were modelled apart and may overlap.
    pub solids: Vec<Arc<Solid>>,
    /// What was done to it, for the report.
    pub steps: Vec<Step>,
}

/// A model, ready to be decomposed.
pub struct Scene {
    /// Its parts.
    pub parts: Vec<Part>,
    /// The materials of its slots.
    pub materials: Vec<Material>,
    /// What was done to it or found missing, for the user.
    pub notes: Vec<String>,
}

/// Reads a model, and mends it as far as the options allow: the nodes of a glTF scene as parts of their own, unless they are merged,
/// and any other model as one.
pub fn read_scene(path: &Path, options: &RepairOptions, merge: bool, tell: &dyn Tell) -> Result<Scene> {
    let model = smithereens_formats::read(path)?;
    let mut notes = missing(&model);
    let whole = path.file_stem().map_or_else(|| "body".to_owned(), |s| s.to_string_lossy().into_owned());
    let keep_apart = options.overlaps == Overlaps::Keep;
    let meshes = if !is_scene(path) || model.objects.len() < 2 || (merge && !keep_apart) {
        vec![(whole.clone(), model.mesh)]
    } else {
        let part = |o: &Object| (o.name.clone(), model.mesh.faces_in(o.faces.clone()));
        model.objects.iter().map(part).collect()
    };
    let count = meshes.len() as f32;
    let mut parts = Vec::new();
    for (index, (name, mesh)) in meshes.into_iter().enumerate() {
        let tell = |share: f32| tell.tell((index as f32 + share) / count);
        let place = if count > 1.0 {
            format!("{}, node \"{name}\"", path.display())
        } else {
            path.display().to_string()
        };
        let (solid, steps) = mend(&mesh, options, &place, &tell)?;
        let of = if count > 1.0 { format!("{name}: ") } else { String::new() };
        notes.extend(steps.iter().map(|step| format!("repair: {of}{step}")));
        let solids = if keep_apart { solid.parts() } else { vec![solid] };
        parts.push(Part { name, solids: solids.into_iter().map(Arc::new).collect(), steps });
    }
    if merge && keep_apart {
        parts = vec![merged(whole, parts)];
    }
    Ok(Scene { parts, materials: looks::exterior(model.materials), notes })
}

/// All parts as one body, whose solids they are.
fn merged(name: String, parts: Vec<Part>) -> Part {
    let mut all = Part { name, solids: Vec::new(), steps: Vec::new() };
    for part in parts {
        all.solids.extend(part.solids);
        all.steps.extend(part.steps);
    }
    all
}

/// Whether a file's objects stand for themselves: groups of an OBJ are often only patches of one surface.
fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb") || e.eq_ignore_ascii_case("gltf"))
}

fn missing(model: &Model) -> Vec<String> {
    model.missing.iter().map(|m| format!("{} is missing: going on without it", m.display())).collect()
}

/// What is to be broken.
pub struct Intake {
    /// One compound, or those of a prepared body.
    pub compounds: Vec<Compound>,
    /// Where each breaks by nature, if that is known.
    pub weaknesses: Vec<Option<Weakness>>,
    /// What is seen of them.
    pub mesh: Mesh,
    /// The materials of its slots.
    pub materials: Vec<Material>,
    /// The material of cut faces, if the file has one.
    pub interior: Option<Material>,
    /// What was done to it, for the report.
    pub steps: Vec<Step>,
    /// What was done to it or found missing, for the user.
    pub notes: Vec<String>,
}

/// Reads a prepared body as it is; or a model, mends it as far as the options allow and makes one piece of it, or one of each of its
/// shells if those are to be kept apart.
pub fn read(path: &Path, options: &RepairOptions, fit: Fit, tell: &dyn Tell) -> Result<Intake> {
    if let Some(body) = read_body(path)? {
        return Ok(body);
    }
    let Scene { parts, materials, notes } = read_scene(path, options, true, tell)?;
    let Part { solids, steps, .. } = merged(String::new(), parts);
    let mut mesh = Mesh::default();
    solids.iter().for_each(|solid| mesh.append(solid.mesh()));
    let compound = match &solids[..] {
        [whole] => Compound::from_solid(Solid::clone(whole), fit),
        _ => {
            let solids = solids.into_iter().map(Arc::unwrap_or_clone).collect();
            Compound::from_solids(solids, fit).with_context(|| path.display().to_string())?
        }
    };
    let weaknesses = vec![None];
    Ok(Intake { compounds: vec![compound], weaknesses, mesh, materials, interior: None, steps, notes })
}

/// Reads a prepared body, if the file holds one.
pub fn read_body(path: &Path) -> Result<Option<Intake>> {
    read_prepared(path)?.map(|file| prepared(file, path)).transpose()
}

fn read_prepared(path: &Path) -> Result<Option<BodyFile>> {
    if !is_scene(path) {
        return Ok(None);
    }
    // What is wrong with the file as a model is the reader's to say.
    let Ok(bytes) = std::fs::read(path) else { return Ok(None) };
    match read_bodies(&bytes, path.parent()) {
        Ok(file) => Ok(file),
        Err(error @ ReadError::Body { .. }) => Err(anyhow!("{}: {error}", path.display())),
        Err(_) => Ok(None),
    }
}

fn prepared(file: BodyFile, path: &Path) -> Result<Intake> {
    let BodyFile { bodies, mut materials } = file;
    let weakness = |body: &Body| body.modes.as_deref().map(Weakness::from_bytes).transpose();
    let weaknesses = bodies.iter().map(weakness).collect::<Result<_, _>>();
    let weaknesses = weaknesses.with_context(|| path.display().to_string())?;
    let compounds: Vec<Compound> = bodies.into_iter().map(|body| body.compound).collect();
    if compounds.is_empty() {
        return Err(anyhow!("{} holds no bodies", path.display()));
    }
    let mut mesh = Mesh::default();
    compounds.iter().for_each(|compound| mesh.append(&compound.visible_mesh()));
    let interior = materials.pop();
    if materials.is_empty() {
        materials.push(looks::stone());
    }
    Ok(Intake { compounds, weaknesses, mesh, materials, interior, steps: Vec::new(), notes: Vec::new() })
}

fn mend(
    mesh: &Mesh,
    options: &RepairOptions,
    place: &str,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<(Solid, Vec<Step>)> {
    let repaired = repair_with_progress(mesh, options, &|share| tell(share))
        .map_err(|error| explain(error, place, mesh))?;
    let steps = repaired.steps.clone();
    let solid = with_normals(mesh, repaired).map_err(|error| anyhow!("{place}: {error}"))?;
    Ok((solid, steps))
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
    steps_list(steps).into()
}

/// The same as a list.
pub fn steps_list(steps: &[Step]) -> Vec<Value> {
    let line = |step: &Step| match step.because {
        Some(unfit) => {
            json!({ "step": step.kind.name(), "changed": step.changed, "because": unfit.to_string() })
        }
        None => json!({ "step": step.kind.name(), "changed": step.changed }),
    };
    steps.iter().map(line).collect()
}

/// The places of an edge at fault are told as well as its vertices' numbers, and what to do.
fn explain(error: RepairError, name: &str, mesh: &Mesh) -> anyhow::Error {
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
