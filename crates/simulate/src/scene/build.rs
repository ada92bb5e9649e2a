//! A world from a scene, and the scene's events in it as time goes on.

use std::time::Duration;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use smithereens::pattern::PatternKind;
use smithereens::{Aabb, Compound, FractureOptions};

use super::shapes::{ball, cuboid, cylinder, parts, turn, whole};
use super::volley::{Shot, shots};
use super::{
    Anchor, BodyEntry, Copies, Grain, Loaded, ModelEntry, ProjectileEntry, Scene, SceneError, Shape,
};
use crate::{BodyId, Explosion, Material, MaterialId, NewBody, Options, Pose, SpawnError, Turn, World};

/// A scene on stage: a world, and what is still to happen in it.
pub struct Stage {
    /// The world.
    pub world: World,
    /// The bodies of the scene, with the names they have there.
    pub placed: Vec<Placed>,
    pub(super) scene: Scene,
    pub(super) steps: u64,
}

/// A body of a scene.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Placed {
    /// The body.
    pub body: BodyId,
    /// Its name, or the number of its entry.
    pub name: String,
    /// Its entry among the scene's bodies; none for projectiles.
    pub entry: Option<usize>,
}

impl Scene {
    /// Builds the world. `load` makes a compound of a model's file, or takes it with its weakness from that of a body.
    pub fn stage<L: Into<Loaded>, E: std::fmt::Display>(
        self,
        mut load: impl FnMut(&ModelEntry) -> Result<L, E>,
    ) -> Result<Stage, SceneError> {
        let materials = self.own_materials()?;
        let options = self.options();
        let mut world = World::new(options, materials);
        world.physics.gravity = DVec3::from(self.gravity).as_vec3();
        world.physics.integration_parameters.dt = (1.0 / self.rate) as f32;
        if let Some(height) = self.ground {
            world.add_ground(height, 0.7);
        }
        if let Some(dust) = self.dust_options()? {
            world.raise_dust(dust).map_err(|e| self.dust_fault(&e))?;
        }
        if let Some(debris) = self.debris_options()? {
            world.shed_debris(debris).map_err(|e| self.debris_fault(&e))?;
        }
        let mut placed = Vec::new();
        let mut all: Vec<Loaded> = Vec::new();
        for (entry, body) in self.bodies.iter().enumerate() {
            let loaded = match &body.shape {
                Shape::Of(name) => all[self.named_before(entry, name)?].clone(),
                _ => self.loaded(entry, body, &mut load)?,
            };
            let loaded = self.divided(body, loaded)?;
            all.push(loaded.clone());
            for new in self.copies(body, loaded, world.destruction.materials())? {
                let id = world.add(new).map_err(|e| self.fault(entry, e.to_string()))?;
                let name = body.name.clone().unwrap_or_else(|| format!("body-{}", entry + 1));
                placed.push(Placed { body: id, name, entry: Some(entry) });
            }
        }
        Ok(Stage { world, placed, steps: 0, scene: self })
    }

    fn options(&self) -> Options {
        let default = Options::default();
        let milliseconds = self.budget.milliseconds.filter(|m| m.is_finite() && *m > 0.0);
        Options {
            seed: self.seed,
            budget: milliseconds.map(|m| Duration::from_secs_f64(m * 1e-3)),
            smallest: self.budget.smallest.unwrap_or(default.smallest),
            rest_after: self.budget.rest.unwrap_or(default.rest_after),
            most_awake: self.budget.awake.unwrap_or(default.most_awake),
            stress: self.stress,
            gravity: DVec3::from(self.gravity),
            most_bodies: self.budget.bodies.unwrap_or(default.most_bodies),
            ..default
        }
    }

    /// A fault of one of the bodies, at the line where it begins.
    fn fault(&self, entry: usize, what: impl Into<String>) -> SceneError {
        let heads = self.source.lines().enumerate().filter(|(_, line)| line.trim() == "[[body]]");
        let line = heads.map(|(line, _)| line + 1).nth(entry);
        SceneError { line, what: what.into() }
    }

    /// The last body before an entry that has this name.
    fn named_before(&self, entry: usize, name: &toml::Spanned<String>) -> Result<usize, SceneError> {
        let before = &self.bodies[..entry];
        before.iter().rposition(|body| body.name.as_ref() == Some(name.get_ref())).ok_or_else(|| {
            let what = format!("there is no body {:?} before this one", name.get_ref());
            SceneError::at(&self.source, Some(name.span()), what)
        })
    }

    fn loaded<L: Into<Loaded>, E: std::fmt::Display>(
        &self,
        entry: usize,
        body: &BodyEntry,
        load: &mut impl FnMut(&ModelEntry) -> Result<L, E>,
    ) -> Result<Loaded, SceneError> {
        let convex = match &body.shape {
            Shape::Box(size) => cuboid(*size),
            Shape::Ball(radius) => ball(*radius),
            Shape::Cylinder { radius, top, height, sides } => {
                cylinder(*radius, top.unwrap_or(*radius), *height, *sides)
            }
            Shape::Parts(list) => {
                return parts(list)
                    .map(Loaded::from)
                    .map_err(|(part, what)| self.fault(entry, format!("part {}: {what}", part + 1)));
            }
            Shape::Model(model) => {
                let fault = |e: E| SceneError::at(&self.source, Some(model.file.span()), e.to_string());
                return load(&body.model(model)).map(Into::into).map_err(fault);
            }
            Shape::Of(_) => None,
        };
        let convex =
            convex.ok_or_else(|| self.fault(entry, "the shape has no volume: give positive sizes"))?;
        whole(convex).map(Loaded::from).map_err(|e| self.fault(entry, e.to_string()))
    }

    /// A body as it is to come apart: in pieces that hang together, or ready to break by nature, or as it is.
    fn divided(&self, body: &BodyEntry, loaded: Loaded) -> Result<Loaded, SceneError> {
        let fault = |span, what: &str| Err(SceneError::at(&self.source, Some(span), what.to_owned()));
        match (&body.grain, &body.modes) {
            (None, None) => Ok(loaded),
            (Some(grain), _) if body.modes.is_some() || loaded.weakness.is_some() => {
                fault(grain.span(), "what breaks by nature has no other grain: leave out grain or modes")
            }
            (Some(grain), _) => self.grained(grain, &loaded.compound).map(Loaded::from),
            (None, Some(modes)) if loaded.weakness.is_some() => {
                fault(modes.span(), "the shape is that of a body with modes already: leave modes out")
            }
            (None, Some(modes)) => modes
                .get_ref()
                .make_ready(&loaded.compound)
                .map_err(|what| SceneError::at(&self.source, Some(modes.span()), format!("modes: {what}"))),
        }
    }

    /// A compound in pieces that hang together.
    fn grained(&self, grain: &toml::Spanned<Grain>, compound: &Compound) -> Result<Compound, SceneError> {
        let fault = |what: String| SceneError::at(&self.source, Some(grain.span()), what);
        let Grain { pattern, cells } = grain.get_ref();
        let kind: PatternKind = pattern.parse().map_err(|e| fault(format!("grain: {e}")))?;
        let bounds = compound.bounds();
        let bounds = bounds.grown(bounds.extent() * ANCHOR_DEPTH);
        let pattern = kind.pattern(*cells, bounds, self.seed).map_err(|e| fault(format!("grain: {e}")))?;
        let cut = compound.cut_up(&pattern, &FractureOptions::default());
        let cut = cut.map_err(|e| fault(format!("grain: {e}")))?.compound;
        match cut.islands().len() {
            1 => Ok(cut),
            many => {
                Err(fault(format!("the body is of {many} parts that do not touch: make it so many bodies")))
            }
        }
    }

    fn copies(
        &self,
        body: &BodyEntry,
        Loaded { compound, weakness }: Loaded,
        materials: &[Material],
    ) -> Result<Vec<NewBody>, SceneError> {
        let material = self.material(body.material.as_ref(), "stone", materials)?;
        let anchors = self.anchors(body.anchor.as_ref(), &compound.bounds())?;
        let Copies { count, step, ring } = body.copies.unwrap_or_default();
        let angles: Vec<f64> =
            ring.map_or(vec![0.0], |ring| ring.angles().take(MOST_COPIES as usize + 1).collect());
        let wanted = count.iter().fold(angles.len() as u64, |all, &n| all.saturating_mul(u64::from(n)));
        if wanted > MOST_COPIES {
            let what = format!("{wanted} copies of a body are more than {MOST_COPIES}");
            return Err(SceneError { line: None, what });
        }
        let radius = DVec3::Z * ring.map_or(0.0, |ring| ring.radius);
        let mut all = Vec::new();
        for (z, y, x) in
            (0..count[2]).flat_map(|z| (0..count[1]).flat_map(move |y| (0..count[0]).map(move |x| (z, y, x))))
        {
            let shift = DVec3::from(step) * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
            for &angle in &angles {
                let about = turn([0.0, angle, 0.0]);
                all.push(NewBody {
                    compound: compound.clone(),
                    pose: Pose {
                        turn: (about * turn(body.turn)).normalize(),
                        at: DVec3::from(body.at) + shift + about * radius,
                    },
                    velocity: DVec3::from(body.velocity),
                    spin: DVec3::from(body.spin.map(f64::to_radians)),
                    material,
                    anchors: anchors.clone(),
                    weakness: weakness.clone(),
                });
            }
        }
        Ok(all)
    }

    fn projectile(
        &self,
        entry: &ProjectileEntry,
        shot: Shot,
        materials: &[Material],
    ) -> Result<NewBody, SceneError> {
        let material = self.material(entry.material.as_ref(), "steel", materials)?;
        let fault = |what: String| SceneError { line: None, what: format!("projectile: {what}") };
        let shape = ball(entry.radius).ok_or_else(|| fault("its radius must be positive".into()))?;
        let compound = whole(shape).map_err(|e| fault(e.to_string()))?;
        let at = Pose::at(shot.place(entry.from));
        Ok(NewBody { material, velocity: shot.direction(entry.velocity), ..NewBody::at(compound, at) })
    }

    fn material(
        &self,
        name: Option<&toml::Spanned<String>>,
        default: &str,
        materials: &[Material],
    ) -> Result<MaterialId, SceneError> {
        let wanted = name.map_or(default, |name| name.get_ref());
        let found = materials.iter().position(|m| m.name == wanted);
        found.map(|index| MaterialId(index as u32)).ok_or_else(|| {
            let known: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
            let what = format!(
                "there is no material {wanted:?}: use {}, or add [material.{wanted}]",
                known.join(", ")
            );
            SceneError::at(&self.source, name.map(|name| name.span()), what)
        })
    }

    fn anchors(
        &self,
        anchor: Option<&toml::Spanned<Anchor>>,
        bounds: &Aabb,
    ) -> Result<Vec<Aabb>, SceneError> {
        let Some(anchor) = anchor else { return Ok(Vec::new()) };
        let side = match anchor.get_ref() {
            Anchor::Boxes(boxes) => {
                let bounds = |[a, b]: &[[f64; 3]; 2]| Aabb::of_points([DVec3::from(*a), DVec3::from(*b)]);
                return Ok(boxes.iter().map(bounds).collect());
            }
            Anchor::Side(side) => side.as_str(),
        };
        let depth = bounds.extent() * ANCHOR_DEPTH;
        let grown = bounds.grown(depth);
        let (axis, is_low) = match side {
            "all" => return Ok(vec![grown]),
            "bottom" => (1, true),
            "top" => (1, false),
            "left" => (0, true),
            "right" => (0, false),
            "front" => (2, false),
            "back" => (2, true),
            other => {
                let what =
                    format!("there is no side {other:?}: use bottom, top, left, right, front, back or all");
                return Err(SceneError::at(&self.source, Some(anchor.span()), what));
            }
        };
        let mut slab = grown;
        if is_low {
            slab.max[axis] = bounds.min[axis] + depth;
        } else {
            slab.min[axis] = bounds.max[axis] - depth;
        }
        Ok(vec![slab])
    }
}

impl BodyEntry {
    /// A model as it is to be loaded for the body: in one piece, if it is to be made ready to break by nature.
    pub fn model(&self, model: &ModelEntry) -> ModelEntry {
        let pieces = if self.modes.is_some() { 1 } else { model.pieces };
        ModelEntry { pieces, ..model.clone() }
    }
}

/// More bodies of one entry than this are a slip of the pen.
const MOST_COPIES: u64 = 100_000;
/// How deep the side that holds a body goes, of its extent.
const ANCHOR_DEPTH: f64 = 0.01;

impl Stage {
    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// How many steps the scene has.
    pub fn all_steps(&self) -> u64 {
        (self.scene.duration * self.scene.rate).round() as u64
    }

    /// How many steps are done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// One step: what the time has come for happens, and the world goes on.
    pub fn step(&mut self) -> Result<(), SceneError> {
        self.happen()?;
        self.world.step();
        self.steps += 1;
        Ok(())
    }

    /// One step with as many fractures as there were before: see [`World::step_as`].
    pub fn step_as(&mut self, before: Turn) -> Result<(), SceneError> {
        self.happen()?;
        self.world.step_as(before);
        self.steps += 1;
        Ok(())
    }

    /// What the time has come for.
    fn happen(&mut self) -> Result<(), SceneError> {
        let (now, next) = (self.steps as f64 / self.scene.rate, (self.steps + 1) as f64 / self.scene.rate);
        let seed = self.scene.seed;
        for (index, entry) in (0..).zip(&self.scene.projectiles) {
            for shot in shots(entry.volley, entry.time, now, next, seed ^ (index << 32)) {
                let new = self.scene.projectile(entry, shot, self.world.destruction.materials())?;
                let fault = |e: SpawnError| SceneError { line: None, what: format!("projectile: {e}") };
                let body = self.world.add(new).map_err(fault)?;
                self.placed.push(Placed { body, name: "projectile".into(), entry: None });
            }
        }
        for (index, entry) in (0..).zip(&self.scene.explosions) {
            for shot in shots(entry.volley, entry.time, now, next, !seed ^ (index << 32)) {
                self.world.explode(&Explosion {
                    at: shot.place(entry.at),
                    radius: entry.radius,
                    force: entry.force,
                    impulse: entry.impulse,
                });
            }
        }
        Ok(())
    }
}
