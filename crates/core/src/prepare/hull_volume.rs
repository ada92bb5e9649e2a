//! The volume of the convex hull of points, fast and a hair too small.
//!
//! Quickhull (Barber, Dobkin, Huhdanpaa 1996) in plain floating point, all memory reused: a search for good nodes measures tens of
//! thousands of hulls. Points within a millionth of the extent of a facet count as on it. Where rounding tangles the
//! horizon, the exact hull is asked.

use std::cell::RefCell;

use glam::DVec3;
use smithereens_geometry::{Aabb, Convex};

/// Measures hulls; its memory is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct HullVolume {
    /// The points, no four of them in a plane.
    shaken: Vec<DVec3>,
    /// What points are shaken by, one after the other.
    shakes: Vec<DVec3>,
    facets: Vec<Facet>,
    /// One for each facet.
    crowds: Vec<Crowd>,
    /// Those of the facets added last.
    fences: Vec<Fences>,
    /// For each point, the next outside the same facet.
    next: Vec<u32>,
    pending: Vec<u32>,
    in_sight: Vec<u32>,
    search: Vec<Side>,
    horizon: Vec<HorizonEdge>,
}

#[derive(Clone, Copy, Debug)]
struct Facet {
    /// Of any length.
    normal: DVec3,
    offset: f64,
    /// Counter-clockwise from outside.
    vertices: [u32; 3],
    /// Across the edge from each vertex to the next.
    beyond: [Side; 3],
    /// Whether a point that was added since has seen it, so that it is no more.
    is_lost: bool,
}

impl Facet {
    #[inline]
    fn new(vertices: [u32; 3], [a, b, c]: [DVec3; 3], beyond: [Side; 3]) -> Facet {
        let normal = (b - a).cross(c - a);
        Facet { normal, offset: normal.dot(a), vertices, beyond, is_lost: false }
    }
}

/// The points outside a facet that are given to it.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    /// The others follow in [`HullVolume::next`].
    first: u32,
    farthest: u32,
    reach: f64,
}

impl Crowd {
    const NOBODY: Crowd = Crowd { first: NONE, farthest: NONE, reach: f64::NEG_INFINITY };
}

/// Where points begin to count as outside of facets, those of two side by side: a processor multiplies two numbers as fast as one.
#[derive(Clone, Copy, Debug)]
struct Fences {
    x: [f64; LANES],
    y: [f64; LANES],
    z: [f64; LANES],
    limit: [f64; LANES],
}

impl Fences {
    /// Fences of one or two facets; of one, twice the same.
    fn new(facets: &[Facet], thickness: f64) -> Fences {
        let [a, b] = [facets[0], facets[facets.len() - 1]];
        let limit = |f: &Facet| f.offset + thickness * f.normal.length();
        Fences {
            x: [a.normal.x, b.normal.x],
            y: [a.normal.y, b.normal.y],
            z: [a.normal.z, b.normal.z],
            limit: [limit(&a), limit(&b)],
        }
    }
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

/// An edge of what is in sight, from the far side.
#[derive(Clone, Copy, Debug)]
struct HorizonEdge {
    from: u32,
    to: u32,
    beyond: Side,
}

/// How many fences a place is held against at once.
const LANES: usize = 2;
const NONE: u32 = u32::MAX;
/// Of the extent.
const THICKNESS: f64 = 1e-6;
/// Of the extent: far less than what counts, far more than rounding.
const SHAKE: f64 = 1e-8;

/// Rounding has tangled the horizon.
struct Tangled;

thread_local! {
    static HULL: RefCell<HullVolume> = RefCell::default();
}

impl HullVolume {
    /// Works with the thread's own. The work must not wait for other threads: meanwhile this one might take up more of it.
    pub fn with<T>(work: impl FnOnce(&mut HullVolume) -> T) -> T {
        HULL.with_borrow_mut(work)
    }

    /// The volume of the hull; zero for flat points.
    pub fn of(&mut self, points: &[DVec3]) -> f64 {
        let extent = Aabb::of_points(points.iter().copied()).extent();
        let mut shaken = std::mem::take(&mut self.shaken);
        shaken.clear();
        self.shakes.extend((self.shakes.len() as u64..points.len() as u64).map(shake));
        let shake = extent * SHAKE;
        shaken.extend(points.iter().zip(&self.shakes).map(|(&point, &step)| point + step * shake));
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

    /// Tells the corners of the facets of the hull measured last, each with what it adds to the growth of the volume as the corner moves.
    /// Nothing after flat points, or where the exact hull was asked.
    pub fn growth(&self, mut tell: impl FnMut(u32, DVec3)) {
        let origin = self.facets.first().map_or(DVec3::ZERO, |f| self.shaken[f.vertices[0] as usize]);
        for facet in self.facets.iter().filter(|f| !f.is_lost) {
            let [a, b, c] = facet.vertices.map(|v| self.shaken[v as usize] - origin);
            tell(facet.vertices[0], b.cross(c) / 6.0);
            tell(facet.vertices[1], c.cross(a) / 6.0);
            tell(facet.vertices[2], a.cross(b) / 6.0);
        }
    }

    fn volume(&self, points: &[DVec3]) -> f64 {
        let origin = points[self.facets[0].vertices[0] as usize];
        let of_facet = |facet: &Facet| {
            let [a, b, c] = facet.vertices.map(|v| points[v as usize] - origin);
            a.dot(b.cross(c))
        };
        self.facets.iter().filter(|f| !f.is_lost).map(of_facet).sum::<f64>() / 6.0
    }

    fn grow(&mut self, points: &[DVec3], start: [u32; 4], thickness: f64) -> Result<(), Tangled> {
        self.begin(points, start, thickness);
        while let Some(facet) = self.pending.pop() {
            if !self.facets[facet as usize].is_lost {
                let farthest = self.crowds[facet as usize].farthest;
                self.look(points[farthest as usize], facet);
                self.close(points, farthest, thickness)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, points: &[DVec3], [a, b, c, d]: [u32; 4], thickness: f64) {
        self.facets.clear();
        self.crowds.clear();
        self.pending.clear();
        self.next.clear();
        self.next.resize(points.len(), NONE);
        let sides = [
            ([a, b, c], [(1, 0), (2, 0), (3, 0)]),
            ([b, a, d], [(0, 0), (3, 2), (2, 1)]),
            ([c, b, d], [(0, 1), (1, 2), (3, 1)]),
            ([a, c, d], [(0, 2), (2, 2), (1, 1)]),
        ];
        self.facets.extend(sides.map(|(vertices, beyond)| {
            let places = vertices.map(|v| points[v as usize]);
            Facet::new(vertices, places, beyond.map(|(facet, edge)| Side::new(facet, edge)))
        }));
        self.crowds.resize(self.facets.len(), Crowd::NOBODY);
        self.fence(0, thickness);
        self.share_out(points, [a, b, c, d]);
        self.pend(0);
    }

    /// Gives all points to the first facets, but for their corners.
    fn share_out(&mut self, points: &[DVec3], corners: [u32; 4]) {
        for (point, &at) in (0..).zip(points) {
            // Corners are outside of nothing, but for rounding: so they are asked for last.
            if let Some((facet, height)) = self.outside_of(at)
                && !corners.contains(&point)
            {
                self.give(point, facet, height);
            }
        }
    }

    /// Fences for the facets from `first` on.
    fn fence(&mut self, first: usize, thickness: f64) {
        self.fences.clear();
        self.fences.extend(self.facets[first..].chunks(LANES).map(|facets| Fences::new(facets, thickness)));
    }

    /// The first of the fences that a place is outside of, if it is of any, and how far out along its normal the place is.
    #[inline]
    fn outside_of(&self, at: DVec3) -> Option<(usize, f64)> {
        for (group, Fences { x, y, z, limit }) in self.fences.iter().enumerate() {
            let heights: [f64; LANES] = std::array::from_fn(|i| x[i] * at.x + y[i] * at.y + z[i] * at.z);
            let is_outside: [bool; LANES] = std::array::from_fn(|i| heights[i] > limit[i]);
            if is_outside.contains(&true) {
                let lane = is_outside.iter().take_while(|&&o| !o).count();
                return Some((group * LANES + lane, heights[lane]));
            }
        }
        None
    }

    /// Gives a point to a facet that it is outside of.
    #[inline]
    fn give(&mut self, point: u32, facet: usize, height: f64) {
        let crowd = &mut self.crowds[facet];
        self.next[point as usize] = crowd.first;
        crowd.first = point;
        if height > crowd.reach {
            (crowd.reach, crowd.farthest) = (height, point);
        }
    }

    /// Facets from `first` on that have points outside wait for their turn.
    fn pend(&mut self, first: usize) {
        let crowds = (first as u32..).zip(&self.crowds[first..]);
        self.pending.extend(crowds.filter(|(_, crowd)| crowd.first != NONE).map(|(facet, _)| facet));
    }

    /// Finds the facets in sight of a point and the edges around them, in order.
    fn look(&mut self, at: DVec3, first: u32) {
        self.in_sight.clear();
        self.horizon.clear();
        self.search.clear();
        let facet = &mut self.facets[first as usize];
        facet.is_lost = true;
        self.in_sight.push(first);
        let [a, b, c] = facet.beyond;
        self.search.extend([c, b, a]);
        while let Some(side) = self.search.pop() {
            let facet = &mut self.facets[side.facet()];
            if facet.is_lost {
                continue;
            }
            let edge = side.edge();
            let after = if edge == 2 { 0 } else { edge + 1 };
            if facet.normal.dot(at) > facet.offset {
                facet.is_lost = true;
                self.in_sight.push(side.facet() as u32);
                let before = if edge == 0 { 2 } else { edge - 1 };
                self.search.extend([facet.beyond[before], facet.beyond[after]]);
            } else {
                let (from, to) = (facet.vertices[after], facet.vertices[edge]);
                self.horizon.push(HorizonEdge { from, to, beyond: side });
            }
        }
    }

    /// Replaces what is in sight by facets from the horizon to the point.
    fn close(&mut self, points: &[DVec3], point: u32, thickness: f64) -> Result<(), Tangled> {
        let is_ring = self.horizon.windows(2).all(|pair| pair[0].to == pair[1].from)
            && self.horizon.last().map(|edge| edge.to) == self.horizon.first().map(|edge| edge.from);
        if self.horizon.len() < 3 || !is_ring {
            return Err(Tangled);
        }
        let first = self.facets.len();
        self.add_fan(points, point, first as u32);
        self.crowds.resize(self.facets.len(), Crowd::NOBODY);
        if self.has_orphans(point) {
            self.fence(first, thickness);
            self.adopt(points, point, first);
            self.pend(first);
        }
        Ok(())
    }

    /// Adds facets from the horizon to the point, from the index `first` on.
    fn add_fan(&mut self, points: &[DVec3], point: u32, first: u32) {
        let last = first + self.horizon.len() as u32 - 1;
        let apex = points[point as usize];
        let facets = (first..).zip(&self.horizon).map(|(index, &HorizonEdge { from, to, beyond })| {
            let after = if index == last { first } else { index + 1 };
            let before = if index == first { last } else { index - 1 };
            let sides = [beyond, Side::new(after, 2), Side::new(before, 1)];
            Facet::new([from, to, point], [points[from as usize], points[to as usize], apex], sides)
        });
        self.facets.extend(facets);
        for (index, edge) in (first..).zip(&self.horizon) {
            self.facets[edge.beyond.facet()].beyond[edge.beyond.edge()] = Side::new(index, 0);
        }
    }

    /// Gives what was outside of the facets in sight, but for the point that sees them, to the facets from `first` on.
    fn adopt(&mut self, points: &[DVec3], point: u32, first: usize) {
        for i in 0..self.in_sight.len() {
            let mut orphan = self.crowds[self.in_sight[i] as usize].first;
            while orphan != NONE {
                let next = self.next[orphan as usize];
                if orphan != point
                    && let Some((facet, height)) = self.outside_of(points[orphan as usize])
                {
                    self.give(orphan, first + facet, height);
                }
                orphan = next;
            }
        }
    }

    /// Whether anything but the point that sees them is outside of the facets in sight.
    fn has_orphans(&self, point: u32) -> bool {
        let is_alone = self.next[point as usize] == NONE;
        let mut firsts = self.in_sight.iter().map(|&facet| self.crowds[facet as usize].first);
        firsts.any(|first| first != NONE && !(first == point && is_alone))
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
