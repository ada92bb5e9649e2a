//! Loops to shapes: each hole goes to the outer loop around it.

use crate::convex::area_of;
use crate::shape::winding;
use crate::{Aabb, Edge, Shape};

/// Shapes of loops that do not cross. Edges without length go, and loops without area.
pub(crate) fn nest(loops: Vec<Vec<Edge>>) -> Vec<Shape> {
    let mut outers: Vec<(f64, Vec<Edge>)> = Vec::new();
    let mut holes: Vec<Vec<Edge>> = Vec::new();
    for mut edges in loops {
        drop_points(&mut edges);
        let area = area_of(&edges);
        match edges.len() >= 3 && area != 0.0 {
            true if area > 0.0 => outers.push((area, edges)),
            true => holes.push(edges),
            false => {}
        }
    }
    let bounds: Vec<Aabb> = outers.iter().map(|(_, edges)| bounds_of(edges)).collect();
    let mut of_outer: Vec<Vec<Vec<Edge>>> = vec![Vec::new(); outers.len()];
    for hole in holes {
        let own = bounds_of(&hole);
        let holds = |&outer: &usize| bounds[outer].holds(&own) && is_around(&outers[outer].1, &hole);
        let around = (0..outers.len()).filter(holds);
        let least = around.min_by(|&a, &b| outers[a].0.total_cmp(&outers[b].0));
        // A hole in nothing is a sliver that rounding turned over: it stays with its area in what is largest.
        let largest = || (0..outers.len()).max_by(|&a, &b| outers[a].0.total_cmp(&outers[b].0));
        if let Some(outer) = least.or_else(largest) {
            of_outer[outer].push(hole);
        }
    }
    let shape = |((_, outer), holes): ((f64, Vec<Edge>), Vec<Vec<Edge>>)| {
        let mut shape = Shape::empty();
        std::iter::once(&outer).chain(&holes).for_each(|edges| shape.push_loop(edges));
        shape
    };
    outers.into_iter().zip(of_outer).map(shape).collect()
}

/// Edges that end where they start go.
fn drop_points(edges: &mut Vec<Edge>) {
    edges.reverse();
    edges.dedup_by_key(|edge| edge.start);
    edges.reverse();
    while edges.len() > 1 && edges[edges.len() - 1].start == edges[0].start {
        edges.pop();
    }
}

fn bounds_of(edges: &[Edge]) -> Aabb {
    Aabb::around(edges.iter().map(|edge| edge.start))
}

/// Whether a loop is inside another one. They may touch in corners, so that most middles of edges decide.
fn is_around(outer: &[Edge], hole: &[Edge]) -> bool {
    let middles = crate::convex::pairs(hole).map(|(from, to)| (from + to) * 0.5);
    let inside = middles.filter(|&middle| winding(outer, middle) > 0).count();
    inside * 2 > hole.len()
}
