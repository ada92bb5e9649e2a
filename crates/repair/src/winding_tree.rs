//! How often triangles wind around a point, also where they are no closed surface.
//!
//! Barill, Dickson, Schmidt, Levin and Jacobson, *Fast Winding Numbers for Soups and Clouds* (2018): far triangles count
//! as one dipole a box. Departures: boxes split at the median of their longest side, which needs no tuning and gives
//! the same tree on every machine; the expansion ends with the dipole, since what asks is near the surface,
//! where triangles are summed exactly.

use std::f64::consts::PI;

use glam::DVec3;
use smithereens_geometry::Aabb;

use crate::soup::Soup;

/// A box is far if it is farther away than this many of its radii.
const FAR: f64 = 2.3;
/// Boxes with no more triangles are not split.
const LEAF: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Node {
    center: DVec3,
    /// Sum of the area vectors.
    dipole: DVec3,
    /// Squared distance beyond which the dipole will do.
    far_squared: f64,
    /// A leaf's triangles, `first..first + count`; a branch has count 0 and its second child at `first`.
    first: u32,
    count: u32,
}

/// Triangles in a tree of boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindingTree {
    nodes: Vec<Node>,
    triangles: Vec<[DVec3; 3]>,
}

impl WindingTree {
    /// The tree of all triangles.
    pub fn of(soup: &Soup) -> WindingTree {
        WindingTree::new((0..soup.triangles.len()).map(|t| soup.points(t)).collect())
    }

    /// The tree of some triangles.
    pub fn of_part(soup: &Soup, part: &[u32]) -> WindingTree {
        WindingTree::new(part.iter().map(|&t| soup.points(t as usize)).collect())
    }

    /// The tree of triangles by their corners.
    pub fn new(triangles: Vec<[DVec3; 3]>) -> WindingTree {
        let mut tree = WindingTree { nodes: Vec::new(), triangles };
        let count = tree.triangles.len();
        if count > 0 {
            tree.build(0, count);
        }
        tree
    }

    fn build(&mut self, start: usize, end: usize) {
        let index = self.nodes.len();
        self.nodes.push(dipole(&self.triangles[start..end], start));
        if end - start <= LEAF {
            return;
        }
        let around = Aabb::of_points(self.triangles[start..end].iter().map(middle));
        let size = around.size();
        let axis = (0..3).fold(0, |best, i| if size[i] > size[best] { i } else { best });
        let half = (end - start) / 2;
        // The middles may be equal: what then lies where does not matter, but must be the same every time, and is.
        self.triangles[start..end]
            .select_nth_unstable_by(half, |a, b| middle(a)[axis].total_cmp(&middle(b)[axis]));
        self.build(start, start + half);
        self.nodes[index].first = self.nodes.len() as u32;
        self.nodes[index].count = 0;
        self.build(start + half, end);
    }

    /// How often the triangles wind around a point: one inside, zero outside, something between near holes.
    pub fn winding(&self, point: DVec3) -> f64 {
        if self.nodes.is_empty() {
            return 0.0;
        }
        let mut sum = 0.0;
        let mut stack = [0_u32; 64];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let index = stack[top];
            let node = &self.nodes[index as usize];
            let away = node.center - point;
            let squared = away.length_squared();
            if squared > node.far_squared {
                sum += node.dipole.dot(away) / (squared * squared.sqrt());
            } else if node.count > 0 {
                let first = node.first as usize;
                let leaf = &self.triangles[first..first + node.count as usize];
                sum += leaf.iter().map(|t| solid_angle(t.map(|p| p - point))).sum::<f64>();
            } else {
                stack[top] = node.first;
                stack[top + 1] = index + 1;
                top += 2;
            }
        }
        sum / (4.0 * PI)
    }
}

fn dipole(triangles: &[[DVec3; 3]], first: usize) -> Node {
    let (mut center, mut area, mut dipole) = (DVec3::ZERO, 0.0, DVec3::ZERO);
    for triangle in triangles {
        let [a, b, c] = *triangle;
        let vector = (b - a).cross(c - a) * 0.5;
        let weight = vector.length();
        center += middle(triangle) * weight;
        area += weight;
        dipole += vector;
    }
    let around = Aabb::of_points(triangles.iter().flatten().copied());
    let center = if area > 0.0 { center / area } else { around.center() };
    let squared = triangles.iter().flatten().map(|p| (*p - center).length_squared()).fold(0.0, f64::max);
    Node {
        center,
        dipole,
        far_squared: squared * FAR * FAR,
        first: first as u32,
        count: triangles.len() as u32,
    }
}

fn middle(triangle: &[DVec3; 3]) -> DVec3 {
    (triangle[0] + triangle[1] + triangle[2]) / 3.0
}

/// Van Oosterom and Strackee 1983.
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if numerator == 0.0 && denominator == 0.0 { 0.0 } else { 2.0 * libm::atan2(numerator, denominator) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_geometry::winding_number;
    use smithereens_testing::fixtures;

    #[test]
    fn the_tree_agrees_with_the_sum() {
        let torus = fixtures::torus(1.0, 0.3, 48, 24);
        let tree = WindingTree::of(&Soup::of(torus.mesh()).0);
        for i in 0..500 {
            let unit = |k: f64| (i as f64 * k).fract() * 3.0 - 1.5;
            let point = DVec3::new(unit(0.618), unit(0.414), unit(0.732));
            let (fast, slow) = (tree.winding(point), winding_number(torus.mesh(), point));
            assert!((fast - slow).abs() < 0.05, "{point}: {fast} for {slow}");
        }
        assert_eq!(WindingTree::of(&Soup::default()).winding(DVec3::ZERO), 0.0);
    }
}
