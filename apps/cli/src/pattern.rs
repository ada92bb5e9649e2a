//! The pattern that the command line asks for, around the impact.

use std::path::Path;

use anyhow::{Context, Result, bail};
use glam::DAffine3;
use smithereens::pattern::{Pattern, PatternKind, Recipe, UnknownPattern};
use smithereens::{Aabb, Impact, Inside, Mesh};

use crate::seeds::Seeds;

/// How a model shall break.
#[derive(Clone, Debug)]
pub enum Choice {
    /// A kind of pattern, made to measure.
    Kind(PatternKind),
    /// A pattern from a file, as it is.
    File(Box<Recipe>),
}

impl Choice {
    /// A name, or else a file.
    pub fn of(text: &str) -> Result<Choice> {
        let unknown: UnknownPattern = match text.parse() {
            Ok(kind) => return Ok(Choice::Kind(kind)),
            Err(unknown) => unknown,
        };
        let path = Path::new(text);
        if !path.exists() && path.extension().is_none() {
            bail!("{unknown}; nor is there a pattern file of that name");
        }
        let recipe = Recipe::load(path).with_context(|| format!("cannot use the pattern file {text}"))?;
        Ok(Choice::File(Box::new(recipe)))
    }
}

/// The half side of a local pattern's box, in radii: room for the cells that bound the crater.
const BOX_PER_RADIUS: f64 = 2.0;
/// The same for patterns whose cells do not depend on the solid.
const PLAIN_BOX_PER_RADIUS: f64 = 1.25;
/// The share of the extent by which the box is larger than the model, so that no wall touches it.
const MARGIN: f64 = 0.01;

/// Makes the pattern for an impact on a closed mesh, in the pattern's own frame.
pub fn make(choice: &Choice, cells: usize, seed: u64, mesh: &Mesh, impact: &Impact) -> Result<Pattern> {
    let kind = match choice {
        Choice::File(recipe) => return recipe.pattern().context("the pattern file makes no pattern"),
        Choice::Kind(kind) => *kind,
    };
    let pattern_from_body = impact.body_from_pattern().inverse();
    let around = model_box(mesh, &pattern_from_body);
    let pattern = match kind {
        PatternKind::Voronoi | PatternKind::Falloff => {
            let points = points(kind, cells, seed, mesh, impact);
            if points.is_empty() {
                bail!("{}", misses(mesh, impact));
            }
            let points: Vec<_> = points.iter().map(|&p| pattern_from_body.transform_point3(p)).collect();
            let bounds = match impact.radius.is_finite() {
                true => Aabb::cube(impact.radius * BOX_PER_RADIUS),
                false => around,
            };
            Pattern::from_points(&points, bounds)
        }
        kind if impact.radius.is_finite() => {
            kind.pattern(cells, Aabb::cube(impact.radius * PLAIN_BOX_PER_RADIUS), seed)
        }
        kind => kind.pattern(cells, around, seed),
    };
    pattern.with_context(|| format!("the pattern {kind} of {cells} cells cannot be made"))
}

fn points(kind: PatternKind, cells: usize, seed: u64, mesh: &Mesh, impact: &Impact) -> Vec<glam::DVec3> {
    let mut seeds = Seeds::new(Inside::of(mesh), seed);
    let bounds = mesh.bounds();
    let farthest = bounds.corners().iter().map(|c| c.distance(impact.point)).fold(0.0, f64::max);
    if impact.radius.is_finite() {
        seeds.within_reach(cells, impact.point, impact.radius, impact.radius * BOX_PER_RADIUS)
    } else if kind == PatternKind::Falloff {
        seeds.crowding(cells, impact.point, farthest)
    } else {
        seeds.evenly(cells, &bounds)
    }
}

fn model_box(mesh: &Mesh, pattern_from_body: &DAffine3) -> Aabb {
    let places = mesh.positions.iter().map(|&p| pattern_from_body.transform_point3(p));
    let bounds = Aabb::of_points(places);
    bounds.grown(bounds.extent() * MARGIN)
}

/// Tells that an impact reaches nothing, and where the model is.
pub fn misses(mesh: &Mesh, impact: &Impact) -> String {
    let bounds = mesh.bounds();
    format!(
        "the impact at {} of radius {} reaches nothing: the model lies between {} and {}",
        impact.point, impact.radius, bounds.min, bounds.max
    )
}
