//! Holes: the loops of open edges, closed by zipping where their sides lie on each other and by triangles elsewhere.

use smithereens_geometry::Slot;

use crate::fill::triangulate_loop;
use crate::soup::{Soup, Triangle};
use crate::twins::{NONE, ends, join, next};

/// The loops of open half-edges: each starts where the one before it ends.
pub(crate) fn loops(soup: &Soup, twins: &[u32]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; twins.len()];
    let mut loops = Vec::new();
    for first in 0..soup.triangles.len() as u32 * 3 {
        if twins[first as usize] != NONE || seen[first as usize] {
            continue;
        }
        let mut edges = Vec::new();
        let mut edge = first;
        while !seen[edge as usize] {
            seen[edge as usize] = true;
            edges.push(edge);
            edge = following(twins, edge);
        }
        loops.push(edges);
    }
    loops
}

/// The open half-edge that starts in the end of this one, found by walking around that vertex.
fn following(twins: &[u32], edge: u32) -> u32 {
    let mut edge = next(edge);
    while twins[edge as usize] != NONE {
        edge = next(twins[edge as usize]);
    }
    edge
}

/// Joins neighbouring edges of a hole that run back and forth between the same vertices: a slit. Returns how many
/// pairs were joined.
pub(crate) fn zip(soup: &Soup, twins: &mut [u32]) -> usize {
    let mut zipped = 0;
    for edges in loops(soup, twins) {
        let mut waiting: Vec<u32> = Vec::new();
        for edge in edges {
            match waiting.last() {
                Some(&last) if is_slit(soup, last, edge) => {
                    join(twins, last, edge);
                    waiting.pop();
                    zipped += 1;
                }
                _ => waiting.push(edge),
            }
        }
        // What is left is a loop: its end may fit its beginning.
        let (mut low, mut high) = (0, waiting.len());
        while high - low >= 2 && is_slit(soup, waiting[high - 1], waiting[low]) {
            join(twins, waiting[high - 1], waiting[low]);
            zipped += 1;
            (low, high) = (low + 1, high - 1);
        }
    }
    zipped
}

fn is_slit(soup: &Soup, a: u32, b: u32) -> bool {
    let ((a0, a1), (b0, b1)) = (ends(soup, a), ends(soup, b));
    // Not within one triangle: it would be joined to itself.
    a0 == b1 && a1 == b0 && a / 3 != b / 3
}

/// A hole filled: the triangles that were added, `first..first + count`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filled {
    pub first: usize,
    pub count: usize,
}

/// Fills a hole with triangles between its vertices, and joins them to each other and to what is around.
pub(crate) fn fill(soup: &mut Soup, twins: &mut Vec<u32>, edges: &[u32]) -> Filled {
    let first = soup.triangles.len();
    // Around the hole as the triangles in it see it: the other way.
    let around: Vec<u32> = edges.iter().rev().copied().collect();
    let corners: Vec<Corner> = around.iter().map(|&e| Corner::at_end_of(soup, e)).collect();
    let points: Vec<_> = corners.iter().map(|c| soup.positions[c.vertex as usize]).collect();
    let triangles = triangulate_loop(&points);
    let slot = most_common_slot(soup, edges);
    let mut sides: Vec<(u32, u32, u32)> = Vec::with_capacity(triangles.len() * 3);
    for triangle in &triangles {
        let edge = soup.triangles.len() as u32 * 3;
        let of = triangle.map(|i| corners[i as usize]);
        soup.triangles
            .push(Triangle { uvs: of.map(|c| c.uv), ..Triangle::plain(of.map(|c| c.vertex), slot) });
        sides.extend((0..3).map(|k| (triangle[k], triangle[(k + 1) % 3], edge + k as u32)));
    }
    twins.resize(soup.triangles.len() * 3, NONE);
    join_sides(twins, &around, sides);
    flatten_normals(soup, first);
    Filled { first, count: triangles.len() }
}

/// A vertex of a hole, with the texture coordinate of the triangle beside it.
#[derive(Clone, Copy)]
struct Corner {
    vertex: u32,
    uv: glam::Vec2,
}

impl Corner {
    fn at_end_of(soup: &Soup, edge: u32) -> Corner {
        let end = next(edge);
        let triangle = &soup.triangles[end as usize / 3];
        Corner { vertex: triangle.vertices[end as usize % 3], uv: triangle.uvs[end as usize % 3] }
    }
}

/// Joins the sides of triangles to each other, and to the loop: side `i` to `i + 1` of the loop lies on the edge that
/// starts in corner `i + 1` and ends in corner `i`.
fn join_sides(twins: &mut [u32], around: &[u32], mut sides: Vec<(u32, u32, u32)>) {
    let count = around.len() as u32;
    sides.sort_unstable();
    for &(a, b, edge) in &sides {
        if (a + 1) % count == b {
            join(twins, edge, around[a as usize]);
        } else if let Ok(found) = sides.binary_search_by_key(&(b, a), |s| (s.0, s.1)) {
            twins[edge as usize] = sides[found].2;
        }
    }
}

fn most_common_slot(soup: &Soup, edges: &[u32]) -> Slot {
    let mut slots: Vec<Slot> = edges.iter().map(|&e| soup.triangles[e as usize / 3].slot).collect();
    slots.sort_unstable();
    let most = slots.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
    most.map_or(Slot(0), |run| run[0])
}

fn flatten_normals(soup: &mut Soup, first: usize) {
    for triangle in first..soup.triangles.len() {
        let normal = soup.area_vector(triangle).normalize_or_zero().as_vec3();
        soup.triangles[triangle].normals = [normal; 3];
    }
}

/// The length around a hole.
pub(crate) fn length(soup: &Soup, edges: &[u32]) -> f64 {
    let side = |&e: &u32| {
        let (a, b) = ends(soup, e);
        (soup.positions[a as usize] - soup.positions[b as usize]).length()
    };
    edges.iter().map(side).sum()
}

/// Takes the triangles `keep` leaves out of the joins, as if they were not there, and renumbers.
pub(crate) fn retain(soup: &mut Soup, twins: &mut Vec<u32>, keep: &[bool]) -> usize {
    let mut new = vec![NONE; soup.triangles.len()];
    let kept = (0..keep.len()).filter(|&t| keep[t]);
    kept.zip(0..).for_each(|(triangle, number)| new[triangle] = number);
    let renamed = |edge: u32| match edge {
        NONE => NONE,
        edge if new[edge as usize / 3] == NONE => NONE,
        edge => new[edge as usize / 3] * 3 + edge % 3,
    };
    *twins = (0..twins.len()).filter(|e| keep[e / 3]).map(|e| renamed(twins[e])).collect();
    soup.retain(keep)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twins::pair;
    use smithereens_geometry::{Aabb, Convex, Solid};
    use smithereens_testing::fixtures;

    #[test]
    fn a_box_without_its_lid_is_closed_again() {
        let mut mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(3));
        mesh.corners.truncate(20);
        mesh.loop_ends.pop();
        mesh.faces.pop();
        let mut soup = Soup::of(&mesh).0;
        let (mut twins, _) = pair(&soup);
        let holes = loops(&soup, &twins);
        assert_eq!((holes.len(), length(&soup, &holes[0])), (1, 8.0));
        assert_eq!(fill(&mut soup, &mut twins, &holes[0]).count, 2);
        assert!(twins.iter().all(|&t| t != NONE));
        let solid = Solid::new(soup.to_mesh()).unwrap();
        assert_eq!(solid.volume(), 8.0);
        assert!(solid.mesh().faces.iter().all(|f| f.slot == Slot(3)));
    }

    #[test]
    fn a_slit_is_zipped() {
        let mut soup = Soup::of(fixtures::ico_sphere(1.0, 2).mesh()).0;
        let (mut twins, _) = pair(&soup);
        // Cut along two edges of one fan.
        let (first, second) = (0, next(twins[next(0) as usize]));
        for edge in [first, second] {
            let twin = twins[edge as usize];
            (twins[edge as usize], twins[twin as usize]) = (NONE, NONE);
        }
        let open = loops(&soup, &twins).iter().map(Vec::len).sum::<usize>();
        assert_eq!((open, zip(&soup, &mut twins)), (4, 2));
        assert!(twins.iter().all(|&t| t != NONE));
        assert_eq!(soup.separate_fans(&twins), 0);
    }
}
