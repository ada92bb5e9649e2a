//! `smithereens demo` needs no files and writes three.

use crate::workshop::{Workshop, ball, is_png};
use smithereens_formats::Model;

#[test]
fn three_hits_leave_a_glb_a_picture_and_a_report() {
    let workshop = Workshop::new();
    let run = workshop.run("demo --picture-size 96x54").succeeded();
    assert!(run.out.contains("demo.png"), "{}", run.out);
    assert_eq!(workshop.files(), ["out"]);
    assert!(is_png(&workshop.path("out/demo.png")));
    let report = workshop.json("out/demo.json");
    assert_eq!(report["events"].as_array().unwrap().len(), 3);
    assert_eq!(report["output"]["closed"], true);
    assert!(report["mass"]["worst_error"].as_f64().unwrap() < 1e-9);
    let model = workshop.read("out/demo.glb");
    assert_eq!(model.objects.len() as u64, report["output"]["fragments"].as_u64().unwrap());
    assert!(model.objects.len() > 40, "{}", model.objects.len());
}

#[test]
fn it_goes_where_it_is_told_and_repeats() {
    let workshop = Workshop::new();
    workshop.run("demo --out a --picture-size 32x18 --quiet").succeeded();
    workshop.run_with("demo --out b/c --picture-size 32x18", &[("RAYON_NUM_THREADS", "1")]).succeeded();
    assert_eq!(workshop.json("a/demo.json")["state_hash"], workshop.json("b/c/demo.json")["state_hash"]);
    let bytes = |name: &str| std::fs::read(workshop.path(name)).unwrap();
    assert!(bytes("a/demo.png") == bytes("b/c/demo.png") && bytes("a/demo.glb") == bytes("b/c/demo.glb"));
}

/// The scenes that come with the program: what must be true of all of them.
#[test]
fn scenes_break_and_lose_nothing() {
    let workshop = Workshop::new();
    for (name, least) in [("columns", 100), ("glass", 60), ("dragon", 40)] {
        let run = workshop.run(&format!("demo {name} --picture-size 32x18")).succeeded();
        assert!(run.out.contains(&format!("{name}.glb")), "{}", run.out);
        assert!(is_png(&workshop.path(&format!("out/{name}.png"))));
        let report = workshop.json(&format!("out/{name}.json"));
        assert!(report["compounds"].as_u64().unwrap() >= least, "{name}: {}", report["compounds"]);
        assert!(report["mass"]["worst_error"].as_f64().unwrap() < 1e-6, "{name}");
        assert_eq!(report["frozen"], 0, "{name}");
    }
}

/// A model of the user's takes the place of the dragon, and nothing else's.
#[test]
fn a_model_takes_the_place_of_the_dragon() {
    let workshop = Workshop::new();
    workshop.model("ball.obj", &Model::from_mesh(ball(12, 16)));
    workshop.run("demo dragon --model ball.obj --picture-size 32x18").succeeded();
    assert!(workshop.json("out/dragon.json")["compounds"].as_u64().unwrap() > 10);
    let none = workshop.run("demo glass --model ball.obj");
    assert!(none.code == Some(1) && none.err.contains("bunnies and dragon"), "{}", none.err);
    let missing = workshop.run("demo dragon --model nowhere.obj");
    assert!(missing.code == Some(1) && missing.err.contains("nowhere.obj"), "{}", missing.err);
}
