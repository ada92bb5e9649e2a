//! The fibres of wood: what pulls them apart takes far less than what tears them.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use smithereens_stress::Material as Strengths;

/// Which way fibres run, and what they bear when pulled apart or crushed across that way.
///
/// In between, strengths follow Hankinson's formula (*Investigation of crushing strength of spruce at varying angles of grain*, 1921). Shear
/// is the same on all planes, and so is stiffness.
///
/// ```
/// use glam::DVec3;
/// use smithereens_simulate::Material;
/// let wood = Material::named("wood").unwrap();
/// let fibres = wood.fibres.unwrap();
/// let (along, across) = (fibres.strengths(&wood.stress, DVec3::X), fibres.strengths(&wood.stress, DVec3::Y));
/// assert_eq!(along.tension, wood.stress.tension);
/// assert!((across.tension - fibres.tension).abs() < 1e-6 * fibres.tension);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fibres {
    /// The way of the fibres, in the coordinates of the body, of any length.
    pub direction: DVec3,
    /// The tension across the fibres that splits them, in pascals.
    pub tension: f64,
    /// The compression across the fibres that crushes them, in pascals.
    pub compression: f64,
}

impl Fibres {
    /// What a section across a normal bears, where `along` is what one across the fibres does.
    pub fn strengths(&self, along: &Strengths, normal: DVec3) -> Strengths {
        let cosine = self.direction.normalize_or_zero().dot(normal.normalize_or_zero());
        let cosine_squared = (cosine * cosine).min(1.0);
        Strengths {
            tension: hankinson(along.tension, self.tension, cosine_squared),
            compression: hankinson(along.compression, self.compression, cosine_squared),
            ..*along
        }
    }

    /// Whether all its numbers are in range.
    pub(crate) fn is_sound(&self) -> bool {
        let is_strength = |x: f64| x.is_finite() && x > 0.0;
        let has_way = self.direction.is_finite() && self.direction.try_normalize().is_some();
        has_way && is_strength(self.tension) && is_strength(self.compression)
    }
}

/// Hankinson's formula: the strength at an angle to the grain, by the square of its cosine.
fn hankinson(along: f64, across: f64, cosine_squared: f64) -> f64 {
    // Divided by the strength along, which may be infinite.
    across / ((1.0 - cosine_squared) + cosine_squared * (across / along))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// σ = σ₀ σ₉₀ / (σ₀ sin² + σ₉₀ cos²), at angles whose sines are known.
    #[test]
    fn strengths_at_an_angle_are_those_of_hankinson() {
        let along = Strengths { tension: 60e6, compression: 40e6, ..Strengths::wood() };
        let fibres = Fibres { direction: DVec3::new(0.0, 3.0, 0.0), tension: 3e6, compression: 5e6 };
        let root = 3.0f64.sqrt();
        let expected = [
            (DVec3::new(0.0, -7.0, 0.0), 60e6, 40e6),
            (DVec3::new(1.0, root, 0.0), 60e6 * 3e6 / (15e6 + 2.25e6), 40e6 * 5e6 / (10e6 + 3.75e6)),
            (DVec3::new(0.0, 1.0, 1.0), 60e6 * 3e6 / 31.5e6, 40e6 * 5e6 / 22.5e6),
            (DVec3::new(root, 1.0, 0.0), 60e6 * 3e6 / (45e6 + 0.75e6), 40e6 * 5e6 / (30e6 + 1.25e6)),
            (DVec3::new(1.0, 0.0, -2.0), 3e6, 5e6),
        ];
        for (normal, tension, compression) in expected {
            let own = fibres.strengths(&along, normal);
            assert!((own.tension / tension - 1.0).abs() < 1e-12, "{normal}: {}", own.tension);
            assert!((own.compression / compression - 1.0).abs() < 1e-12, "{normal}: {}", own.compression);
            assert_eq!((own.shear, own.young), (along.shear, along.young));
        }
    }

    #[test]
    fn what_nothing_tears_along_its_fibres_splits_across_them() {
        let along = Strengths { tension: f64::INFINITY, ..Strengths::wood() };
        let fibres = Fibres { direction: DVec3::X, tension: 3e6, compression: 5e6 };
        assert_eq!(fibres.strengths(&along, DVec3::X).tension, f64::INFINITY);
        let half = fibres.strengths(&along, DVec3::new(1.0, 1.0, 0.0)).tension;
        assert!((half - 6e6).abs() < 1.0, "{half}");
    }
}
