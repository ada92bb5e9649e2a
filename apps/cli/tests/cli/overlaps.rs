//! Shells that overlap: made one, or kept as parts of their own with ghosts for what they share.

use crate::workshop::{Workshop, is_png};
use serde_json::Value;
use smithereens_formats::{Model, Object, read_bodies};
use smithereens_geometry::{Mesh, Solid};
use smithereens_testing::fixtures::{temple, trefoil};

/// Columns through a roof and a floor, a node each.
fn temple_model() -> Model {
    let mut mesh = Mesh::default();
    let mut objects = Vec::new();
    for (index, part) in temple().into_iter().enumerate() {
        let start = mesh.faces.len();
        mesh.append(&in_single_precision(part));
        objects.push(Object { name: format!("part-{index}"), faces: start..mesh.faces.len() });
    }
    Model { objects, ..Model::from_mesh(mesh) }
}

/// So that every format keeps it as it is.
fn in_single_precision(solid: Solid) -> Mesh {
    let mut mesh = solid.into_mesh();
    mesh.positions.iter_mut().for_each(|p| *p = p.as_vec3().as_dvec3());
    mesh
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn a_temple_of_nodes_becomes_one_body_with_ghosts() {
    let workshop = Workshop::new();
    workshop.model("temple.glb", &temple_model());
    workshop.run("prepare temple.glb -o one.glb --merge --pieces 6 --instant --report one.json").succeeded();
    let united = number(&workshop.json("one.json")["bodies"][0]["volume"]);
    let run = workshop.run(
        "prepare temple.glb -o body.glb --merge --overlaps ghosts --pieces 30 --instant --report r.json \
         --picture p.png --picture-size 64x48",
    );
    assert!(run.succeeded().out.contains("overlaps"));
    assert!(is_png(&workshop.path("p.png")));
    let report = workshop.json("r.json");
    let body = &report["bodies"][0];
    assert_eq!((report["bodies"].as_array().map(Vec::len), &body["solids"]), (Some(1), &12.into()));
    assert_eq!((&body["parts"], &body["closed"]), (&1.into(), &true.into()));
    assert!(body["pieces"].as_u64() >= Some(30) && body["ghosts"].as_u64() >= Some(16), "{body}");
    assert_near(number(&body["volume_once"]), united);
    assert!(number(&body["volume"]) > united * 1.01);
    // What is drawn is what was modelled: no ghosts, and no cuts.
    let modelled: f64 = temple().iter().map(|part| part.mesh().area()).sum();
    let drawn = workshop.read("body.glb").mesh.area();
    assert!((drawn / modelled - 1.0).abs() < 1e-5, "{drawn} is drawn of {modelled}");
    let saved = read_bodies(&std::fs::read(workshop.path("body.glb")).unwrap(), None).unwrap().unwrap();
    assert!(saved.bodies[0].compound.pieces().iter().any(|piece| piece.is_ghost()));

    for hit in ["--cells 40", "--cells 20 --at 1.6,1.3,1.05 --radius 0.7"] {
        workshop.run(&format!("shatter body.glb -o broken.glb --report s.json {hit}")).succeeded();
        let broken = workshop.json("s.json");
        assert_near(number(&broken["input"]["volume"]), united);
        let after = number(&broken["output"]["volume"]) + number(&broken["dropped"]["volume"]);
        assert_near(after, united);
        assert_eq!(broken["output"]["closed"], true);
    }
}

#[test]
fn shells_of_any_file_break_as_parts_without_being_prepared() {
    let workshop = Workshop::new();
    workshop.model("temple.obj", &temple_model());
    let volume_of = |options: &str| {
        let run = workshop.run(&format!("shatter temple.obj -o b.glb --cells 20 --report r.json {options}"));
        run.succeeded();
        let report = workshop.json("r.json");
        assert_near(number(&report["output"]["volume"]), number(&report["input"]["volume"]));
        (report["repair"].as_array().map(Vec::len), number(&report["input"]["volume"]))
    };
    let (ghosts, united) = (volume_of("--overlaps ghosts"), volume_of(""));
    assert_eq!((ghosts.0, united.0), (Some(0), Some(1)));
    assert_near(ghosts.1, united.1);
}

#[test]
fn more_shells_than_pieces_get_one_each() {
    let workshop = Workshop::new();
    workshop.model("temple.ply", &temple_model());
    workshop
        .run("prepare temple.ply -o b.glb --overlaps ghosts --pieces 3 --instant --report r.json")
        .succeeded();
    assert_eq!(workshop.json("r.json")["pieces"], 12);
}

#[test]
fn a_watertight_shell_through_itself_is_told_and_only_resolved_if_asked() {
    let workshop = Workshop::new();
    workshop.model("knot.ply", &Model::from_mesh(in_single_precision(trefoil(1.0, 1.1, 96, 8))));
    let table = workshop.run("inspect knot.ply").succeeded().out;
    assert!(table.contains("passes through itself") && table.contains("--overlaps unite-all"), "{table}");
    let volume_of = |options: &str| {
        workshop.run(&format!("shatter knot.ply -o b.glb --cells 9 --report r.json {options}")).succeeded();
        let report = workshop.json("r.json");
        (report["repair"].as_array().map(Vec::len), number(&report["input"]["volume"]))
    };
    let (kept, resolved) = (volume_of(""), volume_of("--overlaps unite-all"));
    assert_eq!((kept.0, resolved.0), (Some(0), Some(1)), "{kept:?} {resolved:?}");
    assert!((kept.1 / resolved.1 - 1.0).abs() > 1e-3, "{kept:?} {resolved:?}");
}
