//! A compound in the physics world.

use std::sync::Arc;

use glam::DVec2;
use rapier2d::prelude::{ColliderHandle, RigidBodyHandle};
use serde::{Deserialize, Serialize};
use smithereens_planar::modes::Weakness;
use smithereens_planar::{Aabb, Compound, Piece};

use crate::outline::Outline;

/// Which body: numbers are never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BodyId(pub u64);

/// Which material, as an index into those of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct MaterialId(pub u32);

/// A compound in the physics world.
///
/// Fragments keep the coordinates of the compound that they were part of. The frame that physics moves has its origin in the body's
/// centre of mass: numbers stay small there.
#[derive(Clone, Debug)]
pub struct Body {
    /// Which.
    pub id: BodyId,
    pub(crate) name: Arc<str>,
    pub(crate) compound: Compound,
    pub(crate) material: MaterialId,
    pub(crate) weakness: Option<Arc<Weakness>>,
    /// The origin of the physics frame, in the compound's coordinates.
    pub(crate) center: DVec2,
    pub(crate) handle: RigidBodyHandle,
    /// For each piece its collider; what is too thin has none.
    pub(crate) colliders: Vec<Option<ColliderHandle>>,
    pub(crate) anchors: Arc<[Aabb]>,
    pub(crate) parent: Option<BodyId>,
    pub(crate) root: BodyId,
    pub(crate) born: u64,
    pub(crate) changed: u64,
    /// Contacts do not break it before this step.
    pub(crate) safe_until: u64,
    pub(crate) is_fixed: bool,
    /// Edges whose mark has this number or a higher one were laid open; none for what was whole.
    pub(crate) first_cut: u64,
    pub(crate) outline: Arc<Outline>,
}

impl Body {
    /// Its pieces and bonds.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// What it is called: fragments are called as what they broke off.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is made of.
    pub fn material(&self) -> MaterialId {
        self.material
    }

    /// What says where it breaks by nature, if that is known. Its fragments share it.
    pub fn weakness(&self) -> Option<&Arc<Weakness>> {
        self.weakness.as_ref()
    }

    /// Whether it is held: a piece of it reaches into one of its anchors.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// What holds it: boxes in the compound's coordinates.
    pub fn anchors(&self) -> &[Aabb] {
        &self.anchors
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

    /// The merged outline of its pieces, for drawing. In the compound's coordinates; made once for each change.
    pub fn outline(&self) -> &Arc<Outline> {
        &self.outline
    }

    /// Whether it is made of a user's own convexes, as a wall of bricks: pictures show them.
    pub fn is_masonry(&self) -> bool {
        self.first_cut > 0
    }

    /// Its rigid body in the sets of Rapier.
    pub fn handle(&self) -> RigidBodyHandle {
        self.handle
    }

    /// Whether one of its pieces holds a point of the compound's coordinates.
    pub fn contains(&self, point: DVec2) -> bool {
        let holds = |piece: &Arc<Piece>| piece.bounds().contains(point) && piece.convex().contains(point);
        self.compound.bounds().contains(point) && self.compound.pieces().iter().any(holds)
    }
}

/// Whether one of the pieces reaches into one of the boxes.
pub(crate) fn is_anchored(compound: &Compound, anchors: &[Aabb]) -> bool {
    let near = |anchor: &Aabb| anchor.meets(&compound.bounds());
    anchors.iter().any(near) && compound.pieces().iter().any(|piece| reaches_anchor(piece, anchors))
}

/// Whether a piece reaches into one of the boxes.
pub(crate) fn reaches_anchor(piece: &Piece, anchors: &[Aabb]) -> bool {
    let reaches = |anchor: &Aabb| {
        anchor.holds(piece.bounds())
            || (anchor.meets(piece.bounds())
                && piece.convex().intersection(&smithereens_planar::Convex::from_box(anchor)).is_some())
    };
    anchors.iter().any(reaches)
}
