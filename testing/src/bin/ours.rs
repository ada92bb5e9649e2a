//! Our side of a comparison with a peer: times ours, and writes the same input for the peer to read.
//!
//! `ours fracture MODEL CELLS DIR` breaks a model along Voronoi cells of points inside it; `ours cells POINTS DIR`
//! makes the cells of random points in a box; `ours over MODEL CELLS THREADS SECONDS` breaks a model over and
//! over, for a profiler. Arrays are written as raw little-endian numbers, sizes and times as `DIR/ours.json`.
//! The scripts in `scripts/peers` call this.

use std::borrow::Cow;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use glam::DVec3;
use serde_json::{Value, json};
use smithereens::pattern::Pattern;
use smithereens::{Aabb, Fracture, FractureOptions, Impact, fracture, voronoi};
use smithereens_testing::assertions::assert_closed;
use smithereens_testing::chance::Chance;
use smithereens_testing::subjects::{Subject, subject};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str =
    "ours fracture MODEL CELLS DIR | ours cells POINTS DIR | ours over MODEL CELLS THREADS SECONDS";
/// Enough to be rid of most of the noise of a shared machine.
const REPETITIONS: usize = 9;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["fracture", model, cells, dir] => cells_of_model(model, cells, Path::new(dir)),
        ["cells", points, dir] => cells_of_points(points, Path::new(dir)),
        ["over", model, cells, threads, seconds] => over_and_over(model, cells, threads, seconds),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ours: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the mesh, the seeds and the corners of the cells.
fn cells_of_model(model: &str, cells: &str, dir: &Path) -> Result<(), Failure> {
    let subject = subject(model);
    let (seeds, bounds) = subject.seeds(cells.parse()?, 1);
    let pattern = Pattern::from_points(&seeds, bounds)?;
    let shapes = || pattern.cells().iter().map(|c| c.convex.vertices());
    std::fs::create_dir_all(dir)?;
    let mesh = subject.solid.mesh();
    write_points(&dir.join("positions.f64"), mesh.positions.iter())?;
    write_numbers(&dir.join("triangles.u32"), triangles(&subject))?;
    write_points(&dir.join("seeds.f64"), seeds.iter())?;
    write_points(&dir.join("cells.f64"), shapes().flatten())?;
    write_numbers(&dir.join("cell_sizes.u32"), shapes().map(|s| s.len() as u32))?;
    let mut report = json!({ "name": subject.name, "volume": subject.solid.volume() });
    for threads in [1, 2] {
        let from_seeds = || Pattern::from_points(&seeds, bounds).map_err(|e| e.to_string()).map(Cow::Owned);
        let (milliseconds, broken) = timed_fracture(&subject, threads, from_seeds)?;
        report[format!("from_seeds_ms_{threads}")] = milliseconds;
        report["ours"] = checked(&broken);
        let (milliseconds, _) = timed_fracture(&subject, threads, || Ok(Cow::Borrowed(&pattern)))?;
        report[format!("from_cells_ms_{threads}")] = milliseconds;
    }
    Ok(std::fs::write(dir.join("ours.json"), report.to_string())?)
}

/// Breaks a model for some seconds and prints the times of the stages.
fn over_and_over(model: &str, cells: &str, threads: &str, seconds: &str) -> Result<(), Failure> {
    let subject = subject(model);
    let (seeds, bounds) = subject.seeds(cells.parse()?, 1);
    let compound = subject.whole();
    let seconds: f64 = seconds.parse()?;
    let mut count = 0;
    let mut least = [f64::INFINITY; 2];
    on_threads(threads.parse()?, || {
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < seconds {
            let begin = Instant::now();
            let pattern = Pattern::from_points(&seeds, bounds).map_err(|e| e.to_string())?;
            let made = begin.elapsed().as_secs_f64() * 1e3;
            let options = FractureOptions::default();
            let broken = fracture(&compound, &pattern, &Impact::at(DVec3::ZERO), &options);
            let took = broken.map_err(|e| e.to_string())?.report.times.total().as_secs_f64() * 1e3;
            least = [least[0].min(made), least[1].min(took)];
            count += 1;
        }
        Ok(())
    })?;
    println!(
        "{count} times, at best {:.2} ms for the pattern and {:.2} ms for the fracture",
        least[0], least[1]
    );
    Ok(())
}

fn triangles(subject: &Subject) -> Vec<u32> {
    let mesh = subject.solid.mesh();
    (0..mesh.faces.len())
        .flat_map(|face| {
            let corners = &mesh.corners[mesh.face_corners(face)];
            (2..corners.len()).flat_map(|i| [corners[0], corners[i - 1], corners[i]]).collect::<Vec<_>>()
        })
        .collect()
}

/// Breaks a model by a pattern, the time to get the pattern included.
fn timed_fracture<'a>(
    subject: &Subject,
    threads: usize,
    pattern: impl Fn() -> Result<Cow<'a, Pattern>, String> + Sync,
) -> Result<(Value, Fracture), Failure> {
    let compound = subject.whole();
    on_threads(threads, || {
        let run = || {
            fracture(&compound, &*pattern()?, &Impact::at(DVec3::ZERO), &FractureOptions::default())
                .map_err(|e| e.to_string())
        };
        let (milliseconds, broken) = timed(run);
        Ok((milliseconds, broken?))
    })
}

/// What the pieces add up to, and how many are closed.
fn checked(broken: &Fracture) -> Value {
    let pieces = || broken.fragments.iter().flat_map(|f| f.compound.pieces());
    pieces().for_each(|p| assert_closed(&p.to_mesh()));
    let volume: f64 = pieces().map(|p| p.to_mesh().signed_volume()).sum();
    json!({ "pieces": pieces().count(), "closed": pieces().count(), "volume": volume })
}

/// Writes random points of the cube from -1 to 1.
fn cells_of_points(count: &str, dir: &Path) -> Result<(), Failure> {
    let mut chance = Chance::new(1);
    let points: Vec<DVec3> = (0..count.parse()?).map(|_: usize| chance.point()).collect();
    std::fs::create_dir_all(dir)?;
    write_points(&dir.join("points.f64"), points.iter())?;
    let mut report = json!({ "points": points.len() });
    for threads in [1, 2] {
        let (milliseconds, cells) = on_threads(threads, || Ok(timed(|| voronoi(&points, &Aabb::cube(1.0)))))?;
        report[format!("ms_{threads}")] = milliseconds;
        report["volume"] = json!(cells.iter().map(|c| c.convex.volume()).sum::<f64>());
    }
    println!("{} {} {}", report["ms_1"]["least"], report["ms_2"]["least"], report["volume"]);
    Ok(std::fs::write(dir.join("ours.json"), report.to_string())?)
}

/// The least and the median of wall milliseconds, and the last result.
fn timed<T>(mut run: impl FnMut() -> T) -> (Value, T) {
    let mut last = run();
    let mut all = Vec::new();
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        let result = run();
        all.push(start.elapsed().as_secs_f64() * 1e3);
        last = result;
    }
    all.sort_by(f64::total_cmp);
    (json!({ "least": all[0], "median": all[all.len() / 2] }), last)
}

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> Result<T, String> + Send) -> Result<T, Failure> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(run)?)
}

fn write_points<'a>(file: &Path, points: impl Iterator<Item = &'a DVec3>) -> std::io::Result<()> {
    std::fs::write(file, points.flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

fn write_numbers(file: &Path, numbers: impl IntoIterator<Item = u32>) -> std::io::Result<()> {
    std::fs::write(file, numbers.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}
