//! `smithereens shatter`: a model in, fragments out.

use std::path::Path;

use anyhow::{Result, bail};
use rayon::prelude::*;
use serde_json::{Value, json};
use smithereens::pattern::{Pattern, PatternKind};
use smithereens::{Compound, Fracture, FractureJob, FractureOptions, Fragment, Impact, Report, StageTimes};
use smithereens_formats::Material;
use smithereens_modes::{Strike, Weakness};
use smithereens_repair::Step;

use crate::arguments::Shatter;
use crate::drawn::{Drawn, Pose, names};
use crate::hit::{Hit, explode};
use crate::intake::{self, Intake};
use crate::outputs::{self, Ending, Outputs};
use crate::pattern::{self, Choice};
use crate::picture;
use crate::stages::{Stages, Tell, milliseconds};
use crate::{check, looks, note, report, say, scene, voxels};

/// How the user wants a model to break.
enum Wanted {
    /// As it would by itself.
    Any,
    Modes,
    Pattern(Choice),
}

/// How a model breaks.
#[derive(Clone)]
enum Way {
    Modes,
    Pattern(Choice),
}

impl Wanted {
    fn of(pattern: Option<&str>) -> Result<Wanted> {
        match pattern {
            None => Ok(Wanted::Any),
            Some(MODES) => Ok(Wanted::Modes),
            Some(pattern) => Ok(Wanted::Pattern(Choice::of(pattern)?)),
        }
    }

    fn way(self, intake: &Intake) -> Result<Way> {
        let has_modes = intake.weaknesses.iter().any(Option::is_some);
        match self {
            Wanted::Pattern(choice) => Ok(Way::Pattern(choice)),
            Wanted::Any if !has_modes => Ok(Way::Pattern(Choice::Kind(PatternKind::Voronoi))),
            Wanted::Modes if !has_modes => {
                bail!(
                    "the model has no fracture modes: find them with `smithereens modes MODEL -o BODY.glb`, and break the body"
                )
            }
            Wanted::Any | Wanted::Modes => Ok(Way::Modes),
        }
    }
}

impl Way {
    fn to_json(&self, arguments: &Shatter) -> Value {
        match self {
            Way::Modes => json!({ "name": MODES, "strength": arguments.strength }),
            Way::Pattern(_) => {
                let name = arguments.pattern.as_deref().unwrap_or("voronoi");
                json!({ "name": name, "cells": arguments.cells })
            }
        }
    }
}

/// The name of the way that is no pattern of its own.
const MODES: &str = "modes";

/// A model, broken.
struct Broken {
    way: Way,
    before: Vec<Compound>,
    repair: Vec<Step>,
    impact: Impact,
    fracture: Fracture,
    materials: Vec<Material>,
    drawn: Vec<Drawn>,
}

/// Runs the command.
pub fn run(arguments: &Shatter) -> Result<()> {
    if voxels::is_voxel_file(&arguments.model) {
        return voxels::shatter(arguments);
    }
    let ending = Ending::of(&arguments.output)?;
    let wanted = Wanted::of(arguments.pattern.as_deref())?;
    outputs::check(&arguments.model, &output_paths(arguments))?;
    let mut stages = Stages::new(stage_count(arguments), arguments.quiet);
    let intake = stages.run("read", |tell| {
        intake::read(&arguments.model, &arguments.mending.options(), arguments.fit.into(), tell)
    })?;
    intake.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let way = wanted.way(&intake)?;
    let broken = shatter(arguments, &way, intake, &mut stages)?;
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

fn shatter(arguments: &Shatter, way: &Way, intake: Intake, stages: &mut Stages) -> Result<Broken> {
    let hit = Hit {
        at: arguments.at,
        direction: arguments.direction,
        radius: arguments.radius,
        view: arguments.camera.view,
    };
    let Intake { compounds: before, weaknesses, mesh, mut materials, interior, steps: repair, .. } = intake;
    let (impact, fracture) = match way {
        Way::Pattern(choice) => {
            let impact = hit.impact(&mesh);
            let made = |_: &dyn Tell| {
                pattern::make(choice, arguments.cells as usize, arguments.seed, &mesh, &impact)
            };
            let pattern = stages.run("pattern", made)?;
            (impact, by_pattern(arguments, &before, &pattern, &impact, stages)?)
        }
        Way::Modes => {
            let impact = hit.blow(&mesh);
            (impact, by_modes(arguments, &before, &weaknesses, &impact, stages)?)
        }
    };
    add_times(stages, &fracture.report.times);
    check_result(&fracture, &impact, &mesh)?;
    let poses = explode(&fracture.fragments, &impact, &mesh, arguments.explode);
    let drawn = stages.run("draw", |_| draw(&fracture.fragments, &poses, &materials))?;
    let saved = interior.filter(|_| arguments.interior.is_none());
    materials.push(saved.unwrap_or_else(|| looks::interior(&materials, arguments.interior)));
    Ok(Broken { way: way.clone(), before, repair, impact, fracture, materials, drawn })
}

/// Breaks all compounds in turn.
fn each(
    before: &[Compound],
    stages: &mut Stages,
    mut fracture: impl FnMut(usize, &Compound) -> Result<Fracture>,
) -> Result<Fracture> {
    stages.watch("fracture", |tell| {
        let mut all = Fracture { fragments: Vec::new(), report: Report::default() };
        for (index, compound) in before.iter().enumerate() {
            let broken = fracture(index, compound)?;
            all.fragments.extend(broken.fragments);
            all.report += broken.report;
            tell.tell((index + 1) as f32 / before.len() as f32);
        }
        Ok(all)
    })
}

fn by_pattern(
    arguments: &Shatter,
    before: &[Compound],
    pattern: &Pattern,
    impact: &Impact,
    stages: &mut Stages,
) -> Result<Fracture> {
    let options = FractureOptions { fit: arguments.fit.into(), min_volume: arguments.min_volume };
    each(before, stages, |_, compound| Ok(FractureJob::new(compound, pattern, impact, &options)?.finish()))
}

/// Bodies without modes stay as they are.
fn by_modes(
    arguments: &Shatter,
    before: &[Compound],
    weaknesses: &[Option<Weakness>],
    impact: &Impact,
    stages: &mut Stages,
) -> Result<Fracture> {
    let mut all = each(before, stages, |index, compound| {
        let Some(weakness) = &weaknesses[index] else {
            return Ok(Fracture { fragments: compound.split(&[]), report: Report::default() });
        };
        let strike = Strike {
            point: impact.point,
            impulse: impact.direction * (arguments.strength * weakness.volume()),
            density: 1.0,
            threshold: 1.0,
            radius: impact.radius,
            projection: arguments.projection.into(),
        };
        Ok(weakness.fracture(compound, &strike)?)
    })?;
    // All that came apart may be moved apart.
    (0..).zip(&mut all.fragments).for_each(|(colour, fragment)| fragment.colour = Some(colour));
    Ok(all)
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
        "pattern": broken.way.to_json(arguments),
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
