//! `smithereens voxelize`: a model in, voxels out.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;
use smithereens::{Aabb, Solid};
use smithereens_voxel::{Grid, Octree};

use super::draw::{self, Meshes};
use super::paint::{Paints, interior};
use super::{Ending, encode, is_voxel_file, read, state_hash};
use crate::arguments::Voxelize;
use crate::intake::{self, steps_list};
use crate::outputs::{self, Outputs};
use crate::shatter::with_times;
use crate::stages::{Stages, milliseconds};
use crate::{note, picture, say};

/// Runs the command.
pub fn run(arguments: &Voxelize) -> Result<()> {
    let ending = Ending::of(&arguments.output)?;
    outputs::check(&arguments.model, &output_paths(arguments))?;
    let is_drawn = ending == Ending::Glb || arguments.camera.picture.is_some();
    let mut stages =
        Stages::new(3 + u64::from(is_drawn) + u64::from(arguments.camera.picture.is_some()), arguments.quiet);
    let (octrees, repair) = octrees(arguments, &mut stages)?;
    let all: Vec<&Octree> = octrees.iter().collect();
    let mut files = Outputs::default();
    let meshes = is_drawn.then(|| stages.run("draw", |_| meshes(arguments, &all))).transpose()?;
    stages.run("write", |_| match (&meshes, ending) {
        (Some(meshes), Ending::Glb) => files.add_glb(&arguments.output, &draw::glb(meshes, &all, 1.0)),
        _ => encode(&all, ending, &arguments.output).map(|bytes| files.add(&arguments.output, bytes)),
    })?;
    if let (Some(path), Some(meshes)) = (&arguments.camera.picture, &meshes) {
        let shot = arguments.camera.shot();
        files.add(
            path,
            stages.run("picture", |tell| picture::take(&meshes.drawn, &meshes.materials, &shot, tell))?,
        );
    }
    let sum = |of: &dyn Fn(&Octree) -> u64| octrees.iter().map(of).sum::<u64>();
    let bytes = sum(&|octree| octree.bytes().total() as u64);
    let boundary = sum(&Octree::boundary_count);
    let level = octrees.iter().map(|octree| octree.grid().level()).max().unwrap_or(0);
    if let Some(path) = &arguments.report {
        let report = json!({
            "level": level,
            "voxels": { "boundary": boundary, "internal": sum(&Octree::internal_count), "all": sum(&Octree::voxel_count) },
            "bytes": {
                "structure": sum(&|octree| octree.bytes().structure as u64),
                "all": bytes,
                "a_boundary_voxel": bytes as f64 / boundary.max(1) as f64,
            },
            "voxel_size": octrees.first().map(|octree| octree.grid().voxel_size()),
            "repair": repair,
            "state_hash": format!("{:016x}", state_hash(&all)),
        });
        files.add(path, with_times(report, &stages));
    }
    files.write()?;
    stages.finish();
    if !arguments.quiet {
        say(&format!(
            "level {level}: {boundary} boundary voxels, {} in all; {:.1} MB, {:.1} bytes a boundary voxel; {:.0} ms",
            sum(&Octree::voxel_count),
            bytes as f64 / 1e6,
            bytes as f64 / boundary.max(1) as f64,
            milliseconds(stages.total()),
        ));
        output_paths(arguments).iter().for_each(|path| say(&format!("wrote {}", path.display())));
    }
    Ok(())
}

fn output_paths(arguments: &Voxelize) -> Vec<&Path> {
    let others = [&arguments.report, &arguments.camera.picture].into_iter().flatten();
    [&arguments.output].into_iter().chain(others).map(|path| path.as_path()).collect()
}

/// The octrees of a model or of a file of them, and how the model was mended.
fn octrees(arguments: &Voxelize, stages: &mut Stages) -> Result<(Vec<Octree>, Vec<serde_json::Value>)> {
    if is_voxel_file(&arguments.model) {
        return Ok((stages.run("read", |_| read(&arguments.model))?, Vec::new()));
    }
    let mending = arguments.mending.options();
    let scene = stages.run("read", |tell| intake::read_scene(&arguments.model, &mending, true, tell))?;
    scene.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let (paints, unread) = Paints::of(&scene.materials);
    if unread > 0 {
        note(&format!("note: {unread} texture(s) are no PNG: their materials have one colour each"));
    }
    let solids: Vec<&Solid> =
        scene.parts.iter().flat_map(|part| part.solids.iter().map(|solid| &**solid)).collect();
    let bounds = solids.iter().fold(Aabb::EMPTY, |all, solid| all.union(solid.mesh().bounds()));
    let octree = stages.run("voxels", |_| {
        let mut octree = Octree::of_solids(&solids, Grid::around(&bounds, arguments.level)?, &paints)?;
        octree.interior = interior(&scene.materials, arguments.interior, bounds.extent());
        anyhow::Ok(octree)
    });
    let octree = octree.with_context(|| arguments.model.display().to_string())?;
    let repair = scene.parts.iter().flat_map(|part| steps_list(&part.steps)).collect();
    Ok((vec![octree], repair))
}

fn meshes(arguments: &Voxelize, octrees: &[&Octree]) -> Result<Meshes> {
    let places: Vec<_> = octrees.iter().map(|octree| draw::center(octree)).collect();
    let names = crate::drawn::names(octrees.len()).collect();
    draw::draw(octrees, names, &places, arguments.surface)
}
