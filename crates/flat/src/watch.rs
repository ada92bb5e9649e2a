//! What touched what, and how hard: read while Rapier steps.

use std::sync::Mutex;

use glam::DVec2;
use rapier2d::prelude::*;

use crate::BodyId;
use crate::convert::widen;

/// Listens to Rapier while it steps.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    touches: Mutex<Vec<Touch>>,
}

/// A contact whose force was large enough to break something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// The bodies on both sides.
    pub bodies: [Option<BodyId>; 2],
    pub handles: [Option<RigidBodyHandle>; 2],
    pub at: DVec2,
    /// From the first to the second.
    pub normal: DVec2,
    /// In newton seconds.
    pub impulse: f64,
    /// In newtons.
    pub force: f64,
}

impl Touch {
    /// Contacts of the same two bodies as one: where their impulses are on average, and the sum of them.
    fn sum(all: &[Touch]) -> Touch {
        let impulse: f64 = all.iter().map(|touch| touch.impulse).sum();
        let middle = |pick: fn(&Touch) -> DVec2| {
            all.iter().fold(DVec2::ZERO, |sum, touch| sum + pick(touch) * (touch.impulse / impulse))
        };
        let normal = middle(|touch| touch.normal).try_normalize().unwrap_or(all[0].normal);
        let force = all.iter().map(|touch| touch.force).sum();
        Touch { at: middle(|touch| touch.at), normal, impulse, force, ..all[0] }
    }
}

/// The number of a body is in the user data of its rigid body and of its colliders, one more than it: zero is what is not ours.
pub(crate) fn user_data(id: BodyId) -> u128 {
    u128::from(id.0) + 1
}

/// The body that a collider belongs to.
pub(crate) fn owner_of(collider: &Collider) -> Option<BodyId> {
    collider.user_data.checked_sub(1).and_then(|n| u64::try_from(n).ok()).map(BodyId)
}

impl Watch {
    /// What was seen, in an order that threads have no say in. What touches in several places counts as one.
    pub fn take(self) -> Vec<Touch> {
        let mut touches = self.touches.into_inner().unwrap_or_default();
        let raw = |handle: Option<RigidBodyHandle>| handle.map(RigidBodyHandle::into_raw_parts);
        let key =
            |t: &Touch| (t.bodies, t.handles.map(raw), t.at.to_array().map(f64::to_bits), t.force.to_bits());
        touches.sort_by_key(key);
        let are_alike = |a: &Touch, b: &Touch| a.bodies == b.bodies && a.handles == b.handles;
        touches.chunk_by(are_alike).map(Touch::sum).collect()
    }
}

impl EventHandler for Watch {
    fn handle_collision_event(
        &self,
        _: &RigidBodySet,
        _: &ColliderSet,
        _: CollisionEvent,
        _: Option<&ContactPair>,
    ) {
    }

    fn handle_contact_force_event(
        &self,
        _: Real,
        bodies: &RigidBodySet,
        colliders: &ColliderSet,
        pair: &ContactPair,
        force: Real,
    ) {
        let sides = [pair.collider1, pair.collider2];
        let handles = sides.map(|side| colliders.get(side).and_then(Collider::parent));
        let ids = sides.map(|side| colliders.get(side).and_then(owner_of));
        if let Some((at, normal, impulse)) = middle(pair, bodies)
            && let Ok(mut touches) = self.touches.lock()
        {
            touches.push(Touch { bodies: ids, handles, at, normal, impulse, force: f64::from(force) });
        }
    }

    fn handle_soft_body_tear_event(&self, _: &SoftBodySet, _: &SoftBodyTearEvent) {}
}

/// A contact of a pair: where it is, the way it pushes the second, and how hard, as an equal share of its face's impulse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Impulse {
    pub at: DVec2,
    pub normal: DVec2,
    pub impulse: f64,
}

/// The contacts of a pair.
pub(crate) fn impulses(pair: &ContactPair, bodies: &RigidBodySet) -> impl Iterator<Item = Impulse> {
    pair.solver_manifolds().iter().flat_map(move |manifold| {
        let all: f64 = manifold.points.iter().map(|point| f64::from(point.data.impulse)).sum();
        let contacts = &manifold.data.solver_contacts;
        let impulse = all / contacts.len().max(1) as f64;
        let normal = widen(manifold.data.normal);
        contacts.iter().map(move |contact| {
            let (a, b) = manifold.data.solver_contact_world_points(contact, bodies);
            Impulse { at: (widen(a) + widen(b)) * 0.5, normal, impulse }
        })
    })
}

/// Where a pair's impulses are on average, their way, and their sum.
fn middle(pair: &ContactPair, bodies: &RigidBodySet) -> Option<(DVec2, DVec2, f64)> {
    let (mut at, mut way, mut sum) = (DVec2::ZERO, DVec2::ZERO, 0.0);
    for contact in impulses(pair, bodies) {
        at += contact.at * contact.impulse;
        way += contact.normal * contact.impulse;
        sum += contact.impulse;
    }
    let normal = way.try_normalize()?;
    let at = at / sum;
    (sum > 0.0 && at.is_finite()).then_some((at, normal, sum))
}
