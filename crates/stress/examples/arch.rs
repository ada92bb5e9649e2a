//! Two arches of dry stone, drawn with their thrust: `cargo run --release -p smithereens-stress --example arch -- arch.svg`.

use std::{f64::consts::PI, fmt::Write};

use glam::{DQuat, DVec3};
use smithereens_stress::{Joint, Material, Node, Section, Stress, Structure};

const WEDGES: u32 = 24;

/// A point of a half circle, a metre in radius, at the start of a wedge or within it.
fn at(wedge: f64) -> DVec3 {
    DQuat::from_rotation_z(-PI * wedge / f64::from(WEDGES)) * DVec3::NEG_X
}

/// Wedges on two abutments.
fn arch(thickness: f64) -> Structure {
    let mut arch = Structure { materials: vec![Material::stone().dry(0.8)], ..Structure::default() };
    arch.nodes.push(Node::held(at(-0.5)));
    let mass = 2000.0 * thickness * PI / f64::from(WEDGES);
    arch.nodes.extend((0..WEDGES).map(|wedge| Node::free(at(f64::from(wedge) + 0.5), mass)));
    arch.nodes.push(Node::held(at(f64::from(WEDGES) + 0.5)));
    for joint in 0..=WEDGES {
        let up = at(f64::from(joint));
        let section = Section::rectangle(up * thickness, DVec3::Z);
        arch.joints.push(Joint::new(joint, joint + 1, up, up.cross(DVec3::Z), section));
    }
    arch
}

/// Joints from green to red as their strength is taken, and the line of thrust through them.
fn draw(svg: &mut String, stress: &Stress, thickness: f64, left: f64) -> std::fmt::Result {
    let place = |p: DVec3| format!("{:.1},{:.1} ", left + 130.0 * p.x, 160.0 - 130.0 * p.y);
    let mut thrust = String::new();
    for (index, joint) in (0..).zip(&stress.structure().joints) {
        let (inner, outer) = (joint.point * (1.0 - thickness * 0.5), joint.point * (1.0 + thickness * 0.5));
        let used = stress.utilisation(index).expect("a joint");
        let (line, hue) = (place(inner) + &place(outer), 120.0 * (1.0 - used.ratio.min(1.0)));
        write!(svg, "<polyline points='{line}' stroke='hsl({hue:.0},80%,42%)' stroke-width='4'/>")?;
        thrust += &place(used.point);
    }
    write!(svg, "<polyline points='{thrust}' fill='none' stroke='#234' stroke-width='1.2'/>")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut svg =
        String::from("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 640 190' font-size='13'>");
    for (thickness, left) in [(0.16, 165.0), (0.095, 475.0)] {
        let mut stress = Stress::new(arch(thickness))?;
        stress.set_gravity(DVec3::NEG_Y * 9.81)?;
        stress.solve();
        let verdict = if stress.overloaded().is_empty() { "stands" } else { "falls" };
        println!("an arch {thickness} as thick as its radius {verdict}");
        draw(&mut svg, &stress, thickness, left)?;
        write!(
            svg,
            "<text x='{left}' y='182' text-anchor='middle'>{thickness} of the radius: {verdict}</text>"
        )?;
    }
    let path = std::env::args().nth(1).unwrap_or_else(|| "arch.svg".into());
    Ok(std::fs::write(path, svg + "</svg>\n")?)
}
