//! A pattern of one's own, hit after hit: `cargo run --release -p smithereens --example own_pattern`

use glam::DVec3;
use smithereens::pattern::Pattern;
use smithereens::{Aabb, Compound, Convex, Fit, FractureOptions, Impact, Slot, Solid, fracture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Cells around a spiral, coloured so that three neighbours stay together.
    let turn = |i: usize| DVec3::new((i as f64).cos(), (i as f64).sin(), i as f64 / 15.0 - 1.0) * 0.8;
    let points: Vec<DVec3> = (0..30).map(turn).collect();
    let pattern = Pattern::from_points(&points, Aabb::cube(1.5))?.coloured(|cell| cell.colour / 3);

    let mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
    let mut pieces = vec![Compound::from_solid(Solid::new(mesh)?, Fit::Dop26)];
    for hit in 0..5 {
        let largest = (0..pieces.len())
            .max_by(|&a, &b| pieces[a].mass().volume.total_cmp(&pieces[b].mass().volume))
            .unwrap_or(0);
        let target = pieces.swap_remove(largest);
        let impact = Impact { radius: 0.8, ..Impact::at(target.mass().center) };
        let broken = fracture(&target, &pattern, &impact, &FractureOptions::default())?;
        println!("hit {hit}: {} fragments, {} welds", broken.fragments.len(), broken.report.welds);
        pieces.extend(broken.fragments.into_iter().map(|f| f.compound));
    }
    let sum: f64 = pieces.iter().map(|c| c.mass().volume).sum();
    println!("{} compounds, together {sum} of 8", pieces.len());
    Ok(())
}
