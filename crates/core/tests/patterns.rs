//! What holds for every pattern, whatever made it: cells are convex and fill the box without overlap, the two sides of a
//! cut carry the same identity and the same plane, and the same seed gives the same bits.

use std::collections::BTreeMap;

use glam::DVec3;
use smithereens::pattern::{
    Bricks, Falloff, Mortar, Pattern, PatternError, PatternKind, Planes, Points, Recipe, Slices, Spheres,
    Uniform, Web, Wood, wall_cut, whole_box,
};
use smithereens::{Aabb, Convex, Plane, Tolerance};
use smithereens_testing::assertions::{assert_convex_within, assert_no_overlap, assert_volume_conserved};
use smithereens_testing::chance::Chance;
use smithereens_testing::state_hash::hash_convexes;

fn random_box(chance: &mut Chance) -> Aabb {
    let scale = chance.magnitude(1e-3, 1e3);
    let size = DVec3::from_array(std::array::from_fn(|_| chance.magnitude(0.05, 1.0))) * scale;
    let center = chance.point() * size * 0.4;
    Aabb::new(center - size * 0.5, center + size * 0.5)
}

fn random_recipe(kind: PatternKind, chance: &mut Chance) -> Recipe {
    let bounds = random_box(chance);
    let (seed, cells, extent) = (chance.bits(), 1 + chance.below(60), bounds.extent());
    let growth = chance.between(0.5, 3.0);
    match kind {
        PatternKind::Voronoi => Recipe::Voronoi(Uniform { cells, bounds, seed }),
        PatternKind::Falloff => {
            Recipe::Falloff(Falloff { cells, exponent: chance.between(0.0, 2.9), bounds, seed })
        }
        PatternKind::Spheres => {
            let (spheres, radius) = (1 + chance.below(8), extent * chance.between(0.1, 1.0));
            Recipe::Spheres(Spheres { cells, spheres, radius, growth, bounds, seed })
        }
        PatternKind::Web => {
            let (sectors, rings) = (3 + chance.below(15), chance.below(7));
            let (radius, jitter) = (extent * chance.between(0.1, 1.0), chance.between(0.0, 1.0));
            Recipe::Web(Web { sectors, rings, radius, growth, jitter, bounds, seed })
        }
        PatternKind::Bricks => {
            let size = bounds.size() * (chance.point() * 0.4 + DVec3::splat(0.6));
            let thickness = size.min_element() * chance.between(0.01, 0.5);
            let mortar =
                [Mortar::None, Mortar::Sticks(thickness), Mortar::Crumbles(thickness)][chance.below(3)];
            Recipe::Bricks(Bricks { size, offset: chance.unit(), mortar, bounds })
        }
        PatternKind::Wood => {
            let width = bounds.size().min_element() * chance.between(0.3, 1.5);
            let (grain, length) = (chance.direction(), width * chance.between(2.0, 8.0));
            Recipe::Wood(Wood { grain, width, length, slant: chance.between(0.0, 1.4), bounds, seed })
        }
        PatternKind::Planes => {
            let (planes, spread) = (chance.below(9), chance.between(0.0, 1.0));
            Recipe::Planes(Planes { planes, spread, bounds, seed })
        }
        PatternKind::Slices => {
            let (direction, jitter) = (chance.direction(), chance.between(0.0, 1.0));
            Recipe::Slices(Slices { slices: cells, direction, jitter, bounds, seed })
        }
    }
}

/// An identity is one plane, to the bit; walls are walls.
#[track_caller]
fn assert_marks_agree(pattern: &Pattern) {
    let mut planes: BTreeMap<u64, Plane> = BTreeMap::new();
    for (wall, face) in whole_box(pattern.bounds()).faces().iter().enumerate() {
        planes.insert(wall as u64, face.halfspace().plane);
    }
    for (index, cell) in pattern.cells().iter().enumerate() {
        let mut seen = Vec::new();
        for face in cell.convex.faces() {
            let cut = face.cut.unwrap_or_else(|| panic!("cell {index} has a face without a mark"));
            let id = cut.id().number();
            assert!(!seen.contains(&id), "cell {index} has two faces on plane {id}");
            seen.push(id);
            let plane = face.halfspace().plane;
            let known = *planes.entry(id).or_insert(plane);
            assert_eq!(bits(known), bits(plane), "plane {id} differs in cell {index}");
            assert!(id >= 6 || cut == wall_cut(id as u8), "cell {index} is outside wall {id}");
        }
    }
}

fn bits(plane: Plane) -> [u64; 4] {
    let [x, y, z] = plane.normal.to_array();
    [x, y, z, plane.offset].map(|v| (v + 0.0).to_bits()) // + 0: -0 is 0
}

#[track_caller]
fn assert_sound(pattern: &Pattern) {
    assert_marks_agree(pattern);
    let tolerance = Tolerance::for_box(pattern.bounds());
    pattern.cells().iter().for_each(|c| assert_convex_within(&c.convex, &tolerance));
    let volumes = pattern.cells().iter().map(|c| c.convex.volume());
    assert_volume_conserved(pattern.bounds().volume(), volumes, 1e-9);
}

fn shapes(pattern: &Pattern) -> Vec<Convex> {
    pattern.cells().iter().map(|c| c.convex.clone()).collect()
}

#[test]
fn every_generator_makes_sound_patterns_from_any_parameters() {
    for (number, kind) in PatternKind::ALL.into_iter().enumerate() {
        for case in 0..150 {
            let recipe = random_recipe(kind, &mut Chance::new(number as u64 * 1000 + case));
            let pattern = recipe.pattern().unwrap_or_else(|e| panic!("case {case}: {e}: {recipe:?}"));
            println!("{kind} {case}: {recipe:?}");
            assert_sound(&pattern);
            let again = recipe.pattern().unwrap();
            assert_eq!(hash_convexes(&shapes(&pattern)), hash_convexes(&shapes(&again)));
            if case % 10 == 0 {
                assert_no_overlap(&shapes(&pattern), 1e-6);
            }
        }
    }
}

#[test]
fn another_seed_makes_another_pattern() {
    for kind in PatternKind::ALL {
        if matches!(kind, PatternKind::Bricks | PatternKind::Slices) {
            continue; // by number, these are regular
        }
        let hash = |seed| hash_convexes(&shapes(&kind.pattern(30, Aabb::cube(1.0), seed).unwrap()));
        assert_ne!(hash(1), hash(2), "{kind}");
    }
}

#[test]
fn patterns_by_name_are_sound_in_cubes_plates_and_beams() {
    for size in [DVec3::ONE, DVec3::new(1.0, 1.0, 0.02), DVec3::new(0.05, 2.0, 0.05)] {
        for kind in PatternKind::ALL {
            for cells in [1, 2, 17, 200] {
                println!("{kind} {cells} {size}");
                assert_sound(&kind.pattern(cells, Aabb::new(-size, size), 5).unwrap());
            }
        }
    }
}

#[track_caller]
fn assert_refused(result: Result<Pattern, PatternError>) {
    assert!(matches!(result, Err(PatternError::Parameter { .. })), "{result:?}");
}

#[test]
fn boxes_and_counts_out_of_range_are_refused() {
    let flat = Aabb::new(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0));
    for kind in PatternKind::ALL {
        assert_refused(kind.pattern(0, Aabb::cube(1.0), 0));
        assert_refused(kind.pattern(usize::MAX, Aabb::cube(1.0), 0));
        for bounds in [flat, Aabb::cube(f64::NAN), Aabb::cube(f64::INFINITY), Aabb::EMPTY] {
            assert_eq!(kind.pattern(9, bounds, 0).unwrap_err(), PatternError::NoBox);
        }
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    for value in [f64::NAN, f64::INFINITY, -1.0] {
        assert_refused(Spheres { radius: value, ..Spheres::default() }.pattern());
        assert_refused(Spheres { growth: value, ..Spheres::default() }.pattern());
        assert_refused(Falloff { exponent: value, ..Falloff::default() }.pattern());
        assert_refused(Web { jitter: value, ..Web::default() }.pattern());
        assert_refused(Web { radius: value, ..Web::default() }.pattern());
        assert_refused(Slices { jitter: value, ..Slices::default() }.pattern());
        assert_refused(Slices { direction: DVec3::splat(value * 0.0), ..Slices::default() }.pattern());
        assert_refused(Planes { spread: value, ..Planes::default() }.pattern());
        assert_refused(Bricks { offset: value, ..Bricks::default() }.pattern());
        assert_refused(Bricks { mortar: Mortar::Sticks(value), ..Bricks::default() }.pattern());
        assert_refused(Bricks { size: DVec3::new(0.5, value, 0.5), ..Bricks::default() }.pattern());
        assert_refused(Wood { width: value, ..Wood::default() }.pattern());
        assert_refused(Wood { grain: DVec3::splat(value * 0.0), ..Wood::default() }.pattern());
    }
    let stray = Points { points: vec![DVec3::ZERO, DVec3::NAN], ..Points::default() };
    assert_eq!(stray.pattern().unwrap_err(), PatternError::NotFinite(1));
}

#[test]
fn endless_patterns_are_refused() {
    for tiny in [1e-300, 1e-6] {
        assert_refused(Wood { width: tiny, ..Wood::default() }.pattern());
        assert_refused(Wood { length: tiny, ..Wood::default() }.pattern());
        assert_refused(Bricks { size: DVec3::splat(tiny), ..Bricks::default() }.pattern());
    }
    let bounds = Aabb::new(DVec3::ZERO, DVec3::new(1.0, 1.0, 1e-9));
    assert_refused(Wood { width: 1.5e-5, length: 1.5e-5, bounds, ..Wood::default() }.pattern());
    assert_refused(Web { sectors: 100_000, rings: 100_000, ..Web::default() }.pattern());
}
