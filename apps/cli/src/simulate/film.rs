//! Pictures of a recording.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use smithereens_formats::{Actor, Deviation, Material, Recording, Triangles, write_recording};
use smithereens_picture::{Camera, Image, Options, Shape, Surface, contact_sheet, render};
use smithereens_simulate::scene::{CameraEntry, Stage};
use smithereens_simulate::{Pose, Recorder, Track};

use super::cast::Cast;
use super::chips::Chips;
use super::haze::{Haze, VIEW};
use super::wardrobe::{Palette, Wardrobe};
use crate::picture::look;
use crate::stages::Tell;

/// A recording, ready to be drawn.
pub struct Film<'a> {
    tracks: &'a [Track],
    wardrobe: Wardrobe,
    chips: Chips<'a>,
    /// Each outfit made ready for pictures, once it is in one.
    shapes: Vec<OnceLock<Arc<Shape>>>,
    names: Vec<String>,
    rate: f64,
    materials: Vec<Material>,
    /// The materials as pictures have them.
    surfaces: Vec<smithereens_picture::Material>,
    camera: Camera,
    frames: u64,
    ground: Option<f32>,
    haze: Haze,
}

/// How many pictures a sheet has, and how many a row.
const PICTURES: u64 = 12;
const COLUMNS: usize = 3;

impl<'a> Film<'a> {
    /// Draws nothing yet, but all is there to.
    pub fn new(stage: &Stage, cast: &Cast, recorder: &'a Recorder, haze: Haze) -> Film<'a> {
        let (mut materials, palettes) = palettes(cast);
        let chips = Chips::new(stage, recorder, &mut materials);
        let palette = |track: &Track| cast.look_of.get(&track.body).copied().unwrap_or(palettes.len() - 1);
        let of_track: Vec<Palette> = recorder.tracks().iter().map(|track| palettes[palette(track)]).collect();
        let wardrobe = Wardrobe::new(recorder.tracks(), &of_track);
        let mut film = Film {
            tracks: recorder.tracks(),
            shapes: wardrobe.outfits.iter().map(|_| OnceLock::new()).collect(),
            wardrobe,
            chips,
            names: names(stage, cast, recorder),
            rate: stage.scene().rate,
            materials,
            surfaces: Vec::new(),
            camera: Camera::default(),
            frames: recorder.frames(),
            ground: stage.scene().ground.map(|height| height as f32),
            haze,
        };
        let (min, max) = film.picture(0).bounds().unwrap_or((Vec3::NEG_ONE, Vec3::ONE));
        film.surfaces = film.materials.iter().map(|m| look(m, (max - min).max_element())).collect();
        film.camera = camera(stage.scene().camera, min, max);
        film
    }

    /// A frame as a scene.
    fn picture(&self, frame: u64) -> smithereens_picture::Scene {
        let seen = self.tracks.iter().zip(&self.wardrobe.of_track).filter(|(track, _)| track.is_seen(frame));
        let seen: Vec<(&Track, &usize)> = seen.collect();
        let shapes: Vec<&Arc<Shape>> = seen.par_iter().map(|&(_, &outfit)| self.shape(outfit)).collect();
        let mut scene = smithereens_picture::Scene::default();
        for ((track, _), shape) in seen.into_iter().zip(shapes) {
            let pose = track.pose(frame);
            scene.place(shape, pose.turn.as_quat(), pose.at.as_vec3());
        }
        self.chips.place(frame, &mut scene);
        scene.materials = self.surfaces.clone();
        scene.camera = self.camera;
        scene.light();
        scene.sprites = self.haze.sprites(frame);
        if let (Some(ground), Some(height)) = (&mut scene.ground, self.ground) {
            ground.height = height;
        }
        scene
    }

    /// An outfit for pictures.
    fn shape(&self, outfit: usize) -> &Arc<Shape> {
        self.shapes[outfit]
            .get_or_init(|| Arc::new(Shape::new(self.wardrobe.outfits[outfit].parts.iter().map(surface))))
    }

    fn image(&self, frame: u64, (width, height): (u32, u32)) -> Result<Image> {
        // Small pictures of many bodies: what is seen of noise is that of the sky on walls, and edges need few samples.
        let options = Options { width, height, most_samples: 8, shared_sky: 2, ..Options::default() };
        Ok(render(&self.picture(frame), &options)?)
    }

    /// All frames as an animation.
    pub fn animation(&self, tell: &dyn Tell) -> Result<Vec<u8>> {
        let actor = |(track, (&outfit, name)): (&Track, (&usize, &String))| Actor {
            name: name.clone(),
            shape: self.wardrobe.outfits[outfit].clone(),
            poses: track.poses.iter().map(pose_of).collect(),
            gone: track.gone.map(|frame| frame as u32),
            ..Actor::default()
        };
        let recording = Recording {
            name: "simulation".to_owned(),
            frames_per_second: self.rate,
            frames: self.frames as u32,
            actors: self
                .tracks
                .iter()
                .zip(self.wardrobe.of_track.iter().zip(&self.names))
                .map(actor)
                .chain(self.chips.actors())
                .collect(),
            materials: self.materials.clone(),
            ..Recording::default()
        };
        Ok(write_recording(&recording, &Deviation::default(), |share| tell.tell(share as f32))?)
    }

    /// Frames from the first to the last, on one page.
    pub fn sheet(&self, size: (u32, u32), tell: &dyn Tell) -> Result<Vec<u8>> {
        let frames = sheet_frames(self.frames);
        let mut images = Vec::new();
        for &frame in &frames {
            images.push(self.image(frame, size)?);
            tell.tell(images.len() as f32 / frames.len() as f32);
        }
        Ok(contact_sheet(&images, COLUMNS)?.to_png())
    }

    /// A picture a frame, in a folder.
    pub fn frames(&self, folder: &Path, size: (u32, u32), tell: &dyn Tell) -> Result<()> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let digits = self.frames.to_string().len();
        for frame in 0..self.frames {
            let path = folder.join(format!("frame-{frame:0digits$}.png"));
            let png = self.image(frame, size)?.to_png();
            std::fs::write(&path, png).with_context(|| format!("cannot write {}", path.display()))?;
            tell.tell((frame + 1) as f32 / self.frames as f32);
        }
        Ok(())
    }
}

/// The frames of a sheet, of so many.
pub fn sheet_frames(frames: u64) -> Vec<u64> {
    let count = PICTURES.min(frames);
    (0..count).map(|index| index * (frames - 1) / (count - 1).max(1)).collect()
}

/// The names of tracks: that of the body in the scene, and a number.
fn names(stage: &Stage, cast: &Cast, recorder: &Recorder) -> Vec<String> {
    let name = |track: &Track| {
        let look = cast.look_of.get(&track.body).copied();
        let entry = look.and_then(|look| stage.placed.iter().find(|placed| placed.entry == Some(look)));
        let kind = entry.map_or("projectile", |placed| placed.name.as_str());
        format!("{kind}-{}-{}", track.body.0, track.born)
    };
    recorder.tracks().iter().map(name).collect()
}

/// All materials, each once, and those of each look.
fn palettes(cast: &Cast) -> (Vec<Material>, Vec<Palette>) {
    let mut materials: Vec<Material> = Vec::new();
    let mut palettes: Vec<Palette> = Vec::new();
    for (index, look) in cast.looks.iter().enumerate() {
        let same = cast.looks[..index].iter().position(|before| before.materials == look.materials);
        palettes.push(
            same.map_or(Palette { first: materials.len(), count: look.materials.len() }, |same| {
                palettes[same]
            }),
        );
        materials.extend(look.materials.iter().filter(|_| same.is_none()).cloned());
    }
    (materials, palettes)
}

/// Where something was, as files have it.
pub fn pose_of((frame, pose): &(u64, Pose)) -> smithereens_formats::Pose {
    smithereens_formats::Pose {
        frame: *frame as u32,
        translation: pose.at.as_vec3(),
        rotation: pose.turn.as_quat(),
    }
}

/// Triangles as pictures have them.
pub fn surface(part: &Triangles) -> Surface<'_> {
    Surface {
        positions: &part.vertices.positions,
        normals: &part.vertices.normals,
        uvs: &part.vertices.uvs,
        indices: &part.indices,
        material: part.material,
    }
}

/// The scene's camera, or one that has all of the first frame in view.
fn camera(wanted: Option<CameraEntry>, min: Vec3, max: Vec3) -> Camera {
    match wanted {
        Some(CameraEntry { from, to, angle }) => Camera {
            eye: DVec3::from(from).as_vec3(),
            target: DVec3::from(to).as_vec3(),
            vertical_fov: angle.to_radians() as f32,
            ..Camera::default()
        },
        None => Camera::framing(min, max, VIEW.as_vec3(), Vec3::Y, 16.0 / 9.0),
    }
}
