//! What a convex hull holds whatever the points: all of them, no more than it must, the same for any order.

use glam::DVec3;
use smithereens_geometry::{Convex, Tolerance};
use smithereens_testing::assertions::assert_convex;
use smithereens_testing::chance::Chance;
use smithereens_testing::state_hash::hash_convexes;

fn sphere(count: usize, chance: &mut Chance) -> Vec<DVec3> {
    (0..count).map(|_| chance.direction()).collect()
}

fn grid(side: i32, step: DVec3) -> Vec<DVec3> {
    let place = |i: i32| DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
    (0..side * side * side).map(|i| place(i) * step).collect()
}

#[track_caller]
fn assert_hull(hull: &Convex, points: &[DVec3]) {
    assert_convex(hull);
    let slack = Tolerance::for_box(&hull.bounds()).length();
    for (index, &point) in points.iter().enumerate() {
        let depth = hull.depth(point);
        assert!(depth <= slack, "point {index} is {depth:e} outside");
    }
    for vertex in hull.vertices() {
        assert!(points.contains(vertex), "{vertex} is no point of the input");
    }
    // Euler, and no vertex inside an edge: three faces meet in each.
    let edges = (0..hull.faces().len()).map(|f| hull.face_vertices(f).len()).sum::<usize>() / 2;
    assert_eq!(hull.vertices().len() + hull.faces().len(), edges + 2);
    for vertex in 0..hull.vertices().len() as u32 {
        let faces = (0..hull.faces().len()).filter(|&f| hull.face_vertices(f).contains(&vertex)).count();
        assert!(faces >= 3, "{faces} faces meet in vertex {vertex}");
    }
}

/// All points on one side of the plane of three, for small sets of points in general position.
fn triangles_by_brute_force(points: &[DVec3]) -> usize {
    let count = points.len();
    let mut found = 0;
    for a in 0..count {
        for b in a + 1..count {
            for c in b + 1..count {
                let normal = (points[b] - points[a]).cross(points[c] - points[a]);
                let others = || (0..count).filter(|i| ![a, b, c].contains(i));
                let above = others().filter(|&i| normal.dot(points[i] - points[a]) > 0.0).count();
                found += (above == 0 || above == count - 3) as usize;
            }
        }
    }
    found
}

#[test]
fn random_points_have_the_faces_that_brute_force_finds() {
    for seed in 0..300 {
        let mut chance = Chance::new(seed);
        let points: Vec<DVec3> = (0..4 + chance.below(20)).map(|_| chance.point()).collect();
        let hull = Convex::hull(&points).unwrap();
        assert_hull(&hull, &points);
        assert_eq!(hull.faces().len(), triangles_by_brute_force(&points), "seed {seed}");
    }
}

#[test]
fn grids_are_boxes_of_six_faces_at_any_scale_and_place() {
    for (seed, side) in [2, 3, 5, 9].into_iter().enumerate() {
        let mut chance = Chance::new(seed as u64);
        for _ in 0..40 {
            // Powers of two and whole places: the grid is exact, and so is the answer.
            let scale = libm::ldexp(1.0, chance.below(40) as i32 - 20);
            let shift = DVec3::splat(chance.below(1000) as f64) * scale;
            let points: Vec<DVec3> = grid(side, DVec3::splat(scale)).iter().map(|p| *p + shift).collect();
            let hull = Convex::hull(&points).unwrap();
            assert_hull(&hull, &points);
            assert_eq!((hull.vertices().len(), hull.faces().len()), (8, 6));
        }
    }
}

#[test]
fn grids_that_are_turned_or_rounded_stay_convex() {
    for seed in 0..200 {
        let mut chance = Chance::new(seed);
        let turn = glam::DQuat::from_axis_angle(chance.direction(), chance.between(0.0, 6.0));
        let steps = [DVec3::splat(0.1), DVec3::new(0.1, 0.37, 1e-5), DVec3::new(1e-4, 1.0, 1e-4)];
        let points: Vec<DVec3> = grid(4, steps[chance.below(3)]).iter().map(|p| turn * *p).collect();
        assert_hull(&Convex::hull(&points).unwrap(), &points);
    }
}

#[test]
fn points_on_a_sphere_are_all_vertices() {
    for (count, seed) in [(10, 1), (100, 2), (1000, 3)] {
        let points = sphere(count, &mut Chance::new(seed));
        let hull = Convex::hull(&points).unwrap();
        assert_hull(&hull, &points);
        assert_eq!((hull.vertices().len(), hull.faces().len()), (count, 2 * count - 4));
    }
}

#[test]
fn slivers_needles_and_ulps_stay_convex() {
    for seed in 0..600 {
        let mut chance = Chance::new(seed);
        let thin = DVec3::new(1.0, chance.magnitude(1e-8, 1.0), chance.magnitude(1e-8, 1.0));
        let scale = chance.magnitude(1e-6, 1e6);
        let centers: Vec<DVec3> = (0..6).map(|_| chance.point() * thin * scale).collect();
        let mut near_one = |_| {
            let center = centers[chance.below(6)];
            chance.ulps(center, 3)
        };
        let points: Vec<DVec3> = (0..40).map(&mut near_one).collect();
        if let Some(hull) = Convex::hull(&points) {
            assert_hull(&hull, &points);
        }
    }
}

#[test]
fn the_order_does_not_matter_nor_do_repetitions() {
    for seed in 0..50 {
        let mut chance = Chance::new(seed);
        let mut points: Vec<DVec3> = grid(3, DVec3::ONE);
        points.extend((0..20).map(|_| chance.point() * 3.0));
        let hash = |points: &[DVec3]| hash_convexes([&Convex::hull(points).unwrap()]);
        let first = hash(&points);
        points.extend(points.clone());
        for i in (1..points.len()).rev() {
            points.swap(i, chance.below(i + 1));
        }
        assert_eq!(hash(&points), first);
    }
}

#[test]
fn flat_and_hostile_points_have_no_hull() {
    let flat: Vec<DVec3> = grid(5, DVec3::new(1.0, 1.0, 0.0));
    let line: Vec<DVec3> = grid(5, DVec3::X);
    let mut tilted: Vec<DVec3> = Vec::new();
    let mut chance = Chance::new(1);
    let (u, v) = (chance.direction(), chance.direction());
    tilted.extend((0..50).map(|_| u * chance.unit() + v * chance.unit()));
    let cube = grid(2, DVec3::ONE);
    let with = |p: DVec3| [&cube[..], &[p]].concat();
    for points in [
        vec![],
        vec![DVec3::ZERO; 10],
        cube[..3].to_vec(),
        flat,
        line,
        tilted,
        with(DVec3::NAN),
        with(DVec3::new(f64::INFINITY, 0.0, 0.0)),
    ] {
        assert!(Convex::hull(&points).is_none(), "{points:?}");
    }
    for scale in [1e300, 1e-300] {
        let hull = Convex::hull(&cube.iter().map(|p| *p * scale).collect::<Vec<_>>()).unwrap();
        assert_eq!((hull.vertices().len(), hull.faces().len()), (8, 6));
    }
}

/// A bound that only something quadratic would break, on the slowest machine.
#[test]
fn fifty_thousand_points_take_seconds_at_most() {
    let started = std::time::Instant::now();
    let ball = sphere(50_000, &mut Chance::new(7));
    let hull = Convex::hull(&ball).unwrap();
    assert_eq!(hull.vertices().len(), 50_000);
    let mut chance = Chance::new(8);
    let cloud: Vec<DVec3> = (0..50_000).map(|_| chance.point()).collect();
    assert!(Convex::hull(&cloud).unwrap().vertices().len() < 2000);
    let taken = started.elapsed().as_secs_f64();
    println!("two hulls of 50 000 points: {taken:.2} s");
    assert!(taken < 20.0, "{taken} s");
}
