//! Files of octrees: what is read is what was written, and what is damaged is said to be.

use glam::DVec3;
use smithereens_testing::{chance::Chance, fixtures};
use smithereens_voxel::{
    Error, FileError, FractureOptions, Grid, Interior, Octree, Seeds, Voxel, fracture, read_svo, write_svo,
};

fn torus(level: u32) -> Octree {
    Octree::of_solid(&fixtures::torus(1.0, 0.4, 48, 24), level, &[200, 180, 160, 255]).unwrap()
}

fn sum(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ sum >> 1 } else { sum >> 1 };
        }
    }
    !sum
}

#[test]
fn octrees_come_back_as_they_were() {
    let mut octrees: Vec<Octree> = (1..8).map(torus).collect();
    octrees[3].interior = Interior::Stone { color: [1, 2, 3, 4], grain: 0.25, contrast: 0.5 };
    octrees[4].interior =
        Interior::Rings { colors: [[1; 4], [9; 4]], center: DVec3::X, axis: DVec3::Y, spacing: 0.1 };
    octrees.push(Octree::of_voxels(Grid::new(4, DVec3::ZERO, 16.0).unwrap(), &[]).unwrap());
    let bytes = write_svo(&octrees.iter().collect::<Vec<_>>());
    assert_eq!(read_svo(&bytes).unwrap(), octrees);
}

#[test]
fn a_piece_comes_back_with_what_it_showed() {
    let whole = torus(5);
    let seeds = Seeds::inside(&whole, 6, 1).unwrap();
    let broken = fracture(&whole, &seeds, &FractureOptions::default()).unwrap();
    let pieces: Vec<&Octree> = broken.pieces.iter().map(|piece| &piece.octree).collect();
    for (read, piece) in read_svo(&write_svo(&pieces)).unwrap().iter().zip(pieces) {
        assert_eq!(read.voxels().collect::<Vec<Voxel>>(), piece.voxels().collect::<Vec<_>>());
        assert_eq!(read.boundary().collect::<Vec<_>>(), piece.boundary().collect::<Vec<_>>());
        let seeds = Seeds::inside(piece, 3, 2).unwrap();
        let again = |octree: &Octree| fracture(octree, &seeds, &FractureOptions::default()).unwrap();
        let counts =
            |octree: &Octree| again(octree).pieces.iter().map(|p| p.octree.voxel_count()).collect::<Vec<_>>();
        assert_eq!(counts(read), counts(piece));
    }
}

#[test]
fn files_cut_short_are_refused() {
    let bytes = write_svo(&[&torus(4)]);
    for end in 0..bytes.len() {
        let error = read_svo(&bytes[..end]).unwrap_err();
        let fits = match end {
            0..8 => matches!(error, Error::File(FileError::Magic { .. })),
            _ => matches!(error, Error::File(FileError::Short { .. } | FileError::Sum { .. })),
        };
        assert!(fits, "{end} of {}: {error}", bytes.len());
    }
    let error = read_svo(&[&bytes[..], &[0; 3]].concat()).unwrap_err();
    assert!(matches!(error, Error::File(FileError::Long { .. } | FileError::Sum { .. })), "{error}");
}

#[test]
fn damaged_files_are_refused_and_cause_no_harm() {
    let bytes = write_svo(&[&torus(4)]);
    let mut chance = Chance::new(8);
    let mut read = 0;
    for case in 0..4000 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + case % 3 {
            // Most of the meaning is in the first bytes.
            let reach = if case % 2 == 0 { 300 } else { bytes.len() };
            let at = 8 + chance.below(reach - 8);
            damaged[at] ^= 1 << chance.below(8);
        }
        if damaged == bytes {
            continue;
        }
        assert!(read_svo(&damaged).is_err());
        // With a check sum that fits, all that is read must make sense.
        let end = damaged.len() - 4;
        let fit = sum(&damaged[..end]).to_le_bytes();
        damaged[end..].copy_from_slice(&fit);
        if let Ok(octrees) = read_svo(&damaged) {
            for octree in &octrees {
                let seeds =
                    Seeds::new(vec![octree.grid().point(DVec3::ONE), octree.grid().point(DVec3::splat(7.0))]);
                let broken = fracture(octree, &seeds.unwrap(), &FractureOptions::default()).unwrap();
                let owned: u64 = broken.pieces.iter().map(|piece| piece.octree.voxel_count()).sum();
                assert!(owned <= octree.voxel_count());
            }
            read += 1;
        }
    }
    assert!(read > 100, "{read}");
}

#[test]
fn other_files_are_refused() {
    assert!(matches!(read_svo(b"solid cube"), Err(Error::File(FileError::Magic { .. }))));
    let mut bytes = write_svo(&[&torus(2)]);
    bytes[8] = 9;
    let error = read_svo(&bytes).unwrap_err();
    assert!(error.to_string().contains("version 9"), "{error}");
}
