//! A scene as text, and the scene that a world is at the moment.

use std::sync::Arc;

use smithereens_planar::Aabb;
use smithereens_planar::modes::Weakness;

use super::build::FLOOR_NAME;
use super::{Anchor, BodyEntry, Broken, BudgetEntry, Scene, Shape, WeaknessEntry, written};
use crate::{Body, Library, Material, Options, World, materials};

impl Scene {
    /// The text of the scene: what [`Scene::read`] reads.
    pub fn write(&self) -> String {
        let mut scene = self.clone();
        // Numbers of text files are signed.
        scene.seed &= i64::MAX as u64;
        toml::to_string(&scene).unwrap_or_default()
    }

    /// The scene that a world is at the moment: its bodies with their pieces, where and how fast they are, its materials and patterns. What flies and
    /// falls as debris is not in it.
    ///
    /// ```
    /// use smithereens_flat::{Hit, scene::Scene};
    /// let mut world = Scene::read("[[body]]\nname = \"plate\"\nshape = { disc = 1 }\n")?.world()?;
    /// let plate = world.bodies().next().unwrap().id;
    /// world.fracture(&Hit::at(plate, glam::DVec2::ZERO)).unwrap();
    /// let text = Scene::of(&world).write();
    /// let again = Scene::read(&text)?.world()?;
    /// assert_eq!(again.bodies().count(), world.bodies().count());
    /// # Ok::<(), smithereens_flat::scene::SceneError>(())
    /// ```
    pub fn of(world: &World) -> Scene {
        let (options, default) = (world.options(), Options::default());
        let corners = |bounds: Aabb| [written(bounds.min), written(bounds.max)];
        let kinds = Library::of_kinds();
        let is_own = |recipe: &&crate::Recipe| {
            kinds.named(&recipe.name).is_none_or(|kind| kind.recipe.points != recipe.points)
                && crate::PatternKind::named(&recipe.name).is_none()
        };
        let patterns = world.patterns().patterns().iter().map(|named| &named.recipe);
        let table = Material::table();
        let own = world.materials().iter().filter(|material| !table.contains(material));
        let mut weaknesses: Vec<Arc<Weakness>> = Vec::new();
        let bodies = world.bodies().filter_map(|body| entry(world, body, &mut weaknesses)).collect();
        Scene {
            seed: options.seed,
            rate: 1.0 / options.step,
            gravity: written(options.gravity),
            bounds: options.bounds.map(corners),
            depth: options.depth,
            stress: options.stress,
            budget: BudgetEntry {
                bodies: Some(options.most_bodies).filter(|most| *most != default.most_bodies),
                debris: Some(options.most_debris).filter(|most| *most != default.most_debris),
                life: Some(options.debris_life).filter(|life| *life != default.debris_life),
                smallest: Some(options.smallest).filter(|least| *least != default.smallest),
                thinnest: Some(options.thinnest).filter(|least| *least != default.thinnest),
            },
            materials: own.map(|material| (material.name.clone(), materials::entry(material))).collect(),
            patterns: patterns.filter(is_own).cloned().collect(),
            bodies,
            weaknesses: weaknesses.into_iter().map(WeaknessEntry).collect(),
            ..Scene::default()
        }
    }
}

/// A body as it is.
fn entry(world: &World, body: &Body, weaknesses: &mut Vec<Arc<Weakness>>) -> Option<BodyEntry> {
    let (pose, (velocity, spin)) = (world.pose(body.id)?, world.velocity(body.id)?);
    let name = Some(body.name().to_owned()).filter(|name| !name.is_empty());
    let anchors = body.anchors().iter().map(|anchor| [written(anchor.min), written(anchor.max)]);
    let anchors: Vec<_> = anchors.collect();
    let weakness = body.weakness().map(|weakness| {
        let known = weaknesses.iter().position(|known| Arc::ptr_eq(known, weakness));
        known.unwrap_or_else(|| {
            weaknesses.push(weakness.clone());
            weaknesses.len() - 1
        })
    });
    let broken = Broken { compound: body.compound().clone(), first_cut: body.first_cut, weakness };
    let is_floor = body.name() == FLOOR_NAME;
    Some(BodyEntry {
        name,
        material: Some(world.materials()[body.material().0 as usize].name.clone()),
        at: written(pose.at),
        turn: pose.turn.to_degrees(),
        velocity: written(velocity),
        spin: spin.to_degrees(),
        fixed: is_floor,
        anchor: (!anchors.is_empty() && !is_floor).then_some(Anchor::Boxes(anchors)),
        ..BodyEntry::of(Shape::Broken(Box::new(broken)))
    })
}
