//! Points inside a solid, for patterns that shall fill it.

use glam::DVec3;
use smithereens_geometry::{Inside, Solid};

use crate::chance::Chance;

/// Points evenly strewn inside a solid: the same for the same seed.
pub fn inside(solid: &Solid, count: usize, seed: u64) -> Vec<DVec3> {
    let inside = Inside::of(solid.mesh());
    let bounds = solid.mesh().bounds();
    let mut chance = Chance::new(seed);
    let mut points = Vec::with_capacity(count);
    while points.len() < count {
        let unit = (chance.point() + 1.0) * 0.5;
        let point = bounds.min + bounds.size() * unit;
        if inside.contains(point) {
            points.push(point);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn points_are_inside() {
        let torus = fixtures::torus(1.0, 0.3, 48, 24);
        for point in inside(&torus, 200, 7) {
            assert!(torus.contains(point), "{point}");
        }
    }
}
