//! A tree of boxes around triangles: what is near a point, and what overlaps a box.

use glam::DVec3;
use smithereens_geometry::Aabb;

use crate::soup::Soup;

/// Boxes with no more triangles are not split.
const LEAF: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// A leaf's entries, `first..first + count`; a branch has count 0 and its second child at `first`.
    first: u32,
    count: u32,
}

/// Boxes of triangles, sorted in space.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    entries: Vec<(Aabb, u32)>,
}

/// The nearest point of some triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub triangle: u32,
    pub point: DVec3,
    pub squared: f64,
}

impl Bvh {
    /// The tree of all triangles.
    pub fn of(soup: &Soup) -> Bvh {
        Bvh::of_part(soup, 0..soup.triangles.len() as u32)
    }

    /// The tree of some triangles.
    pub fn of_part(soup: &Soup, part: impl IntoIterator<Item = u32>) -> Bvh {
        let entries = part.into_iter().map(|t| (Aabb::of_points(soup.points(t as usize)), t)).collect();
        let mut tree = Bvh { nodes: Vec::new(), entries };
        if !tree.entries.is_empty() {
            tree.build(0, tree.entries.len());
        }
        tree
    }

    fn build(&mut self, start: usize, end: usize) {
        let index = self.nodes.len();
        let entries = &mut self.entries[start..end];
        let bounds = entries.iter().fold(Aabb::EMPTY, |b, e| b.union(e.0));
        self.nodes.push(Node { bounds, first: start as u32, count: (end - start) as u32 });
        if end - start <= LEAF {
            return;
        }
        let around = Aabb::of_points(entries.iter().map(|e| e.0.center()));
        let size = around.size();
        let axis = (0..3).fold(0, |best, i| if size[i] > size[best] { i } else { best });
        let half = (end - start) / 2;
        let place = |e: &(Aabb, u32)| e.0.min[axis] + e.0.max[axis];
        entries.select_nth_unstable_by(half, |a, b| place(a).total_cmp(&place(b)).then(a.1.cmp(&b.1)));
        self.build(start, start + half);
        self.nodes[index].first = self.nodes.len() as u32;
        self.nodes[index].count = 0;
        self.build(start + half, end);
    }

    /// Whether there are no triangles.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nearest point within a squared distance. Of triangles equally near, the one with the lowest number.
    pub fn nearest(&self, soup: &Soup, point: DVec3, within_squared: f64) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let mut limit = within_squared;
        let mut stack = [(0_u32, 0.0_f64); 64];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let (index, away) = stack[top];
            if away > limit {
                continue;
            }
            let node = &self.nodes[index as usize];
            for &(_, triangle) in &self.entries[node.entries()] {
                let at = closest_point(point, soup.points(triangle as usize));
                let squared = at.distance_squared(point);
                let lower = best.is_none_or(|b| triangle < b.triangle);
                if squared < limit || (squared == limit && lower) {
                    limit = squared;
                    best = Some(Nearest { triangle, point: at, squared });
                }
            }
            if node.count == 0 {
                let [near, far] = [index + 1, node.first];
                let distance = |n: u32| self.nodes[n as usize].bounds.distance_squared(point);
                let (a, b) = ((near, distance(near)), (far, distance(far)));
                let (first, second) = if a.1 <= b.1 { (a, b) } else { (b, a) };
                (stack[top], stack[top + 1]) = (second, first);
                top += 2;
            }
        }
        best
    }

    /// Calls `visit` with every triangle whose box overlaps this one, until it says to stop.
    pub fn overlapping(&self, bounds: &Aabb, mut visit: impl FnMut(u32) -> bool) {
        let mut stack = [0_u32; 64];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let index = stack[top];
            let node = &self.nodes[index as usize];
            if !node.bounds.overlaps(bounds) {
                continue;
            }
            for (around, triangle) in &self.entries[node.entries()] {
                if around.overlaps(bounds) && !visit(*triangle) {
                    return;
                }
            }
            if node.count == 0 {
                (stack[top], stack[top + 1]) = (node.first, index + 1);
                top += 2;
            }
        }
    }
}

impl Node {
    fn entries(&self) -> std::ops::Range<usize> {
        let first = if self.count == 0 { 0 } else { self.first as usize };
        first..first + self.count as usize
    }
}

/// The point of a triangle nearest to another point (Ericson, *Real-Time Collision Detection*, 5.1.5).
pub(crate) fn closest_point(point: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    if sum > 0.0 { a + ab * (vb / sum) + ac * (vc / sum) } else { a }
}

/// The weights of a triangle's corners at a point of its plane; a third each if it has no area.
pub(crate) fn weights(point: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let squared = normal.length_squared();
    if squared == 0.0 {
        return [1.0 / 3.0; 3];
    }
    let v = (point - a).cross(c - a).dot(normal) / squared;
    let w = (b - a).cross(point - a).dot(normal) / squared;
    [1.0 - v - w, v, w]
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::{chance::Chance, fixtures};

    #[test]
    fn the_tree_finds_what_all_triangles_have() {
        let soup = Soup::of(fixtures::trefoil(1.0, 0.3, 40, 8).mesh()).0;
        let tree = Bvh::of(&soup);
        let mut chance = Chance::new(5);
        for _ in 0..200 {
            let point = chance.point() * 2.0;
            let slow = (0..soup.triangles.len())
                .map(|t| closest_point(point, soup.points(t)).distance_squared(point))
                .fold(f64::INFINITY, f64::min);
            assert_eq!(tree.nearest(&soup, point, f64::INFINITY).unwrap().squared, slow);
            let around = Aabb::of_points([point]).grown(0.2);
            let (mut found, mut all) = (Vec::new(), Vec::new());
            tree.overlapping(&around, |t| {
                found.push(t);
                true
            });
            found.sort_unstable();
            all.extend(
                (0..soup.triangles.len() as u32)
                    .filter(|&t| Aabb::of_points(soup.points(t as usize)).overlaps(&around)),
            );
            assert_eq!(found, all);
        }
    }
}
