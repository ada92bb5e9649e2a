//! Plays an animated GLB as the specification says, by a way of its own: JSON and bytes, no code of the writer.

use glam::{DQuat, DVec3};
use serde_json::Value;

/// A file that can be played.
pub struct Player {
    pub document: Value,
    pub binary: Vec<u8>,
}

/// How rotations go from key to key.
#[derive(Clone, Copy, Debug)]
pub enum Turning {
    /// As glTF has it (appendix C.4).
    Slerp,
    /// As Blender and many engines have it.
    Nlerp,
}

/// A channel: times, and the values at them.
pub struct Channel {
    pub times: Vec<f64>,
    pub values: Vec<Vec<f64>>,
    pub is_step: bool,
}

impl Player {
    pub fn new(glb: &[u8]) -> Player {
        let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&glb[..4], word(4), word(8)), (&b"glTF"[..], 2, glb.len()));
        let end = 20 + word(12);
        assert_eq!((&glb[16..20], &glb[end + 4..end + 8]), (&b"JSON"[..], &b"BIN\0"[..]));
        assert_eq!(end + 8 + word(end), glb.len());
        Player { document: serde_json::from_slice(&glb[20..end]).unwrap(), binary: glb[end + 8..].to_vec() }
    }

    /// The values of an accessor of floats.
    pub fn floats(&self, accessor: usize) -> Vec<Vec<f64>> {
        let accessor = &self.document["accessors"][accessor];
        let view = &self.document["bufferViews"][number(&accessor["bufferView"])];
        assert_eq!(accessor["componentType"], 5126);
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            other => panic!("{other} in an animation"),
        };
        let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        let length = 4 * width * number(&accessor["count"]);
        assert!(number(&accessor["byteOffset"]) + length <= number(&view["byteLength"]));
        let float = |raw: &[u8]| f64::from(f32::from_le_bytes(raw.try_into().unwrap()));
        let values: Vec<f64> = self.binary[start..start + length].chunks_exact(4).map(float).collect();
        values.chunks_exact(width).map(<[f64]>::to_vec).collect()
    }

    /// The channel of a node's property, checked against the rules for samplers.
    pub fn channel(&self, node: usize, path: &str) -> Option<Channel> {
        let animation = &self.document["animations"][0];
        let channels = animation["channels"].as_array().unwrap();
        let mut of_path =
            channels.iter().filter(|c| c["target"]["path"] == path && c["target"]["node"] == node);
        let channel = of_path.next()?;
        assert!(of_path.next().is_none(), "two channels for {path} of node {node}");
        let sampler = &animation["samplers"][number(&channel["sampler"])];
        let times: Vec<f64> = self.floats(number(&sampler["input"])).concat();
        let values = self.floats(number(&sampler["output"]));
        assert_eq!(times.len(), values.len());
        assert!(times[0] >= 0.0 && times.windows(2).all(|w| w[0] < w[1]), "times must rise");
        let input = &self.document["accessors"][number(&sampler["input"])];
        assert_eq!([single(&input["min"][0]), single(&input["max"][0])], [times[0], times[times.len() - 1]]);
        Some(Channel { times, values, is_step: sampler["interpolation"] == "STEP" })
    }

    /// Translation, rotation and scale of a node without animation.
    pub fn rest(&self, node: usize) -> (DVec3, DQuat, DVec3) {
        let node = &self.document["nodes"][node];
        let list =
            |key: &str| -> Option<Vec<f64>> { node[key].as_array().map(|l| l.iter().map(single).collect()) };
        let vector = |key: &str, default| list(key).map_or(default, |l| DVec3::from_slice(&l));
        let rotation = list("rotation").map_or(DQuat::IDENTITY, |l| DQuat::from_slice(&l));
        (vector("translation", DVec3::ZERO), rotation, vector("scale", DVec3::ONE))
    }
}

/// A node that plays.
pub struct Played {
    rest: (DVec3, DQuat, DVec3),
    translation: Option<Channel>,
    rotation: Option<Channel>,
    scale: Option<Channel>,
}

impl Played {
    pub fn new(player: &Player, node: usize) -> Played {
        let channel = |path| player.channel(node, path);
        Played {
            rest: player.rest(node),
            translation: channel("translation"),
            rotation: channel("rotation"),
            scale: channel("scale"),
        }
    }

    pub fn at(&self, time: f64, turning: Turning) -> (DVec3, DQuat, DVec3) {
        let lerp = |from: &[f64], to: &[f64], t: f64| DVec3::from_slice(from).lerp(DVec3::from_slice(to), t);
        let turn = |from: &[f64], to: &[f64], t: f64| {
            turned(DQuat::from_slice(from), DQuat::from_slice(to), t, turning)
        };
        (
            self.translation.as_ref().map_or(self.rest.0, |c| c.at(time, lerp)),
            self.rotation.as_ref().map_or(self.rest.1, |c| c.at(time, turn)),
            self.scale.as_ref().map_or(self.rest.2, |c| c.at(time, lerp)),
        )
    }

    pub fn keys(&self) -> usize {
        [&self.translation, &self.rotation].into_iter().flatten().map(|c| c.times.len()).sum()
    }
}

impl Channel {
    fn at<T>(&self, time: f64, mix: impl Fn(&[f64], &[f64], f64) -> T) -> T {
        let next = self.times.partition_point(|&t| t <= time);
        let (from, to) = (next.max(1) - 1, next.min(self.times.len() - 1));
        if from == to || self.is_step {
            return mix(&self.values[from], &self.values[from], 0.0);
        }
        let t = (time - self.times[from]) / (self.times[to] - self.times[from]);
        mix(&self.values[from], &self.values[to], t)
    }
}

fn turned(from: DQuat, to: DQuat, t: f64, turning: Turning) -> DQuat {
    assert!((from.length() - 1.0).abs() < 1e-6 && (to.length() - 1.0).abs() < 1e-6, "unit quaternions");
    assert!(from.dot(to) >= 0.0, "neighbours lie in different hemispheres");
    let angle = from.dot(to).min(1.0).acos();
    match turning {
        Turning::Slerp if angle > 1e-6 => {
            from * (((1.0 - t) * angle).sin() / angle.sin()) + to * ((t * angle).sin() / angle.sin())
        }
        _ => (from * (1.0 - t) + to * t).normalize(),
    }
}

/// The angle between two rotations, in radians.
pub fn angle(a: DQuat, b: DQuat) -> f64 {
    let (a, b) = (a.normalize(), b.normalize());
    4.0 * ((a - b).length().min((a + b).length()) / 2.0).asin()
}

/// A number of single precision: the parser may be off by the last bit of double.
fn single(value: &Value) -> f64 {
    f64::from(value.as_f64().unwrap() as f32)
}

pub fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or(0) as usize
}
