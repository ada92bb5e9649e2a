//! The log of a run: what the clock decided in it, so that another comes to the same state, to the bit.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use smithereens_simulate::Turn;
use smithereens_simulate::scene::Stage;

/// The log of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunLog {
    /// A number for the text of the scene: another scene is refused.
    scene: String,
    /// The seed of the run.
    pub seed: u64,
    /// What the clock decided, step after step.
    pub turns: Vec<Turn>,
    /// The state at the end.
    state_hash: String,
}

impl RunLog {
    /// The log of what has been played.
    pub fn of(stage: &Stage, text: &str, turns: Vec<Turn>) -> RunLog {
        let state_hash = format!("{:016x}", stage.world.state_hash());
        RunLog { scene: fingerprint(text), seed: stage.scene().seed, turns, state_hash }
    }

    /// Reads the log of a run of a scene.
    pub fn read(path: &Path, text: &str) -> Result<RunLog> {
        let file =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let log: RunLog = serde_json::from_str(&file)
            .with_context(|| format!("{} is no log of a run: write one with --log", path.display()))?;
        if log.scene != fingerprint(text) {
            bail!("{} is the log of another scene, or the scene has been changed since", path.display());
        }
        Ok(log)
    }

    /// Whether a run came to the same state.
    pub fn check(&self, stage: &Stage) -> Result<()> {
        let now = format!("{:016x}", stage.world.state_hash());
        if now != self.state_hash {
            bail!("the replay ended in state {now}, the run in {}: please report this", self.state_hash);
        }
        Ok(())
    }
}

/// Fowler, Noll and Vo's hash of a text.
fn fingerprint(text: &str) -> String {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    format!("{:016x}", text.bytes().fold(0xCBF2_9CE4_8422_2325, add))
}
