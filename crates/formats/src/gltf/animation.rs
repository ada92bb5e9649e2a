//! Recordings of bodies that move, break and vanish, as a GLB with one animation.
//!
//! Each actor is a node with channels for translation and rotation, reduced to the keys that matter (see `keyframes`). Before it is
//! born and after it is gone it is scaled to zero on all axes, in steps: that is how glTF 2.0 hides nodes (section 3.5.3,
//! "Transformations": a mechanism to animate visibility). Nodes rest as they are on frame 0, so that a viewer without animations
//! shows the start.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Quat, Vec3};
use serde_json::{Map, Value, json};

use super::keyframes::{Deviation, Key, of_places, of_turns};
use super::shape::{Shape, WrittenShapes};
use super::write_document::{DocumentWriter, insert_extras, insert_text};
use crate::{ActorProblem, Material, WriteError};

/// A recording of a scene in which things break, on frames of even length.
///
/// ```
/// use glam::{DVec3, Quat, Vec3};
/// use smithereens_formats::{Actor, Deviation, Pose, Recording, Shape, write_recording};
/// use smithereens_geometry::{Mesh, Slot};
/// let mut mesh = Mesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y], ..Mesh::default() };
/// mesh.push_polygon(&[0, 1, 2], Slot::INTERIOR);
/// let fall = |frame: u32| {
///     let seconds = frame as f32 / 60.0;
///     Pose { frame, translation: Vec3::Y * (5.0 - 4.9 * seconds * seconds), rotation: Quat::IDENTITY }
/// };
/// let fragment = Actor {
///     name: "fragment 0".into(),
///     shape: Shape::from_mesh(&mesh, 1)?.into(),
///     poses: (10..60).map(fall).collect(),
///     gone: Some(90),
///     ..Actor::default()
/// };
/// let recording = Recording { name: "fall".into(), frames: 120, actors: vec![fragment], ..Recording::default() };
/// let glb = write_recording(&recording, &Deviation::default(), |part| assert!(part <= 1.0))?;
/// assert!(glb.starts_with(b"glTF"));
/// # Ok::<(), smithereens_formats::WriteError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The name of the animation.
    pub name: String,
    /// How many frames follow each other in a second.
    pub frames_per_second: f64,
    /// How many frames there are: the animation lasts from frame 0 to the last one, whatever moves then.
    pub frames: u32,
    /// What is seen.
    pub actors: Vec<Actor>,
    /// The materials that shapes refer to. Without any there is one, which looks like nothing in particular.
    pub materials: Vec<Material>,
    /// Anything about the file as a whole (`asset.extras`); `Null` for nothing.
    pub extras: Value,
}

impl Default for Recording {
    /// Nothing, at 60 frames a second.
    fn default() -> Recording {
        Recording {
            name: String::new(),
            frames_per_second: 60.0,
            frames: 0,
            actors: Vec::new(),
            materials: Vec::new(),
            extras: Value::Null,
        }
    }
}

/// A body in a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actor {
    /// Its name.
    pub name: String,
    /// What is seen of it, in its own frame of reference. Actors that share a shape share it in the file.
    pub shape: Arc<Shape>,
    /// Where it is, in the order of frames. It is born on the frame of the first pose. On frames without one it is where it
    /// was: what sleeps, or never moves, needs no more poses.
    pub poses: Vec<Pose>,
    /// The first frame on which it is no longer there; `None` if it stays.
    pub gone: Option<u32>,
    /// Anything about it; `Null` for nothing.
    pub extras: Value,
}

/// Where a body is on a frame. Single precision, as physics has it and the file holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// The frame, counted from 0.
    pub frame: u32,
    /// Where the origin of its mesh is in the world.
    pub translation: Vec3,
    /// How it is turned; made a unit quaternion where it is not quite.
    pub rotation: Quat,
}

/// Writes a recording as GLB with one animation that Blender and viewers play. Of the poses, as few are kept as reproduce all of them
/// within the deviation.
///
/// `tell` hears which part is done, rising from 0 to 1.
pub fn write_recording(
    recording: &Recording,
    deviation: &Deviation,
    mut tell: impl FnMut(f64),
) -> Result<Vec<u8>, WriteError> {
    /// Most of the work; the rest is putting the file together.
    const ACTORS_PART: f64 = 0.9;
    check_timeline(recording)?;
    let actors = recording.actors.iter().enumerate();
    actors.clone().try_for_each(|(index, actor)| check_actor(recording, index, actor))?;
    let spare = [Material { name: "interior".to_owned(), ..Material::default() }];
    let materials = if recording.materials.is_empty() { &spare[..] } else { &recording.materials };
    let mut writer = Writer::new(recording, deviation, materials);
    for (index, actor) in actors {
        tell(ACTORS_PART * index as f64 / recording.actors.len() as f64);
        writer.actor(index, actor)?;
    }
    tell(ACTORS_PART);
    let file = writer.finish()?;
    tell(1.0);
    Ok(file)
}

/// Proves that each frame has a time of its own.
fn check_timeline(recording: &Recording) -> Result<(), WriteError> {
    // Twice as many whole numbers are told apart by single precision: rounding never makes two of these one.
    const MOST_FRAMES: u32 = 1 << 22;
    let &Recording { frames, frames_per_second, .. } = recording;
    if frames == 0 || recording.actors.is_empty() {
        return Err(WriteError::EmptyRecording { frames, actors: recording.actors.len() });
    }
    let is_time = |frame: u32| {
        let time = (f64::from(frame) / frames_per_second) as f32;
        time.is_normal() && time > 0.0
    };
    if frames > MOST_FRAMES || !is_time(1) || !is_time(frames) {
        return Err(WriteError::Timeline { frames, frames_per_second });
    }
    Ok(())
}

fn check_actor(recording: &Recording, index: usize, actor: &Actor) -> Result<(), WriteError> {
    let problem = actor_problem(recording.frames, actor);
    let error = |problem| WriteError::Actor { index, name: actor.name.clone(), problem };
    problem.map_or(Ok(()), |problem| Err(error(problem)))
}

fn actor_problem(frames: u32, actor: &Actor) -> Option<ActorProblem> {
    let pairs = actor.poses.windows(2).map(|w| (w[0].frame, w[1].frame));
    if let Some((after, frame)) = pairs.into_iter().find(|(before, frame)| frame <= before) {
        return Some(ActorProblem::NotAscending { frame, after });
    }
    let Some(&Pose { frame: last, .. }) = actor.poses.last() else { return Some(ActorProblem::NoPose) };
    if last >= frames {
        return Some(ActorProblem::PastEnd { frame: last, frames });
    }
    if let Some(gone) = actor.gone.filter(|&gone| gone <= last) {
        return Some(ActorProblem::AfterGone { frame: last, gone });
    }
    actor.poses.iter().find_map(|pose| {
        let frame = pose.frame;
        if !pose.translation.is_finite() || !pose.rotation.is_finite() {
            Some(ActorProblem::NotFinite { frame })
        } else if pose.rotation.as_dquat().length_squared() == 0.0 {
            Some(ActorProblem::NoRotation { frame })
        } else {
            None
        }
    })
}

/// The time of a frame, rounded down: who plays frame by frame would miss a step that lies a little past its frame.
fn seconds(frame: u32, frames_per_second: f64) -> f32 {
    let exact = f64::from(frame) / frames_per_second;
    let nearest = exact as f32;
    if f64::from(nearest) > exact { nearest.next_down() } else { nearest }
}

/// A file as it grows: actors one after the other.
struct Writer<'a> {
    recording: &'a Recording,
    deviation: &'a Deviation,
    document: DocumentWriter<'a>,
    shapes: WrittenShapes,
    /// The accessor of each list of times, by their bits.
    times: BTreeMap<Vec<u32>, usize>,
    /// The accessor of each way to come and go.
    scales: BTreeMap<Vec<bool>, usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl<'a> Writer<'a> {
    fn new(recording: &'a Recording, deviation: &'a Deviation, materials: &'a [Material]) -> Writer<'a> {
        Writer {
            recording,
            deviation,
            document: DocumentWriter::new(materials),
            shapes: WrittenShapes::default(),
            times: BTreeMap::new(),
            scales: BTreeMap::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
        }
    }

    fn actor(&mut self, index: usize, actor: &Actor) -> Result<(), WriteError> {
        let place = format!("actor {index} \"{}\"", crate::error::shortened(&actor.name));
        let mesh = self.shapes.mesh(&mut self.document, &place, &actor.name, &actor.shape)?;
        let (places, turns) = self.samples(&actor.poses);
        self.document.nodes.push(node(actor, mesh, places[0].value, turns[0].value));
        let places = of_places(&places, self.deviation.translation);
        if !places.is_empty() {
            let output = self.document.buffer.vectors(places.iter().map(|k| k.value));
            self.channel(index, "translation", "LINEAR", places.iter().map(|k| k.time), output);
        }
        let turns = of_turns(&turns, self.deviation.rotation);
        if !turns.is_empty() {
            let output = self.document.buffer.rotations(turns.iter().map(|k| k.value));
            self.channel(index, "rotation", "LINEAR", turns.iter().map(|k| k.time), output);
        }
        self.presence(index, actor);
        Ok(())
    }

    /// Poses as samples; where frames have none, the last one holds until the frame before the next.
    fn samples(&self, poses: &[Pose]) -> (Vec<Key<Vec3>>, Vec<Key<Quat>>) {
        let mut held: Vec<Pose> = Vec::with_capacity(poses.len());
        for &pose in poses {
            if let Some(&before) = held.last().filter(|before| before.frame + 1 < pose.frame) {
                held.push(Pose { frame: pose.frame - 1, ..before });
            }
            held.push(pose);
        }
        let time = |pose: &Pose| seconds(pose.frame, self.recording.frames_per_second);
        let place = |pose: &Pose| Key { time: time(pose), value: pose.translation };
        let turn = |pose: &Pose| Key { time: time(pose), value: unit(pose.rotation) };
        (held.iter().map(place).collect(), held.iter().map(turn).collect())
    }

    /// The channel that hides an actor before it is born and after it is gone; none if it is always there.
    fn presence(&mut self, index: usize, actor: &Actor) {
        let last = self.recording.frames - 1;
        let (born, gone) = (actor.poses[0].frame, actor.gone.filter(|&gone| gone <= last));
        let mut steps = vec![(0, born == 0)];
        steps.extend((born > 0).then_some((born, true)));
        steps.extend(gone.map(|gone| (gone, false)));
        // An animation ends with its last key: the first actor has one at the end of the recording.
        if let Some(&(frame, is_there)) = steps.last()
            && index == 0
            && frame < last
        {
            steps.push((last, is_there));
        }
        if index > 0 && steps.len() == 1 {
            return;
        }
        let pattern: Vec<bool> = steps.iter().map(|s| s.1).collect();
        let buffer = &mut self.document.buffer;
        let output = *self.scales.entry(pattern).or_insert_with_key(|pattern| {
            buffer.vectors(pattern.iter().map(|&is_there| if is_there { Vec3::ONE } else { Vec3::ZERO }))
        });
        let rate = self.recording.frames_per_second;
        self.channel(index, "scale", "STEP", steps.iter().map(|s| seconds(s.0, rate)), output);
    }

    fn channel(
        &mut self,
        node: usize,
        path: &str,
        interpolation: &str,
        times: impl Iterator<Item = f32>,
        output: usize,
    ) {
        let times: Vec<f32> = times.collect();
        let bits = times.iter().map(|t| t.to_bits()).collect();
        let buffer = &mut self.document.buffer;
        let input = *self.times.entry(bits).or_insert_with(|| buffer.times(&times));
        let sampler = json!({ "input": input, "interpolation": interpolation, "output": output });
        self.channels
            .push(json!({ "sampler": self.samplers.len(), "target": { "node": node, "path": path } }));
        self.samplers.push(sampler);
    }

    fn finish(mut self) -> Result<Vec<u8>, WriteError> {
        let mut animation = Map::new();
        insert_text(&mut animation, "name", &self.recording.name);
        animation.insert("samplers".into(), self.samplers.into());
        animation.insert("channels".into(), self.channels.into());
        self.document.animations.push(animation.into());
        let top = (0..self.document.nodes.len()).collect();
        self.document.finish(top, &self.recording.extras, &[])
    }
}

/// An actor as it is on frame 0.
fn node(actor: &Actor, mesh: Option<usize>, translation: Vec3, rotation: Quat) -> Value {
    let mut node = Map::new();
    insert_text(&mut node, "name", &actor.name);
    insert_extras(&mut node, &actor.extras);
    if let Some(mesh) = mesh {
        node.insert("mesh".into(), json!(mesh));
    }
    if translation != Vec3::ZERO {
        node.insert("translation".into(), json!(translation.to_array()));
    }
    if rotation != Quat::IDENTITY {
        node.insert("rotation".into(), json!(rotation.to_array()));
    }
    if actor.poses[0].frame > 0 {
        node.insert("scale".into(), json!([0, 0, 0]));
    }
    node.into()
}

/// Lengthened in double precision: so small or large a quaternion would overflow otherwise.
fn unit(rotation: Quat) -> Quat {
    rotation.as_dquat().normalize().as_quat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_frame_is_played_before_its_time_and_none_shares_it() {
        for rate in [24.0, 60.0, 30_000.0 / 1001.0, 1e-3] {
            for frame in (0..5000).chain((1 << 22) - 5000..1 << 22) {
                let [time, next] = [frame, frame + 1].map(|frame| seconds(frame, rate));
                assert!(f64::from(time) <= f64::from(frame) / rate && time < next);
            }
        }
    }
}
