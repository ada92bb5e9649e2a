//! Vertices at one place become one: exactly equal ones everywhere, nearly equal ones where edges are open.

use glam::{DVec3, I64Vec3};
use smithereens_geometry::UnionFind;

use crate::soup::Soup;
use crate::twins::{ends, same_ends, sorted_edges};

/// Makes vertices at exactly the same place one. Returns how many went.
pub(crate) fn weld_equal(soup: &mut Soup) -> usize {
    let key = |p: DVec3| (p + DVec3::ZERO).to_array().map(f64::to_bits); // + 0: -0 is 0
    let mut order: Vec<u32> = (0..soup.positions.len() as u32).collect();
    order.sort_unstable_by_key(|&v| (key(soup.positions[v as usize]), v));
    let mut leaders: Vec<u32> = (0..soup.positions.len() as u32).collect();
    for run in order.chunk_by(|&a, &b| key(soup.positions[a as usize]) == key(soup.positions[b as usize])) {
        run.iter().for_each(|&v| leaders[v as usize] = run[0]);
    }
    rename(soup, |v| leaders[v as usize])
}

/// Makes vertices of open edges one that are at most `tolerance` apart. Returns how many went.
///
/// Only where edges are open: fine detail of a sound surface is left alone.
pub(crate) fn weld_near(soup: &mut Soup, tolerance: f64) -> usize {
    let vertices = open_vertices(soup);
    let cell = |v: u32| (soup.positions[v as usize] / tolerance).floor().as_i64vec3();
    let mut cells: Vec<([i64; 3], u32)> = vertices.iter().map(|&v| (cell(v).to_array(), v)).collect();
    cells.sort_unstable();
    let mut sets = UnionFind::new(soup.positions.len());
    for &(at, vertex) in &cells {
        for place in around(at.into()) {
            let start = cells.partition_point(|c| c.0 < place);
            for &(_, other) in cells[start..].iter().take_while(|c| c.0 == place) {
                let apart = soup.positions[vertex as usize] - soup.positions[other as usize];
                if other < vertex && apart.length_squared() <= tolerance * tolerance {
                    sets.join(vertex, other);
                }
            }
        }
    }
    rename(soup, |v| sets.root(v))
}

/// How near vertices of open edges must be to be taken for one: a hundred-thousandth of the extent, since files
/// often have six digits; but no more than a quarter of most open edges, lest detail is lost.
pub(crate) fn near_tolerance(soup: &Soup) -> f64 {
    let mut lengths: Vec<f64> = open_edges(soup)
        .iter()
        .map(|&e| ends(soup, e))
        .map(|(a, b)| (soup.positions[a as usize] - soup.positions[b as usize]).length())
        .collect();
    lengths.sort_unstable_by(f64::total_cmp);
    let short = lengths.get(lengths.len() / 10).copied().unwrap_or(f64::INFINITY);
    (soup.bounds().extent() * 1e-5).min(short * 0.25)
}

/// Half-edges without exactly one partner.
fn open_edges(soup: &Soup) -> Vec<u32> {
    let edges = sorted_edges(soup);
    edges.chunk_by(same_ends).filter(|g| g.len() == 1).map(|g| g[0].edge).collect()
}

fn open_vertices(soup: &Soup) -> Vec<u32> {
    let ends = open_edges(soup).into_iter().map(|e| ends(soup, e));
    let mut vertices: Vec<u32> = ends.flat_map(|(a, b)| [a, b]).collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

fn around(at: I64Vec3) -> impl Iterator<Item = [i64; 3]> {
    (0..27).map(move |i| {
        let step = I64Vec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        [at.x.saturating_add(step.x), at.y.saturating_add(step.y), at.z.saturating_add(step.z)]
    })
}

/// Gives vertices in use other names. Returns how many fewer are in use.
fn rename(soup: &mut Soup, mut leader: impl FnMut(u32) -> u32) -> usize {
    let used = |soup: &Soup| {
        let mut marks = vec![false; soup.positions.len()];
        soup.triangles.iter().flat_map(|t| t.vertices).for_each(|v| marks[v as usize] = true);
        marks.into_iter().filter(|m| *m).count()
    };
    let before = used(soup);
    for triangle in &mut soup.triangles {
        triangle.vertices = triangle.vertices.map(&mut leader);
    }
    before - used(soup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soup::Triangle;
    use smithereens_geometry::Slot;

    #[test]
    fn a_crack_is_closed_and_fine_detail_stays() {
        let hair = 1e-7;
        let mut soup = Soup {
            positions: vec![
                DVec3::ZERO,
                DVec3::X,
                DVec3::Y,
                DVec3::X + DVec3::Z * hair,
                DVec3::Y,
                DVec3::new(1.0, 1.0, 0.0),
            ],
            triangles: vec![Triangle::plain([0, 1, 2], Slot(0)), Triangle::plain([4, 3, 5], Slot(0))],
            ..Soup::default()
        };
        assert_eq!(weld_equal(&mut soup), 1);
        let tolerance = near_tolerance(&soup);
        assert_eq!(weld_near(&mut soup, tolerance), 1);
        assert_eq!(soup.triangles[1].vertices, [2, 1, 5]);
    }
}
