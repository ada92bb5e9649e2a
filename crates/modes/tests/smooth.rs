//! Smoothed faults: sound, in the place of the rough ones, and smoother.

use glam::DVec3;
use smithereens::{Compound, Solid};
use smithereens_modes::{Brittle, BrittleOptions, ModesError};
use smithereens_testing::{fixtures, subjects};

mod brittle;
use brittle::{FINE, check_outside, check_sound, options};

fn smoothed(solid: &Solid, cells: usize, modes: usize, smooth: f64) -> Brittle {
    let options = BrittleOptions { smooth, ..options(cells, modes) };
    Brittle::of(solid, &options).unwrap()
}

/// All that was cut, seen from both sides.
fn cut_area(compound: &Compound) -> f64 {
    let meshes = compound.pieces().iter().map(|piece| piece.to_mesh());
    let area = |mesh: smithereens::Mesh| {
        let cut = (0..mesh.faces.len()).filter(|&face| mesh.faces[face].cut.is_some());
        cut.map(|face| mesh.face_area_vector(face).length() * 0.5).sum::<f64>()
    };
    meshes.map(area).sum()
}

fn bonded_area(compound: &Compound) -> f64 {
    compound.bonds().iter().map(|bond| bond.area).sum()
}

#[test]
fn every_model_and_fixture_has_sound_pieces_without_walls_inside() {
    let fixtures = fixtures::all().into_iter().map(|(name, solid)| (name.to_owned(), solid, false));
    let models = subjects::watertight().into_iter().map(|subject| (subject.name, subject.solid, true));
    for (name, solid, is_model) in models.chain(fixtures) {
        let brittle = smoothed(&solid, 600, 5, 1.0);
        check_sound(&name, &solid, &brittle);
        check_outside(&name, &solid, &brittle, 1e-6);
        // A face that was cut lies between two pieces: none is left within one. On scans that pass through themselves a few are.
        let (cut, bonded) = (cut_area(&brittle.compound), 2.0 * bonded_area(&brittle.compound));
        let most = if is_model { 4e-3 } else { 1e-6 } * solid.mesh().area();
        assert!((cut - bonded).abs() < most, "{name}: {cut} is cut, {bonded} bonded");
    }
}

#[test]
fn a_smooth_fault_is_as_large_as_the_section_it_goes_through() {
    let solid = fixtures::boxed(DVec3::new(4.0, 1.0, 1.0));
    for cells in [400, 3000] {
        let area = |smooth: f64| {
            let brittle = smoothed(&solid, cells, 1, smooth);
            let halves = brittle.parted(&brittle.modes.scalar[0].pieces).unwrap();
            assert_eq!(halves.pieces().len(), 2);
            bonded_area(&halves)
        };
        let (rough, smooth) = (area(0.0), area(1.0));
        assert!(rough > 1.1, "rough faults have {rough} times the section's area");
        assert!((0.995..1.03).contains(&smooth), "smooth ones {smooth} times");
    }
}

/// What a place belongs to does not change by much: volumes are those of the rough pieces, but for what lies within a cell of a fault.
#[test]
fn pieces_keep_their_places() {
    for solid in [fixtures::bone(FINE), fixtures::cup(FINE), fixtures::trefoil(1.0, 0.3, 96, 12)] {
        let (rough, smooth) = (smoothed(&solid, 2500, 4, 0.0), smoothed(&solid, 2500, 4, 1.0));
        assert_eq!(rough.pieces, smooth.pieces);
        let mut volumes = vec![0.0; smooth.pieces.volumes.len()];
        for piece in smooth.compound.pieces() {
            volumes[smooth.weakness.piece_of(piece) as usize] += piece.mass().volume;
        }
        let moved: f64 = volumes.iter().zip(&smooth.pieces.volumes).map(|(a, b)| (a - b).abs()).sum();
        assert!(moved < 0.12 * solid.volume(), "{moved} of {} moved", solid.volume());
    }
}

#[test]
fn a_mirrored_solid_has_mirrored_faults() {
    let solid = fixtures::bone(FINE);
    let volumes = |mirror: DVec3| {
        let mut mesh = solid.mesh().clone();
        mesh.positions.iter_mut().for_each(|p| *p *= mirror);
        mesh.normals.clear();
        if mirror.element_product() < 0.0 {
            mesh.flip();
        }
        let brittle = smoothed(&Solid::new(mesh).unwrap(), 800, 1, 1.0);
        let halves = brittle.parted(&brittle.modes.scalar[0].pieces).unwrap();
        let mut centres: Vec<DVec3> = halves.pieces().iter().map(|p| p.mass().center * mirror).collect();
        centres.sort_by(|a, b| a.y.total_cmp(&b.y));
        centres
    };
    let here = volumes(DVec3::ONE);
    for axis in DVec3::AXES {
        let there = volumes(DVec3::ONE - 2.0 * axis);
        assert_eq!(here.len(), there.len());
        let apart = here.iter().zip(&there).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(apart < 0.03 * solid.mesh().bounds().extent(), "mirrored in {axis}: {apart} apart");
    }
}

#[test]
fn threads_do_not_matter_and_what_is_no_number_is_refused() {
    let solid = fixtures::torus(1.0, 0.3, 48, 16);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| smoothed(&solid, 500, 4, 1.5)).compound.to_bytes()
    };
    assert_eq!(on(1), on(2));
    for smooth in [f64::NAN, f64::INFINITY, -1.0] {
        let refused = Brittle::of(&solid, &BrittleOptions { smooth, ..options(50, 1) });
        assert!(matches!(refused, Err(ModesError::Option { name: "smooth", .. })));
    }
}

/// Flat, tiny and far from the origin: cubes are never too many, and nothing gets lost.
#[test]
fn extreme_sizes_are_smoothed_too() {
    for size in
        [DVec3::splat(1e-6), DVec3::splat(1e6), DVec3::new(1.0, 1.0, 1e-4), DVec3::new(1.0, 1e-3, 1e-3)]
    {
        let solid = fixtures::boxed(size);
        let brittle = smoothed(&solid, 200, 3, 1.0);
        check_sound(&format!("box of {size}"), &solid, &brittle);
        check_outside(&format!("box of {size}"), &solid, &brittle, 1e-6);
    }
    let mut far = fixtures::ico_sphere(1.0, 2).into_mesh();
    far.positions.iter_mut().for_each(|p| *p += DVec3::splat(1e4));
    let far = Solid::new(far).unwrap();
    let brittle = smoothed(&far, 300, 3, 1.0);
    assert!(brittle.dropped.volume < 1e-6 * far.volume());

    check_sound("far", &far, &brittle);

    check_outside("far", &far, &brittle, 1e-6);
}
