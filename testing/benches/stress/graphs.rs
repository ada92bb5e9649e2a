//! Graphs of ten thousand pieces and up to thirty thousand joints: easy and hard ones.

use glam::{DVec3, USizeVec3};
use smithereens_stress::{Joint, Material, Node, Section, Structure};

/// A structure under its name.
pub struct Graph {
    pub name: &'static str,
    pub structure: Structure,
}

/// All of them.
pub fn graphs() -> Vec<Graph> {
    let named = |name, structure| Graph { name, structure };
    let foot = |at: USizeVec3, _: USizeVec3| at.y == 0;
    let ends = |at: USizeVec3, counts: USizeVec3| at.x == 0 || at.x + 1 == counts.x;
    vec![
        named("block 22 × 22 × 22", boxes([22, 22, 22], DVec3::splat(0.5), foot)),
        named("wall of bricks 100 × 100", bricks(100, 100)),
        named("tower 5 × 400 × 5", boxes([5, 400, 5], DVec3::splat(0.4), foot)),
        named("bridge 200 × 5 × 10", boxes([200, 5, 10], DVec3::splat(0.4), ends)),
        named("cantilever 400 × 5 × 5", boxes([400, 5, 5], DVec3::splat(0.1), |at, _| at.x == 0)),
    ]
}

/// Boxes of one size in a grid, some of them held.
pub fn boxes(counts: [usize; 3], size: DVec3, is_held: impl Fn(USizeVec3, USizeVec3) -> bool) -> Structure {
    let counts = USizeVec3::from_array(counts);
    let index = |at: USizeVec3| ((at.x * counts.y + at.y) * counts.z + at.z) as u32;
    let mut structure = Structure { materials: vec![Material::concrete()], ..Structure::default() };
    let all = (0..counts.element_product())
        .map(|i| USizeVec3::new(i / (counts.y * counts.z), i / counts.z % counts.y, i % counts.z));
    for at in all {
        let centre = at.as_dvec3() * size;
        let node = if is_held(at, counts) { Node::held(centre) } else { Node::boxed(centre, size, 2400.0) };
        structure.nodes.push(node);
        for axis in 0..3 {
            let mut next = at;
            next[axis] += 1;
            if next[axis] < counts[axis] {
                let normal = DVec3::AXES[axis];
                let [u, v] = [(axis + 1) % 3, (axis + 2) % 3].map(|other| DVec3::AXES[other] * size[other]);
                let point = centre + normal * (size[axis] * 0.5);
                let joint = Joint::new(index(at), index(next), point, normal, Section::rectangle(u, v));
                structure.joints.push(joint);
            }
        }
    }
    structure
}

/// A wall of bricks, every other course moved by half a brick: three joints a brick.
fn bricks(wide: u32, high: u32) -> Structure {
    let size = DVec3::new(0.5, 0.25, 0.25);
    let mut structure = Structure { materials: vec![Material::brickwork()], ..Structure::default() };
    let half = Section::rectangle(DVec3::X * (size.x * 0.5), DVec3::Z * size.z);
    let end = Section::rectangle(DVec3::Y * size.y, DVec3::Z * size.z);
    for course in 0..high {
        for brick in 0..wide {
            let shift = f64::from(course % 2) * 0.5;
            let centre = DVec3::new(f64::from(brick) + shift, f64::from(course), 0.0) * size;
            let held = Node::held(centre);
            structure.nodes.push(if course == 0 { held } else { Node::boxed(centre, size, 1800.0) });
            let own = course * wide + brick;
            if brick + 1 < wide {
                let point = centre + DVec3::X * (size.x * 0.5);
                structure.joints.push(Joint::new(own, own + 1, point, DVec3::X, end));
            }
            // On the one below to the left and on the one to the right.
            let left = brick + course % 2;
            for below in [left.checked_sub(1), Some(left)].into_iter().flatten() {
                if course > 0 && below < wide {
                    let side = if below == left { 0.25 } else { -0.25 };
                    let point = centre + DVec3::new(size.x * side, -size.y * 0.5, 0.0);
                    structure.joints.push(Joint::new(
                        (course - 1) * wide + below,
                        own,
                        point,
                        DVec3::Y,
                        half,
                    ));
                }
            }
        }
    }
    structure
}
