//! Pieces merged into fewer: closed, with all of the solid and nothing else.

use std::sync::Arc;

use glam::DVec3;
use smithereens::prepare::Decomposition;
use smithereens::{Aabb, Compound, Convex, Cut, Fit, MergeError, Mesh, Piece, Solid};
use smithereens_testing::{fixtures, seeds, soundness, subjects};

/// Cells of a solid, and to which of some points each is nearest.
fn cells(solid: &Solid, count: usize, groups: usize) -> (Compound, Vec<u32>) {
    let nodes = seeds::inside(solid, count, 1);
    let cells = Decomposition::new(solid.clone(), nodes, Fit::Aabb).unwrap().compound().clone();
    let middles = seeds::inside(solid, groups, 5);
    let nearest = |piece: &Arc<Piece>| {
        let far = |&group: &usize| middles[group].distance_squared(piece.mass().center).to_bits();
        (0..groups).min_by_key(far).unwrap() as u32
    };
    let group_of = cells.pieces().iter().map(nearest).collect();
    (cells, group_of)
}

fn area(mesh: &Mesh, is_wanted: impl Fn(Option<Cut>) -> bool) -> f64 {
    let faces = (0..mesh.faces.len()).filter(|&face| is_wanted(mesh.faces[face].cut));
    faces.map(|face| mesh.face_area_vector(face).length() * 0.5).sum()
}

fn check(name: &str, solid: &Solid, merged: &Compound) {
    let volume: f64 = merged.pieces().iter().map(|piece| piece.mass().volume).sum();
    assert!((volume / solid.volume() - 1.0).abs() < 1e-9, "{name}: {volume}");
    let mut outer = 0.0;
    for piece in merged.pieces() {
        soundness::assert_piece_sound(piece);
        outer += area(&piece.to_mesh(), |cut| cut.is_none());
    }
    assert!((outer / solid.mesh().area() - 1.0).abs() < 1e-6, "{name}: {outer} is outside");
}

#[test]
fn merged_pieces_are_closed_and_have_all_of_the_solid() {
    let models = ["bunny.off", "fertility-genus4.off", "thingi-65004.stl"].map(subjects::subject);
    let models = models.into_iter().map(|subject| (subject.name, subject.solid));
    let fixtures = fixtures::all().into_iter().map(|(name, solid)| (name.to_owned(), solid));
    for (name, solid) in models.chain(fixtures) {
        for (count, groups) in [(40, 3), (300, 12), (300, 1)] {
            let (cells, group_of) = cells(&solid, count, groups);
            let merged = cells.merged(&group_of, Fit::Dop26).unwrap().compound;
            check(&name, &solid, &merged);
            assert!(merged.pieces().len() <= groups.max(solid.clone().parts().len() + groups));
        }
    }
}

/// Walls of no thickness are rare: nearly all that is left inside is between groups.
#[test]
fn what_was_between_pieces_of_a_group_is_gone() {
    let solid = fixtures::trefoil(1.0, 0.35, 120, 24);
    let (cells, group_of) = cells(&solid, 400, 9);
    let merged = cells.merged(&group_of, Fit::Dop26).unwrap().compound;
    let inner: f64 = merged.pieces().iter().map(|p| area(&p.to_mesh(), |cut| cut.is_some())).sum();
    let bonded: f64 = merged.bonds().iter().map(|bond| bond.area).sum();
    assert!((inner / (2.0 * bonded) - 1.0).abs() < 1e-6, "{inner} {bonded}");
    let apart =
        merged.merged(&(0..merged.pieces().len() as u32).collect::<Vec<_>>(), Fit::Dop26).unwrap().compound;
    assert_eq!(apart.to_bytes(), merged.to_bytes());
}

#[test]
fn bad_groups_are_refused() {
    let boxed = |x: f64| Convex::from_box(&Aabb::new(DVec3::splat(x), DVec3::splat(x + 1.0)));
    let pair = Compound::from_convexes(vec![boxed(0.0), boxed(0.5)]).unwrap();
    assert_eq!(pair.merged(&[0], Fit::Aabb).err(), Some(MergeError::OtherCompound { given: 1, pieces: 3 }));
    assert_eq!(pair.merged(&[0, 0, 0], Fit::Aabb).err(), Some(MergeError::Ghost(2)));
}
