//! What is near a chip: colliders that Rapier's tree of boxes finds, in an order that the tree has no say in.

use rapier3d::math::{Pose, Vector};
use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::parry::partitioning::Bvh;
use rapier3d::prelude::*;

use crate::Physics;
use crate::gap::{Gap, Reach};
use crate::watch::owner_of;

/// All colliders, as they are after a step.
///
/// Those that came since are not in Rapier's tree before its next step, and are not found.
pub(crate) struct Surroundings<'a> {
    tree: &'a Bvh,
    bodies: &'a RigidBodySet,
    colliders: &'a ColliderSet,
}

/// A collider, and how it moves.
#[derive(Clone, Copy)]
pub(crate) struct Near<'a> {
    pub handle: ColliderHandle,
    collider: &'a Collider,
    motion: Option<Motion>,
    /// How far it was last, and when that was asked.
    pub gap: Gap,
    pub asked: u32,
}

/// The motion of a rigid body.
#[derive(Clone, Copy)]
struct Motion {
    velocity: Vector,
    spin: Vector,
    center: Vector,
}

impl<'a> Surroundings<'a> {
    pub fn of(physics: &'a Physics) -> Surroundings<'a> {
        let (bodies, colliders) = (&*physics.bodies, &*physics.colliders);
        let dispatcher = physics.narrow_phase.query_dispatcher();
        let queries =
            physics.broad_phase.as_query_pipeline(dispatcher, bodies, colliders, QueryFilter::default());
        Surroundings { tree: queries.bvh, bodies, colliders }
    }

    /// What may reach into a box: first what moves, then what rests, then what is not ours and stays, each in the order of handles.
    pub fn find(&self, bounds: &Aabb, found: &mut Vec<Near<'a>>) {
        found.clear();
        found.extend(self.tree.intersect_aabb(bounds).filter_map(|leaf| self.near(leaf)));
        if found.len() > 1 {
            found.sort_unstable_by_key(|near| (near.firmness(), near.handle.into_raw_parts()));
        }
    }

    fn near(&self, leaf: u32) -> Option<Near<'a>> {
        let (collider, handle) = self.colliders.get_unknown_gen(leaf)?;
        let rigid = collider.parent().and_then(|parent| self.bodies.get(parent));
        let motion = rigid.filter(|rigid| rigid.is_moving()).map(|rigid| Motion {
            velocity: rigid.linvel(),
            spin: rigid.angvel(),
            center: rigid.center_of_mass(),
        });
        (!collider.is_sensor()).then_some(Near { handle, collider, motion, gap: Gap::NOWHERE, asked: 0 })
    }
}

impl Near<'_> {
    /// From the collider to a point of the world; none if it is out of reach.
    pub fn gap(&self, point: Vector, reach: Reach) -> Option<Gap> {
        let pose: &Pose = self.collider.position();
        let gap = Gap::of(self.collider.shape(), pose.inverse_transform_point(point), reach)?;
        Some(Gap { normal: pose.rotation * gap.normal, ..gap })
    }

    /// Whether it is a floor: not ours, and it stays.
    pub fn is_floor(&self) -> bool {
        self.motion.is_none() && owner_of(self.collider).is_none()
    }

    fn firmness(&self) -> u8 {
        u8::from(self.motion.is_none()) + u8::from(self.is_floor())
    }

    /// Whether all of it lies behind the plane of a gap.
    pub fn is_convex(&self) -> bool {
        self.collider.shape().is_convex()
    }

    /// How fast it is at a point of the world.
    pub fn velocity(&self, point: Vector) -> Vector {
        let at = |motion: Motion| motion.velocity + motion.spin.cross(point - motion.center);
        self.motion.map_or(Vector::ZERO, at)
    }

    pub fn spin(&self) -> Vector {
        self.motion.map_or(Vector::ZERO, |motion| motion.spin)
    }

    pub fn friction(&self) -> f32 {
        self.collider.friction()
    }

    pub fn restitution(&self) -> f32 {
        self.collider.restitution()
    }
}
