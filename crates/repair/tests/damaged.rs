//! Damaged meshes: each is mended to a solid or refused with a reason; where the damage was small, the volume comes back.

use std::time::{Duration, Instant};

use smithereens_repair::{Level, RepairOptions, inspect, repair};
use smithereens_testing::assertions::{assert_closed, assert_finite};
use smithereens_testing::damage::{DamagedCase, damaged_case};

/// What of the volume may be lost with a few faces.
const SMALL: f64 = 0.05;

fn check(case: &DamagedCase, level: Level) -> bool {
    let start = Instant::now();
    let inspection = inspect(&case.mesh);
    assert!(!inspection.advice().is_empty());
    // Coarse, so that hundreds take seconds.
    let options = RepairOptions { level, resolution: 32, ..RepairOptions::default() };
    let result = repair(&case.mesh, &options);
    assert!(start.elapsed() < Duration::from_secs(20), "{}: {:?}", case.name, start.elapsed());
    match result {
        Ok(repaired) => {
            assert_finite(repaired.solid.mesh());
            assert_closed(repaired.solid.mesh());
            let (now, before) = (repaired.solid.volume(), case.sound.volume());
            assert!(now > 0.0, "{}", case.name);
            let error = (now / before - 1.0).abs();
            let checked = case.is_small && level == Level::Auto;
            assert!(!checked || error < SMALL, "{}: {before} became {now}: {:?}", case.name, repaired.steps);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(!case.is_small || level != Level::Auto, "{}: {error}", case.name);
            false
        }
    }
}

#[test]
fn damaged_meshes_are_mended_or_refused() {
    let mended = (0..300).filter(|&seed| check(&damaged_case(seed), Level::Auto)).count();
    assert!(mended >= 290, "only {mended} of 300 were mended");
}

#[test]
fn every_level_survives_every_damage() {
    for seed in 1_000..1_100 {
        let case = damaged_case(seed);
        for level in [Level::Off, Level::Light, Level::Remesh] {
            check(&case, level);
        }
    }
}
