//! Points inside a solid, for patterns that shall fill it.

use glam::DVec3;
use smithereens_geometry::Solid;

use crate::chance::Chance;

/// Points evenly strewn inside a solid: the same for the same seed.
pub fn inside(solid: &Solid, count: usize, seed: u64) -> Vec<DVec3> {
    let columns = Columns::new(solid);
    let bounds = solid.mesh().bounds();
    let mut chance = Chance::new(seed);
    let mut points = Vec::with_capacity(count);
    while points.len() < count {
        let unit = (chance.point() + 1.0) * 0.5;
        let point = bounds.min + bounds.size() * unit;
        if columns.contain(point) {
            points.push(point);
        }
    }
    points
}

/// The triangles of a solid, sorted into columns along z.
struct Columns {
    min: DVec3,
    pitch: f64,
    size: [usize; 2],
    triangles: Vec<Vec<[DVec3; 3]>>,
}

const COLUMNS_A_SIDE: f64 = 64.0;

impl Columns {
    fn new(solid: &Solid) -> Columns {
        let mesh = solid.mesh();
        let bounds = mesh.bounds();
        let pitch = bounds.extent() / COLUMNS_A_SIDE;
        let size = [bounds.size().x, bounds.size().y].map(|s| (s / pitch) as usize + 1);
        let mut columns =
            Columns { min: bounds.min, pitch, size, triangles: vec![Vec::new(); size[0] * size[1]] };
        for index in 0..mesh.loop_ends.len() {
            let corners = &mesh.corners[mesh.loop_corners(index)];
            let at = |i: usize| mesh.positions[corners[i] as usize];
            (2..corners.len()).for_each(|i| columns.enter([at(0), at(i - 1), at(i)]));
        }
        columns
    }

    fn place(&self, point: DVec3) -> [usize; 2] {
        let at = (point - self.min) / self.pitch;
        [(at.x as usize).min(self.size[0] - 1), (at.y as usize).min(self.size[1] - 1)]
    }

    fn enter(&mut self, triangle: [DVec3; 3]) {
        let low = self.place(triangle[0].min(triangle[1]).min(triangle[2]));
        let high = self.place(triangle[0].max(triangle[1]).max(triangle[2]));
        for y in low[1]..=high[1] {
            for x in low[0]..=high[0] {
                self.triangles[y * self.size[0] + x].push(triangle);
            }
        }
    }

    /// Counts crossings of the ray upward.
    fn contain(&self, point: DVec3) -> bool {
        let [x, y] = self.place(point);
        let above = |t: &&[DVec3; 3]| {
            let [a, b, c] = t.map(|p| p - point);
            let side = |p: DVec3, q: DVec3| p.x * q.y - p.y * q.x > 0.0;
            let normal = (b - a).cross(c - a);
            side(a, b) == side(b, c) && side(b, c) == side(c, a) && normal.dot(a) / normal.z > 0.0
        };
        self.triangles[y * self.size[0] + x].iter().filter(above).count() % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn points_are_inside() {
        let torus = fixtures::torus(1.0, 0.3, 48, 24);
        for point in inside(&torus, 200, 7) {
            assert!(torus.contains(point), "{point}");
        }
    }
}
