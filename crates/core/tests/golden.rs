//! Results pinned to the bit. The contract: same input and seed, same bits, on any number of threads, in debug
//! and in release. A change of these numbers is a change of every result; say why where you change them.

use glam::DVec3;
use smithereens::pattern::PatternKind;
use smithereens::{Compound, Fit, FractureOptions, Impact, Solid, fracture};
use smithereens_testing::fixtures;
use smithereens_testing::soundness::hash_fracture;

fn hashes(solid: Solid, kind: PatternKind, radius: f64) -> u64 {
    let compound = Compound::from_solid(solid, Fit::Dop26);
    let bounds = compound.bounds().grown(compound.bounds().extent() * 0.05);
    let pattern = kind.pattern(40, bounds, 1).unwrap();
    let impact = Impact { radius, ..Impact::at(DVec3::new(0.1, 0.05, -0.02)) };
    let run = || hash_fracture(&fracture(&compound, &pattern, &impact, &FractureOptions::default()).unwrap());
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, two) = (pool(1).install(run), pool(2).install(run));
    assert_eq!(one, two, "threads changed the result");
    one
}

#[test]
fn fractures_are_the_same_to_the_bit() {
    let cases = [
        ("box", hashes(fixtures::boxed(DVec3::ONE), PatternKind::Bricks, f64::INFINITY)),
        ("torus", hashes(fixtures::torus(1.0, 0.35, 64, 32), PatternKind::Voronoi, f64::INFINITY)),
        ("knot", hashes(fixtures::trefoil(1.0, 0.25, 160, 20), PatternKind::Falloff, 0.8)),
        ("plate", hashes(fixtures::plate(2.0, 2.0, 0.05), PatternKind::Web, 0.5)),
        ("column", hashes(fixtures::column(0.3, 2.0, 12), PatternKind::Wood, f64::INFINITY)),
        ("gyroid", hashes(fixtures::gyroid(1.0, 0.4, 16), PatternKind::Spheres, f64::INFINITY)),
    ];
    let found: Vec<String> = cases.iter().map(|(name, hash)| format!("{name} {hash:016x}")).collect();
    assert_eq!(found, GOLDEN);
}

const GOLDEN: [&str; 6] = [
    "box f64cdd752431c346",
    "torus e73260d31a5c4af1",
    "knot 3c5a111fd7bcdb57",
    "plate 9ede94bf848ac283",
    "column 4a281820f38f9cf0",
    "gyroid 6024eabca3b1b867",
];
