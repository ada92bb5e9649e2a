//! Cuts of convexes: both parts are convex and closed, make the whole, and meet in the same face.

use glam::DVec3;
use smithereens_geometry::{Aabb, Convex, Halfspace, Plane, PlaneId, Side, Slot, Tolerance};
use smithereens_testing::adversarial::{reach, volume_slack};
use smithereens_testing::assertions::{assert_convex, assert_cut_faces_match};
use smithereens_testing::chance::Chance;

/// A box cut by some planes, or a hull, at any scale and place, thin or not.
fn any_convex(chance: &mut Chance) -> Convex {
    let scale = chance.magnitude(1e-6, 1e6);
    let thin = DVec3::new(1.0, chance.magnitude(1e-4, 1.0), chance.magnitude(1e-4, 1.0));
    let place =
        if chance.below(4) == 0 { chance.direction() * chance.magnitude(1.0, 1e4) } else { DVec3::ZERO };
    let points: Vec<DVec3> =
        (0..8 + chance.below(20)).map(|_| (chance.point() * thin + place) * scale).collect();
    let boxed = Convex::from_box(&Aabb::of_points(points.iter().copied()));
    match chance.below(3) {
        0 => boxed,
        1 => Convex::hull(&points).unwrap_or(boxed),
        _ => {
            let cuts = chance.below(5);
            (0..cuts).fold(boxed, |convex, _| {
                let plane = any_plane(&convex, chance);
                let part = convex.clipped(&Halfspace::behind(plane));
                part.filter(|p| p.volume() > convex.volume() * 0.1).unwrap_or(convex)
            })
        }
    }
}

fn any_plane(convex: &Convex, chance: &mut Chance) -> Plane {
    let vertices = convex.vertices();
    let vertex = |chance: &mut Chance| vertices[chance.below(vertices.len())];
    let face = convex.faces()[chance.below(convex.faces().len())].plane;
    let plane = match chance.below(6) {
        0 => Plane::through(vertex(chance), chance.direction()),
        1 => {
            let [a, b, c] = [(); 3].map(|()| vertex(chance));
            Plane::through(a, (b - a).cross(c - a))
        }
        2 => Some(face),
        3 => Some(Plane { offset: chance.ulps(DVec3::splat(face.offset), 4).x, ..face }),
        4 => Plane::through(vertex(chance), (vertex(chance) - vertex(chance)).cross(chance.direction())),
        _ => Plane::through(convex.middle(), chance.direction()),
    };
    let plane = plane.unwrap_or(face);
    if chance.below(2) == 0 { plane } else { plane.flipped() }
}

#[test]
fn both_parts_are_convex_and_make_the_whole() {
    for seed in 0..20_000 {
        let mut chance = Chance::new(seed);
        let convex = any_convex(&mut chance);
        let plane = any_plane(&convex, &mut chance);
        println!("seed {seed}");
        assert_convex(&convex);
        let halfspace = Halfspace { plane, side: Side::Behind, id: Some(PlaneId::new(9)) };
        let (behind, front) = convex.split(&halfspace);
        let mesh = convex.to_mesh(Slot(0));
        let sum: f64 = behind.iter().chain(&front).map(Convex::volume).sum();
        let error = (sum - convex.volume()).abs();
        assert!(error <= volume_slack(&mesh), "seed {seed}: {error:e} of {:e} is lost", convex.volume());
        for part in behind.iter().chain(&front) {
            assert_closed_and_convex(part, seed, &mesh);
        }
        if let (Some(behind), Some(front)) = (&behind, &front) {
            let (behind, front) = (behind.to_mesh(Slot(0)), front.to_mesh(Slot(0)));
            let tolerance = Tolerance::for_extent(reach(&mesh));
            assert_cut_faces_match(&behind, &front, &halfspace, &tolerance);
        }
    }
}

#[track_caller]
fn assert_closed_and_convex(part: &Convex, seed: u64, whole: &smithereens_geometry::Mesh) {
    smithereens_testing::assertions::assert_closed(&part.to_mesh(Slot(0)));
    let slack = Tolerance::for_extent(reach(whole)).length();
    for (index, face) in part.faces().iter().enumerate() {
        let out = part.vertices().iter().map(|&v| face.plane.distance(v)).fold(0.0, f64::max);
        assert!(out <= slack, "seed {seed}: a vertex is {out:e} in front of face {index}");
        let off = part.face_points(index).map(|v| face.plane.distance(v).abs()).fold(0.0, f64::max);
        assert!(off <= slack, "seed {seed}: a vertex is {off:e} off face {index}");
    }
}

#[test]
fn parts_cut_again_and_again_fill_the_whole() {
    for seed in 0..500 {
        let mut chance = Chance::new(seed);
        let whole = any_convex(&mut chance);
        let mesh = whole.to_mesh(Slot(0));
        let mut parts = vec![whole.clone()];
        for _ in 0..6 {
            let plane = any_plane(&parts[chance.below(parts.len())], &mut chance);
            let both = |part: &Convex| {
                let (behind, front) = part.split(&Halfspace::behind(plane));
                behind.into_iter().chain(front)
            };
            parts = parts.iter().flat_map(both).collect();
        }
        let error = (parts.iter().map(Convex::volume).sum::<f64>() - whole.volume()).abs();
        assert!(error <= volume_slack(&mesh) * 8.0, "seed {seed}: {error:e} of {:e}", whole.volume());
        parts.iter().for_each(|part| assert_closed_and_convex(part, seed, &mesh));
    }
}
