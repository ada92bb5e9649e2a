//! The scenes that come with the program, from the same files as the demos and the bench: what is to be seen in each of them happens, and nothing is
//! lost in any.

use std::path::Path;

use glam::DVec3;
use smithereens::{Compound, Solid};
use smithereens_simulate::Body;
use smithereens_simulate::scene::{ModelEntry, Placed, Scene, Stage};

fn stage(name: &str) -> Stage {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    let text = std::fs::read_to_string(&path).expect("a scene of ours");
    let none = |_: &ModelEntry| -> Result<Compound, String> { Err("scenes of ours need no files".into()) };
    Scene::parse(&text).and_then(|scene| scene.stage(none)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Plays some seconds; mass is kept in every step, and no state is unsound. Returns how many fractures there were.
fn play(stage: &mut Stage, seconds: f64) -> usize {
    let until = stage.steps() + (seconds * stage.scene().rate) as u64;
    let mut events = 0;
    let (mut mass, mut placed) = (stage.world.mass(), stage.placed.len());
    while stage.steps() < until {
        stage.step().expect("a step");
        let destruction = &stage.world.destruction;
        events += destruction.events().len();
        let now = stage.world.mass();
        if stage.placed.len() > placed {
            (mass, placed) = (now, stage.placed.len());
        }
        assert!((now - mass).abs() < 1e-6 * mass, "step {}: {now} kg of {mass}", stage.steps());
        assert!(destruction.frozen().is_empty());
    }
    events
}

fn faces(stage: &Stage) -> usize {
    let skins = |compound: &Compound| -> usize {
        compound.pieces().iter().filter_map(|piece| piece.skin()).map(|skin| skin.mesh().faces.len()).sum()
    };
    stage.world.destruction.bodies().map(|(_, body)| skins(body.compound())).sum()
}

#[test]
fn columns_fall_when_shot() {
    let mut stage = stage("columns");
    assert!(play(&mut stage, 2.5) > 10);
    let roof = stage.placed[4].body;
    assert!(stage.world.pose(roof).is_none_or(|pose| pose.at.y < 2.9), "{:?}", stage.world.pose(roof));
}

/// Outside of the impacts a window stays whole (figure 5).
#[test]
fn glass_stays_whole_outside_the_impacts() {
    let mut stage = stage("glass");
    assert_eq!(play(&mut stage, 2.5), 3);
    // Fragments have the coordinates of the pane: those that are where they were have its pose.
    let at = stage.scene().bodies[0].at;
    let is_there = |id| stage.world.pose(id).is_some_and(|pose| pose.at.distance(DVec3::from(at)) < 0.01);
    let bodies = stage.world.destruction.bodies();
    let volumes: Vec<f64> =
        bodies.filter(|(id, _)| is_there(*id)).map(|(_, body)| body.compound().mass().volume).collect();
    let left = volumes.iter().sum::<f64>() / (2.4 * 1.6 * 0.012);
    assert!((0.4..0.97).contains(&left), "{left} of the pane is left, in {} parts", volumes.len());
}

/// Every bunny breaks on the wall, by nothing but contact (figure 6).
#[test]
fn bunnies_break_on_the_wall() {
    let mut stage = stage("bunnies");
    let whole = stage.world.destruction.body(stage.placed[1].body).expect("a bunny").compound().mass().volume;
    assert!(play(&mut stage, 2.0) >= 20);
    let count = stage.world.destruction.bodies().count();
    assert!((500..1400).contains(&count), "{count} bodies");
    let bunnies = stage.placed.iter().filter(|placed| placed.name == "bunny");
    let left = |placed: &Placed| {
        stage.world.destruction.body(placed.body).map_or(0.0, |b| b.compound().mass().volume)
    };
    let largest = bunnies.map(left).fold(0.0, f64::max);
    assert!(largest < 0.9 * whole, "{largest} of {whole} m³ is whole");
}

/// A door takes hit after hit: it dents and stays one, but for what is torn out.
#[test]
fn a_car_door_dents() {
    let mut stage = stage("car-door");
    assert!(play(&mut stage, 3.5) >= 3);
    let bends = *stage.world.destruction.bends();
    assert!(bends.mended >= 3 && bends.failed == 0, "{bends:?}");
    let door = stage.placed[0].body;
    let body = stage.world.destruction.body(door).expect("it hangs on its hinges");
    let whole = (1.1 * 0.6 + 2.0 * 0.08 * 0.4 + 1.1 * 0.08) * 0.018 + 0.17 * 0.03 * 0.028;
    let left = body.compound().mass().volume / whole;
    assert!((0.8..1.05).contains(&left), "{left} of the door is left");
    let deep = body.compound().visible_mesh().bounds().max.z;
    assert!((0.04..0.6).contains(&deep), "dents are {deep} m deep");
}

/// The fragments of something that was placed, itself included, if it is still there.
fn family(stage: &Stage, index: usize) -> Vec<&Body> {
    let root = stage.placed[index].body;
    let bodies = stage.world.destruction.bodies().map(|(_, body)| body);
    bodies.filter(|body| body.root() == root).collect()
}

/// All that is seen of all bodies is closed.
fn assert_closed(stage: &Stage) {
    for (id, body) in stage.world.destruction.bodies() {
        for skin in body.compound().pieces().iter().filter_map(|piece| piece.skin()) {
            assert!(Solid::new(skin.mesh().clone()).is_ok(), "{id:?}");
        }
    }
}

/// Of a cup that slips, the handle comes off, and the bowl is whole. One that falls from higher up breaks to pieces, and so does one that is shot.
#[test]
fn a_cup_loses_its_handle_before_its_bowl_breaks() {
    let mut stage = stage("cup");
    let events = play(&mut stage, 2.5);
    let counts = [0, 1, 2].map(|index| family(&stage, index).len());
    assert!(events >= 3, "{events} fractures, {counts:?} parts");
    let mut slipped = family(&stage, 0);
    slipped.sort_by(|a, b| b.compound().mass().volume.total_cmp(&a.compound().mass().volume));
    let whole: f64 = slipped.iter().map(|body| body.compound().mass().volume).sum();
    let bowl = slipped[0].compound().mass().volume / whole;
    assert!(slipped.len() > 1 && bowl > 0.85, "{bowl} of it in one of {} parts", slipped.len());
    for part in &slipped[1..] {
        let at = part.compound().mass().center;
        assert!(at.x > 0.09 && at.z.abs() < 0.04, "what comes off is of the handle, not at {at}");
    }
    assert!(counts[1] >= 8 && counts[2] >= 3, "{counts:?}");
    assert_closed(&stage);
}

#[test]
fn a_dumbbell_breaks_at_its_neck() {
    let mut stage = stage("dumbbell");
    assert_eq!(play(&mut stage, 0.2), 0);
    assert!(play(&mut stage, 2.8) >= 3);
    for index in 0..3 {
        let family = family(&stage, index);
        let has_both_ends = |body: &&Body| {
            let bounds = body.compound().bounds();
            bounds.min.x < -0.6 && bounds.max.x > 0.6
        };
        assert!(family.len() > 1 && !family.iter().any(has_both_ends), "{index}: {} parts", family.len());
    }
    assert_closed(&stage);
}

#[test]
fn vases_break_where_a_ball_goes_through() {
    let mut stage = stage("vases");
    assert_eq!(play(&mut stage, 0.4), 0, "they stand");
    assert!(play(&mut stage, 2.6) >= 2);
    assert!(family(&stage, 5).len() > 10, "the first is shards");
    assert_eq!(family(&stage, 7).len(), 1, "the last stands");
    assert_closed(&stage);
}

#[test]
fn a_dragon_stands_until_it_is_shot() {
    let mut stage = stage("dragon");
    assert_eq!(play(&mut stage, 0.35), 0);
    assert!(play(&mut stage, 2.5) >= 2);
    assert!(stage.world.destruction.bodies().count() > 40);
}

#[test]
fn five_thousand_dominoes_fall_in_their_turn() {
    let mut stage = stage("domino-city");
    assert!(stage.world.destruction.bodies().count() >= 4900);
    play(&mut stage, 3.0);
    let height = |row: usize, place: usize| {
        stage.world.pose(stage.placed[place * 70 + row].body).expect("a domino").at.y
    };
    for row in [3, 35, 66] {
        assert!(height(row, 0) < 0.45, "the first of row {row} is down: {}", height(row, 0));
        assert!((height(row, 69) - 0.6).abs() < 0.01, "the last of row {row} stands: {}", height(row, 69));
    }
}

/// What stands, stands: nothing of the arena moves before the first shot, and it has the size of the paper's. Then a wall comes down.
#[test]
fn the_arena_stands_until_it_is_shot() {
    let mut stage = stage("arena");
    let faces = faces(&stage);
    assert!((400_000..700_000).contains(&faces), "{faces} faces");
    let places = |stage: &Stage| -> Vec<_> {
        stage.placed.iter().map(|placed| stage.world.pose(placed.body).map(|pose| pose.at)).collect()
    };
    let before = places(&stage);
    assert_eq!(play(&mut stage, 0.45), 0);
    for (then, now) in before.iter().zip(places(&stage)) {
        assert!(then.expect("there").distance(now.expect("there")) < 0.02);
    }
    assert_eq!(stage.world.destruction.waiting(), 0);
    assert!(play(&mut stage, 1.5) > 10);
    assert!(stage.world.destruction.bodies().count() > 250);
}

/// The scene with dust is the arena, and the arena breaks as it does there; its air is clear until then.
#[test]
fn the_arena_breaks_into_dust() {
    let text = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
        let text = std::fs::read_to_string(&path).expect("a scene of ours");
        let (from, to) = (text.find("rate =").expect("a rate"), text.find("[camera]").expect("a camera"));
        text[from..text.find("[dust]").unwrap_or(to)].to_owned()
    };
    assert_eq!(text("dust"), text("arena"));
    let mut stage = stage("dust");
    play(&mut stage, 0.45);
    assert!(stage.world.cloud().expect("it has dust").dust().is_clear());
    play(&mut stage, 0.8);
    let cloud = stage.world.cloud().expect("it has dust");
    let (books, particles) = (cloud.dust().books(), cloud.report().particles);
    assert!(particles > 3000 && books.injected > 20.0, "{particles} particles, {books:?}");
    assert_eq!(cloud.report().strays * 10 / particles, 0, "{:?}", cloud.report());
}

/// What was hit does not crumble on and on: half a minute after the end of a scene nothing has broken for ten seconds, and nothing moves.
#[test]
fn what_was_hit_comes_to_rest() {
    for name in ["columns", "arch", "tower", "bridge", "cantilever", "glass", "cup", "dumbbell", "vases"] {
        let mut stage = stage(name);
        let whole = stage.all_steps() as f64 / stage.scene().rate;
        assert!(play(&mut stage, whole) > 0, "{name} is hit");
        play(&mut stage, 20.0);
        let broken = play(&mut stage, 10.0);
        assert_eq!(broken, 0, "{name} still breaks");
        let bodies = stage.world.destruction.bodies();
        let moving = bodies.filter_map(|(id, _)| stage.world.rigid(id)).filter(|rigid| rigid.is_dynamic());
        let fastest = moving.map(|rigid| rigid.linvel().length()).fold(0.0, f32::max);
        assert!(fastest < 0.05, "{name}: something moves at {fastest} m/s");
    }
}
