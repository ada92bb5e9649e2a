//! Bodies whose modes are those of a cage: broken models, loose shells, and sound ones, which break as they do without.

use std::ops::ControlFlow;

use glam::DVec3;
use smithereens::Solid;
use smithereens_modes::{Brittle, BrittleOptions};
use smithereens_repair::{RepairOptions, cage, repair};
use smithereens_testing::{fixtures, models};

mod brittle;
use brittle::{FINE, check_outside, check_sound, options, strike};

const RESOLUTION: u32 = 40;

fn caged(solid: &Solid, options: &BrittleOptions) -> Brittle {
    let cage = cage(solid.mesh(), RESOLUTION).unwrap();
    Brittle::in_cage(solid, &cage, options, |_| ControlFlow::Continue(())).unwrap()
}

/// As it should be, but for some of the surface that may be hidden, and a breath of air breaks nothing, however many shells are loose in it.
fn check(name: &str, solid: &Solid, options: &BrittleOptions, hidden: f64) {
    let brittle = caged(solid, options);
    check_sound(name, solid, &brittle);
    check_outside(name, solid, &brittle, hidden);
    assert!(brittle.pieces.volumes.len() > 1, "{name} does not break");
    let breath = strike(solid, &brittle.weakness, 1e-9);
    let fragments = brittle.weakness.fracture(&brittle.compound, &breath).unwrap().fragments.len();
    assert_eq!(fragments, brittle.modes.parts.count(), "{name}: fragments without a blow");
}

#[test]
fn broken_models_are_one_body() {
    let broken =
        ["suzanne-open.obj", "kitchen-pot-soup.obj", "teapot-open.obj", "dragon-48k-nonmanifold.ply"];
    for file in broken {
        let Some(path) = models::model_path(file) else {
            println!("no models: {file} is not tested");
            continue;
        };
        let mesh = smithereens_formats::read(&path).unwrap().mesh;
        let solid = repair(&mesh, &RepairOptions::default()).unwrap().solid;
        // Sheets that were thickened pass through themselves, and what is inside out goes.
        check(file, &solid, &options(600, 4), 1e-2);
    }
}

#[test]
fn fixtures_are_sound_in_a_cage_too() {
    for (name, solid) in fixtures::all() {
        check(name, &solid, &options(500, 4), 1e-6);
        check(name, &solid, &BrittleOptions { smooth: 1.0, ..options(300, 3) }, 1e-6);
    }
}

#[test]
fn loose_shells_go_with_what_is_nearest() {
    // A ring of balls that do not touch, around a rod that holds none of them.
    let mut mesh = fixtures::boxed(DVec3::new(0.3, 3.0, 0.3)).into_mesh();
    for turn in 0..6 {
        let (sine, cosine) = libm::sincos(f64::from(turn) * std::f64::consts::TAU / 6.0);
        let mut ball = fixtures::ico_sphere(0.2, 2).into_mesh();
        ball.positions
            .iter_mut()
            .for_each(|p| *p += DVec3::new(0.45 * cosine, f64::from(turn) * 0.3, 0.45 * sine));
        mesh.append(&ball);
    }
    let solid = Solid::new(mesh).unwrap();
    let brittle = caged(&solid, &options(800, 3));
    assert_eq!(brittle.modes.parts.count(), 1);
    check("balls around a rod", &solid, &options(800, 3), 1e-6);
    // All pieces are reached by bonds: nothing falls off by itself.
    assert_eq!(brittle.compound.islands().len(), 1);
}

/// The first fault of a dumbbell is at its neck, with a cage or without.
#[test]
fn a_cage_breaks_where_the_solid_does() {
    let solid = fixtures::dumbbell(FINE);
    let brittle = caged(&solid, &options(1500, 2));
    let halves = brittle.parted(&brittle.modes.scalar[0].pieces).unwrap();
    assert_eq!(halves.pieces().len(), 2);
    for bond in halves.bonds() {
        assert!(bond.centroid.x.abs() < 0.45, "it breaks at {}", bond.centroid);
    }
    // What it weighs is what the solid weighs, not the cage.
    assert!((brittle.weakness.volume() / solid.volume() - 1.0).abs() < 1e-12);
}
