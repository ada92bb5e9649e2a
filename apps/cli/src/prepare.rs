//! `smithereens prepare`: a model in, a body that breaks well out.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use glam::DVec3;
use serde_json::{Value, json};
use smithereens::prepare::{Decomposition, Effort, Goal, Placement};
use smithereens::{Mesh, Piece, Slot};
use smithereens_formats::{Body, BodyFile, Material, write_bodies};

use crate::arguments::Prepare;
use crate::drawn::Drawn;
use crate::intake::{self, Part, Scene};
use crate::outputs::{self, Ending, Outputs};
use crate::picture::{self, Shot};
use crate::shatter::with_times;
use crate::stages::{Stages, Tell, milliseconds};
use crate::{check, looks, nodes, note, say};

/// A part of the model, decomposed.
struct Prepared {
    part: Part,
    decomposition: Decomposition,
}

/// Runs the command.
pub fn run(arguments: &Prepare) -> Result<()> {
    if Ending::of(&arguments.output)? != Ending::Glb {
        bail!("cannot write {}: a body is a .glb", arguments.output.display());
    }
    outputs::check(&arguments.model, &output_paths(arguments))?;
    let given = arguments.nodes.as_deref().map(nodes::read).transpose()?;
    let mut stages = Stages::new(4 + u64::from(arguments.picture.is_some()), arguments.quiet);
    let options = arguments.mending.options();
    let scene =
        stages.run("read", |tell| intake::read_scene(&arguments.model, &options, arguments.merge, tell))?;
    scene.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let Scene { parts, mut materials, .. } = scene;
    let placed = stages.run("place", |tell| place(arguments, &parts, given.as_deref(), tell));
    let prepared = stages.run("cut", |_| cut(arguments, parts, placed))?;
    materials.push(looks::interior(&materials, arguments.interior));
    let mut files = Outputs::default();
    stages.run("write", |_| encode(arguments, &prepared, &materials, &mut files))?;
    if let Some(path) = &arguments.picture {
        files.add(path, stages.run("picture", |tell| picture_of(arguments, &prepared, tell))?);
    }
    if let Some(path) = &arguments.report {
        files.add(path, with_times(report(arguments, &prepared), &stages));
    }
    files.write()?;
    stages.finish();
    if !arguments.quiet {
        summarise(arguments, &prepared, &stages);
    }
    Ok(())
}

fn output_paths(arguments: &Prepare) -> Vec<&Path> {
    let others = [&arguments.report, &arguments.picture, &arguments.save_nodes].into_iter().flatten();
    [&arguments.output].into_iter().chain(others).map(|path| path.as_path()).collect()
}

/// The nodes of each part: the user's, or those that a search finds.
fn place(arguments: &Prepare, parts: &[Part], given: Option<&[DVec3]>, tell: &dyn Tell) -> Vec<Vec<DVec3>> {
    if let Some(nodes) = given {
        return vec![nodes.to_vec(); parts.len()];
    }
    let goal = match arguments.concavity {
        Some(most) => Goal::Concavity(most),
        None => Goal::Pieces(arguments.pieces.unwrap_or(32) as usize),
    };
    let effort = if arguments.instant { Effort::Instant } else { Effort::Full };
    let placement = Placement { goal, effort, seed: arguments.seed };
    let count = parts.len() as f64;
    let nodes = |(index, part): (usize, &Part)| {
        placement.nodes(&part.solid, |share| tell.tell(((index as f64 + share) / count) as f32))
    };
    parts.iter().enumerate().map(nodes).collect()
}

fn cut(arguments: &Prepare, parts: Vec<Part>, placed: Vec<Vec<DVec3>>) -> Result<Vec<Prepared>> {
    let fit = arguments.fit.into();
    let cut = |(part, nodes): (Part, Vec<DVec3>)| {
        let solid: Arc<_> = part.solid.clone();
        let decomposition = Decomposition::new(solid, nodes, fit).with_context(|| part.name.clone())?;
        Ok(Prepared { part, decomposition })
    };
    parts.into_iter().zip(placed).map(cut).collect()
}

fn encode(arguments: &Prepare, all: &[Prepared], materials: &[Material], files: &mut Outputs) -> Result<()> {
    let body = |p: &Prepared| Body {
        name: p.part.name.clone(),
        compound: p.decomposition.compound().clone(),
        nodes: p.decomposition.nodes().to_vec(),
    };
    let file = BodyFile { bodies: all.iter().map(body).collect(), materials: materials.to_vec() };
    files.add(&arguments.output, write_bodies(&file)?);
    if let Some(path) = &arguments.save_nodes {
        let bodies = all.iter().map(|p| (p.part.name.as_str(), p.decomposition.nodes()));
        files.add(path, nodes::write(bodies));
    }
    Ok(())
}

fn report(arguments: &Prepare, all: &[Prepared]) -> Value {
    let compounds = || all.iter().map(|p| p.decomposition.compound());
    let volume: f64 = all.iter().map(|p| p.decomposition.solid().volume()).sum();
    let share = |ratio: fn(&Decomposition) -> f64| -> f64 {
        all.iter().map(|p| ratio(&p.decomposition) * p.decomposition.solid().volume()).sum::<f64>() / volume
    };
    json!({
        "repair": all.iter().flat_map(|p| intake::steps_list(&p.part.steps)).collect::<Vec<_>>(),
        "pieces": compounds().map(|c| c.pieces().len()).sum::<usize>(),
        "fit_ratio": share(Decomposition::fit_ratio),
        "hull_ratio": share(Decomposition::hull_ratio),
        "bonds": compounds().map(|c| c.bonds().len()).sum::<usize>(),
        "bodies": all.iter().map(line).collect::<Vec<_>>(),
        "seed": arguments.seed,
        "state_hash": format!("{:016x}", check::state_hash(compounds())),
    })
}

fn line(prepared: &Prepared) -> Value {
    let Prepared { part, decomposition } = prepared;
    let compound = decomposition.compound();
    json!({
        "name": part.name,
        "triangles": part.solid.mesh().triangle_count(),
        "volume": part.solid.volume(),
        "repair": intake::steps_json(&part.steps),
        "nodes": decomposition.nodes().len(),
        "pieces": compound.pieces().len(),
        "parts": compound.islands().len(),
        "bonds": compound.bonds().len(),
        "fit_ratio": decomposition.fit_ratio(),
        "hull_ratio": decomposition.hull_ratio(),
        "closed": check::all_closed(compound),
    })
}

/// Linear colours that are easy to tell from each other.
const COLOURS: [[f32; 3]; 9] = [
    [0.55, 0.10, 0.07],
    [0.07, 0.28, 0.50],
    [0.62, 0.40, 0.06],
    [0.10, 0.38, 0.16],
    [0.38, 0.13, 0.42],
    [0.60, 0.52, 0.40],
    [0.05, 0.40, 0.40],
    [0.62, 0.22, 0.10],
    [0.22, 0.24, 0.30],
];

/// All pieces, moved apart, each in a colour of its own.
fn picture_of(arguments: &Prepare, all: &[Prepared], tell: &dyn Tell) -> Result<Vec<u8>> {
    let colour = |[r, g, b]: [f32; 3]| Material { base_color: [r, g, b, 1.0], ..Material::default() };
    let materials: Vec<Material> = COLOURS.into_iter().map(colour).collect();
    let pieces: Vec<&Arc<Piece>> = all.iter().flat_map(|p| p.decomposition.compound().pieces()).collect();
    let bounds = pieces.iter().fold(smithereens::Aabb::EMPTY, |b, p| b.union(*p.bounds()));
    let drawn = |(index, piece): (usize, &&Arc<Piece>)| {
        let mut mesh: Mesh = piece.to_mesh();
        mesh.faces.iter_mut().for_each(|face| face.slot = Slot((index % COLOURS.len()) as u32));
        let center = piece.mass().center;
        let place = center + (center - bounds.center()) * arguments.explode;
        Drawn::of_mesh(format!("piece-{index}"), mesh, center, place, &materials)
    };
    let drawn = pieces.iter().enumerate().map(drawn).collect::<Result<Vec<_>>>()?;
    picture::take(&drawn, &materials, &Shot { size: arguments.picture_size, view: arguments.view }, tell)
}

fn summarise(arguments: &Prepare, all: &[Prepared], stages: &Stages) {
    for Prepared { part, decomposition } in all {
        let compound = decomposition.compound();
        say(&format!(
            "{}: {} pieces, {} bonds; hulls exceed the volume by {:.1} %, what is fitted by {:.1} %",
            part.name,
            compound.pieces().len(),
            compound.bonds().len(),
            (decomposition.hull_ratio() - 1.0) * 100.0,
            (decomposition.fit_ratio() - 1.0) * 100.0,
        ));
    }
    say(&format!(
        "wrote {} in {:.0} ms: break it with `smithereens shatter {0} -o broken.glb`",
        arguments.output.display(),
        milliseconds(stages.total()),
    ));
    for path in [&arguments.picture, &arguments.report, &arguments.save_nodes].into_iter().flatten() {
        say(&format!("wrote {}", path.display()));
    }
}
