//! A still of broken stone with no GPU: `cargo run --release -p smithereens-picture --example still -- still.png`

use std::f32::consts::TAU;

use glam::{Mat3, Vec3, vec3};
use smithereens_picture::{Material, Options, Scene, Surface, render};

/// A wedge of a torus around the y axis from angle `from` to `to`: smooth outside, two flat cut faces.
fn push_wedge(scene: &mut Scene, from: f32, to: f32, pose: impl Fn(Vec3) -> Vec3) {
    const RINGS: u32 = 24;
    const SIDES: u32 = 96;
    let tube = |i: u32, j: u32, radius: f32| {
        let (a, b) = (from + (to - from) * i as f32 / RINGS as f32, TAU * j as f32 / SIDES as f32);
        let out = vec3(a.cos(), 0.0, a.sin());
        out + (out * b.cos() + Vec3::Y * b.sin()) * radius
    };
    let grid = (0..=RINGS).flat_map(|i| (0..SIDES).map(move |j| (i, j)));
    let positions: Vec<Vec3> = grid.clone().map(|(i, j)| pose(tube(i, j, 0.4))).collect();
    let normals: Vec<Vec3> = grid.map(|(i, j)| pose(tube(i, j, 0.4)) - pose(tube(i, j, 0.0))).collect();
    let quads = (0..RINGS * SIDES).map(|k| (k, k / SIDES * SIDES + (k + 1) % SIDES));
    let indices: Vec<u32> = quads.flat_map(|(a, b)| [a, b, b + SIDES, a, b + SIDES, a + SIDES]).collect();
    scene.push(Surface { positions: &positions, normals: &normals, indices: &indices, ..Surface::default() });
    for ring in [0, RINGS] {
        let fan: Vec<u32> = (1..SIDES - 1).flat_map(|j| [0, j, j + 1].map(|k| ring * SIDES + k)).collect();
        scene.push(Surface { positions: &positions, indices: &fan, material: 1, ..Surface::default() });
    }
}

fn push_box(scene: &mut Scene, size: Vec3, angle: f32, at: Vec3) {
    let corner = |i: u32| vec3((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 2.0 - 1.0;
    let positions: Vec<Vec3> =
        (0..8).map(|i| Mat3::from_rotation_y(angle) * (corner(i) * size) + at).collect();
    let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let indices: Vec<u32> = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    scene.push(Surface { positions: &positions, indices: &indices, material: 1, ..Surface::default() });
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: still FILE.png")?;
    let mut scene = Scene::default();
    scene.materials = vec![Material::stone([0.3, 0.28, 0.26], 2.8), Material::stone([0.62, 0.54, 0.44], 2.8)];
    let cuts = [0.2, 0.75, 1.3, 1.95, 2.6, 3.3, 3.85, 4.4, 5.2, 5.8, TAU + 0.2];
    for (i, cut) in cuts.windows(2).enumerate() {
        let middle = 0.5 * (cut[0] + cut[1]);
        let out = vec3(middle.cos(), 0.0, middle.sin());
        let away = out * (0.1 + 0.07 * (i * 2 % 3) as f32);
        let lean = Mat3::from_axis_angle(out, 0.1 * (i as f32 * 2.4).sin());
        push_wedge(&mut scene, cut[0], cut[1], |p| lean * (p - out) + out + away + Vec3::Y * 0.43);
    }
    for i in 0..16 {
        let (angle, size) = (i as f32 * 2.4, 0.02 + 0.012 * (i * 5 % 7) as f32);
        let radius = if i % 3 == 0 { 0.1 + 0.02 * i as f32 } else { 1.75 + 0.02 * i as f32 };
        let at = vec3(angle.cos(), 0.0, angle.sin()) * radius + Vec3::Y * size;
        push_box(&mut scene, vec3(size * 1.4, size, size * 1.1), angle, at);
    }
    scene.frame(vec3(-0.5, -0.62, -1.0), 16.0 / 9.0);
    Ok(render(&scene, &Options::default())?.write_png(path)?)
}
