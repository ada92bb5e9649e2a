//! MagicaVoxel's files: what is written is read back, and what is cut short or damaged is said to be.

use std::collections::BTreeMap;

use glam::DVec3;
use smithereens_testing::{chance::Chance, fixtures};
use smithereens_voxel::{Error, FileError, Interior, Octree, read_vox, write_vox};

fn torus(level: u32) -> Octree {
    let mut torus =
        Octree::of_solid(&fixtures::torus(1.0, 0.4, 48, 24), level, &[200, 180, 160, 255]).unwrap();
    torus.interior = Interior::Plain([90, 80, 70, 255]);
    torus
}

/// All voxels with their colours, from the least corner on.
fn voxels(octree: &Octree) -> BTreeMap<[u32; 3], [u8; 4]> {
    let (low, _) = octree.extent().unwrap();
    let color = |at| octree.payload(at).map_or([0; 4], |payload| payload.color());
    octree.voxels().map(|voxel| (std::array::from_fn(|k| voxel.at[k] - low[k]), color(voxel.at))).collect()
}

#[test]
fn voxels_come_back_with_their_colours() {
    for level in [2, 5, 9] {
        let solid = fixtures::boxed(DVec3::new(1.0, 0.02, 0.03));
        let octree =
            if level == 9 { Octree::of_solid(&solid, 9, &[7, 8, 9, 255]).unwrap() } else { torus(level) };
        let read = read_vox(&write_vox(&octree).unwrap()).unwrap();
        let (found, expected) = (voxels(&read), voxels(&octree));
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (at, color) in found {
            assert!(
                color == expected[&at] || color == [0; 4] || color == [90, 80, 70, 255],
                "{at:?} {color:?}"
            );
        }
    }
    assert!(matches!(write_vox(&torus(10)), Err(Error::TooDeep { level: 10, .. })));
}

#[test]
fn many_colours_become_few() {
    struct Rainbow;
    impl smithereens_voxel::Paint for Rainbow {
        fn color(&self, _: smithereens_geometry::Slot, uv: glam::Vec2) -> [u8; 4] {
            [(uv.x * 255.0) as u8, (uv.y * 255.0) as u8, 128, 255]
        }
    }
    let octree = Octree::of_solid(&fixtures::boxed(DVec3::ONE), 6, &Rainbow).unwrap();
    let read = read_vox(&write_vox(&octree).unwrap()).unwrap();
    let (found, expected) = (voxels(&read), voxels(&octree));
    assert_eq!(found.len(), expected.len());
    let apart = |a: [u8; 4], b: [u8; 4]| (0..3).map(|k| a[k].abs_diff(b[k])).max().unwrap();
    assert!(found.iter().all(|(at, &color)| color == [0; 4] || apart(color, expected[at]) < 32));
}

#[test]
fn damaged_files_are_refused_and_cause_no_harm() {
    let bytes = write_vox(&torus(3)).unwrap();
    let mut refused = 0;
    for end in 0..bytes.len() {
        refused += usize::from(read_vox(&bytes[..end]).is_err());
    }
    assert!(refused * 100 > bytes.len() * 95, "{refused} of {}", bytes.len());
    let error = read_vox(&bytes[..60]).unwrap_err();
    assert!(matches!(error, Error::File(FileError::Short { .. })), "{error}");
    assert!(matches!(read_vox(b"SMITHSVO"), Err(Error::File(FileError::Magic { expected: "VOX " }))));
    let mut chance = Chance::new(2);
    for _ in 0..20_000 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + chance.below(4) {
            let at = chance.below(damaged.len());
            damaged[at] ^= 1 << chance.below(8);
        }
        // Whatever comes of it, it is an octree or an error.
        if let Ok(octree) = read_vox(&damaged) {
            assert!(octree.voxel_count() > 0);
        }
    }
}
