//! Thousands of fragments of all shapes are thrown on a heap: none of them stops the solver, leaves the world or shakes for ever.

use glam::{DQuat, DVec3};
use smithereens::{Compound, Convex};
use smithereens_simulate::{Material, NewBody, Options, Pose, SpawnError, World};
use smithereens_testing::chance::Chance;

/// A convex of any shape: slivers, needles, chips and lumps, from a centimetre to half a metre.
fn fragment(chance: &mut Chance) -> Option<Compound> {
    let size = 0.01 + 0.25 * chance.unit() * chance.unit();
    let stretch =
        [DVec3::ONE, DVec3::new(1.0, 0.03, 1.0), DVec3::new(0.04, 1.0, 0.04), DVec3::new(1.0, 0.002, 0.1)];
    let stretch = stretch[chance.below(stretch.len())];
    let count = 4 + chance.below(14);
    let points: Vec<DVec3> = (0..count).map(|_| chance.point() * stretch * size).collect();
    Compound::from_convexes(vec![Convex::hull(&points)?]).ok()
}

fn heap(count: usize, steps: usize, seed: u64) -> World {
    let mut chance = Chance::new(seed);
    let mut materials = Material::table();
    materials[0].strength = f64::INFINITY;
    let mut world = World::new(Options::default(), materials);
    world.add_ground(0.0, 0.7);
    let side = (count as f64).cbrt().ceil() as usize;
    for index in 0..count {
        let place =
            DVec3::new((index % side) as f64, (index / side / side) as f64, (index / side % side) as f64);
        let turn = DQuat::from_rotation_x(chance.unit() * 6.0) * DQuat::from_rotation_y(chance.unit() * 6.0);
        let pose = Pose { turn, at: place * 0.5 + DVec3::Y * 0.6 };
        let Some(compound) = fragment(&mut chance) else { continue };
        let thrown = NewBody { velocity: chance.point() * 2.0, ..NewBody::at(compound, pose) };
        match world.add(thrown) {
            Ok(_) | Err(SpawnError::Thin(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    (0..steps).for_each(|_| world.step());
    world
}

fn assert_settled(world: &World, name: &str) {
    assert!(world.destruction.frozen().is_empty(), "{name}: {:?}", world.destruction.frozen());
    let (mut fast, mut count) = (0, 0);
    for (id, body) in world.destruction.bodies() {
        let at = world.pose(id).expect("a place").point(body.center());
        assert!(at.is_finite() && at.length() < 200.0, "{name}: {id:?} is at {at}");
        assert!(at.y > -0.02, "{name}: {id:?} has sunk into the floor, to {}", at.y);
        count += 1;
        fast += usize::from(world.rigid(id).is_some_and(|rigid| rigid.linvel().length() > 1.0));
    }
    assert!(count > 500, "{name}: {count} bodies");
    assert!(fast * 100 <= count, "{name}: {fast} of {count} still move");
}

#[test]
fn fragments_of_all_shapes_settle() {
    assert_settled(&heap(1_000, 300, 1), "a thousand");
}

#[test]
fn ten_thousand_fragments_settle() {
    assert_settled(&heap(10_000, 480, 2), "ten thousand");
}
