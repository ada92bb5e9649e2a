//! A fixed piece of work, timed around every repetition: where it takes longer than at its best, the cores were not
//! ours alone, and the repetition measured somebody else.
//!
//! A virtual machine cannot see what its host does with the cores: idle cores still run at half their speed when a
//! neighbour uses the other half of them.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::clock::{Times, on_threads};

/// Slower than the best by this, and a repetition is taken again.
const SLACK: f64 = 1.12;
/// So often at most.
const TRIES: usize = 4;
const CALIBRATION: Duration = Duration::from_secs(2);
/// Fits into the second cache, as a piece being cut does.
const NUMBERS: usize = 8192;
const ROUNDS: usize = 24;

/// Takes repetitions again that others disturbed.
pub struct Yardstick {
    numbers: Vec<f64>,
    /// Nanoseconds, on one thread and on two.
    best: [AtomicU64; 2],
    /// How much slower than that around each repetition kept since the last look.
    slowness: Mutex<Vec<f64>>,
}

impl Yardstick {
    /// Looks for some seconds how fast pools of one thread and of two can be.
    pub fn new() -> Yardstick {
        let numbers = (0..NUMBERS).map(|i| 1.0 / (i + 1) as f64).collect();
        let best = [u64::MAX, u64::MAX].map(AtomicU64::new);
        let new = Yardstick { numbers, best, slowness: Mutex::default() };
        for threads in [1, 2] {
            on_threads(threads, || {
                let start = Instant::now();
                while start.elapsed() < CALIBRATION {
                    new.measure();
                }
            });
        }
        new
    }

    /// Runs, and again if the yardstick was slow before or after it; of all tries, the one with the fastest yardstick.
    pub fn quietly<T>(&self, mut run: impl FnMut() -> T) -> T {
        let mut attempt = || {
            let before = self.measure();
            let result = run();
            (before.max(self.measure()), result)
        };
        let mut kept = attempt();
        for _ in 1..TRIES {
            if kept.0 < SLACK {
                break;
            }
            let next = attempt();
            if next.0 < kept.0 {
                kept = next;
            }
        }
        if let Ok(mut slowness) = self.slowness.lock() {
            slowness.push(kept.0);
        }
        kept.1
    }

    /// How much slower than at its best the yardstick was around the repetitions kept since the last look: the median.
    pub fn slowness(&self) -> Option<f64> {
        let taken = std::mem::take(&mut *self.slowness.lock().ok()?);
        Some(Times::new(taken).median())
    }

    /// How much slower the slowest thread of the pool at hand is than at its best.
    fn measure(&self) -> f64 {
        let times = rayon::broadcast(|_| {
            let start = Instant::now();
            black_box(work(black_box(&self.numbers)));
            start.elapsed().as_nanos() as u64
        });
        let slowest = times.iter().copied().max().unwrap_or(0);
        let best = &self.best[times.len().clamp(1, 2) - 1];
        let best = best.fetch_min(slowest, Ordering::Relaxed).min(slowest);
        slowest as f64 / best as f64
    }
}

/// Eight sums side by side: as much as a core can do at once, so that a neighbour on the same core is felt.
fn work(numbers: &[f64]) -> [f64; 8] {
    let mut sums = [0.0; 8];
    for round in 0..ROUNDS {
        for eight in numbers.chunks_exact(8) {
            for (sum, number) in sums.iter_mut().zip(eight) {
                *sum += number * number + round as f64;
            }
        }
    }
    sums
}
