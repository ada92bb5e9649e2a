//! A compound in the physics world.

use std::sync::Arc;

use glam::DVec3;
use rapier3d::prelude::{ColliderHandle, RigidBody, RigidBodyHandle, RigidBodySet};
use serde::{Deserialize, Serialize};
use smithereens::{Aabb, Compound, Convex, Halfspace, Piece, Plane};

use crate::Pose;
use crate::nature::Nature;

/// Which body: numbers are never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BodyId(pub u64);

/// Which material, as an index into those of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct MaterialId(pub u32);

/// How a body is part of the physics world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Seat {
    /// As a rigid body.
    Rigid(RigidBodyHandle),
    /// As a part of all that rests: its colliders are static and belong to no rigid body. Its frame is here.
    Rest(rapier3d::math::Pose),
}

/// A compound in the physics world.
///
/// Fragments keep the coordinates of the compound that they were part of. The frame that physics moves has its origin in the body's
/// centre of mass: numbers stay small there.
#[derive(Clone, Debug)]
pub struct Body {
    pub(crate) compound: Compound,
    pub(crate) material: MaterialId,
    /// What it is if it breaks by nature.
    pub(crate) nature: Option<Arc<Nature>>,
    /// How much of its mass it still has: the rest has become dust and chips.
    pub(crate) left: f64,
    /// The origin of the physics frame, in the compound's coordinates.
    pub(crate) center: DVec3,
    pub(crate) seat: Seat,
    /// For each piece its collider; ghosts have none, nor has any piece of a lump.
    pub(crate) colliders: Vec<Option<ColliderHandle>>,
    /// The collider of all pieces together, if they collide as their hull.
    pub(crate) lump: Option<ColliderHandle>,
    /// Boxes in the compound's coordinates: pieces that reach into one hold the body.
    pub(crate) anchors: Vec<Aabb>,
    pub(crate) parent: Option<BodyId>,
    /// The body that was added, of which it is a fragment of a fragment.
    pub(crate) root: BodyId,
    pub(crate) born: u64,
    /// The step in which it got the pieces that it has.
    pub(crate) changed: u64,
    /// Contacts do not break it before this step.
    pub(crate) safe_until: u64,
    /// Where it was when it came to be still, and for how many steps it has been.
    pub(crate) still: Option<Pose>,
    pub(crate) still_steps: u32,
    /// Where it was when something came to rest on it, as long as it is there.
    pub(crate) place: Option<Pose>,
}

impl Body {
    /// All its colliders.
    pub(crate) fn handles(&self) -> impl Iterator<Item = ColliderHandle> + '_ {
        self.colliders.iter().copied().chain([self.lump]).flatten()
    }

    /// The same with where the origin of each is, in the physics frame.
    pub(crate) fn placed_handles(&self) -> Vec<(ColliderHandle, DVec3)> {
        let of_piece =
            |(piece, handle): (usize, &Option<ColliderHandle>)| Some(((*handle)?, self.origin(Some(piece))));
        let of_pieces = self.colliders.iter().enumerate().filter_map(of_piece);
        let all = of_pieces.chain(self.lump.map(|handle| (handle, self.origin(None))));
        all.map(|(handle, origin)| (handle, origin - self.center)).collect()
    }

    pub(crate) fn handles_mut(&mut self) -> impl Iterator<Item = &mut ColliderHandle> {
        self.colliders.iter_mut().chain([&mut self.lump]).flatten()
    }

    /// Its rigid body, unless it rests.
    pub(crate) fn rigid<'a>(&self, bodies: &'a RigidBodySet) -> Option<&'a RigidBody> {
        bodies.get(self.handle()?)
    }

    /// The same, to be changed.
    pub(crate) fn rigid_mut<'a>(&self, bodies: &'a mut RigidBodySet) -> Option<&'a mut RigidBody> {
        bodies.get_mut(self.handle()?)
    }

    /// Whether it may move: it neither rests nor is held.
    pub(crate) fn is_free(&self, bodies: &RigidBodySet) -> bool {
        self.rigid(bodies).is_some_and(RigidBody::is_dynamic)
    }

    /// Where its physics frame is.
    pub(crate) fn frame(&self, bodies: &RigidBodySet) -> Option<rapier3d::math::Pose> {
        match self.seat {
            Seat::Rigid(handle) => Some(*bodies.get(handle)?.position()),
            Seat::Rest(pose) => Some(pose),
        }
    }

    /// Its pieces and bonds.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// What it is made of.
    pub fn material(&self) -> MaterialId {
        self.material
    }

    /// The body of which it was a fragment.
    pub fn parent(&self) -> Option<BodyId> {
        self.parent
    }

    /// The body that it was part of when that was added: itself, if it is no fragment.
    pub fn root(&self) -> BodyId {
        self.root
    }

    /// The step in which it came to be.
    pub fn born(&self) -> u64 {
        self.born
    }

    /// The step in which it got the pieces that it has.
    pub fn changed(&self) -> u64 {
        self.changed
    }

    /// Its rigid body in the sets of Rapier. What [rests](crate::Destruction::is_resting) has none: its colliders are static by themselves.
    pub fn handle(&self) -> Option<RigidBodyHandle> {
        match self.seat {
            Seat::Rigid(handle) => Some(handle),
            Seat::Rest(_) => None,
        }
    }

    /// Where the origin of its physics frame is in the compound's coordinates: the centre of mass when it was born.
    pub fn center(&self) -> DVec3 {
        self.center
    }
}

/// Whether one of the pieces reaches into one of the boxes.
pub(crate) fn is_anchored(compound: &Compound, anchors: &[Aabb]) -> bool {
    !anchors.is_empty() && compound.pieces().iter().any(|piece| reaches_anchor(piece, anchors))
}

/// Whether a piece reaches into one of the boxes.
pub(crate) fn reaches_anchor(piece: &Piece, anchors: &[Aabb]) -> bool {
    !piece.is_ghost() && anchors.iter().any(|a| reaches_into(piece.convex(), a))
}

fn reaches_into(convex: &Convex, bounds: &Aabb) -> bool {
    if !convex.bounds().overlaps(bounds) {
        return false;
    }
    let mut rest = convex.clone();
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for (normal, limit) in [(axis, bounds.max.dot(axis)), (-axis, -bounds.min.dot(axis))] {
            match rest.clipped(&Halfspace::behind(Plane { normal, offset: limit })) {
                Some(clipped) => rest = clipped,
                None => return false,
            }
        }
    }
    true
}
