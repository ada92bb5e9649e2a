//! Ten thousand nasty shapes, fifty hits each. `-- SHAPES HITS` asks for other numbers.

#[path = "../tests/nasty/mod.rs"]
mod nasty;

use std::time::Instant;

use rayon::prelude::*;

fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let shapes = numbers.first().copied().unwrap_or(10_000);
    let hits = numbers.get(1).copied().unwrap_or(50);
    let start = Instant::now();
    let of_seed = |seed| nasty::campaign(seed, hits as usize);
    let fragments: usize = (0..shapes).into_par_iter().map(of_seed).sum();
    let seconds = start.elapsed().as_secs_f64();
    println!("{shapes} shapes, {hits} hits each: {fragments} fragments, nothing lost, in {seconds:.0} s");
}
