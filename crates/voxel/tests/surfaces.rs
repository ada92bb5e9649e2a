//! Meshes of octrees: closed, of the right volume, and of neighbours that fit.

use glam::DVec3;
use smithereens_geometry::{Mesh, Slot};
use smithereens_testing::fixtures;
use smithereens_voxel::{FractureOptions, Interior, Octree, Seeds, fracture};

fn volume(mesh: &Mesh) -> f64 {
    let signed = |face: usize| {
        let corners: Vec<DVec3> =
            mesh.loops_of(face).next().unwrap().iter().map(|&v| mesh.positions[v as usize]).collect();
        (1..corners.len() - 1).map(|i| corners[0].dot(corners[i].cross(corners[i + 1]))).sum::<f64>() / 6.0
    };
    (0..mesh.faces.len()).map(signed).sum()
}

/// Every edge is walked as often in one direction as in the other.
fn is_closed(mesh: &Mesh) -> bool {
    let mut edges: Vec<(u32, u32, i32)> = (0..mesh.faces.len())
        .flat_map(|face| mesh.edges_of(face).collect::<Vec<_>>())
        .map(|(a, b)| if a < b { (a, b, 1) } else { (b, a, -1) })
        .collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).all(|run| run.iter().map(|edge| edge.2).sum::<i32>() == 0)
}

#[test]
fn surfaces_are_closed_and_enclose_what_is_owned() {
    let solid = fixtures::torus(1.0, 0.4, 48, 24);
    let mut whole = Octree::of_solid(&solid, 6, &[200, 180, 160, 255]).unwrap();
    whole.interior = Interior::Plain([9, 9, 9, 255]);
    let broken =
        fracture(&whole, &Seeds::inside(&whole, 20, 4).unwrap(), &FractureOptions::default()).unwrap();
    let mut cut = 0;
    for octree in broken.pieces.iter().map(|piece| &piece.octree).chain([&whole]) {
        let (blocky, smooth) = (octree.blocky_surface(), octree.smooth_surface());
        let expected = octree.voxel_count() as f64 * octree.grid().voxel_volume();
        assert!(
            (volume(&blocky.mesh) - expected).abs() < 1e-9 * expected,
            "{} {expected}",
            volume(&blocky.mesh)
        );
        let apart = (volume(&smooth.mesh) / expected - 1.0).abs();
        assert!(expected < 0.01 || apart < 0.2, "{apart} of {expected}");
        for surface in [&blocky, &smooth] {
            assert!(is_closed(&surface.mesh));
            assert_eq!(surface.mesh.uvs.len(), surface.mesh.corners.len());
            assert!(surface.mesh.normals.iter().all(|normal| normal.is_finite()));
            assert_eq!(surface.palette_side().pow(2) as usize, surface.palette.len());
        }
        let inside = blocky.mesh.faces.iter().filter(|face| face.slot == Slot::INTERIOR).count();
        assert_eq!(inside == 0, std::ptr::eq(octree, &whole));
        cut += inside;
    }
    assert!(cut > 1000, "{cut}");
}

#[test]
fn faces_have_the_colours_of_their_voxels() {
    let solid = fixtures::boxed(DVec3::ONE);
    let mut whole = Octree::of_solid(&solid, 4, &[200, 180, 160, 255]).unwrap();
    whole.interior = Interior::Plain([9, 8, 7, 255]);
    let broken =
        fracture(&whole, &Seeds::inside(&whole, 4, 1).unwrap(), &FractureOptions::default()).unwrap();
    for piece in &broken.pieces {
        let surface = piece.octree.blocky_surface();
        let side = surface.palette_side();
        for face in 0..surface.mesh.faces.len() {
            let uv = surface.mesh.uvs[surface.mesh.face_corners(face).start] * side as f32;
            let color = surface.palette[(uv.y as u32 * side + uv.x as u32) as usize];
            let is_cut = surface.mesh.faces[face].slot == Slot::INTERIOR;
            assert_eq!(color, if is_cut { [9, 8, 7, 255] } else { [200, 180, 160, 255] });
        }
    }
}

#[test]
fn a_smooth_ball_is_round() {
    let grid = smithereens_voxel::Grid::new(6, DVec3::splat(-1.0), 2.0).unwrap();
    let ball = Octree::of_field(grid, |point| point.length() - 0.8, [1; 4]).unwrap();
    let spread = |mesh: &Mesh| {
        let radii: Vec<f64> = mesh.positions.iter().map(|point| point.length()).collect();
        radii.iter().copied().fold(0.0, f64::max) - radii.iter().copied().fold(9.0, f64::min)
    };
    let (blocky, smooth) = (spread(&ball.blocky_surface().mesh), spread(&ball.smooth_surface().mesh));
    assert!(smooth < 0.6 * blocky && smooth < 0.04, "{smooth} {blocky}");
}
