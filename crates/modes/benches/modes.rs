//! How fast fracture modes are found: `cargo bench -p smithereens-modes --bench modes`.
//!
//! Ten scalar modes, which are thirty vector ones, of a rabbit of jittered tetrahedra, best of some runs, beside the times of the paper's Table 1; what
//! levels gain and cost against the exact search; and what an impact takes. Prints the tables of `docs/algorithms/modes.md` and writes them to
//! `target/modes.json`.

#[path = "../tests/shapes/mod.rs"]
mod shapes;

use std::path::Path;
use std::time::Instant;

use glam::DVec3;
use serde_json::{Value, json};
use shapes::{RABBIT, is_in_rabbit, tetrahedra};
use smithereens_modes::{
    Blow, CellGraph, ImpactOptions, ImpactTable, Modes, Options, PieceOptions, Pieces, Projection, Search,
    fracture_modes,
};

/// Cells, milliseconds a mode that were promised, and the paper's at the nearest count of tetrahedra.
const SIZES: [(usize, f64, Option<f64>); 4] = [
    (6_000, 20.0, Some(2860.0)),
    (12_000, 40.0, Some(11_600.0)),
    (50_000, 150.0, None),
    (100_000, 300.0, None),
];
const COUNT: usize = 10;
/// The promise for an impact at 150 pieces, in microseconds.
const STRIKE: f64 = 5.0;

fn main() -> std::io::Result<()> {
    let tables = json!({ "modes": modes(), "levels": levels(), "impacts": impacts() });
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("."));
    std::fs::write(target.join("modes.json"), format!("{tables:#}\n"))
}

fn rabbit(cells: usize) -> CellGraph {
    tetrahedra(cells, RABBIT, 1, is_in_rabbit)
}

fn find(graph: &CellGraph, count: usize, search: Search) -> Modes {
    fracture_modes(graph, &Options { count, search, ..Options::default() }).expect("a sound graph")
}

/// The run that took least.
fn best(runs: usize, run: impl Fn() -> Modes) -> Modes {
    let all = (0..runs.max(1)).map(|_| run());
    all.min_by(|a, b| a.report.total_ms.total_cmp(&b.report.total_ms)).expect("a run")
}

fn modes() -> Vec<Value> {
    head(
        "Modes",
        &["cells", "faces", "spectrum, ms", "ms a mode", "goal", "", "slowest mode, ms", "paper, ms a mode"],
    );
    let row = |&(cells, goal, paper): &(usize, f64, Option<f64>)| {
        let graph = rabbit(cells);
        let modes = best((200_000 / cells).min(12), || find(&graph, COUNT, Search::Multilevel));
        let each = modes.report.total_ms / modes.scalar.len() as f64;
        let slowest = modes.report.modes.iter().map(|mode| mode.ms).fold(0.0, f64::max);
        let verdict = if each <= goal { "met" } else { "missed" };
        let paper = paper.map_or("–".to_owned(), |ms| format!("{ms:.0}"));
        let faces = graph.faces().len();
        println!(
            "| {} | {faces} | {:.0} | {each:.1} | {goal:.0} | {verdict} | {slowest:.0} | {paper} |",
            graph.cells().len(),
            modes.report.spectrum_ms,
        );
        json!({ "cells": graph.cells().len(), "faces": faces, "spectrum_ms": modes.report.spectrum_ms, "ms_a_mode": each,
            "goal_ms": goal, "slowest_ms": slowest, "paper_ms": paper, "energies": energies(&modes) })
    };
    SIZES.iter().map(row).collect()
}

fn energies(modes: &Modes) -> Vec<f64> {
    modes.scalar.iter().map(|mode| mode.energy).collect()
}

fn levels() -> Vec<Value> {
    head(
        "Levels and the exact search",
        &["cells", "levels, ms a mode", "exact, ms a mode", "energy of levels over exact, %"],
    );
    let row = |cells: usize| {
        let graph = rabbit(cells);
        let runs = 30_000 / cells;
        let [levels, exact] =
            [Search::Multilevel, Search::Exact].map(|search| best(runs, || find(&graph, COUNT, search)));
        let each = |modes: &Modes| modes.report.total_ms / modes.scalar.len() as f64;
        let sum = |modes: &Modes| energies(modes).iter().sum::<f64>();
        let more = (sum(&levels) / sum(&exact) - 1.0) * 100.0;
        println!("| {} | {:.1} | {:.1} | {more:+.1} |", graph.cells().len(), each(&levels), each(&exact));
        json!({ "cells": graph.cells().len(), "levels_ms": each(&levels), "exact_ms": each(&exact), "more_percent": more })
    };
    [6_000, 12_000, 25_000].map(row).to_vec()
}

fn impacts() -> Vec<Value> {
    head(
        "Impacts",
        &[
            "scalar modes",
            "pieces",
            "slivers merged",
            "table, ms",
            "onto modes, µs",
            "onto pieces, µs",
            "goal",
            "",
        ],
    );
    let graph = rabbit(6_000);
    let row = |count: usize| {
        let modes = find(&graph, count, Search::Multilevel);
        let pieces = Pieces::new(&graph, &modes, &PieceOptions::default()).expect("modes of this graph");
        let start = Instant::now();
        let table =
            ImpactTable::new(&graph, &modes, &pieces, &ImpactOptions::default()).expect("sound options");
        let made = start.elapsed().as_secs_f64() * 1e3;
        let [onto_modes, onto_pieces] =
            [Projection::Modes, Projection::Pieces].map(|p| strike(&graph, &table, p));
        let (n, slivers) = (pieces.partition.count(), pieces.slivers);
        let verdict = match onto_modes.max(onto_pieces) <= STRIKE {
            true => "met",
            false if n > 150 => "–",
            false => "missed",
        };
        println!(
            "| {} | {n} | {slivers} | {made:.0} | {onto_modes:.2} | {onto_pieces:.2} | {STRIKE:.0} | {verdict} |",
            modes.scalar.len()
        );
        json!({ "modes": modes.scalar.len(), "pieces": n, "slivers": slivers, "table_ms": made, "modes_us": onto_modes, "pieces_us": onto_pieces })
    };
    [4, 10, 16, 30].map(row).to_vec()
}

/// Microseconds for a blow: the best mean of a thousand cells all over the shape.
fn strike(graph: &CellGraph, table: &ImpactTable, projection: Projection) -> f64 {
    let cells: Vec<u32> = (0..1000).map(|k| k * 7919 % graph.cells().len() as u32).collect();
    let run = || {
        let start = Instant::now();
        for &cell in &cells {
            let blow = Blow { cell, impulse: DVec3::new(1.0, 2.0, 3.0), density: 100.0, threshold: 0.2 };
            std::hint::black_box(table.strike(&blow, projection)).expect("a blow on a cell");
        }
        start.elapsed().as_secs_f64() * 1e6 / cells.len() as f64
    };
    (0..50).map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn head(title: &str, columns: &[&str]) {
    println!("\n## {title}\n\n| {} |\n|{}", columns.join(" | "), " ---: |".repeat(columns.len()));
}
