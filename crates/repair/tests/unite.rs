//! Shells that pass through one another become one: volumes are those of the union, and the surface is closed.

use glam::{DAffine3, DQuat, DVec3};
use smithereens_geometry::{Aabb, Convex, Mesh, Slot, Solid, winding_number};
use smithereens_repair::{Overlaps, RepairOptions, Repaired, StepKind, repair};
use smithereens_testing::assertions::{assert_closed, assert_finite};
use smithereens_testing::{chance::Chance, fixtures, state_hash::hash_mesh};

fn block(min: [f64; 3], max: [f64; 3]) -> Mesh {
    Convex::from_box(&Aabb::new(DVec3::from_array(min), DVec3::from_array(max))).to_mesh(Slot(0))
}

fn together(meshes: impl IntoIterator<Item = Mesh>) -> Mesh {
    meshes.into_iter().fold(Mesh::default(), |mut all, mesh| {
        all.append(&mesh);
        all
    })
}

/// Repairs a mesh, which must be done without a remesh.
fn united(mesh: &Mesh) -> Repaired {
    let repaired = repair(mesh, &RepairOptions::default()).unwrap();
    assert!(repaired.steps.iter().all(|s| s.kind != StepKind::Remesh), "{:?}", repaired.steps);
    assert_closed(repaired.solid.mesh());
    assert_finite(repaired.solid.mesh());
    repaired
}

fn shells_united(repaired: &Repaired) -> usize {
    repaired.steps.iter().find(|s| s.kind == StepKind::Unite).map_or(0, |s| s.changed)
}

fn assert_volume(mesh: &Mesh, expected: f64, shells: usize) {
    let repaired = united(mesh);
    let volume = repaired.solid.volume();
    assert!((volume / expected - 1.0).abs() < 1e-9, "{volume} for {expected}: {:?}", repaired.steps);
    assert_eq!(shells_united(&repaired), shells);
    let again = united(repaired.solid.mesh());
    assert_eq!(again.steps, [], "what is one stays as it is");
    assert_eq!(hash_mesh(again.solid.mesh()), hash_mesh(repaired.solid.mesh()));
}

#[test]
fn boxes_through_one_another_become_one() {
    let general = together([block([0.0; 3], [1.0; 3]), block([0.4, 0.3, 0.2], [1.5, 1.6, 1.7])]);
    assert_volume(&general, 1.0 + 1.1 * 1.3 * 1.5 - 0.6 * 0.7 * 0.8, 2);
    // Three bars that cross in the middle, mutually.
    let cross = [[3.0, 1.0, 1.0], [1.0, 3.0, 1.0], [1.0, 1.0, 3.0]];
    let bars = cross.map(|[x, y, z]| block([-x, -y, -z], [x, y, z]));
    assert_volume(&together(bars), 3.0 * 24.0 - 2.0 * 8.0, 3);
    let skew = [[3.0, 1.1, 0.9], [1.2, 3.0, 1.3], [0.7, 1.4, 3.0]];
    let bars = skew.map(|[x, y, z]| block([-x, -y, -z], [x, y, z]));
    assert_volume(
        &together(bars),
        union_of_boxes(&skew.map(|s| Aabb::new(-DVec3::from_array(s), DVec3::from_array(s)))),
        3,
    );
}

#[test]
fn a_box_in_a_box_goes_and_a_cavity_stays() {
    let nested = together([block([0.0; 3], [4.0; 3]), block([1.0; 3], [2.0; 3])]);
    assert_volume(&nested, 64.0, 1);
    let hollow = fixtures::hollow_box(4.0, 2.0);
    assert_eq!(united(hollow.mesh()).steps, []);
    // A block within the cavity is no overlap.
    let inner = fixtures::boxed(DVec3::splat(0.5)).into_mesh();
    let full = together([hollow.mesh().clone(), inner]);
    assert_eq!(united(&full).steps, []);
}

#[test]
fn boxes_with_faces_in_one_plane_become_one() {
    let base = block([0.0; 3], [2.0, 1.0, 1.0]);
    // Shifted along one side: four pairs of faces overlap in a plane.
    assert_volume(&together([base.clone(), block([1.0, 0.0, 0.0], [3.0, 1.0, 1.0])]), 3.0, 2);
    // Part of a face in one plane.
    assert_volume(
        &together([base.clone(), block([0.5, 0.5, 0.25], [1.5, 2.0, 1.0])]),
        2.0 + 1.0 * 1.0 * 0.75,
        2,
    );
    // Within a corner of it.
    assert_volume(&together([base.clone(), block([0.0; 3], [1.0, 0.5, 0.5])]), 2.0, 2);
    // Side by side: they touch, and nothing is counted twice.
    let side_by_side = together([base.clone(), block([2.0, 0.0, 0.0], [3.0, 1.0, 1.0])]);
    assert_eq!(united(&side_by_side).steps, []);
}

#[test]
fn columns_through_a_roof_are_one_house() {
    let roof = block([-3.0, 2.0, -3.0], [3.0, 2.5, 3.0]);
    let (radius, height) = (0.4, 4.0);
    let column = |x: f64, z: f64| {
        let mut mesh = fixtures::column(radius, height, 8).into_mesh();
        let low = mesh.bounds().min.y;
        mesh.transform(&DAffine3::from_translation(DVec3::new(x, -low, z)));
        mesh
    };
    let columns = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.1)].map(|(x, z)| column(x, z));
    let one = columns[0].signed_volume();
    let house = together(columns.into_iter().chain([roof]));
    let expected = 4.0 * one + 18.0 - 4.0 * one * 0.5 / column_height();
    assert_volume(&house, expected, 5);
}

fn column_height() -> f64 {
    fixtures::column(0.4, 4.0, 8).mesh().bounds().size().y
}

#[test]
fn a_torus_through_a_torus_and_balls_that_touch() {
    let torus = fixtures::torus(1.0, 0.3, 40, 20).into_mesh();
    let mut other = torus.clone();
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 0.3, 0.2).normalize(), 1.1);
    other.transform(&DAffine3::from_rotation_translation(turn, DVec3::new(0.9, 0.1, 0.05)));
    let both = together([torus, other]);
    assert_near_oracle(&both, &united(&both), 2_000, 7);
    let ball = fixtures::ico_sphere(1.0, 3).into_mesh();
    for gap in [2.0, 1.9999, 2.0 - 1e-9, 1.0] {
        let mut other = ball.clone();
        other.transform(&DAffine3::from_translation(DVec3::new(gap, 0.0, 0.0)));
        let both = together([ball.clone(), other]);
        assert_near_oracle(&both, &united(&both), 2_000, 8);
    }
}

#[test]
fn a_copy_goes_also_if_it_is_a_hair_away() {
    let knot = fixtures::trefoil(0.7, 0.2, 60, 8).into_mesh();
    for away in [0.0, 1e-12, 1e-9, 1e-6] {
        let mut copy = knot.clone();
        copy.transform(&DAffine3::from_translation(DVec3::splat(away)));
        let repaired = united(&together([knot.clone(), copy]));
        assert!(shells_united(&repaired) > 0);
        let error = (repaired.solid.volume() / knot.signed_volume() - 1.0).abs();
        assert!(error < 1e-9 + 100.0 * away, "{away}: {error}");
    }
}

/// At points by chance: the result winds once around what the shells wind around, and not at all around the rest.
fn assert_near_oracle(mesh: &Mesh, repaired: &Repaired, points: usize, seed: u64) {
    let (mut chance, bounds) = (Chance::new(seed), mesh.bounds());
    for _ in 0..points {
        let point = bounds.center() + chance.point() * bounds.size() * 0.5;
        let (before, after) = (winding_number(mesh, point), winding_number(repaired.solid.mesh(), point));
        let expected = f64::from(u8::from(before > 0.5));
        assert!((after - expected).abs() < 0.01, "seed {seed}: {point}: {before} became {after}");
    }
}

/// Inclusion and exclusion, over the grid that the sides of all boxes make.
fn union_of_boxes(boxes: &[Aabb]) -> f64 {
    let sides = |k: usize| {
        let mut sides: Vec<f64> = boxes.iter().flat_map(|b| [b.min[k], b.max[k]]).collect();
        sides.sort_by(f64::total_cmp);
        sides
    };
    let [xs, ys, zs] = [0, 1, 2].map(sides);
    let mut volume = 0.0;
    for x in xs.windows(2) {
        for y in ys.windows(2) {
            for z in zs.windows(2) {
                let middle = DVec3::new(x[0] + x[1], y[0] + y[1], z[0] + z[1]) * 0.5;
                if boxes.iter().any(|b| b.contains(middle)) {
                    volume += (x[1] - x[0]) * (y[1] - y[0]) * (z[1] - z[0]);
                }
            }
        }
    }
    volume
}

#[test]
fn boxes_by_chance_have_the_volume_of_their_union() {
    for seed in 0..300 {
        let mut chance = Chance::new(seed);
        let count = 2 + chance.below(5);
        // Every other time on a coarse grid, so that faces lie in one plane and edges on each other.
        let round = |x: f64| if seed % 2 == 0 { (x * 3.0).round() / 4.0 } else { x };
        let boxes: Vec<Aabb> = (0..count)
            .map(|_| {
                let (a, b) = (chance.point().map(round), chance.point().map(round));
                Aabb::new(a.min(b), a.max(b).max(a.min(b) + 0.25))
            })
            .collect();
        let mesh = together(boxes.iter().map(|b| Convex::from_box(b).to_mesh(Slot(0))));
        let expected = union_of_boxes(&boxes);
        let volume = united(&mesh).solid.volume();
        assert!((volume / expected - 1.0).abs() < 1e-9, "seed {seed}: {volume} for {expected}");
    }
}

fn turned(mesh: &Mesh, chance: &mut Chance, reach: f64) -> Mesh {
    let mut mesh = mesh.clone();
    let turn = DQuat::from_axis_angle(chance.direction(), chance.between(0.0, 6.0));
    let by = DAffine3::from_scale_rotation_translation(
        DVec3::splat(chance.between(0.4, 1.2)),
        turn,
        chance.point() * reach,
    );
    mesh.transform(&by);
    mesh
}

#[test]
fn shapes_by_chance_wind_once_around_everything_inside() {
    let shapes = [
        fixtures::boxed(DVec3::ONE).into_mesh(),
        fixtures::ico_sphere(0.8, 1).into_mesh(),
        fixtures::torus(0.8, 0.3, 12, 8).into_mesh(),
        fixtures::column(0.4, 2.0, 5).into_mesh(),
        fixtures::trefoil(0.7, 0.2, 24, 5).into_mesh(),
    ];
    for seed in 0..100 {
        let mut chance = Chance::new(seed);
        let count = 2 + chance.below(3);
        let mesh = together((0..count).map(|_| turned(&shapes[chance.below(5)], &mut chance, 0.7)));
        let repaired = united(&mesh);
        assert_near_oracle(&mesh, &repaired, 100, seed);
    }
}

#[test]
fn what_is_left_whole_keeps_its_attributes_and_cuts_get_theirs_in_between() {
    let mut a = fixtures::subdivided_box(DVec3::ONE, 4).into_mesh();
    a.uvs = a.corners.iter().map(|&v| a.positions[v as usize].truncate().as_vec2()).collect();
    let mut b = block([0.3, 0.3, 0.2], [1.7, 0.9, 0.8]);
    b.uvs = b.corners.iter().map(|&v| b.positions[v as usize].truncate().as_vec2()).collect();
    b.faces.iter_mut().for_each(|f| f.slot = Slot(3));
    let repaired = united(&together([a, b]));
    let mesh = repaired.solid.mesh();
    for (&vertex, uv) in mesh.corners.iter().zip(&mesh.uvs) {
        assert!((mesh.positions[vertex as usize].truncate().as_vec2() - *uv).length() < 1e-6);
    }
    assert!(mesh.faces.iter().any(|f| f.slot == Slot(3)) && mesh.faces.iter().any(|f| f.slot == Slot(0)));
}

#[test]
fn the_union_is_the_same_on_any_number_of_threads() {
    let mut chance = Chance::new(3);
    let torus = fixtures::torus(0.8, 0.3, 24, 12).into_mesh();
    let mesh = together((0..4).map(|_| turned(&torus, &mut chance, 0.6)));
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| hash_mesh(united(&mesh).solid.mesh()))
    };
    assert_eq!(hash(1), hash(2));
}

#[test]
fn solids_far_from_the_origin_and_of_any_size_unite() {
    for (scale, offset) in [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e5)] {
        let mut mesh = together([block([0.0; 3], [1.0; 3]), block([0.4, 0.3, 0.2], [1.5, 1.6, 1.7])]);
        mesh.positions.iter_mut().for_each(|p| *p = *p * scale + DVec3::splat(offset));
        let volume = united(&mesh).solid.volume() / (scale * scale * scale);
        assert!((volume - 2.809).abs() < 1e-6, "{volume}");
        assert!(Solid::new(mesh).is_ok());
    }
}

/// A knot so thick that it passes through itself.
#[test]
fn a_shell_through_itself_is_resolved_if_it_was_mended_or_if_asked() {
    let knot = fixtures::trefoil(1.0, 1.1, 96, 8).into_mesh();
    let kept = united(&knot);
    assert_eq!(kept.steps, [], "a watertight mesh stays as it is");
    let options = RepairOptions { overlaps: Overlaps::UniteAll, ..RepairOptions::default() };
    let resolved = repair(&knot, &options).unwrap();
    assert_eq!(shells_united(&resolved), 1, "{:?}", resolved.steps);
    assert!(resolved.solid.volume() < kept.solid.volume() * 0.999);
    let torn = knot.faces_in(0..knot.faces.len() - 1);
    let mended = united(&torn);
    assert_eq!(shells_united(&mended), 1, "{:?}", mended.steps);
    assert!((mended.solid.volume() / resolved.solid.volume() - 1.0).abs() < 0.01);
}
