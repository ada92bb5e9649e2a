//! Where the time goes when the arena breaks: all steps of the scene `dust`, part by part.

use std::path::Path;

use serde_json::json;
use smithereens::Compound;
use smithereens_dust::Times;
use smithereens_simulate::scene::{ModelEntry, Scene, Stage};
use smithereens_testing::table::Table;

/// A step: all that dust took of it, in milliseconds, and the parts of it that the dust itself knows of.
type Step = (f64, Times);
type Part = (&'static str, fn(&Step) -> f64);

const PARTS: [Part; 7] = [
    ("all", |(all, _)| *all),
    ("particles", |(_, times)| times.particles.milliseconds()),
    ("advect", |(_, times)| times.advect.milliseconds()),
    ("project", |(_, times)| times.project.milliseconds()),
    ("obstacles", |(_, times)| times.obstacles.milliseconds()),
    ("keep", |(_, times)| times.keep.milliseconds()),
    ("looking", |(all, times)| all - times.total()),
];

/// Plays the scene on two threads.
pub fn table() -> Table {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
    let steps = pool.install(play);
    let over = steps.iter().filter(|(all, _)| *all > 5.0).count();
    println!("{over} of {} steps take more than 5 ms", steps.len());
    let columns = ["part", "mean", "half within", "99 of 100", "longest", "in the ten longest"];
    let mut table = Table::new("Dust of the arena, step by step; times in milliseconds", &columns);
    let mut longest: Vec<&Step> = steps.iter().collect();
    longest.sort_by(|a, b| b.0.total_cmp(&a.0));
    longest.truncate(10);
    for (name, of) in PARTS {
        let mut times: Vec<f64> = steps.iter().map(of).collect();
        times.sort_by(f64::total_cmp);
        let quantile = |part: f64| times[(times.len() as f64 * part).ceil() as usize - 1];
        let ten = longest.iter().map(|step| of(step)).sum::<f64>() / longest.len() as f64;
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let numbers = [mean, quantile(0.5), quantile(0.99), quantile(1.0), ten];
        table.row([json!(name)].into_iter().chain(numbers.map(|number| json!(number))).collect());
    }
    table
}

fn play() -> Vec<Step> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/dust.toml");
    let text = std::fs::read_to_string(path).expect("a scene of ours");
    let none = |_: &ModelEntry| -> Result<Compound, String> { Err("scenes of ours need no files".into()) };
    let mut stage: Stage = Scene::parse(&text).expect("a sound scene").stage(none).expect("a sound scene");
    let mut steps = Vec::new();
    while stage.steps() < stage.all_steps() {
        stage.step().expect("a step");
        let cloud = stage.world.cloud().expect("dust");
        steps.push((cloud.time().as_secs_f64() * 1e3, cloud.report().times));
    }
    steps
}
