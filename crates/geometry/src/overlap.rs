//! How much two faces in one plane overlap.
//!
//! A region is what lies under its upper edges less what lies under its lower ones. So what two regions share is a sum over
//! pairs of edges, one of each: the area under the lower of the two, with the sign of both. That holds for any shape, with
//! holes or without, and needs no triangles. Only areas and centroids are measured, both continuous in the outlines: so
//! rounding moves them by a rounding, and coincident edges need no care.

use glam::{DMat3, DVec2, DVec3};

use crate::{Convex, Mesh, Plane, Tolerance};

/// A region of a plane, by its edges in the plane's own coordinates.
#[derive(Clone, Debug)]
pub struct Outline {
    edges: Vec<Edge>,
    min: DVec2,
    max: DVec2,
    area: f64,
    centroid: DVec2,
    frame: Frame,
}

/// An edge from left to right. No vertical ones: nothing lies under them.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: DVec2,
    to: DVec2,
    slope: f64,
    /// Plus one if the region is below, minus one if it is above.
    sign: f64,
}

impl Edge {
    /// The edge between two corners of a loop with the region on its left.
    fn new(from: DVec2, to: DVec2) -> Option<Edge> {
        let (left, right, sign) = if from.x > to.x { (to, from, 1.0) } else { (from, to, -1.0) };
        (left.x < right.x).then(|| Edge {
            from: left,
            to: right,
            slope: (right.y - left.y) / (right.x - left.x),
            sign,
        })
    }

    fn height(&self, x: f64) -> f64 {
        self.from.y + (x - self.from.x) * self.slope
    }

    /// The part of it that is above the x-axis and between zero and `width`.
    fn clipped(mut self, width: f64) -> Option<Edge> {
        if self.from.x < 0.0 {
            self.from = DVec2::new(0.0, self.height(0.0));
        }
        if self.to.x > width {
            self.to = DVec2::new(width, self.height(width));
        }
        if self.from.x >= self.to.x || (self.from.y <= 0.0 && self.to.y <= 0.0) {
            return None;
        }
        let zero = |e: &Edge| DVec2::new((e.from.x - e.from.y / e.slope).clamp(e.from.x, e.to.x), 0.0);
        if self.from.y < 0.0 {
            self.from = zero(&self);
        } else if self.to.y < 0.0 {
            self.to = zero(&self);
        }
        Some(self)
    }
}

/// What is summed over the parts of a region.
trait Moments: Default {
    /// Adds what lies between the x-axis and a line from one point to another.
    fn add_strip(&mut self, from: DVec2, to: DVec2, sign: f64);

    /// Adds what lies under both of two edges.
    #[inline]
    fn add_under_both(&mut self, a: &Edge, b: &Edge) {
        let (left, right) = (a.from.x.max(b.from.x), a.to.x.min(b.to.x));
        if left >= right {
            return;
        }
        let sign = a.sign * b.sign;
        let (a, b) = ([a.height(left), a.height(right)], [b.height(left), b.height(right)]);
        let (from, to) = (DVec2::new(left, a[0].min(b[0])), DVec2::new(right, a[1].min(b[1])));
        let (above_left, above_right) = (a[0] - b[0], a[1] - b[1]);
        if above_left * above_right >= 0.0 {
            self.add_strip(from, to, sign);
        } else {
            let part = above_left / (above_left - above_right);
            let cross = DVec2::new(left + (right - left) * part, a[0] + (a[1] - a[0]) * part);
            self.add_strip(from, cross, sign);
            self.add_strip(cross, to, sign);
        }
    }
}

/// Area and first moment.
#[derive(Clone, Copy, Debug, Default)]
struct First {
    area: f64,
    first: DVec2,
}

impl Moments for First {
    #[inline]
    fn add_strip(&mut self, from: DVec2, to: DVec2, sign: f64) {
        let width = (to.x - from.x) * sign;
        self.area += width * (from.y + to.y) * 0.5;
        let x = from.x * (2.0 * from.y + to.y) + to.x * (from.y + 2.0 * to.y);
        let y = from.y * from.y + from.y * to.y + to.y * to.y;
        self.first += DVec2::new(x, y) * (width / 6.0);
    }
}

impl First {
    /// The centroid, if there is any area.
    fn centroid(&self) -> Option<DVec2> {
        (self.area > 0.0).then(|| self.first / self.area)
    }
}

/// The second moments, too.
#[derive(Clone, Copy, Debug, Default)]
struct Second {
    lower: First,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Moments for Second {
    fn add_strip(&mut self, from: DVec2, to: DVec2, sign: f64) {
        self.lower.add_strip(from, to, sign);
        let width = (to.x - from.x) * sign;
        let ([x, y], [z, w]) = (from.to_array(), to.to_array());
        self.xx +=
            width / 12.0 * (3.0 * (x * x * y + z * z * w) + x * x * w + z * z * y + 2.0 * x * z * (y + w));
        self.xy +=
            width / 24.0 * (3.0 * (x * y * y + z * w * w) + x * w * w + z * y * y + 2.0 * y * w * (x + z));
        self.yy += width / 12.0 * (y + w) * (y * y + w * w);
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

/// The part that two outlines share, as a section of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Its area.
    pub area: f64,
    /// Its centroid.
    pub centroid: DVec3,
    /// ∫ p pᵀ dA of its points p about the centroid.
    pub second: DMat3,
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
    /// The outline of loops that all have the region on the same side.
    fn new<P: Iterator<Item = DVec2>>(loops: impl Iterator<Item = P>, frame: Frame) -> Outline {
        let mut outline = Outline {
            edges: Vec::new(),
            min: DVec2::INFINITY,
            max: DVec2::NEG_INFINITY,
            area: 0.0,
            centroid: DVec2::ZERO,
            frame,
        };
        loops.for_each(|points| outline.add_loop(points));
        outline.measure();
        outline
    }

    fn add_loop(&mut self, mut points: impl Iterator<Item = DVec2>) {
        let Some(first) = points.next() else { return };
        self.edges.reserve(points.size_hint().0 + 1);
        let mut from = first;
        for to in points.chain([first]) {
            (self.min, self.max) = (self.min.min(to), self.max.max(to));
            self.edges.extend(Edge::new(from, to));
            from = to;
        }
    }

    /// Measures area and centroid, and turns the loops if the region is on their right.
    fn measure(&mut self) {
        let mut all = First::default();
        for edge in &self.edges {
            all.add_strip(edge.from - self.min, edge.to - self.min, edge.sign);
        }
        let turn = if all.area < 0.0 { -1.0 } else { 1.0 };
        self.edges.iter_mut().for_each(|edge| edge.sign *= turn);
        all = First { area: all.area * turn, first: all.first * turn };
        self.area = all.area;
        self.centroid = all.centroid().map_or(DVec2::ZERO, |centroid| self.min + centroid);
    }

    /// The outline of a face of a convex.
    pub fn of_convex_face(convex: &Convex, face: usize, frame: Frame) -> Outline {
        Outline::new(std::iter::once(convex.face_points(face).map(|p| frame.flat(p))), frame)
    }

    /// The outline of some faces of a mesh that lie in the plane and look to the same side.
    pub fn of_mesh_faces(mesh: &Mesh, faces: impl Iterator<Item = usize>, frame: Frame) -> Outline {
        let flat = |corner: &u32| frame.flat(mesh.positions[*corner as usize]);
        let loops = faces.flat_map(|face| mesh.face_loops(face));
        Outline::new(loops.map(|index| mesh.corners[mesh.loop_corners(index)].iter().map(flat)), frame)
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

    /// What two outlines in the same frame share; `None` if that is less than the tolerance.
    pub fn overlap(&self, other: &Outline, tolerance: &Tolerance) -> Option<Overlap> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        if min.cmpgt(max).any() || (max - min).element_product() <= tolerance.area() {
            return None;
        }
        if self.is_same(other, tolerance.length()) {
            return self.if_any(self.area, self.centroid, tolerance);
        }
        let shared: First = self.shared(other, min, max);
        let centroid = (min + shared.centroid()?).clamp(min, max);
        self.if_any(shared.area, centroid, tolerance)
    }

    /// The same with second moments.
    pub fn section(&self, other: &Outline, tolerance: &Tolerance) -> Option<Section> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        let shared: Second = self.shared(other, min, max);
        let (area, middle) = (shared.lower.area, shared.lower.centroid()?);
        let Frame { u, v, .. } = self.frame;
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        let xx = (shared.xx - area * middle.x * middle.x).max(0.0);
        let yy = (shared.yy - area * middle.y * middle.y).max(0.0);
        // Of slivers, rounding may be more than what is there.
        let most = (xx * yy).sqrt();
        let xy = (shared.xy - area * middle.x * middle.y).clamp(-most, most);
        let second = outer(u, u) * xx + outer(v, v) * yy + (outer(u, v) + outer(v, u)) * xy;
        let centroid = self.frame.lifted((min + middle).clamp(min, max));
        (area > tolerance.area()).then_some(Section { area, centroid, second })
    }

    /// Sums over what two outlines share within a box, seen from its lower corner.
    fn shared<M: Moments>(&self, other: &Outline, min: DVec2, max: DVec2) -> M {
        let mut shared = M::default();
        if min.cmpgt(max).any() {
            return shared;
        }
        let others = other.edges_within(min, max);
        for a in self.edges_within(min, max) {
            others.iter().for_each(|b| shared.add_under_both(&a, b));
        }
        shared
    }

    fn if_any(&self, area: f64, centroid: DVec2, tolerance: &Tolerance) -> Option<Overlap> {
        (area > tolerance.area()).then(|| Overlap { area, centroid: self.frame.lifted(centroid) })
    }

    /// The edges between two corners of a box and above it, seen from the lower one. Nothing that two outlines share is above
    /// the lower of them, so that what is above needs no clip.
    fn edges_within(&self, min: DVec2, max: DVec2) -> Vec<Edge> {
        let seen = |edge: &Edge| Edge { from: edge.from - min, to: edge.to - min, ..*edge };
        self.edges.iter().filter_map(|edge| seen(edge).clipped(max.x - min.x)).collect()
    }
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

    /// A turned rectangle, seen through a square that covers it: b h³/12 along each of its axes.
    #[test]
    fn a_section_has_the_second_moments_of_its_rectangle() {
        let plane = Plane::through(DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, -2.0, 0.5)).unwrap();
        let frame = Frame::new(&plane, DVec3::splat(5.0));
        for (wide, high, angle) in [(2.0, 1.0, 0.0), (3.0, 0.2, 0.7), (0.5, 0.5, 1.2), (1.0, 4.0, -2.0)] {
            let (across, up) = (DVec2::from_angle(angle) * wide, DVec2::from_angle(angle).perp() * high);
            let middle = DVec2::new(7.0, -3.0);
            let corner = |x: f64, y: f64| middle + across * x + up * y;
            let loops = [corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)];
            let square = [[-19.0, -19.0], [19.0, -19.0], [19.0, 19.0], [-19.0, 19.0]].map(DVec2::from);
            let outline = |points: [DVec2; 4]| Outline::new(std::iter::once(points.into_iter()), frame);
            let found = outline(loops).section(&outline(square), &Tolerance::for_extent(9.0)).unwrap();
            assert!((found.area - wide * high).abs() < 1e-12);
            assert!(found.centroid.abs_diff_eq(frame.lifted(middle), 1e-12));
            let lift = |p: DVec2| (frame.lifted(p) - frame.lifted(DVec2::ZERO)).normalize();
            let along = |axis: DVec3| axis.dot(found.second * axis);
            assert!((along(lift(across)) - high * wide.powi(3) / 12.0).abs() < 1e-11);
            assert!((along(lift(up)) - wide * high.powi(3) / 12.0).abs() < 1e-11);
            assert!(along(plane.normal).abs() < 1e-11);
            assert!(lift(across).dot(found.second * lift(up)).abs() < 1e-11);
        }
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

    /// What two triangles share, clipped by Sutherland and Hodgman's rule.
    fn clipped_area(a: &[DVec2], b: &[DVec2]) -> f64 {
        let mut points = a.to_vec();
        for i in 0..b.len() {
            let (from, along) = (b[i], b[(i + 1) % b.len()] - b[i]);
            let height = |p: DVec2| along.perp_dot(p - from);
            let mut kept = Vec::new();
            for j in 0..points.len() {
                let (p, q) = (points[j], points[(j + 1) % points.len()]);
                kept.extend((height(p) >= 0.0).then_some(p));
                if height(p) * height(q) < 0.0 {
                    kept.push(p + (q - p) * (height(p) / (height(p) - height(q))));
                }
            }
            points = kept;
        }
        (2..points.len()).map(|i| (points[i - 1] - points[0]).perp_dot(points[i] - points[0]) * 0.5).sum()
    }

    #[test]
    fn any_triangles_share_what_clipping_leaves() {
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // On a coarse grid, so that corners and edges coincide.
            ((state >> 33) % 7) as f64
        };
        let frame = Frame::new(&Plane::new(DVec3::Z, 0.0), DVec3::ZERO);
        let tolerance = Tolerance::for_extent(7.0);
        for _ in 0..20_000 {
            let [mut a, mut b] = [0, 1].map(|_| [0, 1, 2].map(|_| DVec2::new(draw(), draw())));
            let outline = |points: [DVec2; 3]| Outline::new(std::iter::once(points.into_iter()), frame);
            let found = outline(a).overlap(&outline(b), &tolerance);
            for triangle in [&mut a, &mut b] {
                if (triangle[1] - triangle[0]).perp_dot(triangle[2] - triangle[0]) < 0.0 {
                    triangle.reverse();
                }
            }
            let expected = clipped_area(&a, &b);
            let area = found.map_or(0.0, |o| o.area);
            let is_flat = |t: [DVec2; 3]| (t[1] - t[0]).perp_dot(t[2] - t[0]) == 0.0;
            assert!(
                is_flat(a) || is_flat(b) || (area - expected).abs() < 1e-12,
                "{a:?} {b:?}: {area} {expected}"
            );
        }
    }
}
