//! What a body is made of, and how it breaks.

use serde::{Deserialize, Serialize};
use smithereens::pattern::PatternKind;

/// What a body is made of.
///
/// How hard it was hit decides how it breaks: the last of its [`Break`]s that is reached, wider and finer the more it is exceeded.
///
/// ```
/// use smithereens_simulate::Material;
/// let stone = Material::stone();
/// assert!(stone.break_at(0.9).is_none());
/// let (light, hard) = (stone.break_at(1.5).unwrap(), stone.break_at(20.0).unwrap());
/// assert!(hard.radius > light.radius && hard.cells > light.cells);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// In kilograms per cubic metre.
    pub density: f64,
    /// The coefficient of friction.
    pub friction: f64,
    /// How much of the speed a bounce gives back, from 0 to 1.
    pub restitution: f64,
    /// The contact force that breaks it, in newtons. Infinite: nothing does.
    pub strength: f64,
    /// How it breaks, in ascending order of what it takes.
    pub breaks: Vec<Break>,
    /// How fast fragments fly from where the hit was, in metres per second.
    pub push: f64,
    /// How much dust a square metre of broken face gives off, in kilograms, where dust is wanted. Zero: none, and what is too small to be a body is
    /// none either.
    pub dust: f64,
}

/// How a material breaks when it is hit hard enough.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Break {
    /// What it takes, in multiples of the strength.
    pub above: f64,
    /// The pattern.
    pub pattern: PatternKind,
    /// How many cells the pattern has.
    pub cells: usize,
    /// How far the break reaches, in metres.
    pub radius: f64,
}

/// A hit that is so many times harder reaches farther by this power of it: energy goes with the square of it, and breaks a volume.
const REACH_POWER: f64 = 2.0 / 3.0;
/// And breaks finer by this.
const CELLS_POWER: f64 = 0.5;
/// At most so much farther and finer than the break says.
const MOST_REACH: f64 = 3.0;
const MOST_CELLS: f64 = 4.0;
/// How deep stone is ground to powder where it breaks, in metres: dust of so thick a layer. Chosen by eye; grains of mortar and limestone are of that size.
/// Concrete, whose paste is softer than its stones, gives twice as much; glass and wood break into splinters, which are seen and are no dust.
const POWDER: f64 = 25e-6;

impl Material {
    /// How it breaks under a hit of so many times its strength.
    pub fn break_at(&self, excess: f64) -> Option<Break> {
        if excess.is_nan() || excess < 1.0 {
            return None;
        }
        let reached = self.breaks.iter().rev().find(|b| b.above <= excess)?;
        let harder = excess / reached.above.max(1.0);
        let reach = libm::pow(harder, REACH_POWER).min(MOST_REACH);
        let finer = libm::pow(harder, CELLS_POWER).min(MOST_CELLS);
        Some(Break {
            radius: reached.radius * reach,
            cells: (reached.cells as f64 * finer) as usize,
            ..*reached
        })
    }

    /// Whether all its numbers are in range: a density above zero, a restitution from 0 to 1, nothing negative or NaN.
    pub fn is_sound(&self) -> bool {
        let is_amount = |x: f64| x.is_finite() && x >= 0.0;
        let is_break = |b: &Break| b.above >= 0.0 && b.radius > 0.0 && b.radius.is_finite() && b.cells > 0;
        is_amount(self.density)
            && self.density > 0.0
            && self.strength > 0.0
            && is_amount(self.friction)
            && (0.0..=1.0).contains(&self.restitution)
            && is_amount(self.push)
            && is_amount(self.dust)
            && self.breaks.iter().all(is_break)
    }

    fn new(name: &str, density: f64, strength: f64, breaks: Vec<Break>) -> Material {
        Material {
            name: name.into(),
            density,
            friction: 0.7,
            restitution: 0.05,
            strength,
            breaks,
            push: 0.4,
            dust: 0.0,
        }
    }

    /// Marble, limestone, granite.
    pub fn stone() -> Material {
        let light = Break { above: 1.0, pattern: PatternKind::Voronoi, cells: 16, radius: 0.5 };
        let hard = Break { above: 6.0, pattern: PatternKind::Falloff, cells: 60, radius: 1.0 };
        Material { dust: POWDER * 2600.0, ..Material::new("stone", 2600.0, 40_000.0, vec![light, hard]) }
    }

    /// Concrete.
    pub fn concrete() -> Material {
        let light = Break { above: 1.0, pattern: PatternKind::Falloff, cells: 24, radius: 0.4 };
        let hard = Break { above: 5.0, pattern: PatternKind::Spheres, cells: 80, radius: 0.9 };
        let plain = Material::new("concrete", 2400.0, 50_000.0, vec![light, hard]);
        Material { dust: 2.0 * POWDER * 2400.0, ..plain }
    }

    /// A pane of glass.
    pub fn glass() -> Material {
        let web = Break { above: 1.0, pattern: PatternKind::Web, cells: 60, radius: 0.35 };
        Material {
            restitution: 0.1,
            friction: 0.4,
            push: 0.8,
            ..Material::new("glass", 2500.0, 800.0, vec![web])
        }
    }

    /// Wood, whose grain is along the body's x axis.
    pub fn wood() -> Material {
        let splinters = Break { above: 1.0, pattern: PatternKind::Wood, cells: 40, radius: 0.5 };
        Material::new("wood", 650.0, 30_000.0, vec![splinters])
    }

    /// What does not break: steel balls.
    pub fn steel() -> Material {
        Material { restitution: 0.2, ..Material::new("steel", 7800.0, f64::INFINITY, Vec::new()) }
    }

    /// The materials by name.
    pub fn table() -> Vec<Material> {
        vec![Material::stone(), Material::concrete(), Material::glass(), Material::wood(), Material::steel()]
    }
}
