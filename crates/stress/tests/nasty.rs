//! Bad input, and input with nothing in it.

use glam::{DMat3, DVec3};
use smithereens_stress::{Breaking, Joint, Load, Material, Node, Section, Stress, StressError, Structure};

mod shapes;
use shapes::{GRAVITY, block, held_at};

fn pair() -> Structure {
    let section = Section::rectangle(DVec3::Y, DVec3::Z);
    Structure {
        nodes: vec![Node::held(DVec3::ZERO), Node::free(DVec3::X, 10.0)],
        joints: vec![Joint::new(0, 1, DVec3::X * 0.5, DVec3::X, section)],
        materials: vec![Material::concrete()],
    }
}

#[test]
fn bad_structures_are_named() {
    type Spoil = fn(&mut Structure);
    let cases: [(Spoil, StressError); 14] = [
        (|s| s.nodes[1].mass = 0.0, StressError::NoMass(1)),
        (|s| s.nodes[1].mass = f64::NAN, StressError::NodeNotFinite(1)),
        (|s| s.nodes[0].centre.y = f64::INFINITY, StressError::NodeNotFinite(0)),
        (|s| s.nodes[1].inertia = DMat3::NAN, StressError::NodeNotFinite(1)),
        (|s| s.joints[0].a = 7, StressError::NoSuchNode { joint: 0, node: 7, nodes: 2 }),
        (|s| s.joints[0].a = 1, StressError::JoinsItself { joint: 0, node: 1 }),
        (|s| s.joints[0].point.x = f64::NAN, StressError::JointNotFinite(0)),
        (|s| s.joints[0].section.area = 0.0, StressError::NoArea(0)),
        (|s| s.joints[0].section.area = f64::NAN, StressError::JointNotFinite(0)),
        (|s| s.joints[0].normal = DVec3::ZERO, StressError::NoNormal(0)),
        (|s| s.joints[0].section.second = -DMat3::IDENTITY, StressError::NegativeMoments(0)),
        (|s| s.joints[0].material = 1, StressError::NoSuchMaterial { joint: 0, material: 1, materials: 1 }),
        (
            |s| s.materials[0].young = 0.0,
            StressError::Material { material: 0, what: "Young's modulus must be finite and above zero" },
        ),
        (
            |s| s.materials[0].tension = f64::NAN,
            StressError::Material { material: 0, what: "a strength must be zero or more, or infinite" },
        ),
    ];
    for (spoil, expected) in cases {
        let mut structure = pair();
        spoil(&mut structure);
        assert_eq!(Stress::new(structure).err(), Some(expected));
    }
}

#[test]
fn bad_loads_are_named_and_change_nothing() {
    let mut stress = Stress::new(pair()).unwrap();
    assert_eq!(stress.set_gravity(DVec3::NAN), Err(StressError::GravityNotFinite));
    let bad = Load { force: DVec3::splat(f64::NAN), torque: DVec3::ZERO };
    assert_eq!(stress.set_load(1, bad), Err(StressError::LoadNotFinite(1)));
    assert_eq!(stress.set_load(2, Load::default()), Err(StressError::LoadOnNothing { node: 2, nodes: 2 }));
    assert_eq!(stress.remove_joint(1), Err(StressError::NoSuchJoint { joint: 1, joints: 1 }));
    stress.remove_joint(0).unwrap();
    assert_eq!(stress.remove_joint(0), Err(StressError::NoSuchJoint { joint: 0, joints: 1 }));
    stress.solve();
    assert_eq!((stress.forces(0), stress.utilisation(0), stress.highest()), (None, None, None));
}

#[test]
fn nothing_is_solved_at_once() {
    let no_joints = Structure { joints: Vec::new(), ..pair() };
    let all_held = Structure { nodes: vec![Node::held(DVec3::ZERO), Node::held(DVec3::X)], ..pair() };
    let one_node = Structure { nodes: vec![Node::free(DVec3::ZERO, 1.0)], ..Structure::default() };
    for structure in [Structure::default(), no_joints, all_held, one_node] {
        let mut stress = Stress::new(structure).unwrap();
        stress.set_gravity(GRAVITY).unwrap();
        let broken = stress.break_overloaded(&Breaking::default());
        assert!(broken.joints.is_empty() && !broken.is_overloaded);
        assert!(stress.highest().is_none_or(|(_, own)| own.ratio == 0.0));
    }
}

#[test]
fn unloaded_nothing_is_used() {
    let mut stress = Stress::new(pair()).unwrap();
    assert_eq!(stress.solve().iterations, 0);
    assert_eq!(stress.highest().unwrap().1.ratio, 0.0);
}

#[test]
fn joints_twice_over_share_the_load() {
    let mut structure = pair();
    structure.joints.push(structure.joints[0]);
    let mut stress = Stress::new(structure).unwrap();
    stress.set_gravity(GRAVITY).unwrap();
    stress.solve();
    for joint in 0..2 {
        let shear = stress.forces(joint).unwrap().shear;
        assert!((shear - GRAVITY * 5.0).length() < 1e-9, "{shear}");
    }
}

#[test]
fn strength_without_end_and_without_any() {
    let never = Material {
        tension: f64::INFINITY,
        compression: f64::INFINITY,
        shear: f64::INFINITY,
        ..Material::concrete()
    };
    let none = Material { tension: 0.0, compression: 0.0, shear: 0.0, friction: 0.0, ..Material::concrete() };
    for (material, breaks) in [(never, 0), (none, 1)] {
        let mut stress = Stress::new(Structure { materials: vec![material], ..pair() }).unwrap();
        stress.set_gravity(GRAVITY).unwrap();
        assert_eq!(stress.break_overloaded(&Breaking::default()).joints.len(), breaks);
    }
}

#[test]
fn a_body_in_flight_bears_what_its_inertia_does() {
    // A bar that is pulled at one end: tension falls to nothing at the other.
    let (counts, size) = ([100, 4, 4], DVec3::new(50.0, 2.0, 2.0));
    let mut stress = Stress::new(block(counts, size, 1000.0, Material::steel())).unwrap();
    stress.set_gravity(GRAVITY).unwrap();
    let end = 99 * 16..100 * 16;
    for node in end {
        stress.set_load(node, Load { force: DVec3::X * 1e6, torque: DVec3::ZERO }).unwrap();
    }
    assert!(stress.solve().error <= 1e-3);
    assert!(!stress.islands()[0].is_held);
    for cut in [10, 50, 90] {
        let joints = (0..).zip(&stress.structure().joints);
        let across = joints.filter(|(_, joint)| (joint.point.x - f64::from(cut) * 0.5).abs() < 1e-9);
        let tension: f64 = across.map(|(index, _)| stress.forces(index).unwrap().normal).sum();
        let expected = 16e6 * f64::from(cut) / 100.0;
        assert!((tension / expected - 1.0).abs() < 5e-3, "{cut}: {tension} {expected}");
    }
}

#[test]
fn a_spun_body_is_torn_by_a_couple() {
    // Two opposite forces that only turn it: the loads balance but for the spin.
    let (counts, size) = ([9, 1, 1], DVec3::new(9.0, 1.0, 1.0));
    let mut stress = Stress::new(block(counts, size, 1000.0, Material::concrete())).unwrap();
    for (node, force) in [(0, DVec3::Y), (8, DVec3::NEG_Y)] {
        stress.set_load(node, Load { force: force * 1e5, torque: DVec3::ZERO }).unwrap();
    }
    stress.solve();
    let shear = |joint| stress.forces(joint).unwrap().shear.y;
    assert!((shear(0) - shear(7)).abs() < 1e-6 * shear(0).abs(), "the same from both ends");
    assert!(shear(0).abs() > 1e4 && shear(0).abs() < 1e5);
}

#[test]
fn pieces_like_needles_are_solved() {
    let (counts, size) = ([2, 400, 2], DVec3::new(0.01, 4000.0, 0.01));
    let needle = held_at(block(counts, size, 1000.0, Material::steel()), counts, size, 1);
    let mut stress = Stress::new(needle).unwrap();
    stress.set_gravity(-GRAVITY).unwrap();
    assert!(stress.solve().error <= 1e-3);
    let (joint, most) = stress.highest().unwrap();
    assert_eq!(stress.structure().joints[joint as usize].point.y, 0.0);
    let theory = 1000.0 * 9.81 * 4000.0 / Material::steel().tension;
    assert!((most.ratio / theory - 1.0).abs() < 0.02, "{} {theory}", most.ratio);
}
