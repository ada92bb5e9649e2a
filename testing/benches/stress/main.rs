//! How fast stresses are found: `cargo bench -p smithereens-testing --bench stress [--features blast]`.
//!
//! Ten thousand pieces and up to thirty thousand joints, on one thread: the first solve, and solves after local changes. Errors are the worst joint's,
//! as a part of the highest stress, against a solve to nine digits. Then how beams converge to theory as their pieces get
//! finer. With the feature `blast`, NVIDIA's solver on the same graphs. Prints the tables of `docs/algorithms/stress.md` and writes
//! them to `target/stress.json`.

#[cfg(feature = "blast")]
mod blast;
mod finer;
mod graphs;

use std::path::Path;
use std::time::Instant;

use glam::DVec3;
use serde_json::{Value, json};
use smithereens_stress::{Load, Options, Stress, Structure};
use smithereens_testing::table::{Table, verdict};

use graphs::{Graph, graphs};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
const EXACT: Options = Options { accuracy: 1e-9, most_iterations: 1000, most_openings: 0 };
const RUNS: usize = 15;
/// The promises, in milliseconds.
const FIRST: f64 = 20.0;
const WARM: f64 = 3.0;

fn main() -> std::io::Result<()> {
    let mut tables = vec![first_solves(), warm_solves(), finer::table()];
    #[cfg(feature = "blast")]
    tables.push(blast::table());
    let all: Vec<Value> = tables.drain(..).map(|table| table.to_json()).collect();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("."));
    std::fs::write(target.join("stress.json"), format!("{:#}\n", json!(all)))
}

fn first_solves() -> Table {
    let columns = [
        "graph",
        "pieces",
        "joints",
        "take in, ms",
        "median, ms",
        "best, ms",
        "target",
        "",
        "steps",
        "error, %",
    ];
    let mut table = Table::new("The first solve", &columns);
    for Graph { name, structure } in graphs() {
        let (mut new, mut first) = (Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..RUNS {
            let structure = structure.clone();
            let start = Instant::now();
            let mut stress = Stress::new(structure).expect("a sound structure");
            stress.set_gravity(GRAVITY).expect("a number");
            new.push(ms(start));
            let start = Instant::now();
            let solved = stress.solve();
            first.push(ms(start));
            last = Some((stress, solved));
        }
        let (stress, solved) = last.expect("a run");
        let time = median(&mut first);
        table.row(vec![
            json!(name),
            json!(structure.nodes.len()),
            json!(structure.joints.len()),
            json!(median(&mut new)),
            json!(time),
            json!(first.first()),
            json!(FIRST),
            verdict(time, Some(FIRST)),
            json!(solved.iterations),
            json!(error(&stress, &exact(&structure, &[], &[])) * 100.0),
        ]);
    }
    table
}

/// What changes between two solves.
type Change = (&'static str, fn(&Structure) -> (Vec<u32>, Vec<(u32, Load)>));

fn warm_solves() -> Table {
    let columns = ["graph", "change", "median, ms", "best, ms", "target", "", "steps", "error, %"];
    let mut table = Table::new("Solves after a local change", &columns);
    let changes: [Change; 3] = [
        ("a joint breaks", |structure| (near_middle(structure, 1), Vec::new())),
        ("ten joints break", |structure| (near_middle(structure, 10), Vec::new())),
        ("a tonne is laid on", |structure| {
            let joint = &structure.joints[near_middle(structure, 1)[0] as usize];
            (Vec::new(), vec![(joint.b, Load { force: DVec3::NEG_Y * 9810.0, torque: DVec3::ZERO })])
        }),
    ];
    for Graph { name, structure } in graphs() {
        let mut settled = Stress::new(structure.clone()).expect("a sound structure");
        settled.set_gravity(GRAVITY).expect("a number");
        settled.solve();
        for (what, change) in changes {
            let (joints, loads) = change(&structure);
            let (mut times, mut last) = (Vec::new(), None);
            for _ in 0..RUNS {
                let mut stress = settled.clone();
                let start = Instant::now();
                joints.iter().for_each(|&joint| stress.remove_joint(joint).expect("a joint"));
                loads.iter().for_each(|&(node, load)| stress.set_load(node, load).expect("a node"));
                let solved = stress.solve();
                times.push(ms(start));
                last = Some((stress, solved));
            }
            let (stress, solved) = last.expect("a run");
            let time = median(&mut times);
            table.row(vec![
                json!(name),
                json!(what),
                json!(time),
                json!(times.first()),
                json!(WARM),
                verdict(time, Some(WARM)),
                json!(solved.iterations),
                json!(error(&stress, &exact(&structure, &joints, &loads)) * 100.0),
            ]);
        }
    }
    table
}

/// The joints nearest to the middle of a structure.
fn near_middle(structure: &Structure, count: usize) -> Vec<u32> {
    let sum: DVec3 = structure.joints.iter().map(|joint| joint.point).sum();
    let middle = sum / structure.joints.len() as f64;
    let mut joints: Vec<u32> = (0..structure.joints.len() as u32).collect();
    let away = |joint: &u32| structure.joints[*joint as usize].point.distance_squared(middle);
    joints.sort_by(|x, y| away(x).total_cmp(&away(y)).then(x.cmp(y)));
    joints.truncate(count);
    joints
}

fn exact(structure: &Structure, joints: &[u32], loads: &[(u32, Load)]) -> Stress {
    let mut stress = Stress::with_options(structure.clone(), EXACT).expect("a sound structure");
    stress.set_gravity(GRAVITY).expect("a number");
    joints.iter().for_each(|&joint| stress.remove_joint(joint).expect("a joint"));
    loads.iter().for_each(|&(node, load)| stress.set_load(node, load).expect("a node"));
    let solved = stress.solve();
    assert!(solved.error <= EXACT.accuracy, "{solved:?}");
    stress
}

/// The error of the worst joint's utilisation, as a part of the highest.
fn error(found: &Stress, exact: &Stress) -> f64 {
    let joints = 0..found.structure().joints.len() as u32;
    let ratio = |stress: &Stress, joint| stress.utilisation(joint).map_or(0.0, |own| own.ratio);
    let most = joints.clone().map(|joint| ratio(exact, joint)).fold(0.0, f64::max);
    joints.map(|joint| (ratio(found, joint) - ratio(exact, joint)).abs()).fold(0.0, f64::max) / most
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
