//! Which triangle lies across an edge: decided once, also where more than two meet.
//!
//! A half-edge is named `3 * triangle + k` and runs from corner `k` to the next one.

use glam::DVec3;
use smithereens_geometry::{EdgeSide, UnionFind, pair_wedges};

use crate::soup::Soup;

/// No triangle across this edge: it is open.
pub(crate) const NONE: u32 = u32::MAX;

/// The next half-edge of the same triangle.
#[inline]
pub(crate) fn next(edge: u32) -> u32 {
    if edge % 3 == 2 { edge - 2 } else { edge + 1 }
}

/// Where a half-edge starts and ends.
#[inline]
pub(crate) fn ends(soup: &Soup, edge: u32) -> (u32, u32) {
    let vertices = &soup.triangles[edge as usize / 3].vertices;
    (vertices[edge as usize % 3], vertices[next(edge) as usize % 3])
}

/// A half-edge with its ends in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sorted {
    pub low: u32,
    pub high: u32,
    pub edge: u32,
    pub upward: bool,
}

/// All half-edges, those between the same two vertices side by side.
pub(crate) fn sorted_edges(soup: &Soup) -> Vec<Sorted> {
    let mut edges: Vec<Sorted> = (0..soup.triangles.len() as u32 * 3)
        .map(|edge| {
            let (a, b) = ends(soup, edge);
            Sorted { low: a.min(b), high: a.max(b), edge, upward: a < b }
        })
        .collect();
    edges.sort_unstable_by_key(|e| (e.low, e.high, e.edge));
    edges
}

/// Whether two half-edges in [`sorted_edges`] lie between the same vertices.
pub(crate) fn same_ends(a: &Sorted, b: &Sorted) -> bool {
    (a.low, a.high) == (b.low, b.high)
}

/// The twin of each half-edge, or [`NONE`]; and how many edges had more than two triangles.
///
/// Two triangles of a common edge are joined if they are wound alike. Of three and more, those are joined that bound
/// the same wedge of the inside, if as many run up as down; else the flattest pairs, since what sticks out is a fin.
pub(crate) fn pair(soup: &Soup) -> (Vec<u32>, usize) {
    let mut twins = vec![NONE; soup.triangles.len() * 3];
    let mut crowded = 0;
    for group in sorted_edges(soup).chunk_by(same_ends) {
        match group {
            [a, b] if a.upward != b.upward => join(&mut twins, a.edge, b.edge),
            [_] | [_, _] => {}
            group => {
                crowded += 1;
                let up = group.iter().filter(|e| e.upward).count();
                if 2 * up == group.len() {
                    pair_around_edge(soup, group, &mut twins);
                } else {
                    pair_flattest(soup, group, &mut twins);
                }
            }
        }
    }
    (twins, crowded)
}

/// Makes two half-edges each other's twin.
pub(crate) fn join(twins: &mut [u32], a: u32, b: u32) {
    twins[a as usize] = b;
    twins[b as usize] = a;
}

fn pair_around_edge(soup: &Soup, group: &[Sorted], twins: &mut [u32]) {
    let axis = soup.positions[group[0].high as usize] - soup.positions[group[0].low as usize];
    let Some(axis) = axis.try_normalize() else { return pair_flattest(soup, group, twins) };
    let side = |e: &Sorted| EdgeSide {
        upward: e.upward,
        normal: soup.area_vector(e.edge as usize / 3).normalize_or_zero(),
        name: e.edge,
    };
    for (up, down) in pair_wedges(axis, &group.iter().map(side).collect::<Vec<_>>()) {
        join(twins, up, down);
    }
}

/// More triangles than this at one edge are no fins but noise: all but the first are left open.
const MOST_AT_AN_EDGE: usize = 64;

fn pair_flattest(soup: &Soup, group: &[Sorted], twins: &mut [u32]) {
    let group = &group[..group.len().min(MOST_AT_AN_EDGE)];
    let normal = |e: &Sorted| soup.area_vector(e.edge as usize / 3).normalize_or_zero();
    let normals: Vec<DVec3> = group.iter().map(normal).collect();
    let mut pairs: Vec<(f64, u32, u32)> = Vec::new();
    for (i, a) in group.iter().enumerate() {
        for (j, b) in group.iter().enumerate().skip(i + 1).filter(|(_, b)| b.upward != a.upward) {
            pairs.push((-normals[i].dot(normals[j]), a.edge, b.edge));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, a, b) in pairs {
        if twins[a as usize] == NONE && twins[b as usize] == NONE {
            join(twins, a, b);
        }
    }
}

/// Triangles that hang together across joined edges.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// The part of each triangle.
    pub of: Vec<u32>,
    /// The triangles of each part, in order of the first.
    pub triangles: Vec<Vec<u32>>,
}

/// The parts of a soup.
pub(crate) fn parts(soup: &Soup, twins: &[u32]) -> Parts {
    let mut sets = UnionFind::new(soup.triangles.len());
    for (edge, &twin) in twins.iter().enumerate().filter(|(_, t)| **t != NONE) {
        sets.join(edge as u32 / 3, twin / 3);
    }
    let mut of = vec![NONE; soup.triangles.len()];
    let mut triangles: Vec<Vec<u32>> = Vec::new();
    for triangle in 0..soup.triangles.len() as u32 {
        // The root is the least member, so it has been seen before.
        let root = sets.root(triangle) as usize;
        if of[root] == NONE {
            of[root] = triangles.len() as u32;
            triangles.push(Vec::new());
        }
        of[triangle as usize] = of[root];
        triangles[of[root] as usize].push(triangle);
    }
    Parts { of, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_geometry::{Aabb, Convex, Mesh, Slot};

    fn cube(at: DVec3) -> Mesh {
        Convex::from_box(&Aabb::new(at, at + DVec3::ONE)).to_mesh(Slot(0))
    }

    #[test]
    fn cubes_that_touch_in_an_edge_stay_apart() {
        let mut mesh = cube(DVec3::ZERO);
        mesh.append(&cube(DVec3::new(1.0, 1.0, 0.0)));
        mesh.weld();
        let mut soup = Soup::of(&mesh).0;
        let (twins, crowded) = pair(&soup);
        assert_eq!((crowded, twins.iter().filter(|&&t| t == NONE).count()), (1, 0));
        assert_eq!(parts(&soup, &twins).triangles.len(), 2);
        assert_eq!(soup.separate_fans(&twins), 2);
    }

    #[test]
    fn a_fin_is_left_out() {
        let mut mesh = cube(DVec3::ZERO);
        mesh.positions.push(DVec3::splat(3.0));
        let (a, b) = mesh.edges_of(0).next().unwrap();
        mesh.push_polygon(&[a, b, 8], Slot(0));
        let soup = Soup::of(&mesh).0;
        let (twins, crowded) = pair(&soup);
        let open: Vec<usize> = (0..twins.len()).filter(|&e| twins[e] == NONE).collect();
        assert_eq!((crowded, open), (1, vec![36, 37, 38]));
    }
}
