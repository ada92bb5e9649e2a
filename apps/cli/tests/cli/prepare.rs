//! `smithereens prepare`: bodies out, by any goal, and back in.

use crate::workshop::{Workshop, ball, bar, is_png};
use smithereens_formats::{Model, Object, read_bodies};
use smithereens_geometry::Mesh;

/// A bar and a ball beside it, as two nodes.
fn scene() -> Model {
    let mut ball = ball(8, 12);
    ball.positions.iter_mut().for_each(|p| p.x += 10.0);
    let (bar, mut mesh) = (bar(4.0).mesh, Mesh::default());
    mesh.append(&bar);
    mesh.append(&ball);
    let split = bar.faces.len();
    let mut model = Model::from_mesh(mesh);
    model.objects = vec![
        Object { name: "bar".into(), faces: 0..split },
        Object { name: "ball".into(), faces: split..model.mesh.faces.len() },
    ];
    model
}

#[test]
fn a_body_keeps_its_volume_and_breaks_as_it_was_saved() {
    let workshop = Workshop::new();
    workshop.model("ball.obj", &Model::from_mesh(ball(16, 24)));
    let run = workshop.run(
        "prepare ball.obj -o body.glb --pieces 6 --instant --report r.json --picture p.png --picture-size 64x48 \
         --save-nodes n.txt",
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report = workshop.json("r.json");
    assert_eq!(report["pieces"], 6);
    assert_eq!(report["repair"].as_array().map(Vec::len), Some(0));
    assert!(report["fit_ratio"].as_f64() >= report["hull_ratio"].as_f64());
    assert!(report["bonds"].as_u64() > Some(5) && report["stages_ms"]["place"].is_number());
    assert!(is_png(&workshop.path("p.png")));
    // The nodes it found give the same body again.
    let again = workshop.run("prepare ball.obj -o again.glb --nodes n.txt --report again.json");
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(workshop.json("again.json")["state_hash"], report["state_hash"]);
    // Loaded back, it is what was saved, and breaks.
    let bytes = std::fs::read(workshop.path("body.glb")).unwrap();
    let file = read_bodies(&bytes, None).unwrap().unwrap();
    assert_eq!((file.bodies.len(), file.bodies[0].compound.pieces().len()), (1, 6));
    let broken = workshop.run("shatter body.glb -o broken.glb --cells 10 --report s.json");
    assert_eq!(broken.code, Some(0), "{}", broken.err);
    let shattered = workshop.json("s.json");
    assert_eq!(shattered["input"]["pieces"], 6);
    let (before, after) = (&shattered["input"]["volume"], &shattered["output"]["volume"]);
    assert!((before.as_f64().unwrap() / after.as_f64().unwrap() - 1.0).abs() < 1e-9);
    assert_eq!(shattered["output"]["closed"], true);
}

#[test]
fn a_scene_becomes_a_body_a_node_or_one_of_all() {
    let workshop = Workshop::new();
    workshop.model("scene.glb", &scene());
    for (options, bodies) in [("", 2), ("--merge", 1)] {
        let run = workshop
            .run(&format!("prepare scene.glb -o b.glb --pieces 4 --instant --report r.json {options}"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert_eq!(workshop.json("r.json")["bodies"].as_array().map(Vec::len), Some(bodies), "{options}");
        let broken = workshop.run("shatter b.glb -o broken.glb --cells 8 --report s.json");
        assert_eq!(broken.code, Some(0), "{}", broken.err);
        assert_eq!(workshop.json("s.json")["output"]["closed"], true);
    }
}

#[test]
fn a_goal_of_concavity_decides_how_many_pieces() {
    let workshop = Workshop::new();
    workshop.model("scene.obj", &scene());
    let pieces = |concavity: &str| {
        let run = workshop
            .run(&format!("prepare scene.obj -o b.glb --concavity {concavity} --instant --report r.json"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        workshop.json("r.json")["pieces"].as_u64().unwrap()
    };
    assert!(pieces("5") <= pieces("0.02"));
}

#[test]
fn what_cannot_be_done_is_said_and_nothing_written() {
    let workshop = Workshop::new();
    workshop.model("ball.obj", &Model::from_mesh(ball(8, 12)));
    workshop.file("bad.txt", "0 0 0\n1 2\n");
    workshop.file("none.txt", "# nothing\n");
    for (arguments, code, said) in [
        ("prepare ball.obj -o b.obj", 1, "a body is a .glb"),
        ("prepare ball.obj -o b.glb --nodes bad.txt", 1, "line 2"),
        ("prepare ball.obj -o b.glb --nodes none.txt", 1, "no nodes"),
        ("prepare ball.obj -o b.glb --nodes missing.txt", 1, "missing.txt"),
        ("prepare ball.obj -o b.glb --pieces 3 --concavity 0.1", 2, "cannot be used with"),
        ("prepare ball.obj -o b.glb --pieces 0", 2, "0"),
        ("prepare missing.obj -o b.glb", 1, "missing.obj"),
    ] {
        let run = workshop.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments}: {}", run.err);
        assert!(run.err.contains(said), "{arguments}: {}", run.err);
        assert!(!workshop.path("b.glb").exists(), "{arguments}");
    }
    // A body that was damaged on the way is refused, not taken for a model.
    assert_eq!(workshop.run("prepare ball.obj -o body.glb --pieces 2 --instant").code, Some(0));
    let mut bytes = std::fs::read(workshop.path("body.glb")).unwrap();
    let at = bytes.len() - 40;
    bytes[at] ^= 0x55;
    workshop.file("body.glb", bytes);
    let run = workshop.run("shatter body.glb -o b.glb");
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("damaged"), "{}", run.err);
}
