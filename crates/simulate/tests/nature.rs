//! What breaks by nature in a world: along its faults, again and again, and as exactly as all else.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use glam::{DQuat, DVec3};
use smithereens::pattern::PatternKind;
use smithereens::{Aabb, Compound, Convex};
use smithereens_simulate::modes::{Brittle, BrittleOptions, CellOptions, Weakness};
use smithereens_simulate::{
    BodyId, Break, DebrisOptions, Explosion, Hit, LoadError, Log, Material, MaterialId, NewBody, Options,
    Pose, World, dust,
};
use smithereens_testing::fixtures;

const STONE: MaterialId = MaterialId(0);
const STEEL: MaterialId = MaterialId(4);

/// A dumbbell along x, two metres long, that breaks into some pieces.
fn dumbbell() -> (Compound, Arc<Weakness>) {
    static MADE: OnceLock<(Compound, Arc<Weakness>)> = OnceLock::new();
    let make = || {
        let cells = CellOptions { count: 900, ..CellOptions::default() };
        let options = BrittleOptions { cells, modes: 6, ..BrittleOptions::default() };
        let brittle = Brittle::of(&fixtures::dumbbell(24), &options).expect("a solid has modes");
        (brittle.compound, Arc::new(brittle.weakness))
    };
    MADE.get_or_init(make).clone()
}

fn of_stone(pose: Pose) -> NewBody {
    let (compound, weakness) = dumbbell();
    NewBody { weakness: Some(weakness), material: STONE, ..NewBody::at(compound, pose) }
}

fn ball(at: DVec3, velocity: DVec3) -> NewBody {
    let ball = Compound::from_convexes(vec![Convex::from_box(&Aabb::cube(0.15))]).expect("a box");
    NewBody { velocity, material: STEEL, ..NewBody::at(ball, Pose::at(at)) }
}

fn world(options: Options) -> World {
    let mut world = World::new(options, Material::table());
    world.add_ground(0.0, 0.7);
    world
}

fn blow(times: f64, radius: f64) -> Break {
    Break { above: times, pattern: PatternKind::Voronoi, cells: 12, radius }
}

fn count(world: &World) -> usize {
    world.destruction.bodies().count()
}

fn energy(world: &World) -> f64 {
    let bodies = world.destruction.bodies();
    bodies.filter_map(|(id, _)| Some(f64::from(world.rigid(id)?.kinetic_energy()))).sum()
}

/// How many of the pieces that modes leave a body has.
fn pieces(world: &World, id: BodyId) -> usize {
    let body = world.destruction.body(id).expect("a body");
    let weakness = body.weakness().expect("it breaks by nature");
    let mut of: Vec<u32> = body.compound().pieces().iter().map(|piece| weakness.piece_of(piece)).collect();
    of.sort_unstable();
    of.dedup();
    of.len()
}

/// Broken without a push where it rests, a body does not move: what its pieces collide as is free of overlap.
#[test]
fn fragments_start_at_rest() {
    let mut materials = Material::table();
    materials[0].push = 0.0;
    let mut world = World::new(Options { smallest: 0.0, ..Options::default() }, materials);
    world.physics.gravity = rapier3d::math::Vector::ZERO;
    let pose = Pose { turn: DQuat::from_rotation_y(0.4), at: DVec3::new(3.0, 1.0, -2.0) };
    let id = world.add(of_stone(pose)).expect("a dumbbell");
    let mass = world.destruction.mass();
    let at = pose.point(DVec3::new(0.9, 0.3, 0.0));
    assert!(world.hit(&Hit { body: id, at, direction: DVec3::NEG_Y, how: blow(1e4, 9.0) }));
    (0..100).for_each(|_| world.step());
    let most = dumbbell().1.pieces();
    assert!((most / 2..=most).contains(&count(&world)), "{} bodies of {most} pieces", count(&world));
    let energy = energy(&world);
    assert!(energy < 1e-6 * mass * 9.81, "{energy} J of {mass} kg");
}

#[test]
fn fragments_that_fall_settle() {
    let mut world = world(Options::default());
    for height in [2.0, 4.0, 6.0] {
        world
            .add(of_stone(Pose { turn: DQuat::from_rotation_z(height), at: DVec3::Y * height }))
            .expect("one");
    }
    let mass = world.mass();
    (0..900).for_each(|_| world.step());
    assert!(count(&world) > 5, "{} bodies", count(&world));
    assert!((world.mass() - mass).abs() < 1e-6 * mass);
    let lowest = world
        .destruction
        .bodies()
        .filter_map(|(id, body)| Some(world.pose(id)?.point(body.compound().mass().center).y));
    assert!(lowest.fold(f64::INFINITY, f64::min) > 0.0, "nothing sinks into the floor");
    let resting = world.destruction.resting();
    assert!(resting * 10 > count(&world) * 9 && energy(&world) < 1.0, "{resting} rest, {} J", energy(&world));
}

#[test]
fn a_blow_parts_faults_that_do_not_hold_it() {
    let struck = |times: f64, radius: f64| {
        let mut world = world(Options::default());
        let id = world.add(of_stone(Pose::at(DVec3::Y * 5.0))).expect("a dumbbell");
        let at = DVec3::new(0.9, 5.3, 0.0);
        assert!(world.hit(&Hit { body: id, at, direction: DVec3::NEG_Y, how: blow(times, radius) }));
        world.step();
        (count(&world), world.destruction.waiting(), world)
    };
    assert_eq!((struck(1e-3, 9.0).0, struck(1e-3, 9.0).1), (1, 0), "its faults hold");
    let (soft, hard) = (struck(1.5, 9.0).0, struck(1e4, 9.0).0);
    assert!(1 < soft && soft < hard, "{soft} and {hard}");
    let (near, _, world) = struck(1e4, 1.0);
    assert!(1 < near && near < hard, "{near} within a metre, {hard} in all");
    for (id, body) in world.destruction.bodies() {
        assert!(pieces(&world, id) >= 1 && body.compound().islands().len() == 1);
    }
}

/// A fragment breaks along the faults it has left, and what is one piece breaks as its material does.
#[test]
fn fragments_break_again() {
    let mut world = world(Options { cool_down: 0.05, smallest: 0.0, ..Options::default() });
    let id = world.add(of_stone(Pose::at(DVec3::Y * 20.0))).expect("a dumbbell");
    let hit = |world: &mut World, body: BodyId, times: f64| {
        let center = world.destruction.body(body).expect("a body").compound().mass().center;
        let at = world.pose(body).expect("a pose").point(center);
        assert!(world.hit(&Hit { body, at, direction: DVec3::NEG_Y, how: blow(times, 0.6) }));
        (0..4).for_each(|_| world.step());
    };
    world.hit(&Hit { body: id, at: DVec3::Y * 20.2, direction: DVec3::NEG_Y, how: blow(1.5, 9.0) });
    (0..4).for_each(|_| world.step());
    let first = count(&world);
    let large = |world: &World| {
        let of = |&(id, _): &(BodyId, &smithereens_simulate::Body)| pieces(world, id);
        world.destruction.bodies().max_by_key(of).map(|(id, _)| id).expect("a body")
    };
    let body = large(&world);
    assert!(first > 1 && pieces(&world, body) > 1, "{first} bodies");
    hit(&mut world, body, 1e4);
    let second = count(&world);
    assert!(second > first, "{second} bodies after {first}");
    let whole = dumbbell().0.pieces().len();
    let all: usize = world.destruction.bodies().map(|(_, body)| body.compound().pieces().len()).sum();
    assert_eq!(all, whole, "nothing was cut");
    let one =
        world.destruction.bodies().map(|(id, _)| id).find(|&id| pieces(&world, id) == 1).expect("a piece");
    hit(&mut world, one, 1.0);
    let all: usize = world.destruction.bodies().map(|(_, body)| body.compound().pieces().len()).sum();
    assert!(count(&world) > second && all > whole, "one piece is cut by its material's pattern");
}

/// A ball that is too slow bounces off; a fast one breaks it and goes on with what it breaks loose.
#[test]
fn projectiles_and_explosions_break_it() {
    let shot = |speed: f64| {
        let options = Options { rest_after: f64::INFINITY, smallest: 0.0, ..Options::default() };
        let mut world = World::new(options, Material::table());
        world.physics.gravity = rapier3d::math::Vector::ZERO;
        world.add(of_stone(Pose::at(DVec3::Y * 2.0))).expect("a dumbbell");
        let ball = world.add(ball(DVec3::new(0.9, 2.0, -2.0), DVec3::Z * speed)).expect("a ball");
        let momentum = |world: &World| -> DVec3 {
            let of = |(id, _)| world.rigid(id).map(|r| r.linvel().as_dvec3() * f64::from(r.mass()));
            world.destruction.bodies().filter_map(of).sum()
        };
        let before = momentum(&world);
        (0..60).for_each(|_| world.step());
        let lost = momentum(&world).distance(before) / before.length();
        assert!(lost < 0.01, "{lost} of the momentum at {speed} m/s");
        (count(&world) - 1, f64::from(world.rigid(ball).expect("a ball").linvel().z))
    };
    let (slow, fast) = (shot(2.0), shot(40.0));
    assert!(slow.0 == 1 && fast.0 > 1, "{slow:?} {fast:?}");
    let mut world = world(Options::default());
    world.add(of_stone(Pose::at(DVec3::Y * 3.0))).expect("a dumbbell");
    assert!(world.explode(&Explosion { at: DVec3::ZERO, radius: 6.0, force: 4e6, impulse: 6000.0 }));
    world.step();
    assert!(count(&world) > 1);
    let up = world.destruction.bodies().filter_map(|(id, _)| world.rigid(id)).map(|rigid| rigid.linvel().y);
    assert!(up.fold(f32::NEG_INFINITY, f32::max) > 1.0, "and is blown away");
}

#[test]
fn what_is_held_stays_and_the_rest_falls() {
    let mut world = world(Options { rest_after: f64::INFINITY, ..Options::default() });
    let anchors = vec![Aabb::new(DVec3::new(-2.0, -1.0, -1.0), DVec3::new(-0.9, 1.0, 1.0))];
    let held = NewBody { anchors, ..of_stone(Pose::at(DVec3::Y * 4.0)) };
    let id = world.add(held).expect("a dumbbell");
    (0..30).for_each(|_| world.step());
    assert!(world.rigid(id).is_some_and(|rigid| rigid.is_fixed()));
    let at = DVec3::new(0.9, 4.3, 0.0);
    assert!(world.hit(&Hit { body: id, at, direction: DVec3::NEG_Y, how: blow(2.0, 9.0) }));
    (0..60).for_each(|_| world.step());
    let fixed = world.destruction.bodies().filter(|(id, _)| world.rigid(*id).is_some_and(|r| r.is_fixed()));
    assert!(fixed.count() >= 1 && count(&world) > 1);
    let lowest = world.destruction.bodies().filter_map(|(id, _)| Some(world.pose(id)?.at.y));
    assert!(lowest.fold(f64::INFINITY, f64::min) < 3.0, "what is not held falls");
}

/// A fault of hundreds of faces is one joint: a dumbbell that is held at one end and weighed down at the other breaks at its neck.
#[test]
fn its_faults_bear_loads() {
    let mut materials = Material::table();
    materials[0].stress.tension = 2e6;
    materials[0].stress.shear = 4e6;
    let stands = |gravity: f32| {
        let options =
            Options { stress: true, gravity: DVec3::NEG_Y * f64::from(gravity), ..Options::default() };
        let mut world = World::new(options, materials.clone());
        world.physics.gravity = rapier3d::math::Vector::NEG_Y * gravity;
        let anchors = vec![Aabb::new(DVec3::new(-2.0, -1.0, -1.0), DVec3::new(-0.9, 1.0, 1.0))];
        world.add(NewBody { anchors, ..of_stone(Pose::at(DVec3::Y * 50.0)) }).expect("a dumbbell");
        (0..60).for_each(|_| world.step());
        count(&world)
    };
    assert_eq!(stands(1.0), 1, "it bears a tenth of its weight");
    assert!((2..6).contains(&stands(200.0)), "{} bodies under twenty times its weight", stands(200.0));
}

/// Shots, a fall, debris and dust: with all of it no mass is lost.
fn eventful(options: Options) -> World {
    let mut world = World::new(options, Material::table());
    world.keep_log();
    world.add_ground(0.0, 0.7);
    world.raise_dust(dust::Options::default()).expect("dust");
    world.shed_debris(DebrisOptions::default()).expect("debris");
    for (index, height) in [1.0, 3.0, 5.5].into_iter().enumerate() {
        let turn = DQuat::from_rotation_z(0.3 * index as f64);
        world.add(of_stone(Pose { turn, at: DVec3::new(0.2, height, 0.1) })).expect("a dumbbell");
    }
    world.add(ball(DVec3::new(0.9, 5.0, -3.0), DVec3::Z * 30.0)).expect("a ball");
    world
}

#[test]
fn no_mass_is_lost() {
    let mut world = eventful(Options { smallest: 2e-3, ..Options::default() });
    let mass = world.mass();
    for step in 0..240 {
        world.step();
        let now = world.mass();
        assert!((now - mass).abs() < 1e-6 * mass, "step {step}: {now} of {mass} kg");
    }
    assert!(count(&world) > 8, "{} bodies", count(&world));
    let debris = world.debris().expect("it has debris");
    assert!(!debris.chips().is_empty() && world.cloud().expect("it has dust").mass() > 0.0);
    assert!(world.destruction.frozen().is_empty());
}

#[test]
fn the_same_bits_on_one_thread_and_on_two() {
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut world = eventful(Options::default());
            (0..150).for_each(|_| world.step());
            (world.state_hash(), count(&world))
        })
    };
    let one = hash(1);
    assert!(one.1 > 8, "{} bodies", one.1);
    assert_eq!(one, hash(2));
}

#[test]
fn a_log_does_it_again_with_a_budget() {
    let mut world = eventful(Options { budget: Some(Duration::from_micros(30)), ..Options::default() });
    (0..150).for_each(|_| world.step());
    let bytes = world.log().expect("a log").to_bytes();
    let once = dumbbell().1.to_bytes().expect("bytes").len();
    assert!(bytes.len() < 2 * once + 4_000_000, "a weakness is saved once: {} bytes", bytes.len());
    let again = Log::from_bytes(&bytes).expect("a log").replay();
    assert_eq!(again.state_hash(), world.state_hash());
    assert!(count(&world) > 4, "{} bodies", count(&world));
}

#[test]
fn a_saved_world_goes_on_to_the_same_bits() {
    let mut world = eventful(Options::default());
    (0..70).for_each(|_| world.step());
    assert!(count(&world) > 4, "{} bodies", count(&world));
    let bytes = world.save();
    let mut again = World::load(&bytes).expect("a world");
    let shared = |world: &World| {
        let mut all: Vec<*const Weakness> =
            world.destruction.bodies().filter_map(|(_, body)| body.weakness().map(Arc::as_ptr)).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    assert_eq!((shared(&world), shared(&again)), (1, 1), "one weakness for all");
    for _ in 0..80 {
        world.step();
        again.step();
    }
    assert_eq!(again.state_hash(), world.state_hash());
    for damage in [bytes.len() / 2, bytes.len() / 3, bytes.len() - 30] {
        let mut bytes = bytes.clone();
        bytes[damage] ^= 4;
        assert_eq!(World::load(&bytes).err(), Some(LoadError::Damaged));
    }
}
