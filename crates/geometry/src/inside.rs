//! Whether points are inside a solid, many at a time: rays along z over a grid of faces.

use glam::{DVec2, DVec3, Vec3Swizzles};

use crate::{Aabb, Mesh};

/// A solid's faces, sorted by where they are seen from above.
///
/// ```
/// use smithereens_geometry::{Aabb, Convex, Inside, Slot};
/// use glam::DVec3;
/// let cube = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
/// let inside = Inside::of(&cube);
/// assert!(inside.contains(DVec3::splat(0.9)) && !inside.contains(DVec3::splat(1.1)));
/// ```
#[derive(Clone, Debug)]
pub struct Inside<'a> {
    mesh: &'a Mesh,
    normals: Vec<DVec3>,
    bounds: Aabb,
    side: usize,
    scale: DVec2,
    starts: Vec<u32>,
    faces: Vec<u32>,
}

const MOST_BOXES_A_SIDE: f64 = 512.0;

impl<'a> Inside<'a> {
    /// Sorts the faces of a closed mesh.
    pub fn of(mesh: &'a Mesh) -> Inside<'a> {
        let bounds = mesh.bounds();
        let side = (mesh.faces.len() as f64).sqrt().ceil().clamp(1.0, MOST_BOXES_A_SIDE);
        let size = bounds.size().xy().max(DVec2::splat(f64::MIN_POSITIVE));
        let mut inside = Inside {
            mesh,
            normals: (0..mesh.faces.len()).map(|f| mesh.face_normal(f)).collect(),
            bounds,
            side: side as usize,
            scale: DVec2::splat(side) / size,
            starts: Vec::new(),
            faces: Vec::new(),
        };
        inside.sort();
        inside
    }

    fn sort(&mut self) {
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for face in (0..self.mesh.faces.len()).filter(|&f| self.normals[f].z != 0.0) {
            let corners = &self.mesh.corners[self.mesh.face_corners(face)];
            let around = Aabb::of_points(corners.iter().map(|&v| self.mesh.positions[v as usize]));
            let ((x0, y0), (x1, y1)) = (self.column(around.min), self.column(around.max));
            for y in y0..=y1 {
                entries.extend((x0..=x1).map(|x| ((y * self.side + x) as u32, face as u32)));
            }
        }
        entries.sort_unstable();
        let boxes = (self.side * self.side) as u32;
        self.starts = (0..=boxes).map(|b| entries.partition_point(|e| e.0 < b) as u32).collect();
        self.faces = entries.into_iter().map(|e| e.1).collect();
    }

    fn column(&self, point: DVec3) -> (usize, usize) {
        let at = (point.xy() - self.bounds.min.xy()) * self.scale;
        let clamped = |x: f64| (x.max(0.0) as usize).min(self.side - 1);
        (clamped(at.x), clamped(at.y))
    }

    /// Whether the surface winds around the point.
    pub fn contains(&self, point: DVec3) -> bool {
        if !self.bounds.contains(point) {
            return false;
        }
        self.turns_above(point).sum::<i32>() > 0
    }

    /// For each face straight above a point, 1 if it is left there and -1 if it is entered.
    fn turns_above(&self, point: DVec3) -> impl Iterator<Item = i32> {
        let (x, y) = self.column(point);
        let index = y * self.side + x;
        let range = self.starts[index] as usize..self.starts[index + 1] as usize;
        self.faces[range].iter().map(|&f| f as usize).filter_map(move |face| {
            let normal = self.normals[face];
            let first = self.mesh.positions[self.mesh.corners[self.mesh.face_corners(face).start] as usize];
            let above = normal.dot(first - point) / normal.z > 0.0;
            (above && self.covers(face, point)).then_some(if normal.z > 0.0 { 1 } else { -1 })
        })
    }

    /// Whether the face, seen along z, covers the point: an odd number of its edges lies to the right of it. Neighbours
    /// compute their common edge alike, so that a ray meets one of them, never both or none.
    fn covers(&self, face: usize, point: DVec3) -> bool {
        let right = self.mesh.edges_of(face).filter(|&(a, b)| {
            let (low, high) =
                (self.mesh.positions[a.min(b) as usize], self.mesh.positions[a.max(b) as usize]);
            (low.y > point.y) != (high.y > point.y)
                && low.x + (point.y - low.y) / (high.y - low.y) * (high.x - low.x) > point.x
        });
        right.count() % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Convex, Slot, Solid};

    #[test]
    fn rays_agree_with_the_winding_number() {
        let mut mesh = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::ONE)).to_mesh(Slot(0));
        mesh.append(
            &Convex::from_box(&Aabb::new(DVec3::new(0.3, 1.0, 0.2), DVec3::splat(2.0))).to_mesh(Slot(0)),
        );
        mesh.transform(&glam::DAffine3::from_rotation_x(0.4));
        let solid = Solid::new(mesh).unwrap();
        let inside = Inside::of(solid.mesh());
        for i in 0..2000 {
            let unit = |k: f64| (i as f64 * k).fract() * 3.0 - 0.5;
            let point = DVec3::new(unit(0.618), unit(0.414), unit(0.732));
            assert_eq!(inside.contains(point), solid.contains(point), "{point}");
        }
    }
}
