//! The look of sprites: billows of noise, a table for each variant.

use glam::Vec3;

use crate::grain::turbulence;

/// How many there are, and how many numbers a side.
const VARIANTS: usize = 8;
const SIDE: usize = 64;
/// Billows across a sprite, and how far they eat into it.
const SCALE: f32 = 2.1;
const BITE: f32 = 2.2;

/// How dense each variant is at each place of its square.
#[derive(Clone, Debug)]
pub(crate) struct Billows {
    tables: Vec<f32>,
}

impl Billows {
    pub fn new() -> Billows {
        let number = |index: usize| {
            let (variant, place) = (index / (SIDE * SIDE), index % (SIDE * SIDE));
            let of = |n: usize| (n as f32 + 0.5) * (2.0 / SIDE as f32) - 1.0;
            density(variant as f32, of(place % SIDE), of(place / SIDE))
        };
        Billows { tables: (0..VARIANTS * SIDE * SIDE).map(number).collect() }
    }

    /// The density at a place from -1 to 1; the nearest number is near enough, as many sprites lie over each other.
    #[inline]
    pub fn at(&self, variant: u32, u: f32, v: f32) -> f32 {
        let of = |x: f32| ((x + 1.0) * (0.5 * SIDE as f32)).clamp(0.0, SIDE as f32 - 1.0) as usize;
        self.tables[(variant as usize % VARIANTS * SIDE + of(v)) * SIDE + of(u)]
    }
}

/// Noise that is round on its upper side, like smoke, and nothing at the rim.
fn density(variant: f32, u: f32, v: f32) -> f32 {
    let (value, _) = turbulence(Vec3::new(u * SCALE, v * SCALE, 7.3 * variant + 0.5));
    let billow = 1.0 - value.abs() * BITE;
    let rim = (1.0 - u * u - v * v).max(0.0);
    rim * (0.15 + 1.5 * billow).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_differ_and_end_before_the_rim() {
        let billows = Billows::new();
        let middle: Vec<f32> = (0..VARIANTS as u32).map(|variant| billows.at(variant, 0.1, -0.2)).collect();
        assert!(middle.iter().all(|d| (0.0..1.7).contains(d)));
        assert!(middle.windows(2).all(|pair| pair[0] != pair[1]), "{middle:?}");
        for i in 0..64 {
            let (sine, cosine) = libm::sincosf(i as f32 * 0.1);
            assert!((0..8).all(|variant| billows.at(variant, cosine, sine) < 0.15));
        }
        assert_eq!(billows.at(3, f32::NAN, 2.0), billows.at(3, -1.0, 1.0));
    }
}
