//! Rays against triangles, without gaps: a ray never slips between two triangles that share an edge.
//!
//! After Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (JCGT 2013).

use glam::{Vec3, Vec4};

/// A ray prepared for many boxes and triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    origin: [Vec4; 3],
    inverse: [Vec4; 3],
    /// Whether the ray runs against each axis.
    backward: [bool; 3],
    /// The axis along which the ray runs most comes last, the others in an order that keeps the winding.
    axes: [usize; 3],
    shear: [Vec4; 3],
}

/// Up to four triangles side by side, so that one vector instruction works on all of them.
#[derive(Clone, Debug)]
pub(crate) struct Quad {
    /// For each corner, its coordinates along x, y and z in all triangles. Absent triangles are NaN: never hit.
    corners: [[Vec4; 3]; 3],
    /// The index by which the caller knows each triangle.
    ids: [u32; 4],
}

impl Quad {
    /// From at most four triangles and their indices.
    pub fn new(triangles: impl Iterator<Item = (u32, [Vec3; 3])>) -> Quad {
        let mut quad = Quad { corners: [[Vec4::NAN; 3]; 3], ids: [u32::MAX; 4] };
        for (lane, (id, corners)) in triangles.enumerate() {
            quad.ids[lane] = id;
            for (to, from) in quad.corners.iter_mut().zip(corners) {
                for axis in 0..3 {
                    to[axis][lane] = from[axis];
                }
            }
        }
        quad
    }
}

/// Where a ray meets a triangle: the distance, and the weights of its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    pub distance: f32,
    pub triangle: u32,
    pub weights: [f32; 3],
}

/// Slack of the box test, as a factor on the far distance: covers the rounding of its operations (Ize 2013) and of
/// the distance to a triangle, so that one as far as the best hit is not lost with its box.
const BOX_SLACK: f32 = 1.0 + 32.0 * f32::EPSILON;

/// A component of a direction below this is treated as this: its inverse stays finite.
const LEAST_COMPONENT: f32 = 1e-20;

impl Ray {
    pub fn new(origin: Vec3, direction: Vec3) -> Ray {
        let d = direction.to_array();
        let along = direction.abs().max_position();
        let (mut first, mut second) = ((along + 1) % 3, (along + 2) % 3);
        if d[along] < 0.0 {
            (first, second) = (second, first);
        }
        let inverse =
            d.map(|c| 1.0 / if c.abs() < LEAST_COMPONENT { LEAST_COMPONENT.copysign(c) } else { c });
        Ray {
            origin: origin.to_array().map(Vec4::splat),
            inverse: inverse.map(Vec4::splat),
            backward: inverse.map(|c| c < 0.0),
            axes: [first, second, along],
            shear: [d[first] / d[along], d[second] / d[along], 1.0 / d[along]].map(Vec4::splat),
        }
    }

    /// Distances to four boxes given as minima and maxima along x, y, z; and a bit for each that is hit before `far`.
    #[inline(always)]
    pub fn boxes(&self, bounds: &[[Vec4; 3]; 2], far: f32) -> (u32, [f32; 4]) {
        let mut near4 = Vec4::ZERO;
        let mut far4 = Vec4::splat(far);
        for axis in 0..3 {
            let enter = bounds[usize::from(self.backward[axis])][axis];
            let leave = bounds[usize::from(!self.backward[axis])][axis];
            near4 = near4.max((enter - self.origin[axis]) * self.inverse[axis]);
            far4 = far4.min((leave - self.origin[axis]) * self.inverse[axis]);
        }
        (near4.cmple(far4 * BOX_SLACK).bitmask(), near4.to_array())
    }

    /// The first of four triangles, if one is hit after 0 and not beyond `far`; at equal distance, that of lowest index.
    #[inline(always)]
    pub fn first_of(&self, quad: &Quad, far: f32) -> Option<Hit> {
        let (mut mask, distances, weights) = self.triangles(quad, far);
        let mut best: Option<Hit> = None;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize & 3;
            mask &= mask - 1;
            let sum = weights[0][lane] + weights[1][lane] + weights[2][lane];
            let weights = weights.map(|weight| weight[lane] / sum);
            let hit = Hit { distance: distances[lane], triangle: quad.ids[lane], weights };
            if best.is_none_or(|best| hit.is_before(&best)) {
                best = Some(hit);
            }
        }
        best
    }

    /// Whether any of four triangles is hit, but for the one with index `except`.
    #[inline(always)]
    pub fn meets_any(&self, quad: &Quad, except: u32) -> bool {
        let (mask, ..) = self.triangles(quad, f32::INFINITY);
        mask != 0 && (0..4).any(|lane| mask >> lane & 1 == 1 && quad.ids[lane] != except)
    }

    /// A bit for each triangle that is hit after 0 and not beyond `far`; distances; the corners' weights, unscaled.
    #[inline(always)]
    fn triangles(&self, quad: &Quad, far: f32) -> (u32, Vec4, [Vec4; 3]) {
        let [x, y, z] = self.axes;
        let depths = quad.corners.map(|corner| corner[z] - self.origin[z]);
        let sheared: [[Vec4; 2]; 3] = std::array::from_fn(|i| {
            let (corner, depth) = (&quad.corners[i], depths[i]);
            [
                (corner[x] - self.origin[x]) - self.shear[0] * depth,
                (corner[y] - self.origin[y]) - self.shear[1] * depth,
            ]
        });
        let [a, b, c] = sheared;
        let mut weights = [cross(c, b), cross(a, c), cross(b, a)];
        let zero = |w: Vec4| w.cmpeq(Vec4::ZERO);
        if (zero(weights[0]) | zero(weights[1]) | zero(weights[2])).any() {
            // On an edge, as far as single precision can tell: both triangles there must agree who has it.
            weights = [cross_exact(c, b), cross_exact(a, c), cross_exact(b, a)];
        }
        let [u, v, w] = weights;
        let negative = u.min(v).min(w).cmplt(Vec4::ZERO);
        let positive = u.max(v).max(w).cmpgt(Vec4::ZERO);
        let inside = !(negative & positive);
        if !inside.any() {
            return (0, Vec4::ZERO, weights);
        }
        let distance = (u * depths[0] + v * depths[1] + w * depths[2]) * self.shear[2] / (u + v + w);
        // Comparisons with NaN, from a triangle seen edge on, are false: a miss.
        let within = distance.cmpgt(Vec4::ZERO) & distance.cmple(Vec4::splat(far));
        ((within & inside).bitmask(), distance, weights)
    }
}

impl Hit {
    /// Whether this hit comes first; equal distances are told apart by index, so that no tree can decide.
    pub fn is_before(&self, other: &Hit) -> bool {
        self.distance < other.distance || (self.distance == other.distance && self.triangle < other.triangle)
    }
}

fn cross(p: [Vec4; 2], q: [Vec4; 2]) -> Vec4 {
    p[0] * q[1] - p[1] * q[0]
}

#[cold]
fn cross_exact(p: [Vec4; 2], q: [Vec4; 2]) -> Vec4 {
    let [px, py, qx, qy] = [p[0], p[1], q[0], q[1]].map(|v| v.as_dvec4());
    (px * qy - py * qx).as_vec4()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{hash, unit};

    const CORNERS: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    fn hit(ray: Ray, corners: [Vec3; 3], far: f32) -> Option<Hit> {
        ray.first_of(&Quad::new([(7, corners)].into_iter()), far)
    }

    #[test]
    fn a_triangle_is_hit_from_both_sides_inside_only() {
        for z in [2.0, -2.0] {
            let ray = |x, y| Ray::new(Vec3::new(x, y, z), Vec3::Z * -z.signum());
            let expected = Hit { distance: 2.0, triangle: 7, weights: [0.25, 0.25, 0.5] };
            assert_eq!(hit(ray(0.25, 0.5), CORNERS, f32::INFINITY), Some(expected));
            assert_eq!(hit(ray(0.75, 0.5), CORNERS, f32::INFINITY), None);
            assert_eq!(hit(ray(0.25, 0.5), CORNERS, 1.9), None);
            let quad = Quad::new([(7, CORNERS)].into_iter());
            assert!(ray(0.25, 0.5).meets_any(&quad, 6) && !ray(0.25, 0.5).meets_any(&quad, 7));
        }
    }

    #[test]
    fn a_ray_in_the_plane_or_behind_misses() {
        assert_eq!(hit(Ray::new(Vec3::NEG_X, Vec3::X), CORNERS, f32::INFINITY), None);
        assert_eq!(hit(Ray::new(Vec3::Z, Vec3::Z), CORNERS, f32::INFINITY), None);
    }

    /// The textbook solution of origin + t direction = a + u (b - a) + v (c - a), in double precision.
    fn textbook(origin: Vec3, direction: Vec3, corners: [Vec3; 3]) -> (f64, [f64; 3]) {
        let [a, b, c] = corners.map(|p| p.as_dvec3());
        let columns = glam::DMat3::from_cols(-direction.as_dvec3(), b - a, c - a);
        let solution = columns.inverse() * (origin.as_dvec3() - a);
        (solution.x, [1.0 - solution.y - solution.z, solution.y, solution.z])
    }

    #[test]
    fn agrees_with_the_textbook() {
        let mut state = 0;
        let mut next = || {
            state += 1;
            unit(hash(state)) * 2.0 - 1.0
        };
        let mut point = || Vec3::new(next(), next(), next());
        let mut hits = 0;
        for _ in 0..20_000 {
            let (origin, direction) = (point(), point().normalize());
            let corners = [point(), point(), point()];
            let (distance, weights) = textbook(origin, direction, corners);
            let margin = weights.into_iter().fold(distance, f64::min);
            let found = hit(Ray::new(origin, direction), corners, f32::INFINITY);
            if margin.abs() > 1e-4 {
                assert_eq!(found.is_some(), margin > 0.0);
            }
            if let Some(hit) = found.filter(|_| margin > 1e-3) {
                hits += 1;
                assert!((f64::from(hit.distance) / distance - 1.0).abs() < 1e-2);
            }
        }
        assert!(hits > 500);
    }

    #[test]
    fn no_ray_slips_through_a_shared_edge() {
        let [a, b] = [Vec3::new(-0.3, 0.7, 0.1), Vec3::new(0.9, -0.4, 0.3)];
        let sides = [[a, b, Vec3::new(1.0, 1.0, 0.2)], [b, a, Vec3::new(-1.0, -1.0, 0.0)]];
        let quad = Quad::new((0..).zip(sides));
        for i in 1..5000 {
            let on_edge = a + (b - a) * (i as f32 / 5000.0);
            let origin = Vec3::new(0.2, 0.1, 3.0);
            assert!(Ray::new(origin, (on_edge - origin).normalize()).meets_any(&quad, u32::MAX));
        }
    }
}
