//! `smithereens shatter`: every format in, GLB and OBJ out, and a report that tells the truth.

use crate::workshop::{Workshop, ball, bar, is_png, open_objects, textured_ball};
use serde_json::Value;
use smithereens_formats::Model;
use smithereens_geometry::Mesh;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn text_ply(mesh: &Mesh) -> String {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.positions.len(),
        mesh.faces.len()
    );
    mesh.positions.iter().for_each(|p| text += &format!("{} {} {}\n", p.x, p.y, p.z));
    for face in 0..mesh.faces.len() {
        let corners = &mesh.corners[mesh.face_corners(face)];
        text += &format!("{} {} {} {}\n", corners.len(), corners[0], corners[1], corners[2]);
    }
    text
}

fn text_stl(mesh: &Mesh) -> String {
    let mut text = "solid ball\n".to_owned();
    for face in 0..mesh.faces.len() {
        text += "facet normal 0 0 0\nouter loop\n";
        for &v in &mesh.corners[mesh.face_corners(face)] {
            let p = mesh.positions[v as usize];
            text += &format!("vertex {} {} {}\n", p.x, p.y, p.z);
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid ball\n"
}

/// A GLB as glTF text with a buffer beside it.
fn split_glb(workshop: &Workshop, glb: &str, gltf: &str) {
    let mut document = workshop.glb_document(glb);
    let bytes = std::fs::read(workshop.path(glb)).unwrap();
    let json = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    workshop.file("split.bin", &bytes[28 + json..]);
    document["buffers"][0]["uri"] = "split.bin".into();
    workshop.file(gltf, document.to_string());
}

#[test]
fn every_format_breaks_and_keeps_its_volume() {
    let workshop = Workshop::new();
    let model = Model::from_mesh(ball(10, 16));
    let volume = model.mesh.signed_volume();
    for name in ["ball.obj", "ball.off", "binary.ply", "binary.stl", "ball.glb"] {
        workshop.model(name, &model);
    }
    workshop.file("text.ply", text_ply(&model.mesh));
    workshop.file("text.stl", text_stl(&model.mesh));
    split_glb(&workshop, "ball.glb", "ball.gltf");
    for name in
        ["ball.obj", "ball.off", "binary.ply", "text.ply", "binary.stl", "text.stl", "ball.glb", "ball.gltf"]
    {
        workshop.run(&format!("shatter {name} -o out.glb --cells 20 --report out.json")).succeeded();
        let report = workshop.json("out.json");
        assert_eq!(report["output"]["fragments"], 20, "{name}");
        assert_eq!(report["input"]["triangles"], model.mesh.triangle_count(), "{name}");
        assert_eq!(report["output"]["closed"], true, "{name}");
        assert!((number(&report["output"]["volume"]) / volume - 1.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn the_glb_has_a_closed_node_for_each_fragment_about_its_centre() {
    let workshop = Workshop::new();
    workshop.model("ball.ply", &Model::from_mesh(ball(10, 16)));
    let run = workshop
        .run("shatter ball.ply -o out.glb --cells 15 --density 1000 --report out.json --explode 0.5")
        .succeeded();
    assert!(run.out.contains("15 fragments") && run.out.contains("out.glb"), "{}", run.out);
    let (report, document) = (workshop.json("out.json"), workshop.glb_document("out.glb"));
    let nodes = document["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 15);
    let middle = glam::DVec3::ZERO;
    for (node, line) in nodes.iter().zip(report["fragments"].as_array().unwrap()) {
        assert_eq!(node["name"], line["name"]);
        let extras = &node["extras"];
        assert_eq!((&extras["volume"], &extras["mass"]), (&line["volume"], &line["mass"]));
        assert!((number(&extras["mass"]) - 1000.0 * number(&extras["volume"])).abs() < 1e-9);
        assert_eq!(extras["bonds"].as_array().unwrap().len() as u64, line["bonds"].as_u64().unwrap());
        let vector = |v: &Value| glam::DVec3::from_array([0, 1, 2].map(|i| number(&v[i])));
        let moved = middle + (vector(&extras["center"]) - middle) * 1.5;
        assert!(vector(&node["translation"]).abs_diff_eq(moved, 1e-6));
    }
    let names: Vec<&str> =
        document["materials"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["exterior", "interior"]);
    let primitives = document["meshes"][0]["primitives"].as_array().unwrap();
    assert_eq!(primitives.len(), 2, "one of the outside, one of the inside");
    let model = workshop.read("out.glb");
    assert_eq!(model.objects.len(), 15);
    assert_eq!(open_objects(&model), [""; 0]);
    // Single precision keeps seven digits.
    assert!((model.mesh.signed_volume() / number(&report["output"]["volume"]) - 1.0).abs() < 1e-5);
}

#[test]
fn the_report_has_the_promised_names() {
    let workshop = Workshop::new();
    workshop.model("bar.obj", &bar(4.0));
    workshop
        .run("shatter bar.obj -o out.glb --cells 12 --seed 7 --report out.json --min-volume 0.01")
        .succeeded();
    let report = workshop.json("out.json");
    for path in [
        "/input/triangles",
        "/input/volume",
        "/input/closed",
        "/output/fragments",
        "/output/triangles",
        "/output/volume",
        "/output/closed",
        "/fragments/0/name",
        "/fragments/0/volume",
        "/fragments/0/mass",
        "/fragments/0/pieces",
        "/fragments/0/closed",
        "/dropped/count",
        "/dropped/volume",
        "/stages_ms/total",
        "/stages_ms/intersect",
        "/stages_ms/align",
        "/stages_ms/bonds",
        "/seed",
        "/state_hash",
        "/fracture/touched",
        "/fracture/cells",
        "/fracture/pieces",
        "/fracture/fragments",
        "/fracture/islands",
        "/fracture/welds",
        "/fracture/exposed",
        "/fracture/exposed_area",
    ] {
        assert!(report.pointer(path).is_some_and(|v| !v.is_null()), "{path} is missing in {report:#}");
    }
    assert_eq!((&report["seed"], &report["input"]["closed"]), (&7.into(), &true.into()));
    assert_eq!(report["state_hash"].as_str().unwrap().len(), 16);
    let kept = number(&report["output"]["volume"]) + number(&report["dropped"]["volume"]);
    assert!((kept - 4.0).abs() < 1e-9);
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let workshop = Workshop::new();
    workshop.model("ball.obj", &Model::from_mesh(ball(20, 30)));
    let hash = |seed: u32, threads: &str| {
        let arguments = format!("shatter ball.obj -o out.glb --cells 40 --seed {seed} --report out.json");
        workshop.run_with(&arguments, &[("RAYON_NUM_THREADS", threads)]).succeeded();
        let glb = std::fs::read(workshop.path("out.glb")).unwrap();
        (workshop.json("out.json")["state_hash"].as_str().unwrap().to_owned(), glb)
    };
    let first = hash(3, "1");
    assert_eq!(first, hash(3, "1"));
    assert_eq!(first, hash(3, "2"));
    assert_ne!(first, hash(4, "2"));
}

#[test]
fn a_radius_leaves_the_far_part_whole() {
    let workshop = Workshop::new();
    workshop.model("bar.obj", &bar(10.0));
    workshop
        .run("shatter bar.obj -o out.glb --at 1,0.5,0.5 --radius 0.8 --cells 12 --report out.json")
        .succeeded();
    let report = workshop.json("out.json");
    let fragments = report["fragments"].as_array().unwrap();
    let far: Vec<&Value> = fragments.iter().filter(|f| f["within_reach"] == false).collect();
    assert!(fragments.len() > 5, "{}", fragments.len());
    let largest = far.iter().map(|f| number(&f["volume"])).fold(0.0, f64::max);
    assert!(largest > 7.0, "{largest}");
    assert!((number(&report["output"]["volume"]) - 10.0).abs() < 1e-9);
    // Without a place, the hit is where the direction meets the surface.
    workshop
        .run("shatter bar.obj -o out.glb --direction=-1,0,0 --radius 0.8 --cells 12 --report out.json")
        .succeeded();
    let point = &workshop.json("out.json")["impact"]["point"];
    assert!((number(&point[0]) - 10.0).abs() < 1e-9, "{point}");
}

#[test]
fn every_pattern_keeps_the_volume() {
    let workshop = Workshop::new();
    workshop.model("bar.obj", &bar(3.0));
    workshop.file("mine.toml", "[voronoi]\ncells = 12\nbounds = { min = [-2, -2, -2], max = [2, 2, 2] }\n");
    for name in ["voronoi", "falloff", "spheres", "web", "bricks", "wood", "planes", "slices", "mine.toml"] {
        for more in ["", "--direction 1,1,0", "--radius 0.7 --at 0.5,0.5,1"] {
            let arguments =
                format!("shatter bar.obj -o out.glb --pattern {name} --cells 24 --report out.json {more}");
            workshop.run(&arguments).succeeded();
            let report = workshop.json("out.json");
            assert!(number(&report["output"]["fragments"]) > 2.0, "{name} {more}");
            assert!((number(&report["output"]["volume"]) - 3.0).abs() < 1e-8, "{name} {more}");
            assert_eq!(report["output"]["closed"], true, "{name} {more}");
        }
    }
}

#[test]
fn obj_by_the_files_ending() {
    let workshop = Workshop::new();
    workshop.model("ball.glb", &textured_ball());
    workshop.run("shatter ball.glb -o out.obj --cells 8").succeeded();
    let model = workshop.read("out.obj");
    assert_eq!(model.objects.len(), 8);
    assert!(model.missing.is_empty(), "{:?}", model.missing);
    assert!(model.materials.iter().any(|m| m.base_color_texture.is_some()));
    assert_eq!(open_objects(&model), [""; 0]);
    assert_eq!(workshop.files(), ["ball.glb", "leaf.png", "out.mtl", "out.obj"]);
}

#[test]
fn materials_and_textures_are_kept() {
    let workshop = Workshop::new();
    let given = textured_ball();
    workshop.model("ball.glb", &given);
    workshop.run("shatter ball.glb -o out.glb --cells 8 --interior 1,0,0").succeeded();
    let model = workshop.read("out.glb");
    let names: Vec<&str> = model.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["leaf", "red", "interior"]);
    let bytes = |model: &Model| model.materials[0].base_color_texture.as_ref().unwrap().image.bytes.clone();
    assert_eq!(bytes(&model), bytes(&given));
    assert_eq!(model.materials[2].base_color, [1.0, 0.0, 0.0, 1.0]);
    // The texture coordinates of the outside are still its x and y.
    let mut seen = 0;
    for face in (0..model.mesh.faces.len()).filter(|&f| model.mesh.faces[f].slot.0 < 2) {
        for corner in model.mesh.face_corners(face) {
            let place = model.mesh.positions[model.mesh.corners[corner] as usize];
            assert!((place.truncate().as_vec2() - model.mesh.uvs[corner]).length() < 1e-4);
            seen += 1;
        }
    }
    assert!(seen > 1000);
}

#[test]
fn a_picture_is_a_png_of_the_size_asked_for() {
    let workshop = Workshop::new();
    workshop.model("ball.glb", &textured_ball());
    let run =
        workshop.run("shatter ball.glb -o out.glb --picture out.png --picture-size 64x48 --cells 6 --quiet");
    let run = run.succeeded();
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "quiet, and no bar where nobody watches");
    assert!(is_png(&workshop.path("out.png")));
    let image =
        smithereens_picture::Image::from_png(&std::fs::read(workshop.path("out.png")).unwrap()).unwrap();
    assert_eq!((image.width(), image.height()), (64, 48));
}

#[test]
fn help_teaches() {
    let workshop = Workshop::new();
    let help = workshop.run("--help").succeeded().out;
    assert!(help.matches("smithereens shatter ").count() >= 2 && help.contains("smithereens demo"), "{help}");
    let help = workshop.run("help shatter").succeeded().out;
    for part in
        ["[default: 60]", "kg/m³", "--direction", "14dop", "units of the model", "--repair", "Examples:"]
    {
        assert!(help.contains(part), "{part} is not in {help}");
    }
}
