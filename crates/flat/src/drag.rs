//! Bodies are dragged by a spring between a point of them and the pointer: Karo & Yu, section 4.3.
//!
//! The spring is one that knows the mass of what it pulls: an impulse at the anchor gives that the velocity that closes a part of the gap, whatever
//! the body weighs, as far as a pull of so many times the body's own weight goes. So heavy and light bodies follow alike, and nothing it does
//! grows with the gap beyond bounds.

use glam::{DMat2, DVec2};
use serde::{Deserialize, Serialize};

use crate::convert::narrow;
use crate::motion::Motion;
use crate::{BodyId, World};

/// The spring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Drag {
    pub body: BodyId,
    /// In the compound's coordinates.
    pub anchor: DVec2,
    pub target: DVec2,
}

/// The gap closes by this part of itself a second.
const RATE: f64 = 12.0;
/// The anchor is pulled no faster than this, in metres per second.
const FASTEST: f64 = 60.0;
/// The pull is at most this, in metres per second squared.
const STRONGEST: f64 = 400.0;
/// How much spin is left after a second on the spring.
const CALM: f64 = 0.02;

impl World {
    /// Takes hold of the body at a point of the world, if it can move.
    ///
    /// ```
    /// use smithereens_flat::{Material, NewBody, Options, Pose, World};
    /// use smithereens_planar::{Aabb, Shape};
    /// use glam::DVec2;
    /// let mut world = World::new(Options::default(), Material::table())?;
    /// let id = world.add(NewBody::of(&Shape::new(&Aabb::square(0.5).corners(), &[])?, Pose::IDENTITY))?;
    /// assert_eq!(world.grab(DVec2::ZERO), Some(id));
    /// world.drag(DVec2::new(3.0, 2.0));
    /// (0..90).for_each(|_| world.step());
    /// assert!(world.pose(id).unwrap().at.distance(DVec2::new(3.0, 2.0)) < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn grab(&mut self, point: DVec2) -> Option<BodyId> {
        let id = self.body_at(point)?;
        let body = self.bodies.get(&id).filter(|body| !body.is_fixed)?;
        let anchor = self.frame(body)?.point_back(point);
        self.drag = Some(Drag { body: id, anchor, target: point });
        Some(id)
    }

    /// Moves the other end of the spring. What is not finite is ignored.
    pub fn drag(&mut self, to: DVec2) {
        if let Some(drag) = self.drag.as_mut().filter(|_| to.is_finite()) {
            drag.target = to;
        }
    }

    /// Lets go.
    pub fn release(&mut self) {
        self.drag = None;
    }

    /// Both ends of the spring, in the world: on the body, and where it pulls to.
    pub fn grabbed(&self) -> Option<(DVec2, DVec2)> {
        let drag = self.drag?;
        Some((self.pose(drag.body)?.point(drag.anchor), drag.target))
    }

    /// The body that is held by the spring.
    pub fn grabbed_body(&self) -> Option<BodyId> {
        self.drag.map(|drag| drag.body)
    }

    /// Pulls, before a step.
    pub(crate) fn pull(&mut self) {
        let Some((drag, (anchor, target))) = self.drag.zip(self.grabbed()) else { return };
        let handle = self.bodies.get(&drag.body).map(|body| body.handle);
        let dt = self.options.step;
        let Some(rigid) = handle.and_then(|handle| self.physics.bodies.get_mut(handle)) else { return };
        if !rigid.is_dynamic() {
            return;
        }
        let spin = rigid.angvel() * libm::pow(CALM, dt) as f32;
        rigid.set_angvel(spin, true);
        let motion = Motion::of(rigid);
        let arm = anchor - motion.center;
        let wanted = ((target - anchor) * RATE).clamp_length_max(FASTEST);
        let weight = f64::from(rigid.mass());
        let turn = f64::from(rigid.mass_properties().effective_world_inv_inertia);
        let turned = DMat2::from_cols(
            DVec2::new(arm.y * arm.y, -arm.x * arm.y),
            DVec2::new(-arm.x * arm.y, arm.x * arm.x),
        );
        let mobility = DMat2::IDENTITY * (1.0 / weight) + turned * turn;
        // What gravity will do in the step is made up for.
        let change = wanted - motion.at(anchor) - self.options.gravity * dt;
        let impulse = (mobility.inverse() * change).clamp_length_max(weight * STRONGEST * dt);
        if impulse.is_finite() {
            rigid.apply_impulse_at_point(narrow(impulse), narrow(anchor), true);
        }
    }

    /// The spring goes with the fragment that its anchor is in.
    pub(crate) fn drag_follows(&mut self, broken: BodyId, born: &[BodyId]) {
        let Some(drag) = self.drag.as_mut().filter(|drag| drag.body == broken) else { return };
        let holds = |id: &&BodyId| self.bodies.get(id).is_some_and(|body| body.contains(drag.anchor));
        if let Some(&id) = born.iter().find(holds) {
            drag.body = id;
        }
    }
}
