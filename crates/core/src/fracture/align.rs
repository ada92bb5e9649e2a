//! Step 1: the pattern is moved to the impact, and the space around its box becomes cells too.

use glam::{DAffine3, DVec3};
use rayon::prelude::*;
use smithereens_geometry::{
    Aabb, Cell, Convex, Halfspace, Locator, Partition, Plane, PlaneId, Side, Skeleton,
};

use crate::pattern::Pattern;

/// The cells of an aligned pattern. Those from `around` on lie outside the pattern's box.
pub(crate) struct Aligned {
    pub partition: Partition,
    pub around: u32,
}

/// Cells a thread takes at a time.
const CELLS_A_TASK: usize = 32;

/// Moves a pattern by `body_from_pattern`; its planes get identities from `first_plane` on. Space
/// outside the pattern's box, as far as `reach`, becomes six more cells. `None` if the map is
/// singular.
pub(crate) fn align(
    pattern: &Pattern,
    body_from_pattern: &DAffine3,
    first_plane: u64,
    reach: &Aabb,
) -> Option<Aligned> {
    let pattern_from_body = body_from_pattern.inverse();
    if !pattern_from_body.is_finite() || body_from_pattern.matrix3.determinant() == 0.0 {
        return None;
    }
    let place =
        |convex: &Convex, skeleton: &Skeleton| Cell::placed(convex, skeleton, body_from_pattern, first_plane);
    let known = pattern.cells().par_iter().zip(pattern.skeletons()).with_min_len(CELLS_A_TASK);
    let mut cells =
        known.map(|(cell, skeleton)| place(&cell.convex, skeleton)).collect::<Option<Vec<_>>>()?;
    let around = cells.len() as u32;
    let local_reach = Aabb::of_points(reach.corners().map(|c| pattern_from_body.transform_point3(c)));
    if !pattern.bounds().contains_box(&local_reach) {
        for slab in slabs(pattern.bounds(), &local_reach) {
            cells.push(place(&slab, &Skeleton::of(&slab))?);
        }
    }
    let locator = Locator::new(pattern.grid().clone(), pattern_from_body, around..cells.len() as u32);
    Some(Aligned { partition: Partition { cells, locator }, around })
}

/// Six convex cells that fill the space between a box and the far box around it and `reach`.
fn slabs(inner: &Aabb, reach: &Aabb) -> Vec<Convex> {
    let outer = inner.union(*reach);
    let outer = outer.grown(outer.extent() * 0.1);
    let mut rest = Convex::from_box(&outer);
    let mut slabs = Vec::with_capacity(6);
    for wall in 0..6u8 {
        let axis = DVec3::AXES[wall as usize / 2];
        let (offset, outside) = if wall.is_multiple_of(2) {
            (inner.min.dot(axis), Side::Behind)
        } else {
            (inner.max.dot(axis), Side::Front)
        };
        let id = Some(PlaneId::new(wall as u64));
        let beyond = Halfspace { plane: Plane::new(axis, offset), side: outside, id };
        let (slab, left) = rest.split(&beyond);
        slabs.extend(slab);
        match left {
            Some(left) => rest = left,
            None => break,
        }
    }
    slabs
}
