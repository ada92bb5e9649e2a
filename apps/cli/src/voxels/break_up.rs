//! `smithereens shatter` on a file of voxels.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use glam::DVec3;
use serde_json::{Value, json};
use smithereens::Aabb;
use smithereens_voxel::{Arena, FractureOptions, Octree, Piece, Seeds, Spheres, fracture_in};

use super::draw::{self, Meshes, center};
use super::{Ending, encode, read, state_hash};
use crate::arguments::Shatter;
use crate::outputs::{self, Outputs};
use crate::shatter::with_times;
use crate::stages::{Stages, milliseconds};
use crate::{drawn, picture, say};

/// How voxels break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Seeds on spheres of growing radii about the impact.
    Spheres,
    /// Seeds all over the inside.
    Voronoi,
}

impl Way {
    fn of(arguments: &Shatter) -> Result<Way> {
        match arguments.pattern.as_deref() {
            Some("spheres") => Ok(Way::Spheres),
            Some("voronoi") => Ok(Way::Voronoi),
            None if arguments.at.is_some() || arguments.radius.is_some() => Ok(Way::Spheres),
            None => Ok(Way::Voronoi),
            Some(other) => bail!(
                "voxels do not break by {other}: --pattern spheres breaks them about the impact, --pattern voronoi all over"
            ),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Way::Spheres => "spheres",
            Way::Voronoi => "voronoi",
        }
    }
}

/// What was broken.
struct Broken {
    before: Vec<Octree>,
    pieces: Vec<Piece>,
    impact: DVec3,
    way: Way,
}

/// Runs the command.
pub fn run(arguments: &Shatter) -> Result<()> {
    let ending = Ending::of(&arguments.output)?;
    let way = Way::of(arguments)?;
    outputs::check(&arguments.model, &output_paths(arguments))?;
    let is_drawn = ending == Ending::Glb || arguments.camera.picture.is_some();
    let mut stages = Stages::new(3 + 2 * u64::from(is_drawn), arguments.quiet);
    let before = stages.run("read", |_| read(&arguments.model))?;
    let broken = shatter(arguments, way, before, &mut stages)?;
    let octrees: Vec<&Octree> = broken.pieces.iter().map(|piece| &piece.octree).collect();
    let meshes =
        is_drawn.then(|| stages.run("draw", |_| meshes(arguments, &broken, &octrees))).transpose()?;
    let mut files = Outputs::default();
    stages.run("write", |_| match (&meshes, ending) {
        (Some(meshes), Ending::Glb) => {
            files.add_glb(&arguments.output, &draw::glb(meshes, &octrees, arguments.density))
        }
        _ => encode(&octrees, ending, &arguments.output).map(|bytes| files.add(&arguments.output, bytes)),
    })?;
    if let (Some(path), Some(meshes)) = (&arguments.camera.picture, &meshes) {
        let shot = arguments.camera.shot();
        files.add(
            path,
            stages.run("picture", |tell| picture::take(&meshes.drawn, &meshes.materials, &shot, tell))?,
        );
    }
    if let Some(path) = &arguments.report {
        files.add(path, with_times(report(arguments, &broken, &octrees), &stages));
    }
    files.write()?;
    stages.finish();
    if !arguments.quiet {
        say(&format!(
            "{} pieces of {} voxels; all {:.0} ms",
            octrees.len(),
            count(&broken.before),
            milliseconds(stages.total())
        ));
        output_paths(arguments).iter().for_each(|path| say(&format!("wrote {}", path.display())));
    }
    Ok(())
}

fn output_paths(arguments: &Shatter) -> Vec<&Path> {
    let others = [&arguments.report, &arguments.camera.picture].into_iter().flatten();
    [&arguments.output].into_iter().chain(others).map(|path| path.as_path()).collect()
}

fn count<'a>(octrees: impl IntoIterator<Item = &'a Octree>) -> u64 {
    octrees.into_iter().map(Octree::voxel_count).sum()
}

/// The box around all voxels.
fn bounds(octrees: &[Octree]) -> Aabb {
    octrees.iter().fold(Aabb::EMPTY, |all, octree| {
        let Some((low, high)) = octree.extent() else { return all };
        let corner = |at: [u32; 3], by: f64| octree.grid().point(DVec3::from_array(at.map(f64::from)) + by);
        all.union(Aabb::new(corner(low, 0.0), corner(high, 1.0)))
    })
}

/// Where it is hit: where it is said to be, or where the direction meets the surface, or its middle.
fn impact(arguments: &Shatter, octrees: &[Octree]) -> DVec3 {
    let bounds = bounds(octrees);
    let middle = bounds.center();
    let Some(direction) = arguments.direction.or(arguments.radius.map(|_| arguments.camera.view)) else {
        return arguments.at.unwrap_or(middle);
    };
    let step = octrees.iter().map(|octree| octree.grid().voxel_size()).fold(f64::INFINITY, f64::min) * 0.5;
    let way = bounds.size().length();
    let steps = (2.0 * way / step) as u64;
    let mut along = (0..steps).map(|i| middle + direction * (i as f64 * step - way));
    arguments
        .at
        .or_else(|| along.find(|&point| octrees.iter().any(|octree| octree.contains(point))))
        .unwrap_or(middle)
}

fn shatter(arguments: &Shatter, way: Way, before: Vec<Octree>, stages: &mut Stages) -> Result<Broken> {
    let impact = impact(arguments, &before);
    let extent = bounds(&before).extent();
    let all = count(&before).max(1);
    let mut arena = Arena::default();
    let (mut pieces, mut pattern_time, mut time) = (Vec::new(), Duration::ZERO, Duration::ZERO);
    for octree in before.iter().filter(|octree| !octree.is_empty()) {
        let start = Instant::now();
        let share = u64::from(arguments.cells) * octree.voxel_count() / all;
        let seeds = seeds(arguments, way, octree, impact, extent, share.max(1) as usize)?;
        pattern_time += start.elapsed();
        let start = Instant::now();
        pieces.extend(fracture_in(&mut arena, octree, &seeds, &FractureOptions::default())?.pieces);
        time += start.elapsed();
    }
    stages.add("pattern", pattern_time);
    stages.add("fracture", time);
    let is_hit = pieces.len() > before.iter().filter(|octree| !octree.is_empty()).count();
    if arguments.radius.is_some() && !is_hit {
        bail!(
            "nothing is within {} of the impact at {impact}: see --at and --radius",
            arguments.radius.unwrap_or(0.0)
        );
    }
    Ok(Broken { before, pieces, impact, way })
}

fn seeds(
    arguments: &Shatter,
    way: Way,
    octree: &Octree,
    impact: DVec3,
    extent: f64,
    cells: usize,
) -> Result<Seeds> {
    let seeds = match way {
        Way::Voronoi => Seeds::inside(octree, cells, arguments.seed),
        Way::Spheres => {
            // Half of the spheres of a local fracture lie around what breaks off.
            let radius = arguments.radius.map_or(extent, |radius| (2.0 * radius).min(extent));
            let options = Spheres { seeds: cells, radius, seed: arguments.seed, ..Spheres::default() };
            Seeds::spheres(octree, impact, &options)
        }
    };
    let seeds = seeds.with_context(|| "no pattern".to_owned())?;
    Ok(match arguments.radius {
        Some(radius) => seeds.local(impact, radius),
        None => seeds,
    })
}

fn meshes(arguments: &Shatter, broken: &Broken, octrees: &[&Octree]) -> Result<Meshes> {
    let middle = if arguments.radius.is_some() { broken.impact } else { bounds(&broken.before).center() };
    let largest = octrees.iter().map(|octree| octree.voxel_count()).max();
    let place = |octree: &&Octree| {
        let center = center(octree);
        // Around a local fracture what stays whole stays where it is.
        let stays = arguments.radius.is_some() && Some(octree.voxel_count()) == largest;
        if stays { center } else { center + (center - middle) * arguments.explode }
    };
    let places: Vec<DVec3> = octrees.iter().map(place).collect();
    draw::draw(octrees, drawn::names(octrees.len()).collect(), &places, arguments.surface)
}

fn report(arguments: &Shatter, broken: &Broken, octrees: &[&Octree]) -> Value {
    let volume = |octree: &Octree| octree.voxel_count() as f64 * octree.grid().voxel_volume();
    let side = |octrees: &[&Octree]| {
        let own: usize = octrees.iter().map(|octree| octree.bytes().structure + octree.bytes().payload).sum();
        json!({
            "fragments": octrees.len(),
            "voxels": octrees.iter().map(|octree| octree.voxel_count()).sum::<u64>(),
            "boundary": octrees.iter().map(|octree| octree.boundary_count()).sum::<u64>(),
            "volume": octrees.iter().map(|octree| volume(octree)).sum::<f64>(),
            "bytes": own,
        })
    };
    let fragment = |(name, octree): (String, &&Octree)| {
        json!({
            "name": name,
            "voxels": octree.voxel_count(),
            "boundary": octree.boundary_count(),
            "volume": volume(octree),
            "mass": volume(octree) * arguments.density,
        })
    };
    let before: Vec<&Octree> = broken.before.iter().collect();
    let (input, output) = (side(&before), side(octrees));
    json!({
        "level": broken.before.iter().map(|octree| octree.grid().level()).max(),
        "voxels": input["voxels"],
        "bytes": output["bytes"],
        "input": input,
        "output": output,
        "fragments": drawn::names(octrees.len()).zip(octrees).map(fragment).collect::<Vec<_>>(),
        "pattern": { "name": broken.way.name(), "cells": arguments.cells },
        "impact": { "point": broken.impact.to_array(), "radius": arguments.radius },
        "density": arguments.density,
        "seed": arguments.seed,
        "state_hash": format!("{:016x}", state_hash(octrees)),
    })
}
