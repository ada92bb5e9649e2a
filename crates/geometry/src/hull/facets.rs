//! Triangles around points, grown point by point.

use glam::DVec3;

use super::exact::above;
use crate::{Aabb, Tolerance};

/// A triangle of the hull.
pub(super) struct Facet {
    /// Counter-clockwise from outside.
    pub vertices: [u32; 3],
    /// Across the edges from each vertex to the next.
    pub neighbours: [u32; 3],
    /// Points above its plane that no other facet has.
    outside: Vec<u32>,
    pub alive: bool,
}

/// An edge of the horizon: what is in sight is on one side, the facet that stays on the other.
struct HorizonEdge {
    from: u32,
    to: u32,
    beyond: u32,
}

/// The hull of the points taken so far.
pub(super) struct Facets<'a> {
    points: &'a [DVec3],
    facets: Vec<Facet>,
    in_sight: Vec<u32>,
    horizon: Vec<HorizonEdge>,
    orphans: Vec<u32>,
}

impl<'a> Facets<'a> {
    /// The hull of points; `None` if they are flat.
    pub fn around(points: &'a [DVec3]) -> Option<Facets<'a>> {
        let mut hull = Facets::tetrahedron(points, 0)?;
        let corners = [hull.facets[0].vertices, hull.facets[1].vertices];
        let is_left = |p: &u32| !corners.as_flattened().contains(p);
        hull.orphans.extend((0..points.len() as u32).filter(is_left));
        hull.share_orphans(0);
        let mut next = 0;
        // A new facet is always behind the ones it was made from: one pass sees all.
        while next < hull.facets.len() {
            match hull.farthest(next) {
                Some(point) => hull.add(point, next as u32),
                None => next += 1,
            }
        }
        Some(hull)
    }

    /// The largest tetrahedron that a greedy search from a point finds; `None` if the points are flat.
    pub fn tetrahedron(points: &'a [DVec3], start: u32) -> Option<Facets<'a>> {
        let [a, b, c, d] = first_tetrahedron(points, start)?;
        let facet = |vertices, neighbours| Facet { vertices, neighbours, outside: Vec::new(), alive: true };
        let facets = vec![
            facet([a, b, c], [1, 2, 3]),
            facet([b, a, d], [0, 3, 2]),
            facet([c, b, d], [0, 1, 3]),
            facet([a, c, d], [0, 2, 1]),
        ];
        let (in_sight, horizon, orphans) = (Vec::new(), Vec::new(), Vec::new());
        Some(Facets { points, facets, in_sight, horizon, orphans })
    }

    /// The facets of the hull, their neighbours renumbered.
    pub fn into_alive(self) -> Vec<Facet> {
        let mut kept = 0;
        let number: Vec<u32> = self
            .facets
            .iter()
            .map(|f| {
                kept += f.alive as u32;
                kept.wrapping_sub(1)
            })
            .collect();
        let mut alive: Vec<Facet> = self.facets.into_iter().filter(|f| f.alive).collect();
        for facet in &mut alive {
            facet.neighbours = facet.neighbours.map(|n| number[n as usize]);
        }
        alive
    }

    fn above(&self, facet: u32, point: u32) -> bool {
        let [a, b, c] = self.facets[facet as usize].vertices.map(|v| self.points[v as usize]);
        above(a, b, c, self.points[point as usize]) > 0.0
    }

    /// Takes a point into the hull that no facet has listed. Returns the facets that it lost, and where the new ones
    /// begin; `None` if the point is inside.
    pub fn include(&mut self, point: u32) -> Option<(&[u32], usize)> {
        let is_below = |&f: &u32| self.facets[f as usize].alive && self.above(f, point);
        let start = (0..self.facets.len() as u32).find(is_below)?;
        self.look(point, start);
        let first = self.facets.len();
        self.close(point);
        Some((&self.in_sight, first))
    }

    /// All facets, those that were lost included.
    pub fn all(&self) -> &[Facet] {
        &self.facets
    }

    /// Gives each point without a facet to the first new one that it is above; the others are inside.
    fn share_orphans(&mut self, first: usize) {
        let orphans = std::mem::take(&mut self.orphans);
        for &point in &orphans {
            let owner = (first..self.facets.len()).find(|&f| self.above(f as u32, point));
            if let Some(owner) = owner {
                self.facets[owner].outside.push(point);
            }
        }
        self.orphans = orphans;
        self.orphans.clear();
    }

    /// The point outside a facet that is farthest from it, by rounded distances: they only choose an order.
    fn farthest(&self, facet: usize) -> Option<u32> {
        let Facet { vertices, outside, .. } = &self.facets[facet];
        let [a, b, c] = vertices.map(|v| self.points[v as usize]);
        let normal = (b - a).cross(c - a);
        let height = |p: u32| normal.dot(self.points[p as usize] - a);
        outside.iter().copied().reduce(|best, p| if height(p) > height(best) { p } else { best })
    }

    /// Takes a point above a facet into the hull.
    fn add(&mut self, point: u32, facet: u32) {
        self.look(point, facet);
        for i in 0..self.in_sight.len() {
            let lost = &mut self.facets[self.in_sight[i] as usize];
            self.orphans.append(&mut lost.outside);
        }
        self.orphans.retain(|&p| p != point);
        let first = self.facets.len();
        self.close(point);
        self.share_orphans(first);
    }

    /// Finds the facets that the point is above, which hang together, and the edges around them. They are
    /// dead from here on.
    fn look(&mut self, point: u32, start: u32) {
        self.in_sight.clear();
        self.horizon.clear();
        self.in_sight.push(start);
        self.facets[start as usize].alive = false;
        let mut next = 0;
        while next < self.in_sight.len() {
            let facet = &self.facets[self.in_sight[next] as usize];
            let (vertices, neighbours) = (facet.vertices, facet.neighbours);
            for i in 0..3 {
                let beyond = neighbours[i];
                if !self.facets[beyond as usize].alive {
                    continue;
                }
                if self.above(beyond, point) {
                    self.facets[beyond as usize].alive = false;
                    self.in_sight.push(beyond);
                } else {
                    self.horizon.push(HorizonEdge { from: vertices[i], to: vertices[(i + 1) % 3], beyond });
                }
            }
            next += 1;
        }
    }

    /// Makes a facet from each edge of the horizon to the point.
    fn close(&mut self, point: u32) {
        let first = self.facets.len() as u32;
        let horizon = std::mem::take(&mut self.horizon);
        let mut order: Vec<(u32, u32)> = horizon.iter().map(|e| e.from).zip(first..).collect();
        order.sort_unstable();
        let starting_at = |vertex: u32| {
            let place = order.partition_point(|o| o.0 < vertex);
            order.get(place).map_or(first, |o| o.1)
        };
        for (edge, number) in horizon.iter().zip(first..) {
            let Facet { vertices, neighbours, .. } = &mut self.facets[edge.beyond as usize];
            if let Some(back) = (0..3).find(|&i| vertices[i] == edge.to && vertices[(i + 1) % 3] == edge.from)
            {
                neighbours[back] = number;
            }
            self.facets.push(Facet {
                vertices: [edge.from, edge.to, point],
                neighbours: [edge.beyond, starting_at(edge.to), NONE],
                outside: Vec::new(),
                alive: true,
            });
        }
        for number in first..self.facets.len() as u32 {
            let after = self.facets[number as usize].neighbours[1];
            self.facets[after as usize].neighbours[2] = number;
        }
        self.horizon = horizon;
    }
}

const NONE: u32 = u32::MAX;

/// Four points that span a volume, the first three counter-clockwise from outside: `start`, and the farthest from all so
/// far, one after the other. `None` if all points are in a plane, within the tolerance.
fn first_tetrahedron(points: &[DVec3], start: u32) -> Option<[u32; 4]> {
    let flat = Tolerance::for_box(&Aabb::of_points(points.iter().copied())).length();
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let better = |best: (u32, f64), (i, &p): (usize, &DVec3)| {
            let reach = measure(p);
            if reach > best.1 { (i as u32, reach) } else { best }
        };
        points.iter().enumerate().fold((0, 0.0), better)
    };
    let at = |i: u32| points[i as usize];
    let origin = *points.get(start as usize)?;
    let (b, length) = farthest(&|p| p.distance(origin));
    let along = at(b) - origin;
    let (c, doubled_area) = farthest(&|p| along.cross(p - origin).length());
    if length <= flat || doubled_area <= flat * length {
        return None;
    }
    let normal = along.cross(at(c) - origin);
    let (d, volume) = farthest(&|p| normal.dot(p - origin).abs());
    if volume <= flat * doubled_area {
        return None;
    }
    let side = above(origin, at(b), at(c), at(d));
    if side == 0.0 {
        return None;
    }
    Some(if side < 0.0 { [start, b, c, d] } else { [start, c, b, d] })
}
