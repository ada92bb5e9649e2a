//! Any mesh is inspected, and mended to a closed solid or refused, at every level.
#![no_main]

use glam::DVec3;
use libfuzzer_sys::fuzz_target;
use smithereens::{Mesh, Slot};
use smithereens_repair::{Level, Overlaps, RepairOptions, inspect, repair};
use smithereens_testing::assertions::{assert_closed, assert_finite};

const VERTICES: usize = 32;

/// Vertices on a coarse lattice, so that faces meet in every way there is; then faces of three to six corners. A byte of 128 is no
/// number, and one corner in a thousand or so has no vertex.
fn mesh(bytes: &[u8]) -> Mesh {
    let at = |b: u8| if b == 128 { f64::NAN } else { f64::from(b as i8 >> 3) };
    let (places, corners) = bytes.split_at(bytes.len().min(VERTICES * 3));
    let positions = places.chunks_exact(3).map(|p| DVec3::new(at(p[0]), at(p[1]), at(p[2]))).collect();
    let mut mesh = Mesh { positions, ..Mesh::default() };
    let mut rest = corners;
    while let Some((&first, tail)) = rest.split_first() {
        let count = (3 + usize::from(first >> 6)).min(tail.len());
        let face: Vec<u32> = tail[..count].iter().map(|&b| u32::from(b) % (VERTICES as u32 + 1)).collect();
        if face.len() >= 3 {
            mesh.push_polygon(&face, Slot(0));
        }
        rest = &tail[count..];
    }
    mesh
}

fuzz_target!(|bytes: &[u8]| {
    let mesh = mesh(&bytes[..bytes.len().min(1024)]);
    assert!(!inspect(&mesh).advice().is_empty());
    for level in [Level::Off, Level::Light, Level::Auto, Level::Remesh] {
        for overlaps in [Overlaps::Unite, Overlaps::UniteAll, Overlaps::Keep] {
            let options = RepairOptions { level, overlaps, resolution: 8, ..RepairOptions::default() };
            if let Ok(repaired) = repair(&mesh, &options) {
                assert_finite(repaired.solid.mesh());
                assert_closed(repaired.solid.mesh());
                assert!(repaired.solid.volume() > 0.0);
            }
        }
    }
});
