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

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens::pattern::Pattern;
    use smithereens::{Aabb, Compound, Convex, FractureOptions, Impact, fracture};
    use smithereens_simulate::{BodyId, MaterialId};

    const PALETTE: Palette = Palette { first: 0, count: 2 };

    fn bar() -> Compound {
        let part = |x: f64| Convex::from_box(&Aabb::new(DVec3::X * x, DVec3::new(x + 1.0, 1.0, 1.0)));
        Compound::from_convexes((0..8).map(|x| part(f64::from(x))).collect()).unwrap()
    }

    /// What is left of a bar that was hit at its end.
    fn rest_of(bar: &Compound) -> Compound {
        let points = [[0.2, 0.2, 0.2], [0.3, 0.8, 0.3], [0.4, 0.3, 0.8]].map(DVec3::from);
        let pattern = Pattern::from_points(&points, Aabb::cube(20.0)).unwrap();
        let impact = Impact { radius: 0.4, ..Impact::at(DVec3::new(0.1, 0.5, 0.5)) };
        let broken = fracture(bar, &pattern, &impact, &FractureOptions::default()).unwrap();
        let rest = broken.fragments.into_iter().find(|fragment| fragment.colour.is_none());
        rest.expect("most of the bar is beyond the impact").compound
    }

    fn track(compound: &Compound) -> Track {
        Track {
            body: BodyId(0),
            compound: compound.clone(),
            material: MaterialId(0),
            center: DVec3::new(4.0, 0.5, 0.5),
            born: 0,
            gone: None,
            poses: Vec::new(),
        }
    }

    fn area(shape: &Shape) -> f32 {
        let of_part = |part: &Triangles| -> f32 {
            let corner = |index: u32| part.vertices.positions[index as usize];
            let area = |t: &[u32; 3]| {
                let [a, b, c] = t.map(corner);
                (b - a).cross(c - a).length() * 0.5
            };
            part.indices.as_chunks().0.iter().map(area).sum()
        };
        shape.parts.iter().map(of_part).sum()
    }

    #[test]
    fn copies_share_an_outfit_and_what_is_left_shares_vertices() {
        let whole = bar();
        let rest = rest_of(&whole);
        let tracks = [track(&whole), track(&whole), track(&rest)];
        let wardrobe = Wardrobe::new(&tracks, &[PALETTE; 3]);
        assert_eq!(wardrobe.of_track, [0, 0, 1]);
        let [before, after] = [&wardrobe.outfits[0], &wardrobe.outfits[1]];
        for (outfit, compound) in [(before, &whole), (after, &rest)] {
            assert!((f64::from(area(outfit)) - compound.visible_mesh().area()).abs() < 1e-4);
        }
        let (old, new): (Vec<_>, Vec<_>) =
            after.parts.iter().partition(|part| Arc::ptr_eq(&part.vertices, &before.parts[0].vertices));
        let triangles = |parts: &[&Triangles]| parts.iter().map(|part| part.indices.len() / 3).sum::<usize>();
        // Seven of the eight are as they were: four faces each, and the far end.
        assert!(triangles(&old) >= 7 * 8 + 2 && triangles(&new) > 0);
        let written: usize = new.iter().map(|part| part.vertices.positions.len()).max().unwrap_or(0);
        assert!(written < before.parts[0].vertices.positions.len());
    }

    #[test]
    fn another_palette_or_centre_is_another_outfit() {
        let whole = bar();
        let moved = Track { center: DVec3::ZERO, ..track(&whole) };
        let tracks = [track(&whole), track(&whole), moved];
        let wardrobe = Wardrobe::new(&tracks, &[PALETTE, Palette { first: 2, count: 2 }, PALETTE]);
        assert_eq!(wardrobe.of_track, [0, 1, 2]);
        let materials = wardrobe.outfits.iter().map(|outfit| outfit.parts[0].material);
        assert_eq!(materials.collect::<Vec<_>>(), [1, 3, 1]);
    }
}
