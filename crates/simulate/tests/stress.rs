//! Bodies bear their weight, what is on them and what hits them, as far as theory says they do; and structures that are sound stand.

use std::path::Path;

use glam::DVec3;
use smithereens::{Aabb, Compound, Convex};
use smithereens_simulate::scene::{ModelEntry, Scene, Stage};
use smithereens_simulate::{Body, BodyId, Fibres, Material, NewBody, Options, Pose, World};

fn made_of(name: &str) -> Material {
    Material::named(name).expect("a material of ours")
}

/// A scene of ours without what is shot and blown up in it.
fn untouched(name: &str) -> Stage {
    let mut scene = scene(name);
    scene.stress = true;
    scene.projectiles.clear();
    scene.explosions.clear();
    staged(scene)
}

fn scene(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    Scene::parse(&std::fs::read_to_string(&path).expect("a scene of ours")).expect("a sound scene")
}

fn staged(scene: Scene) -> Stage {
    let none = |_: &ModelEntry| -> Result<Compound, String> { Err("no files".into()) };
    scene.stage(none).expect("a stage")
}

/// A beam of slices along x, held at its left end.
fn beam(length: f64, height: f64, slices: u32) -> Compound {
    let width = length / f64::from(slices);
    let slice = |i: u32| {
        let from = f64::from(i) * width;
        Convex::from_box(&Aabb::new(DVec3::new(from, 0.0, 0.0), DVec3::new(from + width, height, 0.3)))
    };
    Compound::from_convexes((0..slices).map(slice).collect()).expect("a beam")
}

fn held(compound: Compound, material: Material, anchor: Aabb) -> (World, BodyId) {
    let options = Options { stress: true, ..Options::default() };
    let mut world = World::new(options, vec![material]);
    let body = NewBody { anchors: vec![anchor], ..NewBody::at(compound, Pose::at(DVec3::Y * 5.0)) };
    let id = world.add(body).expect("a body");
    (world, id)
}

/// Whether a beam of a length stays whole. What is held is the first slice: the rest sticks out.
fn stands(material: &Material, length: f64, height: f64) -> bool {
    let slices = 20;
    let slice = length / f64::from(slices - 1);
    let compound = beam(length + slice, height, slices);
    let end = Aabb::new(DVec3::splat(-1.0), DVec3::new(0.1 * slice, height + 1.0, 1.0));
    let (mut world, _) = held(compound, material.clone(), end);
    (0..5).for_each(|_| world.step());
    world.destruction.bodies().len() == 1
}

/// σ = 3 ρ g L² / h at the root: the longest that stands, over three sizes and three materials.
#[test]
fn cantilevers_break_at_the_length_of_beam_theory() {
    for material in ["stone", "concrete", "wood"].map(made_of) {
        for height in [0.1, 0.4, 1.5] {
            let weight = material.density * 9.81;
            let bears = material.stress.tension.min(material.stress.compression);
            let theory = (bears * height / (3.0 * weight)).sqrt();
            assert!(stands(&material, 0.9 * theory, height), "{} {height}: too weak", material.name);
            assert!(!stands(&material, 1.1 * theory, height), "{} {height}: too strong", material.name);
        }
    }
}

/// Wood splits along its grain: a beam whose fibres run across it bears what they do when they are pulled apart.
#[test]
fn a_beam_along_its_grain_bears_more_than_one_across() {
    let along = made_of("wood");
    let fibres = along.fibres.expect("fibres");
    let across = Material { fibres: Some(Fibres { direction: DVec3::Z, ..fibres }), ..along.clone() };
    let longest = |bears: f64| (bears * 0.4 / (3.0 * along.density * 9.81)).sqrt();
    let theory = longest(fibres.tension.min(fibres.compression));
    assert!(2.0 * theory < longest(along.stress.tension.min(along.stress.compression)));
    assert!(stands(&across, 0.9 * theory, 0.4), "too weak across");
    assert!(!stands(&across, 1.1 * theory, 0.4), "too strong across");
    assert!(stands(&along, 2.0 * theory, 0.4), "too weak along");
}

/// What leans or is dragged bends what it stands on by friction: here gravity leans, and a block on a pillar stays where it is.
#[test]
fn friction_bends_what_is_stood_on() {
    let material = Material { strength: f64::INFINITY, ..made_of("concrete") };
    let gravity = DVec3::new(4.0, -9.0, 0.0);
    let options = Options { stress: true, gravity, ..Options::default() };
    let mut world = World::new(options, vec![material.clone()]);
    world.physics.gravity = gravity.as_vec3();
    let (wide, deep, slice, high) = (0.3, 0.5, 0.2, 2.0);
    let part = |i: u32| {
        let from = DVec3::new(0.0, f64::from(i) * slice, 0.0);
        Convex::from_box(&Aabb::new(from, from + DVec3::new(wide, slice, deep)))
    };
    let pillar = Compound::from_convexes((0..10).map(part).collect()).expect("a pillar");
    let anchors = vec![Aabb::new(DVec3::splat(-1.0), DVec3::new(1.0, 0.5 * slice, 1.0))];
    let pillar = world.add(NewBody { anchors, ..NewBody::at(pillar, Pose::IDENTITY) }).expect("a pillar");
    let half = DVec3::new(0.45, 0.12, 0.45);
    let block = Compound::from_convexes(vec![Convex::from_box(&Aabb::new(-half, half))]).expect("a block");
    let at = DVec3::new(0.5 * wide, high + half.y + 0.001, 0.5 * deep);
    world.add(NewBody::at(block, Pose::at(at))).expect("a block");
    (0..25).for_each(|_| world.step());
    // At the joint above the slice that is held: the weight of both presses, and what pulls both aside bends.
    let block = material.density * 8.0 * half.element_product();
    let above = material.density * wide * deep * (high - slice);
    let moment = gravity.x * (block * (high - slice + half.y) + above * 0.5 * (high - slice));
    let tension = moment * 6.0 / (wide * wide * deep) + gravity.y * (block + above) / (wide * deep);
    let (ratio, place) = world.destruction.highest_stress(pillar).expect("joints");
    let theory = tension / material.stress.tension;
    assert!((ratio / theory - 1.0).abs() < 0.1, "{ratio} instead of {theory}");
    assert!((place.y - slice).abs() < 1e-6, "{place}: at its foot");
}

/// It breaks off at its root, and all of it falls.
#[test]
fn a_long_beam_breaks_off_at_its_root() {
    let material = made_of("concrete");
    let end = Aabb::new(DVec3::splat(-1.0), DVec3::new(0.1, 2.0, 1.0));
    let (mut world, _) = held(beam(6.0, 0.4, 20), material, end);
    (0..90).for_each(|_| world.step());
    let mut volumes: Vec<f64> =
        world.destruction.bodies().map(|(_, body)| body.compound().mass().volume).collect();
    volumes.sort_by(f64::total_cmp);
    assert_eq!(volumes.len(), 2);
    assert!((volumes[0] - 0.3 * 0.4 * 0.3).abs() < 1e-9, "{volumes:?}: the slice that is held stays");
}

/// A weight that is laid on a beam counts as soon as it lies there, and goes on to when it rests.
#[test]
fn a_beam_bears_what_rests_on_it_and_no_more() {
    let material = Material { strength: f64::INFINITY, ..made_of("concrete") };
    let theory = (material.stress.tension * 0.4 / (3.0 * material.density * 9.81)).sqrt();
    for (side, is_whole) in [(0.15, true), (0.6, false)] {
        let end = Aabb::new(DVec3::splat(-1.0), DVec3::new(0.1, 2.0, 1.0));
        let (mut world, id) = held(beam(0.85 * theory, 0.4, 17), material.clone(), end);
        let weight = Convex::from_box(&Aabb::cube(side * 0.5));
        let weight = Compound::from_convexes(vec![weight]).expect("a weight");
        let at = DVec3::new(0.8 * theory, 5.4 + 0.5 * side + 0.002, 0.15);
        world.add(NewBody::at(weight, Pose::at(at))).expect("a weight");
        (0..240).for_each(|_| world.step());
        let now = world.destruction.body(id).map_or(0.0, |body| body.compound().mass().volume);
        let all = 0.85 * theory * 0.4 * 0.3;
        assert_eq!((now - all).abs() < 1e-9, is_whole, "{side} m: {now} of {all} m³");
    }
}

/// Without stress nothing of this happens, and nothing of it is paid for.
#[test]
fn stress_can_be_left_out() {
    let mut world = World::new(Options::default(), vec![made_of("concrete")]);
    let anchors = vec![Aabb::new(DVec3::splat(-1.0), DVec3::new(0.1, 2.0, 1.0))];
    world.add(NewBody { anchors, ..NewBody::at(beam(30.0, 0.1, 30), Pose::IDENTITY) }).expect("a beam");
    (0..30).for_each(|_| world.step());
    assert_eq!(world.destruction.bodies().len(), 1);
}

#[test]
fn structures_stand_untouched_for_a_minute() {
    for name in ["arch", "tower", "bridge", "columns", "glass", "arena"] {
        let mut stage = untouched(name);
        let bodies = stage.world.destruction.bodies().len();
        for _ in 0..60 * stage.scene().rate as usize {
            stage.step().expect("a step");
        }
        assert_eq!(stage.world.destruction.bodies().len(), bodies, "{name}");
        let bonds = |stage: &Stage| -> usize {
            stage.world.destruction.bodies().map(|(_, body)| body.compound().bonds().len()).sum()
        };
        assert_eq!(bonds(&stage), bonds(&untouched(name)), "{name}: not a joint is broken");
    }
}

/// What is left of an arch without its keystone falls, however that breaks; mass is kept, and it comes to rest.
#[test]
fn an_arch_falls_when_its_keystone_is_shot() {
    [scene("arch").seed, 0, 1, 2].into_iter().for_each(assert_arch_falls);
}

fn assert_arch_falls(seed: u64) {
    let mut scene = scene("arch");
    scene.seed = seed;
    let mut stage = staged(scene);
    let mass = stage.world.destruction.mass();
    let all = stage.all_steps() + 6 * 60;
    while stage.steps() < all {
        stage.step().expect("a step");
    }
    let destruction = &stage.world.destruction;
    let ball = stage.placed.last().and_then(|placed| destruction.body(placed.body)).expect("a ball");
    let ball = ball.compound().mass().volume * destruction.materials()[ball.material().0 as usize].density;
    let now = destruction.mass() + destruction.retired().mass - ball;
    assert!((now - mass).abs() < 1e-6 * mass);
    let high = destruction.bodies().filter(|(id, body)| center(&stage.world, *id, body).y > 3.2);
    assert_eq!(high.count(), 0, "seed {seed}: nothing hangs where the arch was");
    let awake = stage.world.physics.islands.num_active_bodies();
    assert!(awake < 20, "seed {seed}: rubble comes to rest, {awake} are awake");
}

#[test]
fn the_same_scene_falls_the_same_way_on_any_number_of_threads() {
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut stage = staged(scene("arch"));
            (0..210).for_each(|_| stage.step().expect("a step"));
            assert!(stage.world.destruction.bodies().len() > 10);
            stage.world.state_hash()
        })
    };
    assert_eq!(hash(1), hash(2));
}

/// A world that was saved goes on as if nothing had been.
#[test]
fn a_saved_structure_falls_the_same_way() {
    let mut stage = staged(scene("cantilever"));
    (0..20).for_each(|_| stage.step().expect("a step"));
    let mut again = World::load(&stage.world.save()).expect("a world");
    (0..60).for_each(|_| (stage.world.step(), again.step()).0);
    assert_eq!(stage.world.state_hash(), again.state_hash());
}

/// Where the centre of mass of a body is.
fn center(world: &World, id: BodyId, body: &Body) -> DVec3 {
    world.pose(id).expect("a place").point(body.compound().mass().center)
}

/// Where the pieces are that were part of the first body of a scene, by volume: the mean of what `of` says of their centres.
fn mean(stage: &Stage, of: impl Fn(DVec3) -> f64) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    let root = stage.placed[0].body;
    for (id, body) in stage.world.destruction.bodies().filter(|(_, body)| body.root() == root) {
        let pose = stage.world.pose(id).expect("it is there");
        for mass in body.compound().pieces().iter().map(|piece| piece.mass()) {
            sum += mass.volume * of(pose.point(mass.center));
            all += mass.volume;
        }
    }
    sum / all
}

/// And not by chance: steps that are a little shorter make every fall another one.
#[test]
fn a_tower_topples_to_the_side_that_was_shot_away() {
    for faster in [0.0, 0.01, 0.02, 0.03] {
        let mut scene = scene("tower");
        scene.rate += faster;
        let mut stage = staged(scene);
        while stage.steps() < stage.all_steps() {
            stage.step().expect("a step");
        }
        let (aside, high) = (mean(&stage, |at| at.x), mean(&stage, |at| at.y));
        assert!(aside > 1.5, "rate + {faster}: its middle is at {aside}");
        assert!(high < 3.5, "rate + {faster}: it lies {high} high");
    }
}

/// The two spans at the pier that is gone fall, the third stands. And not by chance, as above.
#[test]
fn a_bridge_falls_as_far_as_nothing_holds_it() {
    for faster in [0.0, 0.01, 0.02, 0.03] {
        let mut scene = scene("bridge");
        scene.rate += faster;
        let mut stage = staged(scene);
        while stage.steps() < stage.all_steps() {
            stage.step().expect("a step");
        }
        let deck = |from: f64, to: f64| {
            let share =
                |at: DVec3, y: bool| if at.x > from && at.x < to { if y { at.y } else { 1.0 } } else { 0.0 };
            mean(&stage, |at| share(at, true)) / mean(&stage, |at| share(at, false))
        };
        // Up to the pier that stands: what is above it is torn off with the second span.
        let (fallen, standing) = (deck(-2.0, 9.5), deck(-12.0, -5.0));
        assert!(fallen < 1.5, "rate + {faster}: the spans that lost their pier are {fallen} high");
        assert!(standing > 4.25, "rate + {faster}: the third is {standing} high");
    }
}

/// A ball falls on the tip of a beam: it breaks there, or where it bears most, at its root.
#[test]
fn a_blow_breaks_a_beam_where_it_is_weakest_if_that_is_wanted() {
    for (at_weakest, least, most) in [(false, 0.5, 0.95), (true, 0.0, 0.25)] {
        let mut material = Material { strength: 5e3, at_weakest, ..made_of("concrete") };
        material.breaks.truncate(1);
        material.breaks[0].radius = 0.3;
        // Only the blow breaks it: how, that is the question.
        (material.stress.tension, material.stress.shear, material.stress.compression) = (1e9, 1e9, 1e9);
        let end = Aabb::new(DVec3::splat(-1.0), DVec3::new(0.1, 2.0, 1.0));
        let (mut world, id) = held(beam(3.0, 0.3, 15), material, end);
        let before = world.destruction.body(id).expect("a beam").compound().mass().volume;
        let ball = Compound::from_convexes(vec![Convex::from_box(&Aabb::cube(0.1))]).expect("a ball");
        let ball = NewBody {
            velocity: DVec3::NEG_Y * 8.0,
            ..NewBody::at(ball, Pose::at(DVec3::new(2.7, 5.6, 0.15)))
        };
        world.add(ball).expect("a ball");
        (0..30).for_each(|_| world.step());
        let is_held = |id: BodyId| world.rigid(id).is_some_and(|rigid| rigid.is_fixed());
        let held = world.destruction.bodies().filter(|(part, body)| is_held(*part) && body.root() == id);
        let left = held.map(|(_, body)| body.compound().mass().volume).sum::<f64>() / before;
        assert!(left > least && left < most, "weakest {at_weakest}: {left} of it is held still");
    }
}
