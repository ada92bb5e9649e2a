//! Points that fill a solid evenly, thin walls too.
//!
//! Columns along z go through the solid. Whether a column goes through a triangle is decided edge by edge, for both triangles of an
//! edge alike, so that it enters as often as it leaves. Where it is inside, points stand on it. A wall thinner than columns are apart is hit by
//! as few of them as its share of the volume says.

use glam::{DVec2, DVec3};
use smithereens::triangulate::triangulate;
use smithereens::{Aabb, Mesh, Solid};

/// A point that stands for some of the volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    pub at: DVec3,
    pub volume: f64,
}

/// Points about `step` apart. They lie alike about the middle of the solid's box, whichever way that is mirrored in x or y.
pub(crate) fn samples(solid: &Solid, step: f64) -> Vec<Sample> {
    let mesh = solid.mesh();
    let columns = Columns::new(mesh.bounds(), step);
    let mut samples = Vec::new();
    let crossings = columns.crossings(mesh);
    for of_column in crossings.chunk_by(|a, b| a.column == b.column) {
        let mut layers = 0;
        for pair in of_column.windows(2) {
            layers += pair[0].enters;
            if layers > 0 {
                columns.fill(pair[0].column, [pair[0].z, pair[1].z], &mut samples);
            }
        }
    }
    samples
}

struct Columns {
    bounds: Aabb,
    step: f64,
    counts: [usize; 2],
    first: DVec2,
}

/// Where a column goes through the surface.
struct Crossing {
    column: usize,
    z: f64,
    /// One where it enters, minus one where it leaves.
    enters: i32,
}

impl Columns {
    fn new(bounds: Aabb, step: f64) -> Columns {
        let size = bounds.size().truncate();
        let counts = (size / step).to_array().map(|along| along.ceil().max(1.0) as usize);
        let middle = (bounds.min + bounds.max).truncate() * 0.5;
        let first = middle - DVec2::new(counts[0] as f64 - 1.0, counts[1] as f64 - 1.0) * (step * 0.5);
        Columns { bounds, step, counts, first }
    }

    fn at(&self, column: usize) -> DVec2 {
        let [x, y] = [column % self.counts[0], column / self.counts[0]];
        self.first + DVec2::new(x as f64, y as f64) * self.step
    }

    /// In order of column and height.
    fn crossings(&self, mesh: &Mesh) -> Vec<Crossing> {
        let mut crossings = Vec::new();
        for corners in triangulate(mesh).0 {
            let vertices = corners.map(|corner| mesh.corners[corner as usize]);
            self.cross(mesh, vertices, &mut crossings);
        }
        crossings
            .sort_by(|a, b| a.column.cmp(&b.column).then(a.z.total_cmp(&b.z)).then(b.enters.cmp(&a.enters)));
        crossings
    }

    fn cross(&self, mesh: &Mesh, vertices: [u32; 3], crossings: &mut Vec<Crossing>) {
        let points = vertices.map(|vertex| mesh.positions[vertex as usize]);
        let [low, high] = points.iter().fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[low, high], p| {
            [low.min(p.truncate()), high.max(p.truncate())]
        });
        let range = |axis: usize| {
            let from = ((low[axis] - self.first[axis]) / self.step).ceil().max(0.0) as usize;
            let to = ((high[axis] - self.first[axis]) / self.step).floor() + 1.0;
            from..(to.max(0.0) as usize).min(self.counts[axis])
        };
        for y in range(1) {
            for x in range(0) {
                let column = y * self.counts[0] + x;
                if let Some((z, enters)) = through(vertices, points, self.at(column)) {
                    crossings.push(Crossing { column, z, enters });
                }
            }
        }
    }

    /// Points in a column between two heights, one at least.
    fn fill(&self, column: usize, [low, high]: [f64; 2], samples: &mut Vec<Sample>) {
        let (low, high) = (low.max(self.bounds.min.z), high.min(self.bounds.max.z));
        let length = high - low;
        if length <= 0.0 {
            return;
        }
        let count = (length / self.step).round().max(1.0);
        let at = self.at(column);
        let sample = |i: usize| Sample {
            at: at.extend(low + length * (i as f64 + 0.5) / count),
            volume: self.step * self.step * length / count,
        };
        samples.extend((0..count as usize).map(sample));
    }
}

/// The side of an edge that a place is on. The edge runs from its lower vertex to its higher one whoever asks; a tie goes one way.
fn side(vertices: [u32; 2], points: [DVec2; 2], place: DVec2) -> bool {
    let is_turned = vertices[0] > vertices[1];
    let [from, to] = if is_turned { [points[1], points[0]] } else { points };
    ((to - from).perp_dot(place - from) > 0.0) != is_turned
}

/// Where a vertical line goes through a triangle, and whether it enters a solid there.
fn through(vertices: [u32; 3], points: [DVec3; 3], place: DVec2) -> Option<(f64, i32)> {
    let flat = points.map(|point| point.truncate());
    let sides = [0, 1, 2].map(|i| {
        let next = (i + 1) % 3;
        side([vertices[i], vertices[next]], [flat[i], flat[next]], place)
    });
    if sides[0] != sides[1] || sides[1] != sides[2] {
        return None;
    }
    let [along, across] = [points[1] - points[0], points[2] - points[0]];
    let normal = along.cross(across);
    let slope = (place - flat[0]).dot(normal.truncate()) / normal.z;
    let z = if slope.is_finite() { points[0].z - slope } else { points[0].z };
    Some((z, if sides[0] { -1 } else { 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::{fixtures, subjects};

    #[test]
    fn samples_have_the_volume_and_are_inside() {
        for (name, solid) in fixtures::all() {
            let step = libm::cbrt(solid.volume() / 4000.0);
            let samples = samples(&solid, step);
            let volume: f64 = samples.iter().map(|sample| sample.volume).sum();
            // A wall along the columns is as thick as a whole number of them.
            assert!((volume / solid.volume() - 1.0).abs() < 0.15, "{name}: {volume} of {}", solid.volume());
            let inside = samples.iter().filter(|sample| solid.contains(sample.at)).count();
            assert!(inside as f64 > samples.len() as f64 * 0.99, "{name}: {inside} of {}", samples.len());
        }
    }

    #[test]
    fn no_column_is_left_open_in_a_scan() {
        let subject = subjects::subject("bunny-70k.ply");
        let columns =
            Columns::new(subject.solid.mesh().bounds(), subject.solid.mesh().bounds().extent() / 50.0);
        let crossings = columns.crossings(subject.solid.mesh());
        for of_column in crossings.chunk_by(|a, b| a.column == b.column) {
            assert_eq!(of_column.iter().map(|crossing| crossing.enters).sum::<i32>(), 0);
        }
    }
}
