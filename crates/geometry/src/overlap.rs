//! How much two faces in one plane overlap.
//!
//! Only areas and centroids are measured here, both continuous in the outlines: so rounding moves them
//! by a rounding, and coincident edges need no care.

use glam::{DVec2, DVec3};

use crate::triangulate::Triangulator;
use crate::{Convex, Mesh, Plane, Tolerance};

/// A region of a plane, as convex parts in the plane's own coordinates.
#[derive(Clone, Debug)]
pub struct Outline {
    parts: Vec<Polygon>,
    min: DVec2,
    max: DVec2,
    area: f64,
    centroid: DVec2,
    frame: Frame,
}

/// A convex polygon and the box around it.
#[derive(Clone, Debug)]
struct Polygon {
    points: Vec<DVec2>,
    min: DVec2,
    max: DVec2,
}

impl Polygon {
    fn new(points: Vec<DVec2>) -> Polygon {
        let min = points.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let max = points.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        Polygon { points, min, max }
    }
}

/// Coordinates of a plane.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    origin: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Frame {
    /// Coordinates of a plane about the point of it nearest to `near`.
    pub fn new(plane: &Plane, near: DVec3) -> Frame {
        let (u, v) = plane.basis();
        Frame { origin: near - plane.normal * plane.distance(near), u, v }
    }

    fn flat(&self, point: DVec3) -> DVec2 {
        let p = point - self.origin;
        DVec2::new(p.dot(self.u), p.dot(self.v))
    }

    fn lifted(&self, point: DVec2) -> DVec3 {
        self.origin + self.u * point.x + self.v * point.y
    }
}

/// The part that two outlines share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Its area.
    pub area: f64,
    /// Its centroid.
    pub centroid: DVec3,
}

impl Outline {
    fn new(parts: Vec<Vec<DVec2>>, frame: Frame) -> Outline {
        let parts: Vec<Polygon> = parts.into_iter().map(Polygon::new).collect();
        let (mut area, mut moment) = (0.0, DVec2::ZERO);
        for part in &parts {
            let (part_area, part_moment) = moments(&part.points);
            area += part_area;
            moment += part_moment;
        }
        Outline {
            min: parts.iter().fold(DVec2::INFINITY, |m, p| m.min(p.min)),
            max: parts.iter().fold(DVec2::NEG_INFINITY, |m, p| m.max(p.max)),
            area,
            centroid: if area > 0.0 { moment / area } else { DVec2::ZERO },
            parts,
            frame,
        }
    }

    /// The outline of a face of a convex.
    pub fn of_convex_face(convex: &Convex, face: usize, frame: Frame) -> Outline {
        let mut points: Vec<DVec2> = convex.face_points(face).map(|p| frame.flat(p)).collect();
        turn_left(&mut points);
        Outline::new(vec![points], frame)
    }

    /// The outline of some faces of a mesh that lie in the plane.
    pub fn of_mesh_faces(mesh: &Mesh, faces: impl Iterator<Item = usize>, frame: Frame) -> Outline {
        let mut parts = Vec::new();
        let mut triangulator = Triangulator::default();
        let flat = |corner: u32| frame.flat(mesh.positions[corner as usize]);
        for face in faces {
            if mesh.face_loops(face).len() == 1 {
                let mut points: Vec<DVec2> =
                    mesh.corners[mesh.face_corners(face)].iter().map(|&c| flat(c)).collect();
                turn_left(&mut points);
                if is_convex(&points) {
                    parts.push(points);
                    continue;
                }
            }
            for triangle in triangulator.triangles(mesh, face) {
                let mut points = triangle.map(|c| flat(mesh.corners[c as usize])).to_vec();
                turn_left(&mut points);
                parts.push(points);
            }
        }
        Outline::new(parts, frame)
    }

    /// The area.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Whether two outlines are the same region, as the two sides of one cut are.
    fn is_same(&self, other: &Outline, hair: f64) -> bool {
        let close = |a: DVec2, b: DVec2| (a - b).abs().max_element() <= hair;
        close(self.min, other.min)
            && close(self.max, other.max)
            && close(self.centroid, other.centroid)
            && (self.area - other.area).abs() <= hair * (self.max - self.min).max_element()
    }

    /// What two outlines in the same frame share; `None` if they are apart.
    pub fn overlap(&self, other: &Outline, tolerance: &Tolerance) -> Option<Overlap> {
        if self.min.cmpgt(other.max).any() || other.min.cmpgt(self.max).any() {
            return None;
        }
        if self.is_same(other, tolerance.length()) {
            return Some(Overlap { area: self.area, centroid: self.frame.lifted(self.centroid) });
        }
        let (mut area, mut moment) = (0.0, DVec2::ZERO);
        let mut clip = ConvexOverlap::default();
        for a in &self.parts {
            for b in &other.parts {
                if a.min.cmpgt(b.max).any() || b.min.cmpgt(a.max).any() {
                    continue;
                }
                let (part_area, part_moment) = clip.overlap(&a.points, &b.points);
                area += part_area;
                moment += part_moment;
            }
        }
        (area > 0.0).then(|| Overlap { area, centroid: self.frame.lifted(moment / area) })
    }
}

fn turn_left(points: &mut [DVec2]) {
    if doubled_area(points) < 0.0 {
        points.reverse();
    }
}

fn doubled_area(points: &[DVec2]) -> f64 {
    (2..points.len()).map(|i| (points[i - 1] - points[0]).perp_dot(points[i] - points[0])).sum()
}

/// Whether a polygon turns left at every corner, once around.
fn is_convex(points: &[DVec2]) -> bool {
    let count = points.len();
    let side = |i: usize| points[(i + 1) % count] - points[i % count];
    let left = (0..count).all(|i| side(i).perp_dot(side(i + 1)) >= 0.0);
    // Once around, the sides turn from leftward to rightward once.
    let turns = (0..count).filter(|&i| side(i).x <= 0.0 && side(i + 1).x > 0.0).count();
    left && turns <= 1
}

/// Clips one convex polygon by another; its memory is reused.
#[derive(Default)]
struct ConvexOverlap {
    points: Vec<DVec2>,
    next: Vec<DVec2>,
}

impl ConvexOverlap {
    /// Area and first moment of what two convex polygons share.
    fn overlap(&mut self, a: &[DVec2], b: &[DVec2]) -> (f64, DVec2) {
        self.points.clear();
        self.points.extend_from_slice(a);
        for i in 0..b.len() {
            let (from, to) = (b[i], b[(i + 1) % b.len()]);
            self.clip(from, to - from);
            if self.points.len() < 3 {
                return (0.0, DVec2::ZERO);
            }
        }
        moments(&self.points)
    }

    /// Keeps what is left of a line.
    fn clip(&mut self, from: DVec2, along: DVec2) {
        self.next.clear();
        for i in 0..self.points.len() {
            let (p, q) = (self.points[i], self.points[(i + 1) % self.points.len()]);
            let (hp, hq) = (along.perp_dot(p - from), along.perp_dot(q - from));
            if hp >= 0.0 {
                self.next.push(p);
            }
            if (hp > 0.0 && hq < 0.0) || (hp < 0.0 && hq > 0.0) {
                self.next.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        std::mem::swap(&mut self.points, &mut self.next);
    }
}

fn moments(points: &[DVec2]) -> (f64, DVec2) {
    let (mut area, mut moment) = (0.0, DVec2::ZERO);
    for i in 2..points.len() {
        let (a, b, c) = (points[0], points[i - 1], points[i]);
        let part = (b - a).perp_dot(c - a) * 0.5;
        area += part;
        moment += (a + b + c) / 3.0 * part;
    }
    (area, moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Slot, Solid};

    #[test]
    fn boxes_side_by_side_share_what_they_share() {
        let left = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::ONE));
        let right = Convex::from_box(&Aabb::new(DVec3::new(1.0, 0.5, 0.25), DVec3::new(2.0, 2.0, 0.75)));
        let frame = Frame::new(&left.faces()[1].plane, DVec3::ZERO);
        let (a, b) = (Outline::of_convex_face(&left, 1, frame), Outline::of_convex_face(&right, 0, frame));
        let tolerance = Tolerance::for_extent(1.0);
        let overlap = a.overlap(&b, &tolerance).unwrap();
        assert!((overlap.area - 0.25).abs() < 1e-15);
        assert!(overlap.centroid.abs_diff_eq(DVec3::new(1.0, 0.75, 0.5), 1e-15));
        assert_eq!(a.overlap(&a, &tolerance).unwrap().area, 1.0);
    }

    #[test]
    fn a_hole_does_not_count() {
        // A tube: the end face is a square with a square hole.
        let mut mesh = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::splat(4.0))).to_mesh(Slot(0));
        let outer = Solid::new(mesh.clone()).unwrap();
        assert_eq!(outer.mesh().faces.len(), 6);
        for (x, y) in [(1., 1.), (1., 2.), (2., 2.), (2., 1.)] {
            mesh.positions.push(DVec3::new(x, y, 4.0));
        }
        mesh.corners.extend([8, 9, 10, 11]);
        mesh.end_loop();
        mesh.faces[5].loops_end = 7;
        let plane = Plane::new(DVec3::Z, 4.0);
        let frame = Frame::new(&plane, DVec3::ZERO);
        let ring = Outline::of_mesh_faces(&mesh, std::iter::once(5), frame);
        let cover = Convex::from_box(&Aabb::new(DVec3::new(0.0, 0.0, 4.0), DVec3::new(2.0, 4.0, 5.0)));
        let cover = Outline::of_convex_face(&cover, 4, frame);
        assert!((ring.area() - 15.0).abs() < 1e-12);
        assert!((ring.overlap(&cover, &Tolerance::for_extent(4.0)).unwrap().area - 7.0).abs() < 1e-12);
    }
}
