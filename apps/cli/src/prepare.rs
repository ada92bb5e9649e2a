//! `smithereens prepare`: a model in, a body that breaks well out.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use glam::DVec3;
use serde_json::{Value, json};
use smithereens::prepare::{Assembly, Decomposition, Effort, Goal, Placement};
use smithereens::{Dropped, Mesh, Piece, Slot, Solid};
use smithereens_formats::{Body, BodyFile, Material, write_bodies};

use crate::arguments::Prepare;
use crate::drawn::Drawn;
use crate::intake::{self, Part, Scene};
use crate::outputs::{self, Ending, Outputs};
use crate::picture;
use crate::shatter::with_times;
use crate::stages::{Stages, Tell, milliseconds};
use crate::{check, looks, nodes, note, say};

/// A part of the model, decomposed.
struct Prepared {
    part: Part,
    assembly: Assembly,
}

impl Prepared {
    /// The pieces that are drawn.
    fn pieces(&self) -> impl Iterator<Item = &Arc<Piece>> {
        self.assembly.compound().pieces().iter().filter(|piece| !piece.is_ghost())
    }

    fn ghosts(&self) -> usize {
        self.assembly.compound().pieces().len() - self.pieces().count()
    }

    /// The volume of all solids, what they have in common counted as often as it is there.
    fn volume(&self) -> f64 {
        self.part.solids.iter().map(|solid| solid.volume()).sum()
    }
}

/// Runs the command.
pub fn run(arguments: &Prepare) -> Result<()> {
    if Ending::of(&arguments.output)? != Ending::Glb {
        bail!("cannot write {}: a body is a .glb", arguments.output.display());
    }
    outputs::check(&arguments.model, &output_paths(arguments))?;
    let given = arguments.nodes.as_deref().map(nodes::read).transpose()?;
    let mut stages = Stages::new(4 + u64::from(arguments.camera.picture.is_some()), arguments.quiet);
    let options = arguments.making.mending.options();
    let scene = stages
        .run("read", |tell| intake::read_scene(&arguments.model, &options, arguments.making.merge, tell))?;
    scene.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let Scene { parts, mut materials, .. } = scene;
    let placed = stages.run("place", |tell| place(arguments, &parts, given.as_deref(), tell));
    let prepared = stages.run("cut", |_| cut(arguments, parts, placed))?;
    prepared.iter().for_each(tell_dropped);
    materials.push(looks::interior(&materials, arguments.making.interior));
    let mut files = Outputs::default();
    stages.run("write", |_| encode(arguments, &prepared, &materials, &mut files))?;
    if let Some(path) = &arguments.camera.picture {
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
    let others = [&arguments.report, &arguments.camera.picture, &arguments.save_nodes].into_iter().flatten();
    [&arguments.output].into_iter().chain(others).map(|path| path.as_path()).collect()
}

/// The nodes of each solid of each part: the user's, or those that a search finds.
fn place(
    arguments: &Prepare,
    parts: &[Part],
    given: Option<&[DVec3]>,
    tell: &dyn Tell,
) -> Vec<Vec<Vec<DVec3>>> {
    let count: usize = parts.iter().map(|part| part.solids.len()).sum();
    let mut done = 0;
    let mut search = |(placement, solid): (Placement, &Arc<Solid>)| {
        let before = done as f64;
        done += 1;
        placement.nodes(solid, |share| tell.tell(((before + share) / count as f64) as f32))
    };
    let mut nodes = |part: &Part| match given {
        Some(nodes) => vec![nodes.to_vec(); part.solids.len()],
        None => {
            let volumes: Vec<f64> = part.solids.iter().map(|solid| solid.volume()).collect();
            placement(arguments).shared_out(&volumes).into_iter().zip(&part.solids).map(&mut search).collect()
        }
    };
    parts.iter().map(&mut nodes).collect()
}

fn placement(arguments: &Prepare) -> Placement {
    let goal = match arguments.concavity {
        Some(most) => Goal::Concavity(most),
        None => Goal::Pieces(arguments.pieces.unwrap_or(32) as usize),
    };
    let effort = if arguments.instant { Effort::Instant } else { Effort::Full };
    Placement { goal, effort, seed: arguments.seed }
}

fn cut(arguments: &Prepare, parts: Vec<Part>, placed: Vec<Vec<Vec<DVec3>>>) -> Result<Vec<Prepared>> {
    let fit = arguments.making.fit.into();
    let cut = |(part, placed): (Part, Vec<Vec<DVec3>>)| {
        let solids = part.solids.iter().zip(placed);
        let decompose = |(solid, nodes): (&Arc<Solid>, _)| Decomposition::new(solid.clone(), nodes, fit);
        let parts = solids.map(decompose).collect::<Result<_, _>>().with_context(|| part.name.clone())?;
        let assembly = Assembly::new(parts).with_context(|| part.name.clone())?;
        Ok(Prepared { part, assembly })
    };
    parts.into_iter().zip(placed).map(cut).collect()
}

/// Slivers are no news; what is inside out is.
fn tell_dropped(prepared: &Prepared) {
    let Dropped { count, volume } = prepared.assembly.dropped();
    if volume < 0.0 {
        note(&format!(
            "note: {}: {count} pieces of volume {volume:.3e} are inside out, since the model passes through itself, and were \
             dropped: `--overlaps unite-all` resolves it",
            prepared.part.name
        ));
    }
}

fn encode(arguments: &Prepare, all: &[Prepared], materials: &[Material], files: &mut Outputs) -> Result<()> {
    let body = |p: &Prepared| Body {
        name: p.part.name.clone(),
        compound: p.assembly.compound().clone(),
        nodes: p.assembly.nodes(),
        modes: None,
    };
    let file = BodyFile { bodies: all.iter().map(body).collect(), materials: materials.to_vec() };
    files.add(&arguments.output, write_bodies(&file)?);
    if let Some(path) = &arguments.save_nodes {
        files.add(path, nodes::write(file.bodies.iter().map(|body| (body.name.as_str(), &body.nodes[..]))));
    }
    Ok(())
}

fn report(arguments: &Prepare, all: &[Prepared]) -> Value {
    let compounds = || all.iter().map(|p| p.assembly.compound());
    let volume: f64 = all.iter().map(Prepared::volume).sum();
    let share = |ratio: fn(&Assembly) -> f64| -> f64 {
        all.iter().map(|p| ratio(&p.assembly) * p.volume()).sum::<f64>() / volume
    };
    json!({
        "repair": all.iter().flat_map(|p| intake::steps_list(&p.part.steps)).collect::<Vec<_>>(),
        "pieces": all.iter().map(|p| p.pieces().count()).sum::<usize>(),
        "ghosts": all.iter().map(Prepared::ghosts).sum::<usize>(),
        "fit_ratio": share(Assembly::fit_ratio),
        "hull_ratio": share(Assembly::hull_ratio),
        "bonds": compounds().map(|c| c.bonds().len()).sum::<usize>(),
        "bodies": all.iter().map(line).collect::<Vec<_>>(),
        "seed": arguments.seed,
        "state_hash": format!("{:016x}", check::state_hash(compounds())),
    })
}

fn line(prepared: &Prepared) -> Value {
    let Prepared { part, assembly } = prepared;
    let compound = assembly.compound();
    let Dropped { count, volume } = assembly.dropped();
    json!({
        "name": part.name,
        "triangles": part.solids.iter().map(|solid| solid.mesh().triangle_count()).sum::<usize>(),
        "volume": prepared.volume(),
        "volume_once": compound.mass().volume,
        "repair": intake::steps_json(&part.steps),
        "solids": part.solids.len(),
        "nodes": assembly.nodes().len(),
        "pieces": prepared.pieces().count(),
        "ghosts": prepared.ghosts(),
        "parts": compound.islands().len(),
        "bonds": compound.bonds().len(),
        "dropped": { "count": count, "volume": volume },
        "fit_ratio": assembly.fit_ratio(),
        "hull_ratio": assembly.hull_ratio(),
        "closed": check::all_closed(compound),
    })
}

/// Linear colours that are easy to tell from each other.
pub const COLOURS: [[f32; 3]; 9] = [
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
    let pieces: Vec<&Arc<Piece>> = all.iter().flat_map(Prepared::pieces).collect();
    let bounds = pieces.iter().fold(smithereens::Aabb::EMPTY, |b, p| b.union(*p.bounds()));
    let drawn = |(index, piece): (usize, &&Arc<Piece>)| {
        let mut mesh: Mesh = piece.to_mesh();
        mesh.faces.iter_mut().for_each(|face| face.slot = Slot((index % COLOURS.len()) as u32));
        let center = piece.mass().center;
        let place = center + (center - bounds.center()) * arguments.explode;
        Drawn::of_mesh(format!("piece-{index}"), mesh, center, place, &materials)
    };
    let drawn = pieces.iter().enumerate().map(drawn).collect::<Result<Vec<_>>>()?;
    picture::take(&drawn, &materials, &arguments.camera.shot(), tell)
}

fn summarise(arguments: &Prepare, all: &[Prepared], stages: &Stages) {
    for prepared in all {
        let (assembly, ghosts) = (&prepared.assembly, prepared.ghosts());
        let overlaps = if ghosts > 0 { format!(", {ghosts} overlaps") } else { String::new() };
        say(&format!(
            "{}: {} pieces, {} bonds{overlaps}; hulls exceed the volume by {:.1} %, what is fitted by {:.1} %",
            prepared.part.name,
            prepared.pieces().count(),
            assembly.compound().bonds().len(),
            (assembly.hull_ratio() - 1.0) * 100.0,
            (assembly.fit_ratio() - 1.0) * 100.0,
        ));
    }
    say(&format!(
        "wrote {} in {:.0} ms: break it with `smithereens shatter {0} -o broken.glb`",
        arguments.output.display(),
        milliseconds(stages.total()),
    ));
    for path in [&arguments.camera.picture, &arguments.report, &arguments.save_nodes].into_iter().flatten() {
        say(&format!("wrote {}", path.display()));
    }
}
