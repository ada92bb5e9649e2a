//! What has settled rests and costs nothing, and wakes when it is hit or loses what carried it. Resting makes no energy.

use glam::{DQuat, DVec3};
use smithereens::pattern::PatternKind;
use smithereens::{Aabb, Compound, Convex};
use smithereens_simulate::{
    Body, BodyId, Break, Hit, Material, MaterialId, NewBody, Options, Physics, Pose, World,
};
use smithereens_testing::chance::Chance;

const STONE: MaterialId = MaterialId(0);
const STEEL: MaterialId = MaterialId(4);

fn boxed(half: DVec3) -> Compound {
    Compound::from_convexes(vec![Convex::from_box(&Aabb::new(-half, half))]).expect("a box")
}

/// A world in which fragments are pushed apart at a speed.
fn world(push: f64) -> World {
    let mut materials = Material::table();
    materials.iter_mut().for_each(|material| material.push = push);
    let mut world = World::new(Options::default(), materials);
    world.add_ground(0.0, 0.7);
    world
}

fn add(world: &mut World, half: DVec3, at: DVec3) -> BodyId {
    world.add(NewBody::at(boxed(half), Pose::at(at))).expect("a box")
}

fn steps(world: &mut World, count: usize) {
    (0..count).for_each(|_| world.step());
}

fn mass(world: &World, body: &Body) -> f64 {
    body.compound().mass().volume * world.destruction.materials()[body.material().0 as usize].density
}

fn kinetic(world: &World) -> f64 {
    let rigid = |(id, _)| world.rigid(id).filter(|rigid| rigid.is_dynamic());
    world.destruction.bodies().filter_map(rigid).map(|rigid| f64::from(rigid.kinetic_energy())).sum()
}

fn potential(world: &World) -> f64 {
    let height = |id: BodyId, body: &Body| {
        world.pose(id).map_or(0.0, |pose| pose.point(body.compound().mass().center).y)
    };
    world.destruction.bodies().map(|(id, body)| mass(world, body) * 9.81 * height(id, body)).sum()
}

#[test]
fn a_tower_comes_to_rest_and_nothing_is_awake() {
    let mut world = world(0.0);
    let tower: Vec<BodyId> = (0..5)
        .map(|i| add(&mut world, DVec3::splat(0.5), DVec3::new(0.0, 0.5 + f64::from(i), 0.0)))
        .collect();
    steps(&mut world, 60);
    assert_eq!(world.destruction.resting(), 5);
    assert_eq!(world.physics.islands.num_active_bodies(), 0);
    let hash = world.state_hash();
    steps(&mut world, 60);
    assert_eq!(hash, world.state_hash(), "what rests does not creep");
    let top = world.pose(tower[4]).expect("it is there").at.y;
    assert!((top - 4.5).abs() < 0.02, "{top}");
}

#[test]
fn what_loses_its_support_wakes_and_falls() {
    for way in ["break", "remove"] {
        let mut world = world(6.0);
        let foot = add(&mut world, DVec3::splat(0.5), DVec3::new(0.0, 0.5, 0.0));
        let upper: Vec<BodyId> =
            (1..4).map(|i| add(&mut world, DVec3::splat(0.5), DVec3::Y * (0.5 + f64::from(i)))).collect();
        let aside = add(&mut world, DVec3::splat(0.5), DVec3::new(30.0, 0.5, 0.0));
        steps(&mut world, 60);
        assert_eq!(world.destruction.resting(), 5);
        if way == "break" {
            let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 200, radius: 2.0 };
            assert!(world.hit(&Hit { body: foot, at: DVec3::Y * 0.5, direction: DVec3::Z, how }));
        } else {
            world.destruction.remove(&mut Physics::from(&mut world.physics), foot).expect("it was there");
        }
        let mut woke = false;
        for _ in 0..240 {
            world.step();
            woke |= !world.destruction.is_resting(upper[0]);
            assert!(world.destruction.is_resting(aside), "{way}: what stands aside sleeps on");
        }
        assert!(woke, "{way}: what stood on it woke");
        for (i, &id) in upper.iter().enumerate().filter(|_| way == "remove") {
            let is_low = world.pose(id).is_none_or(|pose| pose.at.y < 0.6 + i as f64);
            assert!(is_low, "{way}: {i} is at {:?}", world.pose(id));
        }
    }
}

/// Without gravity all momentum is the ball's, before and after, but for what edges that catch each other cost; and a blow makes no energy.
#[test]
fn a_hit_wakes_and_shares_its_momentum() {
    for (half, off) in [(0.3, 0.0), (0.3, 0.2), (0.1, 0.0), (0.1, 0.08), (0.5, 0.3)] {
        let mut world = World::new(Options::default(), Material::table());
        world.physics.gravity = DVec3::ZERO.as_vec3();
        let block = NewBody { material: STEEL, ..NewBody::at(boxed(DVec3::splat(half)), Pose::IDENTITY) };
        let block = world.add(block).expect("a block");
        steps(&mut world, 60);
        assert!(world.destruction.is_resting(block));
        let ball = NewBody::at(boxed(DVec3::splat(0.2)), Pose::at(DVec3::new(-half - 1.0, off, 0.0)));
        let ball = world.add(NewBody { velocity: DVec3::X * 3.0, material: STEEL, ..ball }).expect("a ball");
        let before = (3.0 * mass(&world, world.destruction.body(ball).unwrap()), kinetic(&world));
        steps(&mut world, 60);
        assert!(!world.destruction.is_resting(block), "{half} {off}: it is awake");
        let momentum = |id: BodyId| {
            let body = world.destruction.body(id).expect("nothing breaks");
            f64::from(world.rigid(id).expect("it is awake").linvel().x) * mass(&world, body)
        };
        let after = (momentum(block) + momentum(ball), kinetic(&world));
        assert!((after.0 - before.0).abs() < 0.3 * before.0, "{half} {off}: {after:?} of {before:?}");
        assert!(after.1 < 1.02 * before.1, "{half} {off}: {after:?} of {before:?}");
    }
}

/// Heavy and light things fall on a heap that rests, and break and wake what is in it: energy only ever goes.
#[test]
fn bombarding_a_heap_makes_no_energy() {
    let mut chance = Chance::new(3);
    let mut world = world(0.0);
    for i in 0..60 {
        let half = DVec3::splat(0.12) + (chance.point() + DVec3::ONE) * 0.15;
        let at =
            DVec3::new(f64::from(i % 4) * 0.7, 0.6 + f64::from(i / 16) * 1.1, f64::from(i / 4 % 4) * 0.7);
        add(&mut world, half, at);
    }
    steps(&mut world, 240);
    assert!(world.destruction.resting() > 50, "{} rest", world.destruction.resting());
    let mut most = kinetic(&world) + potential(&world);
    for step in 0..900 {
        if step % 60 == 0 {
            let half = [0.6, 0.1, 0.35][step / 60 % 3];
            let material = if step % 120 == 0 { STEEL } else { STONE };
            let turn = DQuat::from_rotation_x(chance.unit() * 3.0);
            let at = DVec3::new(1.0 + chance.point().x, 4.0, 1.0 + chance.point().z);
            let new = NewBody::at(boxed(DVec3::splat(half)), Pose { turn, at });
            let id = world
                .add(NewBody { velocity: DVec3::Y * -12.0, material, ..new })
                .expect("something to drop");
            let mass = mass(&world, world.destruction.body(id).unwrap());
            most += mass * (9.81 * 4.0 + 0.5 * 144.0);
        }
        world.step();
        let now = kinetic(&world) + potential(&world);
        assert!(now < 1.1 * most, "step {step}: {now} J after {most}");
        most = most.min(now);
    }
    assert!(world.destruction.bodies().count() > 100, "{}", world.destruction.bodies().count());
}

/// Rapier loses sight of the pairs of a collider whose place another takes within the step. A world in which a hundred heaps came and went is no
/// larger than one that had ten.
#[test]
fn what_breaks_and_goes_leaves_nothing_behind() {
    let mut world = world(1.0);
    let mut size_after = |rounds: usize| {
        for _ in 0..rounds {
            let heap: Vec<BodyId> =
                (0..4).map(|i| add(&mut world, DVec3::splat(0.5), DVec3::Y * (0.5 + f64::from(i)))).collect();
            steps(&mut world, 5);
            for body in heap {
                let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 60, radius: 2.0 };
                let at = world.pose(body).expect("it is there").at;
                assert!(world.hit(&Hit { body, at, direction: DVec3::Z, how }));
            }
            steps(&mut world, 8);
            let all: Vec<BodyId> = world.destruction.bodies().map(|(id, _)| id).collect();
            assert!(all.len() > 10, "{} fragments", all.len());
            all.into_iter().for_each(|id| drop(world.remove(id)));
            steps(&mut world, 2);
        }
        world.save().len()
    };
    let (few, many) = (size_after(10), size_after(90));
    assert!(many < few + few / 5, "{few} bytes became {many}");
}
