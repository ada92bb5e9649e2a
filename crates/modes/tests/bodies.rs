//! Solids break where everybody knows that they do, and every piece is sound.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use glam::DVec3;
use smithereens::{
    Aabb, Compound, Fit, Fracture, FractureJob, FractureOptions, Impact, Progress, Slot, Solid, fracture,
};
use smithereens_modes::{
    Arrangement, Brittle, BrittleOptions, CellOptions, Cells, Face, Mode, ModesError, Paint, Projection,
    Strike, UNBREAKABLE, Weakness,
};
use smithereens_testing::{fixtures, models, subjects};

mod brittle;
use brittle::{FINE, check_outside, check_sound, options, strike};

fn brittle(solid: &Solid, cells: usize, modes: usize) -> Brittle {
    Brittle::of(solid, &options(cells, modes)).unwrap()
}

/// The faces that a mode opens, with their middles.
fn faults<'a>(brittle: &'a Brittle, mode: &'a Mode) -> impl Iterator<Item = (&'a Face, DVec3)> {
    let graph = brittle.cells.graph();
    let of = mode.pieces.of_cells();
    let open = graph.faces().iter().filter(|face| of[face.cells[0] as usize] != of[face.cells[1] as usize]);
    open.map(|face| {
        (face, face.cells.map(|cell| graph.cells()[cell as usize].centre).iter().sum::<DVec3>() * 0.5)
    })
}

/// The middle of what a mode opens, by area, and how far the faces are from it on average along an axis.
fn place(brittle: &Brittle, mode: &Mode, axis: DVec3) -> (f64, f64) {
    let area: f64 = faults(brittle, mode).map(|(face, _)| face.area).sum();
    let mean = |of: &dyn Fn(DVec3) -> f64| {
        faults(brittle, mode).map(|(face, at)| face.area * of(at)).sum::<f64>() / area
    };
    let middle = mean(&|at| at.dot(axis));
    (middle, mean(&|at| (at.dot(axis) - middle).abs()))
}

/// The share of a fault's area that lies where it should.
fn share(brittle: &Brittle, mode: &Mode, is_there: impl Fn(DVec3) -> bool) -> f64 {
    let [mut there, mut all] = [0.0; 2];
    for (face, at) in faults(brittle, mode) {
        all += face.area;
        there += if is_there(at) { face.area } else { 0.0 };
    }
    there / all
}

#[test]
fn a_dumbbell_breaks_at_its_neck() {
    for arrangement in [Arrangement::Relaxed, Arrangement::Lattice] {
        let mut options = options(1500, 3);
        options.cells.arrangement = arrangement;
        let brittle = Brittle::of(&fixtures::dumbbell(FINE), &options).unwrap();
        let first = &brittle.modes.scalar[0];
        let (middle, spread) = place(&brittle, first, DVec3::X);
        assert!(middle.abs() < 0.32 && spread < 0.1, "{arrangement:?}: it breaks at {middle} ± {spread}");
        assert_eq!(first.pieces.count(), 2);
    }
}

#[test]
fn a_bone_breaks_in_its_shaft() {
    let brittle = brittle(&fixtures::bone(FINE), 1500, 3);
    let (middle, spread) = place(&brittle, &brittle.modes.scalar[0], DVec3::Y);
    assert!(middle.abs() < 0.35 && spread < 0.1, "it breaks at {middle} ± {spread}");
}

#[test]
fn a_notched_block_breaks_at_its_notch() {
    for x in [-0.3, 0.0, 0.25] {
        let brittle = brittle(&fixtures::notched_block(x, FINE), 1500, 2);
        let (middle, spread) = place(&brittle, &brittle.modes.scalar[0], DVec3::X);
        assert!(
            (middle - x).abs() < 0.12 && spread < 0.08,
            "the notch is at {x}, it breaks at {middle} ± {spread}"
        );
    }
}

#[test]
fn a_table_loses_its_legs() {
    let brittle = brittle(&fixtures::table(FINE), 2500, 4);
    for mode in &brittle.modes.scalar[..3] {
        let at_legs = share(&brittle, mode, |at| at.y < 0.5);
        assert!(at_legs > 0.9, "{at_legs} of a fault is at the legs");
    }
}

#[test]
fn a_cup_loses_its_handle_before_its_bowl_breaks() {
    let brittle = brittle(&fixtures::cup(FINE), 3000, 4);
    let at_handle = share(&brittle, &brittle.modes.scalar[0], |at| at.x > 0.45 && at.z.abs() < 0.15);
    assert!(at_handle > 0.95, "{at_handle} of the first fault is at the handle");
}

#[test]
fn a_bunny_loses_its_ears_in_its_first_modes() {
    let Some(bunny) = models::load("bunny.off") else {
        println!("no models: the bunny is not tested");
        return;
    };
    let brittle = brittle(&bunny, 3000, 4);
    let bounds = bunny.mesh().bounds();
    let above = bounds.min.y + bounds.size().y * 0.6;
    for mode in &brittle.modes.scalar[..2] {
        let at_ears = share(&brittle, mode, |at| at.y > above);
        assert!(at_ears > 0.9, "{at_ears} of a fault is at the ears");
    }
}

/// Mirrored input has mirrored pieces: as many, with centres and volumes that pair off.
#[test]
fn a_mirrored_solid_has_mirrored_pieces() {
    let solid = fixtures::bone(FINE);
    let of_solid = brittle(&solid, 1000, 5);
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let mut mesh = solid.mesh().clone();
        let mirror = DVec3::ONE - 2.0 * axis;
        mesh.positions.iter_mut().for_each(|p| *p *= mirror);
        mesh.normals.clear();
        mesh.flip();
        let mirrored = brittle(&Solid::new(mesh).unwrap(), 1000, 5);
        let pieces = |brittle: &Brittle, by: DVec3| -> Vec<(f64, DVec3)> {
            let pieces = &brittle.pieces;
            pieces.volumes.iter().copied().zip(pieces.centres.iter().map(|&centre| centre * by)).collect()
        };
        let (here, there) = (pieces(&of_solid, DVec3::ONE), pieces(&mirrored, mirror));
        assert_eq!(here.len(), there.len(), "mirrored in {axis}");
        for (volume, centre) in here {
            let (other, at) =
                there.iter().min_by(|a, b| a.1.distance(centre).total_cmp(&b.1.distance(centre))).unwrap();
            assert!(
                at.distance(centre) < 0.05 && (other / volume - 1.0).abs() < 0.2,
                "{centre}: {volume}; {at}: {other}"
            );
        }
    }
}

#[test]
fn what_is_to_stay_whole_is_never_cut() {
    let region = Aabb::new(DVec3::new(-0.3, -1.0, -1.0), DVec3::new(0.3, 1.0, 1.0));
    let options = BrittleOptions { whole: vec![region], ..options(1500, 6) };
    let brittle = Brittle::of(&fixtures::dumbbell(FINE), &options).unwrap();
    assert!(brittle.modes.scalar.len() >= 3);
    for mode in &brittle.modes.scalar {
        let graph = brittle.cells.graph();
        let within = faults(&brittle, mode).filter(|(face, _)| {
            face.cells.iter().any(|&cell| region.contains(graph.cells()[cell as usize].centre))
        });
        assert_eq!(within.count(), 0);
    }
}

/// Paint on the surface reaches what is under it: no fault is where the solid is painted, in a cage or without.
#[test]
fn what_is_painted_whole_is_never_cut() {
    let mut mesh = fixtures::dumbbell(FINE).into_mesh();
    let place = |face: usize| mesh.positions[mesh.corners[mesh.face_corners(face).start] as usize];
    let is_neck: Vec<bool> = (0..mesh.faces.len()).map(|face| place(face).x.abs() < 0.35).collect();
    mesh.faces.iter_mut().zip(is_neck).for_each(|(face, is_neck)| face.slot = Slot(u32::from(is_neck)));
    let solid = Solid::new(mesh).unwrap();
    let first = |eta: f64, is_caged: bool| {
        let options = BrittleOptions { paints: vec![Paint { slot: Slot(1), eta }], ..options(1500, 3) };
        let brittle = if is_caged {
            let cage = smithereens_repair::cage(solid.mesh(), 40).unwrap();
            Brittle::in_cage(&solid, &cage, &options, |_| ControlFlow::Continue(())).unwrap()
        } else {
            Brittle::of(&solid, &options).unwrap()
        };
        share(&brittle, &brittle.modes.scalar[0], |at| at.x.abs() < 0.25)
    };
    for is_caged in [false, true] {
        assert!(first(1.0, is_caged) > 0.9);
        assert_eq!(first(UNBREAKABLE, is_caged), 0.0);
        assert!(first(50.0, is_caged) < 0.1, "what costs fifty times as much is left for last");
    }
    let refused = BrittleOptions { paints: vec![Paint { slot: Slot(1), eta: 0.0 }], ..options(50, 1) };
    assert!(matches!(Brittle::of(&solid, &refused), Err(ModesError::Option { .. })));
}

#[test]
fn wood_splits_along_its_grain() {
    let along_grain = |eta: DVec3| {
        let options = BrittleOptions { eta, ..options(1500, 8) };
        let brittle = Brittle::of(&fixtures::ico_sphere(1.0, 3), &options).unwrap();
        let of = brittle.pieces.partition.of_cells();
        // Faces of cells lean to all sides: what counts is where the fault between two pieces looks as a whole.
        let mut looks: BTreeMap<[u32; 2], DVec3> = BTreeMap::new();
        for face in brittle.cells.graph().faces() {
            let [a, b] = face.cells.map(|cell| of[cell as usize]);
            if a != b {
                let outward = if a < b { face.normal } else { -face.normal };
                *looks.entry([a.min(b), a.max(b)]).or_default() += outward * face.area;
            }
        }
        let along: f64 = looks.values().map(|look| look.z.abs()).sum();
        let across: f64 = looks.values().map(|look| look.truncate().length()).sum();
        along / across
    };
    let (plain, wood) = (along_grain(DVec3::ONE), along_grain(DVec3::new(10.0, 10.0, 1.0)));
    assert!(wood > 3.0 * plain, "faults along the grain over those across it: {plain}, with eta {wood}");
}

#[test]
fn every_model_and_fixture_breaks_into_sound_pieces() {
    let fixtures = fixtures::all().into_iter().map(|(name, solid)| (name.to_owned(), solid));
    let models = subjects::watertight().into_iter().map(|subject| (subject.name, subject.solid));
    for (name, solid) in models.chain(fixtures) {
        let brittle = Brittle::of(&solid, &options(800, 6)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(brittle.pieces.volumes.len() > 1, "{name} does not break");
        check_sound(&name, &solid, &brittle);
        check_outside(&name, &solid, &brittle, 1e-6);
    }
}

#[test]
fn the_outcome_depends_on_where_it_is_hit_and_fragments_break_again() {
    let solid = fixtures::table(FINE);
    let brittle = brittle(&solid, 2500, 8);
    let blow = |point: DVec3, strength: f64| Strike {
        point,
        impulse: DVec3::X * (strength * brittle.weakness.volume()),
        projection: Projection::Pieces,
        ..strike(&solid, &brittle.weakness, 1.0)
    };
    let lost = |point: DVec3| {
        let broken = brittle.weakness.fracture(&brittle.compound, &blow(point, 0.2)).unwrap();
        let mut small: Vec<&Compound> = broken.fragments.iter().map(|f| &f.compound).collect();
        small.sort_by(|a, b| a.mass().volume.total_cmp(&b.mass().volume));
        assert!(broken.fragments.len() > 1);
        small[0].mass().center
    };
    for corner in [DVec3::new(0.68, -0.6, 0.48), DVec3::new(-0.68, -0.6, -0.48)] {
        let centre = lost(corner);
        assert!(
            centre.x * corner.x > 0.0 && centre.z * corner.z > 0.0,
            "hit at {corner}, {centre} comes off"
        );
    }
    // What came off the first blow comes apart under another, without the rest of the body.
    let broken =
        brittle.weakness.fracture(&brittle.compound, &blow(DVec3::new(0.68, -0.6, 0.48), 0.2)).unwrap();
    let again: usize = broken
        .fragments
        .iter()
        .map(|fragment| {
            let middle = fragment.compound.mass().center;
            brittle.weakness.fracture(&fragment.compound, &blow(middle, 100.0)).unwrap().fragments.len()
        })
        .sum();
    assert!(again > broken.fragments.len());
    // Far from a blow of small reach all stays together.
    let near = Strike { radius: 0.8, ..blow(DVec3::new(0.68, -0.6, 0.48), 100.0) };
    let near = brittle.weakness.fracture(&brittle.compound, &near).unwrap();
    let all =
        brittle.weakness.fracture(&brittle.compound, &blow(DVec3::new(0.68, -0.6, 0.48), 100.0)).unwrap();
    let [near, all] = [near, all].map(|broken| broken.fragments.len());
    assert!(near > 1 && near < all, "{near} fragments near the blow, {all} in all");
}

#[test]
fn what_is_saved_comes_back_and_damage_is_refused() {
    let solid = fixtures::torus(1.0, 0.3, 24, 12);
    let brittle = brittle(&solid, 300, 4);
    let bytes = brittle.weakness.to_bytes().unwrap();
    assert_eq!(Weakness::from_bytes(&bytes).unwrap(), brittle.weakness);
    let mut refused = 0;
    for index in 0..2000 {
        let mut damaged = bytes.clone();
        let at = index * 7919 % damaged.len();
        damaged[at] ^= 1 << (index % 8);
        match Weakness::from_bytes(&damaged) {
            Err(_) => refused += 1,
            Ok(weakness) => drop(weakness.fracture(&brittle.compound, &strike(&solid, &weakness, 1.0))),
        }
    }
    assert!(refused > 50, "{refused}");
    assert_eq!(Weakness::from_bytes(&bytes[..bytes.len() / 2]), Err(ModesError::Damaged));
    assert_eq!(Weakness::from_bytes(&[]), Err(ModesError::Damaged));
}

#[test]
fn small_flat_and_scattered_solids_have_a_clear_answer() {
    // A cell alone does not break.
    let one = brittle(&fixtures::boxed(DVec3::ONE), 1, 5);
    assert_eq!((one.pieces.volumes.len(), one.modes.scalar.len()), (1, 0));
    let zero = CellOptions { count: 0, ..CellOptions::default() };
    assert!(matches!(Cells::of(&fixtures::boxed(DVec3::ONE), &zero), Err(ModesError::Option { .. })));
    // Tiny, huge, flat.
    for size in [DVec3::splat(1e-6), DVec3::splat(1e6), DVec3::new(1.0, 1.0, 1e-5)] {
        let solid = fixtures::boxed(size);
        let brittle = brittle(&solid, 200, 3);
        check_sound(&format!("box of {size}"), &solid, &brittle);
        check_outside(&format!("box of {size}"), &solid, &brittle, 1e-6);
        assert!(brittle.pieces.volumes.len() > 1);
    }
    // Two boxes far apart.
    let mut mesh = fixtures::boxed(DVec3::ONE).into_mesh();
    let mut far = mesh.clone();
    far.positions.iter_mut().for_each(|p| *p += DVec3::X * 10.0);
    mesh.append(&far);
    mesh.faces.iter_mut().for_each(|face| face.slot = Slot(0));
    let pair = Solid::new(mesh).unwrap();
    let brittle = brittle(&pair, 400, 4);
    assert_eq!(brittle.modes.parts.count(), 2);
    check_sound("two boxes", &pair, &brittle);
    check_outside("two boxes", &pair, &brittle, 1e-6);
    let nowhere = Strike { point: DVec3::NAN, ..strike(&pair, &brittle.weakness, 1.0) };
    assert_eq!(brittle.weakness.fracture(&brittle.compound, &nowhere).err(), Some(ModesError::Impact));
}

/// Modes as a pattern: what a strike leaves together, cut from the solid as any pattern cuts it, is what the body made ready comes apart into.
#[test]
fn as_a_pattern_it_breaks_the_solid_alike() {
    for solid in [fixtures::table(FINE), fixtures::bone(FINE)] {
        let brittle = brittle(&solid, 1500, 6);
        let blow = strike(&solid, &brittle.weakness, 5.0);
        let together = brittle.weakness.strike(&blow, |_| true).unwrap();
        let colours: Vec<u32> =
            brittle.pieces.partition.of_cells().iter().map(|&piece| together[piece as usize]).collect();
        let pattern = brittle.cells.pattern(&colours).unwrap();
        let whole = Compound::from_solid(solid.clone(), Fit::Dop26);
        let volumes = |fracture: &Fracture| {
            let mut volumes: Vec<f64> = fracture.fragments.iter().map(|f| f.compound.mass().volume).collect();
            volumes.sort_by(f64::total_cmp);
            volumes
        };
        let cut = fracture(&whole, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default()).unwrap();
        let split = brittle.weakness.fracture(&brittle.compound, &blow).unwrap();
        let (cut, split) = (volumes(&cut), volumes(&split));
        assert!(split.len() > 1);
        assert_eq!(cut.len(), split.len());
        let alike = |(a, b): (&f64, &f64)| (a / b - 1.0).abs() < 1e-6;
        assert!(cut.iter().zip(&split).all(alike), "{cut:?} {split:?}");
        // Under a budget, and near the blow only.
        let near = Impact { radius: 0.4, ..Impact::at(DVec3::ZERO) };
        let mut job = FractureJob::new(&whole, &pattern, &near, &FractureOptions::default()).unwrap();
        while job.advance(Duration::from_micros(50)) != Progress::Done {}
        assert!((volumes(&job.finish()).iter().sum::<f64>() / solid.volume() - 1.0).abs() < 1e-9);
    }
    let own = Cells::of_compound(Compound::from_solid(fixtures::boxed(DVec3::ONE), Fit::Dop26)).unwrap();
    assert!(own.pattern(&[0]).is_none());
}

/// The same bits on one thread and on two.
#[test]
fn threads_do_not_matter() {
    let solid = fixtures::trefoil(1.0, 0.3, 96, 12);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let brittle = pool.install(|| brittle(&solid, 500, 4));
        (brittle.compound.to_bytes(), brittle.weakness.to_bytes().unwrap())
    };
    assert_eq!(on(1), on(2));
}

/// Pieces are on average about as large as the modes make them: no mode is lost on the way to the compound.
#[test]
fn every_piece_is_in_the_compound() {
    let solid = fixtures::bone(FINE);
    let brittle = brittle(&solid, 1000, 6);
    let mut volumes: BTreeMap<u32, f64> = BTreeMap::new();
    for piece in brittle.compound.pieces() {
        *volumes.entry(brittle.weakness.piece_of(piece)).or_default() += piece.mass().volume;
    }
    assert_eq!(volumes.len(), brittle.pieces.volumes.len());
    for (piece, volume) in volumes {
        assert!((volume / brittle.pieces.volumes[piece as usize] - 1.0).abs() < 1e-9);
    }
}
