//! What a joint is made of: how it gives, and what it bears.

use serde::{Deserialize, Serialize};

/// What a joint is made of.
///
/// ```
/// use smithereens_stress::Material;
/// let weak = Material { tension: 0.5e6, ..Material::concrete() };
/// assert!(weak.compression > weak.tension);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Young's modulus, in pascals.
    pub young: f64,
    /// Poisson's ratio, above -1 and at most 0.5.
    pub poisson: f64,
    /// The tension that breaks it, in pascals. May be infinite.
    pub tension: f64,
    /// The compression that crushes it, in pascals. May be infinite.
    pub compression: f64,
    /// The shear that breaks it where nothing presses, in pascals. May be infinite.
    pub shear: f64,
    /// How much of the pressure on a joint adds to what it bears in shear: the coefficient of friction.
    pub friction: f64,
    /// Whether joints are one with what they join, or only pressed on it.
    pub hold: Hold,
}

/// How a joint holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hold {
    /// It is grown, glued or cast: it bears tension up to the material's strength.
    #[default]
    Bonded,
    /// It is only pressed together, as stones without mortar: it opens under tension, turns about its edge, and slides
    /// beyond friction. `tension` and `shear` of the material do not count.
    Dry,
}

impl Default for Material {
    /// Concrete.
    fn default() -> Material {
        Material::concrete()
    }
}

impl Material {
    const fn new(young: f64, poisson: f64, tension: f64, compression: f64, shear: f64) -> Material {
        Material { young, poisson, tension, compression, shear, friction: 0.6, hold: Hold::Bonded }
    }

    /// Plain concrete.
    pub const fn concrete() -> Material {
        Material::new(30e9, 0.2, 3e6, 30e6, 4e6)
    }

    /// Marble, limestone, granite.
    pub const fn stone() -> Material {
        Material::new(50e9, 0.25, 7e6, 100e6, 14e6)
    }

    /// Bricks in lime mortar: the mortar decides.
    pub const fn brickwork() -> Material {
        Material::new(5e9, 0.2, 0.2e6, 8e6, 0.3e6)
    }

    /// Glass.
    pub const fn glass() -> Material {
        Material::new(70e9, 0.22, 40e6, 800e6, 60e6)
    }

    /// Wood along its grain.
    pub const fn wood() -> Material {
        Material::new(11e9, 0.3, 60e6, 40e6, 8e6)
    }

    /// Structural steel.
    pub const fn steel() -> Material {
        Material::new(210e9, 0.3, 400e6, 400e6, 230e6)
    }

    /// The same material in blocks that are only laid on each other, with a coefficient of friction.
    pub const fn dry(self, friction: f64) -> Material {
        Material { hold: Hold::Dry, friction, ..self }
    }

    /// The shear modulus, in pascals.
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// Whether all its numbers are in range.
    pub fn is_sound(&self) -> bool {
        self.fault().is_none()
    }

    /// What is wrong with its numbers, if anything is.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let is_strength = |x: f64| x >= 0.0;
        if !(self.young.is_finite() && self.young > 0.0) {
            Some("Young's modulus must be finite and above zero")
        } else if !(self.poisson > -1.0 && self.poisson <= 0.5) {
            Some("Poisson's ratio must be above -1 and at most 0.5")
        } else if !(is_strength(self.tension) && is_strength(self.compression) && is_strength(self.shear)) {
            Some("a strength must be zero or more, or infinite")
        } else if !(self.friction.is_finite() && self.friction >= 0.0) {
            Some("friction must be finite and not negative")
        } else {
            None
        }
    }
}
