//! Triangles for a screen or a file, from polygons with holes.

use earcut::Earcut;
use glam::DVec3;

use crate::Mesh;

/// The triangles of a face, as corner indices of the mesh.
///
/// ```
/// use smithereens_geometry::{triangulate::triangulate_face, Aabb, Convex, Slot};
/// let cube = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
/// assert_eq!(triangulate_face(&cube, 0).len(), 2);
/// ```
pub fn triangulate_face(mesh: &Mesh, face: usize) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    Triangulator::default().face(mesh, face, &mut triangles);
    triangles
}

/// The triangles of all faces, face after face, as corner indices; and one past the last triangle of each face.
pub fn triangulate(mesh: &Mesh) -> (Vec<[u32; 3]>, Vec<u32>) {
    let mut triangulator = Triangulator::default();
    let mut triangles = Vec::with_capacity(mesh.triangle_count());
    let ends = (0..mesh.faces.len())
        .map(|face| {
            triangulator.face(mesh, face, &mut triangles);
            triangles.len() as u32
        })
        .collect();
    (triangles, ends)
}

/// Triangulates faces one after the other, reusing memory.
pub struct Triangulator {
    earcut: Earcut<f64>,
    points: Vec<[f64; 2]>,
    holes: Vec<u32>,
    indices: Vec<u32>,
}

impl Default for Triangulator {
    fn default() -> Triangulator {
        Triangulator { earcut: Earcut::new(), points: Vec::new(), holes: Vec::new(), indices: Vec::new() }
    }
}

impl Triangulator {
    /// Adds the triangles of a face as corner indices.
    pub fn face(&mut self, mesh: &Mesh, face: usize, triangles: &mut Vec<[u32; 3]>) {
        let corners = mesh.face_corners(face);
        let first = corners.start as u32;
        match corners.len() {
            0..3 => {}
            3 => triangles.push([first, first + 1, first + 2]),
            _ => self.cut_ears(mesh, face, triangles),
        }
    }

    fn cut_ears(&mut self, mesh: &Mesh, face: usize, triangles: &mut Vec<[u32; 3]>) {
        let corners = mesh.face_corners(face);
        let normal = mesh.face_normal(face);
        let normal = if normal == DVec3::ZERO { DVec3::Z } else { normal };
        let (u, v) = normal.any_orthonormal_pair();
        let origin = mesh.positions[mesh.corners[corners.start] as usize];
        self.points.clear();
        self.points.extend(mesh.corners[corners.clone()].iter().map(|&c| {
            let p = mesh.positions[c as usize] - origin;
            [p.dot(u), p.dot(v)]
        }));
        self.holes.clear();
        self.holes.extend(
            mesh.face_loops(face).skip(1).map(|l| (mesh.loop_corners(l).start - corners.start) as u32),
        );
        self.indices.clear();
        self.earcut.earcut(self.points.iter().copied(), &self.holes, &mut self.indices);
        let first = corners.start as u32;
        for triangle in self.indices.chunks_exact(3) {
            let mut t = [triangle[0], triangle[1], triangle[2]];
            if doubled_area(&self.points, t) < 0.0 {
                t.swap(1, 2);
            }
            triangles.push(t.map(|i| i + first));
        }
    }
}

fn doubled_area(points: &[[f64; 2]], t: [u32; 3]) -> f64 {
    let [a, b, c] = t.map(|i| points[i as usize]);
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Slot;

    #[test]
    fn a_square_with_a_hole_keeps_its_area() {
        let mut mesh = Mesh::default();
        for (x, y) in [(0., 0.), (4., 0.), (4., 4.), (0., 4.), (1., 1.), (1., 2.), (2., 2.), (2., 1.)] {
            mesh.positions.push(DVec3::new(x, y, 1.0));
        }
        mesh.corners = (0..8).collect();
        mesh.loop_ends = vec![4, 8];
        mesh.end_face(Slot(0), None);
        let triangles = triangulate_face(&mesh, 0);
        assert_eq!(triangles.len(), mesh.triangle_count());
        let area: f64 = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| mesh.positions[mesh.corners[i as usize] as usize]);
                (b - a).cross(c - a).z * 0.5
            })
            .sum();
        assert!((area - 15.0).abs() < 1e-12);
    }
}
