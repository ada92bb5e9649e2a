//! Blocks that are only laid on each other.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use smithereens_stress::{Breaking, Failure, Joint, Load, Material, Node, Section, Stress, Structure};

mod shapes;
use shapes::{GRAVITY, block, held_at};

/// A half circle of wedges, a metre in radius and a metre wide, on two abutments.
fn arch(thickness: f64, wedges: u32, material: Material) -> Structure {
    let (inner, outer) = (1.0 - thickness * 0.5, 1.0 + thickness * 0.5);
    let at = |angle: f64| DVec3::new(-libm::cos(angle), libm::sin(angle), 0.0);
    let step = PI / f64::from(wedges);
    let half = step * 0.5;
    let area = half * (outer * outer - inner * inner);
    let centre = 2.0 / 3.0 * libm::sin(half) / half * (outer.powi(3) - inner.powi(3))
        / (outer * outer - inner * inner);
    let mut structure = Structure { materials: vec![material], ..Structure::default() };
    structure.nodes.push(Node::held(at(-half)));
    for wedge in 0..wedges {
        let middle = step * (f64::from(wedge) + 0.5);
        structure.nodes.push(Node::free(at(middle) * centre, area * 2000.0));
    }
    structure.nodes.push(Node::held(at(PI + half)));
    for joint in 0..=wedges {
        let angle = step * f64::from(joint);
        let across = DQuat::from_rotation_z(-PI * 0.5) * at(angle);
        let section = Section::rectangle(at(angle) * thickness, DVec3::Z);
        structure.joints.push(Joint::new(joint, joint + 1, at(angle), across, section));
    }
    structure
}

fn stands(structure: Structure) -> (bool, Stress) {
    let mut stress = Stress::new(structure).unwrap();
    stress.set_gravity(GRAVITY).unwrap();
    stress.solve();
    let is_standing = stress.overloaded().is_empty();
    (is_standing, stress)
}

#[test]
fn an_arch_stands_if_a_thrust_line_fits() {
    // Milankovitch: a half circle stands if its thickness is at least 0.1075 of its radius.
    let dry = Material::stone().dry(1.0);
    for thickness in [0.3, 0.2, 0.15, 0.13, 0.12, 0.115] {
        let (is_standing, stress) = stands(arch(thickness, 36, dry));
        assert!(is_standing, "{thickness}: {:?}", stress.highest());
        let joints = 0..stress.structure().joints.len() as u32;
        assert!(
            joints.map(|joint| stress.forces(joint).unwrap().normal).all(|normal| normal < 0.0),
            "no tension"
        );
    }
    for thickness in [0.1, 0.09, 0.05] {
        let (is_standing, mut stress) = stands(arch(thickness, 36, dry));
        assert!(!is_standing, "{thickness}: {:?}", stress.highest());
        assert_eq!(stress.highest().unwrap().1.failure, Failure::Hinge);
        let broken = stress.break_overloaded(&Breaking::default());
        assert!(broken.falling().count() > 10, "{thickness}: {} fall", broken.falling().count());
    }
}

#[test]
fn the_thinnest_arch_is_milankovitchs() {
    let dry = Material::stone().dry(1.0);
    let (mut falls, mut stands_at) = (0.09, 0.13);
    while stands_at - falls > 2e-4 {
        let middle = (falls + stands_at) * 0.5;
        *if stands(arch(middle, 60, dry)).0 { &mut stands_at } else { &mut falls } = middle;
    }
    assert!((stands_at / 0.1075 - 1.0).abs() < 0.02, "{stands_at}");
}

#[test]
fn a_bonded_arch_stands_thinner_than_a_dry_one() {
    let bonded = arch(0.05, 36, Material::concrete());
    let (is_standing, stress) = stands(bonded);
    assert!(is_standing, "{:?}", stress.highest());
}

#[test]
fn a_block_slides_where_the_slope_is_steeper_than_friction() {
    for friction in [0.2, 0.5, 0.9] {
        for (part, is_standing) in [(0.95, true), (1.05, false)] {
            let angle = libm::atan(friction * part);
            let normal = DVec3::new(libm::sin(angle), libm::cos(angle), 0.0);
            let section = Section::square(4.0, normal);
            let structure = Structure {
                nodes: vec![
                    Node::held(-normal),
                    Node::boxed(normal * 0.1, DVec3::new(2.0, 0.2, 2.0), 2000.0),
                ],
                joints: vec![Joint::new(0, 1, DVec3::ZERO, normal, section)],
                materials: vec![Material::stone().dry(friction)],
            };
            let (stood, stress) = stands(structure);
            assert_eq!(stood, is_standing, "{friction} {part}: {:?}", stress.highest());
        }
    }
}

#[test]
fn a_dry_tower_tips_when_the_thrust_leaves_its_foot() {
    // Ten cubes, pushed at the top: it tips at F h = W b / 2.
    let (counts, size) = ([1, 10, 1], DVec3::new(1.0, 10.0, 1.0));
    let tower = held_at(block(counts, size, 2000.0, Material::stone().dry(0.7)), counts, size, 1);
    let limit = 10.0 * 2000.0 * 9.81 * 0.5 / 9.5;
    for (part, is_standing) in [(0.3, true), (0.9, true), (0.98, true), (1.02, false), (2.0, false)] {
        let mut stress = Stress::new(tower.clone()).unwrap();
        stress.set_gravity(GRAVITY).unwrap();
        stress.set_load(9, Load { force: DVec3::X * limit * part, torque: DVec3::ZERO }).unwrap();
        let broken = stress.break_overloaded(&Breaking::default());
        assert_eq!(broken.joints.is_empty(), is_standing, "{part}: {:?}", broken.joints.first());
    }
}

#[test]
fn a_dry_joint_holds_nothing_from_above() {
    let (counts, size) = ([1, 3, 1], DVec3::new(1.0, 3.0, 1.0));
    let hung = held_at(block(counts, size, 2000.0, Material::stone().dry(0.7)), counts, size, 1);
    let mut stress = Stress::new(hung).unwrap();
    stress.set_gravity(-GRAVITY).unwrap();
    let broken = stress.break_overloaded(&Breaking::default());
    assert_eq!(broken.joints[0].1.failure, Failure::Tension);
    assert_eq!(broken.falling().count(), 3);
}
