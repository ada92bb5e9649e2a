//! Threads that stay awake for a few milliseconds of work.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::Yield;

/// Runs in the pool, and keeps its other threads from falling asleep meanwhile.
///
/// Work of a few milliseconds goes through a dozen stages, parallel ones with short serial ones between them. A thread
/// that falls asleep at each costs a wake-up at each, and where the kernel or a host is slow to give a core back, that
/// takes as long as a stage of a small fracture. Threads that wait here do other work of the pool if there is any.
pub(crate) fn awake<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    let vigil = Vigil::default();
    rayon::scope(|scope| {
        let vigil = &vigil;
        let _end = vigil.begin();
        let others = rayon::current_num_threads().saturating_sub(1).min(MOST);
        (0..others).for_each(|_| scope.spawn(|_| vigil.keep()));
        run()
    })
}

/// More threads than this wake each other up fast enough, and all of them spinning would be a waste.
const MOST: usize = 3;

/// What the threads of one call know of each other.
#[derive(Default)]
struct Vigil {
    is_over: AtomicBool,
    /// The threads that run or wait. One that did both, or one twice, would wait for what lies below it on its own stack.
    engaged: Mutex<Vec<usize>>,
}

impl Vigil {
    fn begin(&self) -> Over<'_> {
        self.engage();
        Over(self)
    }

    fn engage(&self) -> bool {
        let (Ok(mut engaged), Some(thread)) = (self.engaged.lock(), rayon::current_thread_index()) else {
            return false;
        };
        let is_new = !engaged.contains(&thread);
        if is_new {
            engaged.push(thread);
        }
        is_new
    }

    fn keep(&self) {
        if !self.engage() {
            return;
        }
        while !self.is_over.load(Ordering::Acquire) {
            if rayon::yield_now() != Some(Yield::Executed) {
                std::thread::yield_now();
            }
        }
    }
}

/// Ends the vigil, even of work that panics.
struct Over<'a>(&'a Vigil);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    fn sum(depth: u64) -> u64 {
        if depth == 0 {
            return 1;
        }
        let (a, b) = rayon::join(|| sum(depth - 1), || awake(|| sum(depth - 1)));
        a + b
    }

    #[test]
    fn vigils_within_and_beside_vigils_end() {
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let sums: u64 = pool.install(|| (0..40).into_par_iter().map(|_| awake(|| sum(7))).sum());
            assert_eq!(sums, 40 << 7);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| pool.install(|| assert_eq!(awake(|| sum(8)), 1 << 8)));
                }
            });
        }
    }

    #[test]
    fn a_panic_ends_a_vigil() {
        let caught = std::panic::catch_unwind(|| awake(|| panic!("on purpose")));
        assert!(caught.is_err());
    }
}
