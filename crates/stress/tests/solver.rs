//! The solver against a dense one, against itself, and against bad input.

use glam::{DMat3, DQuat, DVec3};
use rand::RngExt;
use smithereens_stress::{
    Breaking, Forces, Joint, Load, Material, Node, Options, Section, Stress, Structure,
};

mod shapes;
use shapes::{GRAVITY, block, chance, held_at, placed, tangle, unit};

const EXACT: Options = Options { accuracy: 1e-9, most_iterations: 1000, most_openings: 300 };

/// The force and moment at a joint's point that pull `a` after `b`.
fn wrench(forces: &Forces, joint: &Joint) -> (DVec3, DVec3) {
    let normal = joint.normal.normalize();
    (normal * forces.normal + forces.shear, normal * forces.torsion + forces.bending)
}

fn all_forces(stress: &Stress) -> Vec<(DVec3, DVec3)> {
    let joints = (0..).zip(&stress.structure().joints);
    joints.map(|(at, joint)| stress.forces(at).map_or_else(Default::default, |f| wrench(&f, joint))).collect()
}

/// What acts on nodes besides joints: gravity and loads, and where nothing holds, their inertia.
fn with_loads(stress: &mut Stress, seed: u64) -> Vec<Load> {
    let mut chance = chance(seed ^ 77);
    stress.set_gravity(GRAVITY).unwrap();
    let nodes = stress.structure().nodes.clone();
    let mut loads: Vec<Load> =
        nodes.iter().map(|node| Load { force: GRAVITY * node.mass, torque: DVec3::ZERO }).collect();
    for (node, all) in loads.iter_mut().enumerate() {
        if chance.random_bool(0.3) {
            let load = Load { force: unit(&mut chance) * 1e4, torque: unit(&mut chance) * 3e3 };
            stress.set_load(node as u32, load).unwrap();
            all.force += load.force;
            all.torque += load.torque;
        }
    }
    loads
}

/// Takes from the loads on islands that nothing holds what accelerates them.
fn relieve(stress: &Stress, loads: &mut [Load]) {
    let nodes = &stress.structure().nodes;
    for island in stress.islands().iter().filter(|island| !island.is_held) {
        let of = || island.nodes.iter().map(|&node| node as usize);
        let mass: f64 = of().map(|n| nodes[n].mass).sum();
        let centre = of().map(|n| nodes[n].centre * nodes[n].mass).sum::<DVec3>() / mass;
        let force: DVec3 = of().map(|n| loads[n].force).sum();
        let torque: DVec3 =
            of().map(|n| loads[n].torque + (nodes[n].centre - centre).cross(loads[n].force)).sum();
        let mut inertia = DMat3::ZERO;
        for n in of() {
            let away = nodes[n].centre - centre;
            let outer = DMat3::from_cols(away * away.x, away * away.y, away * away.z);
            let square = DMat3::from_diagonal(DVec3::splat(away.length_squared()));
            inertia += nodes[n].inertia + (square - outer) * nodes[n].mass;
        }
        let (linear, angular) = (force / mass, inertia.inverse() * torque);
        for n in of() {
            let own = linear + angular.cross(nodes[n].centre - centre);
            loads[n].force -= own * nodes[n].mass;
            loads[n].torque -= nodes[n].inertia * angular;
        }
    }
}

/// How far the worst node is from equilibrium, as a part of the largest load or force through a joint.
fn imbalance(structure: &Structure, loads: &[Load], heaviest: f64, forces: &[(DVec3, DVec3)]) -> f64 {
    let mut rest: Vec<(DVec3, DVec3)> = loads.iter().map(|load| (load.force, load.torque)).collect();
    let mut most = heaviest;
    for (joint, &(force, moment)) in structure.joints.iter().zip(forces) {
        most = f64::max(most, force.length().max(moment.length()));
        for (node, sign) in [(joint.a, 1.0), (joint.b, -1.0)] {
            let arm = joint.point - structure.nodes[node as usize].centre;
            rest[node as usize].0 += force * sign;
            rest[node as usize].1 += (arm.cross(force) + moment) * sign;
        }
    }
    let free = rest.iter().zip(&structure.nodes).filter(|(_, node)| !node.is_held());
    free.map(|((force, torque), _)| force.length().max(torque.length())).fold(0.0, f64::max)
        / most.max(1e-300)
}

/// Forces through all joints by a dense solver: springs of all joints, one node of each loose island at rest.
fn dense(stress: &Stress, loads: &[Load]) -> Vec<(DVec3, DVec3)> {
    let structure = stress.structure();
    let mut is_fixed: Vec<bool> = structure.nodes.iter().map(Node::is_held).collect();
    for island in stress.islands().iter().filter(|island| !island.is_held) {
        is_fixed[island.nodes[island.nodes.len() / 2] as usize] = true;
    }
    let free: Vec<usize> = (0..is_fixed.len()).filter(|&node| !is_fixed[node]).collect();
    let place = |node: u32| free.iter().position(|&other| other == node as usize);
    let size = 6 * free.len();
    let mut matrix = vec![vec![0.0; size + 1]; size];
    let springs: Vec<_> = structure.joints.iter().map(|joint| spring(structure, joint)).collect();
    for (index, (joint, spring)) in structure.joints.iter().zip(&springs).enumerate() {
        if stress.is_broken(index as u32) == Some(true) {
            continue;
        }
        let ends = [(place(joint.a), joint.a, -1.0), (place(joint.b), joint.b, 1.0)];
        for (row, a, sign) in ends {
            for (column, b, other) in ends {
                let (Some(row), Some(column)) = (row, column) else { continue };
                let (x, y) = (strain(structure, joint, a), strain(structure, joint, b));
                for i in 0..6 {
                    for j in 0..6 {
                        let sum: f64 = (0..6)
                            .map(|k| (0..6).map(|l| x[k][i] * spring[k][l] * y[l][j]).sum::<f64>())
                            .sum();
                        matrix[6 * row + i][6 * column + j] += sum * sign * other;
                    }
                }
            }
        }
    }
    for (row, &node) in free.iter().enumerate() {
        for k in 0..3 {
            matrix[6 * row + k][size] = loads[node].force[k];
            matrix[6 * row + 3 + k][size] = loads[node].torque[k];
        }
    }
    let x = gauss(matrix);
    let motion = |node: u32| place(node).map_or([0.0; 6], |at| std::array::from_fn(|k| x[6 * at + k]));
    let force = |(joint, spring): (&Joint, &[[f64; 6]; 6])| {
        let (a, b) = (motion(joint.a), motion(joint.b));
        let (x, y) = (strain(structure, joint, joint.a), strain(structure, joint, joint.b));
        let gap: [f64; 6] =
            std::array::from_fn(|k| (0..6).map(|l| y[k][l] * b[l] - x[k][l] * a[l]).sum::<f64>());
        let pull: [f64; 6] = std::array::from_fn(|k| (0..6).map(|l| spring[k][l] * gap[l]).sum());
        (DVec3::from_slice(&pull[..3]), DVec3::from_slice(&pull[3..]))
    };
    structure.joints.iter().zip(&springs).map(force).collect()
}

/// How a motion of a node moves a joint's point.
fn strain(structure: &Structure, joint: &Joint, node: u32) -> [[f64; 6]; 6] {
    let arm = joint.point - structure.nodes[node as usize].centre;
    let mut matrix = [[0.0; 6]; 6];
    (0..6).for_each(|k| matrix[k][k] = 1.0);
    for k in 0..3 {
        let moved = DVec3::AXES[k].cross(arm);
        (0..3).for_each(|row| matrix[row][3 + k] = moved[row]);
    }
    matrix
}

/// A joint's stiffness, as the page of the algorithm says.
fn spring(structure: &Structure, joint: &Joint) -> [[f64; 6]; 6] {
    let material = &structure.materials[joint.material as usize];
    let normal = joint.normal.normalize();
    let mut length = 0.0;
    for node in [joint.a, joint.b].map(|node| &structure.nodes[node as usize]).iter().filter(|n| !n.is_held())
    {
        let arm = joint.point - node.centre;
        length += arm.dot(normal).abs().max(0.1 * arm.length());
    }
    length = length.max(0.01 * joint.section.area.sqrt());
    let (young, shear) = (material.young / length, material.shear_modulus() / length);
    let across = DMat3::IDENTITY - DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
    let along = DMat3::IDENTITY - across;
    let second = across * joint.section.second * across;
    let polar = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    // ∫ (n × p)(n × p)ᵀ dA: what is left of the polar moment.
    let bending = across * polar - second;
    let linear = (along * young + across * (2.0 * shear)) * joint.section.area;
    let angular = bending * young + along * (polar * shear);
    let mut matrix = [[0.0; 6]; 6];
    for row in 0..3 {
        for column in 0..3 {
            matrix[row][column] = linear.col(column)[row];
            matrix[3 + row][3 + column] = angular.col(column)[row];
        }
    }
    matrix
}

fn gauss(mut matrix: Vec<Vec<f64>>) -> Vec<f64> {
    let size = matrix.len();
    for pivot in 0..size {
        let best = (pivot..size).max_by(|&x, &y| matrix[x][pivot].abs().total_cmp(&matrix[y][pivot].abs()));
        matrix.swap(pivot, best.unwrap());
        let (above, below) = matrix.split_at_mut(pivot + 1);
        let own = &above[pivot];
        for row in below.iter_mut().filter(|row| row[pivot] != 0.0) {
            let factor = row[pivot] / own[pivot];
            (pivot..=size).for_each(|column| row[column] -= factor * own[column]);
        }
    }
    let mut x = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * x[column]).sum();
        x[row] = (matrix[row][size] - known) / matrix[row][row];
    }
    x
}

/// What rounding of motions makes of forces: where soft joints let stiff ones move far, their small strains are differences of
/// large numbers.
fn rounding(stress: &Stress) -> f64 {
    let structure = stress.structure();
    let joints = (0..).zip(&structure.joints).filter(|(index, _)| stress.is_broken(*index) == Some(false));
    let moved = |node: u32, joint: &Joint| {
        let (place, turn) = stress.motion(node).unwrap();
        let arm = joint.point - structure.nodes[node as usize].centre;
        place.length() + turn.length() * arm.length()
    };
    let of = |(_, joint): (u32, &Joint)| {
        let spring = spring(structure, joint);
        let stiffest = (0..3).map(|k| spring[k][k]).fold(0.0, f64::max);
        stiffest * (moved(joint.a, joint) + moved(joint.b, joint))
    };
    joints.map(of).fold(0.0, f64::max) * f64::EPSILON
}

/// The largest difference of forces, as a part of the largest force.
fn difference(stress: &Stress, expected: &[(DVec3, DVec3)], heaviest: f64) -> f64 {
    let (mut most, mut worst) = (heaviest, 0.0);
    for (index, (joint, &(force, moment))) in (0..).zip(stress.structure().joints.iter().zip(expected)) {
        let Some(found) = stress.forces(index) else { continue };
        let (own, turn) = wrench(&found, joint);
        most = f64::max(most, force.length().max(moment.length()));
        worst = f64::max(worst, (own - force).length().max((turn - moment).length()));
    }
    worst / most
}

#[test]
fn any_tangle_is_solved_as_a_dense_solver_does() {
    let mut close = 0;
    for seed in 0..300 {
        let options = Options { accuracy: 1e-13, most_iterations: 20, ..EXACT };
        let mut stress = Stress::with_options(tangle(seed), options).unwrap();
        let mut loads = with_loads(&mut stress, seed);
        let solved = stress.solve();
        let heaviest = loads.iter().map(|load| load.force.length()).fold(0.0, f64::max);
        relieve(&stress, &mut loads);
        let expected = dense(&stress, &loads);
        let off = difference(&stress, &expected, heaviest);
        let hair = rounding(&stress) / heaviest;
        let its_own = imbalance(stress.structure(), &loads, heaviest, &expected);
        assert!(
            off < 1e-6 + 30.0 * (hair + its_own),
            "{seed}: off by {off:e}, its own {its_own:e}, hair {hair:e}, {solved:?}"
        );
        let rest = imbalance(stress.structure(), &loads, heaviest, &all_forces(&stress));
        assert!(rest < 1e-8 + 4.0 * hair, "{seed}: out of balance by {rest:e}, hair {hair:e}");
        close += usize::from(off < 1e-8);
    }
    // Soft joints next to stiff ones cost digits; most tangles lose few.
    assert!(close > 200, "{close}");
}

#[test]
fn a_chain_bears_exactly_what_hangs_on_it() {
    // Statically determinate: the forces follow from balance alone, whatever the stiffness.
    for seed in 0..40 {
        let mut chance = chance(seed);
        let count = chance.random_range(2..200u32);
        let mut structure = Structure { materials: vec![Material::stone()], ..Structure::default() };
        structure.nodes.push(Node::held(DVec3::ZERO));
        let mut at = DVec3::ZERO;
        for node in 1..=count {
            let step = unit(&mut chance) * chance.random_range(0.1..1.0);
            let section = Section::square(10f64.powf(chance.random_range(-4.0..0.0)), step);
            structure.joints.push(Joint::new(node - 1, node, at + step * 0.5, step, section));
            at += step;
            structure.nodes.push(Node::free(at, chance.random_range(1.0..100.0)));
        }
        let mut stress = Stress::with_options(structure, EXACT).unwrap();
        stress.set_gravity(GRAVITY).unwrap();
        stress.solve();
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        let structure = stress.structure();
        let rounding = rounding(&stress) * 4.0;
        for joint in (0..count).rev() {
            let own = &structure.joints[joint as usize];
            let node = &structure.nodes[joint as usize + 1];
            if let Some(next) = structure.joints.get(joint as usize + 1) {
                moment += (next.point - own.point).cross(force);
            }
            moment += (node.centre - own.point).cross(GRAVITY * node.mass);
            force += GRAVITY * node.mass;
            let (pull, turn) = wrench(&stress.forces(joint).unwrap(), own);
            let most = force.length() * 1e-9 + rounding;
            assert!((pull - force).length() < most, "{seed} {joint}: {pull} {force}");
            assert!((turn - moment).length() < most * (1.0 + at.length()), "{seed} {joint}: {turn} {moment}");
        }
    }
}

/// The highest stress error over all joints, as a part of the highest stress.
fn stress_error(found: &Stress, exact: &Stress) -> f64 {
    let all = 0..found.structure().joints.len() as u32;
    let ratio = |stress: &Stress, joint| stress.utilisation(joint).map_or(0.0, |own| own.ratio);
    let most = all.clone().map(|joint| ratio(exact, joint)).fold(0.0, f64::max);
    all.map(|joint| (ratio(found, joint) - ratio(exact, joint)).abs()).fold(0.0, f64::max) / most
}

/// Towers, walls and blocks that are too large for the direct solver.
fn large() -> Vec<Structure> {
    let shapes = [
        ([12, 12, 12], DVec3::splat(6.0), 1),
        ([40, 30, 1], DVec3::new(20.0, 10.0, 0.5), 1),
        ([4, 120, 4], DVec3::new(2.0, 60.0, 2.0), 1),
        ([150, 3, 4], DVec3::new(90.0, 1.5, 3.0), 0),
    ];
    let build =
        |(counts, size, axis)| held_at(block(counts, size, 2400.0, Material::concrete()), counts, size, axis);
    shapes.map(build).to_vec()
}

#[test]
fn the_accuracy_asked_for_is_the_accuracy_of_the_stresses() {
    for (index, structure) in large().into_iter().enumerate() {
        let mut exact = Stress::with_options(structure.clone(), EXACT).unwrap();
        let mut stress = Stress::new(structure).unwrap();
        for stress in [&mut exact, &mut stress] {
            stress.set_gravity(GRAVITY).unwrap();
            stress.set_load(3, Load { force: DVec3::new(1e4, 0.0, 2e4), torque: DVec3::ZERO }).unwrap();
        }
        assert!(exact.solve().error <= 1e-9);
        let solved = stress.solve();
        assert!(solved.iterations <= 20, "{index}: {solved:?}");
        let off = stress_error(&stress, &exact);
        assert!(off < 1e-2, "{index}: {off}");
    }
}

#[test]
fn turned_moved_and_scaled_it_is_as_much_used() {
    for (index, structure) in large().into_iter().enumerate().take(3) {
        let turn = DQuat::from_scaled_axis(DVec3::new(0.4, -1.0, 2.0));
        let solve = |structure: Structure, gravity: DVec3| {
            let mut stress = Stress::with_options(structure, EXACT).unwrap();
            stress.set_gravity(gravity).unwrap();
            assert!(stress.solve().error <= 1e-9);
            stress
        };
        let plain = solve(structure.clone(), GRAVITY);
        for scale in [1e-3, 1.0, 50.0] {
            // Stress goes with length: a smaller gravity for a larger body.
            let moved = placed(&structure, turn, scale, DVec3::new(30.0, -8.0, 100.0) * scale);
            let off = stress_error(&solve(moved, turn * GRAVITY / scale), &plain);
            assert!(off < 1e-5, "{index} at {scale}: {off:e}");
        }
    }
}

#[test]
fn changes_one_after_the_other_give_what_a_fresh_start_gives() {
    let mut structures: Vec<Structure> = (300..340).map(tangle).collect();
    structures.extend(large());
    for (index, structure) in structures.into_iter().enumerate() {
        let mut chance = chance(index as u64);
        let mut kept = Stress::with_options(structure.clone(), EXACT).unwrap();
        kept.set_gravity(GRAVITY).unwrap();
        kept.solve();
        let (mut removed, mut loads) = (Vec::new(), Vec::new());
        for round in 0..5 {
            for _ in 0..chance.random_range(0..6) {
                let joint = chance.random_range(0..structure.joints.len().max(1) as u32);
                if kept.is_broken(joint) == Some(false) {
                    kept.remove_joint(joint).unwrap();
                    removed.push(joint);
                }
            }
            let node = chance.random_range(0..structure.nodes.len() as u32);
            let load = Load { force: unit(&mut chance) * 1e4, torque: unit(&mut chance) * 1e3 };
            kept.set_load(node, load).unwrap();
            loads.push((node, load));
            let warm = kept.solve();
            let mut fresh = Stress::with_options(structure.clone(), EXACT).unwrap();
            fresh.set_gravity(GRAVITY).unwrap();
            loads.iter().for_each(|&(node, load)| fresh.set_load(node, load).unwrap());
            removed.iter().for_each(|&joint| fresh.remove_joint(joint).unwrap());
            fresh.solve();
            let expected = all_forces(&fresh);
            let off = difference(&kept, &expected, 1e4);
            let hair = (rounding(&kept) + rounding(&fresh)) / 1e4;
            assert!(
                off < 1e-5 + 300.0 * hair && warm.error <= 1e-9,
                "{index} round {round}: {off:e} {warm:?}"
            );
            assert_eq!(kept.islands(), fresh.islands());
        }
        assert_eq!(kept.solve().iterations, 0, "nothing has changed");
    }
}

#[test]
fn a_small_change_takes_few_steps() {
    for (index, structure) in large().into_iter().enumerate() {
        let mut stress = Stress::new(structure).unwrap();
        stress.set_gravity(GRAVITY).unwrap();
        let first = stress.solve().iterations;
        stress.remove_joint(200).unwrap();
        let warm = stress.solve().iterations;
        assert!(warm * 3 <= first * 2, "{index}: {warm} after {first}");
    }
}

#[test]
fn the_same_bits_on_any_thread() {
    let run = |_: usize| {
        let mut stress = Stress::new(large().swap_remove(2)).unwrap();
        stress.set_gravity(DVec3::new(30.0, -100.0, 10.0)).unwrap();
        let broken = stress.break_overloaded(&Breaking { most_rounds: 6, ..Breaking::default() });
        let bits = |joint| stress.forces(joint).map_or(0, |forces| forces.normal.to_bits());
        let all: Vec<u64> = (0..stress.structure().joints.len() as u32).map(bits).collect();
        (broken.joints.iter().map(|(joint, _)| *joint).collect::<Vec<_>>(), all)
    };
    let alone = run(0);
    assert!(!alone.0.is_empty());
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let all: Vec<_> = pool.install(|| {
            use rayon::prelude::*;
            (0..3usize).into_par_iter().map(run).collect()
        });
        assert!(all.iter().all(|one| *one == alone));
    }
}
