//! Conjugate gradients, preconditioned by a hierarchy.
//!
//! What is measured is energy: `r·z` is about the square of the error of all stresses together, each weighed by its joint's compliance,
//! and `x·(f − r)` that of the stresses themselves. The relation of the two says when to stop, whatever the units.
//!
//! To ask the hierarchy how much is left takes half of a step. So the last step is not followed by a question if it suffices
//! even where it gains no more than the worst of all before.
//!
//! After a local change most of a structure is as it should be. Steps leave alone what has so little of the error left that it does not count.

use crate::block::Six;
use crate::level::Swept;
use crate::local::Region;
use crate::precondition::{Digits, Preconditioner};

/// Vectors to work with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gradient {
    motion: Vec<Six>,
    resistance: Vec<Six>,
    step: Vec<Six>,
    pull: Vec<Six>,
    /// What is left of the error after a step, at the worst, since the preconditioner was made.
    worst_rate: f64,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Course {
    pub iterations: usize,
    /// The error that is left, as a part of the stresses.
    pub error: f64,
    /// Whether steps led away: the preconditioner has too few digits.
    pub is_lost: bool,
    /// Whether it was given up because steps gained too little.
    pub is_slow: bool,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The error that may be left.
    pub accuracy: f64,
    /// The most steps.
    pub most: usize,
    /// Steps after which a solve counts as slow.
    pub patience: usize,
}

/// Errors may grow for a step or two, but not to so many times the least one so far.
const LOST: f64 = 30.0;

/// Bodies are left alone that have so little of the error that all of them together would have this part of what may be left.
const QUIET: f64 = 0.3;

impl Gradient {
    /// Forgets what steps have gained: the preconditioner is another one.
    pub fn forget(&mut self) {
        self.worst_rate = 0.0;
    }

    /// The bodies that have most of the error that the last solve left, as far as it was asked for.
    pub fn hardest(&self, rest: &[Six], count: usize) -> Vec<u32> {
        let own = |(rest, motion)| dot(std::slice::from_ref(rest), std::slice::from_ref(motion)).abs();
        let mut bodies: Vec<(f64, u32)> = rest.iter().zip(&self.motion).map(own).zip(0..).collect();
        bodies.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        bodies.iter().take(count).map(|(_, body)| *body).collect()
    }

    /// Moves `x` on until `rest`, what is left of the loads, is small enough.
    pub fn solve(
        &mut self,
        preconditioner: &mut Preconditioner,
        (loads, x, rest): (&[Six], &mut [Six], &mut [Six]),
        region: Option<&Region>,
        limits: Limits,
    ) -> Course {
        let Limits { accuracy, most, patience } = limits;
        for vector in [&mut self.motion, &mut self.resistance, &mut self.step, &mut self.pull] {
            vector.resize(x.len(), [0.0; 6]);
        }
        let mut course = Course::default();
        let (mut bend, mut before, mut least) = (0.0, 0.0, f64::INFINITY);
        // What the steps add is orthogonal to each other; to the start it is nearly so, because that was an answer once.
        let (mut added, start) = (0.0, dot(x, loads) - dot(x, rest));
        loop {
            let energy = f64::max(start, added).max(f64::MIN_POSITIVE);
            let quiet = (accuracy * QUIET).powi(2) * energy / x.len() as f64;
            let Swept { taken, left_alone } = preconditioner.ask(rest, quiet);
            course.error = if taken == 0.0 { 0.0 } else { ((taken.abs() + left_alone) / energy).sqrt() };
            // Before the first step of all, there is no energy yet to compare with.
            if course.iterations > 0 && before < 1.0 {
                self.worst_rate = self.worst_rate.max(course.error / before);
            }
            before = course.error;
            least = course.error.min(least);
            course.is_lost = course.error > least * LOST && preconditioner.digits() == Digits::Short;
            if course.error <= accuracy || course.is_lost || course.iterations >= most {
                return course;
            }
            preconditioner.answer(&mut self.motion);
            course.is_slow = course.iterations >= patience && !preconditioner.is_direct();
            if course.is_slow {
                return course;
            }
            preconditioner.resistance(rest, &mut self.resistance);
            if let Some(region) = region {
                region.follow(&mut self.motion, &mut self.resistance);
            }
            let left;
            (left, bend) = self.turn(rest, bend);
            if bend.is_nan() || bend <= 0.0 {
                return course;
            }
            let length = left / bend;
            advance((x, &self.step), (rest, &self.pull), length);
            added += length * left;
            course.iterations += 1;
            let foretold = course.error * self.worst_rate;
            if self.worst_rate > 0.0 && foretold <= accuracy && !preconditioner.is_direct() {
                course.error = foretold;
                return course;
            }
        }
    }

    /// Turns the step and what it pulls into the next one, by the bend of the last. What is left along it, and its bend.
    ///
    /// What is left alone differs from step to step, so that a step is orthogonal to the last one only if it is made so.
    fn turn(&mut self, rest: &[Six], bend: f64) -> (f64, f64) {
        let Gradient { motion, resistance, step, pull, .. } = self;
        if bend > 0.0 {
            let (left, along) = products(motion, rest, pull);
            return (left, combine(step, motion, pull, resistance, -along / bend));
        }
        std::mem::swap(step, motion);
        std::mem::swap(pull, resistance);
        (dot(step, rest), dot(step, pull))
    }
}

/// Goes on along a step: what pulls back is taken from the rest.
fn advance((x, step): (&mut [Six], &[Six]), (rest, pull): (&mut [Six], &[Six]), length: f64) {
    for ((x, step), (rest, pull)) in x.iter_mut().zip(step).zip(rest.iter_mut().zip(pull)) {
        for k in 0..6 {
            x[k] += length * step[k];
            rest[k] -= length * pull[k];
        }
    }
}

/// The products of a vector with two others.
fn products(x: &[Six], y: &[Six], z: &[Six]) -> (f64, f64) {
    let (mut first, mut second) = ([0.0; 6], [0.0; 6]);
    for ((x, y), z) in x.iter().zip(y).zip(z) {
        for k in 0..6 {
            first[k] += x[k] * y[k];
            second[k] += x[k] * z[k];
        }
    }
    (first.iter().sum(), second.iter().sum())
}

/// The product of two vectors, in six sums that do not wait for each other.
pub(crate) fn dot(x: &[Six], y: &[Six]) -> f64 {
    let mut sum = [0.0; 6];
    for (x, y) in x.iter().zip(y) {
        (0..6).for_each(|k| sum[k] += x[k] * y[k]);
    }
    sum.iter().sum()
}

/// Turns the step and what it pulls into the next one; their product.
fn combine(step: &mut [Six], motion: &[Six], pull: &mut [Six], resistance: &[Six], keep: f64) -> f64 {
    let mut bend = [0.0; 6];
    let moves = step.iter_mut().zip(motion);
    for ((step, motion), (pull, resistance)) in moves.zip(pull.iter_mut().zip(resistance)) {
        for k in 0..6 {
            step[k] = motion[k] + keep * step[k];
            pull[k] = resistance[k] + keep * pull[k];
            bend[k] += step[k] * pull[k];
        }
    }
    bend.iter().sum()
}
