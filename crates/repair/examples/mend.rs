//! A model before and after its repair, side by side:
//! `cargo run --release -p smithereens-repair --example mend -- mended.png [MODEL] [auto|light|remesh]`

use std::error::Error;

use glam::{Vec3, vec3};
use smithereens_geometry::{Mesh, triangulate::triangulate};
use smithereens_picture::{Image, Material, Options, Scene, Surface, contact_sheet, render};
use smithereens_repair::{Level, RepairOptions, repair};
use smithereens_testing::fixtures;

/// A still of a mesh with flat faces, each side of it drawn.
fn still(mesh: &Mesh) -> Result<Image, Box<dyn Error>> {
    let (triangles, _) = triangulate(mesh);
    let place = |c: u32| mesh.positions[mesh.corners[c as usize] as usize].as_vec3();
    let positions: Vec<Vec3> = triangles.iter().flatten().map(|&c| place(c)).collect();
    let indices: Vec<u32> = (0..positions.len() as u32).collect();
    let mut scene = Scene::default();
    scene.materials = vec![Material::matt([0.6, 0.55, 0.48])];
    scene.push(Surface { positions: &positions, indices: &indices, ..Surface::default() });
    scene.frame(vec3(-0.5, -0.42, -1.0), 4.0 / 3.0);
    Ok(render(&scene, &Options { width: 320, height: 240, ..Options::default() })?)
}

/// A ball with every fifth face gone and every seventh turned.
fn torn_ball() -> Mesh {
    let mut torn = Mesh::default();
    let ball = fixtures::ico_sphere(1.0, 2).into_mesh();
    torn.positions = ball.positions.clone();
    for face in (0..ball.faces.len()).filter(|f| f % 5 != 0) {
        let mut corners = ball.corners[ball.face_corners(face)].to_vec();
        if face % 7 == 0 {
            corners.reverse();
        }
        torn.push_polygon(&corners, ball.faces[face].slot);
    }
    torn
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let mesh = match arguments.get(2) {
        Some(path) => smithereens_formats::read(path.as_ref())?.mesh,
        None => torn_ball(),
    };
    let level = match arguments.get(3).map(String::as_str) {
        Some("light") => Level::Light,
        Some("remesh") => Level::Remesh,
        _ => Level::Auto,
    };
    let repaired = repair(&mesh, &RepairOptions { level, ..RepairOptions::default() })?;
    repaired.steps.iter().for_each(|step| println!("{step}"));
    println!("volume {:.6}", repaired.solid.volume());
    let stills = [still(&mesh)?, still(repaired.solid.mesh())?];
    let out = arguments.get(1).map_or("mended.png", String::as_str);
    Ok(contact_sheet(&stills, 2)?.write_png(out)?)
}
