//! Triangles that pass through one another, by exact side tests (Shewchuk 1997): touching is not crossing.

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use robust::{Coord, Coord3D, orient2d, orient3d};
use smithereens_geometry::Aabb;

use crate::bvh::Bvh;
use crate::soup::Soup;

/// So many neighbours of a triangle are looked at. More there are only where everything passes through everything;
/// counting on would take for ever and say nothing new.
const MOST_LOOKED_AT: usize = 4_000;

/// All pairs of triangles that cross, or overlap in a plane, in order; and whether some were left out.
pub(crate) fn crossing_pairs(soup: &Soup) -> (Vec<(u32, u32)>, bool) {
    let tree = Bvh::of(soup);
    let found: Vec<(Vec<(u32, u32)>, bool)> = (0..soup.triangles.len() as u32)
        .into_par_iter()
        .with_min_len(256)
        .map(|triangle| crossed_by(soup, &tree, triangle))
        .collect();
    let is_partial = found.iter().any(|f| f.1);
    (found.into_iter().flat_map(|f| f.0).collect(), is_partial)
}

/// Whether any two triangles cross, or overlap in a plane.
pub(crate) fn do_cross(soup: &Soup) -> bool {
    let tree = Bvh::of(soup);
    let all = (0..soup.triangles.len() as u32).into_par_iter().with_min_len(256);
    all.any(|triangle| !crossed_by(soup, &tree, triangle).0.is_empty())
}

fn crossed_by(soup: &Soup, tree: &Bvh, triangle: u32) -> (Vec<(u32, u32)>, bool) {
    let points = soup.points(triangle as usize);
    let (mut pairs, mut looked_at) = (Vec::new(), 0);
    tree.overlapping(&Aabb::of_points(points), |other| {
        if other > triangle {
            looked_at += 1;
            if cross(points, soup.points(other as usize)) {
                pairs.push((triangle, other));
            }
        }
        looked_at < MOST_LOOKED_AT
    });
    pairs.sort_unstable();
    (pairs, looked_at >= MOST_LOOKED_AT)
}

/// Whether an edge of one goes through the inside of the other, or they overlap in one plane. Triangles that only share a
/// corner, an edge or all corners do not cross.
fn cross(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let sides_of_b = b.map(|p| side(a, p));
    let sides_of_a = a.map(|p| side(b, p));
    if sides_of_b == [0; 3] {
        return overlap(a, b);
    }
    let apart = |s: [i32; 3]| s.iter().all(|x| *x >= 0) || s.iter().all(|x| *x <= 0);
    if apart(sides_of_a) && apart(sides_of_b) {
        return false;
    }
    let pierces = |edges: [DVec3; 3], sides: [i32; 3], triangle: [DVec3; 3]| {
        (0..3).any(|i| {
            let j = (i + 1) % 3;
            sides[i] * sides[j] < 0 && goes_through(edges[i], edges[j], triangle)
        })
    };
    pierces(a, sides_of_a, b) || pierces(b, sides_of_b, a)
}

fn side([a, b, c]: [DVec3; 3], point: DVec3) -> i32 {
    sign(orient3d(coord(a), coord(b), coord(c), coord(point)))
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

fn coord(p: DVec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// Whether the line through two points on both sides of a triangle's plane meets its inside, or one of its edges.
fn goes_through(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let turns = [side([p, q, a], b), side([p, q, b], c), side([p, q, c], a)];
    let sum: i32 = turns.iter().sum();
    sum.abs() >= 2
}

/// Whether triangles in one plane have edges that cross.
fn overlap(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let normal = (a[1] - a[0]).cross(a[2] - a[0]).abs();
    let drop = if normal.x >= normal.y.max(normal.z) {
        0
    } else if normal.y >= normal.z {
        1
    } else {
        2
    };
    let flat = |p: DVec3| DVec2::new(p[(drop + 1) % 3], p[(drop + 2) % 3]);
    let (a, b) = (a.map(flat), b.map(flat));
    let turn = |p: DVec2, q: DVec2, r: DVec2| {
        let coord = |v: DVec2| Coord { x: v.x, y: v.y };
        sign(orient2d(coord(p), coord(q), coord(r)))
    };
    (0..9).any(|k| {
        let (p, q) = (a[k / 3], a[(k / 3 + 1) % 3]);
        let (r, s) = (b[k % 3], b[(k % 3 + 1) % 3]);
        turn(p, q, r) * turn(p, q, s) < 0 && turn(r, s, p) * turn(r, s, q) < 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    #[test]
    fn crossing_is_more_than_touching() {
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        assert!(cross(FLAT, [at(0.2, 0.2, -1.0), at(0.2, 0.2, 1.0), at(2.0, 2.0, 0.0)]));
        assert!(!cross(FLAT, [at(0.2, 0.2, 0.0), at(0.2, 0.2, 1.0), at(2.0, 2.0, 1.0)]), "a corner on it");
        assert!(!cross(FLAT, [DVec3::X, DVec3::ZERO, DVec3::Z]), "an edge in common");
        assert!(!cross(FLAT, FLAT), "the same");
        assert!(cross(FLAT, [at(0.1, -0.1, 0.0), at(0.2, 0.5, 0.0), at(0.4, -0.1, 0.0)]), "in its plane");
        assert!(cross(FLAT, [DVec3::ZERO, at(0.5, 0.2, 0.5), at(0.2, 0.5, -0.5)]), "a corner in common");
    }
}
