//! Rays against triangles, without gaps: a ray never slips between two triangles that share an edge.
//!
//! After Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (JCGT 2013).

use glam::{Vec3, Vec4};

/// A ray prepared for many boxes and triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    origin: [f32; 3],
    /// The axis along which the ray runs most, and the two others, in an order that keeps the winding.
    axes: [usize; 3],
    shear: [f32; 3],
    inverse: [Vec4; 3],
    origin4: [Vec4; 3],
    /// Whether the ray runs against each axis.
    backward: [bool; 3],
}

/// Where a ray meets a triangle: the distance, and the weights of its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    pub distance: f32,
    pub triangle: u32,
    pub weights: [f32; 3],
}

/// Slack of the box test, in units of the far distance: covers the rounding of its three operations (Ize 2013).
const BOX_SLACK: f32 = 1.0 + 2.0 * 3.0 * f32::EPSILON;

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
            origin: origin.to_array(),
            axes: [first, second, along],
            shear: [d[first] / d[along], d[second] / d[along], 1.0 / d[along]],
            inverse: inverse.map(Vec4::splat),
            origin4: origin.to_array().map(Vec4::splat),
            backward: inverse.map(|c| c < 0.0),
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
            near4 = near4.max((enter - self.origin4[axis]) * self.inverse[axis]);
            far4 = far4.min((leave - self.origin4[axis]) * self.inverse[axis] * BOX_SLACK);
        }
        (near4.cmple(far4).bitmask(), near4.to_array())
    }

    /// The distance to a triangle and the weights of its corners, if it is hit after 0 and not beyond `far`.
    #[inline(always)]
    pub fn triangle(&self, corners: &[[f32; 3]; 3], far: f32) -> Option<(f32, [f32; 3])> {
        let [x, y, z] = self.axes;
        let local = corners.map(|c| std::array::from_fn::<f32, 3, _>(|i| c[i] - self.origin[i]));
        let [a, b, c] = local.map(|p| [p[x] - self.shear[0] * p[z], p[y] - self.shear[1] * p[z]]);
        let mut weights = [cross(c, b), cross(a, c), cross(b, a)];
        if weights.contains(&0.0) {
            // On an edge, as far as single precision can tell: both triangles there must agree who has it.
            weights = [cross_exact(c, b), cross_exact(a, c), cross_exact(b, a)];
        }
        let [u, v, w] = weights;
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let sum = u + v + w;
        let scaled = u * local[0][z] + v * local[1][z] + w * local[2][z];
        let distance = scaled * self.shear[2] / sum;
        // Written so that NaN, from a triangle seen edge on, is a miss.
        (distance > 0.0 && distance <= far).then(|| (distance, [u / sum, v / sum, w / sum]))
    }
}

fn cross(p: [f32; 2], q: [f32; 2]) -> f32 {
    p[0] * q[1] - p[1] * q[0]
}

fn cross_exact(p: [f32; 2], q: [f32; 2]) -> f32 {
    (f64::from(p[0]) * f64::from(q[1]) - f64::from(p[1]) * f64::from(q[0])) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn a_triangle_is_hit_from_both_sides_inside_only() {
        for z in [2.0, -2.0] {
            let ray = |x, y| Ray::new(Vec3::new(x, y, z), Vec3::Z * -z.signum());
            let (distance, weights) = ray(0.25, 0.5).triangle(&CORNERS, f32::INFINITY).unwrap();
            assert_eq!(distance, 2.0);
            assert_eq!(weights, [0.25, 0.25, 0.5]);
            assert!(ray(0.75, 0.5).triangle(&CORNERS, f32::INFINITY).is_none());
            assert!(ray(0.25, 0.5).triangle(&CORNERS, 1.9).is_none());
        }
    }

    #[test]
    fn a_ray_in_the_plane_or_behind_misses() {
        assert!(Ray::new(Vec3::NEG_X, Vec3::X).triangle(&CORNERS, f32::INFINITY).is_none());
        assert!(Ray::new(Vec3::Z, Vec3::Z).triangle(&CORNERS, f32::INFINITY).is_none());
    }
}
