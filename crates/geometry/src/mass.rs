//! Volume, centre and inertia of solids, exact for polyhedra.

use glam::{DMat3, DVec3};

use crate::Mesh;

/// Mass properties at a density of one: multiply volume and inertia by the density.
///
/// ```
/// use smithereens_geometry::{Aabb, Convex};
/// let cube = Convex::from_box(&Aabb::cube(0.5));
/// let mass = cube.mass();
/// assert!((mass.volume - 1.0).abs() < 1e-15);
/// assert!((mass.inertia().x_axis.x - 1.0 / 6.0).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mass {
    /// Volume.
    pub volume: f64,
    /// Centre of mass.
    pub center: DVec3,
    /// ∫ (x - center)(x - center)ᵀ dV.
    pub covariance: DMat3,
}

impl Mass {
    /// The inertia tensor about the centre.
    pub fn inertia(&self) -> DMat3 {
        let c = self.covariance;
        DMat3::from_diagonal(DVec3::splat(c.x_axis.x + c.y_axis.y + c.z_axis.z)) - c
    }

    /// The same shape at another density; at a negative one, what taking it away changes.
    pub fn times(self, density: f64) -> Mass {
        Mass { volume: self.volume * density, center: self.center, covariance: self.covariance * density }
    }

    /// The mass properties of several parts as one body, added in order.
    pub fn total<'a>(mut parts: impl Iterator<Item = &'a Mass>) -> Mass {
        let Some(first) = parts.next() else { return Mass::default() };
        // About the first part's centre, then moved to the common one: one pass over parts that lie anywhere in memory.
        let (mut volume, mut moment, mut about) = (first.volume, DVec3::ZERO, first.covariance);
        for part in parts {
            let away = part.center - first.center;
            volume += part.volume;
            moment += away * part.volume;
            about += part.covariance + outer(away) * part.volume;
        }
        if volume == 0.0 {
            return Mass::default();
        }
        let away = moment / volume;
        Mass { volume, center: first.center + away, covariance: about - outer(away) * volume }
    }
}

/// Adds up the tetrahedra that the triangles of a closed surface span with an origin.
///
/// The origin may be anywhere; near the surface the sums lose fewer digits.
#[derive(Clone, Copy, Debug)]
pub struct MassSum {
    origin: DVec3,
    volume6: f64,
    first: DVec3,
    diagonal: DVec3,
    mixed: DVec3,
}

impl MassSum {
    /// An empty sum about `origin`.
    pub fn about(origin: DVec3) -> MassSum {
        MassSum { origin, volume6: 0.0, first: DVec3::ZERO, diagonal: DVec3::ZERO, mixed: DVec3::ZERO }
    }

    /// Adds a triangle, counter-clockwise from outside.
    #[inline]
    pub fn add_triangle(&mut self, a: DVec3, b: DVec3, c: DVec3) {
        let (a, b, c) = (a - self.origin, b - self.origin, c - self.origin);
        let volume6 = a.dot(b.cross(c));
        // The products of the corners and of their sum are those of the sums of two: three instead of four.
        let (p, q, r) = (a + b, b + c, c + a);
        self.volume6 += volume6;
        self.first += (p + c) * volume6;
        self.diagonal += (p * p + q * q + r * r) * volume6;
        self.mixed += (p * p.yzx() + q * q.yzx() + r * r.yzx()) * volume6;
    }

    /// Adds a planar polygon as a fan about its first vertex: right for any shape, convex or not,
    /// and for holes, since the fan's overlaps cancel.
    #[inline]
    pub fn add_polygon(&mut self, mut points: impl Iterator<Item = DVec3>) {
        let (Some(first), Some(mut previous)) = (points.next(), points.next()) else { return };
        for point in points {
            self.add_triangle(first, previous, point);
            previous = point;
        }
    }

    /// The volume so far.
    pub fn volume(&self) -> f64 {
        self.volume6 / 6.0
    }

    /// The mass properties of what the surface encloses.
    pub fn finish(&self) -> Mass {
        if self.volume6 == 0.0 {
            return Mass { center: self.origin, ..Mass::default() };
        }
        let volume = self.volume6 / 6.0;
        let center = self.first / (4.0 * self.volume6);
        let (d, m) = (self.diagonal / 120.0, self.mixed / 120.0);
        let about_origin = DMat3::from_cols_array(&[d.x, m.x, m.z, m.x, d.y, m.y, m.z, m.y, d.z]);
        Mass { volume, center: center + self.origin, covariance: about_origin - outer(center) * volume }
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

use glam::Vec3Swizzles;

impl Mesh {
    /// The signed volume that the faces enclose: meaningful for a closed mesh only.
    pub fn signed_volume(&self) -> f64 {
        self.mass_sum().volume()
    }

    pub(crate) fn mass_sum(&self) -> MassSum {
        let mut sum = MassSum::about(self.bounds_center());
        let at = |vertex: u32| self.positions[vertex as usize];
        let mut start = 0;
        for &end in &self.loop_ends {
            match self.corners[start..end as usize] {
                [a, b, c] => sum.add_triangle(at(a), at(b), at(c)),
                ref corners => sum.add_polygon(corners.iter().map(|&v| at(v))),
            }
            start = end as usize;
        }
        sum
    }

    fn bounds_center(&self) -> DVec3 {
        if self.positions.is_empty() { DVec3::ZERO } else { self.bounds().center() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Convex};

    #[test]
    fn a_box_anywhere_has_the_inertia_of_the_textbook() {
        let (size, place) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(7.0, -5.0, 3.0));
        let mass = Convex::from_box(&Aabb::new(place, place + size)).mass();
        let expected = DVec3::new(4.0 + 9.0, 1.0 + 9.0, 1.0 + 4.0) * 6.0 / 12.0;
        assert!((mass.volume - 6.0).abs() < 1e-13);
        assert!((mass.center - place - size * 0.5).length() < 1e-13);
        assert!((mass.inertia() - DMat3::from_diagonal(expected)).abs_diff_eq(DMat3::ZERO, 1e-12));
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let whole = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0))).mass();
        let left = Convex::from_box(&Aabb::new(DVec3::ZERO, DVec3::ONE)).mass();
        let right = Convex::from_box(&Aabb::new(DVec3::X, DVec3::new(2.0, 1.0, 1.0))).mass();
        let total = Mass::total([left, right].iter());
        assert!((total.volume - whole.volume).abs() < 1e-14);
        assert!(total.center.abs_diff_eq(whole.center, 1e-14));
        assert!(total.covariance.abs_diff_eq(whole.covariance, 1e-13));
    }
}
