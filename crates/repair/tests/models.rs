//! Every real model becomes a solid: sound ones untouched, broken ones within 1 % of what they were, in time.

use std::time::{Duration, Instant};

use smithereens_geometry::{Mesh, Solid, winding_number};
use smithereens_repair::{Level, RepairOptions, Repaired, StepKind, repair};
use smithereens_testing::assertions::{assert_closed, assert_finite};
use smithereens_testing::distance::one_sided_distance;
use smithereens_testing::models::{Condition, MODELS, model_path};
use smithereens_testing::{fixtures, state_hash::hash_mesh};

fn read(file: &str) -> Option<Mesh> {
    Some(smithereens_formats::read(&model_path(file)?).unwrap_or_else(|e| panic!("{file}: {e}")).mesh)
}

fn mended(name: &str, mesh: &Mesh, level: Level) -> Repaired {
    let options = RepairOptions { level, ..RepairOptions::default() };
    let start = Instant::now();
    let repaired = repair(mesh, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
    // Ten seconds is what users are promised; tests are built with less optimisation.
    assert!(start.elapsed() < Duration::from_secs(60), "{name} took {:?}", start.elapsed());
    assert_finite(repaired.solid.mesh());
    assert_closed(repaired.solid.mesh());
    assert!(repaired.solid.volume() > 0.0, "{name}");
    repaired
}

#[test]
fn sound_models_are_untouched_bit_for_bit() {
    for model in MODELS.iter().filter(|m| m.condition == Condition::Watertight) {
        let Some(mesh) = read(model.file) else { continue };
        let repaired = mended(model.file, &mesh, Level::Auto);
        assert_eq!(repaired.steps, [], "{}", model.file);
        assert_eq!(Ok(repaired.solid), Solid::new(mesh), "{}", model.file);
    }
    for (name, solid) in fixtures::all() {
        let repaired = mended(name, solid.mesh(), Level::Auto);
        assert_eq!(
            (repaired.steps.len(), hash_mesh(repaired.solid.mesh())),
            (0, hash_mesh(solid.mesh())),
            "{name}"
        );
    }
}

#[test]
fn broken_models_become_solids_near_what_they_were() {
    for model in MODELS.iter().filter(|m| m.condition != Condition::Watertight) {
        let Some(mesh) = read(model.file) else { continue };
        let repaired = mended(model.file, &mesh, Level::Auto);
        assert!(!repaired.steps.is_empty() || model.file.starts_with("offset"), "{}", model.file);
        let sound = sound_part(&mesh);
        let mut distance = one_sided_distance(&sound, repaired.solid.mesh(), 0.05);
        if distance > 0.01 && is_united(&repaired) {
            let seen = seen_part(&sound, &repaired.solid);
            assert!(seen.area() > 0.6 * sound.area(), "{}: most of it is buried", model.file);
            distance = one_sided_distance(&seen, repaired.solid.mesh(), 0.05);
        }
        assert!(distance <= 0.01, "{}: {:.2} % away", model.file, distance * 100.0);
    }
}

fn is_united(repaired: &Repaired) -> bool {
    repaired.steps.iter().any(|step| step.kind == StepKind::Unite)
}

/// The faces with no corner inside the solid: what of a shell lies in another one goes when they become one.
fn seen_part(mesh: &Mesh, solid: &Solid) -> Mesh {
    let is_buried: Vec<bool> =
        mesh.positions.iter().map(|&p| winding_number(solid.mesh(), p) > 0.99).collect();
    let mut seen = Mesh { positions: mesh.positions.clone(), ..Mesh::default() };
    for face in 0..mesh.faces.len() {
        let vertices = mesh.loops_of(face).next().unwrap();
        if vertices.iter().all(|&v| !is_buried[v as usize]) {
            seen.push_polygon(vertices, mesh.faces[face].slot);
        }
    }
    seen
}

/// The faces that enclose something: a flap of two faces on the same vertices does not.
fn sound_part(mesh: &Mesh) -> Mesh {
    let sorted = |face: usize| {
        let mut vertices = mesh.corners[mesh.face_corners(face)].to_vec();
        vertices.sort_unstable();
        vertices
    };
    let mut faces: Vec<(Vec<u32>, usize)> = (0..mesh.faces.len()).map(|f| (sorted(f), f)).collect();
    faces.sort_unstable();
    let mut sound = Mesh { positions: mesh.positions.clone(), ..Mesh::default() };
    for group in faces.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() == 1) {
        let vertices = mesh.loops_of(group[0].1).next().unwrap();
        sound.push_polygon(vertices, mesh.faces[group[0].1].slot);
    }
    // What is drawn from both sides altogether is meant so.
    if sound.faces.len() * 2 < mesh.faces.len() { mesh.clone() } else { sound }
}

#[test]
fn remeshed_models_stay_near_and_the_same_on_any_number_of_threads() {
    for file in ["fandisk-sharp.obj", "spot-uv.obj", "stanford-bunny-holes.obj"] {
        let Some(mesh) = read(file) else { continue };
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let repaired = one.install(|| mended(file, &mesh, Level::Remesh));
        assert_eq!(repaired, two.install(|| mended(file, &mesh, Level::Remesh)), "{file}");
        let distance = one_sided_distance(&mesh, repaired.solid.mesh(), 0.05);
        assert!(distance <= 0.01, "{file}: {:.2} % away", distance * 100.0);
    }
}
