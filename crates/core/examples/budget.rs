//! A fracture spread over frames: `cargo run --release -p smithereens --example budget`

use std::time::Duration;

use glam::DVec3;
use smithereens::pattern::Falloff;
use smithereens::{Aabb, Compound, Convex, FractureJob, FractureOptions, Impact, Progress};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A wall of 20 by 10 bricks, each a convex of its own, bonded where faces meet.
    let bricks = (0..200).map(|i| {
        let min = DVec3::new((i % 20) as f64, (i / 20) as f64 * 0.5, 0.0);
        Convex::from_box(&Aabb::new(min, min + DVec3::new(1.0, 0.5, 0.4)))
    });
    let wall = Compound::from_convexes(bricks.collect())?;
    let pattern = Falloff { cells: 80, bounds: Aabb::cube(3.0), ..Falloff::default() }.pattern()?;
    let impact = Impact { radius: 2.5, ..Impact::at(DVec3::new(10.0, 2.5, 0.2)) };

    let mut job = FractureJob::new(&wall, &pattern, &impact, &FractureOptions::default())?;
    let mut frames = 1;
    while job.advance(Duration::from_micros(500)) != Progress::Done {
        frames += 1; // a game draws and steps here
    }
    let broken = job.finish();
    println!("{} bonds held the wall", wall.bonds().len());
    println!("{} fragments after {frames} frames: {:?}", broken.fragments.len(), broken.report);
    Ok(())
}
