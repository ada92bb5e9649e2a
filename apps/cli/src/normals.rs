//! Shading normals for models that have none: smooth, but for edges sharper than the crease angle.

use glam::{DVec3, Vec3};
use smithereens::Mesh;

/// The cosine of 40°: faces that meet at a larger angle have an edge between them.
const CREASE: f64 = 0.766;
/// The cosine beyond which a given normal is taken to look into the solid, as it does where a file's normals
/// contradict its winding.
const INWARD: f32 = -0.5;

/// Gives every corner a normal that has none, or one that looks inward. Others are kept.
pub fn complete(mesh: &mut Mesh) {
    let finite = mesh.positions.iter().all(|p| p.is_finite());
    let in_range = mesh.corners.iter().all(|&v| (v as usize) < mesh.positions.len());
    if !finite || !in_range {
        return; // no solid: the proof that follows names the culprit
    }
    let faces: Vec<DVec3> = (0..mesh.faces.len()).map(|f| mesh.face_normal(f)).collect();
    mesh.normals.resize(mesh.corners.len(), Vec3::ZERO);
    let usable = |normal: Vec3, face: usize| {
        normal.is_finite() && normal != Vec3::ZERO && normal.dot(faces[face].as_vec3()) > INWARD
    };
    let corners_of = |face: usize| mesh.face_corners(face);
    let missing: Vec<bool> = (0..mesh.faces.len())
        .flat_map(|face| corners_of(face).map(move |corner| (face, corner)))
        .map(|(face, corner)| !usable(mesh.normals[corner], face))
        .collect();
    if missing.iter().any(|&m| m) {
        for (corner, normal) in smooth(mesh, &faces).into_iter().enumerate().filter(|(c, _)| missing[*c]) {
            mesh.normals[corner] = normal;
        }
    }
}

/// A corner of a face at a vertex, with its angle as weight (Thürmer and Wüthrich 1998).
#[derive(Clone, Copy)]
struct Around {
    vertex: u32,
    corner: u32,
    face: u32,
    angle: f64,
}

fn smooth(mesh: &Mesh, faces: &[DVec3]) -> Vec<Vec3> {
    let mut around = corners_with_angles(mesh);
    around.sort_unstable_by_key(|a| (a.vertex, a.corner));
    let mut normals = vec![Vec3::ZERO; mesh.corners.len()];
    for group in around.chunk_by(|a, b| a.vertex == b.vertex) {
        for own in group {
            let normal = faces[own.face as usize];
            let near = group.iter().filter(|o| {
                let other = faces[o.face as usize];
                // A face without area takes the mean of all around it.
                o.face == own.face || normal == DVec3::ZERO || normal.dot(other) > CREASE
            });
            let sum: DVec3 = near.map(|o| faces[o.face as usize] * o.angle).sum();
            normals[own.corner as usize] = sum.normalize_or(normal).as_vec3();
        }
    }
    normals
}

fn corners_with_angles(mesh: &Mesh) -> Vec<Around> {
    let mut around = Vec::with_capacity(mesh.corners.len());
    for face in 0..mesh.faces.len() {
        for index in mesh.face_loops(face) {
            let range = mesh.loop_corners(index);
            let (start, count) = (range.start, range.len());
            let at = |i: usize| mesh.positions[mesh.corners[start + i % count] as usize];
            for i in 0..count {
                let (back, ahead) = (at(i + count - 1) - at(i), at(i + 1) - at(i));
                let angle = libm::atan2(back.cross(ahead).length(), back.dot(ahead));
                let corner = start + i;
                around.push(Around {
                    vertex: mesh.corners[corner],
                    corner: corner as u32,
                    face: face as u32,
                    angle,
                });
            }
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens::{Aabb, Convex, Slot};

    #[test]
    fn a_cube_keeps_its_edges_and_given_normals_stay() {
        let mut cube = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
        complete(&mut cube);
        for face in 0..6 {
            let flat = cube.face_normal(face).as_vec3();
            assert!(cube.face_corners(face).all(|c| cube.normals[c].abs_diff_eq(flat, 1e-6)));
        }
        let bent = Vec3::new(0.6, 0.0, 0.8);
        let face = (0..6).find(|&f| cube.face_normal(f) == DVec3::Z).unwrap();
        let corner = cube.face_corners(face).start;
        cube.normals[corner] = bent;
        complete(&mut cube);
        assert_eq!(cube.normals[corner], bent);
        cube.normals[corner] = -Vec3::Z;
        complete(&mut cube);
        assert!(cube.normals[corner].abs_diff_eq(Vec3::Z, 1e-6));
    }
}
