//! Triangles with attributes of their own: what the steps of a repair work on.

use glam::{DVec3, Vec2, Vec3};
use smithereens_geometry::triangulate::Triangulator;
use smithereens_geometry::{Aabb, Cut, Mesh, Slot, UnionFind};

use crate::twins::{NONE, next};

/// A triangle and all that is drawn on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Triangle {
    pub vertices: [u32; 3],
    pub normals: [Vec3; 3],
    pub uvs: [Vec2; 3],
    pub slot: Slot,
    pub cut: Option<Cut>,
    /// Whether the mesh had it a second time, looking the other way: it is meant to be seen from both sides.
    pub two_sided: bool,
    /// The face of the mesh that it comes from; [`NONE`] if it was added.
    pub face: u32,
}

impl Triangle {
    /// Without attributes.
    pub fn plain(vertices: [u32; 3], slot: Slot) -> Triangle {
        Triangle {
            vertices,
            normals: [Vec3::ZERO; 3],
            uvs: [Vec2::ZERO; 3],
            slot,
            cut: None,
            two_sided: false,
            face: NONE,
        }
    }

    /// Turns it around, with its normals.
    pub fn flip(&mut self) {
        self.vertices.swap(1, 2);
        self.normals.swap(1, 2);
        self.uvs.swap(1, 2);
        self.normals.iter_mut().for_each(|n| *n = -*n);
        self.cut = self.cut.map(Cut::opposite);
    }
}

/// Triangles that may or may not hang together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Soup {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<Triangle>,
    pub has_normals: bool,
    pub has_uvs: bool,
}

/// Faces that cannot be made triangles of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unusable {
    pub not_finite: usize,
    pub out_of_range: usize,
}

impl Soup {
    /// The triangles of a mesh whose lists are consistent, without faces that have no place.
    pub fn of(mesh: &Mesh) -> (Soup, Unusable) {
        let mut soup = Soup {
            positions: mesh.positions.clone(),
            triangles: Vec::with_capacity(mesh.triangle_count()),
            has_normals: mesh.has_normals() && mesh.normals.len() == mesh.corners.len(),
            has_uvs: mesh.has_uvs() && mesh.uvs.len() == mesh.corners.len(),
        };
        let mut unusable = Unusable::default();
        let mut triangulator = Triangulator::default();
        for face in 0..mesh.faces.len() {
            let corners = &mesh.corners[mesh.face_corners(face)];
            if corners.iter().any(|&v| v as usize >= mesh.positions.len()) {
                unusable.out_of_range += 1;
            } else if corners.iter().any(|&v| !mesh.positions[v as usize].is_finite()) {
                unusable.not_finite += 1;
            } else {
                for corners in triangulator.triangles(mesh, face) {
                    let triangle = soup.triangle(mesh, face, corners.map(|c| c as usize));
                    soup.triangles.push(triangle);
                }
            }
        }
        (soup, unusable)
    }

    fn triangle(&self, mesh: &Mesh, face: usize, corners: [usize; 3]) -> Triangle {
        let finite = |n: Vec3| if n.is_finite() { n } else { Vec3::ZERO };
        let normal = |c: usize| if self.has_normals { finite(mesh.normals[c]) } else { Vec3::ZERO };
        let uv = |c: usize| if self.has_uvs { mesh.uvs[c] } else { Vec2::ZERO };
        Triangle {
            vertices: corners.map(|c| mesh.corners[c]),
            normals: corners.map(normal),
            uvs: corners.map(uv).map(|uv| if uv.is_finite() { uv } else { Vec2::ZERO }),
            slot: mesh.faces[face].slot,
            cut: mesh.faces[face].cut,
            two_sided: false,
            face: face as u32,
        }
    }

    /// The places of a triangle's corners.
    pub fn points(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].vertices.map(|v| self.positions[v as usize])
    }

    /// Twice the area of a triangle times its normal.
    pub fn area_vector(&self, triangle: usize) -> DVec3 {
        let [a, b, c] = self.points(triangle);
        (b - a).cross(c - a)
    }

    /// The area of all triangles.
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| self.area_vector(t).length() * 0.5).sum()
    }

    /// The box around all triangles: vertices that nothing uses do not count.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points((0..self.triangles.len()).flat_map(|t| self.points(t)))
    }

    /// Keeps the triangles that `keep` says. Returns how many went.
    pub fn retain(&mut self, keep: &[bool]) -> usize {
        let before = self.triangles.len();
        let mut marks = keep.iter();
        self.triangles.retain(|_| *marks.next().unwrap_or(&true));
        before - self.triangles.len()
    }

    /// The mesh of the triangles as they are.
    pub fn to_mesh(&self) -> Mesh {
        let mut mesh = Mesh { positions: self.positions.clone(), ..Mesh::default() };
        for triangle in &self.triangles {
            mesh.corners.extend_from_slice(&triangle.vertices);
            if self.has_normals {
                mesh.normals.extend_from_slice(&triangle.normals);
            }
            if self.has_uvs {
                mesh.uvs.extend_from_slice(&triangle.uvs);
            }
            mesh.end_loop();
            mesh.end_face(triangle.slot, triangle.cut);
        }
        mesh.drop_unused_vertices();
        mesh
    }

    /// Gives every fan of triangles around a vertex, as `twins` join them, a vertex of its own. Returns how many
    /// vertices were added.
    pub fn separate_fans(&mut self, twins: &[u32]) -> usize {
        let mut fans = UnionFind::new(self.triangles.len() * 3);
        for (edge, &twin) in twins.iter().enumerate().filter(|(_, twin)| **twin != NONE) {
            fans.join(edge as u32, next(twin));
        }
        let before = self.positions.len();
        let mut taken = vec![false; before];
        let mut vertex_of_fan = vec![NONE; self.triangles.len() * 3];
        for corner in 0..self.triangles.len() * 3 {
            let fan = fans.root(corner as u32) as usize;
            let vertex = self.triangles[corner / 3].vertices[corner % 3];
            if vertex_of_fan[fan] == NONE {
                vertex_of_fan[fan] = if taken[vertex as usize] {
                    self.positions.push(self.positions[vertex as usize]);
                    self.positions.len() as u32 - 1
                } else {
                    taken[vertex as usize] = true;
                    vertex
                };
            }
            self.triangles[corner / 3].vertices[corner % 3] = vertex_of_fan[fan];
        }
        self.positions.len() - before
    }
}
