//! Triangles of a hull to polygons: those in one plane become one face.

use glam::DVec3;

use super::exact::{above, normal};
use super::facets::Facet;
use crate::{Convex, Plane, UnionFind};

/// The hull of triangles as a convex. Decisions are made on the scaled points, the convex has the points themselves.
pub(super) fn polygons(points: &[DVec3], scaled: &[DVec3], facets: &[Facet]) -> Convex {
    let faces = coplanar(scaled, facets);
    let corner = corners(&faces, facets, points.len());
    let mut number = vec![u32::MAX; points.len()];
    let mut convex = Convex::default();
    for (index, &point) in points.iter().enumerate().filter(|(i, _)| corner[*i]) {
        number[index] = convex.vertices.len() as u32;
        convex.vertices.push(point);
    }
    for members in by_face(&faces) {
        let outline = outline(&members, &faces, facets);
        let vertices: Vec<u32> =
            outline.into_iter().filter(|&v| corner[v as usize]).map(|v| number[v as usize]).collect();
        let normal = best_normal(&members, scaled, facets);
        let offset = vertices.iter().map(|&v| normal.dot(convex.vertices[v as usize]));
        let plane = Plane::new(normal, offset.fold(f64::NEG_INFINITY, f64::max));
        convex.push_face(&vertices, plane, None);
    }
    convex
}

/// A number for the face of each facet: that of its first facet.
fn coplanar(points: &[DVec3], facets: &[Facet]) -> Vec<u32> {
    let mut sets = UnionFind::new(facets.len());
    for (index, facet) in facets.iter().enumerate() {
        let [a, b, c] = facet.vertices.map(|v| points[v as usize]);
        for &neighbour in facet.neighbours.iter().filter(|&&n| n as usize > index) {
            let across = facets[neighbour as usize].vertices;
            let far = across.iter().find(|v| !facet.vertices.contains(v));
            if far.is_none_or(|&far| above(a, b, c, points[far as usize]) == 0.0) {
                sets.join(index as u32, neighbour);
            }
        }
    }
    (0..facets.len() as u32).map(|f| sets.root(f)).collect()
}

/// Whether each point is a corner: where three faces meet. Where only two do, it is inside an edge.
fn corners(faces: &[u32], facets: &[Facet], points: usize) -> Vec<bool> {
    let mut meetings: Vec<(u32, u32)> =
        facets.iter().zip(faces).flat_map(|(facet, &face)| facet.vertices.map(|v| (v, face))).collect();
    meetings.sort_unstable();
    meetings.dedup();
    let mut corner = vec![false; points];
    for around in meetings.chunk_by(|a, b| a.0 == b.0) {
        corner[around[0].0 as usize] = around.len() >= 3;
    }
    corner
}

/// The facets of each face.
fn by_face(faces: &[u32]) -> Vec<Vec<u32>> {
    let mut order: Vec<(u32, u32)> = faces.iter().copied().zip(0..).collect();
    order.sort_unstable();
    order.chunk_by(|a, b| a.0 == b.0).map(|members| members.iter().map(|m| m.1).collect()).collect()
}

/// The vertices around a face, counter-clockwise from outside.
fn outline(members: &[u32], faces: &[u32], facets: &[Facet]) -> Vec<u32> {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for &member in members {
        let facet = &facets[member as usize];
        for i in 0..3 {
            if faces[facet.neighbours[i] as usize] != faces[member as usize] {
                edges.push((facet.vertices[i], facet.vertices[(i + 1) % 3]));
            }
        }
    }
    edges.sort_unstable();
    let Some(&(start, _)) = edges.first() else { return Vec::new() };
    let mut outline = vec![start];
    while outline.len() < edges.len() {
        let at = outline[outline.len() - 1];
        let edge = edges[edges.partition_point(|e| e.0 < at).min(edges.len() - 1)];
        outline.push(edge.1);
    }
    outline
}

/// The unit normal of the largest facet.
fn best_normal(members: &[u32], points: &[DVec3], facets: &[Facet]) -> DVec3 {
    let mut best = DVec3::ZERO;
    for &member in members {
        let [a, b, c] = facets[member as usize].vertices.map(|v| points[v as usize]);
        let candidate = normal(a, b, c);
        if candidate.abs().max_element() > best.abs().max_element() {
            best = candidate;
        }
    }
    // Made longer first: the square of a sliver's normal may underflow.
    (best / best.abs().max_element()).normalize_or_zero()
}
