//! What is too small to be a body: it is drawn, falls, lies on what stands in its way, and goes.
//!
//! A chip is a point to physics: it does not push anything, and does not turn when it lies. So thousands of them cost next to nothing.

use std::collections::VecDeque;
use std::sync::Arc;

use glam::DVec2;
use rapier2d::prelude::*;
use smithereens_planar::Piece;

use crate::convert::{narrow, widen};
use crate::hash::Hash;
use crate::{MaterialId, Options, Pose, Retired};

/// A piece of debris.
#[derive(Clone, Debug)]
pub struct Chip {
    /// What it looks like, in coordinates of the body it was part of.
    pub(crate) piece: Arc<Piece>,
    /// Where its centre is, and how it is turned.
    pub(crate) pose: Pose,
    pub(crate) velocity: DVec2,
    pub(crate) spin: f64,
    pub(crate) material: MaterialId,
    /// In kilograms a square metre.
    pub(crate) density: f64,
    pub(crate) born: u64,
    pub(crate) is_lying: bool,
}

impl Chip {
    /// Its corners, in the world.
    pub fn corners(&self) -> impl ExactSizeIterator<Item = DVec2> + '_ {
        let center = self.piece.mass().center;
        self.piece.convex().corners().map(move |corner| self.pose.point(corner - center))
    }

    /// What it is made of.
    pub fn material(&self) -> MaterialId {
        self.material
    }

    /// Where its centre is, in the world.
    pub fn at(&self) -> DVec2 {
        self.pose.at
    }

    /// The step in which it broke off.
    pub fn born(&self) -> u64 {
        self.born
    }

    /// How much of its time is left, from 1 to 0: it may fade at the end.
    pub fn left(&self, steps: u64, options: &Options) -> f64 {
        let age = steps.saturating_sub(self.born) as f64 * options.step;
        (1.0 - age / options.debris_life.max(options.step)).clamp(0.0, 1.0)
    }
}

/// All debris, in the order in which it came to be.
#[derive(Clone, Debug, Default)]
pub struct Debris {
    pub(crate) chips: VecDeque<Chip>,
}

/// What falls on something gives back this part of its speed across it, and keeps this part of its speed along it.
const BOUNCE: f64 = 0.2;
const SLIDE: f64 = 0.6;
/// What bounces off slower than this lies, in metres per second.
const SLOW: f64 = 0.4;

impl Debris {
    /// The chips.
    pub fn chips(&self) -> impl ExactSizeIterator<Item = &Chip> {
        self.chips.iter()
    }

    /// Its area, in square metres.
    pub fn area(&self) -> f64 {
        self.chips.iter().map(|chip| chip.piece.mass().area).sum()
    }

    pub(crate) fn mass(&self) -> f64 {
        self.chips.iter().map(|chip| chip.piece.mass().area * chip.density).sum()
    }

    pub(crate) fn momentum(&self) -> DVec2 {
        self.chips.iter().map(|chip| chip.velocity * (chip.piece.mass().area * chip.density)).sum()
    }

    pub(crate) fn add(&mut self, chip: Chip, options: &Options, retired: &mut Retired) {
        self.chips.push_back(chip);
        while self.chips.len() > options.most_debris {
            if let Some(chip) = self.chips.pop_front() {
                retire(&chip, retired);
            }
        }
    }

    /// It falls for a step.
    pub(crate) fn step(
        &mut self,
        physics: &PhysicsWorld,
        options: &Options,
        steps: u64,
        retired: &mut Retired,
    ) {
        let life = (options.debris_life / options.step).ceil() as u64;
        while self.chips.front().is_some_and(|chip| steps.saturating_sub(chip.born) > life) {
            if let Some(chip) = self.chips.pop_front() {
                retire(&chip, retired);
            }
        }
        let queries = physics.broad_phase.as_query_pipeline(
            physics.narrow_phase.query_dispatcher(),
            &physics.bodies,
            &physics.colliders,
            QueryFilter::default().exclude_sensors(),
        );
        self.chips.iter_mut().for_each(|chip| chip.fall(&queries, options));
        let is_gone = |chip: &Chip| {
            !chip.pose.is_sound() || options.bounds.is_some_and(|room| !room.contains(chip.pose.at))
        };
        if self.chips.iter().any(is_gone) {
            let (gone, left): (VecDeque<Chip>, VecDeque<Chip>) = self.chips.drain(..).partition(is_gone);
            gone.iter().for_each(|chip| retire(chip, retired));
            self.chips = left;
        }
    }

    pub(crate) fn hash(&self, hash: &mut Hash) {
        for chip in &self.chips {
            let numbers = [chip.pose.at.x, chip.pose.at.y, chip.pose.turn, chip.velocity.x, chip.velocity.y];
            numbers.into_iter().for_each(|number| hash.add(number.to_bits()));
        }
    }
}

impl Chip {
    fn fall(&mut self, queries: &QueryPipeline, options: &Options) {
        let dt = options.step;
        if self.is_lying {
            // Until what it lies on is gone.
            let down = options.gravity.try_normalize().unwrap_or(DVec2::NEG_Y);
            let near = Ray::new(narrow(self.pose.at), narrow(down));
            self.is_lying = queries.cast_ray(&near, (REST * 4.0) as f32, true).is_some();
            if self.is_lying {
                return;
            }
        }
        self.velocity += options.gravity * dt;
        let way = self.velocity * dt;
        let ray = Ray::new(narrow(self.pose.at), narrow(way));
        self.pose.turn += self.spin * dt;
        match queries.cast_ray_and_get_normal(&ray, 1.0, false) {
            Some((_, hit)) if hit.time_of_impact > 0.0 => self.bounce(way, &hit),
            _ => self.pose.at += way,
        }
    }

    fn bounce(&mut self, way: DVec2, hit: &RayIntersection) {
        let normal = widen(hit.normal).normalize_or_zero();
        let normal = if normal.dot(way) > 0.0 { -normal } else { normal };
        self.pose.at += way * f64::from(hit.time_of_impact) + normal * REST;
        let across = self.velocity.dot(normal);
        let along = self.velocity - normal * across;
        self.velocity = along * SLIDE - normal * (across * BOUNCE);
        self.spin *= SLIDE;
        if self.velocity.length() < SLOW && normal.y > 0.5 {
            (self.velocity, self.spin, self.is_lying) = (DVec2::ZERO, 0.0, true);
        }
    }
}

/// How far above what it lies on a chip is, in metres.
const REST: f64 = 2e-3;

fn retire(chip: &Chip, retired: &mut Retired) {
    let area = chip.piece.mass().area;
    retired.debris += 1;
    retired.area += area;
    retired.mass += area * chip.density;
}
