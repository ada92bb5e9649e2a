//! How chips move: none goes through anything, none has more energy than it had, and they come to rest as stones do.

use glam::{DQuat, DVec3};
use rapier3d::prelude::*;
use smithereens::pattern::PatternKind;
use smithereens::{Aabb, Compound, Convex};
use smithereens_simulate::{
    Break, Chip, Debris, DebrisOptions, Destruction, Hit, Material, MaterialId, NewBody, Options, Physics,
    Pose, World,
};

fn boxed(half: DVec3) -> Compound {
    Compound::from_convexes(vec![Convex::from_box(&Aabb::new(-half, half))]).expect("a box")
}

/// Stone breaks into chips and nothing else, which are not thrown, and touch others as told.
fn world(friction: f64, restitution: f64) -> World {
    let mut materials = Material::table();
    (materials[0].friction, materials[0].restitution) = (friction, restitution);
    (materials[0].push, materials[0].debris) = (0.0, 0.0);
    let mut world = World::new(Options { smallest: 1.0, ..Options::default() }, materials);
    let options = DebrisOptions { smallest: 1e-3, life: f64::INFINITY, ..DebrisOptions::default() };
    world.shed_debris(options).expect("sound options");
    world
}

/// A block of stone that is nothing but chips in the next step.
fn burst(world: &mut World, at: DVec3, velocity: DVec3, cells: usize) {
    let block = NewBody { velocity, ..NewBody::at(boxed(DVec3::splat(0.15)), Pose::at(at)) };
    let body = world.add(block).expect("a block");
    let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells, radius: 0.4 };
    world.hit(&Hit { body, at, direction: DVec3::ZERO, how });
}

/// Something that is not ours, with this friction, turned about the z axis.
fn slab(world: &mut World, half: DVec3, at: DVec3, turn: f64, friction: f64) {
    let half = half.as_vec3();
    let turn = DQuat::from_rotation_z(turn);
    let slab = ColliderBuilder::cuboid(half.x, half.y, half.z).friction(friction as f32);
    let pose = rapier3d::math::Pose::from_parts(at.as_vec3(), turn.as_quat());
    world.physics.colliders.insert(slab.position(pose));
}

fn chips(world: &World) -> &[Chip] {
    world.debris().expect("debris").chips()
}

fn energy(world: &World) -> f64 {
    let of = |chip: &Chip| chip.mass() * (0.5 * chip.velocity().length_squared() + 9.81 * chip.pose().at.y);
    chips(world).iter().map(of).sum()
}

/// A plate of a centimetre, ours or not, across the way of chips at thirty metres a second.
#[test]
fn none_goes_through_a_thin_plate() {
    for (speed, is_ours) in [(30.0, false), (30.0, true), (100.0, true), (12.0, false)] {
        let mut world = world(0.5, 0.3);
        let half = DVec3::new(20.0, 20.0, 0.005);
        if is_ours {
            let held = vec![Aabb::new(DVec3::splat(-30.0), DVec3::splat(30.0))];
            let plate = NewBody { anchors: held, ..NewBody::at(boxed(half), Pose::IDENTITY) };
            world.add(NewBody { material: MaterialId(4), ..plate }).expect("a plate");
        } else {
            slab(&mut world, half, DVec3::ZERO, 0.0, 0.5);
        }
        world.step();
        burst(&mut world, DVec3::Z * -1.0, DVec3::new(2.0, 3.0, 1.0).normalize() * speed, 300);
        for _ in 0..60 {
            world.step();
            assert!(chips(&world).len() > 100);
            for chip in chips(&world) {
                assert!(chip.pose().at.z < -0.005, "{is_ours}, {speed} m/s: {:?}", chip.pose());
            }
        }
        let turned = chips(&world).iter().filter(|chip| chip.velocity().z < 0.0).count();
        assert!(turned * 10 > chips(&world).len() * 9, "{turned} came back");
    }
}

/// The same on triangles without a thickness.
#[test]
fn none_goes_through_a_mesh() {
    let mut world = world(0.5, 0.3);
    let corner = |x: f32, z: f32| Vector::new(x * 9.0, 0.0, z * 9.0);
    let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let floor = ColliderBuilder::trimesh(corners, vec![[0, 2, 1], [0, 3, 2]]).expect("a mesh");
    world.physics.colliders.insert(floor);
    world.step();
    burst(&mut world, DVec3::Y, DVec3::new(4.0, -30.0, 3.0), 200);
    for _ in 0..180 {
        world.step();
        assert!(chips(&world).len() > 80);
        for chip in chips(&world) {
            assert!(chip.pose().at.y > 0.9 * chip.radius(), "{:?} of {}", chip.pose(), chip.radius());
        }
    }
    assert!(world.debris().is_some_and(|debris| debris.flying() == 0));
}

/// Free chips never sink into what is flat, however fast they come and wherever it looks, and never have more energy than they had.
#[test]
fn none_sinks_or_gains_energy() {
    for (turn, restitution) in [(0.0, 0.0), (0.0, 1.0), (0.4, 0.5), (0.9, 0.9)] {
        let mut world = world(0.4, restitution);
        slab(&mut world, DVec3::new(300.0, 0.5, 300.0), DVec3::ZERO, turn, 0.4);
        world.physics.colliders.iter_mut().for_each(|(_, c)| c.set_restitution(restitution as f32));
        world.step();
        burst(&mut world, DVec3::Y * 3.0, DVec3::new(1.0, -14.0, 2.0), 200);
        world.step();
        let normal = DQuat::from_rotation_z(turn) * DVec3::Y;
        let mut before = energy(&world);
        for step in 0..200 {
            world.step();
            let now = energy(&world);
            // Places have single precision: a chip of a kilogram that is off by a hundredth of a millimetre.
            assert!(now <= before + 1e-3, "step {step}: {before} J and then {now}");
            before = now;
            for chip in chips(&world) {
                let height = chip.pose().at.dot(normal) - 0.5;
                assert!(height > 0.98 * chip.radius(), "{turn}: {height} of {}", chip.radius());
            }
        }
        assert!(chips(&world).len() > 80);
    }
}

/// Below the angle of friction chips stay on a slope, and above it they go, as fast as friction lets them.
#[test]
fn slopes_hold_what_friction_holds() {
    let friction: f64 = 0.5;
    let slope = |turn: f64| {
        let mut world = world(friction, 0.0);
        slab(&mut world, DVec3::new(300.0, 0.5, 300.0), DVec3::ZERO, turn, friction);
        world.step();
        burst(&mut world, DQuat::from_rotation_z(turn) * (DVec3::Y * 0.7), DVec3::ZERO, 60);
        (0..60).for_each(|_| world.step());
        assert!(chips(&world).len() > 20);
        world
    };
    let mut flat = slope(friction.atan() - 0.1);
    (0..120).for_each(|_| flat.step());
    assert_eq!(flat.debris().map(|debris| debris.flying()), Some(0));
    let steep = friction.atan() + 0.1;
    let mut world = slope(steep);
    let before: Vec<f64> = chips(&world).iter().map(|chip| chip.velocity().length()).collect();
    (0..60).for_each(|_| world.step());
    let wanted = 9.81 * (steep.sin() - friction * steep.cos());
    for (chip, before) in chips(&world).iter().zip(before) {
        let gain = chip.velocity().length() - before;
        assert!((gain / wanted - 1.0).abs() < 0.02, "faster by {gain} m/s in a second, not {wanted}");
    }
}

/// The smallest push that friction does not hold moves a chip, and a smaller one does not, not even over a long time.
#[test]
fn what_lies_on_a_slope_does_not_creep() {
    let mut world = world(0.5, 0.0);
    slab(&mut world, DVec3::new(300.0, 0.5, 300.0), DVec3::ZERO, 0.5_f64.atan() - 0.02, 0.5);
    // None comes to lie: all are moved in every step.
    let options =
        DebrisOptions { rest: f64::INFINITY, smallest: 1e-3, life: f64::INFINITY, most: 500, largest: 0.03 };
    world.shed_debris(options).expect("sound options");
    world.step();
    burst(&mut world, DVec3::Y * 0.8, DVec3::ZERO, 60);
    (0..900).for_each(|_| world.step());
    let before: Vec<DVec3> = chips(&world).iter().map(|chip| chip.pose().at).collect();
    (0..300).for_each(|_| world.step());
    assert!(before.len() > 20 && world.debris().is_some_and(|debris| debris.flying() == before.len()));
    for (chip, before) in chips(&world).iter().zip(before) {
        assert!(chip.pose().at.distance(before) < 1e-4, "{} from {before}", chip.pose().at);
    }
}

/// On a heap of stones that rest, chips come to rest, above the floor.
#[test]
fn they_come_to_rest_on_a_heap() {
    let mut world = world(0.6, 0.1);
    world.add_ground(0.0, 0.6);
    for index in 0..30 {
        let at = DVec3::new(
            0.3 * f64::from(index % 3),
            0.3 + 0.35 * f64::from(index / 3),
            0.02 * f64::from(index),
        );
        let turn = DQuat::from_rotation_x(0.3 * f64::from(index));
        let block = NewBody::at(boxed(DVec3::new(0.2, 0.12, 0.16)), Pose { turn, at });
        world.add(NewBody { material: MaterialId(4), ..block }).expect("a block");
    }
    (0..400).for_each(|_| world.step());
    for _ in 0..3 {
        burst(&mut world, DVec3::new(0.3, 3.0, 0.3), DVec3::ZERO, 200);
        (0..20).for_each(|_| world.step());
    }
    (0..300).for_each(|_| world.step());
    let (all, flying) = (chips(&world).len(), world.debris().map_or(0, |debris| debris.flying()));
    let high = chips(&world).iter().filter(|chip| chip.pose().at.y > 0.15).count();
    assert!(all > 200 && high > 10, "{high} of {all} are on the heap");
    assert!(flying * 50 <= all, "{flying} of {all} are on their way");
    assert!(chips(&world).iter().all(|chip| chip.pose().at.y > 0.9 * chip.radius()));
}

/// What moves takes chips along, and what comes up under them throws them.
#[test]
fn bodies_carry_and_kick_them() {
    for (velocity, wanted) in [(DVec3::X * 0.5, DVec3::X * 1.0), (DVec3::Y * 3.0, DVec3::Y * 6.0)] {
        let mut world = world(0.8, 0.0);
        let rigid = world.physics.bodies.insert(RigidBodyBuilder::kinematic_velocity_based());
        let table = ColliderBuilder::cuboid(9.0, 0.1, 9.0).friction(0.8);
        world.physics.colliders.insert_with_parent(table, rigid, &mut world.physics.bodies);
        world.step();
        burst(&mut world, DVec3::Y * 0.4, DVec3::ZERO, 100);
        (0..120).for_each(|_| world.step());
        let before: Vec<DVec3> = chips(&world).iter().map(|chip| chip.pose().at).collect();
        world.physics.bodies.get_mut(rigid).expect("a table").set_linvel(velocity.as_vec3(), true);
        (0..120).for_each(|_| world.step());
        assert!(before.len() > 40);
        for (chip, before) in chips(&world).iter().zip(before) {
            let way = chip.pose().at - before;
            assert!(way.distance(wanted) < 0.1, "{velocity}: {way}");
        }
    }
}

/// An app that owns Rapier's sets has the same debris.
#[test]
fn it_works_with_sets_of_ones_own() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut rapier = PhysicsWorld::default();
            rapier.colliders.insert(ColliderBuilder::cuboid(50.0, 1.0, 50.0).translation(Vector::Y * -1.0));
            let mut destruction =
                Destruction::new(Options { smallest: 1.0, ..Options::default() }, Material::table());
            let mut debris = Debris::new(&mut destruction, DebrisOptions::default()).expect("sound options");
            let at = DVec3::Y * 4.0;
            let block = NewBody::at(boxed(DVec3::splat(0.3)), Pose::at(at));
            let body = destruction.add(&mut Physics::from(&mut rapier), block).expect("a block");
            let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 600, radius: 0.7 };
            destruction.hit(&Physics::from(&mut rapier), &Hit { body, at, direction: DVec3::Y, how });
            for _ in 0..240 {
                rapier.step_with_events(&(), destruction.watch());
                let physics = &mut Physics::from(&mut rapier);
                destruction.after_step(physics, 1.0 / 60.0);
                debris.step(&mut destruction, physics, 1.0 / 60.0);
            }
            assert!(debris.chips().len() > 300 && debris.flying() == 0);
            assert_eq!(rapier.bodies.len(), 0);
            debris.chips().iter().map(Chip::pose).collect::<Vec<Pose>>()
        })
    };
    let poses = run(2);
    assert!(poses.iter().all(|pose| pose.at.y > 0.0));
    assert_eq!(run(1), poses);
}
