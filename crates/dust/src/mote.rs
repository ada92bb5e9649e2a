//! Dust as it is drawn: soft, round, turned patches.

use glam::{DVec3, Vec3};

use crate::convert::narrow;
use crate::particle::Particle;
use crate::{Dust, random};

/// A particle as it is drawn: a soft patch that faces the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mote {
    /// Its centre.
    pub at: Vec3,
    /// How far it reaches, in metres.
    pub radius: f32,
    /// The share of light that its middle holds back: 0 to 1.
    pub opacity: f32,
    /// How far it is turned about the direction it is seen along, in radians: the swirl of the air.
    pub turn: f32,
    /// One of many looks.
    pub variant: u32,
}

impl Dust {
    /// All particles as they are seen along a direction.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use smithereens_dust::{Dust, Options};
    /// let dust = Dust::new(Options::default())?;
    /// assert_eq!(dust.motes(DVec3::NEG_Z).count(), 0);
    /// # Ok::<(), smithereens_dust::Error>(())
    /// ```
    pub fn motes(&self, view: DVec3) -> impl Iterator<Item = Mote> {
        let axis = narrow(view).unwrap_or(Vec3::NEG_Z).normalize_or(Vec3::NEG_Z);
        self.particles.iter().map(move |particle| self.mote(particle, axis))
    }

    fn mote(&self, particle: &Particle, axis: Vec3) -> Mote {
        let radius = particle.spread(self.options.spread as f32);
        // Twice as wide as most of its dust, as it thins out towards its rim.
        let radius = 2.0 * radius;
        let area = std::f32::consts::PI * radius * radius;
        let depth = 3.0 * self.options.extinction as f32 * particle.mass as f32 / area * particle.strength();
        // The part of the rotation that is about the view.
        let twist = 2.0 * libm::atan2f(particle.turn.xyz().dot(axis), particle.turn.w);
        Mote {
            at: particle.at.into(),
            radius,
            opacity: 1.0 - libm::expf(-depth),
            turn: twist + random::unit(particle.seed, 21) * std::f32::consts::TAU,
            variant: particle.seed >> 8,
        }
    }
}
