//! The sets of Rapier, whoever owns them.

use rapier3d::prelude::*;

use crate::body::Seat;
use crate::convert::narrow;
use crate::vacant::Vacant;
use crate::watch::user_data;
use crate::{Body, BodyId};

/// The sets of Rapier that bodies live in, lent by whoever steps them.
///
/// ```
/// use rapier3d::prelude::PhysicsWorld;
/// use smithereens_simulate::Physics;
/// let mut world = PhysicsWorld::default();
/// let physics = Physics::from(&mut world);
/// assert_eq!(physics.bodies.len(), 0);
/// ```
pub struct Physics<'a> {
    /// All rigid bodies.
    pub bodies: &'a mut RigidBodySet,
    /// All colliders.
    pub colliders: &'a mut ColliderSet,
    /// What is awake.
    pub islands: &'a mut IslandManager,
    /// What is near what: debris finds what it hits by it.
    pub broad_phase: &'a BroadPhaseBvh,
    /// What touches what.
    pub narrow_phase: &'a NarrowPhase,
    /// Joints; those of a body that goes, go with it.
    pub impulse_joints: &'a mut ImpulseJointSet,
    /// Joints of articulations.
    pub multibody_joints: &'a mut MultibodyJointSet,
    /// Soft bodies.
    pub soft_bodies: &'a mut SoftBodySet,
    /// By which debris falls, in metres per second squared: that of the step.
    pub gravity: Vector,
}

impl<'a> From<&'a mut PhysicsWorld> for Physics<'a> {
    fn from(world: &'a mut PhysicsWorld) -> Physics<'a> {
        Physics {
            bodies: &mut world.bodies,
            colliders: &mut world.colliders,
            islands: &mut world.islands,
            broad_phase: &world.broad_phase,
            narrow_phase: &world.narrow_phase,
            impulse_joints: &mut world.impulse_joints,
            multibody_joints: &mut world.multibody_joints,
            soft_bodies: &mut world.soft_bodies,
            gravity: world.gravity,
        }
    }
}

impl Physics<'_> {
    /// Takes a body away, with its colliders.
    pub(crate) fn remove_body(&mut self, body: &Body, vacant: &mut Vacant) {
        match body.seat {
            Seat::Rigid(handle) => self.remove_rigid(handle, vacant),
            Seat::Rest(_) => body.handles().for_each(|handle| self.remove_collider(handle, vacant)),
        }
    }

    /// Takes a rigid body away, with its colliders.
    pub(crate) fn remove_rigid(&mut self, handle: RigidBodyHandle, vacant: &mut Vacant) {
        if let Some(rigid) = self.take_rigid(handle, true) {
            vacant.take(self.colliders, rigid.colliders().len());
        }
    }

    fn take_rigid(&mut self, handle: RigidBodyHandle, with_colliders: bool) -> Option<RigidBody> {
        self.bodies.remove(
            handle,
            self.islands,
            self.colliders,
            self.impulse_joints,
            self.multibody_joints,
            self.soft_bodies,
            with_colliders,
        )
    }

    /// Makes a free body a part of all that rests: its colliders become static, and belong to no rigid body any more. They are made anew for that:
    /// colliders that only lose their body stay paired with all they were near.
    pub(crate) fn set_down(&mut self, body: &mut Body, vacant: &mut Vacant) {
        let Seat::Rigid(handle) = body.seat else { return };
        let Some(rigid) = self.take_rigid(handle, false) else { return };
        let pose = *rigid.position();
        self.move_colliders(body, vacant, |physics, mut collider, local| {
            collider.set_position(pose * local);
            physics.colliders.insert(collider)
        });
        body.seat = Seat::Rest(pose);
    }

    /// Gives what rests a rigid body again, where it is.
    pub(crate) fn lift(&mut self, body: &mut Body, id: BodyId, mass: MassProperties, vacant: &mut Vacant) {
        let Seat::Rest(pose) = body.seat else { return };
        let rigid = RigidBodyBuilder::dynamic().pose(pose).additional_mass_properties(mass);
        let rigid = self.bodies.insert(rigid.user_data(user_data(id)));
        self.move_colliders(body, vacant, |physics, mut collider, local| {
            collider.set_position(local);
            physics.colliders.insert_with_parent(collider, rigid, physics.bodies)
        });
        body.seat = Seat::Rigid(rigid);
        if let Some(rigid) = self.bodies.get_mut(rigid) {
            rigid.recompute_mass_properties_from_colliders(self.colliders);
        }
    }

    /// Takes a body's colliders out of their set, and puts them back another way.
    fn move_colliders(
        &mut self,
        body: &mut Body,
        vacant: &mut Vacant,
        put: impl Fn(&mut Physics, Collider, rapier3d::math::Pose) -> ColliderHandle,
    ) {
        let places = body.placed_handles();
        for (handle, (_, place)) in body.handles_mut().zip(places) {
            if let Some(collider) = self.take_collider(*handle, vacant) {
                *handle = put(self, collider, rapier3d::math::Pose::from_translation(narrow(place)));
            }
        }
    }

    /// Takes a collider away.
    pub(crate) fn remove_collider(&mut self, handle: ColliderHandle, vacant: &mut Vacant) {
        self.take_collider(handle, vacant);
    }

    fn take_collider(&mut self, handle: ColliderHandle, vacant: &mut Vacant) -> Option<Collider> {
        let taken = self.colliders.remove(handle, self.islands, self.bodies, self.soft_bodies, true)?;
        vacant.take(self.colliders, 1);
        Some(taken)
    }
}
