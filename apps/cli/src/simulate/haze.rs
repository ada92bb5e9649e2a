//! The dust of a recording: in pictures, and in files for artists.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use glam::DVec3;
use smithereens_formats::{CloudPoint, write_cloud};
use smithereens_picture::Sprite;
use smithereens_simulate::dust::Mote;
use smithereens_simulate::scene::Stage;

/// The share of light that dust of stone throws back, linear, and the same as colours of a file have it.
const COLOR: [f32; 3] = [0.8, 0.74, 0.65];
const FILE_COLOR: [u8; 3] = [230, 222, 210];
/// From where dust is seen when the scene does not say.
pub const VIEW: DVec3 = DVec3::new(-0.55, -0.35, -1.0);

/// The dust of the frames that are drawn, and a file of each frame if they are wanted.
pub struct Haze {
    wanted: Wanted,
    view: DVec3,
    frames: BTreeMap<u64, Vec<Mote>>,
    files: Option<(PathBuf, usize)>,
}

/// Frames that are drawn: the others are not kept, as there are megabytes of dust in each.
pub enum Wanted {
    /// None of them, or these.
    Some(Vec<u64>),
    /// Each.
    All,
}

impl Haze {
    /// Dust as it is seen from the camera of a scene, and the folder for files if there is one.
    pub fn new(stage: &Stage, wanted: Wanted, folder: Option<&Path>) -> Result<Haze> {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        let camera = stage.scene().camera;
        let view = camera.map_or(VIEW, |camera| DVec3::from(camera.to) - DVec3::from(camera.from));
        let digits = (stage.all_steps() + 1).to_string().len();
        Ok(Haze { wanted, view, frames: BTreeMap::new(), files: folder.map(|f| (f.to_owned(), digits)) })
    }

    /// Takes a frame.
    pub fn record(&mut self, stage: &Stage, frame: u64) -> Result<()> {
        let Some(cloud) = stage.world.cloud() else { return Ok(()) };
        if let Some((folder, digits)) = &self.files {
            let points: Vec<CloudPoint> = cloud.dust().motes(self.view).map(point).collect();
            let path = folder.join(format!("dust.{frame:0digits$}.ply"));
            std::fs::write(&path, write_cloud(&points)?)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let is_wanted = match &self.wanted {
            Wanted::Some(frames) => frames.contains(&frame),
            Wanted::All => true,
        };
        if is_wanted && !cloud.dust().is_clear() {
            self.frames.insert(frame, cloud.dust().motes(self.view).collect());
        }
        Ok(())
    }

    /// The dust of a frame, to be drawn.
    pub fn sprites(&self, frame: u64) -> Vec<Sprite> {
        self.frames.get(&frame).into_iter().flatten().map(sprite).collect()
    }
}

fn sprite(mote: &Mote) -> Sprite {
    let Mote { at, radius, turn, opacity, variant } = *mote;
    Sprite { at, radius, turn, opacity, color: COLOR, variant }
}

fn point(mote: Mote) -> CloudPoint {
    let Mote { at, radius, turn, opacity, .. } = mote;
    CloudPoint { at: at.to_array(), radius, opacity, turn, color: FILE_COLOR }
}
