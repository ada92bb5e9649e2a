//! What a fracture in the plane costs: prints a table, writes `target/planar.json`.
//!
//! The goal: a shape of 1,000 corners by 100 cells in half a millisecond.

use std::time::Instant;

use glam::DVec2;
use serde_json::json;
use smithereens_planar::pattern::{Pattern, Uniform, Web};
use smithereens_planar::{Aabb, Compound, FractureOptions, Impact, Shape, fracture, voronoi};

/// As in the program, so that the numbers are what it has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A round shape with a rough border and four holes.
fn coast(corners: usize) -> Shape {
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut ring = |at: DVec2, radius: f64, count: usize| -> Vec<DVec2> {
        let step = std::f64::consts::TAU / count as f64;
        let corner = |i: usize| at + DVec2::from_angle(step * i as f64) * radius * (0.85 + 0.15 * draw());
        (0..count).map(corner).collect()
    };
    let outer = ring(DVec2::ZERO, 1.0, corners - corners / 10 * 4);
    let holes: Vec<Vec<DVec2>> = Aabb::square(0.35).corners().map(|at| ring(at, 0.15, corners / 10)).to_vec();
    Shape::new(&outer, &holes).expect("a sound shape")
}

/// Milliseconds, best of many.
fn best<T>(mut work: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    let mut best = f64::INFINITY;
    while start.elapsed().as_secs_f64() < 1.0 {
        let run = Instant::now();
        std::hint::black_box(work());
        best = best.min(run.elapsed().as_secs_f64() * 1e3);
    }
    best
}

fn main() {
    let uniform = |cells| Uniform { cells, bounds: Aabb::square(1.1), seed: 1 }.pattern().expect("a pattern");
    let web = Web { bounds: Aabb::square(1.1), sectors: 14, rings: 6, ..Web::default() };
    let patterns =
        [("100 cells", uniform(100)), ("1000 cells", uniform(1000)), ("web", web.pattern().expect("a web"))];
    let mut rows = Vec::new();
    println!(
        "| corners | pattern | pieces before | pieces | fragments | decompose, ms | fracture, ms | radius 0.2, ms |"
    );
    println!("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for corners in [100, 1000, 10_000] {
        let shape = coast(corners);
        let decompose = best(|| Compound::from_shape(&shape));
        let body = Compound::from_shape(&shape);
        for (name, pattern) in &patterns {
            let hit = |pattern: &Pattern, radius: f64| {
                let impact = Impact { radius, ..Impact::at(DVec2::ZERO) };
                fracture(&body, pattern, &impact, &FractureOptions::default()).expect("a sound impact")
            };
            let broken = hit(pattern, f64::INFINITY);
            let [whole, near] = [f64::INFINITY, 0.2].map(|radius| best(|| hit(pattern, radius)));
            let (before, pieces, fragments) =
                (body.pieces().len(), broken.report.pieces, broken.report.fragments);
            println!(
                "| {corners} | {name} | {before} | {pieces} | {fragments} | {decompose:.2} | {whole:.3} | {near:.3} |"
            );
            rows.push(json!({
                "corners": corners, "pattern": name, "pieces_before": before, "pieces": pieces,
                "fragments": fragments, "decompose_ms": decompose, "fracture_ms": whole, "near_ms": near,
            }));
        }
    }
    println!("\n| points | voronoi, ms |\n| ---: | ---: |");
    for count in [100, 1000, 10_000] {
        let cells =
            Uniform { cells: count, bounds: Aabb::square(1.0), seed: 2 }.pattern().expect("a pattern");
        let points: Vec<DVec2> = cells.cells().iter().map(|cell| cell.convex.middle()).collect();
        let ms = best(|| voronoi(&points, &Aabb::square(1.0)));
        println!("| {count} | {ms:.3} |");
        rows.push(json!({ "points": count, "voronoi_ms": ms }));
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target");
    let path = format!("{folder}/planar.json");
    std::fs::create_dir_all(folder).expect("target is writable");
    std::fs::write(path, format!("{:#}\n", json!(rows))).expect("target is writable");
}
