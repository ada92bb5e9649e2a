//! What of a compound can be seen.
//!
//! Pieces of one compound touch in faces that nobody sees: they are hidden where bonds cover them wholly, the
//! paper's s = 1 (Müller et al. 2013, section 3.1 and Figure 5), so that glass looks whole outside the impact and the
//! decomposition of a model does not show.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use smithereens_geometry::{Cut, Mesh, Side};

use crate::piece::summed;
use crate::{Bond, Compound, Piece};

/// Bonds that cover this share of the faces of a cut hide them: what they miss is rounding.
const COVERED: f64 = 1.0 - 1e-6;

impl Compound {
    /// The overlap s of a bond, from 0 to 1: the share that it covers of the faces of its plane on piece `a`, and on
    /// piece `b`.
    pub fn overlap(&self, bond: &Bond) -> [f64; 2] {
        [(bond.a, Side::Behind), (bond.b, Side::Front)].map(|(piece, side)| {
            let cut = Cut::new(bond.id, side);
            let areas = self.pieces[piece as usize].cut_areas();
            let found = areas.binary_search_by_key(&cut, |own| own.0);
            let area = found.map_or(0.0, |index| areas[index].1);
            if area > 0.0 { (bond.area / area).min(1.0) } else { 0.0 }
        })
    }

    /// All faces of the pieces but those wholly between two of them, as one mesh in the compound's frame. Pieces that
    /// overlap are drawn as they are; ghosts are not drawn.
    ///
    /// Every corner has a normal, and a texture coordinate if any skin has them.
    ///
    /// ```
    /// use smithereens::{Aabb, Compound, Convex};
    /// use glam::DVec3;
    /// let left = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::ONE));
    /// let right = Convex::from_box(&Aabb::new(DVec3::X, DVec3::new(2.0, 1.0, 1.0)));
    /// let pair = Compound::from_convexes(vec![left, right])?;
    /// assert_eq!(pair.visible_mesh().faces.len(), 10); // not the two between them
    /// # Ok::<(), smithereens::CompoundError>(())
    /// ```
    pub fn visible_mesh(&self) -> Mesh {
        let with_uvs = self.has_uvs();
        let mut visible = Mesh::default();
        for (piece, faces) in self.pieces.iter().zip(self.visible_faces()) {
            append(&mut visible, &piece.drawn_mesh(with_uvs), &faces);
        }
        visible.weld();
        visible
    }

    /// Whether any skin has texture coordinates.
    pub fn has_uvs(&self) -> bool {
        self.pieces.iter().any(|p| p.skin().is_some_and(|s| s.mesh().has_uvs()))
    }

    /// For each piece the faces of [what is drawn of it](Piece::to_mesh) that are seen: all but those wholly between pieces, and none of a
    /// ghost. Who draws many compounds that share pieces, such as a body before and after it lost some, draws the pieces once.
    ///
    /// ```
    /// use smithereens::{Aabb, Compound, Convex};
    /// use glam::DVec3;
    /// let left = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::ONE));
    /// let right = Convex::from_box(&Aabb::new(DVec3::X, DVec3::new(2.0, 1.0, 1.0)));
    /// let pair = Compound::from_convexes(vec![left, right])?;
    /// assert!(pair.visible_faces().iter().all(|faces| faces.len() == 5));
    /// # Ok::<(), smithereens::CompoundError>(())
    /// ```
    pub fn visible_faces(&self) -> Vec<Vec<u32>> {
        let seen = |(index, piece): (u32, &Arc<Piece>)| {
            if piece.is_ghost() {
                return Vec::new();
            }
            let hidden = self.hidden_cuts(index, piece);
            let is_seen = |cut: Option<Cut>| cut.is_none_or(|cut| hidden.binary_search(&cut).is_err());
            (0..).zip(piece.cuts()).filter(|(_, cut)| is_seen(*cut)).map(|(face, _)| face).collect()
        };
        (0..).zip(self.pieces.iter()).map(seen).collect()
    }

    /// The cuts of a piece whose faces are wholly covered by bonds, sorted. What two pieces cover that overlap, a ghost takes off once.
    fn hidden_cuts(&self, index: u32, piece: &Piece) -> Vec<Cut> {
        let side = |bond: &Bond| {
            let side = if bond.a == index { Side::Behind } else { Side::Front };
            let sign = self.pieces[bond.other(index) as usize].weight().signum();
            (Cut::new(bond.id, side), bond.area * sign)
        };
        let mut bonded = summed(self.bonds().of(index).iter().map(side).collect()).into_iter().peekable();
        let is_hidden = |(cut, area): &&(Cut, f64)| {
            while bonded.next_if(|own| own.0 < *cut).is_some() {}
            bonded.next_if(|own| own.0 == *cut).is_some_and(|(_, covered)| covered >= area * COVERED)
        };
        piece.cut_areas().iter().filter(is_hidden).map(|(cut, _)| *cut).collect()
    }
}

impl Piece {
    /// What is drawn, each corner with a normal, and with a texture coordinate if they are wanted.
    pub fn drawn_mesh(&self, with_uvs: bool) -> Mesh {
        let mut mesh = self.to_mesh();
        add_missing_attributes(&mut mesh, with_uvs);
        mesh
    }
}

/// Interior pieces have no attributes: they get what cuts give to the faces they make.
fn add_missing_attributes(mesh: &mut Mesh, with_uvs: bool) {
    let (no_normals, no_uvs) = (!mesh.has_normals(), with_uvs && !mesh.has_uvs());
    mesh.normals.resize(mesh.corners.len(), Vec3::ZERO);
    mesh.uvs.resize(if with_uvs { mesh.corners.len() } else { 0 }, Vec2::ZERO);
    for face in 0..if no_normals || no_uvs { mesh.faces.len() } else { 0 } {
        let normal = mesh.face_normal(face);
        let (u, v) = normal.try_normalize().map_or_else(Default::default, |n| n.any_orthonormal_pair());
        for corner in mesh.face_corners(face) {
            let p = mesh.positions[mesh.corners[corner] as usize];
            if no_normals {
                mesh.normals[corner] = normal.as_vec3();
            }
            if no_uvs {
                mesh.uvs[corner] = Vec2::new(p.dot(u) as f32, p.dot(v) as f32);
            }
        }
    }
}

/// Adds some faces of another mesh, all with the same attributes.
fn append(target: &mut Mesh, source: &Mesh, faces: &[u32]) {
    let first = target.positions.len() as u32;
    target.positions.extend_from_slice(&source.positions);
    faces.iter().for_each(|&face| target.copy_face(source, face as usize, |vertex| vertex + first));
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use smithereens_geometry::{Aabb, Convex};

    #[test]
    fn the_wall_between_two_pieces_is_hidden() {
        let left = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::ONE));
        let right = Convex::from_box(&Aabb::new(DVec3::X, DVec3::new(2.0, 1.0, 1.0)));
        let tall = Convex::from_box(&Aabb::new(DVec3::X, DVec3::new(2.0, 2.0, 1.0)));
        let same = Compound::from_convexes(vec![left.clone(), right]).unwrap();
        let mesh = same.visible_mesh();
        assert_eq!(mesh.faces.len(), 10);
        assert!((mesh.area() - 10.0).abs() < 1e-12);
        assert_eq!((mesh.normals.len(), mesh.uvs.len()), (mesh.corners.len(), 0));
        assert_eq!(same.overlap(&same.bonds().of(0)[0]), [1.0, 1.0]);
        // The wall of the taller one looks over that of the other.
        let higher = Compound::from_convexes(vec![left, tall]).unwrap();
        assert_eq!(higher.visible_mesh().faces.len(), 11);
        let [a, b] = higher.overlap(&higher.bonds().of(0)[0]);
        assert_eq!((a.min(b), a.max(b)), (0.5, 1.0));
    }
}
