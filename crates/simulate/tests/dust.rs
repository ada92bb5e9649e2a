//! Dust of what breaks: it comes from where something broke, its mass is taken from there, and it is the same to the bit in every run.

use glam::DVec3;
use smithereens::pattern::PatternKind;
use smithereens::{Aabb, Compound, Convex};
use smithereens_simulate::dust::{Error, Mote, Options as DustOptions};
use smithereens_simulate::scene::{ModelEntry, Scene};
use smithereens_simulate::{
    BodyId, Break, Explosion, Hit, Log, Material, MaterialId, NewBody, Options, Pose, World,
};

fn boxed(half: DVec3) -> Compound {
    Compound::from_convexes(vec![Convex::from_box(&Aabb::new(-half, half))]).expect("a box")
}

fn ours() -> DustOptions {
    DustOptions { cell: 0.3, most_particles: 3000, ..DustOptions::default() }
}

/// A wall that is held at its foot, of a material.
fn wall(options: Options, materials: Vec<Material>) -> World {
    let mut world = World::new(options, materials);
    world.keep_log();
    world.add_ground(0.0, 0.7);
    let foot = Aabb::new(DVec3::new(-2.0, -1.5, -0.2), DVec3::new(2.0, -1.45, 0.2));
    let wall = NewBody::at(boxed(DVec3::new(2.0, 1.5, 0.15)), Pose::at(DVec3::Y * 1.5));
    world.add(NewBody { anchors: vec![foot], ..wall }).expect("a wall");
    world
}

fn dusty(options: Options) -> World {
    let mut world = wall(options, Material::table());
    world.raise_dust(ours()).expect("sound options");
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

fn motes(world: &World) -> Vec<Mote> {
    world.cloud().map(|cloud| cloud.dust().motes(DVec3::NEG_Z).collect()).unwrap_or_default()
}

/// Bodies, dust and what is retired weigh what there was, in every step; fragments of fragments too, and with so much retired that it matters.
#[test]
fn mass_is_kept_in_every_step() {
    let mut world = dusty(Options { smallest: 2e-3, ..Options::default() });
    let mut start = world.mass();
    for step in 0..140 {
        let before = world.mass();
        play(&mut world, step);
        start += if step == 5 { world.mass() - before } else { 0.0 };
        assert!((world.mass() / start - 1.0).abs() < 1e-6, "step {step}: {} kg of {start}", world.mass());
    }
    let (destruction, books) = (&world.destruction, world.cloud().expect("dust").dust().books());
    assert!(destruction.retired().small > 20, "{:?}", destruction.retired());
    assert!(
        destruction.retired().mass.abs() < 1e-6,
        "what is too small has become dust: {:?}",
        destruction.retired()
    );
    assert!(books.injected > 10.0 && books.aloft > 0.0, "{books:?}");
    assert!((destruction.mass() + books.injected) / start - 1.0 < 1e-6);
    // Rapier moves what is left of a body, not what it was.
    let lighter = destruction.bodies().filter(|(id, body)| {
        let whole =
            body.compound().mass().volume * destruction.materials()[body.material().0 as usize].density;
        world.rigid(*id).is_some_and(|rigid| f64::from(rigid.mass()) < whole * (1.0 - 1e-6))
    });
    assert!(lighter.count() > 5);
}

#[test]
fn dust_comes_from_where_it_broke_and_as_much_as_the_material_says() {
    let hit = |dust: f64| {
        let mut materials = Material::table();
        materials[0].dust = dust;
        let mut world = wall(Options::default(), materials);
        world.raise_dust(ours()).expect("sound options");
        let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 40, radius: 0.5 };
        world.hit(&Hit { body: BodyId(0), at: DVec3::new(1.0, 2.0, 0.0), direction: DVec3::Z, how });
        (0..2).for_each(|_| world.step());
        world
    };
    let (thin, thick) = (hit(0.02), hit(0.04));
    let injected = |world: &World| world.cloud().expect("dust").dust().books().injected;
    assert!(injected(&thin) > 0.0);
    assert!(
        (injected(&thick) / injected(&thin) - 2.0).abs() < 0.05,
        "{} {}",
        injected(&thin),
        injected(&thick)
    );
    let all = motes(&thin);
    assert!(all.len() > 20, "{}", all.len());
    // Faces that reach beyond the hit are open in part, and dust comes from a triangle as large as that.
    let far: Vec<f64> =
        all.iter().map(|mote| mote.at.as_dvec3().distance(DVec3::new(1.0, 2.0, 0.0))).collect();
    let mean = far.iter().sum::<f64>() / far.len() as f64;
    let strays = far.iter().filter(|far| **far > 1.0).count();
    assert!(
        mean < 0.6 && strays * 20 < far.len(),
        "{mean} m from the hit on average, {strays} beyond a metre"
    );
    assert_eq!(motes(&hit(0.0)).len(), 0);
}

/// Dust of what falls falls with it at first.
#[test]
fn dust_has_the_velocity_of_its_face() {
    let mut world = World::new(Options::default(), Material::table());
    world.raise_dust(DustOptions { floor: None, speed: 0.1, ..ours() }).expect("sound options");
    let body = NewBody::at(boxed(DVec3::splat(0.5)), Pose::at(DVec3::Y * 50.0));
    let body = world.add(NewBody { velocity: DVec3::X * 20.0, ..body }).expect("a block");
    let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 30, radius: 2.0 };
    world.hit(&Hit { body, at: DVec3::Y * 50.0, direction: DVec3::Z, how });
    world.step();
    let middle = |world: &World| {
        let all = motes(world);
        all.iter().fold(DVec3::ZERO, |sum, mote| sum + mote.at.as_dvec3()) / all.len() as f64
    };
    let before = middle(&world);
    world.step();
    let speed = (middle(&world) - before).x * 60.0;
    assert!((8.0..20.1).contains(&speed), "{speed} m/s");
}

#[test]
fn every_run_is_the_same_to_the_bit() {
    let run = |threads: usize, mut world: World, from: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            (from..100).for_each(|step| play(&mut world, step));
            assert!(world.cloud().is_some_and(|cloud| !cloud.dust().is_clear()));
            (world.state_hash(), world)
        })
    };
    let (hash, world) = run(2, dusty(Options::default()), 0);
    assert_eq!(run(1, dusty(Options::default()), 0).0, hash);
    let log = Log::from_bytes(&world.log().expect("a log").to_bytes()).expect("a log");
    assert_eq!(log.replay().state_hash(), hash);
    for moment in [3, 33, 52, 70] {
        let mut first = dusty(Options::default());
        (0..moment).for_each(|step| play(&mut first, step));
        let again = World::load(&first.save()).expect("a world");
        let mass = first.mass();
        assert!((again.mass() / mass - 1.0).abs() < 1e-12);
        assert_eq!(run(1, again, moment).0, run(2, first, moment).0, "saved after {moment} steps");
    }
}

/// Where nothing gives off dust, bodies do what they do without: to the bit.
#[test]
fn clear_air_changes_nothing() {
    let clear = || {
        let mut materials = Material::table();
        materials.iter_mut().for_each(|material| material.dust = 0.0);
        materials
    };
    let run = |mut world: World| {
        (0..80).for_each(|step| play(&mut world, step));
        let poses: Vec<_> = world.destruction.bodies().map(|(id, _)| (id, world.pose(id))).collect();
        assert_eq!(motes(&world).len(), 0);
        (poses, world.destruction.retired().mass)
    };
    let without = run(wall(Options::default(), Material::table()));
    let mut with = wall(Options::default(), clear());
    with.raise_dust(ours()).expect("sound options");
    assert!(without.0.len() > 30);
    assert_eq!(run(with), without);
}

#[test]
fn faults_are_named() {
    let mut world = World::new(Options::default(), Material::table());
    let bad = DustOptions { cell: f64::NAN, ..ours() };
    assert!(matches!(world.raise_dust(bad), Err(Error::Option { option: "cell", .. })));
    assert!(world.cloud().is_none());
    let none = |_: &ModelEntry| -> Result<Compound, String> { Err("none".into()) };
    let cases = [
        ("duration = 1\n\n[dust]\ncell = -1\n", "line 3: dust cannot have such `cell`"),
        ("[dust]\nmost_particles = 0\n", "line 1: dust cannot have such `most_particles`"),
        ("[dust]\n\nparticles = 3\n", "line 3: unknown field `particles`"),
        ("[material.cheese]\ndust = -1\n", "line 1: material cheese: a number is out of range"),
    ];
    for (text, wanted) in cases {
        let error = Scene::parse(text).and_then(|scene| scene.stage(none)).err();
        let error = error.unwrap_or_else(|| panic!("{text:?} is no fault")).to_string();
        assert!(error.starts_with(wanted), "{text:?}: {error}");
    }
}

/// A step as long as scenes may have, or longer, is more than one of dust.
#[test]
fn long_steps_are_taken_in_parts() {
    for dt in [0.1_f32, 0.5] {
        let mut world = dusty(Options::default());
        world.physics.integration_parameters.dt = dt;
        let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 40, radius: 0.5 };
        world.hit(&Hit { body: BodyId(0), at: DVec3::Y * 2.0, direction: DVec3::Z, how });
        (0..3).for_each(|_| world.step());
        assert!(world.cloud().is_some_and(|cloud| cloud.report().particles > 0), "steps of {dt} s");
    }
}
