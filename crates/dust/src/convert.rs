//! The border from double to single precision: what is drawn and never cut by needs no more.

use glam::{DQuat, DVec3, Quat, Vec3};

/// Coordinates, lengths and speeds beyond this are nothing that dust could be near.
const FARTHEST: f64 = 1e6;

/// A vector; none if it is not finite or absurdly long.
pub(crate) fn narrow(vector: DVec3) -> Option<Vec3> {
    (vector.abs().max_element() <= FARTHEST && !vector.is_nan()).then(|| vector.as_vec3())
}

/// A rotation; none if it is none.
pub(crate) fn narrow_turn(turn: DQuat) -> Option<Quat> {
    let length = turn.length();
    (length.is_finite() && length > 1e-6).then(|| (turn / length).as_quat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_somewhere_passes() {
        assert_eq!(narrow(DVec3::new(1.0, -2.0, 0.5)), Some(Vec3::new(1.0, -2.0, 0.5)));
        for bad in [f64::NAN, f64::INFINITY, -1e7] {
            assert_eq!(narrow(DVec3::new(0.0, bad, 0.0)), None);
        }
        assert_eq!(narrow_turn(DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0)), Some(Quat::IDENTITY));
        assert_eq!(narrow_turn(DQuat::from_xyzw(0.0, f64::NAN, 0.0, 2.0)), None);
    }
}
