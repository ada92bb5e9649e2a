//! NVIDIA's solver on the same graphs.
//!
//! Blast knows no stiffness: of all impulses through bonds that keep the nodes at rest it looks for the smallest, by conjugate gradients on the normal equations,
//! in `f32`. That is what equal springs would bear, as stiff against turning as their mean length makes them; so ours, given such springs,
//! says what Blast would find with steps without end.

use std::time::Instant;

use blast_stress_solver::Vec3;
use blast_stress_solver::stress_processor::{
    StressBondDesc, StressDataParams, StressImpulse, StressNodeDesc, StressProcessor, StressSolverParams,
    StressVelocity,
};
use glam::{DMat3, DVec3};
use serde_json::json;
use smithereens_stress::{Material, Options, Section, Stress, Structure};
use smithereens_testing::table::Table;

use crate::graphs::graphs;
use crate::{GRAVITY, median, ms};

/// Steps: what Blast gives itself a frame, and more.
const STEPS: [u32; 4] = [25, 100, 400, 1600];
const ACCURACIES: [f64; 2] = [1e-2, 1e-3];

/// Errors over steps and time, of Blast's solver and of ours for the same springs.
pub fn table() -> Table {
    let columns = ["graph", "solver", "steps", "ms", "error of the worst joint, %", "mean error, %"];
    let mut table = Table::new("Blast's springs by Blast's solver and by ours", &columns);
    println!("| (SIMD in Blast: {}) | | | | | |", StressProcessor::using_simd());
    for graph in graphs() {
        let structure = equal_springs(graph.structure);
        let exact = solved(&structure, 1e-10).0;
        for steps in STEPS {
            let (forces, time) = blast(&structure, steps);
            let (worst, mean) = error(&forces, &exact);
            table.row(vec![
                json!(graph.name),
                json!("Blast"),
                json!(steps),
                json!(time),
                json!(worst),
                json!(mean),
            ]);
        }
        for accuracy in ACCURACIES {
            let (forces, time, steps) = solved(&structure, accuracy);
            let (worst, mean) = error(&forces, &exact);
            table.row(vec![
                json!(graph.name),
                json!("ours"),
                json!(steps),
                json!(time),
                json!(worst),
                json!(mean),
            ]);
        }
    }
    table
}

/// The mean length from a node to its joints, which Blast scales angles by.
fn length_scale(structure: &Structure) -> f64 {
    let arms = structure.joints.iter().flat_map(|joint| {
        let of = [joint.a, joint.b].map(|node| &structure.nodes[node as usize]);
        of.into_iter().filter(|node| !node.is_held()).map(|node| node.centre.distance(joint.point))
    });
    let (sum, count) = arms.fold((0.0, 0.0), |(sum, count), arm| (sum + arm, count + 1.0));
    sum / count
}

/// The same graph with the springs that Blast has in mind: all alike in all directions.
fn equal_springs(mut structure: Structure) -> Structure {
    let scale = length_scale(&structure);
    structure.materials = vec![Material { young: 1e9, poisson: 0.0, ..Material::concrete() }];
    for joint in &mut structure.joints {
        let normal = joint.normal.normalize();
        let lengths = [joint.a, joint.b].map(|node| {
            let node = &structure.nodes[node as usize];
            let arm = (joint.point - node.centre).dot(normal).abs();
            if node.is_held() { 0.0 } else { arm }
        });
        // Between two held nodes it bears nothing, however stiff.
        let area = if lengths == [0.0; 2] { 1.0 } else { lengths[0] + lengths[1] };
        let across =
            DMat3::IDENTITY - DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        joint.section = Section { area, second: across * (area * scale * scale) };
    }
    structure
}

fn solved(structure: &Structure, accuracy: f64) -> (Vec<DVec3>, f64, usize) {
    let options = Options { accuracy, most_iterations: 1000, most_openings: 0 };
    let (mut times, mut last) = (Vec::new(), None);
    for _ in 0..5 {
        let own = structure.clone();
        let start = Instant::now();
        let mut stress = Stress::with_options(own, options).expect("a sound structure");
        stress.set_gravity(GRAVITY).expect("a number");
        let steps = stress.solve().iterations;
        times.push(ms(start));
        last = Some((stress, steps));
    }
    let (stress, steps) = last.expect("a run");
    let force = |(index, joint): (u32, &smithereens_stress::Joint)| {
        let own = stress.forces(index).expect("a joint");
        joint.normal.normalize() * own.normal + own.shear
    };
    let forces = (0..).zip(&stress.structure().joints).map(force).collect();
    (forces, median(&mut times), steps)
}

fn blast(structure: &Structure, steps: u32) -> (Vec<DVec3>, f64) {
    let short = |v: DVec3| Vec3::new(v.x as f32, v.y as f32, v.z as f32);
    let inertia = |m: &DMat3| ((m.x_axis.x + m.y_axis.y + m.z_axis.z) / 3.0) as f32;
    let nodes: Vec<StressNodeDesc> = structure
        .nodes
        .iter()
        .map(|n| StressNodeDesc { com: short(n.centre), mass: n.mass as f32, inertia: inertia(&n.inertia) })
        .collect();
    let bonds: Vec<StressBondDesc> = structure
        .joints
        .iter()
        .map(|j| StressBondDesc { centroid: short(j.point), node0: j.a, node1: j.b })
        .collect();
    let still = |held: bool| if held { Vec3::ZERO } else { short(GRAVITY) };
    let velocities: Vec<StressVelocity> =
        structure.nodes.iter().map(|n| StressVelocity { ang: Vec3::ZERO, lin: still(n.is_held()) }).collect();
    let params = StressSolverParams { max_iterations: steps, tolerance: 0.0, warm_start: false };
    let mut impulses = vec![StressImpulse::default(); bonds.len()];
    let data = StressDataParams { equalize_masses: false, center_bonds: false };
    let mut times = Vec::new();
    for _ in 0..if steps > 400 { 1 } else { 5 } {
        let start = Instant::now();
        let mut solver = StressProcessor::new(&nodes, &bonds, data).expect("a sound graph");
        // It says an error where steps ran out, which is what is asked of it.
        let _ = solver.solve(&mut impulses, &velocities, params, false);
        times.push(ms(start));
    }
    let forces =
        impulses.iter().map(|i| DVec3::new(f64::from(i.lin.x), f64::from(i.lin.y), f64::from(i.lin.z)));
    (forces.collect(), median(&mut times))
}

/// The difference of forces as a part of the largest force, in per cent: the worst, and the mean over all joints.
fn error(found: &[DVec3], exact: &[DVec3]) -> (f64, f64) {
    let most = exact.iter().map(|force| force.length()).fold(0.0, f64::max);
    // Impulses push the one node and pull the other: which is which is a convention.
    let off = |sign: f64| found.iter().zip(exact).map(move |(x, y)| (*x * sign - *y).length());
    let (plus, minus): (f64, f64) = (off(1.0).sum(), off(-1.0).sum());
    let sign = if plus <= minus { 1.0 } else { -1.0 };
    let worst = off(sign).fold(0.0, f64::max);
    (worst / most * 100.0, plus.min(minus) / most / found.len() as f64 * 100.0)
}
