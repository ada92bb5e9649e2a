//! Triangles in a plane, and the edges between them.

use std::collections::BTreeMap;

use glam::DVec2;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Triangles that meet edge to edge.
pub struct Mesh {
    pub points: Vec<DVec2>,
    /// Counter-clockwise.
    pub triangles: Vec<[usize; 3]>,
    /// Those between two triangles.
    pub edges: Vec<Edge>,
}

/// Where two triangles meet. A corner is counted once a triangle: number 3 f + c is corner c of triangle f.
pub struct Edge {
    pub triangles: [usize; 2],
    /// The corners of both triangles at one end, then those at the other.
    pub ends: [[usize; 2]; 2],
    pub length: f64,
}

impl Mesh {
    pub fn new(points: Vec<DVec2>, triangles: Vec<[usize; 3]>) -> Mesh {
        let mut edges = Vec::new();
        let mut open: BTreeMap<[usize; 2], [usize; 2]> = BTreeMap::new();
        for (index, triangle) in triangles.iter().enumerate() {
            for c in 0..3 {
                let [from, to] = [c, (c + 1) % 3];
                let points_of = [triangle[from], triangle[to]];
                let corners = [3 * index + from, 3 * index + to];
                // The neighbour walks the same edge the other way.
                if let Some(other) = open.remove(&[points_of[1], points_of[0]]) {
                    edges.push(Edge {
                        triangles: [other[0] / 3, index],
                        ends: [[other[0], corners[1]], [other[1], corners[0]]],
                        length: points[points_of[0]].distance(points[points_of[1]]),
                    });
                } else {
                    open.insert(points_of, corners);
                }
            }
        }
        Mesh { points, triangles, edges }
    }

    pub fn corners(&self, triangle: usize) -> [DVec2; 3] {
        self.triangles[triangle].map(|point| self.points[point])
    }

    pub fn area(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.corners(triangle);
        (b - a).perp_dot(c - a) / 2.0
    }

    /// A number for each triangle: those that hang together over the edges that `joins` says yes to have the same, counted by first triangles.
    pub fn parts(&self, joins: impl Fn(&Edge) -> bool) -> Vec<u32> {
        let mut part: Vec<usize> = (0..self.triangles.len()).collect();
        for edge in self.edges.iter().filter(|edge| joins(edge)) {
            let [a, b] = edge.triangles.map(|triangle| part[triangle]);
            part.iter_mut().filter(|p| **p == a.max(b)).for_each(|p| *p = a.min(b));
        }
        let mut firsts: Vec<usize> = part.clone();
        firsts.sort_unstable();
        firsts.dedup();
        part.iter().map(|p| firsts.binary_search(p).expect("a part has a first triangle") as u32).collect()
    }
}

const COLUMNS: usize = 30;
const ROWS: usize = 6;

/// Half the thickness of the bone at a place along it: a large head, a thin shaft, a smaller head.
fn half_thickness(x: f64) -> f64 {
    let head = |centre: f64, radius: f64, size: f64| size * libm::exp(-libm::pow((x - centre) / radius, 4.0));
    0.07 + head(-0.62, 0.38, 0.23) + head(0.62, 0.42, 0.17)
}

/// A flat bone, two metres long, of 360 triangles. Inner points are moved at random: no two ways to break are as good.
pub fn bone() -> Mesh {
    let mut random = Pcg64::seed_from_u64(12);
    let (step, mut points) = (2.0 / COLUMNS as f64, Vec::new());
    for i in 0..=COLUMNS {
        for j in 0..=ROWS {
            let mut jitter = || random.random_range(-0.2..0.2);
            let inside = |at: usize, count: usize, by: f64| if at.is_multiple_of(count) { 0.0 } else { by };
            let x = -1.0 + step * (i as f64 + inside(i, COLUMNS, jitter()));
            let y = -1.0 + 2.0 / ROWS as f64 * (j as f64 + inside(j, ROWS, jitter()));
            points.push(DVec2::new(x, y * half_thickness(x)));
        }
    }
    let mut triangles = Vec::new();
    for (i, j) in (0..COLUMNS).flat_map(|i| (0..ROWS).map(move |j| (i, j))) {
        let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(x, y)| (i + x) * (ROWS + 1) + j + y);
        // Diagonals alternate, so that none is a straight way across.
        if (i + j) % 2 == 0 {
            triangles.extend([[a, b, c], [a, c, d]]);
        } else {
            triangles.extend([[a, b, d], [b, c, d]]);
        }
    }
    Mesh::new(points, triangles)
}
