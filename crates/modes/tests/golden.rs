//! Results pinned to the bit. The contract: same input, same bits, on any number of threads, in debug and in
//! release. A change of these numbers is a change of every result; say why where you change them.

use glam::DVec3;
use smithereens::Solid;
use smithereens_modes::{
    Blow, Brittle, BrittleOptions, CellGraph, CellOptions, Eta, ImpactOptions, ImpactTable, Options,
    PieceOptions, Pieces, Projection, fracture_modes,
};

use smithereens_testing::fixtures;

mod shapes;
use shapes::{DUMBBELL, RABBIT, block, is_in_dumbbell, is_in_rabbit, tetrahedra};

/// FNV-1a over words.
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn hash(graph: &CellGraph, eta: &Eta) -> u64 {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    let modes = fracture_modes(graph, &Options { count: 7, eta: eta.clone(), ..Options::default() }).unwrap();
    for mode in &modes.scalar {
        mode.values.iter().chain([&mode.energy, &mode.area]).for_each(|value| hash.add(value.to_bits()));
        mode.pieces.of_cells().iter().for_each(|&piece| hash.add(u64::from(piece)));
    }
    let pieces = Pieces::new(graph, &modes, &PieceOptions::default()).unwrap();
    pieces.partition.of_cells().iter().for_each(|&piece| hash.add(u64::from(piece)));
    let table = ImpactTable::new(graph, &modes, &pieces, &ImpactOptions::default()).unwrap();
    for (cell, projection) in [(0, Projection::Modes), (50, Projection::Pieces), (99, Projection::Modes)] {
        for power in 0..8 {
            let impulse = DVec3::new(1.0, -2.0, 0.5) * f64::from(1 << (2 * power));
            let blow = Blow { cell, impulse, density: 1000.0, threshold: 0.3 };
            let broken = table.strike(&blow, projection).unwrap();
            broken.fragments.of_cells().iter().for_each(|&fragment| hash.add(u64::from(fragment)));
        }
    }
    hash.0
}

fn on_any_threads(graph: &CellGraph, eta: &Eta) -> u64 {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let [one, two, five] = [1, 2, 5].map(|threads| pool(threads).install(|| hash(graph, eta)));
    assert_eq!((one, one), (two, five), "threads changed the result");
    one
}

#[test]
fn modes_are_the_same_to_the_bit() {
    let bar = block(16, 5, 4);
    let mut grain = Eta::of_faces(&bar, |face| 1.0 + face.normal.y.abs());
    grain.faces.iter_mut().for_each(|factors| factors.z *= 2.0);
    let cases = [
        ("bar", on_any_threads(&bar, &grain)),
        ("dumbbell", on_any_threads(&tetrahedra(2500, DUMBBELL, 1, is_in_dumbbell), &Eta::default())),
        ("rabbit", on_any_threads(&tetrahedra(20_000, RABBIT, 1, is_in_rabbit), &Eta::default())),
    ];
    let found: Vec<String> = cases.iter().map(|(name, hash)| format!("{name} {hash:016x}")).collect();
    assert_eq!(found, GOLDEN);
}

/// A body made ready, with skins, convexes, bonds and what says where it breaks.
fn hash_body(solid: &Solid, eta: DVec3) -> u64 {
    let cells = CellOptions { count: 700, seed: 3, ..CellOptions::default() };
    let options = BrittleOptions { cells, modes: 6, eta, ..BrittleOptions::default() };
    let brittle = Brittle::of(solid, &options).unwrap();
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    let bytes = brittle.compound.to_bytes().into_iter().chain(brittle.weakness.to_bytes().unwrap());
    bytes.for_each(|byte| hash.add(u64::from(byte)));
    hash.0
}

#[test]
fn bodies_are_the_same_to_the_bit() {
    let cases = [
        ("table", hash_body(&fixtures::table(24), DVec3::ONE)),
        ("knot", hash_body(&fixtures::trefoil(1.0, 0.3, 96, 12), DVec3::new(1.0, 4.0, 1.0))),
    ];
    let found: Vec<String> = cases.iter().map(|(name, hash)| format!("{name} {hash:016x}")).collect();
    assert_eq!(found, BODIES);
}

const BODIES: [&str; 2] = ["table 59bd5432ca0b710d", "knot b8e6141d1f596693"];

const GOLDEN: [&str; 3] = ["bar b989caecae4007b0", "dumbbell 8f4ec2d0594f8199", "rabbit be865ef15b380f33"];
