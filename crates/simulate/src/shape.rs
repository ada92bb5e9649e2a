//! Convexes as shapes that a solver of single precision can live with.
//!
//! Fragments start face to face. How deep two convexes are in each other cannot be told in single precision when they just touch: Rapier
//! has been seen to take two that did for half a metre deep, and to blow them apart. So a shape is a smaller convex with a round
//! margin: what is measured is the distance of the cores, which is far from zero when the margins touch.

use glam::DVec3;
use rapier3d::math::Vector;
use rapier3d::prelude::SharedShape;
use smithereens::{Convex, Halfspace, Plane};

use crate::convert::narrow;
use crate::faceted::Faceted;

/// The round margin, in metres.
const MARGIN: f64 = 0.002;
/// And at most this part of how thick a convex is.
const MARGIN_OF_WIDTH: f64 = 0.2;
/// Edges of a core shorter than this part of the margin are welded: their directions are noise.
const SHORTEST_EDGE: f64 = 0.05;

/// A collision shape for a convex, about `center`. None for what is thinner than `thinnest`: contacts would miss it, or jitter.
pub(crate) fn shape(convex: &Convex, center: DVec3, thinnest: f64) -> Option<SharedShape> {
    let width = width(convex);
    if width.is_nan() || width <= thinnest {
        return None;
    }
    let margin = MARGIN.min(width * MARGIN_OF_WIDTH);
    let core = inset(convex, margin)?;
    let points: Vec<Vector> = core.vertices().iter().map(|&v| narrow(v - center)).collect();
    let shortest = (margin * SHORTEST_EDGE) as f32;
    let is_long = |(a, b): (usize, usize)| points[a].distance_squared(points[b]) > shortest * shortest;
    let exact = if edges(&core).all(is_long) {
        SharedShape::round_convex_mesh(points.clone(), &triangles(&core), margin as f32)
    } else {
        None
    };
    let round = exact.or_else(|| SharedShape::round_convex_hull(&welded(points, shortest), margin as f32))?;
    Faceted::from_shape(&round).map(SharedShape::new)
}

/// How thick a convex is, across its faces.
pub(crate) fn width(convex: &Convex) -> f64 {
    let across = |normal: DVec3| {
        let along = convex.vertices().iter().map(|v| v.dot(normal));
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), d| (l.min(d), h.max(d)));
        high - low
    };
    convex.faces().iter().map(|face| across(face.halfspace().outward().normal)).fold(f64::INFINITY, f64::min)
}

/// What lies deeper in a convex than `margin`.
fn inset(convex: &Convex, margin: f64) -> Option<Convex> {
    let inner = |face: &smithereens::ConvexFace| {
        let Plane { normal, offset } = face.halfspace().outward();
        Halfspace::behind(Plane { normal, offset: offset - margin })
    };
    let inner: Vec<Halfspace> = convex.faces().iter().map(inner).collect();
    Convex::from_halfspaces(&convex.bounds().grown(margin), &inner)
}

fn edges(convex: &Convex) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..convex.faces().len()).flat_map(|face| {
        let around = convex.face_vertices(face);
        (0..around.len()).map(move |i| (around[i] as usize, around[(i + 1) % around.len()] as usize))
    })
}

fn triangles(convex: &Convex) -> Vec<[u32; 3]> {
    let fan = |face: usize| {
        let v = convex.face_vertices(face);
        (1..v.len().saturating_sub(1)).map(move |i| [v[0], v[i], v[i + 1]])
    };
    (0..convex.faces().len()).flat_map(fan).collect()
}

/// Points, without those that are close to one before.
fn welded(points: Vec<Vector>, reach: f32) -> Vec<Vector> {
    let mut kept: Vec<Vector> = Vec::with_capacity(points.len());
    for point in points {
        if kept.iter().all(|k| k.distance_squared(point) > reach * reach) {
            kept.push(point);
        }
    }
    kept
}
