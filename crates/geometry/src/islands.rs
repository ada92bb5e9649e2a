//! The parts of a mesh that hang together.

use crate::{Mesh, UnionFind};

/// The faces of each part of a mesh that hangs together by shared vertices, in order of the first face.
///
/// In a [`crate::Solid`] every vertex has one fan of faces, so that sharing a vertex is sharing an edge.
pub fn islands(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut sets = joined_by_faces(mesh);
    let mut island_of_root = vec![u32::MAX; mesh.positions.len()];
    let mut islands: Vec<Vec<u32>> = Vec::new();
    for face in 0..mesh.faces.len() {
        let island = &mut island_of_root[sets.root(first_vertex(mesh, face)) as usize];
        if *island == u32::MAX {
            *island = islands.len() as u32;
            islands.push(Vec::new());
        }
        islands[*island as usize].push(face as u32);
    }
    islands
}

/// Whether all faces hang together.
pub(crate) fn is_in_one(mesh: &Mesh) -> bool {
    let mut sets = joined_by_faces(mesh);
    (1..mesh.faces.len()).all(|f| sets.root(first_vertex(mesh, f)) == sets.root(first_vertex(mesh, 0)))
}

fn first_vertex(mesh: &Mesh, face: usize) -> u32 {
    mesh.corners[mesh.face_corners(face).start]
}

/// The vertices, those of a face in one set.
fn joined_by_faces(mesh: &Mesh) -> UnionFind {
    let mut sets = UnionFind::new(mesh.positions.len());
    for face in 0..mesh.faces.len() {
        let first = first_vertex(mesh, face);
        mesh.corners[mesh.face_corners(face)].iter().for_each(|&vertex| sets.join(first, vertex));
    }
    sets
}
