//! A tower of glass on a stone, built in code, shot, and drawn half a second later.
//!
//! `cargo run -p smithereens-flat --example shoot` writes `out/shoot.png`, or the file that is named.

use glam::DVec2;
use smithereens_flat::draw::{DrawOptions, draw};
use smithereens_flat::planar::{Aabb, Shape};
use smithereens_flat::{Cause, Material, NewBody, Options, Pose, Shot, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "out/shoot.png".to_owned());
    let mut world = World::new(Options { seed: 3, ..Options::default() }, Material::table())?;
    let material = |name| world.material(name).ok_or("no such material");
    let (stone, glass) = (material("stone")?, material("glass")?);

    let floor = Shape::new(&Aabb::new(DVec2::new(-9.0, -1.0), DVec2::new(9.0, 0.0)).corners(), &[])?;
    world.add(NewBody { fixed: true, material: stone, ..NewBody::of(&floor, Pose::IDENTITY) })?;
    let hole = Aabb::square(0.3).corners().to_vec();
    let frame = Shape::new(&Aabb::square(0.6).corners(), &[hole])?;
    for storey in 0..4 {
        let at = Pose::at(DVec2::new(0.0, 0.6 + 1.2 * f64::from(storey)));
        world.add(NewBody { material: glass, ..NewBody::of(&frame, at) })?;
    }

    let (from, toward) = (DVec2::new(-6.0, 1.4), DVec2::new(0.0, 1.9));
    world.fire(&Shot { from, toward, speed: 40.0, breaks: 2, ..Shot::default() });
    (0..30).for_each(|_| world.step());

    for event in world.events().iter().filter(|event| event.cause == Cause::Shot) {
        println!("step {}: body {} broke into {} fragments", event.step, event.body.0, event.fragments);
    }
    let view = Some(Aabb::new(DVec2::new(-4.0, -0.4), DVec2::new(4.0, 5.2)));
    if let Some(folder) = std::path::Path::new(&path).parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&path, draw(&world, &DrawOptions { view, ..DrawOptions::default() }).image().png())?;
    println!("{path}: {} bodies", world.bodies().len());
    Ok(())
}
