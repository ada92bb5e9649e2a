//! What two skins have in common that do not fill their convexes.
//!
//! Solids are not intersected here; points are asked instead. Parts of one solid lie in convexes that may overlap
//! where the parts do not. So it is asked first whether a place inside one, just below its surface, is inside the
//! other: an overlap that none of some hundred places meets counts as none. Then a grid of points tells how much of
//! one skin, as far as it is in the other's convex, is in the other's skin.

use glam::DVec3;
use smithereens_geometry::{Aabb, Convex, Inside, Mesh, Tolerance};

use crate::Piece;

/// Places below a surface that are asked.
const MOST_PLACES: usize = 512;

/// How far below the surface, in tolerances: enough that both skins agree where they are.
const BELOW: f64 = 1e4;

/// Points of the grid a side.
const SIDE: usize = 24;

/// A share is never less, so that a ghost weighs something, and never nearer to one, so that no fragment weighs nothing.
const LEAST: f64 = 0.01;

/// How much of what `a` has in the convex of `b` is also in the skin of `b`; `None` if they do not overlap.
pub(super) fn common_share(a: &Piece, b: &Piece, tolerance: &Tolerance) -> Option<f64> {
    let (first, second) = (a.skin()?, b.skin()?);
    let (in_first, in_second) = (Inside::of(first.mesh()), Inside::of(second.mesh()));
    let in_both = |point: DVec3| in_first.contains(point) && in_second.contains(point);
    let meet = places(first.mesh(), b.convex(), tolerance).any(in_both)
        || places(second.mesh(), a.convex(), tolerance).any(in_both);
    let (mut all, mut common) = (0, 0);
    for point in grid(a.bounds(), b.bounds()).filter(|&p| b.convex().contains(p) && in_first.contains(p)) {
        all += 1;
        common += u32::from(in_second.contains(point));
    }
    let share = f64::from(common) / f64::from(all.max(1));
    (meet || share > LEAST).then(|| share.clamp(LEAST, 1.0 - LEAST))
}

/// Places below the faces of a mesh that reach into a convex.
fn places(mesh: &Mesh, convex: &Convex, tolerance: &Tolerance) -> impl Iterator<Item = DVec3> {
    let below = tolerance.length() * BELOW;
    let place = move |face: usize| {
        let corners = &mesh.corners[mesh.face_corners(face)];
        let sum: DVec3 = corners.iter().map(|&v| mesh.positions[v as usize]).sum();
        sum / corners.len() as f64 - mesh.face_normal(face) * below
    };
    let inside: Vec<DVec3> = (0..mesh.faces.len()).map(place).filter(|&p| convex.contains(p)).collect();
    let step = inside.len().div_ceil(MOST_PLACES).max(1);
    inside.into_iter().step_by(step)
}

/// Points all over what two boxes have in common.
fn grid(a: &Aabb, b: &Aabb) -> impl Iterator<Item = DVec3> {
    let common = Aabb::new(a.min.max(b.min), a.max.min(b.max));
    let at = |i: usize| (i as f64 + 0.5) / SIDE as f64;
    let unit = move |i: usize| DVec3::new(at(i % SIDE), at(i / SIDE % SIDE), at(i / SIDE / SIDE));
    (0..SIDE * SIDE * SIDE).map(move |i| common.min + common.size() * unit(i))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DAffine3;
    use smithereens_geometry::{Fit, Halfspace, Plane, Slot, Solid};

    /// A wedge in the corner of its box, turned about z.
    fn wedge(turn: f64) -> Piece {
        let whole = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::new(4.0, 4.0, 1.0)));
        let half = whole.clipped(&Halfspace::behind(Plane::new(DVec3::new(0.6, 0.8, 0.0), 2.0))).unwrap();
        let mut mesh = half.to_mesh(Slot(0));
        mesh.transform(&DAffine3::from_rotation_z(turn));
        let solid = Solid::new(mesh).unwrap();
        Piece::surface(Fit::Aabb.around(&solid.mesh().positions), solid)
    }

    #[test]
    fn shares_are_those_of_what_overlaps() {
        let tolerance = Tolerance::for_extent(10.0);
        assert_eq!(common_share(&wedge(0.0), &wedge(0.0), &tolerance), Some(1.0 - LEAST));
        assert_eq!(common_share(&wedge(0.0), &wedge(std::f64::consts::PI), &tolerance), None);
        let share = common_share(&wedge(0.0), &wedge(0.3), &tolerance).unwrap();
        assert!((0.3..0.95).contains(&share), "{share}");
    }
}
