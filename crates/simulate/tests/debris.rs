//! Debris of what breaks: nothing is lost, nothing is disturbed by it, and it is the same to the bit in every run.

use glam::DVec3;
use smithereens::pattern::PatternKind;
use smithereens::{Aabb, Compound, Convex};
use smithereens_simulate::scene::{ModelEntry, Scene};
use smithereens_simulate::{
    BodyId, Break, Chip, DebrisOptions, Explosion, Hit, Log, Material, MaterialId, NewBody, Options, Pose,
    World, dust,
};

fn boxed(half: DVec3) -> Compound {
    Compound::from_convexes(vec![Convex::from_box(&Aabb::new(-half, half))]).expect("a box")
}

/// A wall that is held at its foot.
fn wall(options: Options) -> World {
    let mut world = World::new(options, Material::table());
    world.keep_log();
    world.add_ground(0.0, 0.7);
    let foot = Aabb::new(DVec3::new(-2.0, -1.5, -0.2), DVec3::new(2.0, -1.45, 0.2));
    let wall = NewBody::at(boxed(DVec3::new(2.0, 1.5, 0.15)), Pose::at(DVec3::Y * 1.5));
    world.add(NewBody { anchors: vec![foot], ..wall }).expect("a wall");
    world
}

fn shedding(options: Options, debris: DebrisOptions) -> World {
    let mut world = wall(options);
    world.shed_debris(debris).expect("sound options");
    world
}

/// What happens to it in a step: a shot, a charge, and a blow upon the fragments.
fn play(world: &mut World, step: usize) {
    match step {
        5 => {
            let ball = NewBody::at(boxed(DVec3::splat(0.12)), Pose::at(DVec3::new(0.3, 1.6, -2.0)));
            let ball = NewBody { velocity: DVec3::Z * 60.0, material: MaterialId(4), ..ball };
            world.add(ball).expect("a ball");
        }
        30 => {
            let at = DVec3::new(-0.8, 0.8, 0.4);
            assert!(world.explode(&Explosion { at, radius: 2.0, force: 4e5, impulse: 300.0 }));
        }
        50 => {
            let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 120, radius: 1.5 };
            world.hit(&Hit { body: BodyId(0), at: DVec3::Y, direction: DVec3::Z, how });
        }
        _ => {}
    }
    world.step();
}

fn chips(world: &World) -> usize {
    world.debris().map_or(0, |debris| debris.chips().len())
}

/// Fragments are large, so that many of them are no bodies.
fn coarse() -> Options {
    Options { smallest: 2e-3, ..Options::default() }
}

/// Bodies, debris, dust and what is retired weigh what there was, in every step.
#[test]
fn mass_is_kept_in_every_step() {
    let dusts = [None, Some(dust::Options { most_particles: 3000, ..dust::Options::default() })];
    for (most, with_dust) in [(2000, dusts[1]), (60, dusts[0])] {
        let mut world =
            shedding(coarse(), DebrisOptions { most, life: 0.5, smallest: 0.01, ..DebrisOptions::default() });
        if let Some(options) = with_dust {
            world.raise_dust(options).expect("sound options");
        }
        let (mut start, mut most_seen) = (world.mass(), 0);
        for step in 0..140 {
            let before = world.mass();
            play(&mut world, step);
            start += if step == 5 { world.mass() - before } else { 0.0 };
            let error = (world.mass() / start - 1.0).abs();
            assert!(error < 1e-6, "step {step}: {} kg of {start}", world.mass());
            most_seen = most_seen.max(chips(&world));
        }
        assert!(most_seen > 50 && most_seen <= most, "{most_seen} of {most}");
        assert!(world.destruction.retired().debris > 20, "{:?}", world.destruction.retired());
    }
}

/// What is too small to be a body is there as debris, with its mass and its volume.
#[test]
fn what_is_retired_reappears() {
    let mut materials = Material::table();
    materials[0].debris = 0.0;
    let mut world = World::new(coarse(), materials);
    world.shed_debris(DebrisOptions { smallest: 1e-3, ..DebrisOptions::default() }).expect("sound options");
    let body = NewBody::at(boxed(DVec3::splat(0.4)), Pose::at(DVec3::Y * 50.0));
    let body = world.add(NewBody { velocity: DVec3::X * 20.0, ..body }).expect("a block");
    let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 300, radius: 0.7 };
    world.hit(&Hit { body, at: DVec3::Y * 50.0, direction: DVec3::Z, how });
    world.step();
    let (debris, retired) = (world.debris().expect("debris"), world.destruction.retired());
    assert!(retired.small > 50, "{retired:?}");
    let whole = 0.8_f64.powi(3);
    let bodies: f64 = world.destruction.bodies().map(|(_, body)| body.compound().mass().volume).sum();
    let volume: f64 = debris.chips().iter().map(|chip| chip.volume()).sum();
    assert!(volume > 0.1 * whole && ((bodies + volume) / whole - 1.0).abs() < 1e-6, "{bodies} + {volume}");
    assert!((debris.mass() / (2600.0 * volume) - 1.0).abs() < 1e-9 && retired.mass.abs() < 1e-6);
    // From where it was, and as fast.
    for chip in debris.chips() {
        let pose = chip.pose();
        assert!(pose.at.distance(DVec3::Y * 50.0) < 1.2, "{pose:?}");
    }
    assert!(debris.chips().iter().all(|chip| (18.0..22.0).contains(&chip.velocity().x)));
    let masses: f64 = (world.physics.bodies.iter().map(|(_, rigid)| f64::from(rigid.mass()))).sum();
    assert!(
        ((masses + debris.mass()) / (2600.0 * whole) - 1.0).abs() < 1e-5,
        "nothing is there twice: {masses}"
    );
}

/// Bodies over the cap are not gone either.
#[test]
fn bodies_over_their_cap_become_debris() {
    let mut world = shedding(
        Options { most_bodies: 20, ..Options::default() },
        DebrisOptions { most: 20_000, ..DebrisOptions::default() },
    );
    (0..60).for_each(|step| play(&mut world, step));
    let retired = world.destruction.retired();
    assert!(retired.over_cap > 20 && world.destruction.bodies().len() <= 20, "{retired:?}");
    assert!(retired.mass < 1.0 && world.debris().is_some_and(|debris| debris.mass() > 50.0), "{retired:?}");
}

#[test]
fn faces_shed_as_much_as_their_material_says() {
    let hit = |amount: f64| {
        let mut materials = Material::table();
        materials[0].debris = amount;
        let mut world = World::new(Options::default(), materials);
        world.shed_debris(DebrisOptions::default()).expect("sound options");
        let body = world.add(NewBody::at(boxed(DVec3::splat(1.0)), Pose::IDENTITY)).expect("a block");
        let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 200, radius: 1.8 };
        world.hit(&Hit { body, at: DVec3::ZERO, direction: DVec3::Z, how });
        world.step();
        world.debris().map_or(0.0, |debris| debris.mass())
    };
    let (some, more) = (hit(0.04), hit(0.12));
    assert_eq!(hit(0.0), 0.0);
    assert!(some > 1.0 && (2.0..4.0).contains(&(more / some)), "{some} kg and {more} kg");
}

/// Without it, all is as if it had never been thought of.
#[test]
fn without_it_nothing_is_different() {
    let run = |mut world: World| {
        (0..90).for_each(|step| play(&mut world, step));
        world
    };
    let (plain, again) = (run(wall(Options::default())), run(wall(Options::default())));
    assert_eq!(plain.state_hash(), again.state_hash());
    assert!(plain.debris().is_none() && plain.times.debris.is_zero());
    // With it, and nothing that sheds any, bodies do the same to the bit.
    let mut materials = Material::table();
    materials.iter_mut().for_each(|material| material.debris = 0.0);
    let quiet = |debris: bool| {
        let mut world =
            World::new(Options { smallest: 0.0, thinnest: 0.0, ..Options::default() }, materials.clone());
        world.add_ground(0.0, 0.7);
        if debris {
            world.shed_debris(DebrisOptions::default()).expect("sound options");
        }
        let block = NewBody::at(boxed(DVec3::splat(0.5)), Pose::at(DVec3::Y * 12.0));
        world.add(block).expect("a block");
        (0..150).for_each(|_| world.step());
        world.destruction.bodies().map(|(id, _)| (id, world.pose(id))).collect::<Vec<_>>()
    };
    assert!(quiet(false).len() > 10);
    assert_eq!(quiet(true), quiet(false));
}

#[test]
fn every_run_is_the_same_to_the_bit() {
    let options = || coarse();
    let run = |threads: usize, mut world: World, from: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            (from..120).for_each(|step| play(&mut world, step));
            assert!(chips(&world) > 50);
            (world.state_hash(), world)
        })
    };
    let new = || shedding(options(), DebrisOptions::default());
    let (hash, world) = run(2, new(), 0);
    assert_eq!(run(1, new(), 0).0, hash);
    let log = Log::from_bytes(&world.log().expect("a log").to_bytes()).expect("a log");
    assert_eq!(log.replay().state_hash(), hash);
    for moment in [3, 33, 52, 90] {
        let mut first = new();
        (0..moment).for_each(|step| play(&mut first, step));
        let again = World::load(&first.save()).expect("a world");
        assert!((again.mass() / first.mass() - 1.0).abs() < 1e-12 && chips(&again) == chips(&first));
        assert_eq!(run(1, again, moment).0, run(2, first, moment).0, "saved after {moment} steps");
    }
}

/// Chips come down, lie, and take no time then; none is in the floor or below it.
#[test]
fn it_settles_on_the_floor() {
    let mut world = shedding(coarse(), DebrisOptions { life: f64::INFINITY, ..DebrisOptions::default() });
    (0..600).for_each(|step| play(&mut world, step));
    let debris = world.debris().expect("debris");
    assert_eq!(debris.born(), debris.chips().len() as u64);
    assert!(
        debris.chips().len() > 100 && debris.flying() * 20 < debris.chips().len(),
        "{} fly of {}",
        debris.flying(),
        debris.chips().len()
    );
    let height = |chip: &Chip| chip.pose().at.y / chip.radius();
    // Some are pinned down by rubble.
    let sunk = debris.chips().iter().filter(|chip| height(chip) < 0.9).count();
    assert!(sunk * 5 < debris.chips().len(), "{sunk} of {} are in the floor", debris.chips().len());
    for chip in debris.chips() {
        let pose = chip.pose();
        assert!(
            pose.at.y > -0.5 * chip.radius() && pose.at.length() < 60.0,
            "{pose:?}, radius {}",
            chip.radius()
        );
    }
}

/// What lies on something that goes falls.
#[test]
fn what_it_lay_on_goes_and_it_falls() {
    let mut world = World::new(coarse(), Material::table());
    world.add_ground(0.0, 0.7);
    world.shed_debris(DebrisOptions::default()).expect("sound options");
    let table = boxed(DVec3::new(6.0, 0.2, 6.0));
    let held = vec![Aabb::new(DVec3::splat(-7.0), DVec3::splat(7.0))];
    let steel =
        NewBody { material: MaterialId(4), anchors: held, ..NewBody::at(table, Pose::at(DVec3::Y * 3.0)) };
    let table = world.add(steel).expect("a table");
    let block = world.add(NewBody::at(boxed(DVec3::splat(0.25)), Pose::at(DVec3::Y * 3.6))).expect("a block");
    let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 200, radius: 0.45 };
    world.hit(&Hit { body: block, at: DVec3::Y * 3.6, direction: DVec3::Z, how });
    (0..240).for_each(|_| world.step());
    let high = |world: &World| {
        let debris = world.debris().expect("debris");
        (debris.chips().iter().filter(|chip| chip.pose().at.y > 2.0).count(), debris.flying())
    };
    let (before, flying) = high(&world);
    assert!(before > 20 && flying * 10 < before, "{before} on the table, {flying} fly");
    world.remove(table);
    (0..300).for_each(|_| world.step());
    assert_eq!(high(&world).0, 0);
}

/// Glass under a rain of chips does not break, a block that rests on chips rests, and what rests is not woken.
#[test]
fn it_breaks_nothing_and_holds_nothing() {
    let mut world = World::new(Options { smallest: 0.1, ..Options::default() }, Material::table());
    world.add_ground(0.0, 0.7);
    world.shed_debris(DebrisOptions::default()).expect("sound options");
    let glass = |x: f64, y: f64| NewBody {
        material: MaterialId(2),
        ..NewBody::at(boxed(DVec3::new(1.5, 0.01, 1.5)), Pose::at(DVec3::new(x, y, 0.0)))
    };
    let held = vec![Aabb::new(DVec3::splat(-2.0), DVec3::splat(2.0))];
    let pane = world.add(NewBody { anchors: held, ..glass(0.0, 1.0) }).expect("a pane");
    let lying = world.add(glass(4.0, 0.0125)).expect("a pane on the floor");
    (0..60).for_each(|_| world.step());
    assert!(world.destruction.is_resting(lying));
    for x in [0.0, 4.0] {
        let at = DVec3::new(x, 9.0, 0.0);
        let block = world.add(NewBody::at(boxed(DVec3::splat(0.2)), Pose::at(at))).expect("a block");
        let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 400, radius: 0.4 };
        world.hit(&Hit { body: block, at, direction: DVec3::ZERO, how });
    }
    world.step();
    // All of it is too small to be a body.
    assert_eq!(world.destruction.bodies().len(), 2);
    assert!(chips(&world) > 200, "{}", chips(&world));
    for _ in 0..300 {
        world.step();
        assert!(world.destruction.is_resting(lying) && world.destruction.events().is_empty());
    }
    assert!(world.rigid(pane).is_some_and(|rigid| rigid.is_fixed()) && world.destruction.bodies().len() == 2);
    // A block on the chips comes to rest as on a bare floor, and as low.
    let block = world
        .add(NewBody::at(boxed(DVec3::splat(0.5)), Pose::at(DVec3::new(2.5, 0.502, 2.0))))
        .expect("a block");
    (0..120).for_each(|_| world.step());
    assert!(world.destruction.is_resting(block));
}

#[test]
fn faults_are_named() {
    let mut world = World::new(Options::default(), Material::table());
    let bad = DebrisOptions { smallest: f64::NAN, ..DebrisOptions::default() };
    assert_eq!(world.shed_debris(bad).unwrap_err().option, "smallest");
    assert!(world.debris().is_none());
    let none = |_: &ModelEntry| -> Result<Compound, String> { Err("none".into()) };
    let cases = [
        ("duration = 1\n\n[debris]\nmost = 0\n", "line 3: debris cannot have such `most`"),
        ("[debris]\nlargest = 0.001\n", "line 1: debris cannot have such `largest`"),
        ("[debris]\n\nchips = 3\n", "line 3: unknown field `chips`"),
        ("[material.cheese]\ndebris = -1\n", "line 1: material cheese: a number is out of range"),
    ];
    for (text, wanted) in cases {
        let error = Scene::parse(text).and_then(|scene| scene.stage(none)).err();
        let error = error.unwrap_or_else(|| panic!("{text:?} is no fault")).to_string();
        assert!(error.starts_with(wanted), "{text:?}: {error}");
    }
}
