//! Bad input gives a clear error, the promised exit code, and no file: nothing panics and nothing is half-written.

use crate::workshop::{Workshop, ball, bar};
use smithereens_formats::Model;

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Runs `shatter` on a file and expects it to fail: the code, a part of the message, no new files.
fn fails(name: &str, bytes: impl AsRef<[u8]>, options: &str, code: i32, message: &str) {
    let workshop = Workshop::new();
    workshop.file(name, bytes);
    let before = workshop.files();
    let run = workshop.run(&format!("shatter {name} -o out.glb --report out.json {options}"));
    assert_eq!(run.code, Some(code), "{}", run.err);
    assert!(run.err.contains(message), "\"{message}\" is not in: {}", run.err);
    assert!(!run.err.contains("panicked"), "{}", run.err);
    assert_eq!(workshop.files(), before);
}

#[test]
fn a_missing_file_is_named() {
    let workshop = Workshop::new();
    let run = workshop.run("shatter nowhere.obj -o out.glb");
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("nowhere.obj"), "{}", run.err);
    assert!(workshop.files().is_empty());
}

#[test]
fn numbers_that_are_none_are_found() {
    fails("nan.obj", TETRAHEDRON.replace("v 1 0 0", "v NaN 0 0"), "", 1, "nan.obj");
    fails(
        "inf.off",
        "OFF 4 4 0\n0 0 0\n1e999 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
        "",
        1,
        "inf.off",
    );
    let mut stl = vec![0u8; 84];
    stl[80] = 1;
    stl.extend([[0; 4], [0; 4], [0; 4]].concat());
    stl.extend([f32::NAN.to_le_bytes(); 9].concat());
    stl.extend([0, 0]);
    fails("nan.stl", stl, "", 1, "nan.stl");
}

#[test]
fn an_open_mesh_is_named_by_an_edge_and_gets_a_hint() {
    let open = TETRAHEDRON.replace("f 2 3 4\n", "");
    fails("open.obj", &open, "--repair off", 1, "edge 1–2");
    fails("open.obj", &open, "--repair off", 1, "hint: ");
    fails("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "--repair light", 1, "hint: ");
}

#[test]
fn an_open_mesh_is_mended_and_that_is_said() {
    let workshop = Workshop::new();
    workshop.file("open.obj", TETRAHEDRON.replace("f 2 3 4\n", ""));
    let run = workshop.run("shatter open.obj -o out.glb --cells 4 --report out.json").succeeded();
    assert!(run.err.contains("repair: fill holes: 1 hole"), "{}", run.err);
    let report = workshop.json("out.json");
    assert_eq!(report["repair"][0]["step"], "fill holes");
    assert_eq!(report["repair"][0]["changed"], 1);
    assert!((report["input"]["volume"].as_f64().unwrap() - 1.0 / 6.0).abs() < 1e-12);
}

#[test]
fn an_inspection_names_the_hole_and_the_command_that_mends_it() {
    let workshop = Workshop::new();
    workshop.file("open.obj", TETRAHEDRON.replace("f 2 3 4\n", ""));
    let table = workshop.run("inspect open.obj").succeeded().out;
    assert!(table.contains("3 edges") && table.contains("--repair auto"), "{table}");
    let json = workshop.run("inspect open.obj --json").succeeded().out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["sound"], &json["holes"][0]["edges"]), (&false.into(), &3.into()));
    workshop.file("sound.obj", TETRAHEDRON);
    assert!(workshop.run("inspect sound.obj").succeeded().out.contains("can be broken as it is"));
    assert_eq!(workshop.run("inspect nowhere.obj").code, Some(1));
}

#[test]
fn an_empty_mesh_is_refused() {
    fails("empty.obj", "", "", 1, "empty");
    fails("points.obj", "v 0 0 0\nv 1 0 0\n", "", 1, "no faces");
    fails("none.off", "OFF 0 0 0\n", "", 1, "none.off");
    fails("none.stl", [0; 84], "", 1, "none.stl");
}

#[test]
fn a_file_of_no_bytes_is_refused() {
    for name in ["a.glb", "a.gltf", "a.ply", "a.stl", "a.off"] {
        fails(name, "", "", 1, "the file is empty");
    }
}

#[test]
fn counts_that_lie_are_found() {
    let header = |vertices: u64| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n\
             property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    fails("lies.ply", header(4_000_000_000), "", 1, "lies.ply");
    fails("lies.ply", header(u64::MAX), "", 1, "lies.ply");
    fails("lies.off", "OFF 4000000000 4 0\n0 0 0\n", "", 1, "lies.off");
    let mut stl = vec![0u8; 84 + 50];
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    fails("lies.stl", stl, "", 1, "lies.stl");
    fails("lies.obj", "v 0 0 0\nf 1 2 3000000000\n", "", 1, "lies.obj");
    fails("cut.glb", b"glTF\x02\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7FJSON{", "", 1, "cut.glb");
}

#[test]
fn zero_area_faces_break_or_are_refused() {
    // A tetrahedron with an edge of two flat triangles: closed, and it breaks.
    let slit = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.5 0 0\nf 1 3 2\nf 1 5 4\nf 5 2 4\nf 1 4 3\nf 2 3 4\nf 1 2 5\n";
    let workshop = Workshop::new();
    workshop.file("slit.obj", slit);
    workshop.run("shatter slit.obj -o out.glb --cells 5 --report out.json").succeeded();
    assert!(workshop.json("out.json")["output"]["closed"].as_bool().unwrap());
    // Nothing but flat faces.
    fails("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 3 2 1\n", "", 1, "nothing to repair");
}

#[test]
fn a_model_inside_out_is_turned_and_that_is_said() {
    let workshop = Workshop::new();
    let mut mesh = ball(8, 12);
    let volume = mesh.signed_volume();
    mesh.flip();
    workshop.model("inverted.ply", &Model::from_mesh(mesh));
    let run = workshop.run("shatter inverted.ply -o out.glb --cells 6 --report out.json").succeeded();
    assert!(run.err.contains("inside out"), "{}", run.err);
    let found = workshop.json("out.json")["output"]["volume"].as_f64().unwrap();
    assert!((found / volume - 1.0).abs() < 1e-12, "{found} {volume}");
}

#[test]
fn faces_wound_against_each_other_are_named() {
    fails("wound.obj", TETRAHEDRON.replace("f 2 3 4", "f 2 4 3"), "--repair off", 1, "hint: ");
}

#[test]
fn values_out_of_range_are_wrong_usage() {
    for options in [
        "--radius 0",
        "--radius -1",
        "--radius nan",
        "--cells 0",
        "--cells -3",
        "--at 1,2",
        "--at 1,2,nan",
        "--direction 0,0,0",
        "--min-volume -1",
        "--min-volume inf",
        "--explode -1",
        "--density 0",
        "--fit sphere",
        "--seed x",
        "--interior 2,0,0",
        "--picture-size 0x0 --picture a.png",
        "--nonsense",
    ] {
        fails("solid.obj", TETRAHEDRON, options, 2, "error: ");
    }
}

#[test]
fn an_infinite_radius_breaks_all() {
    let workshop = Workshop::new();
    workshop.file("solid.obj", TETRAHEDRON);
    workshop.run("shatter solid.obj -o a.glb --report a.json --cells 9 --radius inf").succeeded();
    workshop.run("shatter solid.obj -o b.glb --report b.json --cells 9").succeeded();
    assert_eq!(workshop.json("a.json")["state_hash"], workshop.json("b.json")["state_hash"]);
}

#[test]
fn an_impact_far_outside_reaches_nothing_or_everything() {
    fails("solid.obj", TETRAHEDRON, "--at 100,0,0 --radius 1", 1, "reaches nothing");
    fails("solid.obj", TETRAHEDRON, "--at 100,0,0 --radius 1 --pattern web", 1, "reaches nothing");
    fails("solid.obj", TETRAHEDRON, "--at 1e300,0,0 --radius 1e-300", 1, "error: ");
    // Without a radius the place only moves the pattern.
    let workshop = Workshop::new();
    workshop.file("solid.obj", TETRAHEDRON);
    workshop.run("shatter solid.obj -o out.glb --at 100,0,0 --cells 5 --report out.json").succeeded();
    let report = workshop.json("out.json");
    assert_eq!(report["output"]["closed"], true);
    assert!((report["output"]["volume"].as_f64().unwrap() - 1.0 / 6.0).abs() < 1e-9);
}

#[test]
fn patterns_that_are_not_there_are_named() {
    fails("solid.obj", TETRAHEDRON, "--pattern glass", 1, "voronoi");
    fails("solid.obj", TETRAHEDRON, "--pattern glass.toml", 1, "glass.toml");
    let workshop = Workshop::new();
    workshop.file("solid.obj", TETRAHEDRON);
    workshop.file("bad.toml", "[voronoi]\ncells = 0\n");
    let run = workshop.run("shatter solid.obj -o out.glb --pattern bad.toml");
    assert_eq!((run.code, workshop.files().len()), (Some(1), 2), "{}", run.err);
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_any_work() {
    fails("solid.obj", TETRAHEDRON, "--picture nowhere/out.png", 1, "no folder");
    fails("solid.obj", TETRAHEDRON, "--picture out.glb", 1, "twice");
    let workshop = Workshop::new();
    workshop.file("solid.obj", TETRAHEDRON);
    for (arguments, message) in [
        ("shatter solid.obj -o out.fbx", ".glb or .obj"),
        ("shatter solid.obj -o out", ".glb or .obj"),
        ("shatter solid.obj -o nowhere/out.glb", "no folder"),
        ("shatter solid.obj -o solid.obj", "the model itself"),
    ] {
        let run = workshop.run(arguments);
        assert_eq!(run.code, Some(1), "{}", run.err);
        assert!(run.err.contains(message), "{}", run.err);
    }
    assert_eq!(workshop.files(), ["solid.obj"]);
    let run = workshop.run("shatter solid.obj");
    assert_eq!(run.code, Some(2), "{}", run.err);
}

#[test]
fn dropping_everything_is_refused() {
    let workshop = Workshop::new();
    workshop.model("bar.obj", &bar(2.0));
    let before = workshop.files();
    let run = workshop.run("shatter bar.obj -o out.glb --min-volume 100");
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.err.contains("--min-volume"), "{}", run.err);
    assert_eq!(workshop.files(), before);
}
