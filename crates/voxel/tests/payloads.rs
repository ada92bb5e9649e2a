//! What a fracture does to colours and normals: copies of the surface keep theirs, cuts look as the inside does and away from their cell.

use glam::DVec3;
use smithereens_testing::{chance::Chance, fixtures};
use smithereens_voxel::{FractureOptions, Interior, Kind, Octree, Paint, Seeds, fracture};

struct Checks;

impl Paint for Checks {
    fn color(&self, _: smithereens_geometry::Slot, uv: glam::Vec2) -> [u8; 4] {
        [(uv.x * 200.0) as u8, (uv.y * 200.0) as u8, 77, 255]
    }
}

fn torus() -> Octree {
    let mut torus = Octree::of_solid(&fixtures::torus(1.0, 0.4, 48, 24), 6, &Checks).unwrap();
    torus.interior = Interior::Stone { color: [200, 100, 50, 255], grain: 0.2, contrast: 0.5 };
    torus
}

/// The sum of the directions to all seeds whose bisector with `seed` passes through the voxel.
fn outward(octree: &Octree, points: &[DVec3], seed: usize, at: [u32; 3]) -> DVec3 {
    let (middle, half) = (octree.grid().center_of(at), 0.5 * octree.grid().voxel_size());
    let mut sum = DVec3::ZERO;
    for other in points.iter().filter(|other| **other != points[seed]) {
        let slope = (*other - points[seed]) * 2.0;
        let value = slope.dot(middle) - other.length_squared() + points[seed].length_squared();
        if value.abs() <= half * slope.abs().element_sum() {
            sum += slope.normalize();
        }
    }
    sum
}

#[test]
fn copies_keep_what_they_show_and_cuts_show_the_inside() {
    let torus = torus();
    let points = Seeds::inside(&torus, 14, 3).unwrap().points().to_vec();
    let broken = fracture(&torus, &Seeds::new(points.clone()).unwrap(), &FractureOptions::default()).unwrap();
    let (mut kept, mut cut, mut near, mut several) = (0, 0, 0, 0);
    for piece in &broken.pieces {
        for (at, payload) in piece.octree.boundary() {
            if torus.kind(6, at) == Kind::Boundary {
                assert_eq!(Some(payload), torus.payload(at));
                assert!(!piece.octree.is_cut(at));
                kept += 1;
                continue;
            }
            assert!(piece.octree.is_cut(at));
            assert_eq!(payload.color(), torus.interior.color(torus.grid().center_of(at)));
            // Seeds are moved to the nearest sixteenth of a voxel: planes are not quite where they were asked for.
            let outward = outward(&torus, &points, piece.object as usize, at);
            cut += 1;
            near += usize::from(outward.normalize_or_zero().distance(payload.normal()) < 0.05);
            several += usize::from((outward.length() - 1.0).abs() > 0.1);
        }
    }
    assert!(kept > 10_000 && cut > 2_000 && several > 100, "{kept} {cut} {several}");
    assert!(near * 100 > cut * 98, "{near} of {cut}");
}

#[test]
fn what_was_laid_open_earlier_stays_as_it_was() {
    let torus = torus();
    let mut chance = Chance::new(9);
    let mut pieces = vec![torus.clone()];
    for generation in 0..4 {
        let whole = pieces.swap_remove(chance.below(pieces.len()));
        let seeds = Seeds::inside(&whole, 3, generation).unwrap();
        let seeds = if generation == 2 { seeds.with_objects(&[1, 0, 1]) } else { seeds };
        let broken = fracture(&whole, &seeds, &FractureOptions::default()).unwrap();
        for piece in &broken.pieces {
            for (at, payload) in piece.octree.boundary() {
                let expected = whole.payload(at).map(|payload| payload.normal());
                if let Some(expected) = expected {
                    assert_eq!(payload.normal(), expected, "generation {generation}, {at:?}");
                    assert_eq!(Some(payload), whole.payload(at));
                    assert_eq!(piece.octree.is_cut(at), whole.is_cut(at));
                }
            }
        }
        pieces = broken
            .pieces
            .into_iter()
            .map(|piece| piece.octree)
            .filter(|piece| piece.voxel_count() > 500)
            .collect();
    }
}
