//! How the hulls of a decomposition's pieces grow with its nodes, in the solid itself.
//!
//! A corner of a hull lies on three planes: cuts between nodes, and faces of the solid. As nodes move their cuts move, and the corner stays where
//! all three meet. What a hull's volume grows by as a corner moves is a third of the area around it.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use smithereens_geometry::Mesh;

use super::decomposition::{Decomposition, nodes_beside};
use super::hull_volume::HullVolume;

const NONE: u32 = u32::MAX;
/// Planes that meet at a flatter angle than this tell nothing.
const FLAT: f64 = 1e-3;
/// A corner moves at most this many times as fast as a cut.
const FASTEST: f64 = 4.0;

/// The volume of the hulls of each node's pieces, and how that of all grows with each node.
pub(super) fn hulls_and_slopes(exact: &Decomposition) -> (Vec<f64>, Vec<DVec3>) {
    let nodes = exact.nodes();
    let of_node = |node: usize| exact.pieces_of(node).iter().map(move |piece| (node, piece));
    let pieces: Vec<_> = (0..nodes.len()).flat_map(of_node).collect();
    let measured: Vec<(f64, Vec<(u32, DVec3)>)> = pieces
        .par_iter()
        .map(|(_, piece)| match piece.skin() {
            Some(skin) => of_piece(skin.mesh(), nodes),
            None => of_piece(&piece.to_mesh(), nodes),
        })
        .collect();
    let mut slopes = vec![DVec3::ZERO; nodes.len()];
    let mut volumes = vec![0.0; nodes.len()];
    for ((node, _), (hull, pulls)) in pieces.iter().zip(measured) {
        volumes[*node] += hull;
        pulls.into_iter().for_each(|(node, pull)| slopes[node as usize] += pull);
    }
    (volumes, slopes)
}

fn of_piece(mesh: &Mesh, nodes: &[DVec3]) -> (f64, Vec<(u32, DVec3)>) {
    let mut growth: Vec<DVec3> = vec![DVec3::ZERO; mesh.positions.len()];
    let volume = HullVolume::with(|hull| {
        let volume = hull.of(&mesh.positions);
        hull.growth(|corner, grown| growth[corner as usize] += grown);
        volume
    });
    let corners = corners_on_cuts(mesh, &growth);
    let mut slopes = Vec::new();
    for corner in &corners {
        corner.add_slopes(mesh, nodes, growth[corner.vertex as usize], &mut slopes);
    }
    (volume, slopes)
}

/// The corners of a hull that lie on cuts: only those move with the nodes.
fn corners_on_cuts(mesh: &Mesh, growth: &[DVec3]) -> Vec<Corner> {
    let mut corners: Vec<Corner> = Vec::new();
    let mut corner_of: Vec<u32> = vec![NONE; mesh.positions.len()];
    let mut others: Vec<usize> = Vec::with_capacity(mesh.faces.len());
    for face in 0..mesh.faces.len() {
        let Some(pair) = mesh.faces[face].cut.and_then(|cut| nodes_beside(cut.id())) else {
            others.push(face);
            continue;
        };
        for &vertex in &mesh.corners[mesh.face_corners(face)] {
            if corner_of[vertex as usize] != NONE {
                corners[corner_of[vertex as usize] as usize].add_cut(pair);
            } else if growth[vertex as usize] != DVec3::ZERO {
                corner_of[vertex as usize] = corners.len() as u32;
                corners.push(Corner { vertex, cuts: Few::of(pair), faces: Few::default() });
            }
        }
    }
    for face in others {
        for &vertex in &mesh.corners[mesh.face_corners(face)] {
            if corner_of[vertex as usize] != NONE {
                corners[corner_of[vertex as usize] as usize].add_face(mesh, face);
            }
        }
    }
    corners
}

/// A corner of a hull on a cut.
struct Corner {
    vertex: u32,
    /// The nodes on both sides of each cut.
    cuts: Few<(u32, u32)>,
    /// Normals of faces of the solid, no two alike.
    faces: Few<DVec3>,
}

/// Three things at most: as many as it takes planes for a corner.
#[derive(Clone, Copy, Default)]
struct Few<T> {
    things: [T; 3],
    count: usize,
}

impl<T: Copy + Default> Few<T> {
    fn of(first: T) -> Few<T> {
        Few { things: [first, T::default(), T::default()], count: 1 }
    }

    fn push(&mut self, thing: T) {
        self.things[self.count] = thing;
        self.count += 1;
    }

    fn all(&self) -> &[T] {
        &self.things[..self.count]
    }
}

impl Corner {
    fn add_cut(&mut self, pair: (u32, u32)) {
        if self.cuts.count < 3 && !self.cuts.all().contains(&pair) {
            self.cuts.push(pair);
        }
    }

    fn add_face(&mut self, mesh: &Mesh, face: usize) {
        if self.cuts.count + self.faces.count < 3 {
            let normal = mesh.face_normal(face);
            if self.faces.all().iter().all(|f| f.cross(normal).length() > FLAT) {
                self.faces.push(normal);
            }
        }
    }

    fn add_slopes(&self, mesh: &Mesh, nodes: &[DVec3], growth: DVec3, slopes: &mut Vec<(u32, DVec3)>) {
        let at = mesh.positions[self.vertex as usize];
        let across = |&(a, b): &(u32, u32)| nodes[a as usize] - nodes[b as usize];
        let mut planes = Few::default();
        let normals = self.cuts.all().iter().map(across).chain(self.faces.all().iter().copied());
        normals.for_each(|normal| planes.push(normal));
        let [x, y, _] = planes.things;
        if planes.count == 2 {
            planes.push(x.cross(y));
        }
        let &[x, y, z] = planes.all() else { return };
        let meeting = DMat3::from_cols(x, y, z);
        if meeting.determinant().abs() <= FLAT * x.length() * y.length() * z.length() {
            return;
        }
        let share = (meeting.inverse() * growth).to_array();
        for ((a, b), (share, plane)) in self.cuts.all().iter().zip(share.into_iter().zip(planes.all())) {
            let most = FASTEST * growth.length() / plane.length();
            let share = share.clamp(-most, most);
            slopes.push((*a, (at - nodes[*a as usize]) * -share));
            slopes.push((*b, (at - nodes[*b as usize]) * share));
        }
    }
}
