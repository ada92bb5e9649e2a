//! Pictures of the arena's wall, with and without dust around it.

use std::time::Instant;

use glam::{Vec3, vec3};
use serde_json::{Value, json};
use smithereens_picture::{Camera, Material, Options, Scene, Sprite, Surface, render};
use smithereens_testing::table::Table;

/// For each size of picture, how long it takes clear and with as many sprites.
pub fn table() -> Table {
    let columns = ["size", "sprites", "threads", "clear", "with dust", "share of dust"];
    let mut table = Table::new("Pictures with dust; times in milliseconds", &columns);
    for (width, height) in [(480, 270), (960, 540), (1280, 720)] {
        for sprites in [10_000, 50_000] {
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                table.row(pool.install(|| row(width, height, sprites, threads)));
            }
        }
    }
    table
}

fn row(width: u32, height: u32, sprites: usize, threads: usize) -> Vec<Value> {
    let mut scene = arena();
    let options = Options { width, height, ..Options::default() };
    let clear = milliseconds(&scene, &options);
    let mut dust = crate::arena(sprites);
    (0..60).for_each(|_| _ = dust.step(crate::STEP, &[]).expect("a step"));
    let view = (scene.camera.target - scene.camera.eye).as_dvec3();
    let sprite = |mote: smithereens_dust::Mote| Sprite {
        at: mote.at,
        radius: mote.radius,
        turn: mote.turn,
        opacity: mote.opacity,
        color: [0.6, 0.54, 0.46],
        variant: mote.variant,
    };
    scene.sprites = dust.motes(view).map(sprite).collect();
    let hazy = milliseconds(&scene, &options);
    let size = format!("{width} x {height}");
    vec![
        json!(size),
        json!(scene.sprites.len()),
        json!(threads),
        json!(clear),
        json!(hazy),
        json!((hazy - clear) / hazy),
    ]
}

/// The fastest of three.
fn milliseconds(scene: &Scene, options: &Options) -> f64 {
    let take = |_| {
        let start = Instant::now();
        std::hint::black_box(render(scene, options).expect("a picture"));
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..3).map(take).fold(f64::INFINITY, f64::min)
}

/// A wall of bays in a ring, 40 m across.
fn arena() -> Scene {
    let mut scene = Scene::default();
    scene.materials.push(Material::stone([0.5, 0.46, 0.4], 40.0));
    for bay in 0..48 {
        let (sine, cosine) = libm::sincosf(bay as f32 / 48.0 * std::f32::consts::TAU);
        let corner = |i: u32| {
            let local =
                vec3((i & 1) as f32 * 2.0 - 1.0, (i >> 1 & 1) as f32 * 6.0, 17.6 + (i >> 2) as f32 * 0.8);
            vec3(cosine * local.x + sine * local.z, local.y, cosine * local.z - sine * local.x)
        };
        let positions: Vec<Vec3> = (0..8).map(corner).collect();
        let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        let indices: Vec<u32> = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
        scene.push(Surface { positions: &positions, indices: &indices, ..Surface::default() });
    }
    scene.camera = Camera {
        eye: vec3(30.0, 18.0, 38.0),
        target: vec3(0.0, 2.0, 0.0),
        vertical_fov: 0.7,
        ..Camera::default()
    };
    scene.light();
    scene
}
