//! The debris of a recording: a few shapes in a few sizes, and an instance for each chip.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use smithereens_formats::{Actor, Material, Shape, Triangles, Vertices};
use smithereens_simulate::scene::Stage;
use smithereens_simulate::{ChipTrack, MaterialId, Pose, Recorder, chip_shapes};

use super::film::{pose_of, surface};
use crate::looks;

/// Chips are drawn in so many sizes, each twice as large as that many before it: no more than a tenth too large or too small.
const SIZES: f64 = 4.0;

/// A chip as it is drawn.
type Look = (MaterialId, usize, i32);

/// The debris of a recording, ready to be drawn.
pub struct Chips<'a> {
    tracks: &'a [ChipTrack],
    looks: BTreeMap<Look, Instance>,
}

/// What chips that look alike have in common.
struct Instance {
    shape: Arc<Shape>,
    drawn: OnceLock<Arc<smithereens_picture::Shape>>,
}

impl<'a> Chips<'a> {
    /// Chips look like the inside of what they are made of; that is added to the materials where it is not among them.
    pub fn new(stage: &Stage, recorder: &'a Recorder, materials: &mut Vec<Material>) -> Chips<'a> {
        let mut looks = BTreeMap::new();
        for track in recorder.chips() {
            looks.entry(look(track)).or_insert_with(|| {
                let made_of = &stage.world.destruction.materials()[track.material.0 as usize];
                let shape = Arc::new(shape(track, index(materials, looks::of_material(made_of))));
                Instance { shape, drawn: OnceLock::new() }
            });
        }
        Chips { tracks: recorder.chips(), looks }
    }

    /// Adds those of a frame to a picture.
    pub fn place(&self, frame: u64, scene: &mut smithereens_picture::Scene) {
        for track in self.tracks.iter().filter(|track| track.is_seen(frame)) {
            let Some(Instance { shape, drawn }) = self.looks.get(&look(track)) else { continue };
            let new = || Arc::new(smithereens_picture::Shape::new(shape.parts.iter().map(surface)));
            let Pose { turn, at } = track.pose(frame);
            scene.place(drawn.get_or_init(new), turn.as_quat(), at.as_vec3());
        }
    }

    /// All of them, as nodes of an animation.
    pub fn actors(&self) -> impl Iterator<Item = Actor> {
        self.tracks.iter().filter_map(|track| {
            Some(Actor {
                name: format!("debris-{}", track.id),
                shape: self.looks.get(&look(track))?.shape.clone(),
                poses: track.poses.iter().map(pose_of).collect(),
                gone: track.gone.map(|frame| frame as u32),
                ..Actor::default()
            })
        })
    }
}

/// Chips of a size are drawn alike.
fn look(track: &ChipTrack) -> Look {
    (track.material, track.shape, libm::round(libm::log2(track.radius) * SIZES) as i32)
}

/// Where the last of some materials is among others; there it is added if it is new.
fn index(materials: &mut Vec<Material>, wanted: Vec<Material>) -> usize {
    let Some(inside) = wanted.into_iter().last() else { return 0 };
    materials.iter().position(|material| *material == inside).unwrap_or_else(|| {
        materials.push(inside);
        materials.len() - 1
    })
}

fn shape(track: &ChipTrack, material: usize) -> Shape {
    let Some(chip) = chip_shapes().get(track.shape) else { return Shape::default() };
    let size = libm::exp2(f64::from(look(track).2) / SIZES) as f32;
    let vertices = Vertices {
        positions: chip.positions.iter().map(|&point| point * size).collect(),
        normals: chip.normals.clone(),
        ..Vertices::default()
    };
    Shape { parts: vec![Triangles { vertices: Arc::new(vertices), indices: chip.indices.clone(), material }] }
}
