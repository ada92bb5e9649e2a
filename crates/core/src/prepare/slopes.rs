//! How the hulls of a decomposition's pieces grow with its nodes, in the solid itself.
//!
//! A corner of a hull lies on three planes: cuts between nodes, and faces of the solid. As nodes move their cuts move, and the corner stays where
//! all three meet. What a hull's volume grows by as a corner moves is a third of the area around it.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use smithereens_geometry::Mesh;

use super::decomposition::{Decomposition, nodes_beside};
use super::hull_volume::HullVolume;

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
        .map_init(HullVolume::default, |hull, (_, piece)| match piece.skin() {
            Some(skin) => of_piece(skin.mesh(), nodes, hull),
            None => of_piece(&piece.to_mesh(), nodes, hull),
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

fn of_piece(mesh: &Mesh, nodes: &[DVec3], hull: &mut HullVolume) -> (f64, Vec<(u32, DVec3)>) {
    let volume = hull.of(&mesh.positions);
    let mut growth: Vec<DVec3> = vec![DVec3::ZERO; mesh.positions.len()];
    hull.growth().for_each(|(corner, grown)| growth[corner as usize] += grown);
    let mut corners: Vec<Corner> = Vec::new();
    let mut corner_of: Vec<Option<u32>> = vec![None; mesh.positions.len()];
    // Cuts first: only corners on one of them move.
    for is_cut in [true, false] {
        for face in 0..mesh.faces.len() {
            let between = mesh.faces[face].cut.and_then(|cut| nodes_beside(cut.id()));
            if between.is_some() != is_cut {
                continue;
            }
            for &vertex in &mesh.corners[mesh.face_corners(face)] {
                if growth[vertex as usize] == DVec3::ZERO {
                    continue;
                }
                match (between, corner_of[vertex as usize]) {
                    (Some(pair), None) => {
                        corner_of[vertex as usize] = Some(corners.len() as u32);
                        corners.push(Corner { vertex, cuts: vec![pair], faces: Vec::new() });
                    }
                    (Some(pair), Some(corner)) => corners[corner as usize].add_cut(pair),
                    (None, Some(corner)) => corners[corner as usize].add_face(mesh, face),
                    (None, None) => {}
                }
            }
        }
    }
    let mut slopes = Vec::new();
    for corner in &corners {
        corner.add_slopes(mesh, nodes, growth[corner.vertex as usize], &mut slopes);
    }
    (volume, slopes)
}

/// A corner of a hull on a cut.
struct Corner {
    vertex: u32,
    /// The nodes on both sides of each cut.
    cuts: Vec<(u32, u32)>,
    /// Normals of faces of the solid, no two alike.
    faces: Vec<DVec3>,
}

impl Corner {
    fn add_cut(&mut self, pair: (u32, u32)) {
        if self.cuts.len() < 3 && !self.cuts.contains(&pair) {
            self.cuts.push(pair);
        }
    }

    fn add_face(&mut self, mesh: &Mesh, face: usize) {
        if self.cuts.len() + self.faces.len() < 3 {
            let normal = mesh.face_normal(face);
            if self.faces.iter().all(|f| f.cross(normal).length() > FLAT) {
                self.faces.push(normal);
            }
        }
    }

    fn add_slopes(&self, mesh: &Mesh, nodes: &[DVec3], growth: DVec3, slopes: &mut Vec<(u32, DVec3)>) {
        let at = mesh.positions[self.vertex as usize];
        let across = |&(a, b): &(u32, u32)| nodes[a as usize] - nodes[b as usize];
        let mut planes: Vec<DVec3> = self.cuts.iter().map(across).chain(self.faces.iter().copied()).collect();
        if planes.len() == 2 {
            planes.push(planes[0].cross(planes[1]));
        }
        let &[x, y, z] = &planes[..] else { return };
        let meeting = DMat3::from_cols(x, y, z);
        if meeting.determinant().abs() <= FLAT * x.length() * y.length() * z.length() {
            return;
        }
        let share = (meeting.inverse() * growth).to_array();
        for ((a, b), (share, plane)) in self.cuts.iter().zip(share.into_iter().zip(&planes)) {
            let most = FASTEST * growth.length() / plane.length();
            let share = share.clamp(-most, most);
            slopes.push((*a, (at - nodes[*a as usize]) * -share));
            slopes.push((*b, (at - nodes[*b as usize]) * share));
        }
    }
}
