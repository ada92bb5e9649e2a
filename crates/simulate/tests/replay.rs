//! A run can be done again from its log, and goes on from a saved state, to the bit.

use std::time::Duration;

use glam::DVec3;
use smithereens::pattern::PatternKind;
use smithereens::{Aabb, Compound, Convex};
use smithereens_simulate::{
    BodyId, Break, Explosion, Hit, LoadError, Log, Material, MaterialId, NewBody, Options, Pose, World,
};

const STEEL: MaterialId = MaterialId(4);

fn boxed(half: DVec3) -> Compound {
    Compound::from_convexes(vec![Convex::from_box(&Aabb::new(-half, half))]).expect("a box")
}

/// A wall and some blocks.
fn stage(options: Options) -> World {
    let mut world = World::new(options, Material::table());
    world.keep_log();
    world.add_ground(0.0, 0.7);
    let wall = boxed(DVec3::new(2.0, 1.5, 0.15));
    let foot = Aabb::new(DVec3::new(-2.0, -1.5, -0.2), DVec3::new(2.0, -1.45, 0.2));
    let wall = NewBody::at(wall, Pose::at(DVec3::Y * 1.5));
    world.add(NewBody { anchors: vec![foot], ..wall }).expect("a wall");
    for i in 0..8 {
        let at = DVec3::new(f64::from(i % 4) - 1.5, 3.6 + f64::from(i / 4), 0.05 * f64::from(i));
        world.add(NewBody::at(boxed(DVec3::splat(0.3)), Pose::at(at))).expect("a block");
    }
    world
}

/// What happens to it in a step.
fn play(world: &mut World, step: usize) {
    match step {
        20 => {
            let ball = NewBody::at(boxed(DVec3::splat(0.12)), Pose::at(DVec3::new(0.1, 1.6, -3.0)));
            let ball = NewBody { velocity: DVec3::new(0.0, 1.0, 60.0), material: STEEL, ..ball };
            world.add(ball).expect("a ball");
        }
        70 => {
            let at = DVec3::new(-0.8, 0.8, 0.4);
            assert!(world.explode(&Explosion { at, radius: 2.0, force: 4e5, impulse: 300.0 }));
        }
        100 => {
            let how = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 120, radius: 1.5 };
            world.hit(&Hit { body: BodyId(0), at: DVec3::Y, direction: DVec3::Z, how });
        }
        130 => drop(world.remove(BodyId(3))),
        _ => {}
    }
    world.step();
}

fn tight() -> Options {
    Options { budget: Some(Duration::from_micros(120)), most_awake: 150, ..Options::default() }
}

#[test]
fn a_log_replays_a_run_that_a_clock_had_a_say_in() {
    for options in [Options::default(), tight()] {
        let mut world = stage(options);
        (0..240).for_each(|step| play(&mut world, step));
        assert!(world.destruction.bodies().count() > 60, "{}", world.destruction.bodies().count());
        let log = Log::from_bytes(&world.log().expect("it keeps one").to_bytes()).expect("a log");
        assert_eq!(log.replay().state_hash(), world.state_hash());
    }
}

/// At any moment, also in the middle of a fracture, a saved world goes on as the one that it was saved from, on any number of threads.
#[test]
fn a_saved_state_resumes_to_the_same_hash() {
    for moment in [0, 21, 23, 45, 72, 101, 180] {
        let mut world = stage(Options::default());
        (0..moment).for_each(|step| play(&mut world, step));
        let bytes = world.save();
        let run = |threads: usize, mut world: World| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                (moment..240).for_each(|step| play(&mut world, step));
                world.state_hash()
            })
        };
        let load = || World::load(&bytes).expect("a world");
        let hash = run(2, world);
        assert_eq!(run(2, load()), hash, "saved after {moment} steps");
        assert_eq!(run(1, load()), hash, "saved after {moment} steps, on one thread");
    }
}

/// With a fracture under way, it is begun anew: turns tell both worlds when it ends.
#[test]
fn a_fracture_under_way_survives() {
    let mut world = stage(tight());
    let mut step = 0;
    while !world.destruction.turn().is_under_way {
        play(&mut world, step);
        step += 1;
        assert!(step < 240, "a budget of next to nothing is not enough");
    }
    let mut again = World::load(&world.save()).expect("a world");
    assert!(again.destruction.waiting() > 0);
    for _ in 0..120 {
        world.step();
        again.step_as(world.destruction.turn());
    }
    assert_eq!(world.state_hash(), again.state_hash());
}

#[test]
fn damaged_bytes_are_refused() {
    let mut world = stage(Options::default());
    (0..40).for_each(|step| play(&mut world, step));
    let (state, log) = (world.save(), stage(Options::default()).log().expect("a log").to_bytes());
    assert_eq!(World::load(&[]).err(), Some(LoadError::Damaged));
    assert_eq!(World::load(&log).err(), Some(LoadError::Damaged));
    assert_eq!(World::load(b"smWd\x09\0\0\0").err(), Some(LoadError::Version(9)));
    assert!(Log::from_bytes(&state).is_err());
    for cut in [5, 100, state.len() / 2, state.len() - 3] {
        assert!(World::load(&state[..cut]).is_err(), "cut at {cut}");
    }
    assert!(Log::from_bytes(&log[..log.len() / 2]).is_err());
    for at in (8..state.len()).step_by(state.len() / 50) {
        let mut damaged = state.clone();
        damaged[at] ^= 4;
        assert_eq!(World::load(&damaged).err(), Some(LoadError::Damaged), "byte {at}");
    }
}
