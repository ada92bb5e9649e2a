//! `smithereens shatter`: a model in, fragments out.

use std::path::Path;

use anyhow::{Result, bail};
use rayon::prelude::*;
use serde_json::{Value, json};
use smithereens::{Compound, Fracture, FractureJob, FractureOptions, Fragment, Impact, Report, StageTimes};
use smithereens_formats::Material;
use smithereens_repair::Step;

use crate::arguments::Shatter;
use crate::drawn::{Drawn, Pose, names};
use crate::hit::{Hit, explode};
use crate::intake::{self, Intake};
use crate::outputs::{self, Ending, Outputs};
use crate::pattern::{self, Choice};
use crate::picture;
use crate::stages::{Stages, milliseconds};
use crate::{check, looks, note, report, say, scene};

/// A model, broken.
struct Broken {
    before: Vec<Compound>,
    repair: Vec<Step>,
    impact: Impact,
    fracture: Fracture,
    materials: Vec<Material>,
    drawn: Vec<Drawn>,
}

/// Runs the command.
pub fn run(arguments: &Shatter) -> Result<()> {
    let ending = Ending::of(&arguments.output)?;
    let choice = Choice::of(&arguments.pattern)?;
    outputs::check(&arguments.model, &output_paths(arguments))?;
    let mut stages = Stages::new(stage_count(arguments), arguments.quiet);
    let intake = stages.run("read", |tell| {
        intake::read(&arguments.model, &arguments.mending.options(), arguments.fit.into(), tell)
    })?;
    intake.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let broken = shatter(arguments, &choice, intake, &mut stages)?;
    let mut files = Outputs::default();
    stages.run("write", |_| encode(arguments, ending, &broken, &mut files))?;
    if let Some(path) = &arguments.camera.picture {
        let shot = arguments.camera.shot();
        let png =
            stages.run("picture", |tell| picture::take(&broken.drawn, &broken.materials, &shot, tell))?;
        files.add(path, png);
    }
    let findings = stages
        .run("check", |_| report::examine(&broken.fracture.fragments, &broken.drawn, arguments.density));
    if let Some(path) = &arguments.report {
        let report = stages.run("report", |_| full_report(arguments, &broken, &findings));
        files.add(path, with_times(report, &stages));
    }
    files.write()?;
    stages.finish();
    warn(&broken, &findings);
    if !arguments.quiet {
        summarise(arguments, &broken, &stages);
    }
    Ok(())
}

fn stage_count(arguments: &Shatter) -> u64 {
    // Read, pattern, fracture, draw, write, check.
    6 + u64::from(arguments.camera.picture.is_some()) + u64::from(arguments.report.is_some())
}

fn output_paths(arguments: &Shatter) -> Vec<&Path> {
    let others = [&arguments.report, &arguments.camera.picture].into_iter().flatten();
    [&arguments.output].into_iter().chain(others).map(|path| path.as_path()).collect()
}

fn shatter(arguments: &Shatter, choice: &Choice, intake: Intake, stages: &mut Stages) -> Result<Broken> {
    let hit = Hit {
        at: arguments.at,
        direction: arguments.direction,
        radius: arguments.radius,
        view: arguments.camera.view,
    };
    let Intake { compounds: before, mesh, mut materials, interior, steps: repair, .. } = intake;
    let impact = hit.impact(&mesh);
    let cells = arguments.cells as usize;
    let pattern = stages.run("pattern", |_| pattern::make(choice, cells, arguments.seed, &mesh, &impact))?;
    let options = FractureOptions { fit: arguments.fit.into(), min_volume: arguments.min_volume };
    let fracture = stages.watch("fracture", |tell| {
        let mut all = Fracture { fragments: Vec::new(), report: Report::default() };
        for (index, compound) in before.iter().enumerate() {
            let broken = FractureJob::new(compound, &pattern, &impact, &options)?.finish();
            all.fragments.extend(broken.fragments);
            all.report += broken.report;
            tell.tell((index + 1) as f32 / before.len() as f32);
        }
        Ok::<_, anyhow::Error>(all)
    })?;
    add_times(stages, &fracture.report.times);
    check_result(&fracture, &impact, &mesh)?;
    let poses = explode(&fracture.fragments, &impact, &mesh, arguments.explode);
    let drawn = stages.run("draw", |_| draw(&fracture.fragments, &poses, &materials))?;
    let saved = interior.filter(|_| arguments.interior.is_none());
    materials.push(saved.unwrap_or_else(|| looks::interior(&materials, arguments.interior)));
    Ok(Broken { before, repair, impact, fracture, materials, drawn })
}

/// The library's own account of a fracture.
pub fn add_times(stages: &mut Stages, times: &StageTimes) {
    stages.add("align", times.align);
    stages.add("intersect", times.intersect);
    stages.add("weld", times.weld);
    stages.add("bonds", times.bonds);
    stages.add("gather", times.gather);
}

fn check_result(fracture: &Fracture, impact: &Impact, mesh: &smithereens::Mesh) -> Result<()> {
    if fracture.fragments.is_empty() {
        bail!("every piece is smaller than --min-volume: nothing would be left");
    }
    if impact.radius.is_finite() && fracture.fragments.iter().all(|f| f.colour.is_none()) {
        bail!("{}", pattern::misses(mesh, impact));
    }
    Ok(())
}

/// Fragments as they are written, on all threads.
pub fn draw(fragments: &[Fragment], poses: &[Pose], exterior: &[Material]) -> Result<Vec<Drawn>> {
    let names: Vec<String> = names(fragments.len()).collect();
    let all = fragments.par_iter().zip(poses).zip(names);
    all.map(|((fragment, pose), name)| Drawn::new(name, &fragment.compound, *pose, exterior)).collect()
}

fn encode(arguments: &Shatter, ending: Ending, broken: &Broken, files: &mut Outputs) -> Result<()> {
    let compounds: Vec<&Compound> = broken.fracture.fragments.iter().map(|f| &f.compound).collect();
    match ending {
        Ending::Glb => {
            let scene = scene::glb(&broken.drawn, &compounds, &broken.materials, arguments.density);
            files.add_glb(&arguments.output, &scene)
        }
        Ending::Obj => files.add_obj(&arguments.output, &scene::model(&broken.drawn, &broken.materials)),
    }
}

fn full_report(arguments: &Shatter, broken: &Broken, findings: &[report::Finding]) -> Value {
    let fragments = &broken.fracture.fragments;
    json!({
        "input": report::input(&broken.before),
        "repair": intake::steps_json(&broken.repair),
        "output": report::output(fragments, &broken.drawn, findings),
        "fragments": findings.iter().map(|f| &f.line).collect::<Vec<_>>(),
        "dropped": report::dropped(&broken.fracture.report.dropped),
        "fracture": report::fracture(&broken.fracture.report),
        "pattern": { "name": arguments.pattern, "cells": arguments.cells },
        "impact": {
            "point": broken.impact.point.to_array(),
            "direction": broken.impact.direction.to_array(),
            "radius": broken.impact.radius.is_finite().then_some(broken.impact.radius),
        },
        "density": arguments.density,
        "seed": arguments.seed,
        "state_hash": format!("{:016x}", check::state_hash(fragments.iter().map(|f| &f.compound))),
    })
}

/// The report as a text, with the times of all that came before.
pub fn with_times(mut report: Value, stages: &Stages) -> Vec<u8> {
    report["stages_ms"] = stages.to_json();
    let mut text = format!("{report:#}").into_bytes();
    text.push(b'\n');
    text
}

/// The share of the volume that rounding may cost.
const ROUNDING: f64 = 1e-9;

fn volume_error(broken: &Broken) -> f64 {
    let Fracture { fragments, report } = &broken.fracture;
    let before: f64 = broken.before.iter().map(|c| c.mass().volume).sum();
    (report::volume(fragments) + report.dropped.volume - before).abs() / before
}

/// What should not happen is said, not hidden in the report.
fn warn(broken: &Broken, findings: &[report::Finding]) {
    let open = findings.iter().filter(|f| !f.closed).count();
    let error = volume_error(broken);
    if open > 0 || error > ROUNDING {
        note(&format!(
            "warning: {open} of {} fragments are not closed, and the volume is off by {:.2} %: \
             this is a fault of the program, please report it with the model",
            findings.len(),
            error * 100.0
        ));
    }
}

fn summarise(arguments: &Shatter, broken: &Broken, stages: &Stages) {
    let Fracture { fragments, report } = &broken.fracture;
    let error = volume_error(broken);
    say(&format!(
        "{} fragments of {} pieces; volume error {error:.1e}; fracture {:.1} ms, all {:.0} ms",
        fragments.len(),
        report.pieces,
        milliseconds(report.times.total()),
        milliseconds(stages.total()),
    ));
    if report.dropped.count > 0 {
        say(&format!("dropped {} pieces of volume {:.3e}", report.dropped.count, report.dropped.volume));
    }
    say(&format!(
        "wrote {}: open it in Blender, a browser's glTF viewer or an engine",
        arguments.output.display()
    ));
    for path in [&arguments.camera.picture, &arguments.report].into_iter().flatten() {
        say(&format!("wrote {}", path.display()));
    }
}
