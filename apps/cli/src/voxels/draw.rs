//! Octrees as they are written and drawn: a mesh each, with a palette for a texture.

use std::sync::Arc;

use anyhow::Result;
use glam::DVec3;
use rayon::prelude::*;
use smithereens::Slot;
use smithereens_formats::{Filter, GlbNode, GlbScene, Image, Material, Minify, Sampler, Texture, Wrap};
use smithereens_voxel::{Octree, Surface};

use crate::arguments::SurfaceName;
use crate::drawn::Drawn;

/// Meshes, and the materials that they index.
pub struct Meshes {
    pub drawn: Vec<Drawn>,
    pub materials: Vec<Material>,
}

/// Draws octrees, each with its name and where its centre is to be.
pub fn draw(octrees: &[&Octree], names: Vec<String>, places: &[DVec3], how: SurfaceName) -> Result<Meshes> {
    let surface = |octree: &&Octree| match how {
        SurfaceName::Smooth => octree.smooth_surface(),
        SurfaceName::Blocky => octree.blocky_surface(),
    };
    let mut surfaces: Vec<Surface> = octrees.par_iter().map(surface).collect();
    let materials = surfaces.iter().enumerate().map(material).collect::<Result<Vec<_>>>()?;
    for (index, surface) in surfaces.iter_mut().enumerate() {
        surface.mesh.faces.iter_mut().for_each(|face| face.slot = Slot(index as u32));
    }
    let all = surfaces.into_par_iter().zip(octrees).zip(names).zip(places);
    let drawn = all.map(|(((surface, octree), name), place)| {
        Drawn::of_mesh(name, surface.mesh, center(octree), *place, &materials)
    });
    let drawn = drawn.collect::<Result<_>>()?;
    Ok(Meshes { drawn, materials })
}

/// The middle of what an octree owns, or of its grid.
pub fn center(octree: &Octree) -> DVec3 {
    octree.center().unwrap_or(octree.grid().point(DVec3::splat(0.5 * f64::from(octree.grid().resolution()))))
}

/// A palette as a material.
fn material((index, surface): (usize, &Surface)) -> Result<Material> {
    let side = surface.palette_side();
    let rgb = surface.palette.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    let png = smithereens_picture::Image::new(side, side, rgb)?.to_png();
    let image = Image { name: format!("palette-{index}.png"), bytes: png.into() };
    // Colours of a palette have nothing to do with those beside them.
    let sampler = Sampler {
        wrap_u: Wrap::Clamp,
        wrap_v: Wrap::Clamp,
        magnify: Some(Filter::Nearest),
        minify: Some(Minify { pixels: Filter::Nearest, levels: None }),
    };
    let texture = Texture { sampler, ..Texture::new(Arc::new(image)) };
    Ok(Material {
        name: format!("voxels-{index}"),
        base_color: [1.0; 4],
        roughness: 0.9,
        base_color_texture: Some(texture),
        ..Material::default()
    })
}

/// A node an octree, with its number of voxels, its volume and its mass.
pub fn glb(meshes: &Meshes, octrees: &[&Octree], density: f64) -> GlbScene {
    let node = |(drawn, octree): (&Drawn, &&Octree)| {
        let volume = octree.voxel_count() as f64 * octree.grid().voxel_volume();
        GlbNode {
            name: drawn.name.clone(),
            translation: drawn.place,
            primitives: drawn.primitives.clone(),
            extras: serde_json::json!({ "voxels": octree.voxel_count(), "volume": volume, "mass": volume * density }),
            ..GlbNode::default()
        }
    };
    let nodes = meshes.drawn.iter().zip(octrees).map(node).collect();
    GlbScene { nodes, materials: meshes.materials.clone(), extras: serde_json::json!({ "density": density }) }
}
