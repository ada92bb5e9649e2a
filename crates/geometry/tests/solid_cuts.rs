//! Cuts of solids: whatever the plane hits, both parts are closed, nothing is lost, and the cut faces lie on each other.

use glam::{DQuat, DVec3};
use smithereens_geometry::{Aabb, Convex, Halfspace, Mesh, Plane, PlaneId, Side, Solid, Tolerance};
use smithereens_testing::adversarial::{cut_case, point_case, reach, volume_slack};
use smithereens_testing::assertions::{assert_closed, assert_cut_faces_match, assert_finite};
use smithereens_testing::fixtures;

#[track_caller]
fn assert_sound(part: &Solid, slack: f64) {
    assert_closed(part.mesh());
    assert_finite(part.mesh());
    assert!(part.volume() >= -slack, "a part is inside out: {}", part.volume());
}

#[test]
fn both_parts_of_a_nasty_cut_make_the_whole() {
    for seed in 0..6000 {
        let case = cut_case(seed);
        println!("{}", case.name);
        let mesh = case.solid.mesh();
        let halfspace = Halfspace { plane: case.plane, side: Side::Behind, id: Some(PlaneId::new(7)) };
        let (behind, front) = case.solid.split(&halfspace);
        let slack = volume_slack(mesh);
        behind.iter().chain(&front).for_each(|part| assert_sound(part, slack));
        let sum: f64 = behind.iter().chain(&front).map(Solid::volume).sum();
        let error = (sum - case.solid.volume()).abs();
        assert!(error <= slack, "{}: {error:e} of {:e} is lost", case.name, case.solid.volume());
        let tolerance = Tolerance::for_extent(reach(mesh));
        if let (Some(behind), Some(front), false) =
            (&behind, &front, tears_a_face(mesh, &case.plane, &tolerance))
        {
            assert_cut_faces_match(behind.mesh(), front.mesh(), &halfspace, &tolerance);
        }
    }
}

/// Whether a face lies in the plane and rounding puts some of its corners behind and some in front: then what of it
/// belongs to the cut is a matter of rounding, of its whole area but of no volume.
fn tears_a_face(mesh: &Mesh, plane: &Plane, tolerance: &Tolerance) -> bool {
    let torn = |face: usize| {
        let corners = || mesh.face_corners(face).map(|c| mesh.positions[mesh.corners[c] as usize]);
        let flat = corners().all(|p| plane.distance(p).abs() <= tolerance.length());
        let behind = corners().filter(|&p| plane.side(p) == Side::Behind).count();
        flat && behind > 0 && behind < corners().count()
    };
    (0..mesh.faces.len()).any(torn)
}

#[test]
fn a_part_is_where_it_should_be() {
    for seed in 0..3000 {
        let case = cut_case(seed);
        let halfspace = Halfspace::behind(case.plane);
        let Some(part) = case.solid.clipped(&halfspace) else { continue };
        let slack = Tolerance::for_extent(reach(case.solid.mesh())).length();
        for (vertex, &position) in part.mesh().positions.iter().enumerate() {
            let depth = halfspace.depth(position);
            assert!(depth <= slack, "{}: vertex {vertex} sticks out by {depth:e}", case.name);
        }
    }
}

#[test]
fn parts_cut_again_stay_closed() {
    for seed in 0..1500 {
        let first = cut_case(seed);
        let mut parts = vec![first.solid.clone()];
        let slack = volume_slack(first.solid.mesh());
        let center = first.solid.mesh().bounds().center();
        for turn in 0..4 {
            // Planes of the case, turned about the middle so that they meet in common lines.
            let axis = [DVec3::X, DVec3::Y, DVec3::Z][turn % 3];
            let normal = DQuat::from_axis_angle(axis, turn as f64) * first.plane.normal;
            let plane = Plane::new(normal, normal.dot(center));
            let halfspace = Halfspace { plane, side: Side::Behind, id: Some(PlaneId::new(turn as u64)) };
            let both = |part: &Solid| {
                let (behind, front) = part.split(&halfspace);
                behind.into_iter().chain(front)
            };
            parts = parts.iter().flat_map(both).collect();
        }
        parts.iter().for_each(|part| assert_sound(part, slack));
        let error = (parts.iter().map(Solid::volume).sum::<f64>() - first.solid.volume()).abs();
        assert!(error <= slack * 4.0, "{}: {error:e} is lost", first.name);
    }
}

#[test]
fn a_solid_clipped_by_all_cells_is_whole() {
    for seed in 0..500 {
        let case = point_case(seed);
        println!("{}", case.name);
        let slack = volume_slack(case.solid.mesh());
        let mut sum = 0.0;
        for cell in smithereens_geometry::voronoi(&case.points, &case.bounds) {
            if let Some(part) = case.solid.clipped_by(&cell.convex) {
                assert_sound(&part, slack);
                sum += part.volume();
            }
        }
        let error = (sum - case.solid.volume()).abs();
        let allowed = slack * case.points.len() as f64;
        assert!(error <= allowed, "{}: {error:e} of {:e} is lost", case.name, case.solid.volume());
    }
}

#[test]
fn a_box_around_takes_all_and_a_box_beside_nothing() {
    for (name, solid) in fixtures::all() {
        let around = Convex::from_box(&solid.mesh().bounds().grown(0.1));
        assert_eq!(solid.clipped_by(&around).unwrap().volume(), solid.volume(), "{name}");
        let beside = Aabb::new(DVec3::splat(50.0), DVec3::splat(51.0));
        assert!(solid.clipped_by(&Convex::from_box(&beside)).is_none(), "{name}");
    }
}
