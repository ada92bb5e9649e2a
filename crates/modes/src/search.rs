//! Mode after mode: each starts from an eigenvector, on a coarse net where the net is large.

use std::ops::ControlFlow;

use web_time::Instant;

use crate::coarsen::{Coarse, coarsen, restrict};
use crate::dense::dot;
use crate::modes::{ModeReport, Options, Report, Search, ms};
use crate::net::Net;
use crate::partition::Partition;
use crate::pursuit::{Effort, Found, Pains, Pursuit, Taken};
use crate::spectrum::eigenvectors;

/// Cells that are searched without a coarser net.
const COARSE: usize = 3000;
/// How many cells become one of the next coarser net, about.
const RATIO: usize = 5;
/// How far from the cuts of a coarse net the fine ones may be, in cells.
const BAND: u32 = 3;
/// What must be left of a heading of length one besides the modes so far.
const NEW: f64 = 1e-3;

/// What has just been found.
pub(crate) enum Step {
    Spectrum,
    Mode,
}

/// The modes so far, each as its values on the pieces that all of them make.
struct Collected {
    pieces: Partition,
    values: Vec<Vec<f64>>,
}

impl Collected {
    /// The motion that costs nothing: that of the whole.
    fn new(net: &Net) -> Collected {
        let mass: f64 = net.masses.iter().sum();
        Collected { pieces: Partition::whole(net.len()), values: vec![vec![1.0 / mass.sqrt()]] }
    }

    fn taken(&self) -> Taken<'_> {
        Taken { pieces: &self.pieces, values: &self.values }
    }

    fn add(&mut self, net: &Net, found: &Found) {
        let refined = self.pieces.refined(&net.edges, &found.pieces);
        let first = refined.first_cells();
        for values in &mut self.values {
            *values = first.iter().map(|&cell| values[self.pieces.of(cell)]).collect();
        }
        self.values.push(first.iter().map(|&cell| found.values[found.pieces.of(cell)]).collect());
        self.pieces = refined;
    }

    /// What is left of a vector besides the modes so far, scaled to one, and how much that was.
    fn rest(&self, net: &Net, vector: &[f64]) -> (Vec<f64>, f64) {
        let mut rest = vector.to_vec();
        for _ in 0..2 {
            let heavy: Vec<f64> = net.masses.iter().zip(&rest).map(|(mass, value)| mass * value).collect();
            let heavy = self.pieces.sums(&heavy);
            let mut along = vec![0.0; self.pieces.count()];
            for values in &self.values {
                let product = dot(&heavy, values);
                along.iter_mut().zip(values).for_each(|(sum, value)| *sum += product * value);
            }
            rest.iter_mut()
                .zip(self.pieces.of_cells())
                .for_each(|(rest, &piece)| *rest -= along[piece as usize]);
        }
        let length = net.dot(&rest, &rest).sqrt();
        rest.iter_mut().for_each(|value| *value /= length);
        (rest, length)
    }
}

/// Mode after mode of a net that hangs together, each from an eigenvector.
pub(crate) fn find(
    net: &Net,
    options: &Options,
    report: &mut Report,
    tell: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> Vec<Found> {
    let start = Instant::now();
    let starts = eigenvectors(net, &Partition::whole(net.len()), options.count);
    report.spectrum_ms += ms(start);
    report.stopped = tell(Step::Spectrum).is_break();
    let mut collected = Collected::new(net);
    let mut found = Vec::new();
    for start in &starts {
        if report.stopped {
            break;
        }
        let Some(heading) = heading(&collected, net, start, &starts) else { break };
        let (clock, mut effort) = (Instant::now(), Effort::default());
        let (mode, coarse_cells) = search(net, collected.taken(), heading, options.search, &mut effort);
        let Some(mode) = mode else {
            report.failed += 1;
            continue;
        };
        collected.add(net, &mode);
        found.push(mode);
        let Effort { turns, cuts, iterations, most_pieces } = effort;
        report.modes.push(ModeReport { ms: ms(clock), coarse_cells, turns, cuts, iterations, most_pieces });
        report.stopped = tell(Step::Mode).is_break();
    }
    found
}

/// What is new of an eigenvector, or of whichever has most that is.
fn heading(collected: &Collected, net: &Net, start: &[f64], starts: &[Vec<f64>]) -> Option<Vec<f64>> {
    let (rest, length) = collected.rest(net, start);
    if length > NEW {
        return Some(rest);
    }
    let rests = starts.iter().map(|start| collected.rest(net, start));
    let (rest, length) = rests.fold((rest, length), |best, next| if next.1 > best.1 { next } else { best });
    (length > NEW).then_some(rest)
}

/// One mode, and how many cells the coarsest net had.
fn search(
    net: &Net,
    taken: Taken<'_>,
    heading: Vec<f64>,
    search: Search,
    effort: &mut Effort,
) -> (Option<Found>, usize) {
    if search == Search::Exact || net.len() <= COARSE {
        return (search_whole(net, taken, heading, Pains::EXACT, effort), net.len());
    }
    search_levels(net, taken, heading, effort)
}

/// From the middle of the heading, with cuts anywhere.
fn search_whole(
    net: &Net,
    taken: Taken<'_>,
    heading: Vec<f64>,
    pains: Pains,
    effort: &mut Effort,
) -> Option<Found> {
    let start = halves(net, taken.pieces, &heading);
    Pursuit { net, taken, band: None, pains }.run(heading, start, effort)
}

/// On a coarser net first, and from what is found there with cuts near its borders.
fn search_levels(
    net: &Net,
    taken: Taken<'_>,
    heading: Vec<f64>,
    effort: &mut Effort,
) -> (Option<Found>, usize) {
    let Coarse { net: coarse, groups } = coarsen(net, taken.pieces, (net.len() / RATIO).max(COARSE));
    let pieces = restrict(taken.pieces, &groups);
    let coarse_taken = Taken { pieces: &pieces, ..taken };
    let heavy: Vec<f64> = net.masses.iter().zip(&heading).map(|(mass, value)| mass * value).collect();
    let coarse_heading =
        groups.sums(&heavy).iter().zip(&coarse.masses).map(|(sum, mass)| sum / mass).collect();
    // A net that cannot be made much coarser is searched as it is.
    let (found, cells) = if coarse.len() <= COARSE || coarse.len() * 2 > net.len() {
        (search_whole(&coarse, coarse_taken, coarse_heading, Pains::COARSE, effort), coarse.len())
    } else {
        search_levels(&coarse, coarse_taken, coarse_heading, effort)
    };
    let fine = found.and_then(|found| {
        let found = Found { pieces: groups.through(&found.pieces), values: found.values };
        let start = found.pieces.refined(&net.edges, taken.pieces);
        Pursuit { net, taken, band: Some(BAND), pains: Pains::FINE }.run(found.spread(), start, effort)
    });
    (fine, cells)
}

/// Where to start: cells above and below the middle of the heading, within the pieces that there are.
fn halves(net: &Net, pieces: &Partition, heading: &[f64]) -> Partition {
    let mut sorted = heading.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    // A heading sums to zero: if nothing is above its middle, something is above zero.
    let middle = if sorted.last().is_some_and(|&most| most > median) { median } else { 0.0 };
    let of = |cell: usize| (heading[cell] > middle, pieces.of(cell));
    Partition::connected(net.len(), &net.edges, |_, [a, b]| of(a) == of(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::least_energy;
    use crate::samples::{jittered, lattice, tangle};

    /// Clarabel's energy for the same heading and the same earlier modes, on all cells.
    fn truth(net: &Net, collected: &Collected, heading: &[f64]) -> f64 {
        let heavy =
            |values: &dyn Fn(usize) -> f64| (0..net.len()).map(|i| net.masses[i] * values(i)).collect();
        let mut rows: Vec<Vec<f64>> =
            collected.values.iter().map(|values| heavy(&|i| values[collected.pieces.of(i)])).collect();
        rows.push(heavy(&|i| heading[i]));
        let mut targets = vec![0.0; rows.len()];
        targets[rows.len() - 1] = 1.0;
        least_energy(net.len(), &net.edges, &net.weights, &rows, &targets)
    }

    /// Five modes of each net, each with a heading that does not turn.
    fn compare(name: &str, net: &Net) {
        let starts = eigenvectors(net, &Partition::whole(net.len()), 5);
        let mut collected = Collected::new(net);
        for (k, start) in starts.iter().enumerate() {
            let heading = heading(&collected, net, start, &starts).expect("a heading");
            let truth = truth(net, &collected, &heading);
            let pursuit = Pursuit { net, taken: collected.taken(), band: None, pains: Pains::EXACT };
            let first = halves(net, &collected.pieces, &heading);
            let answer = pursuit.solve(&heading, first, &mut Effort::default()).expect("an answer");
            let energy = net.energy(&answer.merged.spread());
            assert!(energy <= truth * (1.0 + 1e-6), "{name}, mode {k}: {energy} above {truth}");
            assert!(
                energy >= truth * (1.0 - 1e-5),
                "{name}, mode {k}: {energy} below {truth}: a row is broken"
            );
            let first = halves(net, &collected.pieces, &heading);
            let found = pursuit.run(heading, first, &mut Effort::default()).expect("a mode");
            collected.add(net, &found);
        }
    }

    #[test]
    fn energies_are_those_of_clarabel_or_lower() {
        for seed in 0..12 {
            compare(&format!("tangle {seed}"), &tangle(20 + 8 * seed as u32, seed));
        }
        for (seed, (x, y, z)) in
            (0..).zip([(8, 3, 3), (6, 6, 4), (12, 4, 2), (7, 7, 7), (20, 2, 2), (9, 9, 1)])
        {
            compare(&format!("lattice {x} {y} {z}"), &jittered(&lattice(x, y, z), 1.5, seed));
        }
    }
}
