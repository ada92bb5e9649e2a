//! Putting what is near in space near in memory.
//!
//! A cut walks a mesh by cells. With vertices along a space-filling curve and faces in the order of
//! their vertices, a cell's part of the mesh is a few runs of memory: cutting scans and exports, whose
//! order is often random, touches fewer cache lines.

use glam::DVec3;

use crate::{Aabb, Face, Mesh};

impl Mesh {
    /// Sorts vertices along a space-filling curve and faces by their first vertex on it. Vertices that
    /// no face uses go.
    pub fn sort_in_space(&mut self) {
        self.drop_unused_vertices();
        let bounds = self.bounds();
        let mut order: Vec<(u64, u32)> =
            self.positions.iter().zip(0..).map(|(&p, v)| (morton(&bounds, p), v)).collect();
        order.sort_unstable();
        let mut renumbered = vec![0; order.len()];
        for (new, &(_, old)) in order.iter().enumerate() {
            renumbered[old as usize] = new as u32;
        }
        self.positions = order.iter().map(|&(_, old)| self.positions[old as usize]).collect();
        self.corners.iter_mut().for_each(|v| *v = renumbered[*v as usize]);
        self.sort_faces();
    }

    fn sort_faces(&mut self) {
        let mut order: Vec<(u32, u32)> = (0..self.faces.len())
            .map(|f| (self.corners[self.face_corners(f)].iter().copied().min().unwrap_or(0), f as u32))
            .collect();
        order.sort_unstable();
        let mut sorted = Mesh {
            corners: Vec::with_capacity(self.corners.len()),
            normals: Vec::with_capacity(self.normals.len()),
            uvs: Vec::with_capacity(self.uvs.len()),
            loop_ends: Vec::with_capacity(self.loop_ends.len()),
            faces: Vec::with_capacity(self.faces.len()),
            positions: std::mem::take(&mut self.positions),
        };
        for &(_, face) in &order {
            sorted.copy_face(self, face as usize, |v| v);
        }
        *self = sorted;
    }

    /// Adds a face of another mesh with its attributes, its vertices renumbered.
    ///
    /// ```
    /// use smithereens_geometry::{Aabb, Convex, Mesh, Slot};
    /// let cube = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
    /// let mut side = Mesh { positions: cube.positions.clone(), ..Mesh::default() };
    /// side.copy_face(&cube, 2, |vertex| vertex);
    /// assert_eq!(side.area(), 4.0);
    /// ```
    pub fn copy_face(&mut self, source: &Mesh, face: usize, mut vertex: impl FnMut(u32) -> u32) {
        let corners = source.face_corners(face);
        let shift = self.corners.len() as u32;
        let first = corners.start as u32;
        self.corners.extend(source.corners[corners.clone()].iter().map(|&v| vertex(v)));
        if source.has_normals() {
            self.normals.extend_from_slice(&source.normals[corners.clone()]);
        }
        if source.has_uvs() {
            self.uvs.extend_from_slice(&source.uvs[corners]);
        }
        let ends = &source.loop_ends[source.face_loops(face)];
        self.loop_ends.extend(ends.iter().map(|&end| end - first + shift));
        self.faces.push(Face { loops_end: self.loop_ends.len() as u32, ..source.faces[face] });
    }
}

/// The place of a point on the curve: the bits of its coordinates, 21 each, interleaved.
fn morton(bounds: &Aabb, point: DVec3) -> u64 {
    let extent = bounds.extent().max(f64::MIN_POSITIVE);
    let cell = (point - bounds.min) / extent * ((1 << 21) - 1) as f64;
    spread(cell.x as u64) | spread(cell.y as u64) << 1 | spread(cell.z as u64) << 2
}

/// Puts two zero bits after each of the lowest 21 bits.
fn spread(bits: u64) -> u64 {
    let x = bits & 0x1f_ffff;
    let x = (x | x << 32) & 0x1f_0000_0000_ffff;
    let x = (x | x << 16) & 0x1f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Convex, Slot};

    #[test]
    fn spreading_puts_each_bit_in_its_third_place() {
        for bit in 0..21 {
            assert_eq!(spread(1 << bit), 1 << (3 * bit));
        }
    }

    #[test]
    fn sorting_keeps_the_shape_and_the_attributes() {
        let mut mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(3));
        mesh.positions.push(DVec3::splat(9.0));
        mesh.normals = (0..24).map(|i| glam::Vec3::splat(i as f32)).collect();
        let mut sorted = mesh.clone();
        sorted.sort_in_space();
        assert_eq!(sorted.positions.len(), 8);
        assert!((sorted.signed_volume() - 8.0).abs() < 1e-12);
        for corner in 0..24 {
            let old = sorted.normals[corner].x as usize;
            let (new, old) = (sorted.corners[corner], mesh.corners[old]);
            assert_eq!(sorted.positions[new as usize], mesh.positions[old as usize]);
        }
    }
}
