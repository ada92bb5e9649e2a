//! The sets of Rapier, whoever owns them.

use rapier3d::prelude::*;

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
    /// Joints; those of a body that goes, go with it.
    pub impulse_joints: &'a mut ImpulseJointSet,
    /// Joints of articulations.
    pub multibody_joints: &'a mut MultibodyJointSet,
    /// Soft bodies.
    pub soft_bodies: &'a mut SoftBodySet,
}

impl<'a> From<&'a mut PhysicsWorld> for Physics<'a> {
    fn from(world: &'a mut PhysicsWorld) -> Physics<'a> {
        Physics {
            bodies: &mut world.bodies,
            colliders: &mut world.colliders,
            islands: &mut world.islands,
            impulse_joints: &mut world.impulse_joints,
            multibody_joints: &mut world.multibody_joints,
            soft_bodies: &mut world.soft_bodies,
        }
    }
}

impl Physics<'_> {
    pub(crate) fn remove_body(&mut self, handle: RigidBodyHandle) {
        self.bodies.remove(
            handle,
            self.islands,
            self.colliders,
            self.impulse_joints,
            self.multibody_joints,
            self.soft_bodies,
            true,
        );
    }

    pub(crate) fn remove_collider(&mut self, handle: ColliderHandle) {
        self.colliders.remove(handle, self.islands, self.bodies, self.soft_bodies, true);
    }
}
