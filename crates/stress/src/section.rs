//! The part of a plane that a joint covers: area and second moments.

use glam::{DMat3, DVec3};

/// The part of a plane that a joint covers.
///
/// Stresses are those of the rectangle that has the same area and second moments: exact for rectangles. The rectangle of a
/// circle ends 13 % inside of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Section {
    /// Its area, in square metres.
    pub area: f64,
    /// ∫ p pᵀ dA of its points p about the centroid, in metres to the fourth. What is across the joint's plane does not count.
    pub second: DMat3,
}

/// No section is thinner than this part of the root of its area: a thinner one is a hinge, and bears next to nothing.
const THINNEST: f64 = 1e-5;

impl Section {
    /// A rectangle by two edges, in metres.
    pub fn rectangle(edge: DVec3, other: DVec3) -> Section {
        let area = edge.cross(other).length();
        Section { area, second: (outer(edge) + outer(other)) * (area / 12.0) }
    }

    /// A square across a normal: where only the area is known.
    pub fn square(area: f64, normal: DVec3) -> Section {
        let normal = normal.normalize_or_zero();
        Section { area, second: (DMat3::IDENTITY - outer(normal)) * (area * area / 12.0) }
    }

    /// A flat polygon by its corners in order, and its centroid. Nothing if it has no area.
    pub fn polygon(corners: &[DVec3]) -> Option<(Section, DVec3)> {
        let &first = corners.first()?;
        let fan = || corners.windows(2).map(|pair| (pair[0] - first, pair[1] - first));
        let normal = fan().map(|(p, q)| p.cross(q)).sum::<DVec3>().try_normalize()?;
        let (mut area, mut moment, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for (p, q) in fan() {
            let part = p.cross(q).dot(normal) * 0.5;
            area += part;
            moment += (p + q) * (part / 3.0);
            second += (outer(p) + outer(q) + outer(p + q)) * (part / 12.0);
        }
        let centroid = moment / area;
        let section = Section { area, second: second - outer(centroid) * area };
        (area > 0.0).then_some((section, first + centroid))
    }

    /// The same part of a body that is so many times as large.
    pub fn scaled(&self, factor: f64) -> Section {
        let area = factor * factor;
        Section { area: self.area * area, second: self.second * (area * area) }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.area.is_finite() && self.second.is_finite()
    }

    /// ∫ (n × p)(n × p)ᵀ dA for bending and ∫ p² dA for torsion, across a normal.
    pub(crate) fn stiffness(&self, normal: DVec3) -> (DMat3, f64) {
        let lean = self.second * normal;
        let flat = lean - normal * (lean.dot(normal) * 0.5);
        let mixed = DMat3::from_cols(
            flat * normal.x + normal * flat.x,
            flat * normal.y + normal * flat.y,
            flat * normal.z + normal * flat.z,
        );
        let second = self.second - mixed;
        let polar = second.x_axis.x + second.y_axis.y + second.z_axis.z + self.least() * 2.0;
        let across = DMat3::IDENTITY - outer(normal);
        (across * (polar - self.least()) - second, polar)
    }

    /// The least second moment that counts.
    fn least(&self) -> f64 {
        self.area * self.area * (THINNEST * THINNEST / 12.0)
    }

    /// Its axes across a normal.
    pub(crate) fn principal(&self, normal: DVec3) -> Principal {
        let (u, v) = normal.any_orthonormal_pair();
        let (su, sv) = (self.second * u, self.second * v);
        let (a, b, c) = (u.dot(su), u.dot(sv), v.dot(sv));
        let (mean, half) = ((a + c) * 0.5, (a - c) * 0.5);
        let radius = (half * half + b * b).sqrt();
        // The eigenvector by the larger of two formulas: nothing cancels.
        let along = if half >= 0.0 { u * (half + radius) + v * b } else { u * b + v * (radius - half) };
        let long = along.try_normalize().unwrap_or(u);
        let moments = [mean + radius, (mean - radius).max(0.0)].map(|moment| moment + self.least());
        let reach = moments.map(|moment| (3.0 * moment / self.area).sqrt());
        Principal { axes: [long, normal.cross(long)], moments, reach }
    }
}

/// A section's principal axes: along the first it reaches farthest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Principal {
    /// Unit vectors in the plane; with the normal first they are right-handed.
    pub axes: [DVec3; 2],
    /// ∫ x² dA along each.
    pub moments: [f64; 2],
    /// How far the rectangle reaches along each.
    pub reach: [f64; 2],
}

/// A section whose second moments differ by no more than this part has no axes of its own.
const ROUND: f64 = 0.02;

impl Principal {
    /// The axes for this bending. Those of a square or a circle are a matter of rounding, and its rectangle would be bent over a corner by chance: there,
    /// one is the axis it is bent about.
    pub fn bent_about(&self, bending: DVec3) -> Principal {
        let is_round = self.moments[0] - self.moments[1] <= ROUND * self.moments[0];
        match bending.try_normalize().filter(|_| is_round) {
            Some(about) => {
                let normal = self.axes[0].cross(self.axes[1]);
                Principal { axes: [about.cross(normal), about], ..*self }
            }
            None => *self,
        }
    }
}

pub(crate) fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_has_the_axes_of_its_edges_however_it_lies() {
        let turn = glam::DQuat::from_scaled_axis(DVec3::new(0.3, -1.2, 0.7));
        for (wide, high) in [(2.0, 1.0), (1.0, 2.0), (1.0, 1.0), (5.0, 0.01)] {
            let (edge, other) = (turn * DVec3::X * wide, turn * DVec3::Y * high);
            let section = Section::rectangle(edge, other);
            let axes = section.principal(turn * DVec3::Z);
            let (long, short) = (wide.max(high), wide.min(high));
            assert!((axes.reach[0] - long / 2.0).abs() < 1e-9 * long, "{axes:?}");
            assert!((axes.reach[1] - short / 2.0).abs() < 1e-8 * long, "{axes:?}");
            let (bending, polar) = section.stiffness(turn * DVec3::Z);
            let twice = [1, 0].map(|at| (bending * axes.axes[at]).dot(axes.axes[at]));
            assert!(
                (twice[0] - axes.moments[0]).abs() < 1e-9 * polar
                    && (twice[1] - axes.moments[1]).abs() < 1e-9 * polar
            );
            assert!((polar - axes.moments[0] - axes.moments[1]).abs() < 1e-9 * polar);
            assert!((axes.moments[0] - short * long.powi(3) / 12.0).abs() < 1e-9 * long.powi(4));
            let corners = [DVec3::ZERO, edge, edge + other, other].map(|p| p + DVec3::splat(3.0));
            let (polygon, centroid) = Section::polygon(&corners).unwrap();
            assert!((polygon.area - section.area).abs() < 1e-12);
            assert!(polygon.second.abs_diff_eq(section.second, 1e-11));
            assert!(centroid.abs_diff_eq((edge + other) * 0.5 + DVec3::splat(3.0), 1e-12));
        }
        assert!(Section::polygon(&[DVec3::ZERO, DVec3::X, DVec3::X * 2.0]).is_none());
    }

    #[test]
    fn a_square_is_bent_about_the_axis_it_is_bent_about() {
        for i in 0..50 {
            let turn = glam::DQuat::from_scaled_axis(DVec3::new(0.3, -1.2, 0.7) * f64::from(i));
            let (normal, bending) = (turn * DVec3::Z, turn * DVec3::new(3.0, -1.0, 0.0));
            let square = Section::rectangle(turn * DVec3::X * 2.0, turn * DVec3::Y * 2.0);
            let axes = square.principal(normal).bent_about(bending);
            assert!((axes.axes[1].dot(bending) - bending.length()).abs() < 1e-9, "{axes:?}");
            assert!((axes.axes[0].cross(axes.axes[1]) - normal).length() < 1e-9, "{axes:?}");
            let slab = Section::rectangle(turn * DVec3::X * 2.0, turn * DVec3::Y * 1.9);
            let axes = slab.principal(normal).bent_about(bending);
            assert!(axes.axes[0].cross(turn * DVec3::X).length() < 1e-9, "a slab keeps its own: {axes:?}");
        }
    }
}
