//! Polygon meshes: faces are planar polygons with holes, corners carry normal and uv.

use glam::{DAffine3, DVec3, Vec2, Vec3};

use crate::{Aabb, Cut};

/// The material slot of a face: the input's slots first, then *interior*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl Slot {
    /// The slot of faces made by cuts, whatever slots the input has.
    pub const INTERIOR: Slot = Slot(u32::MAX);
}

/// One face of a mesh. Where its loops end is told by [`Mesh::face_loops`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// One past its last loop, as an index into [`Mesh::loop_ends`].
    pub loops_end: u32,
    /// Its material slot.
    pub slot: Slot,
    /// The cut that made it; `None` for faces of the input's surface.
    pub cut: Option<Cut>,
}

/// What a user has: polygons with attributes, perhaps broken.
///
/// Corners are stored loop after loop, loops face after face: a face is one outer loop, counter-clockwise
/// seen from outside, then its holes, clockwise. Attributes are parallel to the corners, or empty
/// where the mesh has none. They are single precision: they are drawn, never cut by.
///
/// ```
/// use smithereens_geometry::{Mesh, Slot};
/// use glam::DVec3;
/// let mut mesh = Mesh::default();
/// mesh.positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
/// mesh.push_polygon(&[0, 1, 2], Slot(0));
/// assert_eq!(mesh.faces.len(), 1);
/// assert_eq!(mesh.area(), 0.5);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions.
    pub positions: Vec<DVec3>,
    /// The vertex of each corner.
    pub corners: Vec<u32>,
    /// The shading normal of each corner, or empty. Where a cut made a corner, it is the mix of those it lies between, not lengthened to
    /// one: then it is the same in whatever order planes cut, and shading has no seam. Whoever draws it takes its direction.
    pub normals: Vec<Vec3>,
    /// The texture coordinate of each corner, or empty.
    pub uvs: Vec<Vec2>,
    /// One past the last corner of each loop.
    pub loop_ends: Vec<u32>,
    /// The faces, in order of their loops.
    pub faces: Vec<Face>,
}

impl Mesh {
    /// Adds a face of one loop without attributes.
    pub fn push_polygon(&mut self, vertices: &[u32], slot: Slot) {
        self.corners.extend_from_slice(vertices);
        self.end_loop();
        self.end_face(slot, None);
    }

    /// Ends the loop that the last corners pushed belong to.
    pub fn end_loop(&mut self) {
        self.loop_ends.push(self.corners.len() as u32);
    }

    /// Ends the face that the last loops ended belong to.
    pub fn end_face(&mut self, slot: Slot, cut: Option<Cut>) {
        self.faces.push(Face { loops_end: self.loop_ends.len() as u32, slot, cut });
    }

    /// The loops of a face, as indices into [`Mesh::loop_ends`].
    #[inline]
    pub fn face_loops(&self, face: usize) -> std::ops::Range<usize> {
        let start = if face == 0 { 0 } else { self.faces[face - 1].loops_end as usize };
        start..self.faces[face].loops_end as usize
    }

    /// The corners of a loop, as indices into [`Mesh::corners`] and the attributes.
    #[inline]
    pub fn loop_corners(&self, index: usize) -> std::ops::Range<usize> {
        let start = if index == 0 { 0 } else { self.loop_ends[index - 1] as usize };
        start..self.loop_ends[index] as usize
    }

    /// All corners of a face, its holes included.
    #[inline]
    pub fn face_corners(&self, face: usize) -> std::ops::Range<usize> {
        let loops = self.face_loops(face);
        let start = if loops.start == 0 { 0 } else { self.loop_ends[loops.start - 1] as usize };
        let end = if loops.end == 0 { 0 } else { self.loop_ends[loops.end - 1] as usize };
        start..end
    }

    /// The vertices of each loop of a face, outer loop first.
    pub fn loops_of(&self, face: usize) -> impl Iterator<Item = &[u32]> {
        self.face_loops(face).map(|l| &self.corners[self.loop_corners(l)])
    }

    /// The directed edges of a face, all loops.
    pub fn edges_of(&self, face: usize) -> impl Iterator<Item = (u32, u32)> {
        self.loops_of(face).flat_map(|l| (0..l.len()).map(|i| (l[i], l[(i + 1) % l.len()])))
    }

    /// Twice the area of a face times its normal: its holes count against it.
    pub fn face_area_vector(&self, face: usize) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for corners in self.loops_of(face) {
            let Some((&first, rest)) = corners.split_first() else { continue };
            let origin = self.positions[first as usize];
            for pair in rest.windows(2) {
                let a = self.positions[pair[0] as usize] - origin;
                let b = self.positions[pair[1] as usize] - origin;
                sum += a.cross(b);
            }
        }
        sum
    }

    /// The unit normal of a face; zero for a face without area.
    pub fn face_normal(&self, face: usize) -> DVec3 {
        self.face_area_vector(face).normalize_or_zero()
    }

    /// The area of all faces.
    pub fn area(&self) -> f64 {
        (0..self.faces.len()).map(|f| self.face_area_vector(f).length() * 0.5).sum()
    }

    /// The box around all vertices.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.positions.iter().copied())
    }

    /// How many triangles the faces make.
    pub fn triangle_count(&self) -> usize {
        (0..self.faces.len())
            .map(|f| {
                let holes = self.face_loops(f).len().saturating_sub(1);
                (self.face_corners(f).len() + 2 * holes).saturating_sub(2)
            })
            .sum()
    }

    /// Heap memory in bytes.
    pub fn heap_bytes(&self) -> usize {
        fn bytes<T>(v: &Vec<T>) -> usize {
            v.capacity() * size_of::<T>()
        }
        bytes(&self.positions)
            + bytes(&self.corners)
            + bytes(&self.normals)
            + bytes(&self.uvs)
            + bytes(&self.loop_ends)
            + bytes(&self.faces)
    }

    /// Whether the corners carry normals.
    pub fn has_normals(&self) -> bool {
        !self.normals.is_empty()
    }

    /// Whether the corners carry texture coordinates.
    pub fn has_uvs(&self) -> bool {
        !self.uvs.is_empty()
    }

    /// Turns every face around, with its normals.
    pub fn flip(&mut self) {
        for index in 0..self.loop_ends.len() {
            let range = self.loop_corners(index);
            self.corners[range.clone()].reverse();
            if self.has_normals() {
                self.normals[range.clone()].reverse();
            }
            if self.has_uvs() {
                self.uvs[range].reverse();
            }
        }
        for normal in &mut self.normals {
            *normal = -*normal;
        }
        for face in &mut self.faces {
            face.cut = face.cut.map(Cut::opposite);
        }
    }

    /// Moves the mesh by an affine map. A mirroring map turns the faces so that outside stays outside.
    pub fn transform(&mut self, map: &DAffine3) {
        for position in &mut self.positions {
            *position = map.transform_point3(*position);
        }
        let mirrored = map.matrix3.determinant() < 0.0;
        let normals = map.matrix3.inverse().transpose();
        for normal in &mut self.normals {
            *normal = (normals * normal.as_dvec3()).normalize_or_zero().as_vec3();
        }
        if mirrored {
            self.flip();
            for normal in &mut self.normals {
                *normal = -*normal;
            }
        }
    }

    /// Adds all faces of another mesh. Attributes that only one of the two has are filled with zeros.
    pub fn append(&mut self, other: &Mesh) {
        if self.has_normals() || other.has_normals() {
            self.normals.resize(self.corners.len(), Vec3::ZERO);
            self.normals.extend_from_slice(&other.normals);
            self.normals.resize(self.corners.len() + other.corners.len(), Vec3::ZERO);
        }
        if self.has_uvs() || other.has_uvs() {
            self.uvs.resize(self.corners.len(), Vec2::ZERO);
            self.uvs.extend_from_slice(&other.uvs);
            self.uvs.resize(self.corners.len() + other.corners.len(), Vec2::ZERO);
        }
        let (vertices, corners, loops) =
            (self.positions.len() as u32, self.corners.len() as u32, self.loop_ends.len() as u32);
        self.positions.extend_from_slice(&other.positions);
        self.corners.extend(other.corners.iter().map(|v| v + vertices));
        self.loop_ends.extend(other.loop_ends.iter().map(|c| c + corners));
        self.faces.extend(other.faces.iter().map(|f| Face { loops_end: f.loops_end + loops, ..*f }));
    }

    /// Makes vertices at exactly the same place one vertex. Returns how many went.
    pub fn weld(&mut self) -> usize {
        let key = |p: DVec3| (p + DVec3::ZERO).to_array().map(f64::to_bits); // + 0: -0 is 0
        let mut order: Vec<u32> = (0..self.positions.len() as u32).collect();
        order.sort_unstable_by_key(|&v| (key(self.positions[v as usize]), v));
        let mut first = vec![0; order.len()];
        let mut leader = 0;
        for (i, &v) in order.iter().enumerate() {
            let same = i > 0 && key(self.positions[v as usize]) == key(self.positions[order[i - 1] as usize]);
            leader = if same { leader } else { v };
            first[v as usize] = leader;
        }
        for corner in &mut self.corners {
            if let Some(&leader) = first.get(*corner as usize) {
                *corner = leader;
            }
        }
        let before = self.positions.len();
        self.drop_unused_vertices();
        before - self.positions.len()
    }

    /// Some of the faces as a mesh of their own, with the vertices they use.
    ///
    /// ```
    /// use smithereens_geometry::{Aabb, Convex, Slot};
    /// let cube = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
    /// assert_eq!(cube.faces_in(1..3).faces.len(), 2);
    /// ```
    pub fn faces_in(&self, faces: std::ops::Range<usize>) -> Mesh {
        let mut part = Mesh { positions: self.positions.clone(), ..Mesh::default() };
        for face in faces.start..faces.end.min(self.faces.len()) {
            part.copy_face(self, face, |vertex| vertex);
        }
        part.drop_unused_vertices();
        part
    }

    /// Removes vertices that no corner uses.
    pub fn drop_unused_vertices(&mut self) {
        let mut used = vec![false; self.positions.len()];
        for &v in &self.corners {
            if let Some(mark) = used.get_mut(v as usize) {
                *mark = true;
            }
        }
        let mut kept = 0;
        let renumbered: Vec<u32> = used
            .iter()
            .map(|&u| {
                kept += u as u32;
                kept.wrapping_sub(1)
            })
            .collect();
        let mut index = 0;
        self.positions.retain(|_| {
            index += 1;
            used[index - 1]
        });
        for corner in &mut self.corners {
            if let Some(&new) = renumbered.get(*corner as usize) {
                *corner = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_triangles() -> Mesh {
        let mut mesh = Mesh {
            positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Y, DVec3::X, DVec3::ONE],
            ..Mesh::default()
        };
        mesh.push_polygon(&[0, 1, 2], Slot(0));
        mesh.push_polygon(&[3, 4, 5], Slot(1));
        mesh
    }

    #[test]
    fn welding_joins_equal_positions_only() {
        let mut mesh = two_triangles();
        mesh.positions[1].y = -0.0;
        assert_eq!(mesh.weld(), 2);
        assert_eq!(mesh.corners, [0, 1, 2, 2, 1, 3]);
    }

    #[test]
    fn appending_fills_missing_attributes() {
        let mut mesh = two_triangles();
        let mut other = two_triangles();
        other.uvs = vec![Vec2::ONE; 6];
        mesh.append(&other);
        assert_eq!(mesh.uvs.len(), 12);
        assert_eq!((mesh.uvs[0], mesh.uvs[6]), (Vec2::ZERO, Vec2::ONE));
        assert_eq!(mesh.loops_of(3).next().unwrap(), [9, 10, 11]);
        assert_eq!(mesh.triangle_count(), 4);
    }

    #[test]
    fn a_mirror_keeps_the_outside_outside() {
        let mut mesh = two_triangles();
        mesh.normals = vec![Vec3::Z; 6];
        mesh.transform(&DAffine3::from_scale(DVec3::new(1.0, 1.0, -1.0)));
        assert_eq!(mesh.face_normal(0), -DVec3::Z);
        assert_eq!(mesh.normals[0], -Vec3::Z);
    }
}
