//! How fast scenes play: `cargo bench -p smithereens-testing --bench scenes [-- NAME ...] [-- --unbound] [-- --nature] [-- --bombard MINUTES]`.
//!
//! Plays the scenes that come with the program, on one thread and on two, prints the tables of `docs/algorithms/simulation.md` and writes them to
//! `target/scenes.json`. `--unbound` plays them without their budgets. `--nature` tells instead what it takes from an impact on a model that breaks by nature to
//! fragments with colliders in a world, and to their faces. `--bombard` shoots at the arena for as long as it is told, with a cap on
//! bodies, and prints what memory it takes every half minute.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use smithereens::Compound;
use smithereens_simulate::scene::{BudgetEntry, ModelEntry, Scene, Stage};
use smithereens_testing::table::Table;

#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod nature;

const SCENES: [&str; 15] = [
    "columns",
    "glass",
    "bunnies",
    "dragon",
    "domino-city",
    "arch",
    "tower",
    "cantilever",
    "car-door",
    "bridge",
    "arena",
    "dust",
    "cup",
    "dumbbell",
    "vases",
];
const COLUMNS: [&str; 13] = [
    "scene",
    "threads",
    "steps",
    "bodies",
    "at rest",
    "fractures",
    "median",
    "99 of 100",
    "longest",
    "step",
    "physics",
    "fracture",
    "steps a second",
];
/// The most bodies under bombardment, and how many of the scene's seconds pass between two lines.
const MOST_BODIES: usize = 6_000;
const A_LINE: f64 = 30.0;

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = words.iter().position(|word| word == "--bombard") {
        bombard(words.get(at + 1).and_then(|minutes| minutes.parse().ok()).unwrap_or(10.0));
        return Ok(());
    }
    if words.iter().any(|word| word == "--nature") {
        nature::table();
        return Ok(());
    }
    let is_unbound = words.iter().any(|word| word == "--unbound");
    let is_wanted = |name: &&&str| {
        !words.iter().any(|w| SCENES.contains(&w.as_str())) || words.iter().any(|w| w == **name)
    };
    let mut table = Table::new("Scenes; times in milliseconds", &COLUMNS);
    for name in SCENES.iter().filter(is_wanted) {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            table.row(pool.install(|| play(name, threads, is_unbound)));
        }
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("."));
    std::fs::write(target.join("scenes.json"), format!("{:#}\n", table.to_json()))
}

fn scene(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../scenes/{name}.toml"));
    let text = std::fs::read_to_string(path).expect("a scene of ours");
    Scene::parse(&text).expect("a sound scene")
}

fn stage(scene: Scene) -> Stage {
    let none = |_: &ModelEntry| -> Result<Compound, String> { Err("scenes of ours need no files".into()) };
    scene.stage(none).expect("a sound scene")
}

/// Plays a scene; a row of the table.
fn play(name: &str, threads: usize, is_unbound: bool) -> Vec<serde_json::Value> {
    let mut scene = scene(name);
    if is_unbound {
        scene.budget = BudgetEntry { smallest: scene.budget.smallest, ..BudgetEntry::default() };
    }
    let mut stage = stage(scene);
    let (mut events, mut physics, mut fracture) = (Vec::new(), 0.0, 0.0);
    let start = Instant::now();
    while stage.steps() < stage.all_steps() {
        stage.step().expect("a step");
        let world = &stage.world;
        events.extend(world.destruction.events().iter().map(|event| event.time.as_secs_f64() * 1e3));
        physics += world.times.physics.as_secs_f64() * 1e3;
        fracture += world.times.fracture.as_secs_f64() * 1e3;
    }
    let (steps, seconds) = (stage.steps() as f64, start.elapsed().as_secs_f64());
    events.sort_by(f64::total_cmp);
    let quantile = |part: f64| {
        let index = (events.len() as f64 * part).ceil() as usize;
        events.get(index.clamp(1, events.len().max(1)) - 1).copied()
    };
    let destruction = &stage.world.destruction;
    vec![
        json!(name),
        json!(threads),
        json!(stage.steps()),
        json!(destruction.bodies().count()),
        json!(destruction.resting()),
        json!(events.len()),
        json!(quantile(0.5)),
        json!(quantile(0.99)),
        json!(quantile(1.0)),
        json!(seconds * 1e3 / steps),
        json!(physics / steps),
        json!(fracture / steps),
        json!(steps / seconds),
    ]
}

/// Shoots at the arena, on and on.
fn bombard(minutes: f64) {
    let mut scene = scene("arena");
    scene.duration = minutes * 60.0;
    scene.budget.bodies = Some(MOST_BODIES);
    for volley in scene.projectiles.iter_mut().filter_map(|projectile| projectile.volley.as_mut()) {
        volley.count = (scene.duration / volley.every) as u32;
    }
    let mut stage = stage(scene);
    let columns = ["seconds", "bodies", "at rest", "retired", "fractures", "memory, MB", "steps a second"];
    let mut table = Table::new("The arena under fire", &columns);
    let (mut fractures, mut start) = (0, Instant::now());
    let a_line = (A_LINE * stage.scene().rate) as u64;
    while stage.steps() < stage.all_steps() {
        stage.step().expect("a step");
        fractures += stage.world.destruction.events().len();
        if stage.steps().is_multiple_of(a_line) {
            let destruction = &stage.world.destruction;
            let retired = destruction.retired();
            table.row(vec![
                json!(stage.steps() / stage.scene().rate as u64),
                json!(destruction.bodies().count()),
                json!(destruction.resting()),
                json!(retired.small + retired.thin + retired.over_cap),
                json!(fractures),
                json!(memory()),
                json!(a_line as f64 / start.elapsed().as_secs_f64()),
            ]);
            start = Instant::now();
        }
    }
}

/// Resident memory in megabytes, where the system tells.
fn memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}
