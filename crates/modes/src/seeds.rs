//! Where cells have their seeds.
//!
//! Seeds start on a body-centred cubic lattice about the middle of the solid's box, moved a little, and go to the middle of what is
//! nearest to them some times (Lloyd's relaxation, on points that fill the solid). All is done alike on both sides of the middle, so that a mirrored solid
//! has mirrored seeds.

use glam::{DVec3, I64Vec3};
use smithereens::Solid;

use crate::CellOptions;
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

/// Points for each cell in which volumes are measured, across.
const SAMPLES_ACROSS: f64 = 2.3;
const RELAXATIONS: usize = 4;
/// How far seeds are moved at first, as a part of the distance of layers.
const JITTER: f64 = 0.22;
/// Seeds that stand for less than this part of the mean volume go.
const LEAST: f64 = 0.15;
/// How often the size of cells is corrected, and how many more than wanted are few enough.
const CORRECTIONS: usize = 12;
const ENOUGH: f64 = 1.2;

/// Seeds of about so many cells. At least one. Where faults cost more in one direction than in others, cells lie in layers across that which differs most:
/// faults would step across them otherwise, and pay for both.
pub(crate) fn seeds(solid: &Solid, options: &CellOptions, eta: DVec3) -> Vec<DVec3> {
    let (samples, lattice, places) = fitted(solid, options.count, eta);
    let point = |&place: &I64Vec3| lattice.point(place);
    let moved = |place: &I64Vec3| lattice.point(*place) + lattice.jitter(*place, options.seed);
    let seeds: Vec<DVec3> = match (options.arrangement, lattice.layers) {
        (Arrangement::Lattice, _) => places.iter().map(point).collect(),
        (Arrangement::Relaxed, Some(_)) => places.iter().map(moved).collect(),
        (Arrangement::Relaxed, None) => {
            (0..RELAXATIONS).fold(places.iter().map(moved).collect(), |seeds, _| relaxed(seeds, &samples))
        }
    };
    if seeds.is_empty() { vec![solid.mass().center] } else { seeds }
}

/// A lattice with about so many places in the solid. A thin wall has more of them than its volume says.
fn fitted(solid: &Solid, count: usize, eta: DVec3) -> (Vec<Sample>, Lattice, Vec<I64Vec3>) {
    let count = count.max(1) as f64;
    let by_volume = libm::cbrt(solid.volume() * 2.0 / count);
    let by_area = (solid.mesh().area() * 0.5 / count).sqrt();
    let mut lattice = Lattice::new(solid, by_volume.max(by_area), eta);
    for _ in 0..CORRECTIONS {
        let samples = samples(solid, lattice.sizes.min_element() * 0.8 / SAMPLES_ACROSS);
        let places = lattice.places_near(&samples);
        let excess = places.len() as f64 / count;
        if excess <= ENOUGH {
            return (samples, lattice, places);
        }
        // Right for walls; for what is thick it goes a little too far, for rods it takes some turns.
        lattice.sizes *= excess.sqrt();
    }
    let samples = samples(solid, lattice.sizes.min_element());
    let places = lattice.places_near(&samples);
    (samples, lattice, places)
}

/// Boxes with a point in the middle and one at each corner; or, in layers, with a point in the middle of the sides across the axis and one at each corner. A place is twice
/// the point's coordinates, in boxes.
struct Lattice {
    middle: DVec3,
    sizes: DVec3,
    /// The axis that layers lie across.
    layers: Option<usize>,
}

/// How much thicker or thinner than wide layers are at most.
const MOST_FLAT: f64 = 3.0;

impl Lattice {
    fn new(solid: &Solid, cube: f64, eta: DVec3) -> Lattice {
        let bounds = solid.mesh().bounds();
        let middle = (bounds.min + bounds.max) * 0.5;
        let others = |axis: usize| libm::sqrt(eta[(axis + 1) % 3] * eta[(axis + 2) % 3]);
        let differs = |axis: usize| libm::log(eta[axis] / others(axis));
        let most = |a: usize, b: usize| if differs(b).abs() > differs(a).abs() { b } else { a };
        let axis = (0..3).reduce(most).filter(|&axis| differs(axis).abs() > 0.0);
        let Some(axis) = axis else {
            return Lattice { middle, sizes: DVec3::splat(cube), layers: None };
        };
        let flat = libm::exp(differs(axis) * 0.5).clamp(1.0 / MOST_FLAT, MOST_FLAT);
        let mut sizes = DVec3::splat(cube / libm::cbrt(flat));
        sizes[axis] *= flat;
        Lattice { middle, sizes, layers: Some(axis) }
    }

    fn point(&self, place: I64Vec3) -> DVec3 {
        self.middle + place.as_dvec3() * self.sizes * 0.5
    }

    /// The places that are nearest to some sample, in order.
    fn places_near(&self, samples: &[Sample]) -> Vec<I64Vec3> {
        let mut shift = DVec3::ONE;
        if let Some(axis) = self.layers {
            shift[axis] = 0.0;
        }
        let nearest = |sample: &Sample| {
            let at = (sample.at - self.middle) / self.sizes;
            let [even, odd] = [at.round() * 2.0, (at - shift * 0.5).round() * 2.0 + shift];
            let far = |place: DVec3| ((place * 0.5 - at) * self.sizes).length_squared();
            let place = if far(odd) < far(even) { odd } else { even };
            place.as_i64vec3().to_array()
        };
        let mut places: Vec<[i64; 3]> = samples.iter().map(nearest).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(I64Vec3::from).collect()
    }

    /// A small move, mirrored on the other side of the middle; in layers, the same for all that lie upon each other.
    fn jitter(&self, place: I64Vec3, seed: u64) -> DVec3 {
        let mut place = place;
        if let Some(axis) = self.layers {
            place[axis] = 0;
        }
        let [x, y, z] = place.abs().to_array().map(|along| along as u64);
        let unit = |axis: u64| {
            let bits = [x, y, z, axis].into_iter().fold(seed ^ 0x9E37_79B9_7F4A_7C15, mixed);
            (bits >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        DVec3::new(unit(0), unit(1), unit(2)) * place.signum().as_dvec3() * self.sizes * JITTER
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
fn relaxed(seeds: Vec<DVec3>, samples: &[Sample]) -> Vec<DVec3> {
    let volume: f64 = samples.iter().map(|sample| sample.volume).sum();
    let least = LEAST * volume / seeds.len().max(1) as f64;
    let nearest = Nearest::new(seeds);
    let mut sums = vec![(0.0, DVec3::ZERO); nearest.points().len()];
    for sample in samples {
        if let Some(seed) = nearest.find(sample.at, |_| true) {
            let sum = &mut sums[seed as usize];
            *sum = (sum.0 + sample.volume, sum.1 + sample.at * sample.volume);
        }
    }
    let kept = sums.iter().filter(|(volume, _)| *volume > least);
    kept.map(|&(volume, moment)| moment / volume).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::fixtures;

    /// A plate, a rod and a hair have few cells too.
    #[test]
    fn thin_solids_have_no_more_cells_than_asked_for() {
        for size in [DVec3::new(1.0, 1.0, 1e-3), DVec3::new(1.0, 1e-7, 1.0), DVec3::new(1e-4, 1.0, 1e-4)] {
            let seeds = seeds(
                &fixtures::boxed(size),
                &CellOptions { count: 200, ..CellOptions::default() },
                DVec3::ONE,
            );
            assert!((40..=260).contains(&seeds.len()), "{size}: {}", seeds.len());
        }
    }

    #[test]
    fn there_are_about_as_many_as_asked_for_and_none_too_near() {
        let ball = fixtures::ico_sphere(1.0, 3);
        for arrangement in [Arrangement::Relaxed, Arrangement::Lattice] {
            for count in [50, 1000, 4000] {
                let options = CellOptions { count, arrangement, seed: 1 };
                let seeds = seeds(&ball, &options, DVec3::ONE);
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
