//! What dust promises: its books, its bits, and that it stays out of walls.

use glam::{DQuat, DVec3, Vec3Swizzles, dvec3};
use smithereens_dust::{Blocker, Dust, Error, Mover, Options, Puff, Shape};
use smithereens_testing::chance::Chance;

const STEP: f64 = 1.0 / 60.0;

/// Two triangles that face up.
fn patch(centre: DVec3, half: f64, mass: f64) -> [Puff; 2] {
    let corner = |x: f64, z: f64| centre + dvec3(x, 0.0, z) * half;
    let [a, b, c, d] = [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    [[a, b, c], [a, c, d]].map(|corners| Puff { corners, velocity: DVec3::ZERO, mass: 0.5 * mass })
}

fn slab(at: DVec3, velocity: DVec3) -> Mover {
    let shape = Shape::Box(dvec3(2.0, 0.2, 2.0));
    Mover { shape, at, turn: DQuat::IDENTITY, velocity, spin: DVec3::ZERO }
}

fn books_are_kept(dust: &Dust) {
    let books = dust.books();
    let off = (books.total() - books.injected).abs();
    assert!(off <= 1e-9 * books.injected, "{books:?}");
}

/// How far dust is from the middle, on average, and how fast it moves away, below a height.
fn outward(dust: &Dust, below: f64) -> (f64, f64) {
    let (mut distance, mut speed, mut count) = (0.0, 0.0, 0.0);
    for mote in dust.motes(DVec3::NEG_Z).filter(|mote| f64::from(mote.at.y) < below) {
        let out = mote.at.as_dvec3().with_y(0.0);
        distance += out.length();
        speed += dust.air_at(mote.at.as_dvec3()).dot(out.normalize_or_zero());
        count += 1.0;
    }
    (distance / count, speed / count)
}

#[test]
fn a_falling_slab_blows_dust_out_along_the_floor() {
    let mut dust = Dust::new(Options::default()).unwrap();
    patch(DVec3::Y * 0.05, 2.0, 1.0).iter().for_each(|puff| _ = dust.add(puff));
    for _ in 0..20 {
        dust.step(STEP, &[]).unwrap();
    }
    let (near, slow) = outward(&dust, 1.0);
    let (mut y, mut fastest) = (3.0, 0.0_f64);
    while y > 0.3 {
        y -= 6.0 * STEP;
        dust.step(STEP, &[slab(DVec3::Y * y, DVec3::NEG_Y * 6.0)]).unwrap();
        fastest = fastest.max(outward(&dust, 1.0).1);
    }
    for _ in 0..60 {
        dust.step(STEP, &[slab(DVec3::Y * y, DVec3::ZERO)]).unwrap();
    }
    let (far, _) = outward(&dust, 2.0);
    println!("{near} m at {slow} m/s, then {far} m, at most {fastest} m/s");
    assert!(fastest > 2.0 && fastest > 4.0 * slow, "{fastest} m/s");
    assert!(far > 1.6 * near, "from {near} m to {far} m");
    books_are_kept(&dust);
}

#[test]
fn dusty_air_sinks_and_spreads_along_the_floor() {
    let run = |mass: f64| {
        let mut dust = Dust::new(Options { speed: 0.1, ..Options::default() }).unwrap();
        patch(DVec3::Y * 3.0, 1.0, mass).iter().for_each(|puff| _ = dust.add(puff));
        (0..150).for_each(|_| _ = dust.step(STEP, &[]).unwrap());
        let height = dust.motes(DVec3::NEG_Z).map(|mote| f64::from(mote.at.y)).sum::<f64>();
        (height / dust.motes(DVec3::NEG_Z).count() as f64, outward(&dust, 10.0).0)
    };
    let ((light_height, light_reach), (heavy_height, heavy_reach)) = (run(1e-4), run(10.0));
    println!("light {light_height} m high, {light_reach} m wide; heavy {heavy_height}, {heavy_reach}");
    assert!(light_height > 2.0 && heavy_height < 0.7 * light_height);
    assert!(heavy_reach > 1.3 * light_reach);
}

#[test]
fn a_closed_box_keeps_all_its_dust() {
    let wall = |low: DVec3, high: DVec3| Blocker::from_corners(low, high);
    let mut dust = Dust::new(Options { life: [1e5, 1e6], ..Options::default() }).unwrap();
    dust.set_blockers(&[
        wall(dvec3(-3.2, 0.0, -3.2), dvec3(-3.0, 3.2, 3.2)),
        wall(dvec3(3.0, 0.0, -3.2), dvec3(3.2, 3.2, 3.2)),
        wall(dvec3(-3.2, 0.0, -3.2), dvec3(3.2, 3.2, -3.0)),
        wall(dvec3(-3.2, 0.0, 3.0), dvec3(3.2, 3.2, 3.2)),
        wall(dvec3(-3.2, 3.0, -3.2), dvec3(3.2, 3.2, 3.2)),
    ]);
    patch(DVec3::Y * 1.5, 1.0, 5.0)
        .iter()
        .for_each(|puff| _ = dust.add(&Puff { velocity: dvec3(9.0, 2.0, 4.0), ..*puff }));
    for step in 0..300 {
        let spinning = Mover { spin: DVec3::Y * 6.0, ..slab(DVec3::Y * 1.0, DVec3::ZERO) };
        dust.step(STEP, &[spinning]).unwrap();
        let books = dust.books();
        assert_eq!(books.retired, 0.0);
        books_are_kept(&dust);
        let is_in = |at: glam::Vec3| at.xz().abs().max_element() <= 3.001 && (0.0..=3.001).contains(&at.y);
        assert!(dust.motes(DVec3::X).all(|mote| is_in(mote.at)), "step {step}");
    }
}

#[test]
fn dust_never_enters_what_stands_still() {
    let mut chance = Chance::new(3);
    let mut dust = Dust::new(Options { per_area: 100.0, ..Options::default() }).unwrap();
    let blocker = |chance: &mut Chance| Blocker {
        shape: if chance.below(2) == 0 {
            Shape::Ball(chance.between(0.2, 1.0))
        } else {
            Shape::Box(dvec3(0.1, 1.0, 0.8))
        },
        at: chance.point() * 4.0 + DVec3::Y * 3.0,
        turn: DQuat::from_axis_angle(chance.direction(), chance.between(0.0, 3.0)),
    };
    let blockers: Vec<Blocker> = (0..60).map(|_| blocker(&mut chance)).collect();
    assert_eq!(dust.set_blockers(&blockers), 0);
    let inside = |at: DVec3| {
        blockers.iter().any(|blocker| {
            let local = blocker.turn.inverse() * (at - blocker.at);
            match blocker.shape {
                Shape::Ball(radius) => local.length() < radius - 1e-4,
                Shape::Box(half) => local.abs().cmplt(half - 1e-4).all(),
            }
        })
    };
    for step in 0..200 {
        if step < 40 {
            let at = chance.point() * 4.0 + DVec3::Y * 4.0;
            let velocity = chance.direction() * chance.magnitude(0.1, 60.0);
            patch(at, 0.5, 0.3).iter().for_each(|puff| _ = dust.add(&Puff { velocity, ..*puff }));
        }
        dust.step(STEP, &[slab(chance.point() * 3.0 + DVec3::Y * 3.0, chance.direction() * 8.0)]).unwrap();
        for mote in dust.motes(DVec3::X) {
            assert!(mote.at.y >= 0.0 && !inside(mote.at.as_dvec3()), "step {step}: {mote:?}");
        }
    }
    let books = dust.books();
    assert!(books.settled > 0.0 && books.aloft > 0.0, "{books:?}");
    books_are_kept(&dust);
}

/// A little of everything.
fn busy(seed: u32, steps: u32, mut each: impl FnMut(&mut Dust, u32)) -> Dust {
    let mut dust = Dust::new(Options { seed, most_particles: 3000, ..Options::default() }).unwrap();
    dust.set_blockers(&[Blocker::from_corners(dvec3(2.0, 0.0, -1.0), dvec3(3.0, 2.0, 1.0))]);
    for step in 0..steps {
        if step % 10 == 0 {
            let at = dvec3(f64::from(step) * 0.05, 0.5, 0.0);
            patch(at, 1.0, 0.4).iter().for_each(|puff| _ = dust.add(puff));
        }
        let y = 3.0 - f64::from(step % 40) * 0.07;
        let pebbles = (0..20).map(|i| Mover {
            shape: Shape::Ball(0.1),
            ..slab(dvec3(f64::from(i) * 0.2 - 2.0, y, 0.4), dvec3(1.0, -4.0, 0.5))
        });
        let movers: Vec<Mover> = pebbles.chain([slab(dvec3(-1.0, y, 0.0), DVec3::NEG_Y * 4.2)]).collect();
        dust.step(STEP, &movers).unwrap();
        each(&mut dust, step);
    }
    dust
}

/// The contract: this number changes only when dust is meant to. It holds on any number of threads, in debug and in release, with
/// Rapier in the same program and without.
#[test]
fn golden_dust_is_the_same_on_one_and_two_threads() {
    let hashes = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| busy(7, 100, |_, _| ()).state_hash())
    });
    assert_eq!(hashes[0], hashes[1]);
    assert_ne!(hashes[0], busy(8, 100, |_, _| ()).state_hash());
    assert_eq!(format!("{:016x}", hashes[0]), "6f0a8241713acb28");
}

#[test]
fn saved_dust_goes_on_to_the_same_bits() {
    let straight = busy(1, 80, |_, _| ());
    let resumed = busy(1, 80, |dust, step| {
        if step % 9 == 4 {
            let bytes = postcard::to_allocvec(dust).unwrap();
            let again: Dust = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(dust.state_hash(), again.state_hash());
            *dust = again;
        }
    });
    assert_eq!(straight.state_hash(), resumed.state_hash());
    assert_eq!(straight.books(), resumed.books());
}

#[test]
fn damaged_bytes_are_refused_or_harmless() {
    let bytes = postcard::to_allocvec(&busy(1, 12, |_, _| ())).unwrap();
    let mut chance = Chance::new(5);
    let mut refused = 0;
    for _ in 0..150 {
        let mut damaged = bytes.clone();
        let most = if chance.below(2) == 0 { 400 } else { damaged.len() };
        let at = chance.below(most);
        damaged[at] ^= 1 << chance.below(8);
        if chance.below(4) == 0 {
            damaged.truncate(at);
        }
        match postcard::from_bytes::<Dust>(&damaged) {
            Ok(mut dust) => _ = dust.step(STEP, &[]),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 30, "{refused}");
}

fn nasty_number(chance: &mut Chance) -> f64 {
    const NASTY: [f64; 8] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e6, 1e6, 1e-300, 0.0];
    match chance.below(4) {
        0 => NASTY[chance.below(NASTY.len())],
        1 => chance.magnitude(1e-6, 1e6),
        _ => chance.between(-5.0, 5.0),
    }
}

fn nasty_vector(chance: &mut Chance) -> DVec3 {
    match chance.below(5) {
        0 => dvec3(nasty_number(chance), nasty_number(chance), nasty_number(chance)),
        _ => chance.point() * 5.0,
    }
}

#[test]
fn nothing_that_comes_in_spreads_as_nonsense() {
    let mut chance = Chance::new(11);
    for case in 0..40 {
        let options = Options {
            cell: chance.magnitude(0.1, 2.0),
            most_cells: 512 << chance.below(6),
            most_particles: 1 + chance.below(500),
            floor: (chance.below(3) > 0).then(|| chance.between(-3.0, 3.0)),
            seed: case,
            ..Options::default()
        };
        let mut dust = Dust::new(options).unwrap();
        for _ in 0..25 {
            nasty_step(&mut dust, &mut chance);
            books_are_kept(&dust);
            assert!(dust.motes(DVec3::X).count() <= options.most_particles);
            for mote in dust.motes(DVec3::X) {
                assert!(
                    mote.at.is_finite() && mote.radius.is_finite() && (0.0..=1.0).contains(&mote.opacity),
                    "{mote:?}"
                );
                assert!(options.floor.is_none_or(|floor| f64::from(mote.at.y) >= floor), "{mote:?}");
            }
            assert!(dust.outflow_left().0.is_finite());
        }
    }
}

fn nasty_step(dust: &mut Dust, chance: &mut Chance) {
    if chance.below(6) == 0 {
        let blocker = |chance: &mut Chance| Blocker {
            shape: if chance.below(2) == 0 {
                Shape::Ball(nasty_number(chance))
            } else {
                Shape::Box(nasty_vector(chance))
            },
            at: nasty_vector(chance),
            turn: DQuat::from_axis_angle(DVec3::Y, nasty_number(chance)),
        };
        let blockers: Vec<Blocker> = (0..chance.below(5)).map(|_| blocker(chance)).collect();
        dust.set_blockers(&blockers);
    }
    for _ in 0..chance.below(30) {
        let corners = [(); 3].map(|()| nasty_vector(chance));
        let mass = if chance.below(3) == 0 { nasty_number(chance) } else { chance.magnitude(1e-6, 1e3) };
        dust.add(&Puff { corners, velocity: nasty_vector(chance), mass });
    }
    let mover = |chance: &mut Chance| Mover {
        shape: if chance.below(2) == 0 {
            Shape::Ball(nasty_number(chance))
        } else {
            Shape::Box(nasty_vector(chance))
        },
        at: nasty_vector(chance),
        turn: DQuat::from_axis_angle(DVec3::Y, nasty_number(chance)),
        velocity: nasty_vector(chance),
        spin: nasty_vector(chance),
    };
    let movers: Vec<Mover> = (0..chance.below(10)).map(|_| mover(chance)).collect();
    let time = nasty_number(chance);
    match dust.step(time, &movers) {
        Ok(_) => assert!(time > 0.0 && time <= 0.1),
        Err(error) => {
            assert!(matches!(error, Error::Time(_)));
            dust.step(STEP, &movers).unwrap();
        }
    }
}

#[test]
fn a_million_puffs_at_the_cap_are_all_in_the_books() {
    let mut dust = Dust::new(Options { most_particles: 2000, ..Options::default() }).unwrap();
    let [puff, _] = patch(DVec3::Y, 0.2, 1e-3);
    for step in 0..4 {
        (0..250_000).for_each(|_| _ = dust.add(&puff));
        let report = dust.step(STEP, &[]).unwrap();
        assert!(report.particles <= 2000, "step {step}: {}", report.particles);
        books_are_kept(&dust);
    }
    assert!((dust.books().injected - 500.0).abs() < 1e-6);
}

#[test]
fn clear_air_costs_no_cells() {
    let mut dust = Dust::new(Options { life: [0.2, 0.3], ..Options::default() }).unwrap();
    assert_eq!(dust.step(STEP, &[slab(DVec3::Y, DVec3::X)]).unwrap().cells, 0);
    patch(DVec3::Y, 1.0, 0.1).iter().for_each(|puff| _ = dust.add(puff));
    assert!(dust.step(STEP, &[]).unwrap().cells > 0);
    let last = (0..40).map(|_| dust.step(STEP, &[]).unwrap()).last().unwrap();
    assert_eq!((last.cells, last.particles), (0, 0));
    books_are_kept(&dust);
}
