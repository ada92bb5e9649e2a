//! Ductile bodies bend before they tear: plates dent, bars bend, and nothing is lost.

use glam::DVec3;
use smithereens::pattern::PatternKind;
use smithereens::{Aabb, Compound, Convex, Mesh, Solid};
use smithereens_simulate::{Body, BodyId, Break, Log, Material, MaterialId, NewBody, Options, Pose, World};

const METAL: MaterialId = MaterialId(0);
const BALL: MaterialId = MaterialId(1);

/// Metal as a sheet of some millimetres would be, in plates that are thick enough to collide.
fn metal(ductility: f64) -> Material {
    let mut metal = Material::named("sheet-metal").expect("it is there");
    metal.strength = 4000.0;
    metal.breaks = vec![Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 500, radius: 0.25 }];
    metal.stress.tension = 8e6;
    metal.ductility = ductility;
    metal
}

fn boxed(half: DVec3) -> Compound {
    Compound::from_convexes(vec![Convex::from_box(&Aabb::new(-half, half))]).expect("a box")
}

/// An empty world without gravity.
fn world(ductility: f64) -> World {
    let steel = Material::named("steel").expect("it is there");
    let options = Options { gravity: DVec3::ZERO, ..Options::default() };
    let mut world = World::new(options, vec![metal(ductility), steel]);
    world.physics.gravity = DVec3::ZERO.as_vec3();
    world
}

/// A plate across z, held at its rim.
fn plate(ductility: f64) -> World {
    let mut world = world(ductility);
    let half = DVec3::new(0.6, 0.5, 0.01);
    let rim = |axis: DVec3, sign: f64| {
        let middle = axis * (half.dot(axis) * sign);
        Aabb::of_points([middle - half * (DVec3::ONE - axis), middle + half * (DVec3::ONE - axis)])
            .grown(0.01)
    };
    let anchors = [(DVec3::X, 1.0), (DVec3::X, -1.0), (DVec3::Y, 1.0), (DVec3::Y, -1.0)];
    let anchors = anchors.into_iter().map(|(axis, sign)| rim(axis, sign)).collect();
    world.add(NewBody { anchors, ..NewBody::at(boxed(half), Pose::IDENTITY) }).expect("a plate");
    world
}

fn shoot(world: &mut World, at: DVec3, speed: f64) {
    let ball = NewBody::at(boxed(DVec3::splat(0.06)), Pose::at(at - DVec3::Z * 0.3));
    world.add(NewBody { velocity: DVec3::Z * speed, material: BALL, ..ball }).expect("a ball");
}

fn steps(world: &mut World, count: usize) {
    let mass = world.mass();
    for step in 0..count {
        world.step();
        let now = world.mass();
        assert!((now - mass).abs() < 1e-6 * mass, "step {step}: {now} kg of {mass}");
        assert!(world.destruction.frozen().is_empty());
    }
}

fn metal_bodies(world: &World) -> Vec<(BodyId, &Body)> {
    world.destruction.bodies().filter(|(_, body)| body.material() == METAL).collect()
}

/// How far along z the surface of a body reaches, of what lies within a distance of a place across.
fn reach(world: &World, id: BodyId, at: DVec3, within: f64) -> [f64; 2] {
    let pose = world.pose(id).expect("it is there");
    let points = world.destruction.body(id).expect("it is there").compound().visible_mesh().positions;
    let points = points.into_iter().map(|point| pose.point(point));
    let near = points.filter(|point| (*point - at).truncate().length() < within);
    near.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| [low.min(p.z), high.max(p.z)])
}

fn energy(world: &World) -> f64 {
    world.physics.bodies.iter().map(|(_, rigid)| f64::from(rigid.kinetic_energy())).sum()
}

fn assert_sound(world: &World) {
    for (id, body) in metal_bodies(world) {
        let compound = body.compound();
        assert_eq!(compound.islands().len(), 1, "{id:?} hangs together");
        for piece in compound.pieces() {
            let mesh: Mesh = piece.to_mesh();
            let extent = mesh.bounds().extent();
            assert!(mesh.positions.iter().all(|&point| piece.convex().depth(point) < 1e-6 * extent));
            assert!(Solid::restored(mesh).is_ok(), "{id:?} has an open skin");
        }
        for bond in compound.bonds() {
            assert!(bond.area > 0.0 && bond.centroid.is_finite());
            assert!(bond.is_overlap() || compound.plane_of(bond).is_some());
        }
    }
}

#[test]
fn a_plate_that_is_hit_in_the_middle_dents() {
    let mut world = plate(0.38);
    shoot(&mut world, DVec3::ZERO, 12.0);
    steps(&mut world, 4);
    assert!(metal_bodies(&world).len() > 10, "fragments move by themselves first");
    assert!(world.destruction.is_bending(BodyId(0)));
    steps(&mut world, 40);
    assert_eq!(metal_bodies(&world).len(), 1, "{:?}", world.destruction.bends());
    assert_eq!(world.destruction.bends().mended, 1);
    assert_sound(&world);
    let [_, middle] = reach(&world, BodyId(0), DVec3::ZERO, 0.2);
    let [low, high] = reach(&world, BodyId(0), DVec3::new(0.55, 0.45, 0.0), 0.1);
    println!("dent {middle}, rim {low} to {high}");
    assert!((0.03..0.25).contains(&middle), "the middle is at {middle}");
    assert!(low > -0.011 && high < 0.011, "the rim is where it was: {low} to {high}");
    assert!(energy(&world) < 0.5 * 13.5 * 12.0 * 12.0);
}

#[test]
fn a_bar_that_is_hit_at_its_end_bends() {
    let mut world = world(0.38);
    let anchors = vec![Aabb::new(DVec3::new(-0.6, -1.0, -1.0), DVec3::new(-0.45, 1.0, 1.0))];
    let bar = NewBody::at(boxed(DVec3::new(0.5, 0.03, 0.02)), Pose::IDENTITY);
    world.add(NewBody { anchors, ..bar }).expect("a bar");
    shoot(&mut world, DVec3::X * 0.42, 8.0);
    steps(&mut world, 60);
    assert_sound(&world);
    assert_eq!(metal_bodies(&world).len(), 1, "{:?}", world.destruction.bends());
    let [_, tip] = reach(&world, BodyId(0), DVec3::X * 0.45, 0.12);
    let [low, high] = reach(&world, BodyId(0), DVec3::X * -0.5, 0.06);
    println!("tip {tip}, root {low} to {high}");
    assert!((0.03..0.6).contains(&tip), "the tip is at {tip}");
    assert!(low > -0.021 && high < 0.021, "the root is where it was: {low} to {high}");
}

#[test]
fn a_much_harder_hit_tears_it() {
    let mut world = plate(0.38);
    shoot(&mut world, DVec3::ZERO, 90.0);
    steps(&mut world, 40);
    assert!(world.destruction.bends().torn > 0);
    assert!(metal_bodies(&world).len() > 1, "{:?}", world.destruction.bends());
    assert_sound(&world);
    assert!(energy(&world) < 0.5 * 13.5 * 90.0 * 90.0);
}

#[test]
fn what_is_brittle_breaks_as_ever() {
    let mut world = plate(0.0);
    shoot(&mut world, DVec3::ZERO, 12.0);
    steps(&mut world, 40);
    assert!(metal_bodies(&world).len() > 10);
    assert_eq!(*world.destruction.bends(), Default::default());
}

/// What is free keeps its momentum with what hit it; that about a point to a few hundredths, as the inertia of small fragments is conditioned.
#[test]
fn momentum_is_kept() {
    let mut world = world(0.38);
    let bar = NewBody::at(boxed(DVec3::new(0.5, 0.2, 0.02)), Pose::IDENTITY);
    world.add(NewBody { spin: DVec3::X, ..bar }).expect("a bar");
    shoot(&mut world, DVec3::X * 0.2, 20.0);
    let momentum = |world: &World| -> [DVec3; 2] {
        let of = |rigid: &rapier3d::prelude::RigidBody| {
            let own = rigid.linvel().as_dvec3() * f64::from(rigid.mass());
            let inverse = rigid.mass_properties().effective_world_inv_inertia;
            let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (inverse * axis.as_vec3()).as_dvec3());
            let turn = glam::DMat3::from_cols_array_2d(&axes.map(|axis| axis.to_array())).inverse();
            let about = rigid.center_of_mass().as_dvec3().cross(own);
            (own, about + turn * rigid.angvel().as_dvec3())
        };
        let all = world.physics.bodies.iter().map(|(_, rigid)| of(rigid));
        all.fold([DVec3::ZERO; 2], |[linear, angular], (own, turn)| [linear + own, angular + turn])
    };
    let before = momentum(&world);
    steps(&mut world, 40);
    assert!(world.destruction.bends().mended > 0, "{:?}", world.destruction.bends());
    let after = momentum(&world);
    println!("{before:?} {after:?}");
    assert!(before[0].distance(after[0]) < 2e-3 * before[0].length(), "{before:?} {after:?}");
    assert!(before[1].distance(after[1]) < 0.03 * before[1].length(), "{before:?} {after:?}");
}

fn shot_thrice(world: &mut World, from: usize, to: usize) {
    for step in from..to {
        if step % 35 == 0 && step < 100 {
            let at = [DVec3::ZERO, DVec3::new(0.15, 0.1, 0.0), DVec3::new(-0.25, -0.1, 0.0)][step / 35];
            shoot(world, at, 14.0);
        }
        world.step();
    }
}

#[test]
fn what_is_bent_can_be_hit_again() {
    let mut world = plate(0.38);
    shot_thrice(&mut world, 0, 140);
    println!(
        "{:?}, {} pieces",
        world.destruction.bends(),
        metal_bodies(&world)[0].1.compound().pieces().len()
    );
    assert!(world.destruction.bends().mended >= 3, "{:?}", world.destruction.bends());
    assert_eq!(world.destruction.bends().failed, 0);
    assert_sound(&world);
    let mass: f64 = 1.2 * 1.0 * 0.02 * 7800.0 + 3.0 * 0.12f64.powi(3) * 7800.0;
    assert!((world.mass() - mass).abs() < 1e-6 * mass, "{} of {mass}", world.mass());
}

#[test]
fn threads_have_no_say() {
    let play = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut world = plate(0.38);
            shot_thrice(&mut world, 0, 90);
            world.state_hash()
        })
    };
    assert_eq!(play(1), play(2));
}

#[test]
fn it_goes_on_from_a_saved_state_and_from_its_log() {
    let mut world = plate(0.38);
    world.keep_log();
    let bytes = {
        let mut world = plate(0.38);
        shot_thrice(&mut world, 0, 4);
        assert!(world.destruction.is_bending(BodyId(0)));
        let bytes = world.save();
        shot_thrice(&mut world, 4, 60);
        let mut again = World::load(&bytes).expect("what was saved");
        shot_thrice(&mut again, 4, 60);
        assert_eq!(world.state_hash(), again.state_hash());
        bytes
    };
    assert!(!bytes.is_empty());
    let mut world = self::world(0.38);
    world.keep_log();
    world.add(NewBody::at(boxed(DVec3::new(0.5, 0.4, 0.01)), Pose::IDENTITY)).expect("a plate");
    shot_thrice(&mut world, 0, 60);
    assert!(world.destruction.bends().mended > 0);
    let log: &Log = world.log().expect("it keeps one");
    let again = log.replay();
    assert_eq!(world.state_hash(), again.state_hash());
}
