//! Voronoi cells of nasty points fill the box, are convex, and neighbours agree about the plane between them.

use smithereens_geometry::{Across, Convex, Tolerance, mark_cells, voronoi};
use smithereens_testing::adversarial::point_case;
use smithereens_testing::assertions::{assert_convex_within, assert_no_overlap, assert_volume_conserved};
use smithereens_testing::state_hash::hash_convexes;

#[test]
fn cells_of_nasty_points_fill_the_box() {
    for seed in 0..3000 {
        let case = point_case(seed);
        println!("{}", case.name);
        let cells = voronoi(&case.points, &case.bounds);
        let shapes: Vec<Convex> =
            cells.iter().map(|c| c.convex.clone()).filter(|c| !c.faces().is_empty()).collect();
        // The box of a needle far away has few digits left: the walls' rounding counts.
        let bounds = &case.bounds;
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        let tolerance = Tolerance::for_extent(bounds.extent().max(reach));
        shapes.iter().for_each(|shape| assert_convex_within(shape, &tolerance));
        let rounding = reach * f64::EPSILON / bounds.size().min_element();
        assert_volume_conserved(bounds.volume(), shapes.iter().map(Convex::volume), 1e-9 + rounding * 64.0);
        if seed % 8 == 0 {
            assert_no_overlap(&shapes, 1e-6 + rounding * 1e6);
        }
        assert_eq!(hash_convexes(&shapes), {
            let again = voronoi(&case.points, &case.bounds);
            hash_convexes(again.iter().map(|c| &c.convex).filter(|c| !c.faces().is_empty()))
        });
    }
}

#[test]
fn neighbours_agree() {
    for seed in 0..1000 {
        let case = point_case(seed);
        let mut cells = voronoi(&case.points, &case.bounds);
        mark_cells(&mut cells, 0);
        let area = Tolerance::for_box(&case.bounds).area();
        for (index, cell) in cells.iter().enumerate() {
            for (face, across) in cell.across.iter().enumerate() {
                let Across::Point(other) = *across else { continue };
                let mark = cell.convex.faces()[face];
                let back = &cells[other as usize].convex;
                match back.faces().iter().find(|f| f.cut == mark.cut.map(|c| c.opposite())) {
                    Some(found) => assert_eq!(found.halfspace().plane, mark.halfspace().plane),
                    // Where the plane is a wall, what lies across it has no cell in the box.
                    None if back.faces().is_empty() => {}
                    None => {
                        let lost = cell.convex.face_area(face);
                        assert!(lost <= area, "{}: {index} sees {other} by {lost:e}, not back", case.name);
                    }
                }
            }
        }
    }
}
