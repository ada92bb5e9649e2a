//! Predicates without rounding, and normals with next to none.

use glam::DVec3;
use robust::{Coord3D, orient3d};

/// The points times a power of two that brings them to about one, so that no product overflows. Exact.
pub(super) fn scaled(points: &[DVec3]) -> Vec<DVec3> {
    let most = points.iter().fold(0.0, |most: f64, p| most.max(p.abs().max_element()));
    let (_, exponent) = libm::frexp(most);
    let half = -exponent / 2; // in two steps: one may be too large a number
    let (first, second) = (libm::ldexp(1.0, half), libm::ldexp(1.0, -exponent - half));
    points.iter().map(|&p| p * first * second).collect()
}

/// Positive if `d` is on the side from which `a`, `b`, `c` turn counter-clockwise, zero if it is in their plane.
/// The sign is exact.
#[inline]
pub(super) fn above(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    -orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// A number as a sum of two, the second a rounding of the first.
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    fn difference(a: f64, b: f64) -> Double {
        let high = a - b;
        let back = high - a;
        Double(high, (a - (high - back)) - (b + back))
    }

    fn times(self, other: Double) -> Double {
        let high = self.0 * other.0;
        let low = self.0.mul_add(other.0, -high);
        Double(high, low + (self.0 * other.1 + self.1 * other.0))
    }

    fn minus(self, other: Double) -> f64 {
        let high = Double::difference(self.0, other.0);
        high.0 + (high.1 + (self.1 - other.1))
    }
}

/// `(b - a) × (c - a)`, right to about the last digit even for a sliver: a rounded one would tilt its plane.
pub(super) fn normal(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let difference =
        |p: DVec3| [Double::difference(p.x, a.x), Double::difference(p.y, a.y), Double::difference(p.z, a.z)];
    let (u, v) = (difference(b), difference(c));
    let component = |i: usize, j: usize| u[i].times(v[j]).minus(u[j].times(v[i]));
    DVec3::new(component(1, 2), component(2, 0), component(0, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sliver_has_the_normal_of_its_plane() {
        // Three points on x + y + z = 3/8, exact in binary, almost in line.
        let tiny = libm::ldexp(1.0, -40);
        let a = DVec3::new(0.125, 0.125, 0.125);
        let b = DVec3::new(0.375, 0.0, 0.0);
        let c = DVec3::new(0.25 + tiny, 0.0625 - tiny * 2.0, 0.0625 + tiny);
        let normal = normal(a, b, c).normalize();
        let expected = DVec3::ONE.normalize();
        assert!((normal.abs() - expected).length() < 1e-15, "{normal}");
    }

    #[test]
    fn scaling_is_exact_and_survives_extremes() {
        for size in [f64::MAX, 1.0, 3e-200, f64::MIN_POSITIVE] {
            let back = scaled(&[DVec3::new(size, -size * 0.5, 0.0)])[0];
            assert!((0.5..=1.0).contains(&back.x) && back.y == -back.x * 0.5, "{size}: {back}");
        }
    }
}
