//! Carving a solid by all cells at once gives what clipping it by each gives, closed and without loss.

use std::sync::Arc;

use glam::DAffine3;
use smithereens_geometry::{
    Aabb, CarvePlan, Carved, Carver, Cell, CellGrid, Convex, Fit, Fitting, KnifeRack, Locator, Partition,
    Solid, SplitPlanes, Tightness, Tolerance,
};
use smithereens_geometry::{mark_cells, voronoi};
use smithereens_testing::adversarial::{pattern_case, point_case, volume_slack};
use smithereens_testing::assertions::{assert_closed, assert_finite};

fn partition(shapes: Vec<Convex>, bounds: Aabb) -> Partition {
    let grid = Arc::new(CellGrid::new(bounds, &shapes.iter().collect::<Vec<_>>()));
    let count = shapes.len() as u32;
    let locator = Locator::new(grid, DAffine3::IDENTITY, count..count);
    Partition { cells: shapes.into_iter().map(Cell::new).collect(), locator }
}

/// What [`Carver`] finds in each cell, checked for soundness, against what one clip after the other finds.
fn assert_carved(name: &str, solid: &Solid, shapes: Vec<Convex>, bounds: Aabb) {
    println!("{name}");
    let slack = volume_slack(solid.mesh()) * (shapes.len() + 1) as f64;
    let partition = partition(shapes, bounds);
    let plan = CarvePlan::new(solid, &partition);
    let around = Convex::from_box(&solid.mesh().bounds());
    let tolerance = Tolerance::for_box(&solid.mesh().bounds());
    let fitting = Fitting { tightness: Tightness::Fitted(Fit::Dop26), around: &around, tolerance };
    let carver = Carver {
        solid,
        partition: &partition,
        plan: &plan,
        fitting: Some(fitting),
        split_planes: SplitPlanes::From(1 << 20),
    };
    let mut sum = 0.0;
    for (cell, carved) in carver.run(&KnifeRack::default()) {
        let cell = &partition.cells[cell as usize];
        let volume = match &carved {
            Carved::Nothing => 0.0,
            Carved::Whole => cell.volume(),
            Carved::Parts(parts) => {
                parts.iter().for_each(|part| {
                    assert_closed(part.solid.mesh());
                    assert_finite(part.solid.mesh());
                });
                parts.iter().map(|part| part.solid.volume()).sum()
            }
        };
        let clipped = solid.clipped_by(cell.convex()).map_or(0.0, |part| part.volume());
        assert!((volume - clipped).abs() <= slack, "{name}: carved {volume:e}, clipped {clipped:e}");
        sum += volume;
    }
    let error = (sum - solid.volume()).abs();
    assert!(error <= slack, "{name}: {error:e} of {:e} is lost", solid.volume());
}

#[test]
fn nasty_points_carve_nasty_solids() {
    for seed in 0..1500 {
        let case = point_case(seed);
        let mut cells = voronoi(&case.points, &case.bounds);
        mark_cells(&mut cells, 0);
        let shapes = cells.into_iter().map(|c| c.convex).filter(|c| !c.faces().is_empty()).collect();
        assert_carved(&case.name, &case.solid, shapes, case.bounds);
    }
}

#[test]
fn patterns_of_all_kinds_carve_nasty_solids() {
    for seed in 0..1500 {
        let case = pattern_case(seed);
        let shapes = case.pattern.cells().iter().map(|c| c.convex.clone()).collect();
        assert_carved(&case.name, &case.solid, shapes, *case.pattern.bounds());
    }
}
