//! Pictures of a recording.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;
use smithereens::{Mesh, Slot};
use smithereens_formats::{Actor, Deviation, GlbPrimitive, Material, Recording, write_recording};
use smithereens_picture::{Camera, Image, Options, contact_sheet, render};
use smithereens_simulate::scene::{CameraEntry, Stage};
use smithereens_simulate::{Pose, Recorder, Track};

use super::cast::Cast;
use crate::convert;
use crate::picture::look;
use crate::stages::Tell;

/// A recording, ready to be drawn.
pub struct Film<'a> {
    tracks: &'a [Track],
    /// What is seen of each track, about its centre, and the same as triangles.
    shapes: Vec<(Arc<Mesh>, Vec<GlbPrimitive>)>,
    names: Vec<String>,
    rate: f64,
    materials: Vec<Material>,
    camera: Camera,
    frames: u64,
    ground: Option<f32>,
    extent: f32,
}

/// How many pictures a sheet has, and how many a row.
const PICTURES: u64 = 12;
const COLUMNS: usize = 3;

impl<'a> Film<'a> {
    /// Draws nothing yet, but all is there to.
    pub fn new(stage: &Stage, cast: &Cast, recorder: &'a Recorder) -> Result<Film<'a>> {
        let mut materials = Vec::new();
        let mut firsts = Vec::new();
        for look in &cast.looks {
            firsts.push(materials.len());
            materials.extend(look.materials.iter().cloned());
        }
        let shape = |track: &Track| -> Result<(Arc<Mesh>, Vec<GlbPrimitive>)> {
            let look = cast.look_of.get(&track.body).copied().unwrap_or(cast.looks.len() - 1);
            let mut mesh = track.compound.visible_mesh();
            mesh.transform(&DAffine3::from_translation(-track.center));
            let last = cast.looks[look].materials.len() - 1;
            for face in &mut mesh.faces {
                face.slot = Slot((firsts[look] + last.min(face.slot.0 as usize)) as u32);
            }
            let primitives = convert::primitives(&mesh, &materials)?;
            Ok((Arc::new(mesh), primitives))
        };
        let shapes = recorder.tracks().par_iter().map(shape).collect::<Result<_>>()?;
        let mut film = Film {
            tracks: recorder.tracks(),
            shapes,
            names: names(stage, cast, recorder),
            rate: stage.scene().rate,
            materials,
            camera: Camera::default(),
            frames: recorder.frames(),
            ground: stage.scene().ground.map(|height| height as f32),
            extent: 1.0,
        };
        let (min, max) = film.picture(0).bounds().unwrap_or((Vec3::NEG_ONE, Vec3::ONE));
        film.extent = (max - min).max_element();
        film.camera = camera(stage.scene().camera, min, max);
        Ok(film)
    }

    /// A frame as a scene.
    fn picture(&self, frame: u64) -> smithereens_picture::Scene {
        let mut scene = smithereens_picture::Scene::default();
        for (track, (_, shape)) in
            self.tracks.iter().zip(&self.shapes).filter(|(track, _)| track.is_seen(frame))
        {
            let pose = track.pose(frame);
            for primitive in shape {
                let placed = placed(primitive, &pose);
                scene.push(smithereens_picture::Surface {
                    positions: &placed.positions,
                    normals: &placed.normals,
                    uvs: &primitive.uvs,
                    indices: &primitive.indices,
                    material: primitive.material,
                });
            }
        }
        scene.materials = self.materials.iter().map(|m| look(m, self.extent)).collect();
        scene.camera = self.camera;
        scene.light();
        if let (Some(ground), Some(height)) = (&mut scene.ground, self.ground) {
            ground.height = height;
        }
        scene
    }

    fn image(&self, frame: u64, (width, height): (u32, u32)) -> Result<Image> {
        let options = Options { width, height, most_samples: 16, ..Options::default() };
        Ok(render(&self.picture(frame), &options)?)
    }

    /// All frames as an animation.
    pub fn animation(&self, tell: &dyn Tell) -> Result<Vec<u8>> {
        let pose = |(frame, pose): &(u64, Pose)| smithereens_formats::Pose {
            frame: *frame as u32,
            translation: pose.at.as_vec3(),
            rotation: pose.turn.as_quat(),
        };
        let actor = |(track, (shape, name)): (&Track, (&(Arc<Mesh>, _), &String))| Actor {
            name: name.clone(),
            mesh: shape.0.clone(),
            poses: track.poses.iter().map(pose).collect(),
            gone: track.gone.map(|frame| frame as u32),
            ..Actor::default()
        };
        let recording = Recording {
            name: "simulation".to_owned(),
            frames_per_second: self.rate,
            frames: self.frames as u32,
            actors: self.tracks.iter().zip(self.shapes.iter().zip(&self.names)).map(actor).collect(),
            materials: self.materials.clone(),
            ..Recording::default()
        };
        Ok(write_recording(&recording, &Deviation::default(), |share| tell.tell(share as f32))?)
    }

    /// Frames from the first to the last, on one page.
    pub fn sheet(&self, size: (u32, u32), tell: &dyn Tell) -> Result<Vec<u8>> {
        let count = PICTURES.min(self.frames);
        let mut images = Vec::new();
        for index in 0..count {
            let frame = index * (self.frames - 1) / (count - 1).max(1);
            images.push(self.image(frame, size)?);
            tell.tell((index + 1) as f32 / count as f32);
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

struct PlacedVertices {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

fn placed(primitive: &GlbPrimitive, pose: &Pose) -> PlacedVertices {
    let (turn, at) = (pose.turn.as_quat(), pose.at.as_vec3());
    PlacedVertices {
        positions: primitive.positions.iter().map(|&p| turn * p + at).collect(),
        normals: primitive.normals.iter().map(|&n| turn * n).collect(),
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
        None => Camera::framing(min, max, Vec3::new(-0.55, -0.35, -1.0), Vec3::Y, 16.0 / 9.0),
    }
}
