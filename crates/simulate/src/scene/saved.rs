//! A scene in the middle of its time, as bytes.

use serde::{Deserialize, Serialize};

use super::{Placed, Stage};
use crate::saved::{sealed, unsealed};
use crate::{LoadError, World};

const MAGIC: [u8; 4] = *b"smSt";

#[derive(Serialize, Deserialize)]
struct SavedStage {
    steps: u64,
    placed: Vec<Placed>,
    world: Vec<u8>,
}

impl Stage {
    /// What has become of the scene, as bytes: [`Stage::resume`] goes on from them to the same state as this one does, to the bit.
    pub fn save(&mut self) -> Vec<u8> {
        let saved = SavedStage { steps: self.steps, placed: self.placed.clone(), world: self.world.save() };
        // Writing to memory cannot fail: nothing in it is of a kind that has no bytes.
        sealed(MAGIC, postcard::to_allocvec(&saved).unwrap_or_default())
    }

    /// The scene as it was when it was saved. Anything may have been changed in its text since but for what there is at first.
    pub fn resume(self, bytes: &[u8]) -> Result<Stage, LoadError> {
        let saved: SavedStage =
            postcard::from_bytes(unsealed(MAGIC, bytes)?).map_err(|_| LoadError::Damaged)?;
        let world = World::load(&saved.world)?;
        Ok(Stage { world, placed: saved.placed, steps: saved.steps, scene: self.scene })
    }
}
