//! How fast voxels break: `cargo bench -p smithereens-voxel --bench voxel`.
//!
//! Table 1 of the paper, on the processor of this machine beside its GTX Titan Black: best of some runs, in memory that is there already (*warm*) and in a process of its
//! own that has just been started (*cold*). Prints the tables of `docs/algorithms/voxels.md` and writes them to `target/voxel.json`. Level 10 alone, or fewer runs:
//! `-- --level 10 --runs 5`. With `--export DIR --level 8` it writes the bunny and its cells for `scripts/peers/openvdb.sh`, and prints the times of one and of two threads.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use glam::{DAffine3, DQuat, DVec3};
use serde_json::{Value, json};
use smithereens_geometry::triangulate::triangulate;
use smithereens_geometry::{Slot, Solid, voronoi};
use smithereens_testing::table::{Table, verdict};
use smithereens_testing::{fixtures, models};
use smithereens_voxel::{
    Arena, Fracture, FractureOptions, Grid, Husk, Octree, Seeds, Spheres, Times, fracture_in,
};

#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

const GREY: [u8; 4] = [200, 180, 160, 255];
/// Level, and the paper's milliseconds: extraction, sorting, building and internal nodes together; islands; all. Then our goal.
const BUNNY: [(u32, f64, f64, f64, f64); 3] =
    [(8, 10.2, 2.7, 12.9, 5.0), (9, 21.5, 9.2, 30.7, 10.0), (10, 70.7, 40.1, 110.8, 30.0)];
const SEEDS: usize = 90;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)?.parse::<u32>().ok()
    };
    if let (Some(level), Some(threads)) = (number("--cold"), number("--threads")) {
        let (octree, seeds) = bunny(level);
        println!("{}", on(threads, || broken(&mut Arena::default(), &octree, &seeds).times.total));
        return Ok(());
    }
    let runs = number("--runs").unwrap_or(30);
    let folder =
        arguments.iter().position(|argument| argument == "--export").and_then(|at| arguments.get(at + 1));
    if let Some(folder) = folder {
        return export(Path::new(folder), number("--level").unwrap_or(8), runs);
    }
    let levels: Vec<_> =
        BUNNY.into_iter().filter(|row| number("--level").is_none_or(|level| level == row.0)).collect();
    let tables =
        json!({ "bunny": bunnies(&levels, runs), "scenes": scenes(runs), "overlaps": overlaps(runs) });
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("."));
    std::fs::write(target.join("voxel.json"), format!("{tables:#}\n"))
}

fn on<T: Send>(threads: u32, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build().expect("threads").install(run)
}

fn broken(arena: &mut Arena, octree: &Octree, seeds: &Seeds) -> Fracture {
    fracture_in(arena, octree, seeds, &FractureOptions::default()).expect("sound seeds")
}

/// The bunny of the paper, or where it is not, a knot of about its surface; and seeds all inside.
fn solid(file: &str) -> Solid {
    models::load(file).unwrap_or_else(|| fixtures::trefoil(1.0, 0.45, 400, 80))
}

fn bunny(level: u32) -> (Octree, Seeds) {
    let octree = Octree::of_solid(&solid("bunny-70k.ply"), level, &GREY).expect("a level there is");
    let seeds = Seeds::inside(&octree, SEEDS, 1).expect("a sound number");
    (octree, seeds)
}

/// The least of each time over some runs, and what the last one made.
fn best(runs: u32, threads: u32, octree: &Octree, seeds: &Seeds) -> (Times, Fracture) {
    on(threads, || {
        let mut arena = Arena::default();
        let first = broken(&mut arena, octree, seeds);
        arena.reclaim(first);
        let mut least = Times { cells: f64::MAX, islands: f64::MAX, total: f64::MAX };
        let mut last = Fracture::default();
        for _ in 0..runs {
            arena.reclaim(std::mem::take(&mut last));
            last = broken(&mut arena, octree, seeds);
            least.cells = least.cells.min(last.times.cells);
            least.islands = least.islands.min(last.times.islands);
            least.total = least.total.min(last.times.total);
        }
        (least, last)
    })
}

/// The first fracture of a process: the least of three.
fn cold(level: u32, threads: u32) -> f64 {
    let run = || {
        let output = Command::new(std::env::current_exe().ok()?)
            .args(["--cold", &level.to_string(), "--threads", &threads.to_string()])
            .output()
            .ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse::<f64>().ok()
    };
    (0..3).filter_map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn bunnies(levels: &[(u32, f64, f64, f64, f64)], runs: u32) -> Value {
    let made: Vec<_> = levels.iter().map(|row| measure(row, runs)).collect();
    let mut totals = Table::new(
        "Bunny, 90 seeds inside",
        &[
            "level",
            "pieces",
            "fracture boundary voxels",
            "1 thread, ms",
            "2 threads, ms",
            "goal",
            "",
            "cold, ms",
            "paper, ms",
            "paper / warm",
            "paper / cold",
        ],
    );
    for Measured { row: (level, _, _, paper, goal), pieces, copies, one, two, cold, .. } in &made {
        let (one, two) = (one.total, two.total);
        totals.row(vec![
            json!(level),
            json!(pieces),
            json!(copies),
            json!(one),
            json!(two),
            json!(goal),
            verdict(two, Some(*goal)),
            json!(cold),
            json!(paper),
            json!(paper / two),
            json!(paper / cold),
        ]);
    }
    let mut stages = Table::new(
        "Stages, one thread, warm",
        &[
            "level",
            "cells and octrees, ms",
            "paper, ms",
            "ratio",
            "islands, ms",
            "paper, ms",
            "ratio",
            "growth",
        ],
    );
    let mut before: Option<f64> = None;
    for Measured { row: (level, cells, islands, ..), one, .. } in &made {
        let growth = before.map(|before| one.total / before);
        stages.row(vec![
            json!(level),
            json!(one.cells),
            json!(cells),
            json!(cells / one.cells),
            json!(one.islands),
            json!(islands),
            json!(islands / one.islands),
            json!(growth),
        ]);
        before = Some(one.total);
    }
    let mut memory = Table::new(
        "Memory",
        &[
            "level",
            "made of the mesh, ms",
            "boundary voxels",
            "structure, MB",
            "with attributes, MB",
            "bytes a boundary voxel",
            "pieces, MB",
            "bytes a voxel of them",
            "copied at full speed, ms",
        ],
    );
    let (bandwidth_one, bandwidth_two) = (bandwidth(1), bandwidth(2));
    for Measured { row: (level, ..), built, octree, copies, bytes, .. } in &made {
        let own = octree.bytes();
        let voxels = octree.boundary_count() as f64;
        memory.row(vec![
            json!(level),
            json!(built),
            json!(voxels as u64),
            json!(own.structure as f64 / 1e6),
            json!(own.total() as f64 / 1e6),
            json!(own.total() as f64 / voxels),
            json!(*bytes as f64 / 1e6),
            json!(*bytes as f64 / *copies as f64),
            json!(*bytes as f64 / bandwidth_two / 1e6),
        ]);
    }
    println!(
        "\nA copy in memory runs at {bandwidth_one:.1} GB/s on one thread, {bandwidth_two:.1} GB/s on two."
    );
    json!([totals.to_json(), stages.to_json(), memory.to_json(), { "copy_gb_s": [bandwidth_one, bandwidth_two] }])
}

struct Measured {
    row: (u32, f64, f64, f64, f64),
    built: f64,
    octree: Octree,
    pieces: usize,
    copies: u64,
    bytes: usize,
    one: Times,
    two: Times,
    cold: f64,
}

fn measure(row: &(u32, f64, f64, f64, f64), runs: u32) -> Measured {
    let solid = solid("bunny-70k.ply");
    let start = Instant::now();
    let octree = on(1, || Octree::of_solid(&solid, row.0, &GREY)).expect("a level there is");
    let built = start.elapsed().as_secs_f64() * 1e3;
    let (_, seeds) = bunny(row.0);
    let (one, _) = best(runs, 1, &octree, &seeds);
    let (two, made) = best(runs, 2, &octree, &seeds);
    let sum = |of: &dyn Fn(&Octree) -> u64| made.pieces.iter().map(|piece| of(&piece.octree)).sum::<u64>();
    assert_eq!(sum(&Octree::voxel_count), octree.voxel_count(), "every voxel is in one piece");
    let bytes =
        made.pieces.iter().map(|piece| piece.octree.bytes().structure + piece.octree.bytes().payload).sum();
    let copies = sum(&Octree::boundary_count);
    Measured {
        row: *row,
        built,
        octree,
        pieces: made.pieces.len(),
        copies,
        bytes,
        one,
        two,
        cold: cold(row.0, 2),
    }
}

/// Gigabytes a second that threads read and write as often, copying.
fn bandwidth(threads: u32) -> f64 {
    on(threads, || {
        let from = vec![1_u8; 1 << 26];
        let mut to = vec![vec![0_u8; 1 << 26]; threads as usize];
        let copy = |to: &mut Vec<Vec<u8>>| {
            let start = Instant::now();
            rayon::scope(|scope| to.iter_mut().for_each(|to| scope.spawn(|_| to.copy_from_slice(&from))));
            start.elapsed().as_secs_f64()
        };
        let least = (0..10).map(|_| copy(&mut to)).fold(f64::INFINITY, f64::min);
        f64::from(threads) * f64::from(1 << 26) / least / 1e9
    })
}

/// The other scenes of the paper, or what comes near them.
fn scenes(runs: u32) -> Value {
    let mut table = Table::new(
        "Other scenes, two threads, warm",
        &["scene", "level", "seeds", "pieces", "boundary voxels", "ms", "paper, ms", "ratio"],
    );
    let mut add = |name: &str, octree: &Octree, seeds: &Seeds, paper: f64| {
        let (times, made) = best(runs / 2, 2, octree, seeds);
        table.row(vec![
            json!(name),
            json!(octree.grid().level()),
            json!(seeds.points().len()),
            json!(made.pieces.len()),
            json!(octree.boundary_count()),
            json!(times.total),
            json!(paper),
            json!(paper / times.total),
        ]);
    };
    let (octree, _) = bunny(10);
    let bounds = solid("bunny-70k.ply").mesh().bounds();
    let impact = DVec3::new(bounds.center().x, bounds.max.y, bounds.center().z);
    let spheres = |octree: &Octree, impact: DVec3, seeds: usize, radius: f64| {
        Seeds::spheres(octree, impact, &Spheres { seeds, radius, ..Spheres::default() })
            .expect("sound options")
    };
    add("bunny, spheres about its top", &octree, &spheres(&octree, impact, 90, bounds.extent()), 110.8);
    let column = column();
    let middle = DVec3::new(0.12, 0.1, 0.0);
    add("column", &column, &spheres(&column, middle, 70, 0.6), 99.8);
    let figure = Octree::of_solid(&solid("armadillo.obj"), 10, &GREY).expect("a level there is");
    let bounds = solid("armadillo.obj").mesh().bounds();
    let impact = DVec3::new(bounds.center().x, bounds.max.y, bounds.center().z);
    let local = spheres(&figure, impact, 40, 0.5 * bounds.extent()).local(impact, 0.2 * bounds.extent());
    add("figure, local", &figure, &local, 45.3);
    let dragon = Octree::of_solid(&solid("dragon.ply"), 9, &GREY).expect("a level there is");
    for (seeds, paper) in [(15, 22.1), (35, 24.5), (50, 27.6)] {
        let inside = Seeds::inside(&dragon, seeds, 3).expect("a sound number");
        add("dragon", &dragon, &inside, paper);
    }
    table.to_json()
}

/// Two bunnies that lie in each other, turned, on one thread.
fn overlaps(runs: u32) -> Value {
    let mut table = Table::new(
        "Overlaps, one thread",
        &["physics level", "pairs", "points", "volume, voxels of the level", "ms", "husk, ms"],
    );
    let (octree, _) = bunny(10);
    let side = octree.grid().side();
    let map =
        DAffine3::from_rotation_translation(DQuat::from_rotation_y(1.0), DVec3::new(0.25, 0.1, 0.05) * side);
    for level in [5, 6, 7, 8] {
        let start = Instant::now();
        let husk = on(1, || Husk::of(&octree, level)).expect("a level there is");
        let made = start.elapsed().as_secs_f64() * 1e3;
        let mut least = f64::INFINITY;
        let mut overlap = husk.overlap(&husk, &map);
        for _ in 0..runs {
            let start = Instant::now();
            overlap = husk.overlap(&husk, &map);
            least = least.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let cell = side / f64::from(1 << level);
        let voxels = overlap.volume / (cell * cell * cell);
        table.row(vec![
            json!(level),
            json!(overlap.pairs),
            json!(overlap.points.len()),
            json!(voxels as u64),
            json!(least),
            json!(made),
        ]);
    }
    table.to_json()
}

/// Writes the triangles of the bunny and of all cells, and prints: voxel size, number of pieces, milliseconds on one and on two threads, bytes.
fn export(folder: &Path, level: u32, runs: u32) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let (octree, seeds) = bunny(level);
    let mut meshes = vec![solid("bunny-70k.ply").mesh().clone()];
    let bounds = meshes[0].bounds().grown(0.02 * octree.grid().side());
    meshes.extend(voronoi(seeds.points(), &bounds).iter().map(|cell| cell.convex.to_mesh(Slot(0))));
    let mut bytes = (meshes.len() as u32).to_le_bytes().to_vec();
    for mesh in &meshes {
        let triangles = triangulate(mesh).0;
        bytes.extend((mesh.positions.len() as u32).to_le_bytes());
        bytes.extend((triangles.len() as u32).to_le_bytes());
        mesh.positions
            .iter()
            .flat_map(|p| p.as_vec3().to_array())
            .for_each(|x| bytes.extend(x.to_le_bytes()));
        triangles
            .iter()
            .flatten()
            .for_each(|&corner| bytes.extend(mesh.corners[corner as usize].to_le_bytes()));
    }
    std::fs::write(folder.join("meshes.bin"), bytes)?;
    let (one, _) = best(runs, 1, &octree, &seeds);
    let (two, made) = best(runs, 2, &octree, &seeds);
    let own = |octree: &Octree| octree.bytes().structure + octree.bytes().payload;
    let bytes: usize = made.pieces.iter().map(|piece| own(&piece.octree)).sum();
    let pieces = made.pieces.len();
    println!("{} {pieces} {:.3} {:.3} {bytes}", octree.grid().voxel_size(), one.total, two.total);
    Ok(())
}

/// A fluted column.
fn column() -> Octree {
    let grid = Grid::new(10, DVec3::splat(-0.5), 1.0).expect("a level there is");
    let distance = |p: DVec3| {
        let angle = libm::atan2(p.z, p.x);
        let flutes = 0.11 + 0.006 * libm::cos(20.0 * angle);
        let shaft = (DVec3::new(p.x, 0.0, p.z).length() - flutes).max(p.y.abs() - 0.42) * 0.6;
        let slab =
            |y: f64| (DVec3::new(p.x, p.y - y, p.z).abs() - DVec3::new(0.17, 0.04, 0.17)).max_element();
        shaft.min(slab(0.45)).min(slab(-0.45))
    };
    Octree::of_field(grid, distance, GREY).expect("a sound distance")
}
