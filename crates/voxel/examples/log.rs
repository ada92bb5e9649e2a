//! A log of wood, struck at its end: only there it breaks, and every piece shows the rings of the whole.
//!
//! `cargo run --release -p smithereens-voxel --example log -- log.png`

use std::path::PathBuf;
use std::sync::Arc;

use glam::{DVec3, Vec3, vec3};
use smithereens_picture::{Image, Material, Options, Scene, render};
use smithereens_voxel::{FractureOptions, Grid, Interior, Octree, Seeds, Spheres, Surface, fracture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let grid = Grid::new(8, DVec3::splat(-1.0), 2.0)?;
    let bark = |p: DVec3| 0.3 + 0.02 * libm::sin(9.0 * libm::atan2(p.z, p.y) + 3.0 * p.x);
    let distance = |p: DVec3| (DVec3::new(0.0, p.y, p.z).length() - bark(p)).max(p.x.abs() - 0.9) * 0.8;
    let mut log = Octree::of_field(grid, distance, [92, 66, 44, 255])?;
    let colors = [[214, 170, 112, 255], [150, 98, 54, 255]];
    log.interior =
        Interior::Rings { colors, center: DVec3::new(0.0, 0.04, 0.03), axis: DVec3::X, spacing: 0.05 };

    let impact = DVec3::new(0.75, 0.25, 0.1);
    let options = Spheres { seeds: 70, radius: 1.1, seed: 4, ..Spheres::default() };
    let seeds = Seeds::spheres(&log, impact, &options)?.local(impact, 0.6);
    let broken = fracture(&log, &seeds, &FractureOptions::default())?;
    println!("{} pieces in {:.1} ms", broken.pieces.len(), broken.times.total);

    let mut scene = Scene::default();
    for piece in &broken.pieces {
        let apart = piece.octree.center().map_or(DVec3::ZERO, |center| (center - impact) * 0.45);
        let is_rest = piece.octree.voxel_count() * 2 > log.voxel_count();
        push(&mut scene, &piece.octree.smooth_surface(), if is_rest { DVec3::ZERO } else { apart })?;
    }
    scene.frame(vec3(-0.75, -0.45, -0.8), 1.6);
    let image = render(&scene, &Options { width: 960, height: 600, ..Options::default() })?;
    let path = std::env::args().nth(1).map_or(PathBuf::from("log.png"), PathBuf::from);
    Ok(image.write_png(path)?)
}

/// Adds a surface of quads, moved, with its palette for a texture.
fn push(scene: &mut Scene, surface: &Surface, by: DVec3) -> Result<(), smithereens_picture::Error> {
    let Surface { mesh, palette } = surface;
    let side = surface.palette_side();
    let rgb = palette.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    let texture = Some(Arc::new(Image::new(side, side, rgb)?));
    scene.materials.push(Material { texture, base_color: [1.0; 3], ..Material::default() });
    let positions: Vec<Vec3> =
        mesh.corners.iter().map(|&v| (mesh.positions[v as usize] + by).as_vec3()).collect();
    let quads = (0..mesh.faces.len() as u32).map(|face| 4 * face);
    let indices: Vec<u32> = quads.flat_map(|c| [c, c + 1, c + 2, c, c + 2, c + 3]).collect();
    let material = scene.materials.len() - 1;
    let (normals, uvs) = (&mesh.normals[..], &mesh.uvs[..]);
    scene.push(smithereens_picture::Surface {
        positions: &positions,
        normals,
        uvs,
        indices: &indices,
        material,
    });
    Ok(())
}
