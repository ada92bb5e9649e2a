//! The lowest eigenvectors of the net's Laplacian: smooth vectors to start modes from.
//!
//! They are found on the coarsest level first, then carried to each finer one and improved there by a few steps of preconditioned
//! descent on the whole block at once. Starts need two digits, not ten.

use rayon::prelude::*;

use crate::dense::{dot, symmetric_eigen};
use crate::hierarchy::{Hierarchy, Level};
use crate::net::Net;
use crate::panel::{Panel, combine, lane_products, products};
use crate::partition::Partition;

/// Vectors more than asked for: those at the end of a block come slowly.
const GUARD: usize = 4;
/// The error of a vector, in energy, as a part of its own: two digits.
const ACCURACY: f64 = 1e-2;
/// Steps a level at most. The coarsest starts from noise.
const STEPS: usize = 12;
const FIRST_STEPS: usize = 60;

/// Up to `wanted` vectors, in rising order, of length one by mass and without a constant part. Fewer where there are no more.
pub(crate) fn eigenvectors(net: &Net, parts: &Partition, wanted: usize) -> Vec<Vec<f64>> {
    let wanted = wanted.min(net.len() - parts.count());
    let hierarchy = Hierarchy::new(net, parts, None);
    let coarsest = hierarchy.levels.len() - 1;
    let panels = (wanted + GUARD).div_ceil(8);
    let mut block: Vec<Panel> =
        (0..panels).map(|panel| noise(panel, hierarchy.levels[coarsest].net.len())).collect();
    let mut found = 0;
    for level in (0..=coarsest).rev() {
        let most = if level == coarsest { FIRST_STEPS } else { STEPS };
        if level < coarsest {
            block.par_iter_mut().for_each(|panel| *panel = hierarchy.prolong(level, panel));
        }
        found = improve(&hierarchy, level, &mut block, wanted, most);
    }
    (0..wanted.min(found)).map(|k| block[k / 8].iter().map(|row| row[k % 8]).collect()).collect()
}

/// Steps of descent until the wanted vectors are good. Says how many vectors there are.
fn improve(hierarchy: &Hierarchy, at: usize, block: &mut Vec<Panel>, wanted: usize, most: usize) -> usize {
    let level = &hierarchy.levels[at];
    block.par_iter_mut().for_each(|panel| remove_constants(level, panel));
    let mut images = images(level, block);
    let mut ritz = Ritz::of(level, block, &images, block.len() * 8);
    (*block, images) = (combine(block, &ritz.vectors), combine(&images, &ritz.vectors));
    for _ in 0..most {
        let rests = rests(level, block, &images, &ritz.values);
        let mut steps: Vec<Panel> = rests.par_iter().map(|rest| hierarchy.apply(at, rest)).collect();
        steps.par_iter_mut().for_each(|panel| remove_constants(level, panel));
        if worst(&rests, &steps, &ritz.values, wanted) < ACCURACY * ACCURACY {
            break;
        }
        let columns = block.len() * 8;
        let step_images = self::images(level, &steps);
        block.append(&mut steps);
        images.extend(step_images);
        ritz = Ritz::of(level, block, &images, columns);
        (*block, images) = (combine(block, &ritz.vectors), combine(&images, &ritz.vectors));
    }
    ritz.values.len()
}

/// The best vectors within the span of some.
struct Ritz {
    values: Vec<f64>,
    /// What each is made of; zeros where there are no more.
    vectors: Vec<Vec<f64>>,
}

/// What is left of a vector of length one that those before it span: less is rounding.
const DEPENDENT: f64 = 1e-10;

impl Ritz {
    fn of(level: &Level, block: &[Panel], images: &[Panel], columns: usize) -> Ritz {
        let size = block.len() * 8;
        let masses = products(block, block, Some(&level.net.masses));
        let forms = products(block, images, None);
        let basis = orthonormal(&masses, size);
        let kept = basis.len();
        let applied: Vec<Vec<f64>> = basis
            .iter()
            .map(|vector| (0..size).map(|i| dot(&forms[i * size..(i + 1) * size], vector)).collect())
            .collect();
        let small = basis.iter().flat_map(|a| applied.iter().map(move |b| dot(a, b))).collect();
        let (mut values, turns) = symmetric_eigen(small, kept);
        values.truncate(columns);
        let mut vectors: Vec<Vec<f64>> =
            turns.iter().take(columns).map(|turn| sum(&basis, turn, size)).collect();
        vectors.resize(columns, vec![0.0; size]);
        Ritz { values, vectors }
    }
}

fn sum(basis: &[Vec<f64>], factors: &[f64], size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size];
    for (vector, factor) in basis.iter().zip(factors) {
        out.iter_mut().zip(vector).for_each(|(out, entry)| *out += factor * entry);
    }
    out
}

/// Combinations of unit vectors that are orthonormal by `masses`; those that depend on others are left out.
fn orthonormal(masses: &[f64], size: usize) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let times = |vector: &[f64]| -> Vec<f64> {
        (0..size).map(|i| dot(&masses[i * size..(i + 1) * size], vector)).collect()
    };
    for k in 0..size {
        let length = masses[k * size + k];
        if length.is_nan() || length <= 0.0 {
            continue;
        }
        let mut vector = vec![0.0; size];
        vector[k] = 1.0 / length.sqrt();
        for _ in 0..2 {
            let image = times(&vector);
            for earlier in &basis {
                let along = dot(earlier, &image);
                vector.iter_mut().zip(earlier).for_each(|(entry, earlier)| *entry -= along * earlier);
            }
        }
        let rest = dot(&vector, &times(&vector));
        if rest > DEPENDENT {
            let scale = 1.0 / rest.sqrt();
            vector.iter_mut().for_each(|entry| *entry *= scale);
            basis.push(vector);
        }
    }
    basis
}

fn images(level: &Level, block: &[Panel]) -> Vec<Panel> {
    block.par_iter().map(|panel| level.matrix.times(panel)).collect()
}

/// A x − θ M x: what is missing.
fn rests(level: &Level, block: &[Panel], images: &[Panel], values: &[f64]) -> Vec<Panel> {
    let of = |(index, (panel, image)): (usize, (&Panel, &Panel))| {
        let value: [f64; 8] =
            std::array::from_fn(|lane| values.get(index * 8 + lane).copied().unwrap_or(0.0));
        let rows = panel.iter().zip(image).zip(&level.net.masses);
        rows.map(|((x, image), mass)| std::array::from_fn(|lane| image[lane] - value[lane] * mass * x[lane]))
            .collect()
    };
    block.par_iter().zip(images).enumerate().map(of).collect()
}

/// The largest error of a wanted vector: the energy of the step that it would take, as a part of its own.
fn worst(rests: &[Panel], steps: &[Panel], values: &[f64], wanted: usize) -> f64 {
    let errors = rests.iter().zip(steps).flat_map(|(rest, step)| lane_products(rest, step));
    errors.zip(values).take(wanted).map(|(error, value)| error / value).fold(0.0, f64::max)
}

/// Takes from each vector its mean over each part.
fn remove_constants(level: &Level, panel: &mut [[f64; 8]]) {
    let mut means = vec![([0.0; 8], 0.0); level.parts.count()];
    for ((row, mass), &part) in panel.iter().zip(&level.net.masses).zip(level.parts.of_cells()) {
        let (sums, total) = &mut means[part as usize];
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += mass * x);
        *total += mass;
    }
    for (row, &part) in panel.iter_mut().zip(level.parts.of_cells()) {
        let (sums, total) = &means[part as usize];
        row.iter_mut().zip(sums).for_each(|(x, sum)| *x -= sum / total);
    }
}

/// Numbers between −1 and 1 that look random and are the same always (SplitMix64).
fn noise(panel: usize, cells: usize) -> Panel {
    let mut state = panel as u64;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state ^ (panel as u64) << 40;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..cells).map(|_| std::array::from_fn(|_| next())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::lattice;

    fn quotient(net: &Net, vector: &[f64]) -> f64 {
        let squares = net.edges.iter().map(|e| vector[e[0] as usize] - vector[e[1] as usize]).map(|d| d * d);
        squares.sum::<f64>() / net.dot(vector, vector)
    }

    #[test]
    fn a_lattice_has_the_eigenvalues_of_cosines() {
        let n = 14;
        let net = lattice(n, n, n);
        let parts = Partition::connected(net.len(), &net.edges, |_, _| true);
        let vectors = eigenvectors(&net, &parts, 10);
        // 2 − 2 cos(π k / n) an axis; the sums of three of them in order: three of one, three of two, one of three, three of the second.
        let along = |k: f64| 2.0 - 2.0 * (std::f64::consts::PI * k / f64::from(n)).cos();
        let truth = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0].map(|k| k * along(1.0));
        assert_eq!(vectors.len(), 10);
        for (vector, truth) in vectors.iter().zip(truth.into_iter().chain([along(2.0); 3])) {
            let value = quotient(&net, vector);
            assert!((value / truth - 1.0).abs() < 1e-3, "{value} is not {truth}");
        }
        for (i, a) in vectors.iter().enumerate() {
            for (j, b) in vectors.iter().enumerate() {
                let product = net.dot(a, b);
                assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-9, "{i} {j} {product}");
            }
        }
    }

    #[test]
    fn small_nets_give_what_there_is() {
        for cells in 1..6u32 {
            let edges: Vec<_> = (1..cells).map(|cell| [cell - 1, cell]).collect();
            let ones = vec![1.0; edges.len()];
            let chain = Net::new(vec![1.0; cells as usize], edges, ones.clone(), ones);
            let parts = Partition::connected(chain.len(), &chain.edges, |_, _| true);
            assert_eq!(eigenvectors(&chain, &parts, 10).len(), cells as usize - 1);
        }
    }
}
