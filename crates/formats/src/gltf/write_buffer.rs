//! The binary chunk: one stream a kind of value, each of them one buffer view, then the images.

use glam::{Quat, Vec2, Vec3};
use serde_json::{Value, json};

use crate::WriteError;

/// The kinds of values, in the order in which they are written.
#[derive(Clone, Copy)]
enum Stream {
    Positions,
    Normals,
    Uvs,
    Shorts,
    Longs,
    Times,
    Vectors,
    Rotations,
}

const STREAMS: [Stream; 8] = [
    Stream::Positions,
    Stream::Normals,
    Stream::Uvs,
    Stream::Shorts,
    Stream::Longs,
    Stream::Times,
    Stream::Vectors,
    Stream::Rotations,
];
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

struct Accessor {
    stream: Stream,
    offset: usize,
    count: usize,
    /// The lowest and the highest value: positions and times must have them.
    bounds: Option<[Value; 2]>,
}

/// Streams that grow, and the accessors into them.
#[derive(Default)]
pub(super) struct Buffer {
    streams: [Vec<u8>; STREAMS.len()],
    accessors: Vec<Accessor>,
}

/// The binary chunk, and what the document says of it.
pub(super) struct Finished {
    pub(super) bytes: Vec<u8>,
    pub(super) accessors: Vec<Value>,
    pub(super) views: Vec<Value>,
    /// The buffer view of the first image; the others follow.
    pub(super) first_image: usize,
}

impl Buffer {
    pub(super) fn positions(&mut self, points: &[Vec3]) -> usize {
        let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let values = points.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes);
        let bounds = [json!(low.to_array()), json!(high.to_array())];
        self.push(Stream::Positions, points.len(), values, Some(bounds))
    }

    pub(super) fn normals(&mut self, normals: &[Vec3]) -> usize {
        let values = normals.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes);
        self.push(Stream::Normals, normals.len(), values, None)
    }

    pub(super) fn uvs(&mut self, uvs: &[Vec2]) -> usize {
        let values = uvs.iter().flat_map(Vec2::to_array).flat_map(f32::to_le_bytes);
        self.push(Stream::Uvs, uvs.len(), values, None)
    }

    /// 16 bits where they suffice: the largest 16-bit number is kept for restarting primitives.
    pub(super) fn indices(&mut self, indices: &[u32], vertices: usize) -> usize {
        if vertices <= usize::from(u16::MAX) {
            let values = indices.iter().flat_map(|&i| (i as u16).to_le_bytes());
            self.push(Stream::Shorts, indices.len(), values, None)
        } else {
            let values = indices.iter().flat_map(|&i| i.to_le_bytes());
            self.push(Stream::Longs, indices.len(), values, None)
        }
    }

    /// Times of keys, which rise.
    pub(super) fn times(&mut self, times: &[f32]) -> usize {
        let values = times.iter().flat_map(|t| t.to_le_bytes());
        let bounds = [json!([times.first()]), json!([times.last()])];
        self.push(Stream::Times, times.len(), values, Some(bounds))
    }

    /// Translations or scales.
    pub(super) fn vectors(&mut self, vectors: impl ExactSizeIterator<Item = Vec3>) -> usize {
        let count = vectors.len();
        let values = vectors.flat_map(|v| v.to_array()).flat_map(f32::to_le_bytes);
        self.push(Stream::Vectors, count, values, None)
    }

    /// Unit quaternions.
    pub(super) fn rotations(&mut self, rotations: impl ExactSizeIterator<Item = Quat>) -> usize {
        let count = rotations.len();
        let values = rotations.flat_map(|r| r.to_array()).flat_map(f32::to_le_bytes);
        self.push(Stream::Rotations, count, values, None)
    }

    fn push(
        &mut self,
        stream: Stream,
        count: usize,
        values: impl Iterator<Item = u8>,
        bounds: Option<[Value; 2]>,
    ) -> usize {
        let bytes = &mut self.streams[stream as usize];
        self.accessors.push(Accessor { stream, offset: bytes.len(), count, bounds });
        bytes.extend(values);
        self.accessors.len() - 1
    }

    pub(super) fn finish<'a>(self, images: impl Iterator<Item = &'a [u8]>) -> Result<Finished, WriteError> {
        let (mut bytes, mut views) = (Vec::new(), Vec::new());
        let mut view_of = [0; STREAMS.len()];
        for (stream, content) in STREAMS.into_iter().zip(self.streams).filter(|(_, s)| !s.is_empty()) {
            view_of[stream as usize] = views.len();
            let mut view = place(&mut bytes, &content);
            describe(&mut view, stream);
            views.push(view);
        }
        let first_image = views.len();
        images.for_each(|image| views.push(place(&mut bytes, image)));
        // The lengths of a GLB are 32 bits; the document needs room too.
        if bytes.len() > u32::MAX as usize / 2 {
            return Err(WriteError::TooLarge);
        }
        let accessors = self.accessors.into_iter().map(|a| a.document(&view_of)).collect();
        Ok(Finished { bytes, accessors, views, first_image })
    }
}

/// Appends a view's bytes where any component type is aligned.
fn place(bytes: &mut Vec<u8>, content: &[u8]) -> Value {
    let offset = bytes.len();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    json!({ "buffer": 0, "byteOffset": offset, "byteLength": content.len() })
}

/// What a view is for; views that several accessors of vertices share must say their stride. Those of animations must not.
fn describe(view: &mut Value, stream: Stream) {
    match stream {
        Stream::Positions | Stream::Normals => vertices(view, 12),
        Stream::Uvs => vertices(view, 8),
        Stream::Shorts | Stream::Longs => view["target"] = json!(ELEMENT_ARRAY_BUFFER),
        Stream::Times | Stream::Vectors | Stream::Rotations => {}
    }
}

fn vertices(view: &mut Value, stride: usize) {
    view["byteStride"] = json!(stride);
    view["target"] = json!(ARRAY_BUFFER);
}

impl Accessor {
    fn document(self, view_of: &[usize]) -> Value {
        let (component, shape) = match self.stream {
            Stream::Positions | Stream::Normals | Stream::Vectors => (5126, "VEC3"),
            Stream::Uvs => (5126, "VEC2"),
            Stream::Shorts => (5123, "SCALAR"),
            Stream::Longs => (5125, "SCALAR"),
            Stream::Times => (5126, "SCALAR"),
            Stream::Rotations => (5126, "VEC4"),
        };
        let mut value = json!({
            "bufferView": view_of[self.stream as usize],
            "byteOffset": self.offset,
            "componentType": component,
            "count": self.count,
            "type": shape,
        });
        if let Some([low, high]) = self.bounds {
            value["min"] = low;
            value["max"] = high;
        }
        value
    }
}
