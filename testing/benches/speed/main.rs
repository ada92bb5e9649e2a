//! How fast things break: `cargo bench -p smithereens-testing --bench speed [-- --quick] [-- --patient]`.
//!
//! Prints the tables of `docs/performance.md` and writes them to `target/speed.json`. Times are medians of wall
//! milliseconds with the geometry in memory, on pools of one thread and of two; a target is met if the
//! median is. `--quick` runs everything twice, `--patient` takes repetitions again that others on the
//! machine disturbed.

mod clock;
mod decompose;
mod growth;
mod heap;
mod local;
mod whole;
mod yardstick;

use std::path::Path;

use clock::Effort;
use smithereens_testing::models;
use smithereens_testing::table::Table;
use yardstick::Yardstick;

#[global_allocator]
static HEAP: heap::Counting = heap::Counting;

fn main() -> std::io::Result<()> {
    let asked = |wanted: &str| std::env::args().any(|word| word == wanted);
    let quick = asked("--quick");
    let effort = if quick { Effort::QUICK } else { Effort::FULL };
    let effort = Effort { yardstick: asked("--patient").then(Yardstick::new), ..effort };
    let subjects = if models::models_dir().is_some() { "models" } else { "knots of like size, no models" };
    let repetitions = if quick { "2, quick" } else { "7 to 60" };
    println!("Broken: {subjects}. Repetitions: {repetitions}.");
    let tables = [
        whole::times(&effort),
        local::times(&effort),
        decompose::times(&effort),
        growth::points(&effort),
        whole::memory(),
        growth::cells(&effort),
        growth::triangles(&effort),
    ];
    let all = serde_json::Value::Array(tables.iter().map(Table::to_json).collect());
    // Cargo's folder for tests and benches is in the target folder.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("."));
    std::fs::write(target.join("speed.json"), format!("{all:#}\n"))
}
