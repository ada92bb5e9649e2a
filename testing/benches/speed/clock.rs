//! Wall time over repetitions, on a number of threads.

use std::time::{Duration, Instant};

use crate::yardstick::Yardstick;

/// How often to repeat.
pub struct Effort {
    /// At least this often.
    pub least: usize,
    /// And until this is spent, if that takes longer,
    pub time: Duration,
    /// but not more often than this.
    pub most: usize,
    /// Tells which repetitions to take again, if any.
    pub yardstick: Option<Yardstick>,
}

impl Effort {
    /// For numbers to publish.
    pub const FULL: Effort = Effort { least: 7, time: Duration::from_millis(800), most: 60, yardstick: None };
    /// To see that everything runs.
    pub const QUICK: Effort = Effort { least: 2, time: Duration::ZERO, most: 2, yardstick: None };

    /// Whether the long cases are left out.
    pub fn is_quick(&self) -> bool {
        self.least < Effort::FULL.least
    }

    /// How slow the machine was since the last look, compared with its best, if there is a yardstick.
    pub fn slowness(&self) -> Option<f64> {
        self.yardstick.as_ref().and_then(Yardstick::slowness)
    }

    /// Runs once, undisturbed if there is a yardstick to tell.
    pub fn take<T>(&self, mut run: impl FnMut() -> T) -> T {
        match &self.yardstick {
            Some(yardstick) => yardstick.quietly(run),
            None => run(),
        }
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
        all.push(effort.take(&mut run));
    }
    all
}

/// Runs on a pool of its own.
pub fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(run),
        Err(error) => panic!("no pool of {threads} threads: {error}"),
    }
}
