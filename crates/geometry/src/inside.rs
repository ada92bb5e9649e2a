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

const MOST_BOXES_A_SIDE: usize = 512;
/// In how many boxes a face is on average, at most: large faces make large boxes.
const BOXES_A_FACE: usize = 4;

impl<'a> Inside<'a> {
    /// Sorts the faces of a closed mesh.
    pub fn of(mesh: &'a Mesh) -> Inside<'a> {
        let mut inside = Inside {
            mesh,
            normals: (0..mesh.faces.len()).map(|f| mesh.face_normal(f)).collect(),
            bounds: mesh.bounds(),
            side: 0,
            scale: DVec2::ZERO,
            starts: Vec::new(),
            faces: Vec::new(),
        };
        inside.sort();
        inside
    }

    fn sort(&mut self) {
        let seen: Vec<(usize, Aabb)> = (0..self.mesh.faces.len())
            .filter(|&face| self.normals[face].z != 0.0)
            .map(|face| {
                let corners = &self.mesh.corners[self.mesh.face_corners(face)];
                (face, Aabb::of_points(corners.iter().map(|&v| self.mesh.positions[v as usize])))
            })
            .collect();
        let side = (seen.len() as f64).sqrt().ceil() as usize;
        self.divide(side.clamp(1, MOST_BOXES_A_SIDE));
        while self.side > 1 && self.boxes_of(&seen).count() > seen.len() * BOXES_A_FACE {
            self.divide(self.side / 2);
        }
        let mut ends = vec![0; self.side * self.side + 1];
        self.boxes_of(&seen).for_each(|(index, _)| ends[index + 1] += 1);
        (1..ends.len()).for_each(|i| ends[i] += ends[i - 1]);
        self.starts = ends.clone();
        let mut faces = vec![0; ends[self.side * self.side] as usize];
        for (index, face) in self.boxes_of(&seen) {
            faces[ends[index] as usize] = face as u32;
            ends[index] += 1;
        }
        self.faces = faces;
    }

    fn divide(&mut self, side: usize) {
        let size = self.bounds.size().xy().max(DVec2::splat(f64::MIN_POSITIVE));
        (self.side, self.scale) = (side, DVec2::splat(side as f64) / size);
    }

    /// The boxes that faces are seen in.
    fn boxes_of(&self, seen: &[(usize, Aabb)]) -> impl Iterator<Item = (usize, usize)> {
        seen.iter().flat_map(move |(face, around)| {
            let ((x0, y0), (x1, y1)) = (self.column(around.min), self.column(around.max));
            (y0..=y1).flat_map(move |y| (x0..=x1).map(move |x| (y * self.side + x, *face)))
        })
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
