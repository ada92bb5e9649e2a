//! The parts of a mesh that hang together.

use crate::{Mesh, UnionFind};

/// The faces of each part of a mesh that hangs together by shared vertices, in order of the first face.
///
/// In a [`crate::Solid`] every vertex has one fan of faces, so that sharing a vertex is sharing an edge.
pub fn islands(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut sets = UnionFind::new(mesh.positions.len());
    let first = |face: usize| mesh.corners[mesh.face_corners(face).start];
    for face in 0..mesh.faces.len() {
        for &vertex in &mesh.corners[mesh.face_corners(face)] {
            sets.join(first(face), vertex);
        }
    }
    let mut island_of_root = vec![u32::MAX; mesh.positions.len()];
    let mut islands: Vec<Vec<u32>> = Vec::new();
    for face in 0..mesh.faces.len() {
        let island = &mut island_of_root[sets.root(first(face)) as usize];
        if *island == u32::MAX {
            *island = islands.len() as u32;
            islands.push(Vec::new());
        }
        islands[*island as usize].push(face as u32);
    }
    islands
}
