//! Where cells have their seeds.
//!
//! Seeds start on a body-centred cubic lattice about the middle of the solid's box, moved a little, and go to the middle of what is
//! nearest to them some times (Lloyd's relaxation, on points that fill the solid). All is done alike on both sides of the middle, so that a mirrored solid
//! has mirrored seeds.

use glam::{DVec3, I64Vec3};
use smithereens::Solid;

use crate::filling::{Sample, samples};
use crate::nearest::Nearest;

/// How cells lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    /// Voronoi cells of relaxed points: a plane costs the same in all directions, to some per cent.
    #[default]
    Relaxed,
    /// Voronoi cells of a body-centred cubic lattice, truncated octahedra: regular, as the paper's tetrahedra are, with a bias of directions.
    Lattice,
}

/// Points for each cell in which volumes are measured.
const SAMPLES_A_CELL: f64 = 12.0;
const RELAXATIONS: usize = 4;
/// How far seeds are moved at first, as a part of the lattice's cube.
const JITTER: f64 = 0.22;
/// Seeds that stand for less than this part of a cell's volume go.
const LEAST: f64 = 0.15;

/// Seeds of about so many cells. At least one.
pub(crate) fn seeds(solid: &Solid, cells: usize, arrangement: Arrangement, seed: u64) -> Vec<DVec3> {
    let bounds = solid.mesh().bounds();
    let middle = (bounds.min + bounds.max) * 0.5;
    let volume = solid.volume() / cells.max(1) as f64;
    let samples = samples(solid, libm::cbrt(volume / SAMPLES_A_CELL));
    let lattice = Lattice { middle, cube: libm::cbrt(volume * 2.0) };
    let places = lattice.places_near(&samples);
    let seeds: Vec<DVec3> = match arrangement {
        Arrangement::Lattice => places.into_iter().map(|place| lattice.point(place)).collect(),
        Arrangement::Relaxed => {
            let moved = places.into_iter().map(|place| lattice.point(place) + lattice.jitter(place, seed));
            (0..RELAXATIONS).fold(moved.collect(), |seeds, _| relaxed(seeds, &samples, volume * LEAST))
        }
    };
    if seeds.is_empty() { vec![solid.mass().center] } else { seeds }
}

/// Cubes with a point in the middle and one at each corner. A place is twice the point's coordinates, in cubes.
struct Lattice {
    middle: DVec3,
    cube: f64,
}

impl Lattice {
    fn point(&self, place: I64Vec3) -> DVec3 {
        self.middle + place.as_dvec3() * (self.cube * 0.5)
    }

    /// The places that are nearest to some sample, in order.
    fn places_near(&self, samples: &[Sample]) -> Vec<I64Vec3> {
        let nearest = |sample: &Sample| {
            let at = (sample.at - self.middle) / self.cube;
            let [even, odd] = [at.round() * 2.0, (at - 0.5).round() * 2.0 + 1.0];
            let far = |place: DVec3| (place * 0.5 - at).length_squared();
            let place = if far(odd) < far(even) { odd } else { even };
            place.as_i64vec3().to_array()
        };
        let mut places: Vec<[i64; 3]> = samples.iter().map(nearest).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(I64Vec3::from).collect()
    }

    /// A small move, mirrored on the other side of the middle.
    fn jitter(&self, place: I64Vec3, seed: u64) -> DVec3 {
        let [x, y, z] = place.abs().to_array().map(|along| along as u64);
        let unit = |axis: u64| {
            let bits = [x, y, z, axis].into_iter().fold(seed ^ 0x9E37_79B9_7F4A_7C15, mixed);
            (bits >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        DVec3::new(unit(0), unit(1), unit(2)) * place.signum().as_dvec3() * (self.cube * JITTER)
    }
}

/// A step of splitmix64.
fn mixed(state: u64, word: u64) -> u64 {
    let bits = (state ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Each seed in the middle of the samples nearest to it. Those of too little volume go.
fn relaxed(seeds: Vec<DVec3>, samples: &[Sample], least: f64) -> Vec<DVec3> {
    let nearest = Nearest::new(seeds);
    let mut sums = vec![(0.0, DVec3::ZERO); nearest.points().len()];
    for sample in samples {
        if let Some(seed) = nearest.find(sample.at, |_| true) {
            let sum = &mut sums[seed as usize];
            *sum = (sum.0 + sample.volume, sum.1 + sample.at * sample.volume);
        }
    }
    let kept = sums.iter().filter(|(volume, _)| *volume > least);
    let moved: Vec<DVec3> = kept.map(|&(volume, moment)| moment / volume).collect();
    if moved.is_empty() { nearest.points().to_vec() } else { moved }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::fixtures;

    #[test]
    fn there_are_about_as_many_as_asked_for_and_none_too_near() {
        let ball = fixtures::ico_sphere(1.0, 3);
        for arrangement in [Arrangement::Relaxed, Arrangement::Lattice] {
            for count in [50, 1000, 4000] {
                let seeds = seeds(&ball, count, arrangement, 1);
                let part = seeds.len() as f64 / count as f64;
                assert!((0.8..1.7).contains(&part), "{arrangement:?}: {} of {count}", seeds.len());
                let apart = libm::cbrt(ball.volume() / count as f64) * 0.2;
                let nearest = Nearest::new(seeds.clone());
                for (index, &seed) in (0..).zip(&seeds) {
                    let other = nearest.find(seed, |other| other != index).unwrap();
                    assert!(seeds[other as usize].distance(seed) > apart);
                }
            }
        }
    }
}
