//! Pattern files: what is written is read back, and what is wrong is named.
#![cfg(feature = "serde")]

use glam::DVec3;
use smithereens::pattern::{
    Bricks, Cells, Mortar, Pattern, PatternError, PatternFileError, PatternKind, Points, Recipe, Uniform,
};
use smithereens::{Aabb, Convex, Plane};

fn planes(convex: &Convex) -> Vec<[u64; 4]> {
    let bits = |p: Plane| [p.normal.x, p.normal.y, p.normal.z, p.offset].map(f64::to_bits);
    let mut planes: Vec<_> = convex.faces().iter().map(|f| bits(f.halfspace().plane)).collect();
    planes.sort_unstable();
    planes
}

#[test]
fn recipes_read_as_written() {
    for kind in PatternKind::ALL {
        for seed in [0, 7, u64::MAX] {
            let recipe = kind.recipe(20, Aabb::new(DVec3::splat(-0.1), DVec3::ONE), seed).unwrap();
            let text = recipe.to_toml().unwrap();
            assert!(text.starts_with(&format!("[{kind}]")), "{text}");
            assert_eq!(Recipe::from_toml(&text).unwrap(), recipe, "{text}");
        }
    }
    for mortar in [Mortar::None, Mortar::Sticks(0.01), Mortar::Crumbles(0.02)] {
        let recipe = Recipe::Bricks(Bricks { mortar, ..Bricks::default() });
        assert_eq!(Recipe::from_toml(&recipe.to_toml().unwrap()).unwrap(), recipe);
    }
    let colours = vec![0, 0, 1, 1, 2, 2, 3, 3];
    let recipe = Recipe::Points(Points { colours, ..Points::default() });
    assert_eq!(Recipe::from_toml(&recipe.to_toml().unwrap()).unwrap(), recipe);
}

#[test]
fn cells_keep_planes_to_the_bit_and_volumes_to_rounding() {
    for kind in PatternKind::ALL {
        for seed in 0..5 {
            let pattern = kind.pattern(40, Aabb::cube(1.0), seed).unwrap();
            let text = Recipe::Cells(Cells::from(&pattern)).to_toml().unwrap();
            let read = Recipe::from_toml(&text).unwrap().pattern().unwrap();
            assert_eq!(read.cells().len(), pattern.cells().len());
            for (was, is) in pattern.cells().iter().zip(read.cells()) {
                assert_eq!(was.colour, is.colour);
                let (was, is) = (&was.convex, &is.convex);
                assert!((was.volume() - is.volume()).abs() < 1e-12, "{kind} {seed}");
                let known = planes(was);
                assert!(planes(is).iter().all(|p| known.binary_search(p).is_ok()), "{kind} {seed}");
            }
        }
    }
}

#[test]
fn cells_written_twice_are_the_same_text() {
    let pattern = PatternKind::Web.pattern(30, Aabb::cube(1.0), 1).unwrap();
    let first = Recipe::Cells(Cells::from(&pattern)).to_toml().unwrap();
    let read = Recipe::from_toml(&first).unwrap();
    assert_eq!(read.to_toml().unwrap(), first);
}

#[test]
fn a_file_is_saved_and_loaded() {
    let path = std::env::temp_dir().join(format!("smithereens-pattern-{}.toml", std::process::id()));
    let pattern = Uniform { cells: 10, ..Uniform::default() }.pattern().unwrap();
    pattern.save(&path).unwrap();
    assert_eq!(Pattern::load(&path).unwrap().cells().len(), 10);
    std::fs::remove_file(&path).unwrap();
    let error = Pattern::load(&path).unwrap_err();
    assert!(
        matches!(error, PatternFileError::Io { .. }) && error.to_string().contains("smithereens-pattern")
    );
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (text, culprit) in [
        ("[web]\nsectors = 5\nspokes = 3\n", "line 3"),
        ("[voronoi]\ncells = \"many\"\n", "line 2"),
        ("[glass]\n", "glass"),
        ("[voronoi\n", "line 1"),
        (
            "[points]\npoints = [[0, 0, 0],\n[1, 2]]\nbounds = { min = [-1, -1, -1], max = [1, 1, 1] }\n",
            "line",
        ),
    ] {
        let error = Recipe::from_toml(text).unwrap_err().to_string();
        assert!(error.contains(culprit), "{error}");
    }
}

#[test]
fn cells_that_are_no_partition_are_refused() {
    let sound = Cells::from(&PatternKind::Slices.pattern(3, Aabb::cube(1.0), 0).unwrap());
    assert!(sound.pattern().is_ok());
    let broken = |change: fn(&mut Cells)| {
        let mut cells = sound.clone();
        change(&mut cells);
        cells.pattern().unwrap_err()
    };
    assert!(matches!(broken(|c| _ = c.cells.pop()), PatternError::NoPartition { .. }));
    assert_eq!(
        broken(|c| c.cells.clear()),
        PatternError::Parameter {
            name: "the number of cells",
            value: 0.0,
            wanted: "it should be from 1 to 262144"
        }
    );
    let last = |c: &mut Cells| c.cells[1].faces.last_mut().map(|f| f.plane.normal *= 2.0).unwrap();
    assert!(matches!(broken(last), PatternError::NoPlane { cell: 1, .. }));
    let wall = |c: &mut Cells| c.cells[0].faces[0].plane.offset += 1.0;
    assert!(matches!(
        broken(wall),
        PatternError::NoPlane { cell: 0, face: 0 } | PatternError::TwoPlanes { .. }
    ));
    let moved = |c: &mut Cells| c.cells[1].faces.last_mut().map(|f| f.plane.offset += 1e-12).unwrap();
    assert!(matches!(broken(moved), PatternError::TwoPlanes { .. }));
    let empty = |c: &mut Cells| c.cells[2].faces.extend(sound_front());
    assert_eq!(broken(empty), PatternError::NoCell(2));
}

/// A face far beyond the box, of a cell on its other side.
fn sound_front() -> Option<smithereens::pattern::CellFace> {
    let plane = Plane::new(DVec3::Z, 9.0);
    Some(smithereens::pattern::CellFace { id: 99, side: smithereens::Side::Front, plane })
}
