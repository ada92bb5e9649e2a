//! Checks of what a user asks for, so that no pattern is endless or nonsense.

use glam::DVec3;

use super::PatternError;

/// No pattern has more cells: enough for any scene, little enough for any memory.
pub(super) const MOST_CELLS: usize = 1 << 18;

/// A count from `least` to [`MOST_CELLS`].
pub(super) fn count(name: &'static str, value: usize, least: usize) -> Result<(), PatternError> {
    let wanted = match least {
        0 => "it should be at most 262144",
        1 => "it should be from 1 to 262144",
        _ => "it should be from 3 to 262144",
    };
    check(name, value as f64, (least..=MOST_CELLS).contains(&value), wanted)
}

/// How many cells the parameters would make, which is at most [`MOST_CELLS`].
pub(super) fn expected_cells(value: f64) -> Result<(), PatternError> {
    check("the number of cells", value, value <= MOST_CELLS as f64, "it should be at most 262144")
}

/// A length that is more than nothing.
pub(super) fn length(name: &'static str, value: f64) -> Result<(), PatternError> {
    check(name, value, value > 0.0 && value.is_finite(), "it should be a positive length")
}

/// A fraction.
pub(super) fn fraction(name: &'static str, value: f64) -> Result<(), PatternError> {
    check(name, value, (0.0..=1.0).contains(&value), "it should be from 0 to 1")
}

/// The unit vector of a direction.
pub(super) fn direction(name: &'static str, value: DVec3) -> Result<DVec3, PatternError> {
    let wanted = "it should be a finite vector other than zero";
    value.try_normalize().ok_or(PatternError::Parameter { name, value: value.length(), wanted })
}

/// Anything else.
pub(super) fn check(
    name: &'static str,
    value: f64,
    sound: bool,
    wanted: &'static str,
) -> Result<(), PatternError> {
    if sound { Ok(()) } else { Err(PatternError::Parameter { name, value, wanted }) }
}
