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
    neighbours: [u32; 3],
    /// Of any length.
    normal: DVec3,
    offset: f64,
    /// Where points begin to count as outside.
    limit: f64,
    /// The first point outside, the others follow in [`HullVolume::next`].
    outside: u32,
    farthest: u32,
    reach: f64,
    is_alive: bool,
    is_in_sight: bool,
}

/// A facet in sight, the edge to look across next, and how many are left.
#[derive(Clone, Copy, Debug)]
struct Step {
    facet: u32,
    edge: u8,
    left: u8,
}

#[derive(Clone, Copy, Debug)]
struct HorizonEdge {
    from: u32,
    to: u32,
    beyond: u32,
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
        self.pending.clear();
        self.next.clear();
        self.next.resize(points.len(), NONE);
        let sides =
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])];
        for (vertices, neighbours) in sides {
            self.facets.push(Facet::new(points, vertices, neighbours, thickness));
        }
        for point in (0..points.len() as u32).filter(|p| ![a, b, c, d].contains(p)) {
            self.give(points, point, 0);
        }
        self.pending.extend(0..4);
    }

    /// Gives a point to the first facet from `first` on that it is outside of, if it is of any.
    fn give(&mut self, points: &[DVec3], point: u32, first: usize) {
        let at = points[point as usize];
        for facet in &mut self.facets[first..] {
            let height = facet.normal.dot(at);
            if height > facet.limit {
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
        self.search.push(Step { facet: first, edge: 0, left: 3 });
        while let Some(Step { facet, edge, left }) = self.search.pop() {
            if left == 0 {
                continue;
            }
            self.search.push(Step { facet, edge: (edge + 1) % 3, left: left - 1 });
            let Facet { vertices, neighbours, .. } = self.facets[facet as usize];
            let (edge, beyond) = (edge as usize, neighbours[edge as usize]);
            let (from, to) = (vertices[edge], vertices[(edge + 1) % 3]);
            let other = &mut self.facets[beyond as usize];
            if other.is_in_sight {
                continue;
            }
            if other.normal.dot(at) > other.offset {
                other.is_in_sight = true;
                self.in_sight.push(beyond);
                let back = other.vertices.iter().position(|&v| v == to).unwrap_or(0);
                self.search.push(Step { facet: beyond, edge: ((back + 1) % 3) as u8, left: 2 });
            } else {
                self.horizon.push(HorizonEdge { from, to, beyond });
            }
        }
    }

    /// Replaces what is in sight by facets from the horizon to the point.
    fn close(&mut self, points: &[DVec3], point: u32, thickness: f64) -> Result<(), Tangled> {
        let count = self.horizon.len();
        let is_ring = (0..count).all(|i| self.horizon[i].to == self.horizon[(i + 1) % count].from);
        if count < 3 || !is_ring {
            return Err(Tangled);
        }
        let first = self.facets.len() as u32;
        for i in 0..count {
            let HorizonEdge { from, to, beyond } = self.horizon[i];
            let (after, before) = ((i + 1) % count, (i + count - 1) % count);
            let neighbours = [beyond, first + after as u32, first + before as u32];
            self.facets.push(Facet::new(points, [from, to, point], neighbours, thickness));
            let other = &mut self.facets[beyond as usize];
            if let Some(back) =
                (0..3).find(|&k| other.vertices[k] == to && other.vertices[(k + 1) % 3] == from)
            {
                other.neighbours[back] = first + i as u32;
            }
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

impl Facet {
    fn new(points: &[DVec3], vertices: [u32; 3], neighbours: [u32; 3], thickness: f64) -> Facet {
        let [a, b, c] = vertices.map(|v| points[v as usize]);
        let normal = (b - a).cross(c - a);
        let offset = normal.dot(a);
        Facet {
            vertices,
            neighbours,
            normal,
            offset,
            limit: offset + thickness * normal.length(),
            outside: NONE,
            farthest: NONE,
            reach: f64::NEG_INFINITY,
            is_alive: true,
            is_in_sight: false,
        }
    }
}

/// Four points far from each other, the first three counter-clockwise seen from where the fourth is not; `None` if all are within `flat` of a
/// plane.
fn first_tetrahedron(points: &[DVec3], flat: f64) -> Option<[u32; 4]> {
    let origin = *points.first()?;
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let better = |best: (u32, f64), (i, &p): (usize, &DVec3)| {
            let reach = measure(p);
            if reach > best.1 { (i as u32, reach) } else { best }
        };
        points.iter().enumerate().fold((0, 0.0), better)
    };
    let at = |i: u32| points[i as usize];
    let (a, _) = farthest(&|p| p.distance_squared(origin));
    let (b, length) = farthest(&|p| p.distance_squared(at(a)));
    let along = (at(b) - at(a)) / length.sqrt();
    let (c, height) = farthest(&|p| along.cross(p - at(a)).length_squared());
    if length.sqrt() <= flat || height.sqrt() <= flat {
        return None;
    }
    let normal = along.cross(at(c) - at(a)) / height.sqrt();
    let (d, depth) = farthest(&|p| normal.dot(p - at(a)).abs());
    if depth <= flat {
        return None;
    }
    let is_behind = normal.dot(at(d) - at(a)) < 0.0;
    Some(if is_behind { [a, b, c, d] } else { [a, c, b, d] })
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
