//! `smithereens modes`: a model in, a body that breaks by nature out.

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, Result, bail};
use glam::DVec3;
use serde_json::{Value, json};
use smithereens::{Compound, Slot, Solid};
use smithereens_formats::{Body, BodyFile, Material, write_bodies};
use smithereens_modes::{Brittle, BrittleOptions, CellOptions, Mode, Paint, Progress, Projection, Strike};
use smithereens_repair::{Step, StepKind, cage};

use crate::arguments::{CageName, Modes};
use crate::drawn::Drawn;
use crate::intake::{self, Part, Scene};
use crate::outputs::{self, Ending, Outputs};
use crate::prepare::COLOURS;
use crate::shatter::with_times;
use crate::stages::{Stages, Tell, milliseconds};
use crate::{check, looks, note, picture, say, scene};

/// A part of the model and how it breaks.
struct Found {
    part: Part,
    brittle: Brittle,
    is_caged: bool,
}

/// Runs the command.
pub fn run(arguments: &Modes) -> Result<()> {
    for output in [Some(&arguments.output), arguments.exploded.as_ref()].into_iter().flatten() {
        if Ending::of(output)? != Ending::Glb {
            bail!("cannot write {}: a body is a .glb", output.display());
        }
    }
    outputs::check(&arguments.model, &output_paths(arguments))?;
    let mut stages = Stages::new(3 + u64::from(arguments.camera.picture.is_some()), arguments.quiet);
    let mending = arguments.making.mending.options();
    let scene = stages
        .run("read", |tell| intake::read_scene(&arguments.model, &mending, arguments.making.merge, tell))?;
    scene.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let Scene { parts, mut materials, .. } = scene;
    let found = stages.run("modes", |tell| find(arguments, parts, &materials, tell))?;
    materials.push(looks::interior(&materials, arguments.making.interior));
    let mut files = Outputs::default();
    stages.run("write", |_| encode(arguments, &found, &materials, &mut files))?;
    show(arguments, &found, &mut stages, &mut files)?;
    if let Some(path) = &arguments.report {
        files.add(path, with_times(report(arguments, &found), &stages));
    }
    files.write()?;
    stages.finish();
    if !arguments.quiet {
        summarise(arguments, &found, &stages);
    }
    Ok(())
}

fn output_paths(arguments: &Modes) -> Vec<&Path> {
    let others = [&arguments.report, &arguments.camera.picture, &arguments.exploded].into_iter().flatten();
    [&arguments.output].into_iter().chain(others).map(|path| path.as_path()).collect()
}

fn options(arguments: &Modes, materials: &[Material]) -> Result<BrittleOptions> {
    Ok(BrittleOptions {
        cells: CellOptions {
            count: arguments.cells as usize,
            arrangement: arguments.arrangement.into(),
            seed: arguments.seed,
        },
        modes: arguments.count as usize,
        eta: arguments.eta,
        whole: arguments.whole.clone(),
        sliver: arguments.sliver,
        smooth: arguments.smooth,
        reach: arguments.reach,
        fit: arguments.making.fit.into(),
        paints: paints(arguments, materials)?,
        ..BrittleOptions::default()
    })
}

/// What was asked for by the names of materials.
fn paints(arguments: &Modes, materials: &[Material]) -> Result<Vec<Paint>> {
    let mut paints = Vec::new();
    for (name, eta) in &arguments.paint {
        let known = paints.len();
        let slots = (0..).zip(materials).filter(|(_, material)| material.name == *name);
        paints.extend(slots.map(|(slot, _)| Paint { slot: Slot(slot), eta: *eta }));
        if paints.len() == known {
            let names: Vec<&str> = materials.iter().map(|material| &*material.name).collect();
            bail!("there is no material {name}: the model has {}", names.join(", "));
        }
    }
    Ok(paints)
}

/// So many triangles are too many for modes to be found on them.
const HUGE: usize = 1_000_000;
/// Cells of a cage along its longest side.
const CAGE: u32 = 96;

/// A cage around a part, if it is to have one.
fn cage_of(when: CageName, part: &Part, solid: &Solid) -> Result<Option<Solid>> {
    let is_mended = |step: &Step| !matches!(step.kind, StepKind::Weld | StepKind::TurnOutward);
    let is_wanted = match when {
        CageName::Always => true,
        CageName::Never => false,
        CageName::Auto => part.steps.iter().any(is_mended) || solid.mesh().triangle_count() > HUGE,
    };
    let cage = is_wanted.then(|| cage(solid.mesh(), CAGE)).transpose();
    cage.with_context(|| format!("{}: no cage", part.name))
}

fn find(arguments: &Modes, parts: Vec<Part>, materials: &[Material], tell: &dyn Tell) -> Result<Vec<Found>> {
    let options = options(arguments, materials)?;
    let count = parts.len() as f32;
    let mut all = Vec::with_capacity(parts.len());
    for (index, part) in parts.into_iter().enumerate() {
        let [solid] = &part.solids[..] else {
            bail!("{} has shells that overlap: unite them with --overlaps unite", part.name);
        };
        let progress = |progress: Progress| {
            if let Progress::Modes { done, of } = progress {
                tell.tell((index as f32 + done as f32 / of.max(1) as f32) / count);
            }
            ControlFlow::Continue(())
        };
        let cage = cage_of(arguments.cage, &part, solid)?;
        let brittle = match &cage {
            Some(cage) => Brittle::in_cage(solid, cage, &options, progress),
            None => Brittle::of_with(solid, &options, progress),
        };
        let brittle = brittle.with_context(|| part.name.clone())?;
        if brittle.pieces.volumes.len() < 2 {
            note(&format!("note: {}: no mode parts it; try more --cells or fewer --whole boxes", part.name));
        }
        all.push(Found { part, brittle, is_caged: cage.is_some() });
    }
    Ok(all)
}

fn encode(arguments: &Modes, all: &[Found], materials: &[Material], files: &mut Outputs) -> Result<()> {
    let body = |found: &Found| {
        Ok(Body {
            name: found.part.name.clone(),
            compound: found.brittle.compound.clone(),
            nodes: Vec::new(),
            modes: Some(found.brittle.weakness.to_bytes()?),
        })
    };
    let bodies = all.iter().map(body).collect::<Result<_>>()?;
    let file = BodyFile { bodies, materials: materials.to_vec() };
    files.add(&arguments.output, write_bodies(&file)?);
    Ok(())
}

/// The picture and the GLB of what it shows.
fn show(arguments: &Modes, all: &[Found], stages: &mut Stages, files: &mut Outputs) -> Result<()> {
    if arguments.camera.picture.is_none() && arguments.exploded.is_none() {
        return Ok(());
    }
    let colour = |[r, g, b]: [f32; 3]| Material { base_color: [r, g, b, 1.0], ..Material::default() };
    let materials: Vec<Material> = COLOURS.into_iter().map(colour).collect();
    let (drawn, compounds) = draw(arguments, all, &materials)?;
    if let Some(path) = &arguments.exploded {
        let compounds: Vec<&Compound> = compounds.iter().collect();
        files.add_glb(path, &scene::glb(&drawn, &compounds, &materials, 1.0))?;
    }
    if let Some(path) = &arguments.camera.picture {
        let shot = arguments.camera.shot();
        files.add(path, stages.run("picture", |tell| picture::take(&drawn, &materials, &shot, tell))?);
    }
    Ok(())
}

/// The first modes of each body side by side, and all pieces last, each moved apart and in colours; a body a row.
fn draw(arguments: &Modes, all: &[Found], materials: &[Material]) -> Result<(Vec<Drawn>, Vec<Compound>)> {
    let extent = all.iter().map(|found| found.brittle.compound.bounds().size().length()).fold(0.0, f64::max);
    let right = arguments.camera.view.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::X);
    let (mut drawn, mut compounds) = (Vec::new(), Vec::new());
    for (row, Found { part, brittle, .. }) in all.iter().enumerate() {
        let modes = brittle.modes.scalar.iter().take(arguments.shown as usize);
        let partitions = modes.map(|mode: &Mode| &mode.pieces).chain([&brittle.pieces.partition]);
        for (column, pieces) in partitions.enumerate() {
            let merged = brittle.parted(pieces)?;
            let to = right * (extent * SPACING * column as f64) - DVec3::Y * (extent * SPACING * row as f64);
            let name = match column < brittle.modes.scalar.len().min(arguments.shown as usize) {
                true => format!("{}-mode-{}", part.name, column + 1),
                false => format!("{}-pieces", part.name),
            };
            for (index, piece) in merged.pieces().iter().enumerate() {
                let mut mesh = piece.to_mesh();
                mesh.faces.iter_mut().for_each(|face| face.slot = Slot((index % COLOURS.len()) as u32));
                let center = piece.mass().center;
                let place = to + center + (center - merged.bounds().center()) * arguments.explode;
                drawn.push(Drawn::of_mesh(format!("{name}-{index}"), mesh, center, place, materials)?);
                compounds.push(Compound::from_pieces(vec![smithereens::Piece::clone(piece)])?);
            }
        }
    }
    Ok((drawn, compounds))
}

/// How far apart things are shown, in extents.
const SPACING: f64 = 0.85;

fn report(arguments: &Modes, all: &[Found]) -> Value {
    let compounds = || all.iter().map(|found| &found.brittle.compound);
    let cells: usize = all.iter().map(|found| found.brittle.cells.graph().cells().len()).sum();
    json!({
        "repair": all.iter().flat_map(|found| intake::steps_list(&found.part.steps)).collect::<Vec<_>>(),
        "cells": cells,
        "modes": all.iter().flat_map(modes_json).collect::<Vec<_>>(),
        "pieces": all.iter().map(|found| found.brittle.pieces.volumes.len()).sum::<usize>(),
        "convexes": compounds().map(|compound| compound.pieces().len()).sum::<usize>(),
        "bonds": compounds().map(|compound| compound.bonds().len()).sum::<usize>(),
        "impact_us": all.iter().filter_map(impact_us).fold(0.0, f64::max),
        "bodies": all.iter().map(line).collect::<Vec<_>>(),
        "eta": arguments.eta.to_array(),
        "smooth": arguments.smooth,
        "seed": arguments.seed,
        "state_hash": format!("{:016x}", check::state_hash(compounds())),
    })
}

/// Modes in order of energy, with what they took in the order in which they were found.
fn modes_json(found: &Found) -> Vec<Value> {
    let modes = &found.brittle.modes;
    let ms = modes.report.modes.iter().map(|mode| Some(mode.ms)).chain(std::iter::repeat(None));
    let line = |(mode, ms): (&Mode, Option<f64>)| json!({ "energy": mode.energy, "area": mode.area, "pieces": mode.pieces.count(), "ms": ms });
    modes.scalar.iter().zip(ms).map(line).collect()
}

/// How often a strike is timed.
const RUNS: u32 = 200;

/// How long it takes to say what a strike parts, in microseconds.
fn impact_us(found: &Found) -> Option<f64> {
    let weakness = &found.brittle.weakness;
    let bounds = found.brittle.compound.bounds();
    let strike = Strike {
        point: bounds.max,
        impulse: DVec3::NEG_ONE * weakness.volume(),
        density: 1.0,
        threshold: 1.0,
        radius: f64::INFINITY,
        projection: Projection::Modes,
    };
    let start = std::time::Instant::now();
    let sound = (0..RUNS).all(|_| weakness.strike(&strike, |_| true).is_ok());
    sound.then(|| start.elapsed().as_secs_f64() * 1e6 / f64::from(RUNS))
}

fn line(found: &Found) -> Value {
    let Found { part, brittle, is_caged } = found;
    let volume: f64 = part.solids.iter().map(|solid| solid.volume()).sum();
    let dropped = brittle.dropped;
    json!({
        "name": part.name,
        "triangles": part.solids.iter().map(|solid| solid.mesh().triangle_count()).sum::<usize>(),
        "volume": volume,
        "volume_error": (brittle.compound.mass().volume + dropped.volume - volume).abs() / volume,
        "dropped": { "count": dropped.count, "volume": dropped.volume },
        "repair": intake::steps_json(&part.steps),
        "cage": is_caged,
        "cells": brittle.cells.graph().cells().len(),
        "modes": brittle.modes.scalar.len(),
        "failed": brittle.modes.report.failed,
        "pieces": brittle.pieces.volumes.len(),
        "slivers": brittle.pieces.slivers,
        "convexes": brittle.compound.pieces().len(),
        "closed": check::all_closed(&brittle.compound),
        "ms": {
            "cells": brittle.times.cells,
            "modes": brittle.times.modes,
            "table": brittle.times.table,
            "pieces": brittle.times.pieces,
        },
    })
}

fn summarise(arguments: &Modes, all: &[Found], stages: &Stages) {
    for Found { part, brittle, is_caged } in all {
        let times = &brittle.times;
        say(&format!(
            "{}: {} modes of {} cells{} make {} pieces in {} convexes; cells {:.0} ms, modes {:.0} ms, table {:.0} ms, pieces {:.0} ms",
            part.name,
            brittle.modes.scalar.len(),
            brittle.cells.graph().cells().len(),
            if *is_caged { " of a cage" } else { "" },
            brittle.pieces.volumes.len(),
            brittle.compound.pieces().len(),
            times.cells,
            times.modes,
            times.table,
            times.pieces,
        ));
    }
    say(&format!(
        "wrote {} in {:.0} ms: break it with `smithereens shatter {0} -o broken.glb --strength 1`",
        arguments.output.display(),
        milliseconds(stages.total()),
    ));
    for path in [&arguments.camera.picture, &arguments.exploded, &arguments.report].into_iter().flatten() {
        say(&format!("wrote {}", path.display()));
    }
}
