//! Fitted convexes enclose what is in them, stay within what they were given, and get tighter.

use glam::DVec3;
use smithereens_geometry::{Aabb, Convex, Cut, Fit, Halfspace, Plane, PlaneId, Side, Tolerance, Trimmer};
use smithereens_testing::chance::Chance;
use smithereens_testing::subjects;

/// Points in all the ways that hulls fail at.
fn nasty_points(seed: u64) -> Vec<DVec3> {
    let mut chance = Chance::new(seed);
    let count = 1 + chance.below(300);
    let mut points: Vec<DVec3> = match seed % 6 {
        0 => (0..count).map(|_| chance.direction()).collect(),
        1 => (0..count).map(|_| chance.point()).collect(),
        2 => (0..count).map(|i| Aabb::cube(1.0).corners()[i % 8]).collect(),
        3 => (0..count).map(|_| (chance.point() * 3.0).round()).collect(),
        4 => (0..count).map(|_| chance.ulps(DVec3::new(1.0, 2.0, 3.0), 2)).collect(),
        _ => (0..count).map(|_| DVec3::ONE * chance.unit()).collect(),
    };
    let scale = DVec3::new(1.0, chance.magnitude(1e-9, 1.0), chance.magnitude(1e-9, 1.0));
    let stretch = if chance.below(2) == 0 { DVec3::ONE } else { scale };
    let size = [1.0, 1e-150, 1e150, 1e-6, 1e6][chance.below(5)];
    let place = if chance.below(3) == 0 { chance.point() * size * 1e3 } else { DVec3::ZERO };
    points.iter_mut().for_each(|p| *p = *p * stretch * size + place);
    points.extend_from_within(..chance.below(count));
    points
}

#[test]
fn hulls_of_nasty_points_enclose_them_and_are_the_same_twice() {
    for seed in 0..600 {
        let points = nasty_points(seed);
        let bounds = Aabb::of_points(points.iter().copied());
        let slack = Tolerance::for_box(&bounds).length() * 2.0;
        for vertices in [0, 4, 7, 20, 255] {
            let fit = Fit::Hull { vertices };
            let convex = fit.around(&points);
            let out = points.iter().map(|&p| convex.depth(p)).fold(0.0, f64::max);
            assert!(out <= slack, "seed {seed}, {vertices} vertices: {out} outside");
            assert!(bounds.grown(slack).contains_box(&convex.bounds()), "seed {seed}: out of its box");
            // A flat set is fitted in 26 directions.
            assert!(convex.faces().len() <= 6 + 26.max(2 * usize::from(vertices)), "seed {seed}");
            assert_eq!(convex, fit.around(&points), "seed {seed}");
        }
    }
}

#[test]
fn more_vertices_are_tighter_down_to_the_hull() {
    for seed in (0..200).filter(|seed| seed % 6 < 2) {
        let mut chance = Chance::new(seed);
        let points: Vec<DVec3> = (0..100).map(|_| chance.direction() * chance.between(0.7, 1.0)).collect();
        let hull = Convex::hull(&points).unwrap().volume();
        let volumes = [4, 8, 16, 32, 250].map(|vertices| Fit::Hull { vertices }.around(&points).volume());
        assert!(volumes.is_sorted_by(|a, b| a >= b), "seed {seed}: {volumes:?}");
        assert!(volumes[0] < Fit::Aabb.around(&points).volume(), "seed {seed}");
        assert!((volumes[4] / hull - 1.0).abs() < 1e-9, "seed {seed}: {} for {hull}", volumes[4]);
    }
}

#[test]
fn a_fit_stays_within_the_convex_it_was_given_and_keeps_its_faces_in_their_planes() {
    for seed in 0..300 {
        let mut chance = Chance::new(seed);
        let mut points: Vec<DVec3> = (0..60).map(|_| chance.point() * 0.5).collect();
        points[..20].iter_mut().for_each(|p| p.x = 0.5);
        let wall = Plane::new(DVec3::X, 0.5);
        let id = PlaneId::new(seed);
        let shared = Halfspace { plane: wall, side: Side::Behind, id: Some(id) };
        let given = Convex::from_box(&Aabb::cube(1.0)).clipped(&shared).unwrap();
        for fit in [Fit::Aabb, Fit::Dop14, Fit::Dop26, Fit::HULL, Fit::Hull { vertices: 4 }] {
            let mut trimmer = Trimmer::default();
            trimmer.start(&given, points[0]);
            fit.tighten(&mut trimmer, &points, &Tolerance::for_extent(2.0));
            let convex = trimmer.finish();
            assert!(convex.vertices().iter().all(|&v| given.depth(v) < 1e-12), "seed {seed} {fit:?}");
            assert!(points.iter().all(|&p| convex.depth(p) < 1e-12), "seed {seed} {fit:?}");
            let face = convex.faces().iter().find(|f| f.cut == Some(Cut::new(id, Side::Behind)));
            assert_eq!(face.map(|f| f.plane), Some(wall), "seed {seed} {fit:?}");
        }
    }
}

#[test]
fn twenty_vertices_are_within_five_per_cent_of_the_true_hull_on_models() {
    for subject in subjects::watertight() {
        let points = &subject.solid.mesh().positions;
        let hull = Convex::hull(points).unwrap().volume();
        let convex = Fit::HULL.around(points);
        let slack = Tolerance::for_box(&subject.solid.mesh().bounds()).length();
        assert!(points.iter().all(|&p| convex.depth(p) <= slack), "{}", subject.name);
        let over = convex.volume() / hull - 1.0;
        assert!((-1e-9..0.05).contains(&over), "{}: {over} above the hull", subject.name);
    }
}
