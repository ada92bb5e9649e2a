//! Structures that tests are about.
#![allow(dead_code, reason = "each test uses some of them")]

use glam::{DQuat, DVec3, USizeVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use smithereens_stress::{Joint, Material, Node, Section, Structure};

pub const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

pub fn chance(seed: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(seed)
}

/// A box of pieces that is as large as `size`, its corner at the origin.
pub fn block(counts: [usize; 3], size: DVec3, density: f64, material: Material) -> Structure {
    let counts = USizeVec3::from_array(counts);
    let piece = size / counts.as_dvec3();
    let index = |at: USizeVec3| ((at.x * counts.y + at.y) * counts.z + at.z) as u32;
    let mut structure = Structure { materials: vec![material], ..Structure::default() };
    for at in cells(counts) {
        let centre = (at.as_dvec3() + 0.5) * piece;
        structure.nodes.push(Node::boxed(centre, piece, density));
        for axis in 0..3 {
            let mut next = at;
            next[axis] += 1;
            if next[axis] < counts[axis] {
                let joint = face(index(at), index(next), centre, piece, axis, 1.0);
                structure.joints.push(joint);
            }
        }
    }
    structure
}

fn cells(counts: USizeVec3) -> impl Iterator<Item = USizeVec3> {
    (0..counts.x).flat_map(move |x| {
        (0..counts.y).flat_map(move |y| (0..counts.z).map(move |z| USizeVec3::new(x, y, z)))
    })
}

/// The joint at the face of a piece along an axis.
fn face(a: u32, b: u32, centre: DVec3, piece: DVec3, axis: usize, sign: f64) -> Joint {
    let normal = DVec3::AXES[axis] * sign;
    let [u, v] = [(axis + 1) % 3, (axis + 2) % 3].map(|other| DVec3::AXES[other] * piece[other]);
    Joint::new(a, b, centre + normal * (piece[axis] * 0.5), normal, Section::rectangle(u, v))
}

/// Holds a box of pieces by its faces at the lower end of an axis: by a held node that all of them are joined to.
pub fn held_at(mut structure: Structure, counts: [usize; 3], size: DVec3, axis: usize) -> Structure {
    let counts = USizeVec3::from_array(counts);
    let piece = size / counts.as_dvec3();
    let wall = structure.nodes.len() as u32;
    structure.nodes.push(Node::held(size * 0.5 - DVec3::AXES[axis] * size[axis]));
    for (index, at) in (0..).zip(cells(counts)) {
        if at[axis] == 0 {
            let mut joint = face(index, wall, (at.as_dvec3() + 0.5) * piece, piece, axis, -1.0);
            (joint.a, joint.b, joint.normal) = (wall, index, -joint.normal);
            structure.joints.push(joint);
        }
    }
    structure
}

/// A structure turned, scaled and moved.
pub fn placed(structure: &Structure, turn: DQuat, scale: f64, away: DVec3) -> Structure {
    let mut moved = structure.clone();
    let matrix = glam::DMat3::from_quat(turn);
    for node in &mut moved.nodes {
        node.centre = turn * node.centre * scale + away;
        node.mass *= scale.powi(3);
        node.inertia = matrix * node.inertia * matrix.transpose() * scale.powi(5);
    }
    for joint in &mut moved.joints {
        joint.point = turn * joint.point * scale + away;
        joint.normal = turn * joint.normal;
        joint.section = joint.section.scaled(scale);
        joint.section.second = matrix * joint.section.second * matrix.transpose();
    }
    moved
}

pub fn unit(chance: &mut Pcg64Mcg) -> DVec3 {
    loop {
        let v = DVec3::from_array(std::array::from_fn(|_| chance.random_range(-1.0..1.0)));
        if v.length_squared() > 0.01 && v.length_squared() < 1.0 {
            return v.normalize();
        }
    }
}

/// Nodes anywhere, joined at random: trees, loops, islands; needles and plates, small sections next to large ones.
pub fn tangle(seed: u64) -> Structure {
    let mut chance = chance(seed);
    let nodes = chance.random_range(1..60u32);
    let held = chance.random_range(0..3u32).min(nodes - 1);
    let mut structure =
        Structure { materials: vec![Material::concrete(), Material::wood()], ..Default::default() };
    for index in 0..nodes {
        let centre = DVec3::from_array(std::array::from_fn(|_| chance.random_range(-3.0..3.0)));
        let node = Node::boxed(centre, DVec3::splat(chance.random_range(0.1..2.0)), 1000.0);
        structure.nodes.push(if index < held { Node::held(centre) } else { node });
    }
    let joints = chance.random_range(0..3 * nodes);
    for _ in 0..joints {
        let (a, b) = (chance.random_range(0..nodes), chance.random_range(0..nodes));
        if a == b {
            continue;
        }
        let ends = [a, b].map(|node| structure.nodes[node as usize].centre);
        let normal = ((ends[1] - ends[0]).normalize() + unit(&mut chance) * 0.5).normalize();
        let (u, v) = normal.any_orthonormal_pair();
        let wide = 10f64.powf(chance.random_range(-2.0..0.5));
        let high = wide * 10f64.powf(chance.random_range(-1.5..0.0));
        let point = ends[0].lerp(ends[1], chance.random_range(0.2..0.8)) + unit(&mut chance) * 0.2;
        let joint = Joint::new(a, b, point, normal, Section::rectangle(u * wide, v * high));
        structure.joints.push(Joint { material: chance.random_range(0..2), ..joint });
    }
    structure
}
