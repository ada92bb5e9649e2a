//! Nothing of a decomposition shows: no face between pieces, no edge in the shading (Müller et al. 2013, Figure 4).

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use smithereens::pattern::Pattern;
use smithereens::prepare::Decomposition;
use smithereens::{Aabb, Compound, Fit, FractureOptions, Impact, Mesh, Solid, fracture};
use smithereens_testing::{fixtures, seeds, subjects};

/// How far normals at one place may be apart: less than half a step of a colour's 255.
const ALIKE: f32 = 0.5 / 255.0;

/// The solid with one normal a vertex, so that all of it is shaded smoothly.
fn smooth(solid: &Solid) -> Solid {
    let mut mesh = solid.mesh().clone();
    let mut at_vertex = vec![DVec3::ZERO; mesh.positions.len()];
    for face in 0..mesh.faces.len() {
        for corner in mesh.face_corners(face) {
            at_vertex[mesh.corners[corner] as usize] += mesh.face_area_vector(face);
        }
    }
    mesh.normals =
        mesh.corners.iter().map(|&v| at_vertex[v as usize].normalize_or_zero().as_vec3()).collect();
    Solid::new(mesh).unwrap()
}

/// The greatest distance between two normals of the outside at one place.
fn worst_step(mesh: &Mesh) -> f32 {
    let mut first: BTreeMap<[u64; 3], Vec3> = BTreeMap::new();
    let mut worst: f32 = 0.0;
    for face in (0..mesh.faces.len()).filter(|&face| mesh.faces[face].cut.is_none()) {
        for corner in mesh.face_corners(face) {
            let place = mesh.positions[mesh.corners[corner] as usize].to_array().map(f64::to_bits);
            let normal = mesh.normals[corner];
            worst = worst.max(first.entry(place).or_insert(normal).distance(normal));
        }
    }
    worst
}

/// Where a face has more corners, what is between them is not given by theirs.
fn has_triangles_only(solid: &Solid) -> bool {
    let mesh = solid.mesh();
    (0..mesh.faces.len()).all(|face| mesh.face_corners(face).len() == 3)
}

/// Solids in one part, of triangles.
fn subjects() -> Vec<(String, Solid)> {
    let models = ["bunny.off", "fertility-genus4.off"].map(subjects::subject);
    let models = models.into_iter().map(|subject| (subject.name, subject.solid));
    let fixtures = fixtures::all().into_iter().map(|(name, solid)| (name.to_owned(), solid));
    let is_meant = |solid: &Solid| solid.clone().parts().len() == 1 && has_triangles_only(solid);
    let all = models.chain(fixtures).filter(|(_, solid)| is_meant(solid));
    all.map(|(name, solid)| (name, smooth(&solid))).collect()
}

fn decomposed(solid: &Solid, nodes: usize) -> Compound {
    Decomposition::new(solid.clone(), seeds::inside(solid, nodes, 2), Fit::Dop26).unwrap().compound().clone()
}

#[test]
fn a_decomposed_body_looks_like_the_solid() {
    assert!(subjects().len() > 4, "few solids are of triangles");
    for (name, solid) in subjects() {
        for nodes in [2, 12, 40] {
            let compound = decomposed(&solid, nodes);
            assert!(compound.pieces().len() > 1, "{name} has seams");
            let seen = compound.visible_mesh();
            let inside = seen.faces.iter().filter(|face| face.cut.is_some()).count();
            assert_eq!(inside, 0, "{name}: faces between pieces are seen");
            assert_alike(&name, seen.area(), solid.mesh().area());
            let step = worst_step(&seen);
            assert!(step < ALIKE, "{name}: the shading has a step of {step} at a seam");
        }
    }
}

#[test]
fn fragments_of_a_decomposed_body_look_like_those_of_one_piece() {
    for (name, solid) in subjects() {
        let whole = Compound::from_solid(solid.clone(), Fit::Dop26);
        let points = seeds::inside(&solid, 20, 9);
        let at = points[0];
        let around = Aabb::grown(whole.bounds(), whole.bounds().extent() * 0.01);
        let about_impact: Vec<DVec3> = points.iter().map(|&point| point - at).collect();
        let pattern =
            Pattern::from_points(&about_impact, Aabb::new(around.min - at, around.max - at)).unwrap();
        for radius in [f64::INFINITY, whole.bounds().extent() * 0.25] {
            let impact = Impact { radius, ..Impact::at(at) };
            let seen = |compound: &Compound| -> Vec<Mesh> {
                let broken = fracture(compound, &pattern, &impact, &FractureOptions::default()).unwrap();
                broken.fragments.iter().map(|fragment| fragment.compound.visible_mesh()).collect()
            };
            let (of_one, of_many) = (seen(&whole), seen(&decomposed(&solid, 12)));
            for mesh in of_one.iter().chain(&of_many) {
                let step = worst_step(mesh);
                assert!(step < ALIKE, "{name}, radius {radius}: the shading has a step of {step}");
            }
            assert_alike(&name, outer_area(&of_many), solid.mesh().area());
            // What stays whole keeps the walls of its pieces where something came off beside them.
            if radius == f64::INFINITY {
                let area = |meshes: &[Mesh]| meshes.iter().map(Mesh::area).sum::<f64>();
                assert_alike(&name, area(&of_many), area(&of_one));
            }
        }
    }
}

fn outer_area(meshes: &[Mesh]) -> f64 {
    let of_mesh = |mesh: &Mesh| -> f64 {
        let outer = (0..mesh.faces.len()).filter(|&face| mesh.faces[face].cut.is_none());
        outer.map(|face| mesh.face_area_vector(face).length() * 0.5).sum()
    };
    meshes.iter().map(of_mesh).sum()
}

fn assert_alike(name: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() < expected * 1e-6, "{name}: {found} of {expected} is seen");
}
