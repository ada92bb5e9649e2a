//! What is seen of each track, in single precision, with whatever looks alike held once.
//!
//! Copies of one compound share an outfit. A body that loses pieces gets another one, but pieces and faces that were seen before keep their
//! vertices: only the list of triangles over them is new, and what the hit laid open.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use glam::{DVec3, Vec2, Vec3};
use rayon::prelude::*;
use smithereens::triangulate::Triangulator;
use smithereens::{Mesh, Piece, Slot};
use smithereens_formats::{Shape, Triangles, Vertices};
use smithereens_simulate::Track;

/// Which materials a track has: slots are counted from the first; all beyond the last are the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Palette {
    /// The material of slot 0.
    pub first: usize,
    /// How many there are.
    pub count: usize,
}

impl Palette {
    fn material(&self, slot: Slot) -> usize {
        self.first + (slot.0 as usize).min(self.count - 1)
    }
}

/// A body draws from so many older lists of vertices at most: each is a draw call. Of the others it gets copies.
const MOST_SOURCES: usize = 4;

/// What tracks look like.
pub struct Wardrobe {
    /// Each look once.
    pub outfits: Vec<Arc<Shape>>,
    /// The outfit of each track.
    pub of_track: Vec<usize>,
}

impl Wardrobe {
    /// Dresses tracks, each with its palette.
    pub fn new(tracks: &[Track], palettes: &[Palette]) -> Wardrobe {
        let (wearers, of_track) = wearers(tracks, palettes);
        let wearers: Vec<(&Track, Palette)> =
            wearers.into_iter().map(|track| (&tracks[track], palettes[track])).collect();
        let seen: Vec<Vec<Vec<u32>>> =
            wearers.par_iter().map(|(track, _)| track.compound.visible_faces()).collect();
        let patterns = patterns(&wearers, seen);
        let cloths: Vec<Cloth> = (patterns.par_iter().zip(&wearers))
            .map(|(pattern, (track, palette))| Cloth::new(pattern, track, palette))
            .collect();
        let outfits = patterns.par_iter().map(|pattern| Arc::new(outfit(pattern, &cloths))).collect();
        Wardrobe { outfits, of_track }
    }
}

/// The first track of each look, and the look of each track.
fn wearers(tracks: &[Track], palettes: &[Palette]) -> (Vec<usize>, Vec<usize>) {
    let (mut firsts, mut known) = (Vec::new(), BTreeMap::new());
    let look = |(index, (track, palette)): (usize, (&Track, &Palette))| {
        let compound = &track.compound;
        let parts = (std::ptr::from_ref(compound.pieces()), std::ptr::from_ref(compound.bonds()));
        *known.entry((parts, bits(track.center), *palette)).or_insert_with(|| {
            firsts.push(index);
            firsts.len() - 1
        })
    };
    let of_track = tracks.iter().zip(palettes).enumerate().map(look).collect();
    (firsts, of_track)
}

fn bits(point: DVec3) -> [u64; 3] {
    point.to_array().map(f64::to_bits)
}

/// A face of a piece, by the address of the piece: it is compared and never followed.
type FaceKey = (usize, u32);

/// From which cloth the faces of an outfit are taken.
struct Pattern {
    /// What is cut from cloth of its own: pieces by their index in the compound, and their faces.
    own: Vec<(usize, Vec<u32>)>,
    /// All faces, with the cloth that has them.
    faces: Vec<(usize, FaceKey)>,
}

fn address(piece: &Arc<Piece>) -> usize {
    Arc::as_ptr(piece).addr()
}

/// Decides for each outfit what it shares with those before.
fn patterns(wearers: &[(&Track, Palette)], seen: Vec<Vec<Vec<u32>>>) -> Vec<Pattern> {
    let mut known: BTreeMap<(Palette, [u64; 3], bool), BTreeMap<FaceKey, usize>> = BTreeMap::new();
    let mut patterns = Vec::with_capacity(wearers.len());
    for (index, ((track, palette), seen)) in wearers.iter().zip(seen).enumerate() {
        let kind = (*palette, bits(track.center), track.compound.has_uvs());
        patterns.push(pattern(index, track, seen, known.entry(kind).or_default()));
    }
    patterns
}

fn pattern(
    index: usize,
    track: &Track,
    seen: Vec<Vec<u32>>,
    known: &mut BTreeMap<FaceKey, usize>,
) -> Pattern {
    let addresses: Vec<usize> = track.compound.pieces().iter().map(address).collect();
    let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
    for (address, faces) in addresses.iter().zip(&seen) {
        for source in faces.iter().filter_map(|&face| known.get(&(*address, face))) {
            *uses.entry(*source).or_default() += 1;
        }
    }
    let mut sources: Vec<(usize, usize)> = uses.into_iter().map(|(source, count)| (count, source)).collect();
    sources.sort_unstable_by(|a, b| b.cmp(a));
    sources.truncate(MOST_SOURCES);
    let mut pattern = Pattern { own: Vec::new(), faces: Vec::new() };
    for (piece, (&address, faces)) in addresses.iter().zip(seen).enumerate() {
        let mut own = Vec::new();
        for face in faces {
            let source = known.get(&(address, face)).copied();
            let source = source.filter(|source| sources.iter().any(|(_, kept)| kept == source));
            if source.is_none() {
                own.push(face);
                known.insert((address, face), index);
            }
            pattern.faces.push((source.unwrap_or(index), (address, face)));
        }
        if !own.is_empty() {
            pattern.own.push((piece, own));
        }
    }
    pattern
}

/// Vertices, and the triangles of each face over them.
#[derive(Default)]
struct Cloth {
    vertices: Arc<Vertices>,
    /// The material of each face, and its range of the indices.
    faces: BTreeMap<FaceKey, (usize, std::ops::Range<usize>)>,
    indices: Vec<u32>,
}

impl Cloth {
    fn new(pattern: &Pattern, track: &Track, palette: &Palette) -> Cloth {
        let (mut cloth, mut vertices) = (Cloth::default(), Thread::default());
        let with_uvs = track.compound.has_uvs();
        let mut triangulator = Triangulator::default();
        for (index, faces) in &pattern.own {
            let Some(piece) = track.compound.pieces().get(*index) else { continue };
            let mesh = piece.drawn_mesh(with_uvs);
            for &face in faces {
                let start = cloth.indices.len();
                let corners = triangulator.triangles(&mesh, face as usize).iter().flatten();
                cloth.indices.extend(corners.map(|&c| vertices.index(&mesh, c as usize, track.center)));
                let material = palette.material(mesh.faces[face as usize].slot);
                cloth.faces.insert((address(piece), face), (material, start..cloth.indices.len()));
            }
        }
        Cloth { vertices: Arc::new(vertices.vertices), ..cloth }
    }
}

/// Vertices as they are strung together, each once.
#[derive(Default)]
struct Thread {
    vertices: Vertices,
    /// By position, normal and texture coordinate; never iterated.
    known: HashMap<[u32; 8], u32>,
}

impl Thread {
    fn index(&mut self, mesh: &Mesh, corner: usize, center: DVec3) -> u32 {
        let position = (mesh.positions[mesh.corners[corner] as usize] - center).as_vec3();
        let (normal, uv) = (mesh.normals[corner], mesh.uvs.get(corner).copied());
        let key = key(position, normal, uv.unwrap_or_default());
        *self.known.entry(key).or_insert_with(|| {
            self.vertices.positions.push(position);
            self.vertices.normals.push(normal);
            self.vertices.uvs.extend(uv);
            self.vertices.positions.len() as u32 - 1
        })
    }
}

fn key(position: Vec3, normal: Vec3, uv: Vec2) -> [u32; 8] {
    let ([a, b, c], [d, e, f], [g, h]) = (position.to_array(), normal.to_array(), uv.to_array());
    [a, b, c, d, e, f, g, h].map(f32::to_bits)
}

/// The triangles of an outfit: a part for each cloth and material.
fn outfit(pattern: &Pattern, cloths: &[Cloth]) -> Shape {
    let mut parts: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
    for (source, face) in &pattern.faces {
        let cloth = &cloths[*source];
        if let Some((material, range)) = cloth.faces.get(face) {
            parts.entry((*source, *material)).or_default().extend(&cloth.indices[range.clone()]);
        }
    }
    let part = |((source, material), indices): ((usize, usize), Vec<u32>)| Triangles {
        vertices: cloths[source].vertices.clone(),
        indices,
        material,
    };
    Shape { parts: parts.into_iter().map(part).collect() }
}
