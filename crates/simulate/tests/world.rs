//! What must hold in a world where things break: nothing is lost, nothing is made, and every run is the same.

use glam::{DQuat, DVec3};
use smithereens::pattern::PatternKind;
use smithereens::{Aabb, Compound, Convex};
use smithereens_simulate::{Break, Explosion, Hit, Material, MaterialId, NewBody, Options, Pose, World};

const STONE: MaterialId = MaterialId(0);
const GLASS: MaterialId = MaterialId(2);
const STEEL: MaterialId = MaterialId(4);

fn boxed(half: DVec3) -> Compound {
    Compound::from_convexes(vec![Convex::from_box(&Aabb::new(-half, half))]).expect("a box")
}

fn world(options: Options) -> World {
    let mut world = World::new(options, Material::table());
    world.add_ground(0.0, 0.7);
    world
}

fn of(material: MaterialId, compound: Compound, at: DVec3) -> NewBody {
    NewBody { material, ..NewBody::at(compound, Pose::at(at)) }
}

fn voronoi(cells: usize, radius: f64) -> Break {
    Break { above: 1.0, pattern: PatternKind::Voronoi, cells, radius }
}

/// A ball shot at a wall that stands on the ground.
fn shot(options: Options) -> World {
    let mut world = world(options);
    let wall = boxed(DVec3::new(2.0, 1.5, 0.15));
    let foot = Aabb::new(DVec3::new(-2.0, -1.5, -0.2), DVec3::new(2.0, -1.45, 0.2));
    let wall = NewBody { anchors: vec![foot], ..of(STONE, wall, DVec3::new(0.0, 1.5, 0.0)) };
    world.add(wall).expect("a wall");
    let ball = of(STEEL, boxed(DVec3::splat(0.12)), DVec3::new(0.1, 1.6, -3.0));
    world.add(NewBody { velocity: DVec3::new(0.0, 1.0, 60.0), ..ball }).expect("a ball");
    world
}

#[test]
fn mass_is_never_lost() {
    let mut world = shot(Options { smallest: 1e-4, ..Options::default() });
    let before = world.destruction.mass();
    for step in 0..180 {
        world.step();
        if step == 90 {
            let at = DVec3::new(-0.8, 0.8, 0.4);
            world.explode(&Explosion { at, radius: 2.0, force: 4e5, impulse: 300.0 });
        }
        let now = world.destruction.mass() + world.destruction.retired().mass;
        assert!((now - before).abs() < 1e-6 * before, "step {step}: {now} kg for {before}");
    }
    assert!(world.destruction.bodies().count() > 20, "{}", world.destruction.bodies().count());
    assert!(world.destruction.frozen().is_empty());
}

#[test]
fn a_wall_that_is_shot_keeps_its_foot_and_the_ball_goes_through() {
    let mut world = shot(Options::default());
    let (wall, _) = world.destruction.bodies().next().expect("the wall");
    (0..60).for_each(|_| world.step());
    assert!(world.rigid(wall).is_some_and(|rigid| rigid.is_fixed()), "what is anchored is held");
    let wall = world.destruction.body(wall).expect("it stands");
    assert!(wall.compound().mass().volume < 3.59, "and has a hole");
    let (ball, _) = world.destruction.bodies().find(|(_, b)| b.material() == STEEL).expect("the ball");
    assert!(world.pose(ball).is_some_and(|pose| pose.at.z > 0.2), "the ball is through");
}

#[test]
fn what_loses_its_anchor_falls() {
    let mut world = world(Options { rest_after: f64::INFINITY, ..Options::default() });
    let foot = Aabb::new(DVec3::new(-0.3, -2.0, -0.3), DVec3::new(0.3, -1.95, 0.3));
    let column = of(STONE, boxed(DVec3::new(0.25, 2.0, 0.25)), DVec3::new(0.0, 2.0, 0.0));
    let id = world.add(NewBody { anchors: vec![foot], ..column }).expect("a column");
    (0..30).for_each(|_| world.step());
    let at = DVec3::new(0.0, 0.6, 0.0);
    assert!(world.hit(&Hit { body: id, at, direction: DVec3::Z, how: voronoi(40, 0.5) }));
    (0..90).for_each(|_| world.step());
    for (id, body) in world.destruction.bodies() {
        let rigid = world.rigid(id).expect("nothing rests");
        let top = body.compound().bounds().max.y + 2.0;
        assert!(rigid.is_fixed() == (top < 1.3 && is_low(body)), "up to {top}: {:?}", rigid.body_type());
    }
    let upper = world.destruction.bodies().map(|(_, body)| body.compound().mass().volume);
    assert!(upper.fold(0.0, f64::max) > 0.5, "the upper part is whole, and free");
}

fn is_low(body: &smithereens_simulate::Body) -> bool {
    body.compound().bounds().min.y < -1.95
}

fn widen(vector: rapier3d::math::Vector) -> DVec3 {
    vector.as_dvec3()
}

/// Broken without a push where it rests, a body does not move: fragments start free of overlap.
#[test]
fn fragments_start_at_rest() {
    let mut materials = Material::table();
    materials[0].push = 0.0;
    materials[0].strength = f64::INFINITY;
    for seed in 0..6 {
        let mut world = World::new(Options { seed, smallest: 0.0, ..Options::default() }, materials.clone());
        world.physics.gravity = rapier3d::math::Vector::ZERO;
        let turn = DQuat::from_rotation_y(seed as f64) * DQuat::from_rotation_x(0.3);
        let pose = Pose { turn, at: DVec3::new(3.0, 1.0, -2.0) };
        let block = NewBody { material: STONE, ..NewBody::at(boxed(DVec3::new(1.0, 0.5, 0.7)), pose) };
        let id = world.add(block).expect("a block");
        let mass = world.destruction.mass();
        world.hit(&Hit { body: id, at: pose.at, direction: DVec3::Y, how: voronoi(900, 1.6) });
        (0..100).for_each(|_| world.step());
        let count = world.destruction.bodies().count();
        assert!(count > 40, "seed {seed}: {count} bodies");
        let energy: f64 = world
            .destruction
            .bodies()
            .filter_map(|(id, _)| Some(f64::from(world.rigid(id)?.kinetic_energy())))
            .sum();
        assert!(energy < 1e-6 * mass * 9.81, "seed {seed}: {energy} J of {mass} kg");
    }
}

/// The momentum and the turn of a body are those of its fragments together.
#[test]
fn fragments_inherit_velocity_and_spin() {
    let mut world = World::new(Options { smallest: 0.0, ..Options::default() }, Material::table());
    world.physics.gravity = rapier3d::math::Vector::ZERO;
    let block = of(GLASS, boxed(DVec3::new(1.0, 0.5, 0.7)), DVec3::new(3.0, 1.0, -2.0));
    let (velocity, spin) = (DVec3::new(2.0, -1.0, 0.5), DVec3::new(0.3, 1.5, -0.4));
    let id = world.add(NewBody { velocity, spin, ..block }).expect("a block");
    let mass = world.destruction.mass();
    world.hit(&Hit { body: id, at: DVec3::new(3.0, 1.0, -2.0), direction: DVec3::Y, how: voronoi(500, 1.6) });
    world.step();
    let mut momentum = DVec3::ZERO;
    for (id, _) in world.destruction.bodies() {
        let rigid = world.rigid(id).expect("nothing rests");
        momentum += widen(rigid.linvel()) * f64::from(rigid.mass());
        assert!((widen(rigid.angvel()) - spin).length() < 1e-2, "{:?}", rigid.angvel());
    }
    assert!(world.destruction.bodies().count() > 20);
    assert!((momentum / mass - velocity).length() < 1e-3, "{} for {velocity}", momentum / mass);
}

/// Two threads or one, the same bits.
#[test]
fn threads_do_not_matter() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut world = shot(Options::default());
            (0..150).for_each(|_| world.step());
            (world.destruction.bodies().count(), world.state_hash())
        })
    };
    let (count, hash) = run(1);
    assert!(count > 10, "{count} bodies");
    assert_eq!(run(2), (count, hash));
    assert_eq!(run(2), (count, hash));
}

/// A budget of next to nothing delays fractures, and they all happen.
#[test]
fn a_budget_spreads_fractures_over_steps() {
    let budget = Some(std::time::Duration::from_micros(20));
    let mut world = world(Options { budget, ..Options::default() });
    let ids: Vec<_> = (0..8)
        .map(|i| of(STONE, boxed(DVec3::splat(0.5)), DVec3::new(f64::from(i) * 2.0, 0.5, 0.0)))
        .map(|new| world.add(new).expect("a block"))
        .collect();
    for &body in &ids {
        let at = world.pose(body).expect("it is there").at;
        world.hit(&Hit { body, at, direction: DVec3::Z, how: voronoi(500, 1.0) });
    }
    world.step();
    assert!(world.destruction.waiting() > 0, "not all in one step");
    let steps = (0..2000).take_while(|_| {
        world.step();
        world.destruction.waiting() > 0
    });
    assert!(steps.count() < 1999);
    assert!(world.destruction.bodies().count() > 200);
}

/// What has broken once never breaks again.
#[test]
fn a_cool_down_may_last_for_ever() {
    let mut world = shot(Options { cool_down: f64::INFINITY, ..Options::default() });
    let events: usize = (0..120)
        .map(|_| {
            world.step();
            world.destruction.events().len()
        })
        .sum();
    assert_eq!(events, 1);
}

#[test]
fn the_cap_is_kept_and_what_goes_is_counted() {
    let mut world = shot(Options { most_bodies: 12, ..Options::default() });
    let before = world.destruction.mass();
    for _ in 0..120 {
        world.step();
        assert!(world.destruction.bodies().count() <= 12);
    }
    let retired = world.destruction.retired();
    assert!(retired.over_cap > 0);
    assert!((world.destruction.mass() + retired.mass - before).abs() < 1e-6 * before);
}

#[test]
fn nonsense_is_refused() {
    let mut world = world(Options::default());
    let cube = || boxed(DVec3::splat(0.5));
    assert!(world.add(of(MaterialId(99), cube(), DVec3::ZERO)).is_err());
    assert!(world.add(of(STONE, cube(), DVec3::NAN)).is_err());
    assert!(world.add(NewBody { velocity: DVec3::INFINITY, ..of(STONE, cube(), DVec3::ZERO) }).is_err());
    let id = world.add(of(STONE, cube(), DVec3::ZERO)).expect("a cube");
    assert!(!world.hit(&Hit { body: id, at: DVec3::NAN, direction: DVec3::Z, how: voronoi(9, 1.0) }));
    let spoils: [fn(&mut Material); 3] =
        [|m| m.push = f64::NAN, |m| m.restitution = 2.0, |m| m.breaks[0].radius = f64::NAN];
    for spoil in spoils {
        let mut materials = Material::table();
        spoil(&mut materials[0]);
        let mut spoilt = World::new(Options::default(), materials);
        assert!(spoilt.add(of(STONE, cube(), DVec3::ZERO)).is_err());
    }
    let nowhere = Explosion { at: DVec3::ZERO, radius: 0.0, force: 1e6, impulse: 1.0 };
    assert!(!world.explode(&nowhere) && !world.explode(&Explosion { radius: f64::NAN, ..nowhere }));
    assert!(!world.hit(&Hit { body: id, at: DVec3::ZERO, direction: DVec3::Z, how: voronoi(9, 0.0) }));
}

/// What breaks something loses what the fragments gain.
#[test]
fn a_blow_that_breaks_keeps_momentum_and_makes_no_energy() {
    for (half, speed) in [(0.12, 60.0), (0.3, 20.0), (0.06, 150.0)] {
        let mut world = World::new(Options { smallest: 0.0, ..Options::default() }, Material::table());
        world.physics.gravity = rapier3d::math::Vector::ZERO;
        world.add(of(STONE, boxed(DVec3::new(1.0, 1.0, 0.2)), DVec3::ZERO)).expect("a slab");
        let ball = of(STEEL, boxed(DVec3::splat(half)), DVec3::new(0.1, 0.2, -1.5));
        world.add(NewBody { velocity: DVec3::Z * speed, ..ball }).expect("a ball");
        let (before, energy) = (momentum(&world), kinetic(&world));
        let mut events = 0;
        for _ in 0..90 {
            world.step();
            events += world.destruction.events().len();
            assert!(kinetic(&world) < 1.001 * energy, "{half}: {} J of {energy}", kinetic(&world));
        }
        let after = momentum(&world);
        assert!(events > 0, "{half}: it broke");
        assert!((after - before).length() < 0.05 * before.length(), "{half}: {after} of {before}");
    }
}

fn momentum(world: &World) -> DVec3 {
    let rigid = world.destruction.bodies().filter_map(|(id, _)| world.rigid(id));
    rigid.map(|rigid| widen(rigid.linvel()) * f64::from(rigid.mass())).sum()
}

fn kinetic(world: &World) -> f64 {
    let rigid = world.destruction.bodies().filter_map(|(id, _)| world.rigid(id));
    rigid.map(|rigid| f64::from(rigid.kinetic_energy())).sum()
}

#[test]
fn what_is_asked_for_breaks_however_many_are_awake_and_contacts_wait() {
    let mut world = shot(Options { most_awake: 0, ..Options::default() });
    let (wall, _) = world.destruction.bodies().next().expect("the wall");
    (0..40).for_each(|_| world.step());
    assert_eq!(world.destruction.bodies().count(), 2, "the ball broke nothing");
    assert!(world.destruction.late() > 0, "and its hit is counted");
    let at = DVec3::new(0.0, 1.5, 0.15);
    assert!(world.hit(&Hit { body: wall, at, direction: DVec3::NEG_Z, how: voronoi(20, 0.5) }));
    world.step();
    assert!(world.destruction.bodies().count() > 10, "{} bodies", world.destruction.bodies().count());
    let before = world.destruction.bodies().count();
    world.explode(&Explosion { at: DVec3::new(-1.5, 1.5, 0.4), radius: 1.0, force: 4e5, impulse: 300.0 });
    world.step();
    assert!(
        world.destruction.bodies().count() > before + 10,
        "{} bodies",
        world.destruction.bodies().count()
    );
}
