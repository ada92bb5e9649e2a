//! A temple of parts that overlap, before and after two hits; or the model itself, a node a part.
//!
//! `cargo run --release -p smithereens-testing --example temple -- temple.png`
//! `cargo run --release -p smithereens-testing --example temple -- temple.glb`

use glam::{DVec3, vec3};
use smithereens::pattern::PatternKind;
use smithereens::{Compound, Fit, FractureOptions, Impact, Piece, fracture};
use smithereens_formats::{GlbScene, Material, Model, Object};
use smithereens_picture::{Image, Material as Look, Options, Scene, Surface, render};
use smithereens_testing::fixtures::temple;

type Failure = Box<dyn std::error::Error>;

/// Where it is hit, how far that reaches, and how far fragments fly.
const HITS: [(DVec3, f64, f64); 2] =
    [(DVec3::new(1.6, 1.3, 1.05), 0.75, 0.5), (DVec3::new(-0.9, 2.3, 0.9), 0.8, 0.45)];

fn main() -> Result<(), Failure> {
    let file = std::env::args().nth(1).ok_or("usage: temple FILE.png|FILE.glb")?;
    if !file.ends_with(".png") {
        return Ok(smithereens_formats::write(file.as_ref(), &model())?);
    }
    let fitted =
        |solid: smithereens::Solid| Piece::surface(Fit::Dop26.around(&solid.mesh().positions), solid);
    let whole = Compound::from_pieces(temple().into_iter().map(fitted).collect())?;
    let ghosts = whole.pieces().iter().filter(|p| p.is_ghost()).count();
    println!("{} pieces, {ghosts} of them ghosts, volume {:.4}", whole.pieces().len(), whole.mass().volume);
    let mut parts = vec![(whole.clone(), DVec3::ZERO)];
    for (seed, (point, radius, flight)) in (1..).zip(HITS) {
        let mut next = Vec::new();
        for (compound, moved) in parts {
            let bounds = smithereens::Aabb::cube(radius);
            let pattern = PatternKind::Voronoi.pattern(40, bounds, seed)?;
            let impact = Impact { radius, ..Impact::at(point) };
            let broken = fracture(&compound, &pattern, &impact, &FractureOptions::default())?;
            for fragment in broken.fragments {
                let away = (fragment.compound.mass().center - (point - DVec3::Z * 0.5)).normalize_or_zero();
                let moved = if fragment.colour.is_some() { away * flight } else { moved };
                next.push((fragment.compound, moved));
            }
        }
        parts = next;
    }
    let volume: f64 = parts.iter().map(|(compound, _)| compound.mass().volume).sum();
    println!("{} fragments, volume {volume:.4}", parts.len());
    let stills = [still(&[(whole, DVec3::ZERO)])?, still(&parts)?];
    let mut both = Image::filled(stills[0].width(), stills[0].height() * 2, [255; 3])?;
    both.paste(&stills[0], 0, 0);
    both.paste(&stills[1], 0, stills[0].height());
    Ok(both.write_png(file)?)
}

/// All parts, a node each.
fn model() -> Model {
    let mut model = Model::default();
    for (index, part) in temple().into_iter().enumerate() {
        let start = model.mesh.faces.len();
        model.mesh.append(part.mesh());
        let faces = start..model.mesh.faces.len();
        model.objects.push(Object { name: format!("part-{index}"), faces });
    }
    model
}

/// A picture of compounds, each moved.
fn still(parts: &[(Compound, DVec3)]) -> Result<Image, Failure> {
    let mut scene = Scene::default();
    scene.materials = vec![Look::stone([0.62, 0.55, 0.45], 4.0), Look::stone([0.75, 0.35, 0.2], 4.0)];
    for (compound, moved) in parts {
        let (mesh, materials) = (compound.visible_mesh(), vec![Material::default(); 2]);
        let nodes = GlbScene::from_model(&Model { mesh, materials, ..Model::default() })?.nodes;
        for primitive in nodes.iter().flat_map(|node| &node.primitives) {
            let positions: Vec<_> = primitive.positions.iter().map(|p| *p + moved.as_vec3()).collect();
            let material = primitive.material.min(1);
            let (normals, indices) = (&primitive.normals[..], &primitive.indices[..]);
            scene.push(Surface { positions: &positions, normals, indices, material, ..Surface::default() });
        }
    }
    scene.frame(vec3(-0.6, -0.35, -1.0), 2.0);
    Ok(render(&scene, &Options { width: 640, height: 320, ..Options::default() })?)
}
