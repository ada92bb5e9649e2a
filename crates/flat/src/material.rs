//! What a body is made of, and how it breaks.

use serde::{Deserialize, Serialize};
use smithereens_planar::modes::Projection;
use smithereens_stress::Material as Strengths;

use crate::PatternKind;

/// What a body is made of.
///
/// How hard it was hit decides how it breaks: the last of its [`Break`]s that is reached, wider and finer the more it is exceeded.
///
/// ```
/// use smithereens_flat::Material;
/// let stone = Material::named("stone").unwrap();
/// assert!(stone.break_at(0.9).is_none());
/// let (light, hard) = (stone.break_at(1.5).unwrap(), stone.break_at(20.0).unwrap());
/// assert!(hard.radius > light.radius && hard.cells > light.cells);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// In kilograms per cubic metre: bodies are as thick as the world's depth.
    pub density: f64,
    /// The coefficient of friction.
    pub friction: f64,
    /// How much of the speed a bounce gives back, from 0 to 1.
    pub restitution: f64,
    /// The contact force that breaks it, in newtons for a metre of depth. Infinite: nothing does.
    pub strength: f64,
    /// How it breaks, in ascending order of what it takes.
    pub breaks: Vec<Break>,
    /// How stiff it is, and what stresses it bears; see [`Options::stress`](crate::Options::stress).
    pub stress: Strengths,
    /// How many times faster than a wave of its tension pieces of what breaks by nature must be than each other to part.
    pub parting: f64,
    /// What a blow on a body that breaks by nature is projected onto.
    pub projection: Projection,
    /// How fast fragments fly from where the hit was, in metres per second.
    pub push: f64,
    /// What it looks like.
    pub look: Look,
}

/// What a material looks like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Its colour: red, green and blue from 0 to 1, as screens show them.
    pub colour: [f32; 3],
    /// Its colour where it is freshly broken.
    pub interior: [f32; 3],
    /// How much of it one sees, from 0 (clear) to 1.
    pub cover: f32,
}

/// Which pattern a break follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Choice {
    /// One of a kind, drawn by the world's seed.
    Kind(PatternKind),
    /// The one with this name in the world's library. If there is none, Voronoi cells.
    Named(String),
}

/// How a material breaks when it is hit hard enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Break {
    /// What it takes, in multiples of the strength.
    pub above: f64,
    /// The pattern.
    pub pattern: Choice,
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
        let cells = (reached.cells as f64 * finer) as usize;
        Some(Break { radius: reached.radius * reach, cells, ..reached.clone() })
    }

    /// The difference of velocities at which pieces of a body that breaks by nature part, in metres per second: that at which a wave moves what it
    /// stretches to the tension, times `parting`.
    pub fn parting_speed(&self) -> f64 {
        self.parting * self.stress.tension / libm::sqrt(self.stress.young * self.density)
    }

    /// Whether all its numbers are in range: a density above zero, a restitution from 0 to 1, nothing negative or NaN.
    pub fn is_sound(&self) -> bool {
        let is_amount = |x: f64| x.is_finite() && x >= 0.0;
        let is_share = |x: &f32| (0.0..=1.0).contains(x);
        let is_break = |b: &Break| b.above >= 0.0 && b.radius > 0.0 && b.radius.is_finite() && b.cells > 0;
        let Look { colour, interior, cover } = &self.look;
        is_amount(self.density)
            && self.density > 0.0
            && self.strength > 0.0
            && is_amount(self.friction)
            && (0.0..=1.0).contains(&self.restitution)
            && is_amount(self.parting)
            && is_amount(self.push)
            && self.breaks.iter().all(is_break)
            && self.stress.is_sound()
            && colour.iter().chain(interior).chain([cover]).all(is_share)
    }
}

impl Default for Material {
    /// Something grey that nothing breaks, as heavy as water.
    fn default() -> Material {
        Material {
            name: String::new(),
            density: 1000.0,
            friction: 0.7,
            restitution: 0.05,
            strength: f64::INFINITY,
            breaks: Vec::new(),
            stress: Strengths::default(),
            parting: 1.0,
            projection: Projection::Modes,
            push: 0.4,
            look: Look { colour: [0.6; 3], interior: [0.75; 3], cover: 1.0 },
        }
    }
}
