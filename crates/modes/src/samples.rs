//! Nets to try things on.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::net::Net;

/// Cubes of size one.
pub(crate) fn lattice(nx: u32, ny: u32, nz: u32) -> Net {
    let at = |x: u32, y: u32, z: u32| (x * ny + y) * nz + z;
    let mut edges = Vec::new();
    for (x, y, z) in (0..nx).flat_map(|x| (0..ny).flat_map(move |y| (0..nz).map(move |z| (x, y, z)))) {
        let next = [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1)];
        let inside = next.iter().filter(|c| c.0 < nx && c.1 < ny && c.2 < nz);
        edges.extend(inside.map(|c| [at(x, y, z), at(c.0, c.1, c.2)]));
    }
    let ones = vec![1.0; edges.len()];
    Net::new(vec![1.0; (nx * ny * nz) as usize], edges, ones.clone(), ones)
}

/// The same net with masses and weights that differ by up to a factor.
pub(crate) fn jittered(net: &Net, factor: f64, seed: u64) -> Net {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut number = |_: &f64| random.random_range(1.0..factor);
    let masses: Vec<f64> = net.masses.iter().map(&mut number).collect();
    let total: f64 = masses.iter().sum();
    let weights: Vec<f64> = net.weights.iter().map(&mut number).collect();
    Net::new(masses.iter().map(|mass| mass / total).collect(), net.edges.clone(), weights.clone(), weights)
}

/// Cells joined at random, all of them in one part.
pub(crate) fn tangle(cells: u32, seed: u64) -> Net {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut edges: Vec<[u32; 2]> = (1..cells).map(|b| [random.random_range(0..b), b]).collect();
    let more: Vec<[u32; 2]> =
        (0..2 * cells).map(|_| [(); 2].map(|()| random.random_range(0..cells))).collect();
    edges.extend(more.iter().filter(|[a, b]| a != b).map(|&[a, b]| [a.min(b), a.max(b)]));
    edges.sort_unstable();
    edges.dedup();
    let ones = vec![1.0; edges.len()];
    jittered(&Net::new(vec![1.0; cells as usize], edges, ones.clone(), ones), 4.0, seed + 1)
}
