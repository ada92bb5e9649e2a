//! A world as bytes, which goes on as if nothing had been.
//!
//! Rapier's sets are saved as they are; of ours what cannot be computed again.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec2;
use rapier2d::prelude::{ColliderHandle, PhysicsWorld, RigidBodyHandle};
use serde::{Deserialize, Serialize};
use smithereens_planar::modes::Weakness;
use smithereens_planar::{Aabb, Compound, Piece};
use thiserror::Error;

use crate::debris::{Chip, Debris};
use crate::drag::Drag;
use crate::hash::Hash;
use crate::outline::Outline;
use crate::{Body, BodyId, Event, Library, Material, MaterialId, Options, Pose, Projectile, Retired, World};

/// Why bytes are no world.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// They end before they should, or are something else.
    #[error("the saved world is cut short, damaged, or something else")]
    Damaged,
    /// They were written by another version.
    #[error("the saved world has version {0}, this program reads version {VERSION}")]
    Version(u32),
}

const VERSION: u32 = 1;
const MAGIC: [u8; 4] = *b"smWf";

impl World {
    /// All of it as bytes.
    ///
    /// The world is put together anew from them, so that it goes on just as what is loaded from them does: Rapier keeps some things in mind that
    /// it does not save, and they may have a say in the last bits.
    ///
    /// ```
    /// use smithereens_flat::World;
    /// use smithereens_flat::scene::Scene;
    /// let mut world = Scene::read("ground = 0\n[[body]]\nshape = { box = [1, 1] }\nat = [0, 9]\n")?.world()?;
    /// (0..60).for_each(|_| world.step());
    /// let mut again = World::load(&world.save())?;
    /// (0..120).for_each(|_| (world.step(), again.step()).0);
    /// assert_eq!(world.state_hash(), again.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&mut self) -> Vec<u8> {
        // Writing to memory cannot fail: nothing in a world is of a kind that has no bytes.
        let state = postcard::to_stdvec(&(&self.physics, Saved::of(self))).unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(state);
        bytes.extend(checksum(&bytes).to_le_bytes());
        if let Ok(again) = World::load(&bytes) {
            *self = again;
        }
        bytes
    }

    /// The world that the bytes were made from.
    pub fn load(bytes: &[u8]) -> Result<World, LoadError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(LoadError::Damaged)?;
        let (version, rest) = rest.split_first_chunk::<4>().ok_or(LoadError::Damaged)?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(LoadError::Version(version));
        }
        let (content, sum) = rest.split_last_chunk::<8>().ok_or(LoadError::Damaged)?;
        // Rapier takes what it is given at its word.
        if checksum(&bytes[..bytes.len() - 8]) != u64::from_le_bytes(*sum) {
            return Err(LoadError::Damaged);
        }
        let read = postcard::from_bytes::<(PhysicsWorld, Saved)>(content);
        let (physics, saved) = read.map_err(|_| LoadError::Damaged)?;
        saved.world(physics).ok_or(LoadError::Damaged)
    }
}

/// Damage is noticed, intent is not.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Hash::default();
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.add(u64::from_le_bytes(word));
    }
    hash.value()
}

#[derive(Serialize, Deserialize)]
struct Saved {
    options: Options,
    materials: Vec<Material>,
    /// As a pattern file.
    library: String,
    current: u64,
    /// Each once: fragments share them.
    weaknesses: Vec<Weakness>,
    bodies: Vec<SavedBody>,
    next_id: u64,
    steps: u64,
    draws: u64,
    projectiles: Vec<Projectile>,
    next_projectile: u64,
    chips: Vec<SavedChip>,
    drag: Option<Drag>,
    events: Vec<Event>,
    retired: Retired,
}

#[derive(Serialize, Deserialize)]
struct SavedBody {
    id: BodyId,
    name: String,
    compound: Compound,
    material: MaterialId,
    weakness: Option<u32>,
    center: DVec2,
    handle: RigidBodyHandle,
    colliders: Vec<Option<ColliderHandle>>,
    anchors: Vec<Aabb>,
    parent: Option<BodyId>,
    root: BodyId,
    born: u64,
    changed: u64,
    safe_until: u64,
    is_fixed: bool,
    first_cut: u64,
}

#[derive(Serialize, Deserialize)]
struct SavedChip {
    piece: Piece,
    pose: Pose,
    velocity: DVec2,
    spin: f64,
    material: MaterialId,
    density: f64,
    born: u64,
    is_lying: bool,
}

impl Saved {
    fn of(world: &World) -> Saved {
        let mut weaknesses: Vec<Arc<Weakness>> = Vec::new();
        let mut index = |weakness: &Arc<Weakness>| {
            let known = weaknesses.iter().position(|known| Arc::ptr_eq(known, weakness));
            known.unwrap_or_else(|| {
                weaknesses.push(weakness.clone());
                weaknesses.len() - 1
            }) as u32
        };
        let body = |body: &Body| SavedBody {
            id: body.id,
            name: body.name.to_string(),
            compound: body.compound.clone(),
            material: body.material,
            weakness: body.weakness.as_ref().map(&mut index),
            center: body.center,
            handle: body.handle,
            colliders: body.colliders.clone(),
            anchors: body.anchors.to_vec(),
            parent: body.parent,
            root: body.root,
            born: body.born,
            changed: body.changed,
            safe_until: body.safe_until,
            is_fixed: body.is_fixed,
            first_cut: body.first_cut,
        };
        let bodies = world.bodies.values().map(body).collect();
        let chip = |chip: &Chip| SavedChip {
            piece: Piece::clone(&chip.piece),
            pose: chip.pose,
            velocity: chip.velocity,
            spin: chip.spin,
            material: chip.material,
            density: chip.density,
            born: chip.born,
            is_lying: chip.is_lying,
        };
        let library = &world.library;
        Saved {
            options: world.options,
            materials: world.materials.clone(),
            library: library.write(),
            current: library.index() as u64,
            weaknesses: weaknesses.iter().map(|weakness| Weakness::clone(weakness)).collect(),
            bodies,
            next_id: world.next_id,
            steps: world.steps,
            draws: world.draws,
            projectiles: world.projectiles.clone(),
            next_projectile: world.next_projectile,
            chips: world.debris.chips.iter().map(chip).collect(),
            drag: world.drag,
            events: world.events.clone(),
            retired: world.retired,
        }
    }

    /// The world again, if all that things refer to is there.
    fn world(self, physics: PhysicsWorld) -> Option<World> {
        let mut library = Library::read(&self.library).ok()?;
        library.cycle(isize::try_from(self.current).ok()?);
        let materials = self.materials.len();
        let is_known = |material: MaterialId| (material.0 as usize) < materials;
        let weaknesses: Vec<Arc<Weakness>> = self.weaknesses.into_iter().map(Arc::new).collect();
        let mut bodies = BTreeMap::new();
        for saved in self.bodies {
            let is_whole = saved.colliders.len() == saved.compound.pieces().len();
            if !is_whole || !is_known(saved.material) || physics.bodies.get(saved.handle).is_none() {
                return None;
            }
            let weakness = match saved.weakness {
                Some(index) => Some(weaknesses.get(index as usize)?.clone()),
                None => None,
            };
            bodies.insert(saved.id, saved.body(weakness));
        }
        let chips = self.chips.into_iter().map(SavedChip::chip);
        let chips: std::collections::VecDeque<Chip> = chips.collect();
        if !chips.iter().all(|chip| is_known(chip.material)) {
            return None;
        }
        let mut world = World::new(self.options, self.materials).ok()?;
        (world.physics, world.library, world.bodies) = (physics, library, bodies);
        (world.next_id, world.steps, world.draws) = (self.next_id, self.steps, self.draws);
        (world.projectiles, world.next_projectile) = (self.projectiles, self.next_projectile);
        (world.debris, world.drag) = (Debris { chips }, self.drag);
        (world.events, world.retired) = (self.events, self.retired);
        Some(world)
    }
}

impl SavedBody {
    fn body(self, weakness: Option<Arc<Weakness>>) -> Body {
        Body {
            id: self.id,
            name: self.name.into(),
            outline: Arc::new(Outline::new(&self.compound, self.first_cut)),
            compound: self.compound,
            material: self.material,
            weakness,
            center: self.center,
            handle: self.handle,
            colliders: self.colliders,
            anchors: self.anchors.into(),
            parent: self.parent,
            root: self.root,
            born: self.born,
            changed: self.changed,
            safe_until: self.safe_until,
            is_fixed: self.is_fixed,
            first_cut: self.first_cut,
        }
    }
}

impl SavedChip {
    fn chip(self) -> Chip {
        Chip {
            piece: Arc::new(self.piece),
            pose: self.pose,
            velocity: self.velocity,
            spin: self.spin,
            material: self.material,
            density: self.density,
            born: self.born,
            is_lying: self.is_lying,
        }
    }
}
