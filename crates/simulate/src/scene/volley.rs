//! What happens again and again: when, and where each time.

use glam::DVec3;

use super::Volley;

/// More than this are a slip of the pen.
pub(super) const MOST_SHOTS: u32 = 100_000;

/// The shots of a volley, or the one there is, that are due from one time to another: how far each is from the first. `seed` decides it, so that
/// each comes to the same place whenever it is asked for.
pub(super) fn shots(volley: Option<Volley>, first: f64, from: f64, to: f64, seed: u64) -> Vec<DVec3> {
    let Volley { count, every, spread } = volley.unwrap_or(Volley { count: 1, every: 1.0, spread: [0.0; 3] });
    let is_due = |index: &u32| {
        let time = first + every * f64::from(*index);
        time >= from && time < to
    };
    let shift = |index: u32| if index == 0 { DVec3::ZERO } else { DVec3::from(spread) * unit(seed, index) };
    (0..count.min(MOST_SHOTS)).filter(is_due).map(shift).collect()
}

/// Anywhere in a cube from -1 to 1.
fn unit(seed: u64, index: u32) -> DVec3 {
    let draw = |axis: u64| {
        let mut mixed = seed ^ (u64::from(index) << 8 | axis).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for shift in [30, 27, 31] {
            mixed = (mixed ^ (mixed >> shift)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        }
        (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    DVec3::new(draw(0), draw(1), draw(2))
}
