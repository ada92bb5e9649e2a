//! Places on a grid so fine that nothing is lost, so coarse that side tests fit 128 bits and are exact.

use glam::DVec3;
use smithereens_geometry::Aabb;

/// The longest side has at most two to this many steps: products of three differences stay below 2^123.
const BITS: i32 = 39;

/// A place, in steps of the grid.
pub(super) type Place = [i64; 3];

/// A grid around a box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    center: DVec3,
    step: f64,
}

impl Grid {
    pub fn around(bounds: &Aabb) -> Grid {
        let (_, exponent) = libm::frexp(bounds.extent());
        Grid { center: bounds.center(), step: libm::ldexp(1.0, exponent - BITS) }
    }

    /// The length of a step: about 2e-12 of the extent.
    pub fn step(&self) -> f64 {
        self.step
    }

    pub fn snap(&self, point: DVec3) -> Place {
        ((point - self.center) / self.step).to_array().map(|x| libm::rint(x) as i64)
    }

    /// Where a point in steps is.
    pub fn unsnap(&self, steps: DVec3) -> DVec3 {
        self.center + steps * self.step
    }
}

fn difference(a: Place, b: Place) -> [i128; 3] {
    std::array::from_fn(|k| i128::from(a[k] - b[k]))
}

fn cross(a: [i128; 3], b: [i128; 3]) -> [i128; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [i128; 3], b: [i128; 3]) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Twice the area of a triangle times its normal.
pub(super) fn normal([a, b, c]: [Place; 3]) -> [i128; 3] {
    cross(difference(b, a), difference(c, a))
}

/// Six times the volume between a triangle and a point: positive in front of it.
pub(super) fn volume(triangle: [Place; 3], point: Place) -> i128 {
    dot(normal(triangle), difference(point, triangle[0]))
}

/// Twice the area of a triangle seen along two axes.
pub(super) fn area([i, j]: [usize; 2], a: Place, b: Place, c: Place) -> i128 {
    let (u, v) = (difference(b, a), difference(c, a));
    u[i] * v[j] - u[j] * v[i]
}

/// The two axes that a plane with this normal is seen along best, in the order that keeps its winding.
pub(super) fn kept_axes(normal: [i128; 3]) -> [usize; 2] {
    let size = normal.map(i128::abs);
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    if normal[axis] < 0 { [j, i] } else { [i, j] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farthest_places_do_not_overflow() {
        let grid = Grid::around(&Aabb::cube(1.0));
        let [a, b, c, d] = [[-1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, 1.0], [1.0, -1.0, 1.0]]
            .map(|p| grid.snap(DVec3::from_array(p)));
        assert_eq!(volume([a, b, c], d).signum(), -volume([a, c, b], d).signum());
        assert_eq!(grid.unsnap(DVec3::from_array(a.map(|x| x as f64))), DVec3::splat(-1.0));
    }

    #[test]
    fn kept_axes_keep_the_winding() {
        for triangle in [[[0, 0, 0], [5, 1, 0], [1, 7, 2]], [[0, 0, 0], [1, 7, 2], [5, 1, 0]]] {
            let axes = kept_axes(normal(triangle));
            assert!(area(axes, triangle[0], triangle[1], triangle[2]) > 0);
        }
    }
}
