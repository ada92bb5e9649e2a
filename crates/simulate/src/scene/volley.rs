//! What happens again and again: when, and where each time.

use glam::{DQuat, DVec3};

use super::Volley;

/// More than this are a slip of the pen.
pub(super) const MOST_SHOTS: u32 = 100_000;

/// Where one of a volley is, seen from the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shot {
    shift: DVec3,
    turn: DQuat,
}

impl Shot {
    pub fn place(&self, first: [f64; 3]) -> DVec3 {
        self.turn * (DVec3::from(first) + self.shift)
    }

    pub fn direction(&self, first: [f64; 3]) -> DVec3 {
        self.turn * DVec3::from(first)
    }
}

/// The shots of a volley, or the one there is, that are due from one time to another. `seed` decides where, so that each comes to the
/// same place whenever it is asked for.
pub(super) fn shots(volley: Option<Volley>, first: f64, from: f64, to: f64, seed: u64) -> Vec<Shot> {
    let once = Volley { count: 1, every: 1.0, spread: [0.0; 3], turn: 0.0 };
    let Volley { count, every, spread, turn } = volley.unwrap_or(once);
    let is_due = |index: &u32| {
        let time = first + every * f64::from(*index);
        time >= from && time < to
    };
    let shot = |index: u32| Shot {
        shift: if index == 0 { DVec3::ZERO } else { DVec3::from(spread) * unit(seed, index) },
        turn: about_y(turn * f64::from(index)),
    };
    (0..count.min(MOST_SHOTS)).filter(is_due).map(shot).collect()
}

/// A turn about y, in degrees. With its own sine: the same on any machine.
fn about_y(degrees: f64) -> DQuat {
    let half = degrees.to_radians() * 0.5;
    DQuat::from_xyzw(0.0, libm::sin(half), 0.0, libm::cos(half))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shots_come_in_their_time_and_go_around() {
        let volley = Volley { count: 8, every: 0.5, spread: [0.0; 3], turn: 45.0 };
        let all = shots(Some(volley), 1.0, 0.0, 10.0, 3);
        assert_eq!(all.len(), 8);
        let places = all.iter().map(|shot| shot.place([0.0, 2.0, 20.0]));
        assert!(places.clone().all(|p| (p.with_y(0.0).length() - 20.0).abs() < 1e-12 && p.y == 2.0));
        assert!(places.fold(DVec3::ZERO, |sum, p| sum + p).with_y(0.0).length() < 1e-12);
        assert!(
            (all[2].direction([0.0, 0.0, 1.0]) - DVec3::X).length() < 1e-12,
            "from z towards x, as rings go"
        );
        let later = shots(Some(volley), 1.0, 2.0, 3.0, 3);
        assert_eq!(later, all[2..4]);
    }
}
