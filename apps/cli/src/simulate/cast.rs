//! What the bodies of a scene look like, and who descends from whom.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use glam::{DAffine3, DVec3};
use smithereens::prepare::{Assembly, Decomposition, Goal, Placement};
use smithereens::{Aabb, Fit, Solid};
use smithereens_formats::Material;
use smithereens_repair::RepairOptions;
use smithereens_simulate::BodyId;
use smithereens_simulate::scene::{Loaded, ModelEntry, Scene, Shape, Stage};

use crate::intake::{self, Intake};
use crate::looks;
use crate::stages::Tell;

/// The looks of a kind of body: its materials, that of cuts last.
#[derive(Clone, Debug)]
pub struct Look {
    /// The materials.
    pub materials: Vec<Material>,
}

/// Who looks like what.
#[derive(Default)]
pub struct Cast {
    /// One a body of the scene, in its order, and that of projectiles last.
    pub looks: Vec<Look>,
    /// The look of each body, fragments included.
    pub look_of: BTreeMap<BodyId, usize>,
    /// What was done to models or found missing, for the user.
    pub notes: Vec<String>,
    placed: usize,
}

impl Cast {
    /// Loads the models of a scene, and builds its world.
    pub fn stage(&mut self, scene: Scene, folder: &Path, tell: &dyn Tell) -> Result<Stage> {
        let mut models = BTreeMap::new();
        let materials = scene.own_materials()?;
        // A name that is none is told of, with its line, when the scene is staged.
        let named = |name: &str| materials.iter().find(|m| m.name == name).unwrap_or(&materials[0]);
        for (index, body) in scene.bodies.iter().enumerate() {
            let material = body.material.as_ref().map_or("stone", |name| name.get_ref());
            let mut look = looks::of_material(named(material));
            if let Shape::Model(model) = &body.shape {
                let (loaded, own) = self.load(&body.model(model), folder, tell)?;
                models.insert(index, loaded);
                look = looks::of_model(own, look);
            }
            self.looks.push(Look { materials: look });
        }
        self.looks.push(Look { materials: looks::of_material(named("steel")) });
        let mut next = models.into_values();
        let missing = || "the model is missing".to_owned();
        let stage = scene.stage(|_: &ModelEntry| next.next().ok_or_else(missing))?;
        self.follow(&stage);
        Ok(stage)
    }

    fn load(
        &mut self,
        model: &ModelEntry,
        folder: &Path,
        tell: &dyn Tell,
    ) -> Result<(Loaded, Vec<Material>)> {
        let path = folder.join(model.file.get_ref());
        if let Some(body) = intake::read_body(&path)? {
            return prepared(body, model, &path);
        }
        let read = intake::read_scene(&path, &RepairOptions::default(), true, tell)?;
        self.notes.extend(read.notes);
        let mut solids: Vec<Arc<Solid>> = read.parts.into_iter().flat_map(|part| part.solids).collect();
        if let Some(height) = model.height {
            solids = scaled(&solids, height)?;
        }
        let volumes: Vec<f64> = solids.iter().map(|solid| solid.volume()).collect();
        let placement = Placement { goal: Goal::Pieces(model.pieces.max(1)), ..Placement::default() };
        let mut parts = Vec::new();
        for (placement, solid) in placement.shared_out(&volumes).iter().zip(&solids) {
            let nodes = placement.nodes(solid, |share| tell.tell(share as f32));
            parts.push(Decomposition::new(solid.clone(), nodes, Fit::HULL)?);
        }
        Ok((Assembly::new(parts)?.compound().clone().into(), read.materials))
    }

    /// Gives the bodies of a scene that goes on their looks: those of what they were part of.
    pub fn resume(&mut self, stage: &Stage) {
        self.placed = 0;
        self.follow(stage);
        for (id, body) in stage.world.destruction.bodies() {
            let look = self.look_of.get(&body.root()).copied().unwrap_or(self.looks.len() - 1);
            self.look_of.insert(id, look);
        }
    }

    /// Gives new bodies their looks: fragments look like what they were part of.
    pub fn follow(&mut self, stage: &Stage) {
        for placed in &stage.placed[self.placed..] {
            let look = placed.entry.unwrap_or(self.looks.len() - 1);
            self.look_of.insert(placed.body, look);
        }
        self.placed = stage.placed.len();
        for event in stage.world.destruction.events() {
            let look = self.look_of.get(&event.body).copied().unwrap_or(self.looks.len() - 1);
            self.look_of.extend(event.born.iter().map(|&id| (id, look)));
        }
    }
}

/// A body that is prepared stays as it is.
fn prepared(body: Intake, model: &ModelEntry, path: &Path) -> Result<(Loaded, Vec<Material>)> {
    let Intake { compounds, weaknesses, materials, .. } = body;
    let count = compounds.len();
    let (Some(compound), Some(weakness), 1) =
        (compounds.into_iter().next(), weaknesses.into_iter().next(), count)
    else {
        bail!("{} holds {count} bodies: a scene takes files of one, each by itself", path.display());
    };
    if model.height.is_some() {
        bail!("{} is prepared: leave out height, and make it so high before that", path.display());
    }
    Ok((Loaded { compound, weakness: weakness.map(Arc::new) }, materials))
}

/// Puts a model in the place of what a scene calls by the name of an animal, as large as that.
pub fn recast(scene: &mut Scene, model: &Path) -> Result<()> {
    let path = std::path::absolute(model).with_context(|| format!("there is no {}", model.display()))?;
    let stand_ins = scene.bodies.iter_mut().filter(|body| {
        matches!(&body.shape, Shape::Parts(_))
            && body.name.as_deref().is_some_and(|name| CAST.contains(&name))
    });
    let mut count = 0;
    for body in stand_ins {
        let is_dragon = body.name.as_deref() == Some("dragon");
        let height = if is_dragon { 2.2 } else { 1.1 };
        // A model is placed by its middle. The dragon stands, bunnies fly.
        body.at[1] += if is_dragon { 0.5 * height } else { 0.0 };
        body.shape = Shape::Model(ModelEntry::new(path.clone(), PIECES, height));
        count += 1;
    }
    if count == 0 {
        bail!("--model goes with the demos bunnies and dragon");
    }
    Ok(())
}

/// What a model may stand for, and in how many pieces.
const CAST: [&str; 2] = ["bunny", "dragon"];
const PIECES: usize = 12;

/// Solids made so high together, standing where the middle of their foot is the origin.
fn scaled(solids: &[Arc<Solid>], height: f64) -> Result<Vec<Arc<Solid>>> {
    let bounds = solids.iter().fold(Aabb::EMPTY, |all, solid| all.union(solid.mesh().bounds()));
    let size = bounds.size();
    if !(height.is_finite() && height > 0.0 && size.y > 0.0) {
        bail!("height is {height}: give a positive number");
    }
    let middle = bounds.center();
    let map = DAffine3::from_scale(DVec3::splat(height / size.y)) * DAffine3::from_translation(-middle);
    let scale = |solid: &Arc<Solid>| {
        let mut mesh = solid.mesh().clone();
        mesh.transform(&map);
        Ok(Arc::new(Solid::new(mesh)?))
    };
    solids.iter().map(scale).collect()
}
