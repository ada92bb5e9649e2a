//! Ellipsoids: bodies of animals, boulders, domes.

use std::f64::consts::PI;

use glam::{DAffine3, DVec3};

use super::lathe::Lathe;
use super::{Block, SIZES};

/// Rows from pole to pole, and sides around.
const ROWS: u32 = 24;
const SIDES: u32 = 40;
/// The poles are cut off where it is this wide, of its width.
const POLE: f64 = 0.02;

/// An ellipsoid about the origin, by its half axes.
pub(super) fn ellipsoid(radii: [f64; 3]) -> Result<Vec<Block>, &'static str> {
    let radii = DVec3::from(radii);
    if !radii.is_finite() || radii.min_element() <= 0.0 {
        return Err(SIZES);
    }
    let first = libm::asin(POLE);
    let angle = |row: u32| first + (PI - 2.0 * first) * f64::from(row) / f64::from(ROWS);
    let profile = (0..=ROWS).map(|row| [libm::sin(angle(row)), -libm::cos(angle(row))]).collect();
    let unit = Lathe { profile, sides: SIDES, flutes: 0, depth: 0.0, wall: None }.blocks()?;
    let map = DAffine3::from_scale(radii);
    let scaled = |block: Block| {
        let convex = block.convex.transformed(&map).ok_or(SIZES)?;
        let skin = block.skin.map(|mut skin| {
            skin.transform(&map);
            skin
        });
        Ok(Block { convex, skin })
    };
    unit.into_iter().map(scaled).collect()
}
