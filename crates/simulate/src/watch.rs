//! What touched what, and how hard: read while Rapier steps.

use std::sync::Mutex;

use glam::DVec3;
use rapier3d::geometry::NEW_CONTACT_BIT;
use rapier3d::prelude::*;

use crate::BodyId;
use crate::convert::widen;

/// Listens to Rapier: hand it to the step as the event handler.
///
/// The event of a contact force names no point, so the contact pair is read: where its impulses are, on average.
#[derive(Debug, Default)]
pub struct Watch {
    touches: Mutex<Vec<Touch>>,
}

/// A contact whose force was large enough to break something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// The bodies on both sides; none for what is not ours, or does not break.
    pub bodies: [Option<BodyId>; 2],
    pub handles: [Option<RigidBodyHandle>; 2],
    pub at: DVec3,
    /// From the first to the second.
    pub normal: DVec3,
    /// In newton seconds.
    pub impulse: f64,
    /// In newtons.
    pub force: f64,
}

impl Touch {
    /// Contacts of the same two bodies as one: where their impulses are on average, and the sum of them.
    fn sum(all: &[Touch]) -> Touch {
        let impulse: f64 = all.iter().map(|touch| touch.impulse).sum();
        let middle = |pick: fn(&Touch) -> DVec3| {
            all.iter().fold(DVec3::ZERO, |sum, touch| sum + pick(touch) * (touch.impulse / impulse))
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

pub(crate) fn body_of(body: &RigidBody) -> Option<BodyId> {
    id_of(body.user_data)
}

/// The body that a collider belongs to, whether that moves or rests.
pub(crate) fn owner_of(collider: &Collider) -> Option<BodyId> {
    id_of(collider.user_data)
}

fn id_of(user_data: u128) -> Option<BodyId> {
    user_data.checked_sub(1).and_then(|n| u64::try_from(n).ok()).map(BodyId)
}

impl Watch {
    /// What was seen since the last time, in an order that threads have no say in. What touches in several places counts as one.
    pub(crate) fn take(&self) -> Vec<Touch> {
        let mut touches = match self.touches.lock() {
            Ok(mut touches) => std::mem::take(&mut *touches),
            Err(_) => Vec::new(),
        };
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

/// A contact of a pair: where it is on each side, the way it pushes the second, and how hard, as an equal share of its face's impulse.
pub(crate) struct Impulse {
    pub points: [DVec3; 2],
    pub normal: DVec3,
    pub impulse: f64,
    /// What drags the second across the normal, in newton seconds.
    pub friction: DVec3,
}

/// The contacts of a pair.
pub(crate) fn impulses(pair: &ContactPair, bodies: &RigidBodySet) -> impl Iterator<Item = Impulse> {
    pair.solver_manifolds().iter().flat_map(move |manifold| {
        let all: f64 = manifold.points.iter().map(|point| f64::from(point.data.impulse)).sum();
        let contacts = &manifold.data.solver_contacts;
        let share = 1.0 / contacts.len().max(1) as f64;
        let (impulse, normal, friction) =
            (all * share, widen(manifold.data.normal), friction(manifold) * share);
        contacts.iter().map(move |contact| {
            let (a, b) = manifold.data.solver_contact_world_points(contact, bodies);
            Impulse { points: [widen(a), widen(b)], normal, impulse, friction }
        })
    })
}

/// What friction drags the second side of a face by, over a step.
///
/// Rapier solves a step in parts. Along the normal it tells the sum of all parts; of friction, in the model that has one constraint a face, only the
/// last part, at every contact alike. That part counts as often as the last part along the normal goes into its sum. Coulomb's
/// model, the only one that also tells tangent impulses, has a constraint a contact: there they add up.
fn friction(manifold: &ContactManifold) -> DVec3 {
    let contacts = manifold.data.solver_contacts.iter();
    let points = contacts
        .filter_map(|contact| manifold.points.get((contact.contact_id[0] & !NEW_CONTACT_BIT) as usize));
    let (mut sum, mut count, mut is_one_each) = (DVec3::ZERO, 0.0, false);
    let (mut all, mut last) = (0.0, 0.0);
    for point in points {
        let data = &point.data;
        sum -= widen(data.warmstart_tangent_world);
        count += 1.0;
        is_one_each |= data.tangent_impulse.x != 0.0 || data.tangent_impulse.y != 0.0;
        all += f64::from(data.impulse);
        last += f64::from(data.warmstart_impulse);
    }
    let parts = if last > 0.0 { all / last } else { 0.0 };
    let dragged = sum * if is_one_each || count == 0.0 { parts } else { parts / count };
    // The last part of a step in which things shake may be like none of the others.
    dragged.clamp_length_max(all * f64::from(manifold.data.friction))
}

/// Where a pair's impulses are on average, their way, and their sum.
fn middle(pair: &ContactPair, bodies: &RigidBodySet) -> Option<(DVec3, DVec3, f64)> {
    let (mut at, mut way, mut sum) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for contact in impulses(pair, bodies) {
        at += (contact.points[0] + contact.points[1]) * (0.5 * contact.impulse);
        way += contact.normal * contact.impulse;
        sum += contact.impulse;
    }
    let normal = way.try_normalize()?;
    let at = at / sum;
    (sum > 0.0 && at.is_finite()).then_some((at, normal, sum))
}
