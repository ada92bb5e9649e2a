//! How long a step takes: 2,000 bodies, at rest on each other and in free fall, and while they break.
//!
//! `cargo bench -p smithereens-flat --bench world` prints a table and writes `target/bench-flat.json`.

use std::time::Instant;

use serde_json::json;
use smithereens_flat::scene::Scene;
use smithereens_flat::{Shot, World};

#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What is measured: a name, a scene, and how many steps.
const CASES: [(&str, &str, usize); 3] = [
    (
        "2,000 boxes in a heap",
        "ground = 0\n[[body]]\nshape = { box = [0.3, 0.3] }\nmaterial = \"steel\"\ncopies = { count = [50, 40], step = [0.36, 0.4], shift = 0.12 }\nat = [-9, 0.4]\n",
        240,
    ),
    (
        "2,000 shards of six corners",
        "ground = 0\n[[body]]\nshape = { regular = { sides = 6, radius = 0.2 } }\nmaterial = \"steel\"\ncopies = { count = [50, 40], step = [0.42, 0.45], shift = 0.15 }\nat = [-10, 0.5]\n",
        240,
    ),
    (
        "2,000 bricks, shot 60 times",
        "ground = 0\n[[body]]\nshape = { box = [0.6, 0.28] }\nmaterial = \"brick\"\ncopies = { count = [40, 50], step = [0.6, 0.28], shift = 0.3 }\nat = [-12, 0.14]\n",
        240,
    ),
];

fn main() {
    let mut all = Vec::new();
    println!(
        "| scene | threads | bodies | awake | step, ms: median | mean | p99 | fracture | steps a second |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (index, (name, text, steps)) in CASES.into_iter().enumerate() {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let Ok(pool) = pool else { continue };
            let line = pool.install(|| measure(name, text, steps, index == 2, threads));
            println!("{}", line.0);
            all.push(line.1);
        }
    }
    let text = serde_json::to_string_pretty(&json!({ "steps": all })).unwrap_or_default();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bench-flat.json");
    if let Err(error) = std::fs::write(path, text) {
        println!("target/bench-flat.json was not written: {error}");
    }
}

fn measure(
    name: &str,
    text: &str,
    steps: usize,
    shoots: bool,
    threads: usize,
) -> (String, serde_json::Value) {
    let mut world = match Scene::read(text).and_then(|scene| scene.world()) {
        Ok(world) => world,
        Err(error) => return (format!("{name}: {error}"), json!(null)),
    };
    let mut times = Vec::new();
    let mut fracture = 0.0;
    for step in 0..steps {
        if shoots && step % 4 == 0 {
            shoot(&mut world, step);
        }
        let start = Instant::now();
        world.step();
        times.push(start.elapsed().as_secs_f64() * 1e3);
        fracture += world.times().fracture.as_secs_f64() * 1e3;
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    times.sort_by(f64::total_cmp);
    let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    let bodies = world.bodies().len();
    let awake = world.awake();
    let fracture = fracture / steps as f64;
    let line = format!(
        "| {name} | {threads} | {bodies} | {awake} | {median:.2} | {mean:.2} | {p99:.2} | {fracture:.2} | {:.0} |",
        1e3 / mean
    );
    let value = json!({
        "scene": name, "threads": threads, "bodies": bodies, "median_ms": median, "mean_ms": mean, "p99_ms": p99, "fracture_ms": fracture,
        "state_hash": format!("{:016x}", world.state_hash()),
    });
    (line, value)
}

fn shoot(world: &mut World, step: usize) {
    let height = 0.5 + (step * 7 % 50) as f64 * 0.25;
    let from = glam::DVec2::new(-16.0, height);
    let toward = from + glam::DVec2::X;
    world.fire(&Shot { from, toward, speed: 80.0, breaks: 4, ..Shot::default() });
}
