//! Which loops on a plane are holes, and in what.

use glam::DVec2;

use super::face::NONE;

/// Loops of points on a plane, to be nested; its memory is reused.
#[derive(Debug, Default)]
pub(crate) struct Nester {
    points: Vec<DVec2>,
    ends: Vec<u32>,
    areas: Vec<f64>,
    parents: Vec<u32>,
}

impl Nester {
    pub fn clear(&mut self) {
        self.points.clear();
        self.ends.clear();
    }

    pub fn push_loop(&mut self, points: impl Iterator<Item = DVec2>) {
        self.points.extend(points);
        self.ends.push(self.points.len() as u32);
    }

    /// For every loop the smallest counter-clockwise loop around it if it is clockwise, else [`NONE`].
    pub fn parents(&mut self) -> &[u32] {
        self.areas.clear();
        for index in 0..self.ends.len() {
            self.areas.push(doubled_area(self.points_of(index)));
        }
        self.parents.clear();
        for hole in 0..self.ends.len() {
            let parent = if self.areas[hole] < 0.0 { self.smallest_around(hole) } else { NONE };
            self.parents.push(parent);
        }
        &self.parents
    }

    fn points_of(&self, index: usize) -> &[DVec2] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.points[start..self.ends[index] as usize]
    }

    fn smallest_around(&self, hole: usize) -> u32 {
        let point = self.points_of(hole)[0];
        let mut best = (f64::INFINITY, NONE);
        for outer in 0..self.ends.len() {
            let area = self.areas[outer];
            if area > 0.0 && area < best.0 && encloses(self.points_of(outer), point) {
                best = (area, outer as u32);
            }
        }
        best.1
    }
}

fn doubled_area(points: &[DVec2]) -> f64 {
    (2..points.len()).map(|i| (points[i - 1] - points[0]).perp_dot(points[i] - points[0])).sum()
}

/// Whether a polygon encloses a point, by counting crossings of a ray.
pub(crate) fn encloses(polygon: &[DVec2], point: DVec2) -> bool {
    let mut inside = false;
    for i in 0..polygon.len() {
        let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        if (a.y > point.y) != (b.y > point.y) {
            let crossing = a.x + (b.x - a.x) * (point.y - a.y) / (b.y - a.y);
            inside ^= point.x < crossing;
        }
    }
    inside
}
