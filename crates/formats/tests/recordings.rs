//! Recordings: whatever moved, the file that is written plays it within the deviation.

mod fixtures;
mod player;

use std::sync::Arc;

use fixtures::{cube, dressed_cube, named};
use glam::{DVec3, Quat, Vec3};
use player::{Played, Player, Turning, angle, number};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::json;
use smithereens_formats::{
    Actor, ActorProblem, Deviation, Pose, Recording, Shape, Triangles, Vertices, WriteError, read_gltf,
    write_recording,
};
use smithereens_geometry::{Mesh, Slot};

const FRAMES: u32 = 300;

fn written(recording: &Recording) -> Vec<u8> {
    write_recording(recording, &Deviation::default(), |_| {}).unwrap()
}

fn recording(actors: Vec<Actor>) -> Recording {
    Recording { name: "take 1".to_owned(), frames: FRAMES, actors, ..Recording::default() }
}

fn actor(poses: Vec<Pose>) -> Actor {
    Actor { name: "fragment".to_owned(), shape: shape(&cube()), poses, ..Actor::default() }
}

fn shape(mesh: &Mesh) -> Arc<Shape> {
    Shape::from_mesh(mesh, 1).unwrap().into()
}

fn direction(rng: &mut Pcg64Mcg) -> Vec3 {
    Vec3::from_array([0; 3].map(|_| rng.random_range(-1.0..1.0)))
}

/// The motion of a body that is thrown, bounces, slides to rest and sleeps; hit again, perhaps. What it does is up to chance.
fn motion(rng: &mut Pcg64Mcg, born: u32, end: u32, jitter: f32) -> Vec<Pose> {
    let (mut place, mut velocity) = (direction(rng) * 5.0 + Vec3::Y * 8.0, direction(rng) * 12.0);
    let (mut turn, mut spin) = (random_turn(rng), direction(rng) * rng.random_range(0.0..40.0));
    let bounce = rng.random_range(0.0..0.9);
    let wakes = rng.random_bool(0.3).then(|| rng.random_range(born..end.max(born + 1)));
    let (mut poses, mut sleeps) = (Vec::new(), false);
    for frame in born..end {
        if wakes == Some(frame) {
            (sleeps, velocity) = (false, direction(rng) * 9.0);
        }
        if sleeps {
            continue;
        }
        let shaken = place + direction(rng) * jitter;
        // Signs of quaternions say nothing, and engines keep their lengths only roughly.
        let sign = if rng.random_bool(0.1) { -1.0002 } else { 1.0 };
        poses.push(Pose { frame, translation: shaken, rotation: turn * sign });
        velocity.y -= 9.81 / 60.0;
        place += velocity / 60.0;
        if place.y < 0.0 {
            place.y = 0.0;
            (velocity, spin) = (Vec3::new(0.7, -bounce, 0.7) * velocity, direction(rng) * velocity.length());
        }
        sleeps = velocity.length() < 0.3 && place.y == 0.0;
        turn = (Quat::from_scaled_axis(spin / 60.0) * turn).normalize();
    }
    poses
}

fn random_turn(rng: &mut Pcg64Mcg) -> Quat {
    Quat::from_scaled_axis(direction(rng) * 5.0)
}

/// Actors of all kinds that come and go at any time.
fn chaos(seed: u64, count: usize) -> Recording {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let actors = (0..count).map(|_| {
        let born = if rng.random_bool(0.3) { 0 } else { rng.random_range(0..FRAMES) };
        let gone = rng.random_bool(0.5).then(|| rng.random_range(born + 1..=FRAMES + 20));
        let end = gone.unwrap_or(FRAMES).min(FRAMES);
        let end = if rng.random_bool(0.2) { born + 1 } else { end };
        let jitter = if rng.random_bool(0.3) { 10f32.powf(rng.random_range(-6.0..-1.0)) } else { 0.0 };
        let mut poses = motion(&mut rng, born, end, jitter);
        // Anything may be missing but the first.
        if rng.random_bool(0.2) {
            let first = poses[0].frame;
            poses.retain(|p| p.frame == first || rng.random_bool(0.5));
        }
        Actor { gone, ..actor(poses) }
    });
    recording(actors.collect())
}

/// Where an actor was recorded: on frames without a pose, where it was before.
fn recorded(actor: &Actor, frame: u32) -> Pose {
    actor.poses[actor.poses.partition_point(|p| p.frame <= frame) - 1]
}

/// The last time of single precision that is not past the frame.
fn time_of(frame: u32, frames_per_second: f64) -> f64 {
    let exact = f64::from(frame) / frames_per_second;
    let nearest = exact as f32;
    [nearest, nearest.next_down()].map(f64::from).into_iter().find(|&time| time <= exact).unwrap()
}

/// Asserts that a file plays what was recorded, on every frame.
fn assert_plays(recording: &Recording, deviation: &Deviation, glb: &[u8]) {
    let player = Player::new(glb);
    for (index, actor) in recording.actors.iter().enumerate() {
        let played = Played::new(&player, index);
        for frame in 0..recording.frames {
            let time = time_of(frame, recording.frames_per_second);
            let is_there = frame >= actor.poses[0].frame && actor.gone.is_none_or(|gone| frame < gone);
            for turning in [Turning::Slerp, Turning::Nlerp] {
                let (translation, rotation, scale) = played.at(time, turning);
                assert_eq!(scale, DVec3::splat(f64::from(is_there)), "actor {index} on frame {frame}");
                if !is_there {
                    continue;
                }
                let pose = recorded(actor, frame);
                let off = translation.distance(pose.translation.as_dvec3());
                // Both sides round, in double precision.
                let most = deviation.translation + 1e-12;
                assert!(off <= most, "actor {index} on frame {frame} is off by {off}");
                let off = angle(rotation, pose.rotation.as_dquat());
                // Single precision turns by as much.
                let most = deviation.rotation + 1e-6;
                assert!(off <= most, "actor {index} on frame {frame} is turned by {off} ({turning:?})");
            }
        }
    }
}

#[test]
fn whatever_moves_is_played_within_the_deviation() {
    let fine = Deviation { translation: 1e-5, rotation: 1e-4 };
    let coarse = Deviation { translation: 0.3, rotation: 1.0 };
    let none = Deviation { translation: 0.0, rotation: 0.0 };
    for (seed, deviation) in [Deviation::default(), fine, coarse, none].iter().enumerate() {
        for part in 0..3 {
            let recording = chaos(seed as u64 * 10 + part, 60);
            let glb = write_recording(&recording, deviation, |_| {}).unwrap();
            gltf::Gltf::from_slice(&glb).expect("valid glTF");
            assert_plays(&recording, deviation, &glb);
        }
    }
}

#[test]
fn odd_frame_rates_are_played_on_their_frames() {
    for frames_per_second in [23.976, 1e-3, 1e6] {
        let recording = Recording { frames_per_second, ..chaos(7, 20) };
        assert_plays(&recording, &Deviation::default(), &written(&recording));
    }
}

#[test]
fn what_rests_has_no_channels_and_shows_without_animation() {
    let pose = Pose { frame: 0, translation: Vec3::new(1.0, 2.0, 3.0), rotation: Quat::from_rotation_x(1.0) };
    let still = actor(vec![pose]);
    let later = actor(vec![Pose { frame: 40, ..pose }]);
    let player = Player::new(&written(&recording(vec![still.clone(), still, later])));
    let has = |node, path| player.channel(node, path).is_some();
    for node in 0..3 {
        assert!(!has(node, "translation") && !has(node, "rotation"));
        let rest = player.rest(node);
        assert_eq!((rest.0.as_vec3(), rest.1.as_quat()), (pose.translation, pose.rotation));
        assert_eq!(rest.2, if node == 2 { DVec3::ZERO } else { DVec3::ONE });
    }
    assert!(!has(1, "scale"));
    // The first lasts to the end of the recording: so does the animation.
    let scale = player.channel(0, "scale").unwrap();
    assert_eq!(scale.times, [0.0, time_of(FRAMES - 1, 60.0)]);
    assert!(scale.is_step);
    let born = player.channel(2, "scale").unwrap();
    assert_eq!(born.values, [[0.0; 3], [1.0; 3]]);
    assert_eq!(player.document["animations"][0]["name"], "take 1");
}

#[test]
fn a_recording_is_read_as_its_first_frame() {
    let at = |frame| Pose { frame, ..Pose::default() };
    let glb = written(&recording(vec![actor(vec![at(0)]), actor(vec![at(1)])]));
    assert_eq!(read_gltf(&glb, None).unwrap().objects.len(), 1);
}

#[test]
fn what_is_the_same_is_written_once() {
    let shared = shape(&cube());
    let poses = |frame| vec![Pose { frame, ..Pose::default() }];
    let actors = (0..50).map(|i| Actor { shape: shared.clone(), ..actor(poses(10 + i % 2)) });
    let player = Player::new(&written(&recording(actors.collect())));
    assert_eq!(player.document["meshes"].as_array().unwrap().len(), 1);
    // Positions and indices; times and scales of the first, the frames 10 and 11 with one way to come.
    assert_eq!(player.document["accessors"].as_array().unwrap().len(), 2 + 2 + 2 + 1);
}

#[test]
fn what_loses_a_part_shares_its_vertices() {
    let whole = shape(&cube());
    let vertices = &whole.parts[0].vertices;
    let part = |indices: &[u32]| Triangles { indices: indices.to_vec(), ..whole.parts[0].clone() };
    let new = Vertices { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], ..Vertices::default() };
    let wound = Triangles { vertices: new.into(), indices: vec![0, 1, 2], material: 0 };
    let rest = Shape { parts: vec![part(&whole.parts[0].indices[6..]), part(&[]), wound] };
    let at = |frame| vec![Pose { frame, ..Pose::default() }];
    let before = Actor { shape: whole.clone(), gone: Some(9), ..actor(at(0)) };
    let after = Actor { shape: rest.into(), ..actor(at(9)) };
    let recording = recording(vec![before, after]);
    let glb = written(&recording);
    gltf::Gltf::from_slice(&glb).expect("valid glTF");
    assert_plays(&recording, &Deviation::default(), &glb);
    let player = Player::new(&glb);
    let primitive = |mesh: usize, part: usize| &player.document["meshes"][mesh]["primitives"][part];
    assert_eq!(primitive(0, 0)["attributes"], primitive(1, 0)["attributes"]);
    assert_ne!(primitive(0, 0)["indices"], primitive(1, 0)["indices"]);
    assert_ne!(primitive(1, 0)["attributes"], primitive(1, 1)["attributes"]);
    let positions = player.floats(number(&primitive(1, 0)["attributes"]["POSITION"]));
    assert_eq!(positions.len(), vertices.positions.len());
}

#[test]
fn materials_are_those_of_the_slots_and_the_last_is_the_interior() {
    let mut mesh = cube();
    mesh.faces[5].slot = Slot::INTERIOR;
    let painted = Shape::from_mesh(&mesh, 2).unwrap().into();
    let actors = vec![Actor { shape: painted, ..actor(vec![Pose::default()]) }];
    let materials = vec![named("paint", 0.5), named("concrete", 1.0)];
    let recording = Recording { materials: materials.clone(), ..recording(actors) };
    let model = read_gltf(&written(&recording), None).unwrap();
    assert_eq!(model.materials, materials);
    assert_eq!(model.mesh.faces.iter().filter(|f| f.slot == Slot(1)).count(), 2);
    let textured = dressed_cube();
    let shape = Shape::from_mesh(&textured.mesh, textured.materials.len()).unwrap().into();
    let actors = vec![Actor { shape, ..actor(vec![Pose::default()]) }];
    let recording = Recording { materials: textured.materials.clone(), actors, ..recording };
    assert_eq!(read_gltf(&written(&recording), None).unwrap().materials, textured.materials);
}

#[test]
fn the_same_recording_gives_the_same_bytes_and_progress_rises() {
    let recording = Recording { extras: json!({ "seed": 3 }), ..chaos(3, 40) };
    let mut parts = Vec::new();
    let glb = write_recording(&recording, &Deviation::default(), |part| parts.push(part)).unwrap();
    assert_eq!(glb, written(&recording.clone()));
    assert!(parts.is_sorted() && parts.first() == Some(&0.0) && parts.last() == Some(&1.0));
    assert_eq!(Player::new(&glb).document["asset"]["extras"]["seed"], 3);
}

/// The contract: the same recording gives the same bytes, on every machine. Who changes what is written says so here.
#[test]
fn bytes_stay_the_same() {
    let pose = |frame: u32| {
        let t = frame as f32 / 64.0;
        let rotation = Quat::from_xyzw(t, 0.5 - t, 0.25, 1.0);
        Pose { frame, translation: Vec3::new(2.0 * t, 3.0 * t - 5.0 * t * t, 0.0), rotation }
    };
    let thrown = Actor { gone: Some(200), ..actor((20..180).map(pose).collect()) };
    let glb = written(&recording(vec![actor(vec![pose(0)]), thrown]));
    let hash: u64 =
        glb.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    assert_eq!(format!("{hash:016x}"), "298592cbca5d9f5c");
}

#[test]
fn what_cannot_be_played_is_named() {
    let at = |frame| Pose { frame, ..Pose::default() };
    let problem = |poses: Vec<Pose>, gone| {
        let actors = vec![actor(vec![at(0)]), Actor { gone, ..actor(poses) }];
        match write_recording(&recording(actors), &Deviation::default(), |_| {}) {
            Err(WriteError::Actor { index: 1, name, problem }) if name == "fragment" => problem,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(problem(vec![], None), ActorProblem::NoPose);
    let nan = Pose { translation: Vec3::NAN, ..at(4) };
    assert_eq!(problem(vec![at(3), nan], None), ActorProblem::NotFinite { frame: 4 });
    let infinite = Pose { rotation: Quat::from_xyzw(f32::INFINITY, 0.0, 0.0, 1.0), ..at(4) };
    assert_eq!(problem(vec![infinite], None), ActorProblem::NotFinite { frame: 4 });
    let zero = Pose { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..at(4) };
    assert_eq!(problem(vec![zero], None), ActorProblem::NoRotation { frame: 4 });
    assert_eq!(problem(vec![at(5), at(5)], None), ActorProblem::NotAscending { frame: 5, after: 5 });
    assert_eq!(problem(vec![at(FRAMES)], None), ActorProblem::PastEnd { frame: FRAMES, frames: FRAMES });
    assert_eq!(problem(vec![at(5)], Some(5)), ActorProblem::AfterGone { frame: 5, gone: 5 });
    let fails = |recording: Recording| {
        write_recording(&recording, &Deviation::default(), |_| {}).unwrap_err().to_string()
    };
    assert!(fails(recording(vec![])).contains("300 frames of 0 actors"));
    let one = recording(vec![actor(vec![at(0)])]);
    assert!(fails(Recording { frames: 0, ..one.clone() }).contains("0 frames of 1 actors"));
    for frames_per_second in [0.0, -60.0, f64::NAN, f64::INFINITY, 1e-40, 1e40] {
        assert!(fails(Recording { frames_per_second, ..one.clone() }).contains("a second"));
    }
    assert!(fails(Recording { frames: u32::MAX, ..one.clone() }).contains("4294967295 frames"));
    let mut broken = Shape::clone(&shape(&cube()));
    broken.parts[0].indices[4] = 99;
    let fails_with =
        |broken: &Shape| fails(recording(vec![Actor { shape: broken.clone().into(), ..actor(vec![at(0)]) }]));
    assert_eq!(fails_with(&broken), "actor 0 \"fragment\": a triangle refers to vertex 99 of 8");
    broken.parts[0].material = 3;
    broken.parts[0].indices[4] = 0;
    assert_eq!(fails_with(&broken), "actor 0 \"fragment\": it refers to material 3 of 1");
    broken.parts[0].material = 0;
    Arc::make_mut(&mut broken.parts[0].vertices).positions[2].x = f32::INFINITY;
    assert_eq!(fails_with(&broken), "actor 0 \"fragment\": vertex 2 is not finite");
    let mut mesh = cube();
    mesh.positions[2].x = f64::INFINITY;
    assert_eq!(Shape::from_mesh(&mesh, 1).unwrap_err().to_string(), "mesh: vertex 2 is not finite");
}

/// A recording with as many bodies as a collapse has stays small, its names and nodes included: a pose alone is 28 bytes, and most are left out.
#[test]
fn twenty_thousand_actors_fit() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let actors = (0..20_000).map(|index| Actor {
        name: format!("fragment-{index:05}"),
        shape: shape(&shard()),
        ..actor(motion(&mut rng, index / 200, FRAMES, 0.0))
    });
    let recording = recording(actors.collect());
    let glb = written(&recording);
    let player = Player::new(&glb);
    let poses: usize = recording.actors.iter().map(|a| a.poses.len()).sum();
    let text = glb.len() - player.binary.len();
    assert!(glb.len() < 40 * poses, "{} bytes for {poses} poses", glb.len());
    assert!(text < 2_000 * 20_000, "{text} bytes of text");
    let some = (0..20_000).step_by(997);
    let keys: usize = some.clone().map(|node| Played::new(&player, node).keys()).sum();
    let all: usize = some.clone().map(|node| recording.actors[node].poses.len() * 2).sum();
    assert!(keys * 3 < all, "{keys} keys of {all}");
}

/// Two dozen faces with normals and texture coordinates, as a fragment has them.
fn shard() -> Mesh {
    let mut mesh = Mesh::default();
    for side in 0..4 {
        let mut part = cube();
        part.positions.iter_mut().for_each(|p| *p = *p * 0.1 + DVec3::X * f64::from(side) * 0.1);
        mesh.append(&part);
    }
    for face in 0..mesh.faces.len() {
        let normal = mesh.face_normal(face).as_vec3();
        mesh.normals.extend([normal; 4]);
        mesh.uvs.extend([glam::Vec2::ZERO, glam::Vec2::X, glam::Vec2::ONE, glam::Vec2::Y]);
    }
    mesh
}
