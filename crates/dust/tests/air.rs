//! What the air of dust does: nothing by itself, whirls as long as theory says, and around what it meets.

use std::f64::consts::PI;

use glam::{DQuat, DVec3, dvec3};
use smithereens_dust::{Blocker, Dust, Mover, Options, Puff, Shape};

const STEP: f64 = 1.0 / 60.0;

/// A box of air without dust, open on all sides but for a floor.
fn room(low: DVec3, high: DVec3) -> Dust {
    let options = Options { always: Some([low, high]), ..Options::default() };
    Dust::new(options).unwrap()
}

fn slab(at: DVec3, half: DVec3, velocity: DVec3) -> Mover {
    Mover { shape: Shape::Box(half), at, turn: DQuat::IDENTITY, velocity, spin: DVec3::ZERO }
}

#[test]
fn still_air_stays_still_to_the_bit() {
    let mut dust = room(DVec3::splat(-6.0), DVec3::splat(6.0));
    dust.set_blockers(&[Blocker::from_corners(dvec3(-1.0, 0.0, -1.0), dvec3(1.0, 2.0, 1.0))]);
    let resting = slab(dvec3(2.0, 3.0, 0.0), DVec3::ONE, DVec3::ZERO);
    for _ in 0..30 {
        dust.step(STEP, &[resting]).unwrap();
    }
    for i in 0..1000 {
        let at = dvec3((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64) * 1.2 - 5.0;
        assert_eq!(dust.air_at(at), DVec3::ZERO);
    }
    assert_eq!(dust.outflow_left(), (0.0, 0.0));
}

/// The whirls of Taylor and Green in a plane, in a window of their own period.
fn taylor_green(at: DVec3, length: f64) -> DVec3 {
    let (x, z) = (PI * at.x / length, PI * at.z / length);
    dvec3(libm::sin(x) * libm::cos(z), 0.0, -libm::cos(x) * libm::sin(z))
}

/// Energy of the whirls in the middle of the window, where its open sides are far.
fn energy(dust: &Dust, reach: f64) -> f64 {
    let side = 24;
    let place = |n: usize| (n as f64 + 0.5) / side as f64 * 2.0 * reach - reach;
    let points = (0..side * side).map(|i| dvec3(place(i % side), 4.0, place(i / side)));
    points.map(|at| dust.air_at(at).length_squared()).sum::<f64>() / (side * side) as f64
}

/// Whirls eight cells wide lose their energy to the grid alone: there is no viscosity in it but its own. An eddy turns over in about eight seconds.
#[test]
fn whirls_last_and_their_loss_is_that_of_the_grid() {
    let length = 4.0;
    let always = Some([dvec3(-12.0, 0.0, -12.0), dvec3(12.0, 6.0, 12.0)]);
    let mut dust = Dust::new(Options { always, most_cells: 1 << 18, ..Options::default() }).unwrap();
    // Under a lid, else air would be sucked in from above into the middle of each whirl.
    dust.set_blockers(&[Blocker::from_corners(dvec3(-20.0, 6.0, -20.0), dvec3(20.0, 9.0, 20.0))]);
    dust.blow(|at| taylor_green(at, length));
    dust.step(STEP, &[]).unwrap();
    let before = energy(&dust, length);
    let steps = 120;
    (0..steps).for_each(|_| _ = dust.step(STEP, &[]).unwrap());
    let after = energy(&dust, length);
    let rate = -libm::log(after / before) / (f64::from(steps) * STEP);
    // Energy of such whirls decays with exp(-4 ν (π/L)² t).
    let viscosity = rate / (4.0 * (PI / length).powi(2));
    println!("energy {before} to {after}: a viscosity of {viscosity} m²/s");
    assert!(viscosity > 0.0 && viscosity < 0.012, "{viscosity} m²/s");
}

#[test]
fn little_flows_out_of_cells_that_should_not() {
    let mut dust = room(DVec3::splat(-8.0).with_y(0.0), dvec3(8.0, 8.0, 8.0));
    dust.set_blockers(&[Blocker::from_corners(dvec3(3.0, 0.0, -3.0), dvec3(4.0, 5.0, 3.0))]);
    let speed = 4.0;
    let mut worst: f64 = 0.0;
    for step in 0..90 {
        let x = -5.0 + speed * STEP * f64::from(step);
        dust.step(STEP, &[slab(dvec3(x, 2.0, 0.0), DVec3::ONE, DVec3::X * speed)]).unwrap();
        worst = worst.max(dust.outflow_left().0);
    }
    println!("{} of {speed} m/s", worst);
    assert!(worst < 0.01 * speed, "{worst} m/s");
    let exact = Options { cycles: 20, ..*dust.options() };
    let mut dust = Dust::new(exact).unwrap();
    for step in 0..10 {
        let x = -5.0 + speed * STEP * f64::from(step);
        dust.step(STEP, &[slab(dvec3(x, 2.0, 0.0), DVec3::ONE, DVec3::X * speed)]).unwrap();
    }
    let (mean, most) = dust.outflow_left();
    assert!(mean < 1e-4 * speed && most < 2e-3 * speed, "{mean} {most}");
}

/// The window follows a box through a cloud that is born ahead of it, on the same lattice and on coarser ones.
#[test]
fn a_window_that_moves_brings_its_pressure_along() {
    let speed = 4.0;
    let options = Options { most_cells: 5_000, ..Options::default() };
    let mut dust = Dust::new(options).unwrap();
    let (mut worst, mut sizes): (f64, Vec<(usize, f64)>) = (0.0, Vec::new());
    for step in 0..150 {
        let x = speed * STEP * f64::from(step);
        if step % 15 == 0 {
            let at = dvec3(x + 4.0, 2.0, 0.0);
            dust.add(&Puff {
                corners: [at, at + DVec3::Z * 2.0, at + DVec3::Y],
                velocity: DVec3::ZERO,
                mass: 0.01,
            });
        }
        let report = dust.step(STEP, &[slab(dvec3(x, 2.0, 0.0), DVec3::ONE, DVec3::X * speed)]).unwrap();
        sizes.push((report.cells, report.cell));
        worst = worst.max(dust.outflow_left().0);
    }
    sizes.dedup();
    let cells = sizes.iter().map(|(_, cell)| *cell).fold(0.0, f64::max);
    println!("{worst} of {speed} m/s in {sizes:?}");
    assert!(sizes.len() > 2 && cells > 0.5, "{sizes:?}");
    assert!(worst < 0.01 * speed, "{worst} m/s");
}

#[test]
fn a_moving_box_drags_air_along_and_leaves_a_wake() {
    let mut dust = room(dvec3(-10.0, 0.0, -5.0), dvec3(10.0, 6.0, 5.0));
    let speed = 5.0;
    let mut x = -8.0;
    for _ in 0..150 {
        x += speed * STEP;
        dust.step(STEP, &[slab(dvec3(x, 2.0, 0.0), DVec3::splat(0.75), DVec3::X * speed)]).unwrap();
    }
    let (ahead, wake) = (dust.air_at(dvec3(x + 1.3, 2.0, 0.0)).x, dust.air_at(dvec3(x - 1.8, 2.0, 0.0)).x);
    let far_wake = dust.air_at(dvec3(x - 4.0, 2.0, 0.0)).x;
    let aside = dust.air_at(dvec3(x - 0.3, 2.0, 1.8)).x;
    println!("ahead {ahead}, wake {wake}, farther {far_wake}, aside {aside}");
    assert!(ahead > 0.2 * speed && wake > 0.4 * speed && far_wake > 0.1 * speed);
    assert!(aside < 0.05 * speed, "around it air flows back: {aside}");
    let before = dust.air_at(dvec3(x + 6.0, 2.0, 0.0)).length();
    assert!(before < 0.1 * speed, "far ahead nothing has happened yet: {before}");
}

#[test]
fn air_flows_around_a_wall_and_not_through_it() {
    let mut dust = room(DVec3::splat(-8.0).with_y(0.0), dvec3(8.0, 6.0, 8.0));
    dust.set_blockers(&[Blocker::from_corners(dvec3(-0.1, 0.0, -4.0), dvec3(0.1, 4.0, 4.0))]);
    for _ in 0..60 {
        dust.step(STEP, &[slab(dvec3(-3.0, 1.5, 0.0), DVec3::ONE, DVec3::X * 6.0)]).unwrap();
    }
    let before = dust.air_at(dvec3(-1.2, 1.5, 0.0)).length();
    let behind = dust.air_at(dvec3(0.8, 1.5, 0.0)).length();
    println!("before {before}, behind {behind}");
    assert!(before > 5.0 * behind, "{before} {behind}");
    let along = dust.air_at(dvec3(-0.6, 1.5, 2.5)).z;
    assert!(along > 0.1, "it goes along the wall: {along}");
}

#[test]
fn what_is_symmetric_stays_nearly_so() {
    let mut dust = room(DVec3::splat(-7.9).with_y(0.0), dvec3(7.9, 6.0, 7.9));
    let mut y = 5.0;
    for _ in 0..60 {
        y -= 4.0 * STEP;
        dust.step(STEP, &[slab(dvec3(0.0, y, 0.0), dvec3(2.0, 0.25, 2.0), DVec3::NEG_Y * 4.0)]).unwrap();
    }
    let (mut squares, mut most): (f64, f64) = (0.0, 0.0);
    for i in 0..400 {
        let at = dvec3(
            f64::from(i % 20) * 0.3 + 0.1,
            0.5 + f64::from(i / 200) * 2.0,
            f64::from(i / 20 % 10) * 0.5,
        );
        let here = dust.air_at(at);
        for mirror in [dvec3(-1.0, 1.0, 1.0), dvec3(1.0, 1.0, -1.0), dvec3(-1.0, 1.0, -1.0)] {
            most = most.max((dust.air_at(at * mirror) - here * mirror).length());
        }
        let across = |v: DVec3| dvec3(v.z, v.y, v.x);
        let off = (dust.air_at(across(at)) - across(here)).length();
        (squares, most) = (squares + off * off / 400.0, most.max(off));
    }
    let mean = squares.sqrt();
    println!("{mean} m/s, at most {most}, of 4 m/s");
    assert!(mean < 0.04 && most < 0.2, "{mean} m/s off, at most {most}");
}
