//! `smithereens simulate`: a scene in; an animation, pictures, a plot and a report out.

use crate::workshop::{Workshop, ball, is_png};
use smithereens_formats::Model;

const SHOT: &str = r#"
seed = 3
duration = 0.8

[[body]]
name = "wall"
shape = { box = [2.0, 1.5, 0.2] }
material = "concrete"
at = [0, 0.75, 0]
anchor = "bottom"

[[body]]
name = "egg"
shape = { model = { file = "ball.obj", pieces = 3, height = 0.5 } }
material = "glass"
at = [0.2, 1.8, 0]

[[projectile]]
time = 0.1
from = [0.1, 0.9, -2]
velocity = [0, 0.5, 60]
"#;

#[test]
fn a_scene_is_played_and_recorded() {
    let workshop = Workshop::new();
    workshop.model("ball.obj", &Model::from_mesh(ball(12, 16)));
    std::fs::write(workshop.path("shot.toml"), SHOT).unwrap();
    let run = workshop.run(
        "simulate shot.toml -o shot.glb --report shot.json --plot shot.svg --sheet shot.png --frames frames \
         --picture-size 32x24",
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report = workshop.json("shot.json");
    assert_eq!(report["frames"], 49);
    let count = report["event_ms"]["count"].as_u64().unwrap();
    assert!(count > 0 && report["compounds"].as_u64().unwrap() > 5, "{report}");
    assert_eq!(report["events"].as_array().map(Vec::len), Some(count as usize));
    assert!(report["mass"]["worst_error"].as_f64().unwrap() < 1e-6, "{}", report["mass"]);
    assert_eq!(report["frozen"], 0);
    assert!(is_png(&workshop.path("shot.png")));
    assert!(is_png(&workshop.path("frames/frame-00.png")) && is_png(&workshop.path("frames/frame-48.png")));
    let plot = std::fs::read_to_string(workshop.path("shot.svg")).unwrap();
    assert_eq!(plot.matches("<circle").count() as u64, count);
    let glb = std::fs::read(workshop.path("shot.glb")).unwrap();
    let text = String::from_utf8_lossy(&glb);
    assert!(text.contains("\"animations\"") && text.contains("projectile") && text.contains("wall-0-0"));
    // The same once more, and on one thread.
    let again = workshop.run("simulate shot.toml -o again.glb --report again.json --quiet");
    assert_eq!((again.code, again.out.as_str()), (Some(0), ""), "{}", again.err);
    assert_eq!(workshop.json("again.json")["state_hash"], report["state_hash"]);
    assert_eq!(std::fs::read(workshop.path("again.glb")).unwrap(), glb);
    let other = workshop.run("simulate shot.toml --seed 4 --report other.json");
    assert_eq!(other.code, Some(0), "{}", other.err);
    assert_ne!(workshop.json("other.json")["state_hash"], report["state_hash"]);
}

#[test]
fn what_is_wrong_with_a_scene_is_told_with_its_line() {
    let workshop = Workshop::new();
    std::fs::write(workshop.path("bad.toml"), "duration = 1\n\n[[body]]\nshape = { box = [1, 1] }\n")
        .unwrap();
    let run = workshop.run("simulate bad.toml -o bad.glb");
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("bad.toml: line 4"), "{}", run.err);
    assert!(!workshop.path("bad.glb").exists());
    let model = "[[body]]\nshape = { model = { file = \"nowhere.obj\" } }\n";
    std::fs::write(workshop.path("model.toml"), model).unwrap();
    let run = workshop.run("simulate model.toml -o model.glb");
    assert!(run.code == Some(1) && run.err.contains("nowhere.obj"), "{}", run.err);
}

/// A run that the clock had a say in is done again, to the bit; a state is saved, and the run goes on from it.
#[test]
fn runs_are_replayed_and_resumed() {
    let workshop = Workshop::new();
    workshop.model("ball.obj", &Model::from_mesh(ball(12, 16)));
    std::fs::write(workshop.path("shot.toml"), format!("{SHOT}\n[budget]\nmilliseconds = 0.05\n")).unwrap();
    workshop.run("simulate shot.toml --log run.json --report run-report.json").succeeded();
    let one_thread = [("RAYON_NUM_THREADS", "1")];
    workshop.run_with("simulate shot.toml --replay run.json --report again.json", &one_thread).succeeded();
    let hash = |name: &str| workshop.json(name)["state_hash"].clone();
    assert_eq!(hash("again.json"), hash("run-report.json"));

    std::fs::write(workshop.path("free.toml"), SHOT).unwrap();
    workshop.run("simulate free.toml --until 0.4 --save half --report half.json").succeeded();
    workshop.run("simulate free.toml --resume half --sheet end.png --report end.json").succeeded();
    workshop.run("simulate free.toml --until 0.4 --save half-again --quiet").succeeded();
    workshop
        .run_with("simulate free.toml --resume half-again --report end-again.json", &one_thread)
        .succeeded();
    assert_eq!(workshop.json("half.json")["frames"], 25);
    assert_eq!(workshop.json("end.json")["frames"], 25);
    assert_eq!(hash("end.json"), hash("end-again.json"));
    assert!(is_png(&workshop.path("end.png")));

    let other = workshop.run("simulate free.toml --replay run.json");
    assert!(other.code == Some(1) && other.err.contains("another scene"), "{}", other.err);
    let no_state = workshop.run("simulate free.toml --resume run.json");
    assert!(no_state.code == Some(1) && no_state.err.contains("cannot go on"), "{}", no_state.err);
}

#[test]
fn debris_is_drawn_written_and_reported() {
    let workshop = Workshop::new();
    workshop.model("ball.obj", &Model::from_mesh(ball(12, 16)));
    std::fs::write(workshop.path("bare.toml"), SHOT).unwrap();
    std::fs::write(workshop.path("shot.toml"), format!("{SHOT}\n[debris]\nlargest = 0.02\n")).unwrap();
    for name in ["shot", "bare"] {
        let line = format!(
            "simulate {name}.toml -o {name}.glb --sheet {name}.png --report {name}.json --picture-size 64x48"
        );
        workshop.run(&line).succeeded();
    }
    let (report, bare) = (workshop.json("shot.json"), workshop.json("bare.json"));
    let debris = &report["debris"];
    assert!(
        debris["count_max"].as_u64().unwrap() > 10 && debris["mass"].as_f64().unwrap() > 0.01,
        "{debris}"
    );
    assert_eq!(debris["mass"], report["mass"]["debris"]);
    assert!(report["mass"]["worst_error"].as_f64().unwrap() < 1e-6, "{}", report["mass"]);
    assert!(report["frame_ms"]["debris"].as_f64().unwrap() > 0.0 && bare["frame_ms"]["debris"] == 0.0);
    assert!(bare["debris"].is_null());
    let read = |name: &str| std::fs::read(workshop.path(name)).unwrap();
    assert_ne!(read("shot.png"), read("bare.png"));
    // Chips are nodes of their own, over a few meshes.
    let text = String::from_utf8_lossy(&read("shot.glb")).into_owned();
    assert!(text.matches("\"debris-").count() as u64 >= debris["born"].as_u64().unwrap());
}

#[test]
fn dust_is_drawn_written_and_reported() {
    let workshop = Workshop::new();
    workshop.model("ball.obj", &Model::from_mesh(ball(12, 16)));
    std::fs::write(workshop.path("clear.toml"), SHOT).unwrap();
    std::fs::write(workshop.path("shot.toml"), format!("{SHOT}\n[dust]\nper_area = 400\n")).unwrap();
    workshop
        .run("simulate shot.toml --dust dust --sheet shot.png --report shot.json --picture-size 32x24")
        .succeeded();
    workshop
        .run("simulate clear.toml --sheet clear.png --report clear.json --picture-size 32x24")
        .succeeded();
    let (report, clear) = (workshop.json("shot.json"), workshop.json("clear.json"));
    let (particles, mass) = (report["dust"]["particles"].as_u64().unwrap(), &report["dust"]["mass"]);
    assert!(particles > 50, "{}", report["dust"]);
    let (injected, all) = (mass["injected"].as_f64().unwrap(), report["mass"]["dust"].as_f64().unwrap());
    assert!(injected > 0.01 && (all / injected - 1.0).abs() < 1e-9, "{all} kg: {mass}");
    assert!(report["mass"]["worst_error"].as_f64().unwrap() < 1e-6, "{}", report["mass"]);
    assert!(report["frame_ms"]["dust"].as_f64().unwrap() > 0.0 && clear["frame_ms"]["dust"] == 0.0);
    assert!(clear["dust"].is_null());
    let last = std::fs::read(workshop.path("dust/dust.48.ply")).unwrap();
    let head = format!("ply\nformat binary_little_endian 1.0\nelement vertex {particles}\n");
    assert!(last.starts_with(head.as_bytes()));
    assert!(workshop.path("dust/dust.00.ply").exists());
    let read = |name: &str| std::fs::read(workshop.path(name)).unwrap();
    assert_ne!(read("shot.png"), read("clear.png"));
    let refused = workshop.run("simulate clear.toml --dust nowhere");
    assert!(refused.code != Some(0) && refused.err.contains("[dust]"), "{}", refused.err);
}
