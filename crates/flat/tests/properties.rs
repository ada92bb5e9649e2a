//! Whatever one does to a world: nothing panics, area is kept, pieces do not overlap, and the same is the same to the bit.

use glam::DVec2;
use smithereens_flat::planar::{Aabb, Compound, Shape};
use smithereens_flat::scene::{Scene, built_in};
use smithereens_flat::{Hit, Material, NewBody, Options, Pose, Push, Shot, Turning, World};

/// Random draws (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn point(&mut self, reach: f64) -> DVec2 {
        DVec2::new(self.between(-reach, reach), self.between(-reach, reach))
    }
}

fn shape(chance: &mut Chance) -> Shape {
    let corners = 3 + chance.below(20);
    let radius = chance.between(0.1, 1.2);
    let corner = |i: usize, swell: f64| {
        let (sine, cosine) = (std::f64::consts::TAU * i as f64 / corners as f64).sin_cos();
        DVec2::new(cosine, sine) * (radius * swell)
    };
    let outer: Vec<DVec2> = (0..corners).map(|i| corner(i, chance.between(0.6, 1.0))).collect();
    let hole = Aabb::square(radius * 0.2).corners().to_vec();
    let holes = if corners > 6 && chance.below(2) == 0 { vec![hole] } else { Vec::new() };
    Shape::new(&outer, &holes).unwrap()
}

fn scene(chance: &mut Chance) -> World {
    let options = Options {
        seed: chance.next(),
        stress: chance.below(3) == 0,
        bounds: Some(Aabb::square(12.0)),
        smallest: [0.0, 1e-4, 1e-2][chance.below(3)],
        debris_life: chance.between(0.05, 2.0),
        most_bodies: if chance.below(4) == 0 { 40 } else { usize::MAX },
        ..Options::default()
    };
    let mut world = World::new(options, Material::table()).unwrap();
    let floor = Shape::new(&Aabb::new(DVec2::new(-9.0, -6.0), DVec2::new(9.0, -5.0)).corners(), &[]).unwrap();
    let steel = world.material("steel").unwrap();
    world.add(NewBody { fixed: true, material: steel, ..NewBody::of(&floor, Pose::IDENTITY) }).unwrap();
    for _ in 0..4 + chance.below(8) {
        let compound = Compound::from_shape(&shape(chance));
        let bounds = compound.bounds();
        let half = Aabb::new(bounds.min, DVec2::new(bounds.center().x, bounds.max.y));
        let new = NewBody {
            material: smithereens_flat::MaterialId(chance.below(world.materials().len()) as u32),
            velocity: chance.point(8.0),
            spin: chance.between(-9.0, 9.0),
            anchors: if chance.below(5) == 0 { vec![half] } else { Vec::new() },
            ..NewBody::at(compound, Pose { turn: chance.between(-4.0, 4.0), at: chance.point(4.0) })
        };
        world.add(new).unwrap();
    }
    world
}

/// Something that a user may do.
fn act(world: &mut World, chance: &mut Chance) {
    let ids: Vec<_> = world.bodies().map(|body| body.id).collect();
    let Some(&id) = ids.get(chance.below(ids.len().max(1))) else { return };
    match chance.below(9) {
        0 | 1 => {
            let from = chance.point(9.0);
            let speed = chance.between(1.0, 900.0);
            let breaks = 1 + chance.below(5) as u32;
            world.fire(&Shot { from, toward: chance.point(4.0), speed, breaks, ..Shot::default() });
        }
        2..=4 => {
            let place =
                world.pose(id).unwrap().point(world.body(id).unwrap().compound().pieces()[0].mass().center);
            let pattern = world.patterns_mut().cycle(1).map(|named| named.pattern.clone());
            let hit = Hit {
                strength: chance.between(0.1, 30.0),
                direction: chance.point(1.0),
                radius: [None, Some(0.3), Some(f64::INFINITY)][chance.below(3)],
                pattern: pattern.filter(|_| chance.below(2) == 0),
                turning: [Turning::Random, Turning::Along, Turning::Not][chance.below(3)],
                push: [None, Some(Push::Impulse(50.0)), Some(Push::Speed(9.0))][chance.below(3)],
                ..Hit::at(id, place + chance.point(0.2))
            };
            world.fracture(&hit).unwrap();
        }
        5 => drop(world.grab(chance.point(5.0))),
        6 => world.drag(chance.point(1e3)),
        7 => world.release(),
        _ => {
            let stress = chance.below(2) == 0;
            let gravity = chance.point(12.0);
            world.set_options(Options { stress, gravity, ..*world.options() }).unwrap();
        }
    }
}

/// Steps a random world, and says what became of it.
fn run(seed: u64, steps: usize, each: impl Fn(&mut World, usize)) -> u64 {
    let mut chance = Chance(seed);
    let mut world = scene(&mut chance);
    let area = world.area();
    for step in 0..steps {
        if chance.below(5) == 0 {
            act(&mut world, &mut chance);
        }
        world.step();
        each(&mut world, step);
        assert!((world.area() - area).abs() <= area * 1e-12, "seed {seed} step {step}: {}", world.area());
        assert!(world.bodies().len() < 4000, "seed {seed}");
    }
    for body in world.bodies() {
        let pose = world.pose(body.id).unwrap();
        assert!(pose.is_sound() && body.compound().islands().len() == 1, "seed {seed}");
        let drawn: f64 = body.outline().loops().iter().map(|own| loop_area(&own.points)).sum();
        let real = body.compound().mass().area;
        assert!((drawn - real).abs() < 1e-6 * real.max(1e-3), "seed {seed}: {drawn} of {real}");
    }
    world.state_hash()
}

fn loop_area(points: &[DVec2]) -> f64 {
    let next = |index: usize| points[(index + 1) % points.len()];
    points.iter().enumerate().map(|(i, &p)| (p - points[0]).perp_dot(next(i) - points[0])).sum::<f64>() * 0.5
}

#[test]
fn random_worlds_survive_what_is_done_to_them() {
    for seed in 0..40 {
        run(seed, 90, |_, _| {});
    }
}

#[test]
fn the_same_is_the_same_again_on_one_thread_and_on_two() {
    for seed in 100..106 {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(seed, 120, |_, _| {}))
        };
        let hash = on(1);
        assert_eq!((on(2), on(1)), (hash, hash), "seed {seed}");
    }
}

#[test]
fn a_world_that_was_saved_goes_on_as_it_would_have() {
    for seed in 200..212 {
        let plain = run(seed, 120, |world, step| {
            if step == 60 {
                world.save();
            }
        });
        let loaded = run(seed, 120, |world, step| {
            if step == 60 {
                let bytes = world.save();
                *world = World::load(&bytes).unwrap();
            }
        });
        assert_eq!(plain, loaded, "seed {seed}");
    }
}

#[test]
fn damage_to_a_saved_world_is_noticed() {
    let mut world = scene(&mut Chance(9));
    let bytes = world.save();
    let mut chance = Chance(10);
    for _ in 0..200 {
        let mut bad = bytes.clone();
        let at = chance.below(bad.len());
        bad[at] ^= 1 << chance.below(8);
        assert!(World::load(&bad).is_err());
        assert!(World::load(&bytes[..at]).is_err());
    }
}

#[test]
fn pieces_of_fragments_do_not_overlap() {
    let mut chance = Chance(77);
    for _ in 0..10 {
        let mut world =
            World::new(Options { gravity: DVec2::ZERO, ..Options::default() }, Material::table()).unwrap();
        let id = world.add(NewBody::of(&shape(&mut chance), Pose::IDENTITY)).unwrap();
        let hit = Hit { strength: 9.0, push: Some(Push::Speed(0.0)), ..Hit::at(id, chance.point(0.2)) };
        world.fracture(&hit).unwrap();
        // Nothing has moved: all fragments are still in the coordinates of the whole.
        let pieces: Vec<_> = world.bodies().flat_map(|body| body.compound().pieces().iter()).collect();
        for (index, a) in pieces.iter().enumerate() {
            for b in &pieces[index + 1..] {
                let common = a.convex().intersection(b.convex()).map_or(0.0, |common| common.area());
                assert!(common < 1e-9, "{common}");
            }
        }
    }
}

#[test]
fn a_scene_of_what_a_world_has_become_is_that_world() {
    for scene in built_in() {
        let mut stage = Scene::read(scene.text).unwrap().stage().unwrap();
        (0..60).for_each(|_| stage.step());
        let text = Scene::of(&stage.world).write();
        let again = Scene::read(&text).unwrap_or_else(|e| panic!("{}: {e}", scene.name)).world().unwrap();
        assert_eq!(again.bodies().len(), stage.world.bodies().len(), "{}", scene.name);
        for (a, b) in again.bodies().zip(stage.world.bodies()) {
            assert_eq!(
                (a.compound().pieces(), a.compound().bonds()),
                (b.compound().pieces(), b.compound().bonds())
            );
            assert_eq!((a.is_fixed(), a.name()), (b.is_fixed(), b.name()));
            assert_eq!(a.weakness(), b.weakness());
            let (now, then) = (again.pose(a.id).unwrap(), stage.world.pose(b.id).unwrap());
            assert!(now.at.distance(then.at) < 1e-5 && (now.turn - then.turn).abs() < 1e-5);
            let (now, then) = (again.velocity(a.id).unwrap(), stage.world.velocity(b.id).unwrap());
            assert!(now.0.distance(then.0) < 1e-4 && (now.1 - then.1).abs() < 1e-4);
        }
    }
}
