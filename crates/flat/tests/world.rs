//! What is promised of a world: area and momentum, the same bits again, and nothing that panics.

use std::sync::Arc;

use glam::DVec2;
use smithereens_flat::planar::modes::{Brittle, BrittleOptions, CellOptions};
use smithereens_flat::planar::pattern::Pattern;
use smithereens_flat::planar::{Aabb, Compound, Convex, Cover, Shape};
use smithereens_flat::{
    Break, Cause, Choice, Hit, HitError, Material, NewBody, Options, PatternKind, Pose, Push, Recipe, Shot,
    SpawnError, Turning, World,
};

fn square(half: f64) -> Shape {
    Shape::new(&Aabb::square(half).corners(), &[]).unwrap()
}

fn ring() -> Shape {
    Shape::new(&Aabb::square(1.0).corners(), &[Aabb::square(0.4).corners().to_vec()]).unwrap()
}

fn world() -> World {
    World::new(Options { gravity: DVec2::ZERO, ..Options::default() }, Material::table()).unwrap()
}

fn with_floor(options: Options) -> World {
    let mut world = World::new(options, Material::table()).unwrap();
    let slab = Shape::new(&Aabb::new(DVec2::new(-50.0, -2.0), DVec2::new(50.0, 0.0)).corners(), &[]).unwrap();
    let material = world.material("steel").unwrap();
    world.add(NewBody { fixed: true, material, ..NewBody::of(&slab, Pose::IDENTITY) }).unwrap();
    world
}

#[test]
fn area_and_momentum_are_kept_over_twenty_hits() {
    for seed in 0..10u64 {
        let mut world = World::new(
            Options { seed, gravity: DVec2::ZERO, debris_life: 0.2, ..Options::default() },
            Material::table(),
        )
        .unwrap();
        let velocity = DVec2::new(2.0, -1.0);
        let body = NewBody { velocity, spin: 0.7, ..NewBody::of(&ring(), Pose { turn: 0.4, at: DVec2::X }) };
        world.add(body).unwrap();
        let (area, momentum) = (world.area(), world.momentum());
        for hit in 0..20 {
            let mut all: Vec<_> = world.bodies().map(|b| (b.compound().mass().area, b.id)).collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let id = all[hit % 3 % all.len()].1;
            let at =
                world.pose(id).unwrap().point(world.body(id).unwrap().compound().pieces()[0].mass().center);
            let before = world.momentum();
            world.fracture(&Hit { strength: 1.0 + hit as f64, ..Hit::at(id, at) }).unwrap();
            assert!((world.momentum() - before).length() < momentum.length() * 1e-5, "seed {seed} hit {hit}");
            assert!((world.area() - area).abs() <= area * 1e-12, "seed {seed} hit {hit}: {}", world.area());
            world.step();
            assert!((world.area() - area).abs() <= area * 1e-12, "seed {seed} step {hit}: {}", world.area());
        }
        assert!(world.bodies().count() > 20, "{}", world.bodies().count());
        assert!((world.mass() - area * 2600.0).abs() < area * 2600.0 * 1e-12);
    }
}

#[test]
fn fragments_go_on_as_their_place_did() {
    let mut world = world();
    let spin = 3.0;
    let id =
        world.add(NewBody { spin, velocity: DVec2::X, ..NewBody::of(&square(1.0), Pose::IDENTITY) }).unwrap();
    let hit = Hit { radius: Some(f64::INFINITY), push: Some(Push::Speed(0.0)), ..Hit::at(id, DVec2::ZERO) };
    let event = world.fracture(&hit).unwrap().unwrap();
    assert!(event.born.len() > 5 && event.cause == Cause::Hit);
    for born in event.born {
        let body = world.body(born).unwrap();
        let at = world.pose(born).unwrap().point(body.compound().mass().center);
        let (velocity, own) = world.velocity(born).unwrap();
        assert!((velocity - (DVec2::X + at.perp() * spin)).length() < 1e-5);
        assert!((own - spin).abs() < 1e-6 && body.parent() == Some(id) && body.root() == id);
    }
}

#[test]
fn an_impulse_is_the_same_for_each_fragment_and_goes_outward() {
    let mut world = world();
    let id = world.add(NewBody::of(&square(1.0), Pose::IDENTITY)).unwrap();
    let push = Some(Push::Impulse(900.0));
    let hit = Hit { radius: Some(f64::INFINITY), push, ..Hit::at(id, DVec2::ZERO) };
    let event = world.fracture(&hit).unwrap().unwrap();
    let mut outward = 0;
    for &born in &event.born {
        let at = world.pose(born).unwrap().point(world.body(born).unwrap().compound().mass().center);
        outward += usize::from(world.velocity(born).unwrap().0.dot(at) > 0.0);
    }
    assert!(outward * 10 > event.born.len() * 8, "{outward} of {}", event.born.len());
    assert!(world.momentum().length() < 0.1, "{}", world.momentum());
}

#[test]
fn what_is_held_stays_held_where_its_anchor_is() {
    let mut world = World::new(Options::default(), Material::table()).unwrap();
    let wall = Compound::from_shape(&square(1.0));
    let anchors = vec![Aabb::new(DVec2::new(-1.1, -1.1), DVec2::new(1.1, -0.99))];
    let id = world.add(NewBody { anchors, ..NewBody::at(wall, Pose::IDENTITY) }).unwrap();
    assert!(world.body(id).unwrap().is_fixed());
    world.fracture(&Hit { strength: 9.0, ..Hit::at(id, DVec2::new(0.0, 0.5)) }).unwrap();
    (0..120).for_each(|_| world.step());
    for body in world.bodies() {
        let lowest = body.compound().bounds().min.y;
        assert_eq!(body.is_fixed(), lowest < -0.98, "{lowest}");
    }
    assert!(world.bodies().any(|body| !body.is_fixed()) && world.bodies().any(|body| body.is_fixed()));
}

#[test]
fn how_hard_it_was_hit_decides_the_pattern() {
    let stripes = |above| Break { above, pattern: Choice::Named("stripes".into()), cells: 1, radius: 5.0 };
    let cells = Break { above: 1.0, pattern: Choice::Kind(PatternKind::Voronoi), cells: 60, radius: 1.5 };
    let material = Material { strength: 1e4, breaks: vec![cells, stripes(5.0)], ..Material::default() };
    let count = |strength| {
        let mut world =
            World::new(Options { gravity: DVec2::ZERO, ..Options::default() }, vec![material.clone()])
                .unwrap();
        let stripes = Recipe::of_points("stripes", vec![-DVec2::X * 0.1, DVec2::X * 0.1]);
        world.patterns_mut().add(stripes).unwrap();
        let id = world.add(NewBody::of(&square(1.0), Pose::IDENTITY)).unwrap();
        world.fracture(&Hit { strength, ..Hit::at(id, DVec2::ZERO) }).unwrap().map_or(1, |e| e.fragments)
    };
    assert!(count(1.0) > 10);
    assert_eq!(count(6.0), 2);
}

#[test]
fn patterns_turn_along_by_chance_or_not_at_all() {
    let halves = Arc::new(Pattern::from_points(&[-DVec2::X, DVec2::X], Aabb::square(1.0)).unwrap());
    let parts = |turning, seed| {
        let mut world =
            World::new(Options { seed, gravity: DVec2::ZERO, ..Options::default() }, Material::table())
                .unwrap();
        let pose = Pose { turn: 0.3, at: DVec2::ZERO };
        let id = world.add(NewBody::of(&square(1.0), pose)).unwrap();
        let hit = Hit {
            pattern: Some(halves.clone()),
            radius: Some(f64::INFINITY),
            direction: DVec2::Y,
            turning,
            ..Hit::at(id, DVec2::ZERO)
        };
        let event = world.fracture(&hit).unwrap().unwrap();
        assert_eq!(event.born.len(), 2);
        let body = world.body(event.born[0]).unwrap();
        let away = world.pose(event.born[0]).unwrap().point(body.compound().mass().center);
        (away.x.abs(), away.y.abs())
    };
    let (x, y) = parts(Turning::Along, 0);
    assert!(x < 0.1 && y > 0.4, "{x} {y}");
    let (x, y) = parts(Turning::Not, 0);
    assert!(x > 0.4 && y < 0.1, "{x} {y}");
    assert_ne!(parts(Turning::Random, 1), parts(Turning::Random, 2));
    assert_eq!(parts(Turning::Random, 1), parts(Turning::Random, 1));
}

#[test]
fn a_projectile_misses_nothing_and_breaks_each_body_once() {
    for speed in [20.0, 400.0, 5000.0] {
        let mut world = world();
        let glass = world.material("glass").unwrap();
        let pane =
            Shape::new(&Aabb::new(DVec2::new(-0.02, -1.0), DVec2::new(0.02, 1.0)).corners(), &[]).unwrap();
        for x in 0..6 {
            let at = Pose::at(DVec2::new(f64::from(x) * 1.5, 0.0));
            world.add(NewBody { material: glass, ..NewBody::of(&pane, at) }).unwrap();
        }
        let shot = Shot { from: -DVec2::X * 3.0, toward: DVec2::X, speed, breaks: 4, ..Shot::default() };
        world.fire(&shot).unwrap();
        let mut tips = Vec::new();
        for _ in 0..120 {
            world.step();
            tips.extend(world.projectiles().map(|projectile| projectile.tip()));
        }
        assert!(tips.iter().all(|tip| tip.y == 0.0), "nothing deflects it");
        let broken: Vec<_> =
            world.events().iter().filter(|e| e.cause == Cause::Shot).map(|e| e.body.0).collect();
        assert_eq!(broken, [0, 1, 2, 3], "at {speed}");
        assert_eq!(world.projectiles().count(), 0);
    }
}

#[test]
fn a_projectile_meets_what_flies_across_its_way() {
    let mut world = world();
    let velocity = DVec2::new(0.0, -120.0);
    world.add(NewBody { velocity, ..NewBody::of(&square(0.2), Pose::at(DVec2::new(5.0, 5.0))) }).unwrap();
    // It is there when the body is: between two steps.
    world.fire(&Shot { toward: DVec2::X, speed: 120.0, ..Shot::default() }).unwrap();
    (0..6).for_each(|_| world.step());
    assert_eq!(world.events().iter().filter(|event| event.cause == Cause::Shot).count(), 1);
}

#[test]
fn what_leaves_the_box_is_gone() {
    let bounds = Some(Aabb::square(5.0));
    let mut world = World::new(Options { bounds, ..Options::default() }, Material::table()).unwrap();
    world.add(NewBody::of(&square(0.5), Pose::IDENTITY)).unwrap();
    world.fire(&Shot { toward: DVec2::Y, ..Shot::default() });
    (0..120).for_each(|_| world.step());
    assert_eq!((world.bodies().count(), world.projectiles().count()), (0, 0));
    assert!((world.area() - 1.0).abs() < 1e-12 && world.retired().left >= 1);
}

#[test]
fn heavy_and_light_bodies_follow_the_spring_alike() {
    let way = |half: f64, material: &str, grip: f64| {
        let mut world = World::new(Options::default(), Material::table()).unwrap();
        let material = world.material(material).unwrap();
        let id = world.add(NewBody { material, ..NewBody::of(&square(half), Pose::IDENTITY) }).unwrap();
        assert_eq!(world.grab(DVec2::splat(half * grip)), Some(id));
        for step in 0..240 {
            world.drag(if step < 120 { DVec2::new(40.0, 3.0) } else { DVec2::new(-1e6, 0.0) });
            world.step();
            let (velocity, spin) = world.velocity(id).unwrap();
            assert!(velocity.length() < 100.0 && spin.abs() < 300.0, "{velocity} {spin}");
            if step == 119 {
                let (anchor, target) = world.grabbed().unwrap();
                assert!(anchor.distance(target) < 0.5, "{anchor} {target}");
            }
        }
        world.release();
        assert_eq!(world.grabbed(), None);
    };
    for (half, material) in [(0.02, "wood"), (0.5, "stone"), (5.0, "steel")] {
        way(half, material, 0.0);
        way(half, material, 0.9);
    }
}

#[test]
fn what_is_too_weak_for_its_weight_falls() {
    let bricks: Vec<Convex> = (0..12)
        .map(|i| Convex::from_box(&Aabb::new(DVec2::X * f64::from(i), DVec2::new(f64::from(i + 1), 0.5))))
        .collect();
    let beam = Compound::from_convexes(bricks).unwrap();
    let fallen = |stress, tension| {
        let mut materials = Material::table();
        materials[0].stress.tension = tension;
        let mut world = World::new(Options { stress, ..Options::default() }, materials).unwrap();
        let anchors = vec![Aabb::new(DVec2::splat(-0.1), DVec2::new(0.1, 1.0))];
        world.add(NewBody { anchors, ..NewBody::at(beam.clone(), Pose::IDENTITY) }).unwrap();
        (0..60).for_each(|_| world.step());
        world.events().iter().any(|event| event.cause == Cause::Stress)
    };
    // A cantilever of 12 m: bending stress of its weight is 3 ρ g l² / h, 22 MPa.
    assert!(!fallen(false, 7e6));
    assert!(fallen(true, 7e6));
    assert!(!fallen(true, 40e6));
}

#[test]
fn what_breaks_by_nature_does_so_when_hit_hard_enough() {
    let dumbbell: Vec<DVec2> = [
        [-2.0, -1.0],
        [-1.0, -1.0],
        [-0.9, -0.15],
        [0.9, -0.15],
        [1.0, -1.0],
        [2.0, -1.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [0.9, 0.15],
        [-0.9, 0.15],
        [-1.0, 1.0],
        [-2.0, 1.0],
    ]
    .map(DVec2::from)
    .to_vec();
    let shape = Shape::new(&dumbbell, &[]).unwrap();
    let cells = CellOptions { count: 300, ..CellOptions::default() };
    let brittle =
        Brittle::of(&shape, &BrittleOptions { cells, modes: 3, ..BrittleOptions::default() }).unwrap();
    let weakness = Some(Arc::new(brittle.weakness));
    let hit = |strength| {
        let mut world = world();
        let new =
            NewBody { weakness: weakness.clone(), ..NewBody::at(brittle.compound.clone(), Pose::IDENTITY) };
        let id = world.add(new).unwrap();
        let hit = Hit { strength, direction: DVec2::NEG_Y, ..Hit::at(id, DVec2::new(1.9, 0.9)) };
        let mut loaded = World::load(&world.save()).unwrap();
        let again = loaded.fracture(&hit).unwrap();
        let event = world.fracture(&hit).unwrap();
        assert!((world.area() - shape.area()).abs() < 1e-9);
        assert_eq!((loaded.state_hash(), again.is_some()), (world.state_hash(), event.is_some()));
        event.map_or(1, |event| event.fragments)
    };
    assert_eq!(hit(0.01), 1);
    assert!(hit(6.0) > 1);
}

#[test]
fn bad_input_is_named() {
    let mut world = world();
    let id = world.add(NewBody::of(&square(1.0), Pose::IDENTITY)).unwrap();
    let missing = smithereens_flat::BodyId(99);
    assert_eq!(world.fracture(&Hit::at(missing, DVec2::ZERO)), Err(HitError::NoBody(missing)));
    assert!(world.fracture(&Hit::at(id, DVec2::NAN)).is_err());
    for hit in [
        Hit { strength: -1.0, ..Hit::at(id, DVec2::ZERO) },
        Hit { radius: Some(0.0), ..Hit::at(id, DVec2::ZERO) },
        Hit { size: Some(f64::NAN), ..Hit::at(id, DVec2::ZERO) },
    ] {
        assert!(matches!(world.fracture(&hit), Err(HitError::OutOfRange { .. })));
    }
    let nowhere = NewBody::of(&square(1.0), Pose::at(DVec2::NAN));
    assert_eq!(world.add(nowhere), Err(SpawnError::NotFinite("pose")));
    assert!(matches!(world.add(NewBody::of(&square(1e-4), Pose::IDENTITY)), Err(SpawnError::Thin(_))));
    let heavy = Material { density: f64::INFINITY, ..Material::default() };
    assert!(matches!(world.add_material(heavy), Err(SpawnError::Material(_))));
    assert_eq!(world.fire(&Shot { speed: f64::NAN, ..Shot::default() }), None);
    assert_eq!(world.fire(&Shot { toward: DVec2::ZERO, ..Shot::default() }), None);
    let hit = Hit { cover: Cover::Scale, ..Hit::at(id, DVec2::splat(1e300)) };
    let _ = world.fracture(&hit);
    (0..3).for_each(|_| world.step());
}

#[test]
fn a_clone_goes_on_as_the_world_does() {
    let mut world = with_floor(Options { seed: 4, ..Options::default() });
    for i in 0..12 {
        let at = Pose::at(DVec2::new(f64::from(i % 4) * 1.3, 2.0 + 3.0 * f64::from(i / 4)));
        world.add(NewBody::of(&square(0.5), at)).unwrap();
    }
    (0..70).for_each(|_| world.step());
    let mut clone = world.clone();
    for step in 0..120 {
        world.step();
        clone.step();
        assert_eq!(world.state_hash(), clone.state_hash(), "step {step}");
    }
    assert!(world.bodies().count() > 30);
}

#[test]
fn options_out_of_range_are_named() {
    let with = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        options
    };
    for (name, options) in [
        ("step", with(|o| o.step = 0.0)),
        ("gravity", with(|o| o.gravity = DVec2::NAN)),
        ("depth", with(|o| o.depth = -1.0)),
        ("smallest", with(|o| o.smallest = f64::INFINITY)),
    ] {
        let error = World::new(options, Material::table()).err().unwrap().to_string();
        assert!(error.contains(name), "{error}");
        let mut world = World::new(Options::default(), Material::table()).unwrap();
        assert_eq!(world.set_options(options).unwrap_err().to_string(), error);
        assert_eq!(*world.options(), Options::default());
    }
    let mut world = World::new(Options::default(), Material::table()).unwrap();
    let error = world.set_options(with(|o| o.depth = 2.0)).unwrap_err();
    assert!(error.to_string().contains("depth"));
}
