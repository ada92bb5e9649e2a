//! Winding: alike across every edge, then outward.

use smithereens_geometry::{Aabb, MassSum};

use crate::soup::Soup;
use crate::twins::{NONE, Parts, same_ends, sorted_edges};
use crate::winding_tree::WindingTree;

/// Turns triangles so that neighbours are wound alike, fewest by area. Returns how many were turned.
///
/// Only edges of exactly two triangles count as neighbourhood. Where a surface has one side only, like a Möbius
/// strip, some edge stays at odds and is left open later.
pub(crate) fn orient_alike(soup: &mut Soup) -> usize {
    let neighbours = neighbours(soup);
    let mut turned = vec![NONE; soup.triangles.len()]; // 0 and 1; NONE is not seen yet
    let mut stack = Vec::new();
    let mut changed = 0;
    for first in 0..soup.triangles.len() as u32 {
        if turned[first as usize] != NONE {
            continue;
        }
        turned[first as usize] = 0;
        stack.push(first);
        let mut part = Vec::new();
        while let Some(triangle) = stack.pop() {
            part.push(triangle);
            for k in 0..3 {
                let (other, differs) = neighbours[triangle as usize * 3 + k];
                if other != NONE && turned[other as usize] == NONE {
                    turned[other as usize] = turned[triangle as usize] ^ u32::from(differs);
                    stack.push(other);
                }
            }
        }
        changed += turn_fewest(soup, &part, &turned);
    }
    changed
}

/// The triangle across each half-edge, and whether it is wound the other way.
fn neighbours(soup: &Soup) -> Vec<(u32, bool)> {
    let mut neighbours = vec![(NONE, false); soup.triangles.len() * 3];
    for group in sorted_edges(soup).chunk_by(same_ends) {
        if let [a, b] = group {
            let differs = a.upward == b.upward;
            neighbours[a.edge as usize] = (b.edge / 3, differs);
            neighbours[b.edge as usize] = (a.edge / 3, differs);
        }
    }
    neighbours
}

fn turn_fewest(soup: &mut Soup, part: &[u32], turned: &[u32]) -> usize {
    let area = |t: u32| soup.area_vector(t as usize).length();
    let side = |wanted: u32| part.iter().filter(|t| turned[**t as usize] == wanted).map(|&t| area(t)).sum();
    let (kept, other): (f64, f64) = (side(0), side(1));
    let turn = u32::from(other <= kept);
    let mut changed = 0;
    for &triangle in part.iter().filter(|t| turned[**t as usize] == turn) {
        soup.triangles[triangle as usize].flip();
        changed += 1;
    }
    changed
}

/// Turns closed parts that look inward, and with them all that lies in them: a cavity in a solid stays a cavity, also
/// if both were inside out. Returns how many triangles were turned.
pub(crate) fn orient_outward(soup: &mut Soup, parts: &Parts) -> usize {
    let volumes: Vec<f64> = parts.triangles.iter().map(|part| volume(soup, part)).collect();
    let outermost = outermost(soup, parts, &volumes);
    let mut changed = 0;
    for (part, &root) in outermost.iter().enumerate() {
        if volumes[root as usize] < 0.0 {
            parts.triangles[part].iter().for_each(|&t| soup.triangles[t as usize].flip());
            changed += parts.triangles[part].len();
        }
    }
    changed
}

/// The signed volume that a closed part encloses.
pub(crate) fn volume(soup: &Soup, part: &[u32]) -> f64 {
    let Some(&first) = part.first() else { return 0.0 };
    let mut sum = MassSum::about(soup.points(first as usize)[0]);
    for &triangle in part {
        let [a, b, c] = soup.points(triangle as usize);
        sum.add_triangle(a, b, c);
    }
    sum.volume()
}

/// For each part the outermost one that holds it: itself, if none does.
pub(crate) fn outermost(soup: &Soup, parts: &Parts, volumes: &[f64]) -> Vec<u32> {
    let bounds: Vec<Aabb> = parts.triangles.iter().map(|part| bounds(soup, part)).collect();
    let mut order: Vec<u32> = (0..parts.triangles.len() as u32).collect();
    let size = |p: u32| volumes[p as usize].abs();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
    // Trees are made only of parts that may hold another.
    let mut roots: Vec<(u32, Option<WindingTree>)> = Vec::new();
    let mut found: Vec<u32> = (0..parts.triangles.len() as u32).collect();
    for &part in &order {
        let own = &bounds[part as usize];
        let point = soup.points(parts.triangles[part as usize][0] as usize)[0];
        let holder = roots.iter_mut().position(|(root, tree)| {
            bounds[*root as usize].contains_box(own) && {
                let triangles = &parts.triangles[*root as usize];
                let tree = tree.get_or_insert_with(|| WindingTree::of_part(soup, triangles));
                tree.winding(point).abs() > 0.5
            }
        });
        match holder {
            Some(holder) => found[part as usize] = roots[holder].0,
            None => roots.push((part, None)),
        }
    }
    found
}

/// The box around a part.
pub(crate) fn bounds(soup: &Soup, part: &[u32]) -> Aabb {
    Aabb::of_points(part.iter().flat_map(|&t| soup.points(t as usize)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twins;
    use smithereens_geometry::{Convex, Mesh, Slot};

    fn cube(half: f64) -> Mesh {
        Convex::from_box(&Aabb::cube(half)).to_mesh(Slot(0))
    }

    #[test]
    fn turned_faces_are_turned_back_fewest_first() {
        let mut mesh = cube(1.0);
        mesh.corners[..4].reverse();
        let mut soup = Soup::of(&mesh).0;
        assert_eq!(orient_alike(&mut soup), 2);
        assert_eq!(twins::pair(&soup).0.iter().filter(|t| **t == NONE).count(), 0);
    }

    #[test]
    fn a_cavity_stays_a_cavity_even_inside_out() {
        for inside_out in [false, true] {
            let mut mesh = cube(2.0);
            let mut hole = cube(1.0);
            hole.flip();
            mesh.append(&hole);
            if inside_out {
                mesh.flip();
            }
            let mut soup = Soup::of(&mesh).0;
            let (twins, _) = twins::pair(&soup);
            let parts = twins::parts(&soup, &twins);
            assert_eq!(orient_outward(&mut soup, &parts), if inside_out { 24 } else { 0 });
            assert!((soup.to_mesh().signed_volume() - 56.0).abs() < 1e-9);
        }
    }
}
