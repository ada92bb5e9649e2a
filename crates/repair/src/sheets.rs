//! Open parts: which can be closed by filling their holes, and which are sheets that need a thickness.

use glam::DVec3;
use smithereens_geometry::Aabb;

use crate::bvh::Bvh;
use crate::holes::{self, Filled};
use crate::orient::{bounds, volume};
use crate::soup::{Soup, Triangle};
use crate::twins::{NONE, Parts, ends, join, next};
use crate::winding_tree::WindingTree;

/// A part whose holes would need more than this share of its own area is a sheet. A hemisphere needs a half, a box without
/// its lid a fifth, a flat sheet as much as it has.
const MOST_FILLED: f64 = 0.65;
/// The same for parts that are drawn from both sides: who does so means a sheet.
const MOST_FILLED_TWO_SIDED: f64 = 0.02;
/// A part that encloses less than this share of a ball of its area is flat.
const FLAT: f64 = 1e-4;
/// Open parts with less than this share of the whole's extent, and of its area, are scraps.
const SCRAP_EXTENT: f64 = 0.02;
const SCRAP_AREA: f64 = 1e-3;
/// Backs meet this far on the way to the next sheet.
const MEET: f64 = 0.6;
/// What is nearer than this share of the thickness touches.
const SAME_SHEET: f64 = 1e-3;

/// Marks the triangles to keep: not those of scraps, small open parts that scanners leave around a surface.
pub(crate) fn without_scraps(soup: &Soup, parts: &Parts, is_open: &[bool]) -> Vec<bool> {
    let (extent, area) = (soup.bounds().extent(), soup.area());
    let scrap = |part: usize| {
        let triangles = &parts.triangles[part];
        is_open[part]
            && bounds(soup, triangles).extent() < SCRAP_EXTENT * extent
            && area_of(soup, triangles) < SCRAP_AREA * area
    };
    let scraps: Vec<bool> = (0..parts.triangles.len()).map(scrap).collect();
    if scraps.iter().all(|s| *s) {
        return vec![true; soup.triangles.len()]; // nothing would be left
    }
    parts.of.iter().map(|&part| !scraps[part as usize]).collect()
}

/// Which parts have open edges.
pub(crate) fn open_parts(parts: &Parts, twins: &[u32]) -> Vec<bool> {
    let mut open = vec![false; parts.triangles.len()];
    for (edge, _) in twins.iter().enumerate().filter(|(_, t)| **t == NONE) {
        open[parts.of[edge / 3] as usize] = true;
    }
    open
}

/// The area of some triangles.
pub(crate) fn area_of(soup: &Soup, triangles: &[u32]) -> f64 {
    triangles.iter().map(|&t| soup.area_vector(t as usize).length() * 0.5).sum()
}

/// Whether a closed part encloses next to nothing.
pub(crate) fn is_flat(soup: &Soup, triangles: &[u32]) -> bool {
    encloses_nothing(volume(soup, triangles), area_of(soup, triangles))
}

/// Whether a surface of this area has next to no volume.
pub(crate) fn encloses_nothing(volume: f64, area: f64) -> bool {
    // A ball of this area has the volume area^1.5 / (6 √π).
    let ball = area * area.sqrt() / 10.6;
    volume.abs() <= FLAT * ball
}

/// Whether an open part, its holes once filled, is better taken for a sheet.
pub(crate) fn is_sheet(soup: &Soup, triangles: &[u32], filled: &[Filled]) -> bool {
    let added: Vec<u32> = filled.iter().flat_map(|f| f.first as u32..(f.first + f.count) as u32).collect();
    let all: Vec<u32> = triangles.iter().chain(&added).copied().collect();
    let two_sided: Vec<u32> =
        triangles.iter().copied().filter(|&t| soup.triangles[t as usize].two_sided).collect();
    let area = area_of(soup, triangles);
    let most = if area_of(soup, &two_sided) > 0.5 * area { MOST_FILLED_TWO_SIDED } else { MOST_FILLED };
    area_of(soup, &added) > most * area || is_flat(soup, &all)
}

/// Gives a sheet a back at a distance, and a rim where it is open. Its front stays where it is. `tree` holds the surface as it
/// is before any sheet gets its back. Returns how many triangles were added.
pub(crate) fn thicken(
    soup: &mut Soup,
    twins: &mut Vec<u32>,
    sheet: &[u32],
    tree: &Bvh,
    thickness: f64,
) -> usize {
    let first = soup.triangles.len();
    let back = back_vertices(soup, sheet, tree, thickness);
    let behind = |v: u32| back[back.partition_point(|b| b.0 < v)].1;
    let mut back_of = vec![NONE; soup.triangles.len()];
    for &triangle in sheet {
        back_of[triangle as usize] = soup.triangles.len() as u32;
        let mut copy = soup.triangles[triangle as usize];
        copy.vertices = copy.vertices.map(behind);
        copy.flip();
        copy.cut = None;
        soup.triangles.push(copy);
    }
    for &triangle in sheet {
        for edge in triangle * 3..triangle * 3 + 3 {
            if twins[edge as usize] == NONE {
                push_rim(soup, edge, behind);
            }
        }
    }
    twins.resize(soup.triangles.len() * 3, NONE);
    join_again(soup, twins, sheet, first);
    soup.triangles.len() - first
}

/// The vertices of a sheet, each with a new one behind it.
fn back_vertices(soup: &mut Soup, sheet: &[u32], tree: &Bvh, thickness: f64) -> Vec<(u32, u32)> {
    let mut corners: Vec<(u32, u32)> =
        sheet.iter().flat_map(|&t| soup.triangles[t as usize].vertices.map(|v| (v, t))).collect();
    corners.sort_unstable();
    let mut back = Vec::new();
    for fan in corners.chunk_by(|a, b| a.0 == b.0) {
        // By angle: then a flat sheet's back is flat, however it is cut into triangles.
        let normal: DVec3 = fan
            .iter()
            .map(|&(v, t)| soup.area_vector(t as usize).normalize_or_zero() * angle(soup, v, t))
            .sum();
        let behind = -normal.normalize_or_zero() * thickness;
        let share = room_behind(soup, tree, fan[0].0, behind);
        back.push((fan[0].0, soup.positions.len() as u32));
        soup.positions.push(soup.positions[fan[0].0 as usize] + behind * share);
    }
    back
}

/// How much of the way behind a vertex its back may go. Where another sheet is on it, a little more than half: of a wall drawn
/// as an inner and an outer sheet, both fronts stay to be seen, and the backs meet between them.
fn room_behind(soup: &Soup, tree: &Bvh, vertex: u32, way: DVec3) -> f64 {
    let from = soup.positions[vertex as usize];
    let mut room: f64 = 1.0;
    tree.overlapping(&Aabb::of_points([from, from + way]), |triangle| {
        if !soup.triangles[triangle as usize].vertices.contains(&vertex) {
            let hit = share_to_triangle(from, way, soup.points(triangle as usize));
            room = hit.filter(|share| *share > SAME_SHEET).map_or(room, |share| room.min(share * MEET));
        }
        true
    });
    room
}

/// The share of the way at which it goes through a triangle (Möller and Trumbore 1997).
fn share_to_triangle(from: DVec3, way: DVec3, [a, b, c]: [DVec3; 3]) -> Option<f64> {
    let (u, v, away) = (b - a, c - a, from - a);
    let p = way.cross(v);
    let determinant = u.dot(p);
    if determinant == 0.0 {
        return None;
    }
    let q = away.cross(u);
    let (s, t, share) = (away.dot(p) / determinant, way.dot(q) / determinant, v.dot(q) / determinant);
    (s >= 0.0 && t >= 0.0 && s + t <= 1.0 && (0.0..=1.0).contains(&share)).then_some(share)
}

/// The angle of a triangle at one of its vertices.
fn angle(soup: &Soup, vertex: u32, triangle: u32) -> f64 {
    let vertices = soup.triangles[triangle as usize].vertices;
    let k = vertices.iter().position(|&v| v == vertex).unwrap_or(0);
    let at = |i: usize| soup.positions[vertices[(k + i) % 3] as usize];
    let (ahead, back) = (at(1) - at(0), at(2) - at(0));
    libm::atan2(ahead.cross(back).length(), ahead.dot(back))
}

fn push_rim(soup: &mut Soup, edge: u32, behind: impl Fn(u32) -> u32) {
    let (a, b) = ends(soup, edge);
    let of = soup.triangles[edge as usize / 3];
    let (uv_a, uv_b) = (of.uvs[edge as usize % 3], of.uvs[next(edge) as usize % 3]);
    let (back_a, back_b) = (behind(a), behind(b));
    for (vertices, uvs) in [([b, a, back_a], [uv_b, uv_a, uv_a]), ([b, back_a, back_b], [uv_b, uv_a, uv_b])] {
        let at = vertices.map(|v| soup.positions[v as usize]);
        let normal = (at[1] - at[0]).cross(at[2] - at[0]).normalize_or_zero().as_vec3();
        soup.triangles.push(Triangle { uvs, normals: [normal; 3], ..Triangle::plain(vertices, of.slot) });
    }
}

/// Joins what was added and what it was added to: within a sheet, an edge between two vertices is there once each way.
fn join_again(soup: &Soup, twins: &mut [u32], sheet: &[u32], first: usize) {
    let triangles = sheet.iter().copied().chain(first as u32..soup.triangles.len() as u32);
    let mut edges: Vec<(u32, u32, u32)> = triangles
        .flat_map(|t| t * 3..t * 3 + 3)
        .filter(|&e| twins[e as usize] == NONE)
        .map(|e| {
            let (a, b) = ends(soup, e);
            (a, b, e)
        })
        .collect();
    edges.sort_unstable();
    for &(a, b, edge) in &edges {
        if let Ok(found) = edges.binary_search_by_key(&(b, a), |e| (e.0, e.1)) {
            join(twins, edge, edges[found].2);
        }
    }
}

/// Marks triangles to keep: not those of parts that enclose nothing. Returns `None` if nothing would be left.
pub(crate) fn without_flat(soup: &Soup, parts: &Parts) -> Option<Vec<bool>> {
    let flat: Vec<bool> = parts.triangles.iter().map(|part| is_flat(soup, part)).collect();
    (!flat.iter().all(|f| *f)).then(|| parts.of.iter().map(|&p| !flat[p as usize]).collect())
}

/// Whether a sheet lies within what the rest of the surface encloses: nobody will see it.
pub(crate) fn is_buried(soup: &Soup, rest: &WindingTree, sheet: &[u32]) -> bool {
    let middle = |t: u32| soup.points(t as usize).iter().sum::<DVec3>() / 3.0;
    sheet.iter().all(|&t| rest.winding(middle(t)) > 0.5)
}

/// Fills all holes of a part.
pub(crate) fn fill_all(soup: &mut Soup, twins: &mut Vec<u32>, loops: &[Vec<u32>]) -> Vec<Filled> {
    loops.iter().map(|edges| holes::fill(soup, twins, edges)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twins::pair;
    use smithereens_geometry::{Mesh, Slot, Solid};

    #[test]
    fn a_square_becomes_a_plate() {
        let mut mesh = Mesh {
            positions: vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y],
            ..Mesh::default()
        };
        mesh.push_polygon(&[0, 1, 2, 3], Slot(2));
        let mut soup = Soup::of(&mesh).0;
        let (mut twins, _) = pair(&soup);
        let loops = holes::loops(&soup, &twins);
        let mut filled = soup.clone();
        let added = fill_all(&mut filled, &mut twins.clone(), &loops);
        assert!(is_sheet(&filled, &[0, 1], &added));
        let tree = Bvh::of(&soup);
        assert_eq!(thicken(&mut soup, &mut twins, &[0, 1], &tree, 0.1), 10);
        assert!(twins.iter().all(|&t| t != NONE));
        let solid = Solid::new(soup.to_mesh()).unwrap();
        assert!((solid.volume() - 0.1).abs() < 1e-12);
        assert!(solid.mesh().faces.iter().all(|f| f.slot == Slot(2)));
    }
}
