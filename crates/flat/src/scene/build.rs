//! A world from a scene, and the scene's events in it as time goes on.

use std::sync::Arc;

use glam::DVec2;
use smithereens_planar::modes::Weakness;
use smithereens_planar::pattern::Pattern;
use smithereens_planar::{Aabb, Compound, Cover, FractureOptions, Impact, fracture};

use super::read::{no_pattern, room};
use super::shapes::compound;
use super::{Anchor, BodyEntry, Copies, CoverEntry, Grain, HitEntry, Scene, SceneError, Shape, ShotEntry};
use crate::spawn::first_cut;
use crate::{BodyId, Hit, MaterialId, NewBody, Pose, Shot, World};

/// A scene on stage: a world, and what is still to happen in it.
#[derive(Clone)]
pub struct Stage {
    /// The world.
    pub world: World,
    /// The bodies of the scene, with the names they have there.
    pub placed: Vec<Placed>,
    scene: Arc<Scene>,
}

/// A body of a scene.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The body.
    pub body: BodyId,
    /// Its name, or the number of its entry.
    pub name: String,
    /// Its entry among the scene's bodies; none for the floor.
    pub entry: Option<usize>,
}

/// How a body is made: its compound, where it breaks by nature, and which of its edges count as broken.
type Made = (Compound, Option<Arc<Weakness>>, u64);

/// More bodies of one entry than this are a slip of the pen.
const MOST_COPIES: u64 = 100_000;
/// How deep the side that holds a body goes, of its extent.
const ANCHOR_DEPTH: f64 = 0.01;
/// No grain is of more cells.
const MOST_CELLS: usize = 1 << 14;
/// How far the floor reaches to both sides, and how thick it is, in metres.
const FLOOR: DVec2 = DVec2::new(100.0, 2.0);
/// Where a scene has no box: so many times its extent around it, in metres at least this.
const ROOM: f64 = 3.0;
const LEAST_ROOM: f64 = 10.0;

impl Scene {
    /// Builds the world.
    pub fn world(&self) -> Result<World, SceneError> {
        Ok(self.clone().stage()?.world)
    }

    /// Builds the world, and goes on stage.
    ///
    /// ```
    /// use smithereens_flat::scene::Scene;
    /// let mut stage = Scene::read("ground = 0\n[[body]]\nshape = { box = [1, 1] }\nat = [0, 9]\n")?.stage()?;
    /// while stage.steps() < stage.all_steps() {
    ///     stage.step();
    /// }
    /// assert!(stage.world.bodies().count() > 2);
    /// # Ok::<(), smithereens_flat::scene::SceneError>(())
    /// ```
    pub fn stage(self) -> Result<Stage, SceneError> {
        let mut world = World::new(self.options(), self.own_materials()?)?;
        *world.patterns_mut() = self.library()?;
        let mut placed = Vec::new();
        let mut all: Vec<Made> = Vec::new();
        for (entry, body) in self.bodies.iter().enumerate() {
            let made = match &body.shape {
                Shape::Of(name) => all[self.named_before(entry, name)?].clone(),
                _ => self.made(entry, body)?,
            };
            all.push(made.clone());
            for new in self.copies(entry, body, &made, &world)? {
                let id = world.add(new).map_err(|e| self.fault(entry, e.to_string()))?;
                world.set_first_cut(id, made.2);
                placed.push(Placed { body: id, name: self.name(entry), entry: Some(entry) });
            }
        }
        self.add_floor(&mut world, &mut placed)?;
        if self.bounds.is_none() {
            let extent = self.extent(&world);
            let bounds = extent.grown((extent.extent() * ROOM).max(LEAST_ROOM));
            // The floor's end is no place to fall off.
            let options = crate::Options { bounds: Some(bounds), ..*world.options() };
            let _ = world.set_options(options);
        }
        for (index, hit) in self.hits.iter().enumerate() {
            self.pattern_of(&world, hit).map_err(|what| self.fault_of("[[hit]]", index, what))?;
        }
        Ok(Stage { world, placed, scene: Arc::new(self) })
    }

    /// What there is, without the floor, and what is shot from where.
    fn extent(&self, world: &World) -> Aabb {
        let bodies = world.bodies().filter(|body| body.name() != FLOOR_NAME);
        let bodies = bodies.filter_map(|body| world.bounds_of(body));
        let shots = Aabb::around(self.shots.iter().map(|shot| DVec2::from(shot.from)));
        let all = bodies.fold(shots, Aabb::union);
        if all.is_empty() { Aabb::square(1.0) } else { all }
    }

    /// The box that pictures show: the scene's view, or all there is with some room.
    pub fn view_of(&self, world: &World) -> Aabb {
        let whole = || {
            let mut all = self.extent(world);
            if let Some(ground) = self.ground {
                all.min.y = all.min.y.min(ground - all.extent() * 0.05);
            }
            all.grown(all.extent() * 0.12)
        };
        self.view.map_or_else(whole, room)
    }

    fn add_floor(&self, world: &mut World, placed: &mut Vec<Placed>) -> Result<(), SceneError> {
        let Some(height) = self.ground else { return Ok(()) };
        let slab = compound(&Shape::Box([FLOOR.x * 2.0, FLOOR.y]));
        let slab = slab.map_err(|what| SceneError { line: None, what })?;
        let material = world.material("steel").unwrap_or_default();
        let at = Pose::at(DVec2::new(0.0, height - FLOOR.y * 0.5));
        let floor = NewBody { fixed: true, material, name: FLOOR_NAME.to_owned(), ..NewBody::at(slab, at) };
        let body = world.add(floor);
        let body = body.map_err(|_| SceneError { line: None, what: "ground is no height".to_owned() })?;
        placed.push(Placed { body, name: FLOOR_NAME.to_owned(), entry: None });
        Ok(())
    }

    fn name(&self, entry: usize) -> String {
        self.bodies[entry].name.clone().unwrap_or_else(|| format!("body-{}", entry + 1))
    }

    /// A fault of one of the bodies, at the line where it begins.
    fn fault(&self, entry: usize, what: impl std::fmt::Display) -> SceneError {
        self.fault_of("[[body]]", entry, format!("body '{}': {what}", self.name(entry)))
    }

    /// The last body before an entry that has this name.
    fn named_before(&self, entry: usize, name: &str) -> Result<usize, SceneError> {
        let before = &self.bodies[..entry];
        let found = before.iter().rposition(|body| body.name.as_deref() == Some(name));
        found.ok_or_else(|| self.fault(entry, format!("there is no body {name:?} before this one")))
    }

    fn made(&self, entry: usize, body: &BodyEntry) -> Result<Made, SceneError> {
        let fault = |what: String| self.fault(entry, what);
        let compound = compound(&body.shape).map_err(fault)?;
        match (&body.grain, &body.modes) {
            (Some(_), Some(_)) => {
                Err(fault("what breaks by nature has no other grain: leave out grain or modes".to_owned()))
            }
            (Some(grain), None) => self.grained(grain, &compound).map_err(fault),
            (None, Some(modes)) => {
                let (compound, weakness) = modes.make_ready(&compound).map_err(fault)?;
                Ok((compound, Some(weakness), 0))
            }
            (None, None) => match &body.shape {
                Shape::Broken(broken) => {
                    let known = |index: usize| {
                        let own = self.weaknesses.get(index).map(|entry| entry.0.clone());
                        own.ok_or_else(|| fault(format!("there is no weakness {index}")))
                    };
                    Ok((compound, broken.weakness.map(known).transpose()?, broken.first_cut))
                }
                _ => {
                    let first = first_cut(&compound);
                    Ok((compound, None, first))
                }
            },
        }
    }

    /// A compound in pieces that hang together.
    fn grained(&self, grain: &Grain, compound: &Compound) -> Result<Made, String> {
        let library = self.library().map_err(|error| error.to_string())?;
        let bounds = compound.bounds();
        let half = bounds.extent() * (0.5 + ANCHOR_DEPTH);
        // The pattern is a square, of which the body may fill little.
        let filled = compound.mass().area / (4.0 * half * half);
        let cells = ((grain.cells as f64 / filled.max(1e-6)) as usize).clamp(1, MOST_CELLS);
        let pattern = match crate::PatternKind::named(&grain.pattern) {
            Some(kind) => crate::Recipe::of_kind(kind, cells, self.seed).pattern(),
            None => match library.named(&grain.pattern) {
                Some(named) => named.recipe.pattern(),
                None => return Err(no_pattern(&grain.pattern, &library)),
            },
        };
        let pattern = pattern.map_err(|error| format!("grain: {error}"))?.coloured(|_| 0);
        let deformation = glam::DMat2::from_diagonal(DVec2::splat(half));
        let impact = Impact { deformation, ..Impact::at(bounds.center()) };
        let cut = fracture(compound, &pattern, &impact, &FractureOptions::default());
        let cut = cut.map_err(|error| format!("grain: {error}"))?;
        match &cut.fragments[..] {
            [one] => Ok((one.compound.clone(), None, first_cut(compound))),
            many => Err(format!("grain: the body is of {} parts that do not touch", many.len())),
        }
    }

    fn copies(
        &self,
        entry: usize,
        body: &BodyEntry,
        (compound, weakness, _): &Made,
        world: &World,
    ) -> Result<Vec<NewBody>, SceneError> {
        let material = self.material(entry, body, world)?;
        let anchors = self.anchors(entry, body.anchor.as_ref(), &compound.bounds())?;
        let Copies { count, step, shift } = body.copies.unwrap_or_default();
        let wanted = u64::from(count[0]) * u64::from(count[1]);
        if wanted > MOST_COPIES {
            return Err(self.fault(entry, format!("{wanted} copies are more than {MOST_COPIES}")));
        }
        let places = (0..count[1]).flat_map(|y| (0..count[0]).map(move |x| (x, y)));
        let all = places.map(|(x, y)| {
            let shifted = if y % 2 == 1 { shift } else { 0.0 };
            let away = DVec2::from(step) * DVec2::new(f64::from(x), f64::from(y)) + DVec2::X * shifted;
            let pose = Pose { turn: body.turn.to_radians(), at: DVec2::from(body.at) + away };
            NewBody {
                velocity: DVec2::from(body.velocity),
                spin: body.spin.to_radians(),
                material,
                fixed: body.fixed,
                anchors: anchors.clone(),
                weakness: weakness.clone(),
                name: body.name.clone().unwrap_or_default(),
                ..NewBody::at(compound.clone(), pose)
            }
        });
        Ok(all.collect())
    }

    fn material(&self, entry: usize, body: &BodyEntry, world: &World) -> Result<MaterialId, SceneError> {
        let wanted = body.material.as_deref().unwrap_or("stone");
        world.material(wanted).ok_or_else(|| {
            let known: Vec<&str> = world.materials().iter().map(|m| m.name.as_str()).collect();
            let known = known.join(", ");
            self.fault(
                entry,
                format!("there is no material {wanted:?}: use {known}, or add [material.{wanted}]"),
            )
        })
    }

    fn anchors(&self, entry: usize, anchor: Option<&Anchor>, bounds: &Aabb) -> Result<Vec<Aabb>, SceneError> {
        let side = match anchor {
            None => return Ok(Vec::new()),
            Some(Anchor::Boxes(boxes)) => return Ok(boxes.iter().copied().map(room).collect()),
            Some(Anchor::Side(side)) => side.as_str(),
        };
        let depth = bounds.extent() * ANCHOR_DEPTH;
        let mut slab = bounds.grown(depth);
        match side {
            "all" => {}
            "bottom" => slab.max.y = bounds.min.y + depth,
            "top" => slab.min.y = bounds.max.y - depth,
            "left" => slab.max.x = bounds.min.x + depth,
            "right" => slab.min.x = bounds.max.x - depth,
            other => {
                let what = format!("there is no side {other:?}: use bottom, top, left, right or all");
                return Err(self.fault(entry, what));
            }
        }
        Ok(vec![slab])
    }

    /// The pattern that a hit names.
    fn pattern_of(&self, world: &World, hit: &HitEntry) -> Result<Option<Arc<Pattern>>, String> {
        let Some(name) = &hit.pattern else { return Ok(None) };
        let library = world.patterns();
        let named = library.named(name).ok_or_else(|| no_pattern(name, library))?;
        Ok(Some(named.pattern.clone()))
    }
}

/// What the floor is called.
pub(super) const FLOOR_NAME: &str = "floor";

impl Stage {
    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// How many steps the scene has.
    pub fn all_steps(&self) -> u64 {
        (self.scene.duration * self.scene.rate).round() as u64
    }

    /// How many steps are done: a world that is put back in time has all that follows before it again.
    pub fn steps(&self) -> u64 {
        self.world.steps()
    }

    /// One step: what the time has come for happens, and the world goes on.
    pub fn step(&mut self) {
        let [now, next] = [self.steps(), self.steps() + 1].map(|steps| steps as f64 / self.scene.rate);
        let scene = self.scene.clone();
        for hit in scene.hits.iter().filter(|hit| (now..next).contains(&hit.time)) {
            self.hit(hit);
        }
        for shot in &scene.shots {
            self.shoot(shot, now, next);
        }
        self.world.step();
    }

    fn hit(&mut self, entry: &HitEntry) {
        let at = DVec2::from(entry.at);
        let Some(body) = self.world.body_at(at) else { return };
        // A pattern that is not there any more is as if none was named: they were all there at the start.
        let pattern = self.scene.pattern_of(&self.world, entry).unwrap_or_default();
        let cover = match entry.cover {
            CoverEntry::Extend => Cover::Extend,
            CoverEntry::Scale => Cover::Scale,
            CoverEntry::Leave => Cover::Leave,
        };
        let hit = Hit {
            direction: DVec2::from(entry.direction),
            strength: entry.strength,
            radius: entry.radius,
            pattern,
            size: entry.size,
            cover,
            turning: entry.turning,
            push: entry.push,
            ..Hit::at(body, at)
        };
        // The numbers were checked when the scene was read.
        let _ = self.world.fracture(&hit);
    }

    fn shoot(&mut self, entry: &ShotEntry, now: f64, next: f64) {
        for index in 0..entry.count.min(MOST_SHOTS) {
            let time = entry.time + entry.every * f64::from(index);
            if (now..next).contains(&time) {
                let toward = DVec2::from(entry.toward) + DVec2::from(entry.step) * f64::from(index);
                self.world.fire(&Shot {
                    from: DVec2::from(entry.from),
                    toward,
                    speed: entry.speed,
                    breaks: entry.breaks,
                    strength: entry.strength,
                    radius: entry.radius,
                    length: entry.length,
                });
            }
        }
    }
}

/// More shots of one entry than this are a slip of the pen.
const MOST_SHOTS: u32 = 10_000;
