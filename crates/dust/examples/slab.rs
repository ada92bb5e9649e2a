//! A slab falls into dust: `cargo run --release -p smithereens-dust --example slab -- slab.png`

use glam::{DQuat, DVec3, Vec3, dvec3, vec3};
use smithereens_dust::{Dust, Mote, Mover, Options, Puff, Shape};
use smithereens_picture::{Camera, Material, Options as Picture, Scene, Sprite, Surface, render};

const HALF: DVec3 = dvec3(2.5, 0.3, 1.6);

fn slab(y: f64, velocity: f64) -> Mover {
    let at = DVec3::Y * y;
    Mover {
        shape: Shape::Box(HALF),
        at,
        turn: DQuat::IDENTITY,
        velocity: DVec3::Y * velocity,
        spin: DVec3::ZERO,
    }
}

/// Dust from under the slab.
fn puffs(y: f64, mass: f64) -> [Puff; 2] {
    let corner = |x: f64, z: f64| dvec3(x * HALF.x, y, z * HALF.z);
    let [a, b, c, d] = [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    [[a, b, c], [a, c, d]].map(|corners| Puff { corners, velocity: DVec3::ZERO, mass: 0.5 * mass })
}

fn push_slab(scene: &mut Scene, y: f32) {
    let corner = |i: u32| vec3((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 2.0 - 1.0;
    let positions: Vec<Vec3> = (0..8).map(|i| corner(i) * HALF.as_vec3() + Vec3::Y * y).collect();
    let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let indices: Vec<u32> = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    scene.push(Surface { positions: &positions, indices: &indices, ..Surface::default() });
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: slab FILE.png")?;
    let mut dust =
        Dust::new(Options { cell: 0.3, per_area: 1200.0, radius: 0.06, spread: 0.01, ..Options::default() })?;
    puffs(0.05, 1.6).iter().for_each(|puff| _ = dust.add(puff));
    let mut y = 4.0;
    while y > HALF.y {
        y -= 7.0 / 60.0;
        dust.step(1.0 / 60.0, &[slab(y, -7.0)])?;
    }
    puffs(0.1, 0.8).iter().for_each(|puff| _ = dust.add(puff));
    for _ in 0..55 {
        dust.step(1.0 / 60.0, &[slab(HALF.y, 0.0)])?;
    }
    let mut scene = Scene::default();
    scene.materials.push(Material::stone([0.4, 0.38, 0.35], 4.0));
    push_slab(&mut scene, HALF.y as f32);
    scene.camera = Camera { eye: vec3(5.0, 3.4, 13.0), target: vec3(0.0, 0.9, 0.0), ..Camera::default() };
    scene.light();
    let color = [0.6, 0.54, 0.46];
    let sprite =
        |Mote { at, radius, turn, opacity, variant }| Sprite { at, radius, turn, opacity, color, variant };
    scene.sprites = dust.motes(DVec3::NEG_Z).map(sprite).collect();
    Ok(render(&scene, &Picture { width: 960, height: 540, ..Picture::default() })?.write_png(path)?)
}
