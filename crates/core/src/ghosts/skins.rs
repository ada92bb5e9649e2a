//! Whether two skins overlap that do not fill their convexes.
//!
//! Parts of one solid lie in convexes that may overlap where the parts do not. So it is asked whether a place inside one, just below its surface, is
//! inside the other. A few hundred places are asked: an overlap that none of them meets counts as none.

use glam::DVec3;
use smithereens_geometry::{Convex, Inside, Mesh, Tolerance};

use crate::Piece;

/// Places a skin is asked at.
const MOST_PLACES: usize = 512;

/// How far below the surface, in tolerances: enough that both skins agree where they are.
const BELOW: f64 = 1e4;

/// Whether the solids in two pieces overlap.
pub(super) fn skins_overlap(a: &Piece, b: &Piece, tolerance: &Tolerance) -> bool {
    let (Some(first), Some(second)) = (a.skin(), b.skin()) else { return true };
    let (in_first, in_second) = (Inside::of(first.mesh()), Inside::of(second.mesh()));
    let in_both = |point: DVec3| in_first.contains(point) && in_second.contains(point);
    places(first.mesh(), b.convex(), tolerance).any(in_both)
        || places(second.mesh(), a.convex(), tolerance).any(in_both)
}

/// Places below the faces of a mesh that reach into a convex.
fn places(mesh: &Mesh, convex: &Convex, tolerance: &Tolerance) -> impl Iterator<Item = DVec3> {
    let below = tolerance.length() * BELOW;
    let place = move |face: usize| {
        let corners = &mesh.corners[mesh.face_corners(face)];
        let middle =
            corners.iter().map(|&v| mesh.positions[v as usize]).sum::<DVec3>() / corners.len() as f64;
        middle - mesh.face_normal(face) * below
    };
    let inside: Vec<DVec3> = (0..mesh.faces.len()).map(place).filter(|&p| convex.contains(p)).collect();
    let step = inside.len().div_ceil(MOST_PLACES).max(1);
    inside.into_iter().step_by(step)
}
