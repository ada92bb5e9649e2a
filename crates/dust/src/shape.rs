//! What stands or moves in the air: boxes and balls, anywhere and turned in any way.

use glam::{DQuat, DVec3, Mat3A, Vec3A};
use serde::{Deserialize, Serialize};
use wide::f32x4;

use crate::convert::{narrow, narrow_turn};

/// A shape about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A box: half its lengths along its own axes, in metres.
    Box(DVec3),
    /// A ball: its radius in metres.
    Ball(f64),
}

/// Something that does not move: dust flows around it and settles on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blocker {
    /// Its shape.
    pub shape: Shape,
    /// Its centre.
    pub at: DVec3,
    /// How it is turned.
    pub turn: DQuat,
}

/// Something that moves and drags the air along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Its shape.
    pub shape: Shape,
    /// Its centre.
    pub at: DVec3,
    /// How it is turned.
    pub turn: DQuat,
    /// How fast its centre moves, in metres a second.
    pub velocity: DVec3,
    /// How fast it turns, in radians a second about the axis that the vector points along.
    pub spin: DVec3,
}

impl Blocker {
    /// A box along the axes, from its lowest corner to its highest.
    ///
    /// ```
    /// use glam::DVec3;
    /// let step = smithereens_dust::Blocker::from_corners(DVec3::ZERO, DVec3::new(4.0, 0.5, 2.0));
    /// assert_eq!(step.at, DVec3::new(2.0, 0.25, 1.0));
    /// ```
    pub fn from_corners(min: DVec3, max: DVec3) -> Blocker {
        Blocker { shape: Shape::Box(0.5 * (max - min)), at: 0.5 * (min + max), turn: DQuat::IDENTITY }
    }

    /// As it is worked with; nothing if it is nowhere or has no size.
    pub(crate) fn form(&self) -> Option<Form> {
        Form::new(self.shape, self.at, self.turn)
    }
}

impl Mover {
    /// As it is worked with, with its velocity and its spin; nothing if one of them is nowhere or without end.
    pub(crate) fn form(&self) -> Option<Moving> {
        let (velocity, spin) = (narrow(self.velocity)?.into(), narrow(self.spin)?.into());
        Some((Form::new(self.shape, self.at, self.turn)?, velocity, spin))
    }
}

/// A mover as it is worked with: its shape, its velocity, its spin.
pub(crate) type Moving = (Form, Vec3A, Vec3A);

/// A shape in its place, in single precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Form {
    pub at: Vec3A,
    /// To its own axes, column by column, and back.
    inward: [f32x4; 3],
    outward: Mat3A,
    half: Vec3A,
    reach: Vec3A,
    /// The same as `half`, for a glance at all axes at once: the fourth lane is always inside.
    ends: f32x4,
    is_ball: bool,
}

impl Form {
    fn new(shape: Shape, at: DVec3, turn: DQuat) -> Option<Form> {
        let (half, is_ball) = match shape {
            Shape::Box(half) => (half, false),
            Shape::Ball(radius) => (DVec3::splat(radius), true),
        };
        let half = narrow(half).filter(|half| half.min_element() > 0.0)?;
        let outward = Mat3A::from_quat(narrow_turn(turn)?);
        let column = |column: Vec3A| f32x4::new([column.x, column.y, column.z, 0.0]);
        let inward = outward.transpose();
        let form = Form {
            at: narrow(at)?.into(),
            inward: [inward.x_axis, inward.y_axis, inward.z_axis].map(column),
            outward,
            half: Vec3A::ZERO,
            reach: Vec3A::ZERO,
            ends: f32x4::ZERO,
            is_ball,
        };
        Some(form.with_half(half.into()))
    }

    fn with_half(self, half: Vec3A) -> Form {
        let reach = if self.is_ball { half } else { self.outward.abs() * half };
        Form { half, reach, ends: f32x4::new([half.x, half.y, half.z, f32::INFINITY]), ..self }
    }

    /// A way along its own axes.
    #[inline]
    fn turned_in(&self, way: Vec3A) -> f32x4 {
        self.inward[0] * way.x + self.inward[1] * way.y + self.inward[2] * way.z
    }

    /// Half the box around it along the axes of the world.
    pub fn reach(&self) -> Vec3A {
        self.reach
    }

    /// The same, but along no axis thinner than this on either side of its centre.
    pub fn thickened(&self, least: f32) -> Form {
        self.with_half(self.half.max(Vec3A::splat(least)))
    }

    pub fn volume(&self) -> f32 {
        let full = if self.is_ball { std::f32::consts::FRAC_PI_6 } else { 1.0 };
        full * 8.0 * self.half.x * self.half.y * self.half.z
    }

    #[inline]
    pub fn has(&self, point: Vec3A) -> bool {
        let way = point - self.at;
        if self.is_ball {
            return way.length_squared() < self.half.x * self.half.x;
        }
        self.turned_in(way).abs().simd_lt(self.ends).all()
    }

    /// Into which of the eight cubes around a point, with `half` of their sides to either side of their middles, it may reach: a bit each, x first, then y.
    pub fn octants_near(&self, point: Vec3A, half: f32) -> u8 {
        // A ball around each cube, a little larger for what rounding puts next door.
        let radius = 3.0_f32.sqrt() * half * 1.01;
        let way = self.turned_in(point - self.at);
        let [x, y, z] = self.inward.map(|column| column * half);
        let is_near = |octant: u32| {
            let side = |bit: u32| if octant >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let middle = (way + x * side(0) + y * side(1) + z * side(2)).abs();
            // Nothing in the fourth lane, where the end is far away.
            let gap = (middle - self.ends).fast_max(f32x4::ZERO);
            let [x, y, z, _] = (if self.is_ball { middle } else { gap }).to_array();
            let reach = if self.is_ball { self.half.x + radius } else { radius };
            x * x + y * y + z * z <= reach * reach
        };
        (0..8).filter(|octant| is_near(*octant)).fold(0, |octants, octant| octants | 1 << octant)
    }

    /// The nearest point outside, a little away from the surface, and the direction there. For points inside.
    pub fn way_out(&self, point: Vec3A, beyond: f32) -> (Vec3A, Vec3A) {
        let way = point - self.at;
        if self.is_ball {
            let out = way.normalize_or(Vec3A::Y);
            return (self.at + out * (self.half.x + beyond), out);
        }
        let [x, y, z, _] = self.turned_in(way).to_array();
        let local = Vec3A::new(x, y, z);
        let axis = (self.half - local.abs()).min_position();
        let mut out = Vec3A::ZERO;
        out[axis] = if local[axis] < 0.0 { -1.0 } else { 1.0 };
        let normal = self.outward * out;
        (point + normal * (self.half[axis] - local[axis].abs() + beyond), normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_out_leads_out_by_the_nearest_side() {
        let turn = DQuat::from_axis_angle(DVec3::Z, 0.4);
        let slab = Blocker { shape: Shape::Box(DVec3::new(3.0, 0.2, 1.0)), at: DVec3::ONE, turn };
        let ball = Blocker { shape: Shape::Ball(2.0), ..slab };
        for form in [slab, ball].map(|blocker| blocker.form().unwrap()) {
            let reach = form.reach();
            for i in 0..1000_u32 {
                let share = [i % 10, i / 10 % 10, i / 100].map(|n| n as f32 / 4.5 - 1.0);
                let point = form.at + reach * Vec3A::from_array(share);
                if form.has(point) {
                    let (out, normal) = form.way_out(point, 1e-3);
                    assert!(!form.has(out) && normal.is_normalized());
                    assert!(out.distance(point) < form.half.min_element() + 0.01);
                }
            }
        }
    }

    #[test]
    fn what_is_nowhere_has_no_form() {
        let sound = Blocker { shape: Shape::Ball(1.0), at: DVec3::ZERO, turn: DQuat::IDENTITY };
        assert!(sound.form().is_some());
        assert!(Blocker { shape: Shape::Ball(0.0), ..sound }.form().is_none());
        assert!(Blocker { shape: Shape::Ball(f64::NAN), ..sound }.form().is_none());
        assert!(Blocker { shape: Shape::Box(DVec3::new(1.0, -1.0, 1.0)), ..sound }.form().is_none());
        assert!(Blocker { at: DVec3::INFINITY, ..sound }.form().is_none());
        assert!(Blocker { turn: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..sound }.form().is_none());
    }
}
