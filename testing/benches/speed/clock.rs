//! Wall time over repetitions, on a number of threads.

use std::time::{Duration, Instant};

use crate::quiet;

/// How often to repeat.
#[derive(Clone, Copy)]
pub struct Effort {
    /// At least this often.
    pub least: usize,
    /// And until this is spent, if that takes longer,
    pub time: Duration,
    /// but not more often than this.
    pub most: usize,
    /// Whether to wait for a quiet machine before each row.
    pub patient: bool,
}

impl Effort {
    /// For numbers to publish.
    pub const FULL: Effort = Effort { least: 7, time: Duration::from_millis(800), most: 60, patient: false };
    /// To see that everything runs.
    pub const QUICK: Effort = Effort { least: 2, time: Duration::ZERO, most: 2, patient: false };

    /// Whether the long cases are left out.
    pub fn is_quick(&self) -> bool {
        self.least < Effort::FULL.least
    }
}

/// Milliseconds of repetitions, sorted.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<f64>);

impl Times {
    /// Sorts what was measured.
    pub fn new(mut all: Vec<f64>) -> Times {
        all.sort_by(f64::total_cmp);
        Times(all)
    }

    /// The time that a part of the repetitions did not exceed: 0.5 is the median.
    pub fn quantile(&self, part: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last as f64 * part).round() as usize).copied().unwrap_or(f64::NAN)
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The least.
    pub fn min(&self) -> f64 {
        self.quantile(0.0)
    }
}

/// The result and how many milliseconds it took. Dropping it later is not counted.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = run();
    (result, milliseconds(start.elapsed()))
}

/// A duration as a number.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Repeats, after one run that is not counted.
pub fn repeat<T>(effort: &Effort, mut run: impl FnMut() -> T) -> Vec<T> {
    run();
    let start = Instant::now();
    let mut all = Vec::new();
    while all.len() < effort.least || (start.elapsed() < effort.time && all.len() < effort.most) {
        all.push(run());
    }
    all
}

/// Runs on a pool of its own, when the machine is quiet if the effort says so.
pub fn on_threads<T: Send>(threads: usize, effort: &Effort, run: impl FnOnce() -> T + Send) -> T {
    if effort.patient {
        quiet::wait();
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(run),
        Err(error) => panic!("no pool of {threads} threads: {error}"),
    }
}
