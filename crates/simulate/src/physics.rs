//! The sets of Rapier, whoever owns them.

use rapier3d::prelude::*;

use crate::Body;

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
    /// What touches what.
    pub narrow_phase: &'a NarrowPhase,
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
            narrow_phase: &world.narrow_phase,
            impulse_joints: &mut world.impulse_joints,
            multibody_joints: &mut world.multibody_joints,
            soft_bodies: &mut world.soft_bodies,
        }
    }
}

impl Physics<'_> {
    pub(crate) fn remove_body(&mut self, handle: RigidBodyHandle) {
        self.remove_rigid(handle, true);
    }

    fn remove_rigid(&mut self, handle: RigidBodyHandle, with_colliders: bool) -> Option<RigidBody> {
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

    /// Makes a free body static or the other way round, where it is and at rest. It is made anew for that, with its colliders: a rigid body that only
    /// changes its type stays among those that are awake, and colliders that only change their body stay paired with all they were near.
    pub(crate) fn reseat(&mut self, body: &mut Body, kind: RigidBodyType) {
        let Some(old) = self.remove_rigid(body.handle, false) else { return };
        let new = RigidBodyBuilder::new(kind)
            .pose(*old.position())
            .additional_mass_properties(old.mass_properties().local_mprops)
            .ccd_enabled(old.is_ccd_enabled())
            .user_data(old.user_data);
        let new = self.bodies.insert(new);
        body.handle = new;
        for handle in body.handles_mut() {
            let taken = self.colliders.remove(*handle, self.islands, self.bodies, self.soft_bodies, false);
            if let Some(mut collider) = taken {
                // Shapes are drawn in the frame of their body.
                collider.set_position(rapier3d::math::Pose::IDENTITY);
                *handle = self.colliders.insert_with_parent(collider, new, self.bodies);
            }
        }
        if let Some(rigid) = self.bodies.get_mut(new) {
            rigid.recompute_mass_properties_from_colliders(self.colliders);
        }
    }

    pub(crate) fn remove_collider(&mut self, handle: ColliderHandle) {
        self.colliders.remove(handle, self.islands, self.bodies, self.soft_bodies, true);
    }
}
