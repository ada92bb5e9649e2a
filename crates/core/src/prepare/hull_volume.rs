//! The volume of the convex hull of points, fast and a hair too small.
//!
//! Quickhull (Barber, Dobkin, Huhdanpaa 1996) in plain floating point, all memory reused: a search for good nodes measures tens of
//! thousands of hulls. Points within a millionth of the extent of a facet count as on it. Where rounding tangles the
//! horizon, the exact hull is asked.

use glam::DVec3;
use smithereens_geometry::{Aabb, Convex};

/// Measures hulls; its memory is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct HullVolume {
    /// The points, no four of them in a plane.
    shaken: Vec<DVec3>,
    facets: Vec<Facet>,
    /// One for each facet, apart: points are held against many of them.
    fences: Vec<Fence>,
    /// For each point, the next outside the same facet.
    next: Vec<u32>,
    pending: Vec<u32>,
    in_sight: Vec<u32>,
    search: Vec<Step>,
    horizon: Vec<HorizonEdge>,
}

#[derive(Clone, Copy, Debug)]
struct Facet {
    /// Counter-clockwise from outside.
    vertices: [u32; 3],
    /// Across the edge from each vertex to the next.
    beyond: [Side; 3],
    offset: f64,
    /// The first point outside, the others follow in [`HullVolume::next`].
    outside: u32,
    farthest: u32,
    reach: f64,
    is_alive: bool,
    is_in_sight: bool,
}

/// Where points begin to count as outside a facet.
#[derive(Clone, Copy, Debug)]
struct Fence {
    /// Of any length.
    normal: DVec3,
    limit: f64,
}

/// An edge of a facet, as four times the facet's index and the edge's.
#[derive(Clone, Copy, Debug)]
struct Side(u32);

impl Side {
    fn new(facet: u32, edge: u32) -> Side {
        Side(4 * facet + edge)
    }

    fn facet(self) -> usize {
        self.0 as usize / 4
    }

    fn edge(self) -> usize {
        self.0 as usize % 4
    }
}

/// A facet in sight, the edge to look across next, and how many are left.
#[derive(Clone, Copy, Debug)]
struct Step {
    next: Side,
    left: u8,
}

#[derive(Clone, Copy, Debug)]
struct HorizonEdge {
    from: u32,
    to: u32,
    beyond: Side,
}

const NONE: u32 = u32::MAX;
/// Of the extent.
const THICKNESS: f64 = 1e-6;
/// Of the extent: far less than what counts, far more than rounding.
const SHAKE: f64 = 1e-8;

/// Rounding has tangled the horizon.
struct Tangled;

impl HullVolume {
    /// The volume of the hull; zero for flat points.
    pub fn of(&mut self, points: &[DVec3]) -> f64 {
        let extent = Aabb::of_points(points.iter().copied()).extent();
        let mut shaken = std::mem::take(&mut self.shaken);
        shaken.clear();
        shaken.extend((0..).zip(points).map(|(index, &point)| point + shake(index) * (extent * SHAKE)));
        let thickness = extent * THICKNESS;
        self.facets.clear();
        let volume = first_tetrahedron(&shaken, thickness * 10.0).map_or(0.0, |start| {
            match self.grow(&shaken, start, thickness) {
                Ok(()) => self.volume(&shaken),
                Err(Tangled) => {
                    self.facets.clear();
                    Convex::hull(points).map_or(0.0, |hull| hull.volume())
                }
            }
        });
        self.shaken = shaken;
        volume
    }

    /// The corners of the facets of the hull measured last, each with what it adds to the growth of the volume as the corner moves.
    /// Nothing after flat points, or where the exact hull was asked.
    pub fn growth(&self) -> impl Iterator<Item = (u32, DVec3)> + '_ {
        let origin = self.facets.first().map_or(DVec3::ZERO, |f| self.shaken[f.vertices[0] as usize]);
        self.facets.iter().filter(|f| f.is_alive).flat_map(move |facet| {
            let [a, b, c] = facet.vertices.map(|v| self.shaken[v as usize] - origin);
            let growth = [b.cross(c), c.cross(a), a.cross(b)].map(|twice| twice / 6.0);
            facet.vertices.into_iter().zip(growth)
        })
    }

    fn volume(&self, points: &[DVec3]) -> f64 {
        let origin = points[self.facets[0].vertices[0] as usize];
        let of_facet = |facet: &Facet| {
            let [a, b, c] = facet.vertices.map(|v| points[v as usize] - origin);
            a.dot(b.cross(c))
        };
        self.facets.iter().filter(|f| f.is_alive).map(of_facet).sum::<f64>() / 6.0
    }

    fn grow(&mut self, points: &[DVec3], start: [u32; 4], thickness: f64) -> Result<(), Tangled> {
        self.begin(points, start, thickness);
        while let Some(facet) = self.pending.pop() {
            let Facet { is_alive: true, outside, farthest, .. } = self.facets[facet as usize] else {
                continue;
            };
            if outside != NONE {
                self.look(points[farthest as usize], facet);
                self.close(points, farthest, thickness)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, points: &[DVec3], [a, b, c, d]: [u32; 4], thickness: f64) {
        self.facets.clear();
        self.fences.clear();
        self.pending.clear();
        self.next.clear();
        self.next.resize(points.len(), NONE);
        let sides = [
            ([a, b, c], [(1, 0), (2, 0), (3, 0)]),
            ([b, a, d], [(0, 0), (3, 2), (2, 1)]),
            ([c, b, d], [(0, 1), (1, 2), (3, 1)]),
            ([a, c, d], [(0, 2), (2, 2), (1, 1)]),
        ];
        for (vertices, beyond) in sides {
            self.add(points, vertices, beyond.map(|(facet, edge)| Side::new(facet, edge)), thickness);
        }
        for point in (0..points.len() as u32).filter(|p| ![a, b, c, d].contains(p)) {
            self.give(points, point, 0);
        }
        self.pending.extend(0..4);
    }

    fn add(&mut self, points: &[DVec3], vertices: [u32; 3], beyond: [Side; 3], thickness: f64) {
        let [a, b, c] = vertices.map(|v| points[v as usize]);
        let normal = (b - a).cross(c - a);
        let offset = normal.dot(a);
        self.fences.push(Fence { normal, limit: offset + thickness * normal.length() });
        self.facets.push(Facet {
            vertices,
            beyond,
            offset,
            outside: NONE,
            farthest: NONE,
            reach: f64::NEG_INFINITY,
            is_alive: true,
            is_in_sight: false,
        });
    }

    /// Gives a point to the first facet from `first` on that it is outside of, if it is of any.
    fn give(&mut self, points: &[DVec3], point: u32, first: usize) {
        let at = points[point as usize];
        for (facet, fence) in (first..).zip(&self.fences[first..]) {
            let height = fence.normal.dot(at);
            if height > fence.limit {
                let facet = &mut self.facets[facet];
                self.next[point as usize] = facet.outside;
                facet.outside = point;
                if height > facet.reach {
                    (facet.reach, facet.farthest) = (height, point);
                }
                return;
            }
        }
    }

    /// Finds the facets in sight of a point and the edges around them, in order.
    fn look(&mut self, at: DVec3, first: u32) {
        self.in_sight.clear();
        self.horizon.clear();
        self.search.clear();
        self.facets[first as usize].is_in_sight = true;
        self.in_sight.push(first);
        self.search.push(Step { next: Side::new(first, 0), left: 3 });
        while let Some(Step { next, left }) = self.search.pop() {
            let (facet, edge) = (next.facet(), next.edge());
            let after = if edge == 2 { 0 } else { edge + 1 };
            if left > 1 {
                self.search.push(Step { next: Side::new(facet as u32, after as u32), left: left - 1 });
            }
            let Facet { vertices, beyond, .. } = self.facets[facet];
            let (from, to, beyond) = (vertices[edge], vertices[after], beyond[edge]);
            let other = &mut self.facets[beyond.facet()];
            if other.is_in_sight {
                continue;
            }
            if self.fences[beyond.facet()].normal.dot(at) > other.offset {
                other.is_in_sight = true;
                self.in_sight.push(beyond.facet() as u32);
                let after = if beyond.edge() == 2 { 0 } else { beyond.edge() + 1 };
                self.search.push(Step { next: Side::new(beyond.facet() as u32, after as u32), left: 2 });
            } else {
                self.horizon.push(HorizonEdge { from, to, beyond });
            }
        }
    }

    /// Replaces what is in sight by facets from the horizon to the point.
    fn close(&mut self, points: &[DVec3], point: u32, thickness: f64) -> Result<(), Tangled> {
        let count = self.horizon.len();
        let is_ring = self.horizon.windows(2).all(|pair| pair[0].to == pair[1].from)
            && self.horizon.last().map(|edge| edge.to) == self.horizon.first().map(|edge| edge.from);
        if count < 3 || !is_ring {
            return Err(Tangled);
        }
        let first = self.facets.len() as u32;
        for i in 0..count as u32 {
            let HorizonEdge { from, to, beyond } = self.horizon[i as usize];
            let after = if i + 1 == count as u32 { 0 } else { i + 1 };
            let before = if i == 0 { count as u32 - 1 } else { i - 1 };
            let sides = [beyond, Side::new(first + after, 2), Side::new(first + before, 1)];
            self.add(points, [from, to, point], sides, thickness);
            self.facets[beyond.facet()].beyond[beyond.edge()] = Side::new(first + i, 0);
        }
        for i in 0..self.in_sight.len() {
            let lost = &mut self.facets[self.in_sight[i] as usize];
            lost.is_alive = false;
            let mut orphan = lost.outside;
            while orphan != NONE {
                let next = self.next[orphan as usize];
                if orphan != point {
                    self.give(points, orphan, first as usize);
                }
                orphan = next;
            }
        }
        self.pending.extend(first..self.facets.len() as u32);
        Ok(())
    }
}

/// A small step that differs from point to point: points that cuts have put in one plane would tangle a hull.
fn shake(index: u64) -> DVec3 {
    let mix = |n: u64| {
        let mixed = (n ^ (n >> 13)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 11) as f64 * (1.0 / (1u64 << 53) as f64) - 0.5
    };
    let first = index.wrapping_mul(0xD134_2543_DE82_EF95);
    DVec3::new(mix(first), mix(first ^ 0x5851_F42D), mix(first ^ 0x1405_7B7E_F767_814F))
}

/// Four points far from each other, the first three counter-clockwise seen from where the fourth is not; `None` if all are within `flat` of a
/// plane.
fn first_tetrahedron(points: &[DVec3], flat: f64) -> Option<[u32; 4]> {
    let origin = *points.first()?;
    let at = |i: u32| points[i as usize];
    let (a, _) = farthest(points, |p| p.distance_squared(origin));
    let (b, length) = farthest(points, |p| p.distance_squared(at(a)));
    let along = (at(b) - at(a)) / length.sqrt();
    let (c, height) = farthest(points, |p| along.cross(p - at(a)).length_squared());
    if length.sqrt() <= flat || height.sqrt() <= flat {
        return None;
    }
    let normal = along.cross(at(c) - at(a)) / height.sqrt();
    let (d, depth) = farthest(points, |p| normal.dot(p - at(a)).abs());
    if depth <= flat {
        return None;
    }
    let is_behind = normal.dot(at(d) - at(a)) < 0.0;
    Some(if is_behind { [a, b, c, d] } else { [a, c, b, d] })
}

fn farthest(points: &[DVec3], measure: impl Fn(DVec3) -> f64) -> (u32, f64) {
    (0..).zip(points).fold((0, 0.0), |best, (index, &point)| {
        let reach = measure(point);
        if reach > best.1 { (index, reach) } else { best }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::chance::Chance;

    #[test]
    fn the_volume_is_that_of_the_exact_hull() {
        let mut chance = Chance::new(5);
        let mut hull = HullVolume::default();
        for case in 0..400 {
            let count = 4 + chance.below(300);
            let flatness = [1.0, 0.3, 1e-3][case % 3];
            let points: Vec<DVec3> = (0..count)
                .map(|_| {
                    let p = chance.point() * DVec3::new(1.0, 1.0, flatness);
                    // Grids and spheres: many points in a plane, or none inside.
                    if case % 4 == 0 {
                        (p * 4.0).round()
                    } else if case % 4 == 1 {
                        p.normalize_or_zero()
                    } else {
                        p
                    }
                })
                .collect();
            let exact = Convex::hull(&points).map_or(0.0, |h| h.volume());
            let fast = hull.of(&points);
            assert!((fast - exact).abs() <= 2e-5 * exact.max(1e-3), "case {case}: {fast} for {exact}");
        }
    }
}
