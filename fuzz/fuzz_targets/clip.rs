//! Any plane and any cells leave a solid closed and its volume whole.
#![no_main]

use glam::DVec3;
use libfuzzer_sys::fuzz_target;
use smithereens::pattern::Pattern;
use smithereens::{Compound, Fit, FractureOptions, Halfspace, Impact, Plane, fracture};
use smithereens_testing::assertions::assert_closed;
use smithereens_testing::fixtures;
use smithereens_testing::soundness::assert_fracture_sound;

/// Coordinates on a coarse lattice, so that planes and cells meet vertices, edges and faces.
fn points(bytes: &[u8]) -> Vec<DVec3> {
    let at = |b: u8| f64::from(b as i8) / 32.0;
    bytes.chunks_exact(3).map(|c| DVec3::new(at(c[0]), at(c[1]), at(c[2]))).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&which, rest)) = bytes.split_first() else { return };
    let fixtures = fixtures::all();
    let solid = fixtures[which as usize % fixtures.len()].1.clone();
    let points = points(&rest[..rest.len().min(90)]);
    if let [point, normal, ..] = points[..]
        && let Some(plane) = Plane::through(point, normal)
    {
        let (behind, front) = solid.split(&Halfspace::behind(plane));
        let volumes: f64 = behind.iter().chain(&front).map(|s| s.volume()).sum();
        behind.iter().chain(&front).for_each(|s| assert_closed(s.mesh()));
        assert!((volumes - solid.volume()).abs() <= solid.volume() * 1e-9);
    }
    let bounds = solid.mesh().bounds();
    let Ok(pattern) = Pattern::from_points(&points, bounds.grown(bounds.extent() * 0.1)) else { return };
    let compound = Compound::from_solid(solid, Fit::Dop26);
    let broken = fracture(&compound, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default());
    assert_fracture_sound(&compound, &broken.expect("the impact is sound"), 1e-9);
});
