//! Material slots, texture coordinates and normals for a new surface, from the nearest place of the old one.

use glam::{DVec3, Vec2, Vec3};
use rayon::prelude::*;
use smithereens_geometry::UnionFind;

use crate::bvh::{Bvh, closest_point, weights};
use crate::soup::{Soup, Triangle};
use crate::twins::{ends, next, same_ends, sorted_edges};

/// A normal of the old surface is used if it looks the way the new one does: within 60°.
const LIKE: f32 = 0.5;

/// Dresses every triangle of `new` as `old` is where it is nearest.
pub(crate) fn dress(new: &mut Soup, old: &Soup) {
    let tree = Bvh::of(old);
    let charts = charts(old);
    new.has_normals = old.has_normals;
    new.has_uvs = old.has_uvs;
    let dressed: Vec<Triangle> = (0..new.triangles.len())
        .into_par_iter()
        .with_min_len(512)
        .map(|t| dressed(new.triangles[t], new.points(t), old, &tree, &charts))
        .collect();
    new.triangles = dressed;
}

fn dressed(triangle: Triangle, points: [DVec3; 3], old: &Soup, tree: &Bvh, charts: &[u32]) -> Triangle {
    let middle = (points[0] + points[1] + points[2]) / 3.0;
    let Some(nearest) = tree.nearest(old, middle, f64::INFINITY) else { return triangle };
    let source = nearest.triangle;
    let mut dressed = Triangle { slot: old.triangles[source as usize].slot, ..triangle };
    if !old.has_normals && !old.has_uvs {
        return dressed;
    }
    let flat = (points[1] - points[0]).cross(points[2] - points[0]).normalize_or_zero().as_vec3();
    for (k, &point) in points.iter().enumerate() {
        let near = tree.nearest(old, point, f64::INFINITY).map_or(source, |n| n.triangle);
        // Across a seam, textures jump: the corner then continues the picture of the triangle's middle.
        let from = if charts[near as usize] == charts[source as usize] { near } else { source };
        let place = closest_point(point, old.points(from as usize));
        let place = if from == near { place } else { point };
        (dressed.normals[k], dressed.uvs[k]) = attributes(old, from, place);
        if dressed.normals[k].dot(flat) < LIKE {
            dressed.normals[k] = flat;
        }
    }
    dressed
}

/// The attributes of a triangle at a point of its plane.
fn attributes(soup: &Soup, triangle: u32, point: DVec3) -> (Vec3, Vec2) {
    let weights = weights(point, soup.points(triangle as usize)).map(|w| w as f32);
    let Triangle { normals, uvs, .. } = &soup.triangles[triangle as usize];
    let normal: Vec3 = (0..3).map(|i| normals[i] * weights[i]).sum();
    let uv: Vec2 = (0..3).map(|i| uvs[i] * weights[i]).sum();
    (normal.normalize_or_zero(), uv)
}

/// The chart of each triangle: triangles hang together across edges whose texture coordinates agree.
fn charts(soup: &Soup) -> Vec<u32> {
    let mut sets = UnionFind::new(soup.triangles.len());
    for group in sorted_edges(soup).chunk_by(same_ends) {
        for pair in group.windows(2) {
            if same_uvs(soup, pair[0].edge, pair[1].edge) {
                sets.join(pair[0].edge / 3, pair[1].edge / 3);
            }
        }
    }
    (0..soup.triangles.len() as u32).map(|t| sets.root(t)).collect()
}

fn same_uvs(soup: &Soup, a: u32, b: u32) -> bool {
    let uv = |edge: u32| soup.triangles[edge as usize / 3].uvs[edge as usize % 3];
    let (there, back) = ((uv(a), uv(next(a))), (uv(b), uv(next(b))));
    if ends(soup, a) == ends(soup, b) { there == back } else { there == (back.1, back.0) }
}
