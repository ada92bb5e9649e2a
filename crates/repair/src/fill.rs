//! Triangles between the vertices of a loop in space, of least area.
//!
//! Barequet and Sharir, *Filling Gaps in the Boundary of a Polyhedron* (1995): the best triangulation by dynamic
//! programming, in cubic time. Departures: folds between neighbouring triangles cost as well, after Liepa (2003);
//! long loops are first cut in two where they come nearest to themselves, so that time stays near-linear.

use glam::DVec3;

/// Loops of no more vertices get the best triangulation.
const LONGEST: usize = 120;
/// So many vertices of a long loop are tried as ends of a cut.
const TRIED: usize = 600;

/// Triangles that fill a loop, as indices of its points, wound as the loop runs.
pub(crate) fn triangulate_loop(points: &[DVec3]) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(points.len().saturating_sub(2));
    let mut waiting: Vec<Vec<u32>> = vec![(0..points.len() as u32).collect()];
    while let Some(indices) = waiting.pop() {
        if indices.len() <= LONGEST {
            triangulate_best(points, &indices, &mut triangles);
        } else {
            let (i, j) = best_cut(points, &indices);
            let mut rest = indices[..=i].to_vec();
            rest.extend_from_slice(&indices[j..]);
            waiting.push(indices[i..=j].to_vec());
            waiting.push(rest);
        }
    }
    triangles
}

/// Where a loop comes nearest to itself, measured by the way around.
fn best_cut(points: &[DVec3], indices: &[u32]) -> (usize, usize) {
    let at = |i: usize| points[indices[i] as usize];
    let count = indices.len();
    let mut along = vec![0.0; count + 1];
    for i in 0..count {
        along[i + 1] = along[i] + (at((i + 1) % count) - at(i)).length();
    }
    let step = count.div_ceil(TRIED);
    let mut best = (f64::INFINITY, 0, count / 2);
    for i in (0..count).step_by(step) {
        for j in (i + count / 8..count).step_by(step).filter(|j| count - (j - i) >= count / 8) {
            let one_way = along[j] - along[i];
            let around = one_way.min(along[count] - one_way);
            let cost = (at(i) - at(j)).length() / around.max(f64::MIN_POSITIVE);
            if cost < best.0 {
                best = (cost, i, j);
            }
        }
    }
    (best.1, best.2)
}

/// A fold by a right angle costs as much as this share of the smaller triangle's area.
const FOLD: f64 = 0.25;

/// The triangulation of part of a loop, from one corner to another.
#[derive(Clone, Copy)]
struct Best {
    cost: f64,
    middle: u32,
}

fn triangulate_best(points: &[DVec3], indices: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let count = indices.len();
    if count < 3 {
        return;
    }
    let at = |i: usize| points[indices[i] as usize];
    let vector = |i: usize, j: usize, k: usize| (at(j) - at(i)).cross(at(k) - at(i)) * 0.5;
    let mut table = vec![Best { cost: 0.0, middle: 0 }; count * count];
    for gap in 2..count {
        for i in 0..count - gap {
            let k = i + gap;
            let mut best = Best { cost: f64::INFINITY, middle: i as u32 + 1 };
            for j in i + 1..k {
                let (left, right) = (table[i * count + j], table[j * count + k]);
                let own = vector(i, j, k);
                let mut cost = left.cost + right.cost + own.length();
                if j > i + 1 {
                    cost += fold(own, vector(i, left.middle as usize, j));
                }
                if k > j + 1 {
                    cost += fold(own, vector(j, right.middle as usize, k));
                }
                if cost < best.cost {
                    best = Best { cost, middle: j as u32 };
                }
            }
            table[i * count + k] = best;
        }
    }
    let mut waiting = vec![(0, count - 1)];
    while let Some((i, k)) = waiting.pop() {
        if k - i >= 2 {
            let j = table[i * count + k].middle as usize;
            triangles.push([indices[i], indices[j], indices[k]]);
            waiting.extend([(i, j), (j, k)]);
        }
    }
}

fn fold(a: DVec3, b: DVec3) -> f64 {
    let (la, lb) = (a.length(), b.length());
    let least = la.min(lb);
    if least == 0.0 { 0.0 } else { FOLD * least * (1.0 - a.dot(b) / (la * lb)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
        let corner = |i: u32| points[i as usize];
        let twice = |t: &[u32; 3]| (corner(t[1]) - corner(t[0])).cross(corner(t[2]) - corner(t[0])).length();
        triangles.iter().map(|t| twice(t) * 0.5).sum()
    }

    #[test]
    fn a_loop_that_is_not_convex_is_filled_once() {
        let ell = [[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]];
        let points: Vec<DVec3> = ell.iter().map(|p| DVec3::new(p[0], p[1], 0.0)).collect();
        let triangles = triangulate_loop(&points);
        assert_eq!((triangles.len(), area(&points, &triangles)), (4, 3.0));
    }

    #[test]
    fn a_long_loop_is_filled_once() {
        let count = 5_000;
        let angle = |i: i32| i as f64 / count as f64 * std::f64::consts::TAU;
        let points: Vec<DVec3> =
            (0..count).map(angle).map(|a| DVec3::new(libm::cos(a), libm::sin(a), 0.0)).collect();
        let triangles = triangulate_loop(&points);
        assert_eq!(triangles.len(), count as usize - 2);
        assert!((area(&points, &triangles) - std::f64::consts::PI).abs() < 1e-4);
        assert!(triangulate_loop(&points[..2]).is_empty());
    }
}
