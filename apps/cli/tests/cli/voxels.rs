//! `smithereens voxelize`, and how `shatter` breaks voxels.

use crate::workshop::{Workshop, ball, is_png};
use smithereens_formats::Model;
use smithereens_testing::fixtures;

fn with_torus() -> Workshop {
    let workshop = Workshop::new();
    workshop.model("torus.obj", &Model::from_mesh(fixtures::torus(1.0, 0.4, 48, 24).into_mesh()));
    workshop
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

#[test]
fn a_model_becomes_voxels_that_break_and_break_again() {
    let workshop = with_torus();
    let run = workshop.run(
        "voxelize torus.obj -o torus.svo --level 6 --report v.json --picture v.png --picture-size 64x48",
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("level 6"), "{}", run.out);
    let made = workshop.json("v.json");
    assert_eq!(made["level"], 6);
    assert!(
        number(&made["voxels"]["boundary"]) > 5000.0 && number(&made["bytes"]["a_boundary_voxel"]) < 20.0
    );
    assert!(number(&made["stages_ms"]["voxels"]) > 0.0 && is_png(&workshop.path("v.png")));
    let run = workshop.run(
        "shatter torus.svo -o broken.svo --cells 20 --report s.json --explode 0.3 --picture s.png --picture-size 64x48",
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    let broken = workshop.json("s.json");
    assert_eq!(broken["pattern"]["name"], "voronoi");
    assert!(number(&broken["output"]["fragments"]) >= 20.0);
    assert_eq!(broken["input"]["voxels"], broken["output"]["voxels"]);
    assert_eq!(broken["input"]["voxels"], made["voxels"]["all"]);
    assert!((number(&broken["input"]["volume"]) / number(&broken["output"]["volume"]) - 1.0).abs() < 1e-9);
    assert!(number(&broken["stages_ms"]["fracture"]) > 0.0 && is_png(&workshop.path("s.png")));
    let run = workshop.run("shatter broken.svo -o dust.glb --cells 200 --report d.json");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let dust = workshop.json("d.json");
    assert_eq!(dust["output"]["voxels"], made["voxels"]["all"]);
    let fragments = number(&dust["output"]["fragments"]) as usize;
    assert!(fragments > 100);
    assert_eq!(workshop.read("dust.glb").objects.len(), fragments);
}

#[test]
fn a_local_fracture_leaves_the_rest_whole() {
    let workshop = with_torus();
    assert_eq!(workshop.run("voxelize torus.obj -o torus.svo --level 6").code, Some(0));
    for (at, name) in [("--at 1.4,0,0", "a.json"), ("--at 1.4,0,0 --pattern spheres", "b.json")] {
        let run = workshop
            .run(&format!("shatter torus.svo -o hit.glb {at} --radius 0.4 --cells 60 --report {name}"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        let hit = workshop.json(name);
        let all = number(&hit["output"]["voxels"]);
        let largest =
            hit["fragments"].as_array().unwrap().iter().map(|f| number(&f["voxels"])).fold(0.0, f64::max);
        assert!(largest > 0.8 * all && number(&hit["output"]["fragments"]) > 5.0);
        assert_eq!(hit["pattern"]["name"], "spheres");
    }
    assert_eq!(workshop.json("a.json")["state_hash"], workshop.json("b.json")["state_hash"]);
    let run = workshop.run("shatter torus.svo -o miss.glb --at 9,9,9 --radius 0.1");
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("nothing is within 0.1 of the impact"), "{}", run.err);
}

#[test]
fn voxels_go_to_magica_voxel_and_back() {
    let workshop = with_torus();
    assert_eq!(workshop.run("voxelize torus.obj -o torus.vox --level 5").code, Some(0));
    let run = workshop.run("voxelize torus.vox -o again.svo --report v.json");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(workshop.json("v.json")["level"], 5);
    let run = workshop.run("shatter torus.vox -o broken.glb --cells 8 --surface blocky");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let run = workshop.run("shatter torus.vox -o broken.vox --cells 8");
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("a .vox file holds one object"), "{}", run.err);
    let run = workshop.run("voxelize torus.obj -o torus10.vox --level 10");
    assert!(run.code == Some(1) && run.err.contains("level 10 has too many voxels"), "{}", run.err);
}

#[test]
fn the_same_seed_gives_the_same_pieces_on_any_number_of_threads() {
    let workshop = with_torus();
    assert_eq!(workshop.run("voxelize torus.obj -o torus.svo --level 6").code, Some(0));
    let hash = |threads: &str, seed: &str| {
        let command = format!("shatter torus.svo -o b.svo --seed {seed} --report r.json");
        let run = workshop.run_with(&command, &[("RAYON_NUM_THREADS", threads)]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        workshop.json("r.json")["state_hash"].clone()
    };
    assert_eq!(hash("1", "3"), hash("2", "3"));
    assert_ne!(hash("2", "3"), hash("2", "4"));
}

#[test]
fn what_cannot_be_is_said() {
    let workshop = with_torus();
    workshop.model("ball.obj", &Model::from_mesh(ball(12, 16)));
    for (command, code, message) in [
        ("voxelize torus.obj -o t.svo --level 0", 2, "0 is not in 1..=12"),
        ("voxelize torus.obj -o t.svo --level 40", 2, "40 is not in 1..=12"),
        ("voxelize torus.obj -o t.obj", 1, "give it the ending .svo, .vox or .glb"),
        ("voxelize nowhere.obj -o t.svo", 1, "nowhere.obj"),
        ("shatter nowhere.svo -o t.glb", 1, "nowhere.svo"),
    ] {
        let run = workshop.run(command);
        assert_eq!(run.code, Some(code), "{command}: {}", run.err);
        assert!(run.err.contains(message) && !run.err.contains("panicked"), "{command}: {}", run.err);
    }
    assert_eq!(workshop.run("voxelize ball.obj -o ball.svo --level 4").code, Some(0));
    assert_eq!(workshop.run("voxelize ball.obj -o ball.vox --level 4").code, Some(0));
    for name in ["ball.svo", "ball.vox"] {
        let bytes = std::fs::read(workshop.path(name)).unwrap();
        let cut = format!("cut.{}", &name[5..]);
        workshop.file(&cut, &bytes[..bytes.len() / 2]);
        let run = workshop.run(&format!("shatter {cut} -o t.glb"));
        assert_eq!(run.code, Some(1));
        assert!(run.err.contains(&cut) && run.err.contains("cut short"), "{}", run.err);
    }
    let run = workshop.run("shatter ball.svo -o t.glb --pattern wood");
    assert!(run.code == Some(1) && run.err.contains("voxels do not break by wood"), "{}", run.err);
    workshop.file("empty.obj", "");
    let run = workshop.run("voxelize empty.obj -o e.svo");
    assert!(run.code == Some(1) && run.err.contains("empty.obj"), "{}", run.err);
}
