//! From an octree to a mesh: the faces of the voxels it owns, as they are or smoothed.
//!
//! Pieces of a fracture own voxels that do not overlap, and so do their blocky surfaces not: they fit as they broke. A smooth one is the same quads with their corners moved
//! (surface nets, Gibson 1998): each goes towards the mean of its neighbours and stays within half a voxel of where it was.

use glam::{DVec3, Vec2};
use rayon::prelude::*;
use smithereens_geometry::{Mesh, Slot};

use crate::brick::{Brick, bit, place};
use crate::morton::{decode, encode};
use crate::octree::{Octree, voxel_of};
use crate::payload::Payload;
use crate::trunk::Spot;

/// A surface as a mesh. Faces of the surface that the object was made with have slot 0, those of cuts [`Slot::INTERIOR`]; texture coordinates say where in
/// the palette, laid out as a square, the colour of each face is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Quads, in the object's space.
    pub mesh: Mesh,
    /// sRGB colours, row after row, as many rows as columns. Never empty.
    pub palette: Vec<[u8; 4]>,
}

impl Surface {
    /// How many colours there are a row, and how many rows.
    pub fn palette_side(&self) -> u32 {
        self.palette.len().isqrt() as u32
    }
}

/// How often corners are moved.
const ROUNDS: usize = 10;
/// The most colours a row of a palette.
const MOST: usize = 64;

/// A face of a voxel that is seen.
struct Quad {
    /// Its corners on the lattice of voxels' corners, counter-clockwise from outside.
    corners: [[u32; 3]; 4],
    payload: Payload,
    is_cut: bool,
}

impl Octree {
    /// Every face of its voxels that is seen, as it is.
    pub fn blocky_surface(&self) -> Surface {
        let quads = self.quads();
        let lattice = Lattice::of(&quads);
        let positions = lattice.places.iter().map(|place| self.grid.point(*place)).collect();
        let normal = |_: usize, quad: &Quad, _: usize| facing(quad);
        surface(&quads, &lattice, positions, normal)
    }

    /// The same, smoothed, with normals of the voxels.
    pub fn smooth_surface(&self) -> Surface {
        let quads = self.quads();
        let lattice = Lattice::of(&quads);
        let places = relaxed(&lattice);
        let positions = places.iter().map(|place| self.grid.point(*place)).collect();
        // Apart for the surface and for cuts, so that there is an edge between them.
        let mut normals = [vec![DVec3::ZERO; places.len()], vec![DVec3::ZERO; places.len()]];
        for (quad, corners) in quads.iter().zip(&lattice.corners) {
            let normal = seen(quad, corners.map(|corner| places[corner as usize]));
            for &vertex in corners {
                normals[usize::from(quad.is_cut)][vertex as usize] += normal;
            }
        }
        let normal = |index: usize, quad: &Quad, corner: usize| {
            let vertex = lattice.corners[index][corner];
            normals[usize::from(quad.is_cut)][vertex as usize].normalize_or(facing(quad))
        };
        surface(&quads, &lattice, positions, normal)
    }

    /// The faces between voxels that it owns and such that it does not.
    fn quads(&self) -> Vec<Quad> {
        let of_brick = |brick: &Brick| {
            let mut quads = Vec::new();
            for side in 0..6 {
                self.quads_of(brick, side / 2, side % 2 == 1, &mut quads);
            }
            quads
        };
        let lists: Vec<Vec<Quad>> = self.trunk.bricks.par_iter().with_min_len(256).map(of_brick).collect();
        lists.into_iter().flatten().collect()
    }

    /// Those of a brick that look in one direction, and those of what is full beside it that look back.
    fn quads_of(&self, brick: &Brick, axis: usize, forward: bool, quads: &mut Vec<Quad>) {
        let beside = self.beside(brick, axis, forward);
        let other = match beside {
            Spot::Node(index) => Some(&self.trunk.bricks[index as usize]),
            _ => None,
        };
        let is_full = beside == Spot::Full;
        let owned_there = other.map_or(if is_full { !0 } else { 0 }, Brick::owned);
        for voxel in 0..64 {
            let within = place(voxel);
            let next = if forward { within[axis] + 1 } else { within[axis].wrapping_sub(1) };
            let near = bit(std::array::from_fn(|k| if k == axis { next } else { within[k] }));
            let (there, owned) = if next > 3 { (other, owned_there) } else { (Some(brick), brick.owned()) };
            let is_own = brick.owned() >> voxel & 1 == 1;
            let at = voxel_of(brick, voxel);
            if is_own && owned >> near & 1 == 0 {
                // What is internal has no look of its own: the copy beside it has.
                let is_boundary = brick.boundary >> voxel & 1 == 1;
                let shown = if is_boundary { Some((brick, voxel)) } else { there.map(|there| (there, near)) };
                quads.extend(shown.and_then(|(brick, bit)| self.quad(brick, bit, at, axis, forward)));
            }
            if is_full && next > 3 && !is_own {
                let mut behind = at;
                behind[axis] = if forward { at[axis] + 1 } else { at[axis] - 1 };
                quads.extend(self.quad(brick, voxel, behind, axis, !forward));
            }
        }
    }

    /// What is beside a brick.
    fn beside(&self, brick: &Brick, axis: usize, forward: bool) -> Spot {
        let mut at = decode(brick.code());
        at[axis] = if forward { at[axis] + 1 } else { at[axis].wrapping_sub(1) };
        let is_in = at[axis] < 1 << self.grid.depth();
        if is_in { self.trunk.find(self.grid.depth(), encode(at)) } else { Spot::Empty }
    }

    /// The face of a voxel that looks along an axis, with the look of a boundary voxel.
    fn quad(&self, brick: &Brick, bit: u32, at: [u32; 3], axis: usize, forward: bool) -> Option<Quad> {
        if brick.boundary >> bit & 1 == 0 {
            return None;
        }
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |(du, dv): (u32, u32)| {
            let mut corner = at;
            corner[axis] += u32::from(forward);
            corner[u] += du;
            corner[v] += dv;
            corner
        };
        let mut corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(corner);
        if !forward {
            corners.reverse();
        }
        let is_cut = self.shows_cut(brick, bit);
        Some(Quad { corners, payload: self.payload_in(brick, bit), is_cut })
    }
}

/// The normal of a quad.
fn facing(quad: &Quad) -> DVec3 {
    let [p, q, r, _] = quad.corners.map(|corner| DVec3::from_array(corner.map(f64::from)));
    (q - p).cross(r - q)
}

/// The normal with which a quad is drawn: its voxel's, unless that looks elsewhere, as at the rim of a cut, where a voxel of the surface is seen from the side.
fn seen(quad: &Quad, [p, q, r, s]: [DVec3; 4]) -> DVec3 {
    let own = (r - p).cross(s - q).normalize_or(facing(quad));
    let of_voxel = quad.payload.normal();
    if of_voxel.dot(own) > ALIKE { of_voxel } else { own }
}

/// The cosine up to which a quad and its voxel look the same way.
const ALIKE: f64 = 0.5;

/// The corners of all quads, each once.
struct Lattice {
    /// In voxels from the origin of the grid.
    places: Vec<DVec3>,
    /// Those of each quad.
    corners: Vec<[u32; 4]>,
}

impl Lattice {
    fn of(quads: &[Quad]) -> Lattice {
        let key = |[x, y, z]: [u32; 3]| u64::from(x) | u64::from(y) << 16 | u64::from(z) << 32;
        let mut keys: Vec<u64> = quads.iter().flat_map(|quad| quad.corners.map(key)).collect();
        keys.par_sort_unstable();
        keys.dedup();
        let index = |corner| keys.partition_point(|&known| known < key(corner)) as u32;
        let corners = quads.par_iter().map(|quad| quad.corners.map(index)).collect();
        let part = |key: u64, shift: u32| f64::from((key >> shift) as u16);
        let places = keys.iter().map(|&key| DVec3::new(part(key, 0), part(key, 16), part(key, 32))).collect();
        Lattice { places, corners }
    }
}

/// The corners of a lattice, each moved towards the mean of its neighbours, and not far.
fn relaxed(lattice: &Lattice) -> Vec<DVec3> {
    let mut places = lattice.places.clone();
    for _ in 0..ROUNDS {
        let mut sums = vec![(DVec3::ZERO, 0.0); places.len()];
        for corners in &lattice.corners {
            for i in 0..4 {
                let (from, to) = (corners[i] as usize, corners[(i + 1) % 4] as usize);
                sums[from].0 += places[to];
                sums[from].1 += 1.0;
                sums[to].0 += places[from];
                sums[to].1 += 1.0;
            }
        }
        for ((place, &start), (sum, count)) in places.iter_mut().zip(&lattice.places).zip(sums) {
            *place = (sum / count).clamp(start - 0.5, start + 0.5);
        }
    }
    places
}

fn surface(
    quads: &[Quad],
    lattice: &Lattice,
    positions: Vec<DVec3>,
    normal: impl Fn(usize, &Quad, usize) -> DVec3,
) -> Surface {
    let (palette, indices) = palette_of(quads);
    let side = palette.len().isqrt();
    let mut mesh = Mesh { positions, ..Mesh::default() };
    for (index, quad) in quads.iter().enumerate() {
        let color = indices[index];
        let uv = Vec2::new((color % side) as f32 + 0.5, (color / side) as f32 + 0.5) / side as f32;
        for corner in 0..4 {
            mesh.corners.push(lattice.corners[index][corner]);
            mesh.normals.push(normal(index, quad, corner).as_vec3());
            mesh.uvs.push(uv);
        }
        mesh.end_loop();
        mesh.end_face(if quad.is_cut { Slot::INTERIOR } else { Slot(0) }, None);
    }
    Surface { mesh, palette }
}

/// The colours of all quads as a square, and which one each has. Where there are too many, those that differ in their last bits become one.
fn palette_of(quads: &[Quad]) -> (Vec<[u8; 4]>, Vec<usize>) {
    let mut mask = 0xff_u8;
    loop {
        let color = |quad: &Quad| quad.payload.color().map(|x| x & mask);
        let mut colors: Vec<[u8; 4]> = quads.iter().map(color).collect();
        colors.sort_unstable();
        colors.dedup();
        if colors.len() <= MOST * MOST {
            let indices =
                quads.iter().map(|quad| colors.partition_point(|known| *known < color(quad))).collect();
            let side = (1..=MOST).find(|side| side * side >= colors.len()).unwrap_or(MOST);
            colors.resize(side.max(1) * side.max(1), [0; 4]);
            return (colors, indices);
        }
        mask <<= 1;
    }
}
