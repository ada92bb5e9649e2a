//! What must hold of every fracture: closed, conserved, connected, local, resumable.

use std::sync::Arc;
use std::time::Duration;

use glam::{DMat3, DVec3};
use smithereens::pattern::{Pattern, PatternKind};
use smithereens::{
    Aabb, Compound, Convex, Fit, FractureError, FractureJob, FractureOptions, Impact, Progress, Solid,
    fracture,
};
use smithereens_testing::adversarial::{pattern_case, point_case, volume_slack};
use smithereens_testing::chance::Chance;
use smithereens_testing::soundness::{assert_fracture_sound, hash_fracture};
use smithereens_testing::{fixtures, models, seeds};

fn whole(solid: Solid) -> Compound {
    Compound::from_solid(solid, Fit::Dop26)
}

fn in_place() -> Impact {
    Impact::at(DVec3::ZERO)
}

#[test]
fn every_fixture_breaks_along_every_pattern() {
    for (name, solid) in fixtures::all() {
        let compound = whole(solid);
        let bounds = compound.bounds().grown(compound.bounds().extent() * 0.01);
        for (seed, kind) in PatternKind::ALL.into_iter().enumerate() {
            let pattern = kind.pattern(25, bounds, seed as u64).unwrap();
            let options =
                FractureOptions { fit: [Fit::Aabb, Fit::Dop14, Fit::Dop26][seed % 3], min_volume: 0.0 };
            let broken = fracture(&compound, &pattern, &in_place(), &options).unwrap();
            println!("{name} {kind}: {} fragments", broken.fragments.len());
            assert!(broken.fragments.len() > 1);
            assert_fracture_sound(&compound, &broken, 1e-9);
        }
    }
}

/// The long version is `cargo run --release -p smithereens-testing --bin campaign`.
#[test]
fn nasty_cases_conserve_volume() {
    for seed in 0..300 {
        let (solid, pattern, name) = if seed % 2 == 0 {
            let case = point_case(seed);
            let pattern = Pattern::from_points(&case.points, case.bounds).unwrap();
            (case.solid, pattern, case.name)
        } else {
            let case = pattern_case(seed);
            (case.solid, case.pattern, case.name)
        };
        println!("{name}");
        let relative = 1e-9 + volume_slack(solid.mesh()) / solid.volume();
        let compound = whole(solid);
        let broken = fracture(&compound, &pattern, &in_place(), &FractureOptions::default()).unwrap();
        assert_fracture_sound(&compound, &broken, relative);
    }
}

#[test]
fn models_break_into_closed_pieces() {
    for model in models::watertight() {
        let Some(solid) = models::load(model.file) else { continue };
        let points = seeds::inside(&solid, 30, 1);
        let compound = whole(solid);
        let bounds = compound.bounds().grown(compound.bounds().extent() * 0.05);
        let pattern = Pattern::from_points(&points, bounds).unwrap();
        let broken = fracture(&compound, &pattern, &in_place(), &FractureOptions::default()).unwrap();
        println!("{}: {} fragments", model.file, broken.fragments.len());
        assert_fracture_sound(&compound, &broken, 1e-9);
    }
}

#[test]
fn twenty_hits_in_a_row_conserve_volume() {
    for (name, solid) in fixtures::all() {
        let mut chance = Chance::new(20);
        let (volume, extent) = (solid.volume(), solid.mesh().bounds().extent());
        let mut compounds = vec![whole(solid)];
        let mut lost = 0.0;
        for _ in 0..20 {
            let largest = (0..compounds.len())
                .max_by(|&a, &b| compounds[a].mass().volume.total_cmp(&compounds[b].mass().volume))
                .unwrap();
            let target = compounds.swap_remove(largest);
            let radius = extent * chance.between(0.1, 0.3);
            let points: Vec<DVec3> = (0..15).map(|_| chance.point() * radius).collect();
            let pattern = Pattern::from_points(&points, Aabb::cube(radius * 1.2)).unwrap();
            let mesh = target.pieces()[chance.below(target.pieces().len())].to_mesh();
            let point = mesh.positions[chance.below(mesh.positions.len())];
            let impact = Impact { radius, direction: chance.direction(), ..Impact::at(point) };
            let broken = fracture(&target, &pattern, &impact, &FractureOptions::default()).unwrap();
            assert_fracture_sound(&target, &broken, 1e-9);
            lost += broken.report.dropped.volume;
            compounds.extend(broken.fragments.into_iter().map(|f| f.compound));
        }
        let after: f64 = compounds.iter().map(|c| c.mass().volume).sum();
        let error = (after + lost - volume).abs() / volume;
        println!("{name}: {} compounds, volume off by {error:e}", compounds.len());
        assert!(error < 1e-8, "{name}: {error:e}");
    }
}

#[test]
fn a_budget_and_threads_do_not_change_a_bit() {
    let compound = whole(fixtures::trefoil(1.0, 0.25, 200, 24));
    let pattern = PatternKind::Falloff.pattern(60, Aabb::cube(1.0), 5).unwrap();
    let impact = Impact { radius: 0.9, ..Impact::at(compound.pieces()[0].to_mesh().positions[0]) };
    let options = FractureOptions::default();
    let at_once = hash_fracture(&fracture(&compound, &pattern, &impact, &options).unwrap());
    let mut job = FractureJob::new(&compound, &pattern, &impact, &options).unwrap();
    let mut steps = 0;
    while job.advance(Duration::ZERO) != Progress::Done {
        steps += 1;
    }
    assert!(steps > 10, "a large skin is cut cell by cell");
    assert_eq!(hash_fracture(&job.finish()), at_once);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let hash = pool.install(|| hash_fracture(&fracture(&compound, &pattern, &impact, &options).unwrap()));
        assert_eq!(hash, at_once, "{threads} threads");
    }
}

/// A wall of unit cubes.
fn wall(width: usize, height: usize) -> Compound {
    let cubes = (0..width * height).map(|i| {
        let min = DVec3::new((i % width) as f64, (i / width) as f64, 0.0);
        Convex::from_box(&Aabb::new(min, min + 1.0))
    });
    Compound::from_convexes(cubes.collect()).unwrap()
}

#[test]
fn a_users_convexes_are_bonded_where_faces_meet() {
    let wall = wall(20, 10);
    assert_eq!(wall.bonds().len(), 19 * 10 + 20 * 9);
    for bond in wall.bonds() {
        assert!((bond.area - 1.0).abs() < 1e-12);
        let plane = wall.plane_of(bond).unwrap();
        assert!(plane.distance(bond.centroid).abs() < 1e-12);
        let toward =
            wall.pieces()[bond.b as usize].mass().center - wall.pieces()[bond.a as usize].mass().center;
        assert!(plane.normal.dot(toward) > 0.0);
    }
}

#[test]
fn far_pieces_are_shared_and_stay_one_compound() {
    let wall = wall(20, 10);
    let impact = Impact { radius: 1.4, ..Impact::at(DVec3::new(5.0, 5.0, 0.5)) };
    let pattern = PatternKind::Voronoi.pattern(20, Aabb::cube(1.5), 3).unwrap();
    let broken = fracture(&wall, &pattern, &impact, &FractureOptions::default()).unwrap();
    assert_fracture_sound(&wall, &broken, 1e-9);
    let far: Vec<_> = broken.fragments.iter().filter(|f| f.colour.is_none()).collect();
    assert_eq!(far.len(), 1, "what is beyond the impact stays together");
    let shared = |piece| wall.pieces().iter().any(|p| Arc::ptr_eq(p, piece));
    let kept = far[0].compound.pieces().iter().filter(|p| shared(p)).count();
    assert_eq!(kept, wall.pieces().len() - broken.report.touched);
    assert!(broken.report.touched < 30);
}

#[test]
fn an_arch_that_loses_its_keystone_falls_in_two() {
    let block = |x: f64, y: f64| {
        Convex::from_box(&Aabb::new(DVec3::new(x, y, 0.0), DVec3::new(x + 1.0, y + 1.0, 1.0)))
    };
    let arch = vec![
        block(0., 0.),
        block(0., 1.),
        block(0., 2.),
        block(1., 2.),
        block(2., 2.),
        block(2., 1.),
        block(2., 0.),
    ];
    let arch = Compound::from_convexes(arch).unwrap();
    assert_eq!(arch.islands().len(), 1);
    let pattern = PatternKind::Voronoi.pattern(8, Aabb::cube(0.6), 1).unwrap();
    let impact = Impact { radius: 0.4, ..Impact::at(DVec3::new(1.5, 2.5, 0.5)) };
    let broken = fracture(&arch, &pattern, &impact, &FractureOptions::default()).unwrap();
    assert_fracture_sound(&arch, &broken, 1e-9);
    let legs = broken.fragments.iter().filter(|f| f.compound.mass().volume > 2.5).count();
    assert_eq!(legs, 2);
}

#[test]
fn cells_filled_by_pieces_are_welded_under_any_deformation() {
    let wall = wall(12, 12);
    let pattern = PatternKind::Voronoi.pattern(12, Aabb::cube(1.0), 4).unwrap();
    let deformation = DMat3::from_diagonal(DVec3::new(2.0, 1.5, -0.4));
    let impact = Impact { deformation, radius: 2.5, ..Impact::at(DVec3::new(6.0, 6.0, 0.5)) };
    let broken = fracture(&wall, &pattern, &impact, &FractureOptions::default()).unwrap();
    assert_fracture_sound(&wall, &broken, 1e-9);
    assert!(broken.report.welds > 0, "{:?}", broken.report);
}

#[test]
fn hit_glass_stays_covered_outside_the_impact() {
    let glass = whole(fixtures::plate(2.0, 2.0, 0.02));
    let pattern = PatternKind::Web.pattern(80, Aabb::cube(0.4), 9).unwrap();
    let impact = Impact { radius: 0.3, direction: DVec3::Z, ..Impact::at(DVec3::new(0.3, 0.2, 0.0)) };
    let broken = fracture(&glass, &pattern, &impact, &FractureOptions::default()).unwrap();
    assert_fracture_sound(&glass, &broken, 1e-9);
    let far = broken.fragments.iter().find(|f| f.colour.is_none()).unwrap();
    assert!(far.compound.pieces().len() > 4 && broken.fragments.len() > 10);
    // Every cut face between two pieces of what stays is covered by bonds: s = 1, nothing to draw.
    let open: f64 = far.exposed.iter().map(|e| e.area).sum();
    let around: f64 = std::f64::consts::TAU * 0.45 * 0.02;
    assert!(open < around * 1.5, "{open} of a hole's rim of about {around}");
}

#[test]
fn an_impact_far_outside_changes_nothing() {
    let compound = whole(fixtures::boxed(DVec3::ONE));
    let pattern = PatternKind::Voronoi.pattern(10, Aabb::cube(1.0), 1).unwrap();
    let impact = Impact { radius: 1.0, ..Impact::at(DVec3::splat(1e6)) };
    let broken = fracture(&compound, &pattern, &impact, &FractureOptions::default()).unwrap();
    assert_eq!((broken.fragments.len(), broken.report.touched), (1, 0));
    assert!(Arc::ptr_eq(&broken.fragments[0].compound.pieces()[0], &compound.pieces()[0]));
}

#[test]
fn impossible_impacts_are_refused() {
    let compound = whole(fixtures::boxed(DVec3::ONE));
    let pattern = PatternKind::Voronoi.pattern(10, Aabb::cube(1.0), 1).unwrap();
    let hit =
        |impact: Impact| fracture(&compound, &pattern, &impact, &FractureOptions::default()).map(|_| ());
    assert_eq!(hit(Impact { radius: 0.0, ..in_place() }), Err(FractureError::Radius(0.0)));
    assert!(matches!(hit(Impact { radius: f64::NAN, ..in_place() }), Err(FractureError::Radius(_))));
    assert_eq!(hit(Impact::at(DVec3::NAN)), Err(FractureError::NotFinite("point")));
    assert_eq!(hit(Impact { deformation: DMat3::ZERO, ..in_place() }), Err(FractureError::Singular));
    let options = FractureOptions { min_volume: -1.0, ..FractureOptions::default() };
    assert!(matches!(fracture(&compound, &pattern, &in_place(), &options), Err(FractureError::MinVolume(_))));
}

#[test]
fn small_pieces_are_dropped_and_reported() {
    let compound = whole(fixtures::ico_sphere(1.0, 3));
    let pattern = PatternKind::Voronoi.pattern(200, Aabb::cube(1.1), 1).unwrap();
    let options = FractureOptions { min_volume: 0.02, ..FractureOptions::default() };
    let broken = fracture(&compound, &pattern, &in_place(), &options).unwrap();
    assert!(broken.report.dropped.count > 0 && broken.report.dropped.volume > 0.0);
    assert_fracture_sound(&compound, &broken, 1e-9);
}
