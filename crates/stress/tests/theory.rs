//! Beams, bars and columns against what books say.

use glam::DVec3;
use smithereens_stress::{Breaking, Failure, Joint, Material, Node, Section, Stress, Structure};

mod shapes;
use shapes::{GRAVITY, block, held_at};

const MATERIALS: [(Material, f64); 3] =
    [(Material::concrete(), 2400.0), (Material::glass(), 2500.0), (Material::wood(), 650.0)];

/// The stress at which bending breaks a material, and how: wood is crushed before it tears.
fn weaker(material: &Material) -> (f64, Failure) {
    match material.tension <= material.compression {
        true => (material.tension, Failure::Tension),
        false => (material.compression, Failure::Compression),
    }
}

/// The highest utilisation under gravity, and where it is.
fn worst(structure: Structure) -> (f64, DVec3, Failure) {
    let mut stress = Stress::new(structure).unwrap();
    stress.set_gravity(GRAVITY).unwrap();
    let solved = stress.solve();
    assert!(solved.error <= 1e-3, "{solved:?}");
    let (joint, most) = stress.highest().unwrap();
    (most.ratio, stress.structure().joints[joint as usize].point, most.failure)
}

/// The length at which a structure breaks, halving from a length that stands and one that does not.
fn breaking_length(guess: f64, structure: impl Fn(f64) -> Structure) -> f64 {
    let (mut stands, mut breaks) = (guess * 0.3, guess * 3.0);
    assert!(worst(structure(stands)).0 < 1.0 && worst(structure(breaks)).0 > 1.0);
    while breaks - stands > guess * 1e-3 {
        let middle = (stands + breaks) * 0.5;
        *if worst(structure(middle)).0 < 1.0 { &mut stands } else { &mut breaks } = middle;
    }
    stands
}

#[test]
fn a_cantilever_breaks_at_its_root_at_the_length_of_beam_theory() {
    for (material, density) in MATERIALS {
        for depth in [0.05, 0.4, 3.0] {
            // σ = M c / I with M = ρ g A L² / 2.
            let (strength, by) = weaker(&material);
            let theory = (strength * depth / (3.0 * density * 9.81)).sqrt();
            for counts in [[12, 1, 1], [24, 2, 1], [40, 4, 2]] {
                let beam = |length: f64| {
                    let size = DVec3::new(length, depth, depth * 0.7);
                    held_at(block(counts, size, density, material), counts, size, 0)
                };
                let length = breaking_length(theory, beam);
                assert!((length / theory - 1.0).abs() < 0.1, "{depth} {counts:?}: {length}, theory {theory}");
                let (_, at, failure) = worst(beam(length * 1.05));
                assert!(at.x.abs() < 1e-9, "{depth} {counts:?}: at {at}");
                assert_eq!(failure, by);
            }
        }
    }
}

#[test]
fn a_hanging_bar_breaks_at_its_top_at_the_right_length() {
    for (material, density) in MATERIALS {
        let theory = material.tension / (density * 9.81);
        for width in [0.01, 0.3, 2.0] {
            for counts in [[1, 10, 1], [2, 30, 2], [3, 80, 3]] {
                let bar = |length: f64| {
                    let size = DVec3::new(width, length, width);
                    // Held at the lower end and turned over: gravity pulls it off.
                    let mut bar = held_at(block(counts, size, density, material), counts, size, 1);
                    bar.nodes.iter_mut().for_each(|node| node.centre.y *= -1.0);
                    bar.joints.iter_mut().for_each(|joint| {
                        joint.point.y *= -1.0;
                        joint.normal.y *= -1.0;
                    });
                    bar
                };
                let length = breaking_length(theory, bar);
                assert!(
                    (length / theory - 1.0).abs() < 0.05,
                    "{width} {counts:?}: {length}, theory {theory}"
                );
                let (_, at, failure) = worst(bar(length * 1.02));
                assert!(at.y.abs() < 1e-9 && failure == Failure::Tension, "{at}");
            }
        }
    }
}

#[test]
fn a_beam_on_two_pins_breaks_in_its_middle() {
    for (material, density) in MATERIALS {
        for depth in [0.1, 0.5, 2.0] {
            // σ = M c / I with M = ρ g A L² / 8.
            let (strength, by) = weaker(&material);
            let theory = (strength * depth * 4.0 / (3.0 * density * 9.81)).sqrt();
            let beam = |length: f64| {
                let (counts, size) = ([20, 1, 1], DVec3::new(length, depth, depth));
                let mut beam = block(counts, size, density, material);
                let strong = Material { tension: 1e20, compression: 1e20, shear: 1e20, ..material };
                beam.materials.push(strong);
                let piece = length / 20.0;
                for (node, x) in [(0, piece * 0.5), (19, length - piece * 0.5)] {
                    let ground = beam.nodes.len() as u32;
                    // At half depth: pins below would make it an arch.
                    let point = DVec3::new(x, depth * 0.5, depth * 0.5);
                    beam.nodes.push(Node::held(point - DVec3::Y * 0.1));
                    // A line across the beam: it turns about it.
                    let pin = Section::rectangle(DVec3::X * 1e-4 * piece, DVec3::Z * depth);
                    let joint = Joint::new(ground, node, point, DVec3::Y, pin);
                    beam.joints.push(Joint { material: 1, ..joint });
                }
                beam
            };
            // Pins are half a piece inside of the ends, L / 40: that takes a tenth of the moment.
            let length = breaking_length(theory, beam);
            assert!(
                (length * 0.9f64.sqrt() / theory - 1.0).abs() < 0.05,
                "{depth}: {length}, theory {theory}"
            );
            let (_, at, failure) = worst(beam(length * 1.02));
            assert!((at.x / length - 0.5).abs() < 0.03 && failure == by, "{at}");
        }
    }
}

#[test]
fn a_column_is_crushed_at_its_foot() {
    let material = Material::brickwork();
    let theory = material.compression / (1800.0 * 9.81);
    let counts = [2, 40, 2];
    let column = |height: f64| {
        let size = DVec3::new(1.0, height, 1.0);
        held_at(block(counts, size, 1800.0, material), counts, size, 1)
    };
    let height = breaking_length(theory, column);
    assert!((height / theory - 1.0).abs() < 0.05, "{height}, theory {theory}");
    let (_, at, failure) = worst(column(height * 1.02));
    assert!(at.y.abs() < 1e-9 && failure == Failure::Compression, "{at}");
}

#[test]
fn a_shaft_is_twisted_off_at_the_torque_of_theory() {
    let material = Material { friction: 0.0, ..Material::steel() };
    let (counts, size) = ([10, 1, 1], DVec3::new(4.0, 0.2, 0.2));
    let mut stress = Stress::new(held_at(block(counts, size, 7800.0, material), counts, size, 0)).unwrap();
    // τ = T r / J of a square, at its corner.
    let torque = material.shear * (0.2f64.powi(4) / 6.0) / (0.1 * 2f64.sqrt());
    for (part, breaks) in [(0.999, false), (1.001, true)] {
        let load = smithereens_stress::Load { torque: DVec3::X * torque * part, ..Default::default() };
        stress.set_load(9, load).unwrap();
        stress.solve();
        assert_eq!(!stress.overloaded().is_empty(), breaks, "{part}: {:?}", stress.highest());
    }
    assert_eq!(stress.highest().unwrap().1.failure, Failure::Shear);
}

#[test]
fn a_beam_far_too_long_breaks_once_and_what_falls_bears_nothing() {
    let (counts, size) = ([60, 2, 1], DVec3::new(60.0, 1.0, 0.5));
    let beam = held_at(block(counts, size, 2400.0, Material::concrete()), counts, size, 0);
    let mut stress = Stress::new(beam).unwrap();
    stress.set_gravity(GRAVITY).unwrap();
    let broken = stress.break_overloaded(&Breaking::default());
    assert!(!broken.is_overloaded);
    // The two joints of the root, the upper one first, and no other.
    assert_eq!(broken.joints.len(), 2, "{:?}", broken.joints);
    let joints = &stress.structure().joints;
    assert!(broken.joints.iter().all(|(joint, _)| joints[*joint as usize].point.x == 0.0));
    assert!(joints[broken.joints[0].0 as usize].point.y > 0.5);
    assert_eq!(broken.falling().count(), 120);
    let most = stress.highest().unwrap().1.ratio;
    assert!(most < 1e-6, "what falls freely bears nothing, not {most}");
}
