//! Patterns made once and used for many hits.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use smithereens::Aabb;
use smithereens::pattern::{Pattern, PatternKind};

use crate::Break;

/// Patterns by kind, number of cells and variant, each in a box from -1 to 1.
#[derive(Debug)]
pub(crate) struct Shelf {
    seed: u64,
    patterns: BTreeMap<(PatternKind, usize, u64), Arc<Pattern>>,
}

/// How many patterns of one kind and size there are to draw from.
const VARIANTS: u64 = 4;
const MOST_CELLS: usize = 4096;

impl Shelf {
    pub fn new(seed: u64) -> Shelf {
        Shelf { seed, patterns: BTreeMap::new() }
    }

    /// A pattern for a break, and the map that gives it its size and a turn of its own.
    pub fn pattern(&mut self, wanted: &Break, draw: u64) -> Option<(Arc<Pattern>, DMat3)> {
        let cells = wanted.cells.clamp(2, MOST_CELLS).next_power_of_two();
        let key = (wanted.pattern, cells, draw % VARIANTS);
        let pattern = match self.patterns.get(&key) {
            Some(pattern) => pattern.clone(),
            None => {
                let made = wanted.pattern.pattern(cells, Aabb::cube(1.0), self.seed ^ (key.2 << 32)).ok()?;
                self.patterns.entry(key).or_insert(Arc::new(made)).clone()
            }
        };
        let size = DMat3::from_diagonal(DVec3::splat(wanted.radius));
        Some((pattern, DMat3::from_quat(turn(wanted.pattern, draw)) * size))
    }
}

/// A turn that differs from hit to hit: any, around the way of the impact, or none for what goes with the body's axes.
fn turn(kind: PatternKind, draw: u64) -> DQuat {
    let mut random = Pcg64Mcg::seed_from_u64(draw);
    let angle = random.random::<f64>() * std::f64::consts::TAU;
    match kind {
        PatternKind::Bricks | PatternKind::Wood | PatternKind::Slices => DQuat::IDENTITY,
        PatternKind::Web => about(DVec3::Z, angle),
        _ => {
            let z = random.random::<f64>() * 2.0 - 1.0;
            let (sin, cos) = (libm::sin(angle), libm::cos(angle));
            let side = libm::sqrt(1.0 - z * z);
            let axis = DVec3::new(side * cos, side * sin, z);
            about(axis, random.random::<f64>() * std::f64::consts::TAU)
        }
    }
}

/// A turn about an axis: the same bits on every machine.
fn about(axis: DVec3, angle: f64) -> DQuat {
    let v = axis * libm::sin(angle * 0.5);
    DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(angle * 0.5)).normalize()
}

/// Whether a pattern goes with the body's axes instead of the impact's way.
pub(crate) fn goes_with_body(kind: PatternKind) -> bool {
    matches!(kind, PatternKind::Bricks | PatternKind::Wood | PatternKind::Slices)
}
