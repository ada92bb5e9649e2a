//! How much of a solid lies beyond a plane, without cutting it.

use glam::DVec3;

use crate::{Mesh, Plane};

/// The volume of what a closed mesh has in front of a plane: under each face, what stands between it and the plane, with the sign that the
/// face has as seen along the normal.
pub(crate) fn volume_beyond(mesh: &Mesh, plane: &Plane) -> f64 {
    let at = |vertex: u32| mesh.positions[vertex as usize];
    let of_loop = |corners: &[u32]| {
        let Some((&first, rest)) = corners.split_first() else { return 0.0 };
        rest.windows(2).map(|pair| under_triangle([at(first), at(pair[0]), at(pair[1])], plane)).sum::<f64>()
    };
    (0..mesh.faces.len()).flat_map(|face| mesh.loops_of(face)).map(of_loop).sum()
}

/// The volume between a triangle and the plane, where it is in front of it.
fn under_triangle(triangle: [DVec3; 3], plane: &Plane) -> f64 {
    let heights = triangle.map(|corner| plane.distance(corner));
    // What is above the plane, or less what is below, has a corner of the triangle for its own.
    let tip = |i: usize| {
        let part = |other: usize| heights[i] / (heights[i] - heights[other]);
        part((i + 1) % 3) * part((i + 2) % 3) * heights[i]
    };
    let sum: f64 = heights.iter().sum();
    let is_above = heights.map(|height| height > 0.0);
    let lone = |above: bool| is_above.iter().position(|&is| is == above).unwrap_or(0);
    let height = match is_above.iter().filter(|&&is| is).count() {
        0 => return 0.0,
        1 => tip(lone(true)),
        2 => sum - tip(lone(false)),
        _ => sum,
    };
    let [a, b, c] = triangle;
    (b - a).cross(c - a).dot(plane.normal) * height / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Convex, Fit, Halfspace, Side, Slot};

    #[test]
    fn it_is_the_volume_that_a_cut_would_leave() {
        let points: Vec<DVec3> = (0..40)
            .map(|i| f64::from(i) * 0.7)
            .map(|t| {
                DVec3::new(libm::sin(t * 3.1), libm::cos(t * 1.7), libm::sin(t) + 0.2 * libm::cos(t * 9.0))
            })
            .collect();
        for convex in [Convex::from_box(&Aabb::cube(1.0)), Fit::Dop26.around(&points)] {
            let mesh = convex.to_mesh(Slot(0));
            for (i, normal) in points.iter().filter_map(|p| p.try_normalize()).enumerate() {
                let plane = Plane::new(normal, (i as f64 - 20.0) * 0.06);
                let front = Halfspace { plane, side: Side::Front, id: None };
                let cut = convex.clipped(&front).map_or(0.0, |half| half.volume());
                let beyond = volume_beyond(&mesh, &plane);
                assert!((cut - beyond).abs() < 1e-12, "plane {i}: {cut} by cutting, {beyond} by summing");
            }
        }
    }

    #[test]
    fn planes_through_corners_and_along_faces_leave_halves_and_all_or_nothing() {
        let mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
        for (offset, expected) in [(-1.5, 8.0), (-1.0, 8.0), (0.0, 4.0), (1.0, 0.0), (1.5, 0.0)] {
            assert_eq!(volume_beyond(&mesh, &Plane::new(DVec3::X, offset)), expected);
        }
        let diagonal = Plane::new(DVec3::new(1.0, 1.0, 0.0).normalize(), 0.0);
        assert!((volume_beyond(&mesh, &diagonal) - 4.0).abs() < 1e-12);
    }
}
