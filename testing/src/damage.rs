//! Meshes as they come out of scanners, exporters and hurried hands: sound ones with damage, from a seed.

use glam::DVec3;
use smithereens_geometry::{Mesh, Solid};

use crate::chance::Chance;
use crate::fixtures;

/// A mesh with damage.
#[derive(Clone, Debug)]
pub struct DamagedCase {
    /// The shape, and what was done to it.
    pub name: String,
    /// What it was.
    pub sound: Solid,
    /// What it has become.
    pub mesh: Mesh,
    /// Whether so little was done that a repair must bring the volume back.
    pub is_small: bool,
}

/// A way to damage a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Some faces are gone.
    Delete,
    /// Half of all faces are gone.
    DeleteMany,
    /// Some faces look inward.
    Flip,
    /// All faces look inward.
    TurnInsideOut,
    /// Some faces are there twice, either way round.
    Duplicate,
    /// All faces are there twice, once each way round.
    DrawBothSides,
    /// Vertices have moved by a hair.
    Jitter,
    /// Vertices have moved a lot.
    Crumple,
    /// A vertex is NaN.
    PlantNan,
    /// A vertex is infinite.
    PlantInfinity,
    /// A corner refers to a vertex that is not there.
    LoseVertex,
    /// A second shell passes through the first.
    Overlap,
    /// No two faces share a vertex.
    MakeSoup,
    /// No two faces share a vertex, and none is where it was.
    MakeLooseSoup,
    /// A face sticks out of an edge.
    AddFin,
    /// Two vertices far from each other have become one.
    PinchVertices,
    /// Faces without area.
    AddSlivers,
}

impl Damage {
    /// All ways.
    pub const ALL: [Damage; 17] = [
        Damage::Delete,
        Damage::DeleteMany,
        Damage::Flip,
        Damage::TurnInsideOut,
        Damage::Duplicate,
        Damage::DrawBothSides,
        Damage::Jitter,
        Damage::Crumple,
        Damage::PlantNan,
        Damage::PlantInfinity,
        Damage::LoseVertex,
        Damage::Overlap,
        Damage::MakeSoup,
        Damage::MakeLooseSoup,
        Damage::AddFin,
        Damage::PinchVertices,
        Damage::AddSlivers,
    ];

    /// Whether what it leaves tells what was there.
    fn is_small(self) -> bool {
        use Damage::{Crumple, DeleteMany, MakeLooseSoup, Overlap, PinchVertices};
        !matches!(self, DeleteMany | Crumple | Overlap | MakeLooseSoup | PinchVertices)
    }

    /// Does it.
    pub fn apply(self, mesh: &mut Mesh, chance: &mut Chance) {
        let some = 1 + mesh.faces.len() / 50;
        match self {
            Damage::Delete => (0..some).for_each(|_| delete(mesh, chance)),
            Damage::DeleteMany => (0..mesh.faces.len() / 2).for_each(|_| delete(mesh, chance)),
            Damage::Flip => (0..some).for_each(|_| flip(mesh, chance)),
            Damage::TurnInsideOut => mesh.flip(),
            Damage::Duplicate => (0..some).for_each(|_| duplicate(mesh, chance)),
            Damage::DrawBothSides => {
                let mut back = mesh.clone();
                back.flip();
                mesh.append(&back);
            }
            Damage::Jitter => jitter(mesh, 1e-4, chance),
            Damage::Crumple => jitter(mesh, 0.1, chance),
            Damage::PlantNan => plant(mesh, f64::NAN, chance),
            Damage::PlantInfinity => plant(mesh, f64::NEG_INFINITY, chance),
            Damage::LoseVertex => {
                let corner = chance.below(mesh.corners.len());
                if let Some(corner) = mesh.corners.get_mut(corner) {
                    *corner = 1_000_000_000;
                }
            }
            Damage::Overlap => overlap(mesh, chance),
            Damage::MakeSoup => make_soup(mesh),
            Damage::MakeLooseSoup => {
                make_soup(mesh);
                jitter(mesh, 0.02, chance);
            }
            Damage::AddFin => add_fin(mesh, chance),
            Damage::PinchVertices => {
                let (a, b) = (any_vertex(mesh, chance), any_vertex(mesh, chance));
                mesh.corners.iter_mut().filter(|c| **c == a).for_each(|c| *c = b);
            }
            Damage::AddSlivers => (0..some).for_each(|_| add_sliver(mesh, chance)),
        }
    }
}

/// A fixture with one to three kinds of damage: the same for the same seed.
pub fn damaged_case(seed: u64) -> DamagedCase {
    let mut chance = Chance::new(seed);
    let (shape, sound) = match chance.below(6) {
        0 => ("box", fixtures::subdivided_box(DVec3::new(1.0, 2.0, 3.0), 4)),
        1 => ("ball", fixtures::ico_sphere(1.0, 3)),
        2 => ("torus", fixtures::torus(1.0, 0.4, 32, 16)),
        3 => ("hollow box", fixtures::hollow_box(1.0, 0.5)),
        4 => ("column", fixtures::column(0.5, 2.0, 9)),
        _ => ("spiky blob", fixtures::spiky_blob(0.6, 1.4, 2, chance.bits())),
    };
    let mut mesh = sound.mesh().clone();
    let kinds: Vec<Damage> =
        (0..1 + chance.below(3)).map(|_| Damage::ALL[chance.below(Damage::ALL.len())]).collect();
    kinds.iter().for_each(|kind| kind.apply(&mut mesh, &mut chance));
    // Of a coarse shape one face is much of it; two damages may hide each other's traces.
    let is_small = kinds.len() == 1 && kinds[0].is_small() && mesh.faces.len() > 100;
    DamagedCase { name: format!("seed {seed}: {shape}, {kinds:?}"), sound, mesh, is_small }
}

fn any_vertex(mesh: &Mesh, chance: &mut Chance) -> u32 {
    chance.below(mesh.positions.len()) as u32
}

/// Leaves a face without its corners, as if it were not there.
fn delete(mesh: &mut Mesh, chance: &mut Chance) {
    if mesh.faces.is_empty() {
        return;
    }
    let gone = chance.below(mesh.faces.len());
    let mut rest = Mesh { positions: std::mem::take(&mut mesh.positions), ..Mesh::default() };
    for face in (0..mesh.faces.len()).filter(|&f| f != gone) {
        rest.copy_face(mesh, face, |vertex| vertex);
    }
    *mesh = rest;
}

fn flip(mesh: &mut Mesh, chance: &mut Chance) {
    if !mesh.loop_ends.is_empty() {
        let range = mesh.loop_corners(chance.below(mesh.loop_ends.len()));
        mesh.corners[range].reverse();
    }
}

fn duplicate(mesh: &mut Mesh, chance: &mut Chance) {
    if mesh.faces.is_empty() {
        return;
    }
    let face = chance.below(mesh.faces.len());
    let mut corners: Vec<u32> = mesh.loops_of(face).next().map(<[u32]>::to_vec).unwrap_or_default();
    if chance.below(2) == 0 {
        corners.reverse();
    }
    push(mesh, &corners);
}

/// Adds a face, with attributes if the mesh has any.
fn push(mesh: &mut Mesh, corners: &[u32]) {
    let (normals, uvs) = (mesh.has_normals(), mesh.has_uvs());
    mesh.push_polygon(corners, Default::default());
    let count = mesh.corners.len();
    mesh.normals.resize(if normals { count } else { 0 }, Default::default());
    mesh.uvs.resize(if uvs { count } else { 0 }, Default::default());
}

fn jitter(mesh: &mut Mesh, share: f64, chance: &mut Chance) {
    let finite = mesh.positions.iter().copied().filter(|p| p.is_finite());
    let reach = smithereens_geometry::Aabb::of_points(finite).extent() * share;
    mesh.positions.iter_mut().for_each(|p| *p += chance.point() * reach);
}

fn plant(mesh: &mut Mesh, number: f64, chance: &mut Chance) {
    let vertex = chance.below(mesh.positions.len());
    if let Some(position) = mesh.positions.get_mut(vertex) {
        position[chance.below(3)] = number;
    }
}

fn overlap(mesh: &mut Mesh, chance: &mut Chance) {
    let mut second = mesh.clone();
    let away = chance.point() * 0.5;
    second.positions.iter_mut().for_each(|p| *p = *p * 0.9 + away);
    mesh.append(&second);
}

fn make_soup(mesh: &mut Mesh) {
    let place = |&v: &u32| mesh.positions.get(v as usize).copied().unwrap_or(DVec3::NAN);
    mesh.positions = mesh.corners.iter().map(place).collect();
    mesh.corners = (0..mesh.corners.len() as u32).collect();
}

fn add_fin(mesh: &mut Mesh, chance: &mut Chance) {
    if mesh.faces.is_empty() {
        return;
    }
    let edge = mesh.edges_of(chance.below(mesh.faces.len())).next();
    if let Some((a, b)) = edge {
        mesh.positions.push(chance.point() * 0.3);
        push(mesh, &[a, b, mesh.positions.len() as u32 - 1]);
    }
}

fn add_sliver(mesh: &mut Mesh, chance: &mut Chance) {
    let (a, b) = (any_vertex(mesh, chance), any_vertex(mesh, chance));
    push(mesh, &[a, b, a]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_is_the_same_damage_and_all_kinds_come_up() {
        let names: BTreeSet<String> = (0..400)
            .map(|seed| damaged_case(seed).name)
            .flat_map(|name| {
                let list = name.split('[').nth(1).unwrap_or_default().trim_end_matches(']').to_owned();
                list.split(", ").map(str::to_owned).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(names.len(), Damage::ALL.len());
        for seed in 0..20 {
            let (one, two) = (damaged_case(seed), damaged_case(seed));
            assert_eq!(format!("{:?}", one.mesh), format!("{:?}", two.mesh));
        }
    }
}
