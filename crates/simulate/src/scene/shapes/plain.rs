//! Boxes, cylinders and balls.

use glam::DVec3;
use smithereens::{Aabb, Convex};

/// Rows of a ball.
const ROWS: u32 = 7;

/// A box about the origin.
pub(in crate::scene) fn cuboid(size: [f64; 3]) -> Option<Convex> {
    let half = DVec3::from(size) * 0.5;
    let is_sound = half.is_finite() && half.min_element() > 0.0;
    is_sound.then(|| Convex::from_box(&Aabb::new(-half, half)))
}

/// A cylinder along y about the origin, or part of a cone.
pub(in crate::scene) fn cylinder(bottom: f64, top: f64, height: f64, sides: u32) -> Option<Convex> {
    let is_sound =
        [bottom, top, height].iter().all(|x| x.is_finite() && *x > 0.0) && (3..=256).contains(&sides);
    let ring = |radius: f64, y: f64| {
        (0..sides).map(move |i| {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(sides);
            DVec3::new(libm::cos(angle) * radius, y, libm::sin(angle) * radius)
        })
    };
    let points: Vec<DVec3> = ring(bottom, -height * 0.5).chain(ring(top, height * 0.5)).collect();
    if is_sound { Convex::hull(&points) } else { None }
}

/// A ball about the origin.
pub(in crate::scene) fn ball(radius: f64) -> Option<Convex> {
    if !(radius.is_finite() && radius > 0.0) {
        return None;
    }
    let mut points = vec![DVec3::Y * radius, DVec3::NEG_Y * radius];
    for row in 1..ROWS {
        let tilt = std::f64::consts::PI * f64::from(row) / f64::from(ROWS);
        for i in 0..ROWS * 2 {
            let angle =
                std::f64::consts::TAU * (f64::from(i) + 0.5 * f64::from(row % 2)) / f64::from(ROWS * 2);
            let (across, up) = (libm::sin(tilt), libm::cos(tilt));
            points.push(DVec3::new(across * libm::cos(angle), up, across * libm::sin(angle)) * radius);
        }
    }
    Convex::hull(&points)
}
