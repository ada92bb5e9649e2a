//! `smithereens modes`: bodies that break by nature, and how `shatter` breaks them.

use crate::workshop::{Workshop, ball, bar, is_png};
use smithereens::Slot;
use smithereens_formats::{Material, Model, read_bodies};
use smithereens_testing::fixtures;

fn with_dumbbell() -> Workshop {
    let workshop = Workshop::new();
    workshop.model("dumbbell.obj", &Model::from_mesh(fixtures::dumbbell(24).into_mesh()));
    workshop
}

#[test]
fn a_dumbbell_breaks_at_its_neck_and_harder_blows_break_more() {
    let workshop = with_dumbbell();
    let run = workshop.run(
        "modes dumbbell.obj -o body.glb --cells 800 --count 4 --report r.json --picture p.png --picture-size 96x48 \
         --exploded apart.glb",
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report = workshop.json("r.json");
    assert_eq!(report["modes"].as_array().map(Vec::len), Some(4));
    assert!(report["cells"].as_u64() > Some(500) && report["pieces"].as_u64() > Some(2));
    assert!(report["impact_us"].is_number() && report["stages_ms"]["modes"].is_number());
    assert_eq!(report["bodies"][0]["closed"], true);
    assert!(report["bodies"][0]["volume_error"].as_f64() < Some(1e-9));
    assert!(is_png(&workshop.path("p.png")));
    let names = workshop.read("apart.glb").objects.into_iter().map(|object| object.name);
    assert!(names.into_iter().any(|name| name.contains("mode-1")));
    let mut fragments = 0;
    for strength in ["0.01", "1", "50"] {
        let command = format!(
            "shatter body.glb -o b.glb --at 1,0,0 --direction=-1,0,0 --strength {strength} --report s.json"
        );
        let run = workshop.run(&command);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let broken = workshop.json("s.json");
        assert_eq!(
            (&broken["pattern"]["name"], &broken["output"]["closed"]),
            (&"modes".into(), &true.into())
        );
        let (before, after) = (&broken["input"]["volume"], &broken["output"]["volume"]);
        assert!((before.as_f64().unwrap() / after.as_f64().unwrap() - 1.0).abs() < 1e-9);
        let count = broken["output"]["fragments"].as_u64().unwrap();
        assert!(count >= fragments, "{strength}: {count} fragments");
        fragments = count;
    }
    assert!(fragments > 2);
    // It is a body like any other, too.
    let run = workshop.run("shatter body.glb -o v.glb --pattern voronoi --cells 12 --report v.json");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(workshop.json("v.json")["output"]["fragments"].as_u64() > Some(8));
}

#[test]
fn the_same_seed_gives_the_same_body() {
    let workshop = with_dumbbell();
    for name in ["a", "b"] {
        let run =
            workshop.run(&format!("modes dumbbell.obj -o {name}.glb --cells 300 --count 3 --seed 5 -q"));
        assert_eq!(run.code, Some(0), "{}", run.err);
    }
    let [a, b] = ["a.glb", "b.glb"].map(|name| std::fs::read(workshop.path(name)).unwrap());
    assert_eq!(a, b);
    let file = read_bodies(&a, None).unwrap().unwrap();
    assert!(file.bodies[0].modes.is_some());
}

#[test]
fn a_region_can_be_kept_whole() {
    let workshop = with_dumbbell();
    let run = workshop.run(
        "modes dumbbell.obj -o body.glb --cells 600 --count 3 --whole -0.4,-1,-1,0.4,1,1 --eta 1,1,3 --report r.json",
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(workshop.json("r.json")["eta"][2], 3.0);
    // Nothing of it can break.
    let run =
        workshop.run("modes dumbbell.obj -o body.glb --cells 200 --whole -2,-2,-2,2,2,2 --report r.json");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("no mode parts it"), "{}", run.err);
    assert_eq!(workshop.json("r.json")["pieces"], 1);
}

/// Smoothed, in a cage, and with a material that never breaks; a model with a hole gets a cage by itself.
#[test]
fn faults_are_smoothed_caged_and_painted_as_asked() {
    let workshop = with_dumbbell();
    let mut mesh = fixtures::dumbbell(24).into_mesh();
    let place = |face: usize| mesh.positions[mesh.corners[mesh.face_corners(face).start] as usize];
    let is_neck: Vec<bool> = (0..mesh.faces.len()).map(|face| place(face).x.abs() < 0.4).collect();
    mesh.faces.iter_mut().zip(is_neck).for_each(|(face, is_neck)| face.slot = Slot(u32::from(is_neck)));
    let material = |name: &str| Material { name: name.to_owned(), ..Material::default() };
    let materials = vec![material("iron"), material("rubber")];
    workshop.model("painted.glb", &Model { materials, ..Model::from_mesh(mesh) });
    let run = |command: &str| {
        let run = workshop.run(&format!("{command} -o body.glb --cells 600 --count 2 --report r.json"));
        assert_eq!(run.code, Some(0), "{command}: {}", run.err);
        let report = workshop.json("r.json");
        assert_eq!(report["bodies"][0]["closed"], true, "{command}");
        assert!(report["bodies"][0]["volume_error"].as_f64() < Some(1e-9), "{command}");
        report
    };
    let plain = run("modes painted.glb");
    assert_eq!((&plain["bodies"][0]["cage"], plain["smooth"].as_f64()), (&false.into(), Some(0.0)));
    let smooth = run("modes painted.glb --smooth");
    assert_eq!((smooth["smooth"].as_f64(), &smooth["pieces"]), (Some(1.0), &plain["pieces"]));
    assert_eq!(run("modes painted.glb --smooth=0.5 --cage always")["bodies"][0]["cage"], true);
    // What costs a fault at the neck is far less than one through a ball.
    let area = |report: &serde_json::Value| report["modes"][0]["area"].as_f64().unwrap();
    let painted = run("modes painted.glb --paint rubber=whole");
    assert!(area(&painted) > 1.5 * area(&plain));
    let closed = fixtures::dumbbell(24).into_mesh();
    let open = closed.faces_in(1..closed.faces.len());
    workshop.model("open.obj", &Model::from_mesh(open));
    assert_eq!(run("modes open.obj")["bodies"][0]["cage"], true);
    assert_eq!(run("modes open.obj --cage never")["bodies"][0]["cage"], false);
}

#[test]
fn bad_input_gets_a_clear_error() {
    let workshop = with_dumbbell();
    workshop.model("ball.obj", &Model::from_mesh(ball(8, 12)));
    workshop.model("bar.obj", &bar(4.0));
    let before = workshop.files();
    for (command, code, message) in [
        ("shatter ball.obj -o b.glb --pattern modes", 1, "smithereens modes"),
        ("modes ball.obj -o b.obj", 1, "a body is a .glb"),
        ("modes ball.obj -o b.glb --eta 1,0,1", 2, "above zero"),
        ("modes ball.obj -o b.glb --eta 1,1", 2, "three numbers"),
        ("modes ball.obj -o b.glb --whole 1,2,3", 2, "six numbers"),
        ("modes ball.obj -o b.glb --count 0", 2, "--count"),
        ("modes ball.obj -o b.glb --sliver 1", 2, "below 1"),
        ("modes ball.obj -o b.glb --paint handle=whole", 1, "there is no material handle"),
        ("modes ball.obj -o b.glb --paint handle", 2, "handle=whole"),
        ("modes ball.obj -o b.glb --smooth=-1", 2, "zero or a positive"),
        ("modes nowhere.obj -o b.glb", 1, "nowhere.obj"),
        ("shatter ball.obj -o b.glb --strength 0", 2, "positive"),
    ] {
        let run = workshop.run(command);
        assert_eq!(run.code, Some(code), "{command}: {}", run.err);
        assert!(run.err.contains(message), "{command}: \"{message}\" is not in: {}", run.err);
        assert_eq!(workshop.files(), before, "{command}");
    }
}
