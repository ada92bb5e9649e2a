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
    Triangulator::default().triangles(mesh, face).to_vec()
}

/// The triangles of all faces, face after face, as corner indices; and one past the last triangle of each face.
pub fn triangulate(mesh: &Mesh) -> (Vec<[u32; 3]>, Vec<u32>) {
    let mut triangulator = Triangulator::default();
    let mut triangles = Vec::with_capacity(mesh.triangle_count());
    let ends = (0..mesh.faces.len())
        .map(|face| {
            triangles.extend_from_slice(triangulator.triangles(mesh, face));
            triangles.len() as u32
        })
        .collect();
    (triangles, ends)
}

/// Cuts faces into triangles, reusing its memory from face to face.
#[derive(Default)]
pub struct Triangulator {
    earcut: Earcut<f64>,
    points: Vec<[f64; 2]>,
    holes: Vec<u32>,
    indices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

impl Triangulator {
    /// The triangles of a face as indices of [`Mesh::corners`], wound as the face is. Every edge of the
    /// face is an edge of a triangle, so neighbours that share it still meet.
    pub fn triangles(&mut self, mesh: &Mesh, face: usize) -> &[[u32; 3]] {
        let corners = mesh.face_corners(face);
        self.triangles.clear();
        if corners.len() < 3 {
            return &self.triangles;
        }
        if corners.len() == 3 {
            let first = corners.start as u32;
            self.triangles.push([first, first + 1, first + 2]);
            return &self.triangles;
        }
        self.project(mesh, face);
        self.earcut.earcut_slice(&self.points, &self.holes, &mut self.indices);
        self.collect_counter_clockwise();
        if self.triangles.is_empty() {
            self.fan(mesh.loop_corners(mesh.face_loops(face).start).len());
        } else {
            for l in mesh.face_loops(face) {
                let range = mesh.loop_corners(l);
                self.insert_left_out(
                    (range.start - corners.start) as u32..(range.end - corners.start) as u32,
                );
            }
        }
        self.triangles.iter_mut().flatten().for_each(|corner| *corner += corners.start as u32);
        &self.triangles
    }

    /// Drops the coordinate that the face's normal is longest in: exact, unlike a rotated basis.
    fn project(&mut self, mesh: &Mesh, face: usize) {
        let normal = mesh.face_area_vector(face);
        let (i, j) = kept_axes(normal);
        let corners = mesh.face_corners(face);
        self.points.clear();
        self.points.extend(mesh.corners[corners.clone()].iter().map(|&v| {
            let p = mesh.positions[v as usize];
            [p[i], p[j]]
        }));
        self.holes.clear();
        let inner = mesh.face_loops(face).skip(1);
        self.holes.extend(inner.map(|l| (mesh.loop_corners(l).start - corners.start) as u32));
    }

    fn collect_counter_clockwise(&mut self) {
        let point = |i: u32| self.points[i as usize];
        let twice_area: f64 =
            self.indices.chunks_exact(3).map(|t| cross(point(t[0]), point(t[1]), point(t[2]))).sum();
        for t in self.indices.chunks_exact(3) {
            let [a, b, c] = [t[0], t[1], t[2]];
            self.triangles.push(if twice_area < 0.0 { [a, c, b] } else { [a, b, c] });
        }
    }

    /// A face without area: any triangles do, as long as its edges are theirs.
    fn fan(&mut self, corners: usize) {
        self.triangles.extend((2..corners as u32).map(|i| [0, i - 1, i]));
    }

    /// Earcut leaves out corners in the middle of a straight side. A neighbour that ends there would no longer meet this
    /// face, so the triangle along the side is split at each of them.
    fn insert_left_out(&mut self, corners: std::ops::Range<u32>) {
        let count = corners.end - corners.start;
        let mut used = vec![false; count as usize];
        for &corner in self.triangles.iter().flatten().filter(|c| corners.contains(c)) {
            used[(corner - corners.start) as usize] = true;
        }
        let Some(first) = used.iter().position(|&u| u).map(|i| i as u32) else { return };
        let mut from = first;
        for step in 1..=count {
            let to = (first + step) % count;
            if !used[to as usize] {
                continue;
            }
            if from + 1 < first + step {
                let run = (from + 1..first + step).map(|i| corners.start + i % count);
                self.split_side(corners.start + from % count, run, corners.start + to);
            }
            from = first + step;
        }
    }

    fn split_side(&mut self, a: u32, run: impl Iterator<Item = u32>, b: u32) {
        let Some((index, apex)) = (0..3).find_map(|k| {
            let found = self.triangles.iter().position(|t| t[k] == a && t[(k + 1) % 3] == b)?;
            Some((found, self.triangles[found][(k + 2) % 3]))
        }) else {
            return;
        };
        let mut from = a;
        for middle in run {
            self.triangles.push([from, middle, apex]);
            from = middle;
        }
        self.triangles[index] = [from, b, apex];
    }
}

/// The two axes that a plane with this normal is seen along best, in the order that keeps its winding.
fn kept_axes(normal: DVec3) -> (usize, usize) {
    let size = normal.abs();
    let axis = if size.x >= size.y.max(size.z) {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    if normal[axis] < 0.0 { (j, i) } else { (i, j) }
}

fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Slot;

    /// A unit square with a hole, and a corner in the middle of its first side, in the plane x = 2.
    fn framed(flipped: bool) -> Mesh {
        let mut mesh = Mesh::default();
        let outer = [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let hole = [[0.25, 0.25], [0.25, 0.75], [0.75, 0.75], [0.75, 0.25]];
        for [y, z] in outer.into_iter().chain(hole) {
            mesh.positions.push(DVec3::new(2.0, y, z));
        }
        mesh.corners = (0..5).collect();
        mesh.end_loop();
        mesh.corners.extend(5..9);
        mesh.end_loop();
        mesh.end_face(Slot(0), None);
        if flipped {
            mesh.flip();
        }
        mesh
    }

    #[test]
    fn triangles_fill_the_face_and_share_its_edges() {
        for flipped in [false, true] {
            let mesh = framed(flipped);
            let mut triangulator = Triangulator::default();
            let triangles = triangulator.triangles(&mesh, 0);
            assert_eq!(triangles.len(), mesh.triangle_count());
            let point = |c: u32| mesh.positions[mesh.corners[c as usize] as usize];
            let sum: DVec3 =
                triangles.iter().map(|t| (point(t[1]) - point(t[0])).cross(point(t[2]) - point(t[0]))).sum();
            assert!((sum - mesh.face_area_vector(0)).length() < 1e-12, "{sum}");
            for (a, b) in mesh.edges_of(0) {
                let corner = |c: u32| mesh.corners[c as usize];
                let has = |t: &[u32; 3]| (0..3).any(|k| corner(t[k]) == a && corner(t[(k + 1) % 3]) == b);
                assert_eq!(triangles.iter().filter(|t| has(t)).count(), 1, "edge {a}–{b}");
            }
        }
    }

    #[test]
    fn a_face_without_area_keeps_its_edges() {
        let mut mesh = Mesh { positions: (0..4).map(|i| DVec3::X * i as f64).collect(), ..Mesh::default() };
        mesh.push_polygon(&[0, 1, 2, 3], Slot(0));
        assert_eq!(Triangulator::default().triangles(&mesh, 0), [[0, 1, 2], [0, 2, 3]]);
    }
}
