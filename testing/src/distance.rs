//! How far one surface is from another, sampled.

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::triangulate::triangulate;
use smithereens_geometry::{Aabb, Mesh};

/// Triangles sorted into the boxes of a grid, for questions about the nearest.
pub struct Surface {
    triangles: Vec<[DVec3; 3]>,
    bounds: Aabb,
    side: f64,
    counts: [usize; 3],
    starts: Vec<u32>,
    entries: Vec<u32>,
}

const BOXES_ALONG: f64 = 96.0;

impl Surface {
    /// The surface of a mesh; faces that are not finite are left out.
    pub fn of(mesh: &Mesh) -> Surface {
        let place = |c: u32| mesh.positions[mesh.corners[c as usize] as usize];
        let triangles = triangulate(mesh).0.into_iter().map(|t| t.map(place));
        let triangles: Vec<[DVec3; 3]> = triangles.filter(|t| t.iter().all(|p| p.is_finite())).collect();
        let bounds = Aabb::of_points(triangles.iter().flatten().copied());
        let side = (bounds.extent() / BOXES_ALONG).max(f64::MIN_POSITIVE);
        let counts = bounds.size().to_array().map(|s| (s / side) as usize + 1);
        let mut surface =
            Surface { triangles, bounds, side, counts, starts: Vec::new(), entries: Vec::new() };
        surface.sort();
        surface
    }

    fn sort(&mut self) {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (index, triangle) in self.triangles.iter().enumerate() {
            let around = Aabb::of_points(*triangle);
            let (low, high) = (self.place(around.min), self.place(around.max));
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    pairs.extend((low[0]..=high[0]).map(|x| (self.number([x, y, z]), index as u32)));
                }
            }
        }
        pairs.sort_unstable();
        let boxes = self.counts.iter().product::<usize>() as u32;
        self.starts = (0..=boxes).map(|b| pairs.partition_point(|p| p.0 < b) as u32).collect();
        self.entries = pairs.into_iter().map(|p| p.1).collect();
    }

    fn place(&self, point: DVec3) -> [usize; 3] {
        let at = (point - self.bounds.min) / self.side;
        std::array::from_fn(|i| (at[i].max(0.0) as usize).min(self.counts[i] - 1))
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> u32 {
        ((z * self.counts[1] + y) * self.counts[0] + x) as u32
    }

    /// The distance of a point, or `most` if it is farther.
    pub fn distance(&self, point: DVec3, most: f64) -> f64 {
        let mut reach = self.side * 0.25;
        loop {
            let found = self.distance_within(point, reach.min(most));
            if found < reach || reach >= most {
                return found;
            }
            reach *= 2.0;
        }
    }

    fn distance_within(&self, point: DVec3, most: f64) -> f64 {
        let reach = DVec3::splat(most);
        let (low, high) = (self.place(point - reach), self.place(point + reach));
        let mut best = most * most;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let number = self.number([x, y, z]) as usize;
                    for &t in &self.entries[self.starts[number] as usize..self.starts[number + 1] as usize] {
                        best = best.min(squared_distance(point, self.triangles[t as usize]));
                    }
                }
            }
        }
        best.sqrt()
    }
}

/// The greatest distance of points strewn over `from` to the surface `to`, as a share of the extent of `from`; no
/// more than `most` is told apart. Every triangle is sampled in its middle and corners, large ones more often.
pub fn one_sided_distance(from: &Mesh, to: &Mesh, most: f64) -> f64 {
    let (source, target) = (Surface::of(from), Surface::of(to));
    let extent = source.bounds.extent();
    let farthest = source
        .triangles
        .par_iter()
        .map(|t| samples(*t, extent * 0.01).map(|p| target.distance(p, most * extent)).fold(0.0, f64::max))
        .reduce(|| 0.0, f64::max);
    farthest / extent
}

/// Points of a triangle about `apart` from each other, at most some hundreds.
fn samples([a, b, c]: [DVec3; 3], apart: f64) -> impl Iterator<Item = DVec3> {
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    let steps = ((longest / apart).ceil() as usize).clamp(1, 24);
    (0..=steps).flat_map(move |i| {
        (0..=steps - i).map(move |j| {
            let (u, v) = (i as f64 / steps as f64, j as f64 / steps as f64);
            a + (b - a) * u + (c - a) * v
        })
    })
}

fn squared_distance(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(p, q)| normal.dot((q - p).cross(point - p)) >= 0.0);
    if inside && normal != DVec3::ZERO {
        let height = normal.dot(point - a);
        return height * height / normal.length_squared();
    }
    let to_side = |p: DVec3, q: DVec3| {
        let along = q - p;
        let t = (along.dot(point - p) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        point.distance_squared(p + along * t)
    };
    to_side(a, b).min(to_side(b, c)).min(to_side(c, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_larger_ball_is_as_far_as_it_is_larger() {
        let (small, large) = (fixtures::ico_sphere(1.0, 3), fixtures::ico_sphere(1.02, 3));
        assert!(one_sided_distance(small.mesh(), small.mesh(), 0.1) < 1e-12);
        let distance = one_sided_distance(small.mesh(), large.mesh(), 0.1);
        assert!((distance - 0.01).abs() < 1e-3, "{distance}");
        let capped = one_sided_distance(small.mesh(), large.mesh(), 0.005);
        assert!((capped - 0.005).abs() < 1e-12, "{capped}");
    }
}
