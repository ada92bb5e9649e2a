//! A piece of debris: a ball as it moves, a chip of stone to the eye.

use std::sync::OnceLock;

use glam::{DAffine3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};
use smithereens::{Aabb, Convex, Halfspace, Plane};

use crate::convert::{narrow, narrow_pose, widen, widen_pose};
use crate::crumb::{Crumb, Draws, ball_radius, ball_volume};
use crate::flight::{Ball, Flight};
use crate::{BodyId, Material, MaterialId, Pose};

/// How many shapes chips have.
pub(crate) const SHAPES: usize = 6;

/// A piece of debris.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Chip {
    pub(crate) id: u64,
    pub(crate) material: MaterialId,
    pub(crate) shape: u8,
    pub(crate) radius: f64,
    pub(crate) mass: f64,
    pub(crate) frame: rapier3d::math::Pose,
    pub(crate) seat: Seat,
    /// The step in which it was born, or came to lie.
    pub(crate) since: u64,
    /// Where it was when it came to be still, and for how many steps it has been.
    pub(crate) still: Vec3,
    pub(crate) still_steps: u32,
}

/// How a chip is part of the world.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Seat {
    /// On its way.
    Flies(Flight),
    /// On a body, or on something that is not ours and does not move.
    Lies(Option<Bed>),
}

/// A body that a chip lies on: the step since which it has had its pieces, and where it was.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Bed {
    pub body: BodyId,
    pub changed: u64,
    pub pose: Pose,
}

impl Chip {
    /// A chip that flies.
    pub(crate) fn new(id: u64, crumb: &Crumb, step: u64) -> Chip {
        let mut draws = Draws::of(&[crumb.draw]);
        let way =
            DQuat::from_xyzw(draws.part() - 0.5, draws.part() - 0.5, draws.part() - 0.5, draws.part() - 0.5);
        let turn = if way.length_squared() > 0.0 { way.normalize() } else { DQuat::IDENTITY };
        let frame = narrow_pose(&Pose { turn, at: crumb.at });
        Chip {
            id,
            material: crumb.material,
            shape: (draws.word() % SHAPES as u64) as u8,
            radius: ball_radius(crumb.volume),
            mass: crumb.mass,
            frame,
            seat: Seat::Flies(Flight {
                velocity: narrow(crumb.velocity),
                spin: narrow(crumb.spin),
                on: None,
            }),
            since: step,
            still: frame.translation,
            still_steps: 0,
        }
    }

    /// Has it be on its way from a step on, faster than it was by this.
    pub(crate) fn fly(&mut self, push: DVec3, step: u64) {
        let flight = match self.seat {
            Seat::Flies(flight) => Flight { velocity: flight.velocity + narrow(push), ..flight },
            Seat::Lies(_) => Flight { velocity: narrow(push), spin: Vec3::ZERO, on: None },
        };
        (self.seat, self.since, self.still_steps) = (Seat::Flies(flight), step, 0);
    }

    /// How it touches other things.
    pub(crate) fn ball(&self, material: &Material) -> Ball {
        Ball {
            radius: self.radius as f32,
            friction: material.friction as f32,
            restitution: material.restitution as f32,
        }
    }

    /// Which one: numbers are never used twice.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What it is made of.
    pub fn material(&self) -> MaterialId {
        self.material
    }

    /// Which of [`chip_shapes`] it looks like.
    pub fn shape(&self) -> usize {
        usize::from(self.shape)
    }

    /// The radius of its ball, in metres. Its shape has the same volume if it is made so many times as large.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// In kilograms.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// In cubic metres.
    pub fn volume(&self) -> f64 {
        ball_volume(self.radius)
    }

    /// Where it is.
    pub fn pose(&self) -> Pose {
        widen_pose(&self.frame)
    }

    /// In metres per second; zero for what lies.
    pub fn velocity(&self) -> DVec3 {
        match self.seat {
            Seat::Flies(flight) => widen(flight.velocity),
            Seat::Lies(_) => DVec3::ZERO,
        }
    }

    /// Whether it has come to lie: it takes no time then.
    pub fn is_lying(&self) -> bool {
        matches!(self.seat, Seat::Lies(..))
    }
}

/// What chips look like: triangles with flat normals, around the origin, of the volume of a ball of radius one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChipShape {
    /// The corners.
    pub positions: Vec<Vec3>,
    /// One for each corner.
    pub normals: Vec<Vec3>,
    /// Three for each triangle, counter-clockwise seen from outside.
    pub indices: Vec<u32>,
}

/// The shapes of all chips: blocks that were cut at random, the same in every run.
///
/// ```
/// let shapes = smithereens_simulate::chip_shapes();
/// assert_eq!(shapes.len(), 6);
/// assert!(shapes.iter().all(|shape| shape.indices.len() < 300));
/// ```
pub fn chip_shapes() -> &'static [ChipShape] {
    static ALL: OnceLock<Vec<ChipShape>> = OnceLock::new();
    ALL.get_or_init(|| (0..SHAPES as u64).map(ChipShape::cut).collect())
}

/// How many cuts make a chip, how far they are from its middle, in half sides of the block, and how long its sides are.
const CUTS: usize = 9;
const CUT_AT: [f64; 2] = [0.7, 1.05];
const SIDES: [f64; 2] = [0.75, 1.3];

impl ChipShape {
    fn cut(seed: u64) -> ChipShape {
        let mut draws = Draws::of(&[seed]);
        let mut between = |[from, to]: [f64; 2]| from + (to - from) * draws.part();
        let sides = DVec3::new(between(SIDES), between(SIDES), between(SIDES));
        let offsets: Vec<f64> = (0..CUTS).map(|_| between(CUT_AT)).collect();
        let mut block = Convex::from_box(&Aabb::new(DVec3::NEG_ONE, DVec3::ONE));
        for offset in offsets {
            let normal = draws.way().normalize_or(DVec3::X);
            block = block.clipped(&Halfspace::behind(Plane { normal, offset })).unwrap_or(block);
        }
        let block = block.transformed(&DAffine3::from_scale(sides)).unwrap_or(block);
        let mass = block.mass();
        let scale = libm::cbrt(ball_volume(1.0) / mass.volume);
        let map = DAffine3::from_scale(DVec3::splat(scale)) * DAffine3::from_translation(-mass.center);
        ChipShape::of(&block.transformed(&map).unwrap_or(block))
    }

    fn of(convex: &Convex) -> ChipShape {
        let mut shape = ChipShape::default();
        for (index, face) in convex.faces().iter().enumerate() {
            let (first, normal) = (shape.positions.len() as u32, face.halfspace().outward().normal.as_vec3());
            shape.positions.extend(convex.face_points(index).map(|point| point.as_vec3()));
            let corners = shape.positions.len() as u32 - first;
            shape.normals.extend((0..corners).map(|_| normal));
            shape.indices.extend((2..corners).flat_map(|corner| [first, first + corner - 1, first + corner]));
        }
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_closed_and_as_large_as_a_ball() {
        for shape in chip_shapes() {
            let corner = |index: u32| shape.positions[index as usize].as_dvec3();
            let triangles = shape.indices.chunks_exact(3).map(|t| [corner(t[0]), corner(t[1]), corner(t[2])]);
            let volume: f64 = triangles.clone().map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
            assert!((volume / ball_volume(1.0) - 1.0).abs() < 1e-5, "{volume}");
            let area = triangles.fold(DVec3::ZERO, |sum, [a, b, c]| sum + (b - a).cross(c - a));
            assert!(area.length() < 1e-5, "it is open: {area}");
            let reach = shape.positions.iter().map(|p| p.length()).fold(0.0, f32::max);
            assert!((1.0..1.9).contains(&reach), "{reach}");
        }
    }
}
