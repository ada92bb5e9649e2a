//! The faces of a fragment that can be seen.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};
use smithereens::{Bond, Compound, Cut, Mesh, Side};

/// Bonds that cover this share of the faces of a cut hide them: what they miss is rounding.
const COVERED: f64 = 1.0 - 1e-6;

/// All faces of the pieces but those wholly between two of them, as one mesh in the compound's frame.
///
/// Every corner has a normal; if `with_uvs`, a texture coordinate too.
pub fn mesh(compound: &Compound, with_uvs: bool) -> Mesh {
    let bonded = bonded_areas(compound.bonds());
    let mut visible = Mesh::default();
    for (index, piece) in compound.pieces().iter().enumerate() {
        let mut mesh = piece.to_mesh();
        if mesh.normals.is_empty() {
            add_flat_attributes(&mut mesh, with_uvs);
        }
        let hidden = hidden_cuts(&mesh, index as u32, &bonded);
        let shown = |face: usize| mesh.faces[face].cut.is_none_or(|cut| hidden.binary_search(&cut).is_err());
        append(&mut visible, &mesh, shown);
    }
    visible.weld();
    visible
}

fn bonded_areas(bonds: &[Bond]) -> BTreeMap<(u32, Cut), f64> {
    let mut areas = BTreeMap::new();
    for bond in bonds {
        *areas.entry((bond.a, Cut::new(bond.id, Side::Behind))).or_default() += bond.area;
        *areas.entry((bond.b, Cut::new(bond.id, Side::Front))).or_default() += bond.area;
    }
    areas
}

/// The cuts of a piece whose faces are wholly covered by bonds, sorted.
fn hidden_cuts(mesh: &Mesh, piece: u32, bonded: &BTreeMap<(u32, Cut), f64>) -> Vec<Cut> {
    let mut areas: BTreeMap<Cut, f64> = BTreeMap::new();
    for (face, f) in mesh.faces.iter().enumerate() {
        if let Some(cut) = f.cut.filter(|&cut| bonded.contains_key(&(piece, cut))) {
            *areas.entry(cut).or_default() += mesh.face_area_vector(face).length() * 0.5;
        }
    }
    let is_covered = |(cut, area): &(Cut, f64)| bonded[&(piece, *cut)] >= area * COVERED;
    areas.into_iter().filter(is_covered).map(|(cut, _)| cut).collect()
}

/// Interior pieces have no attributes: they get what cuts give to the faces they make.
fn add_flat_attributes(mesh: &mut Mesh, with_uvs: bool) {
    mesh.normals = vec![Vec3::ZERO; mesh.corners.len()];
    mesh.uvs = vec![Vec2::ZERO; if with_uvs { mesh.corners.len() } else { 0 }];
    for face in 0..mesh.faces.len() {
        let normal = mesh.face_normal(face);
        let (u, v) = normal.try_normalize().map_or_else(Default::default, |n| n.any_orthonormal_pair());
        for corner in mesh.face_corners(face) {
            let p = mesh.positions[mesh.corners[corner] as usize];
            mesh.normals[corner] = normal.as_vec3();
            if let Some(uv) = mesh.uvs.get_mut(corner) {
                *uv = Vec2::new(p.dot(u) as f32, p.dot(v) as f32);
            }
        }
    }
}

/// Adds some faces of another mesh, all with the same attributes.
fn append(target: &mut Mesh, source: &Mesh, wanted: impl Fn(usize) -> bool) {
    let first = target.positions.len() as u32;
    target.positions.extend_from_slice(&source.positions);
    for face in (0..source.faces.len()).filter(|&face| wanted(face)) {
        for index in source.face_loops(face) {
            let range = source.loop_corners(index);
            target.corners.extend(source.corners[range.clone()].iter().map(|v| v + first));
            target.normals.extend(source.normals.get(range.clone()).unwrap_or_default());
            target.uvs.extend(source.uvs.get(range).unwrap_or_default());
            target.end_loop();
        }
        target.end_face(source.faces[face].slot, source.faces[face].cut);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use smithereens::{Aabb, Convex};

    #[test]
    fn the_wall_between_two_pieces_is_hidden() {
        let left = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::ONE));
        let right = Convex::from_box(&Aabb::new(DVec3::X, DVec3::new(2.0, 1.0, 1.0)));
        let tall = Convex::from_box(&Aabb::new(DVec3::X, DVec3::new(2.0, 2.0, 1.0)));
        let same = Compound::from_convexes(vec![left.clone(), right]).unwrap();
        let mesh = super::mesh(&same, true);
        assert_eq!(mesh.faces.len(), 10);
        assert!((mesh.area() - 10.0).abs() < 1e-12);
        assert_eq!((mesh.normals.len(), mesh.uvs.len()), (mesh.corners.len(), mesh.corners.len()));
        // The wall of the taller one looks over that of the other.
        let higher = Compound::from_convexes(vec![left, tall]).unwrap();
        assert_eq!(super::mesh(&higher, false).faces.len(), 11);
    }
}
