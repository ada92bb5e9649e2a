//! Results pinned to the bit. The contract: same input, same bits, on any number of threads, in debug and in release. A change of these numbers is a change of
//! every result; say why where you change them.

use glam::DVec3;
use smithereens_testing::{fixtures, state_hash::StateHash};
use smithereens_voxel::{
    Arena, Fracture, FractureOptions, Grid, Interior, Kind, Octree, Seeds, Spheres, fracture_in, write_svo,
};

fn hash(broken: &Fracture) -> u64 {
    let mut hash = StateHash::default();
    for piece in &broken.pieces {
        hash.word(u64::from(piece.object));
        for byte in write_svo(&[&piece.octree]) {
            hash.word(u64::from(byte));
        }
        for voxel in piece.octree.voxels().filter(|voxel| voxel.kind == Kind::Boundary) {
            hash.word(u64::from(voxel.owned) | u64::from(piece.octree.is_cut(voxel.at)) << 1);
        }
    }
    hash.value()
}

fn on_any_threads(octree: &Octree, seeds: &Seeds) -> u64 {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut arena = Arena::default();
    let mut break_on = |threads| {
        pool(threads).install(|| {
            let broken = fracture_in(&mut arena, octree, seeds, &FractureOptions::default()).unwrap();
            let hash = hash(&broken);
            // What was there before must leave no trace.
            arena.reclaim(broken);
            hash
        })
    };
    let [one, two, five] = [1, 2, 5].map(&mut break_on);
    assert_eq!((one, one), (two, five), "threads, or what was broken before, changed the result");
    one
}

#[test]
fn pieces_are_the_same_to_the_bit() {
    let mut torus = Octree::of_solid(&fixtures::torus(1.0, 0.4, 48, 24), 6, &[200, 180, 160, 255]).unwrap();
    torus.interior = Interior::Stone { color: [150, 140, 130, 255], grain: 0.1, contrast: 0.4 };
    let grid = Grid::new(6, DVec3::splat(-1.0), 2.0).unwrap();
    let shell =
        Octree::of_field(grid, |p| (p.length() - 0.9).max(0.6 - p.length()), [90, 90, 100, 255]).unwrap();
    let impact = DVec3::new(1.4, 0.0, 0.0);
    let options = Spheres { seeds: 40, radius: 2.0, seed: 5, ..Spheres::default() };
    let spheres = Seeds::spheres(&torus, impact, &options).unwrap();
    let cases = [
        ("inside", on_any_threads(&torus, &Seeds::inside(&torus, 30, 1).unwrap())),
        ("spheres", on_any_threads(&torus, &spheres)),
        ("local", on_any_threads(&torus, &spheres.clone().local(impact, 0.7))),
        ("shell", on_any_threads(&shell, &Seeds::inside(&shell, 12, 2).unwrap())),
    ];
    let found: Vec<String> = cases.iter().map(|(name, hash)| format!("{name} {hash:016x}")).collect();
    assert_eq!(found, GOLDEN);
}

const GOLDEN: [&str; 4] = [
    "inside ff8ca4718399b237",
    "spheres da7c3699c91b2d0f",
    "local 9b14ac932e0e3ef5",
    "shell bafcc9bccccd650f",
];
