//! Bodies from compounds, and fragments from bodies.
//!
//! A fragment inherits the velocity that its place in the parent had, v + ω × r. The fragment that kept most of the parent's pieces where they
//! were keeps its rigid body too: only the colliders near the hit are made anew.

use std::sync::Arc;

use glam::DVec3;
use rapier3d::prelude::*;
use smithereens::{Aabb, Compound, Convex, Fracture, Piece};

use crate::body::is_anchored;
use crate::convert::{mass_properties, narrow, narrow_pose, widen, widen_pose};
use crate::cover::covered;
use crate::jobs::Pending;
use crate::lump::lumps;
use crate::punch::Punch;
use crate::shape::{shape, width};
use crate::watch::user_data;
use crate::{Body, BodyId, Destruction, Event, MaterialId, NewBody, Physics, Pose};

/// What is faster than this, in metres per second, and goes so many times its own length a second, is a bullet: it does not go through what
/// moves, either. Nothing goes through what is held; and bullets do go through each other, so that not all can be.
const BULLET_SPEED: f64 = 10.0;
const BULLET_LENGTHS: f64 = 30.0;

fn is_bullet(new: &NewBody) -> bool {
    let speed = new.velocity.length();
    speed > BULLET_SPEED && speed > BULLET_LENGTHS * new.compound.bounds().extent()
}

/// The state of a body as it breaks.
struct Parent {
    id: BodyId,
    material: MaterialId,
    /// Where its compound is.
    pose: Pose,
    /// Of its centre of mass, and where that is.
    velocity: DVec3,
    spin: DVec3,
    center: DVec3,
    is_held: bool,
}

impl Destruction {
    /// Makes a rigid body and its colliders: one a piece, or one for all.
    pub(crate) fn spawn(
        &mut self,
        physics: &mut Physics,
        new: NewBody,
        lump: Option<&Convex>,
        parent: Option<BodyId>,
    ) -> BodyId {
        let id = BodyId(self.next_id);
        self.next_id += 1;
        let mass = *new.compound.mass();
        let is_held = is_anchored(&new.compound, &new.anchors);
        let pose = Pose { at: new.pose.point(mass.center), ..new.pose };
        let kind = if is_held { RigidBodyType::Fixed } else { RigidBodyType::Dynamic };
        let rigid = RigidBodyBuilder::new(kind)
            .pose(narrow_pose(&pose))
            .linvel(narrow(new.velocity))
            .angvel(narrow(new.spin))
            .additional_mass_properties(mass_properties(&mass, self.density(new.material)))
            .ccd_enabled(is_bullet(&new))
            .user_data(user_data(id));
        let handle = physics.bodies.insert(rigid);
        let cool_down = if parent.is_some() { self.cool_down_steps } else { 0 };
        let mut body = Body {
            colliders: Vec::new(),
            lump: None,
            compound: new.compound,
            material: new.material,
            center: mass.center,
            handle,
            anchors: new.anchors,
            parent,
            root: parent.and_then(|parent| self.bodies.get(&parent)).map_or(id, Body::root),
            born: self.step,
            changed: self.step,
            safe_until: self.step.saturating_add(cool_down),
            still: None,
            still_steps: 0,
            place: None,
        };
        self.collide_anew(physics, &mut body, lump);
        if let Some(rigid) = physics.bodies.get_mut(handle) {
            rigid.recompute_mass_properties_from_colliders(physics.colliders);
        }
        self.bodies.insert(id, body);
        id
    }

    /// Gives a body all its colliders.
    fn collide_anew(&self, physics: &mut Physics, body: &mut Body, lump: Option<&Convex>) {
        body.lump = lump.and_then(|hull| self.collide(physics, body, hull));
        body.colliders = vec![None; body.compound.pieces().len()];
        if body.lump.is_none() {
            let is_covered = covered(&body.compound);
            for (index, is_covered) in is_covered.into_iter().enumerate() {
                body.colliders[index] =
                    if is_covered { None } else { self.collide_piece(physics, body, index) };
            }
        }
    }

    /// Gives a piece of a body its collider.
    fn collide_piece(&self, physics: &mut Physics, body: &Body, index: usize) -> Option<ColliderHandle> {
        let piece = &body.compound.pieces()[index];
        if piece.is_ghost() { None } else { self.collide(physics, body, piece.convex()) }
    }

    /// Gives a body a collider.
    fn collide(&self, physics: &mut Physics, body: &Body, convex: &Convex) -> Option<ColliderHandle> {
        let material = &self.materials[body.material.0 as usize];
        let shape = shape(convex, body.center, self.options.thinnest)?;
        let mut collider = ColliderBuilder::new(shape)
            .mass_properties(MassProperties::default())
            .friction(material.friction as f32)
            .restitution(material.restitution as f32);
        if material.strength.is_finite() {
            collider = collider
                .active_events(ActiveEvents::CONTACT_FORCE_EVENTS)
                .contact_force_event_threshold(material.strength as f32);
        }
        Some(physics.colliders.insert_with_parent(collider, body.handle, physics.bodies))
    }

    /// Puts what a fracture made in the place of the body that broke.
    pub(crate) fn replace(
        &mut self,
        physics: &mut Physics,
        id: BodyId,
        fracture: Fracture,
        hit: &Pending,
    ) -> Option<Event> {
        self.wake(physics, id);
        let parent = self.parent(physics, id)?;
        let heir = self.heir(id, &fracture);
        let report = &fracture.report;
        let mut event = Event {
            step: self.step,
            body: id,
            time: report.times.total(),
            touched: report.touched,
            fragments: fracture.fragments.len(),
            born: Vec::new(),
            retired: 0,
        };
        let density = self.density(parent.material);
        self.retired.mass += report.dropped.volume * density;
        let anchors = self.bodies[&id].anchors.clone();
        let lumps = lumps(&fracture.fragments, self.options.lump);
        let mut rest = None;
        for (index, (fragment, lump)) in fracture.fragments.into_iter().zip(lumps).enumerate() {
            let volume = fragment.compound.mass().volume;
            let (is_small, is_thin) = (volume < self.options.smallest, self.is_thin(&fragment.compound));
            if is_small || is_thin {
                event.retired += 1;
                self.retired.small += usize::from(is_small);
                self.retired.thin += usize::from(!is_small);
                self.retired.mass += volume * density;
            } else if Some(index) == heir {
                rest = Some((fragment.compound, lump));
            } else {
                let new = parent.fragment(fragment.compound, anchors.clone());
                event.born.push(self.spawn(physics, new, lump.as_ref(), Some(id)));
            }
        }
        self.push_apart(physics, &parent, &event.born, hit);
        let at = parent.pose.point(hit.point);
        if let Some(striker) = hit.striker {
            let direction = (parent.pose.turn * hit.direction).normalize_or_zero();
            let (radius, velocity) = (hit.how.radius, parent.velocity_at(at));
            self.punch(physics, &Punch { striker, at, direction, radius, velocity }, &event.born);
        }
        let reached = Aabb::new(at, at).grown(hit.how.radius);
        self.wake_load_where_broken(physics, id, reached, &event.born);
        match rest {
            Some((rest, lump)) => self.keep(physics, &parent, rest, lump.as_ref()),
            None => drop(self.remove(physics, id)),
        }
        self.fragments_of.entry(id).or_default().extend(&event.born);
        Some(event)
    }

    /// Whether none of the pieces is thick enough to collide.
    pub(crate) fn is_thin(&self, compound: &Compound) -> bool {
        let is_thin = |piece: &Piece| piece.is_ghost() || width(piece.convex()) <= self.options.thinnest;
        compound.pieces().iter().all(|piece| is_thin(piece))
    }

    fn parent(&self, physics: &Physics, id: BodyId) -> Option<Parent> {
        let body = self.bodies.get(&id)?;
        let rigid = physics.bodies.get(body.handle)?;
        let frame = widen_pose(rigid.position());
        Some(Parent {
            id,
            material: body.material,
            pose: Pose { at: frame.point(-body.center), ..frame },
            velocity: widen(rigid.linvel()),
            spin: widen(rigid.angvel()),
            center: widen(rigid.center_of_mass()),
            is_held: !rigid.is_dynamic(),
        })
    }

    /// The fragment that the body goes on as: what has most of its pieces where they were, or else the largest of what lies beyond the impact.
    fn heir(&self, id: BodyId, fracture: &Fracture) -> Option<usize> {
        let before = self.bodies.get(&id)?.compound.pieces();
        let kept = |compound: &Compound| {
            let pairs = compound.pieces().iter().zip(before.iter());
            pairs.filter(|(now, then)| Arc::ptr_eq(now, then)).count()
        };
        let rest = fracture.fragments.iter().enumerate().filter(|(_, fragment)| fragment.colour.is_none());
        let rest = rest.map(|(index, f)| (kept(&f.compound), f.compound.mass().volume, index));
        let largest = rest.max_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).then(y.2.cmp(&x.2)));
        largest.map(|(_, _, index)| index)
    }

    /// The body goes on as what is left of it.
    fn keep(&mut self, physics: &mut Physics, parent: &Parent, rest: Compound, lump: Option<&Convex>) {
        let Some(mut body) = self.bodies.remove(&parent.id) else { return };
        let before = std::mem::replace(&mut body.compound, rest);
        if lump.is_some() || body.lump.is_some() {
            let old: Vec<ColliderHandle> = body.handles().collect();
            self.collide_anew(physics, &mut body, lump);
            old.into_iter().for_each(|handle| physics.remove_collider(handle));
        } else {
            self.keep_colliders(physics, &mut body, &before);
        }
        body.changed = self.step;
        let mass = *body.compound.mass();
        if let Some(rigid) = physics.bodies.get_mut(body.handle) {
            let mut properties = mass_properties(&mass, self.density(body.material));
            properties.local_com = narrow(mass.center - body.center);
            rigid.set_additional_mass_properties(properties, true);
            if parent.is_held && !is_anchored(&body.compound, &body.anchors) {
                rigid.set_body_type(RigidBodyType::Dynamic, true);
            }
            rigid.recompute_mass_properties_from_colliders(physics.colliders);
            if rigid.is_dynamic() {
                let center = parent.pose.point(mass.center);
                rigid.set_linvel(narrow(parent.velocity_at(center)), true);
            }
        }
        self.bodies.insert(parent.id, body);
    }

    /// Pieces that are where they were before keep their colliders; the others get some.
    fn keep_colliders(&self, physics: &mut Physics, body: &mut Body, before: &Compound) {
        let old = std::mem::take(&mut body.colliders);
        let mut colliders = Vec::with_capacity(body.compound.pieces().len());
        for (index, is_covered) in covered(&body.compound).into_iter().enumerate() {
            let piece = &body.compound.pieces()[index];
            let is_kept = before.pieces().get(index).is_some_and(|then| Arc::ptr_eq(then, piece));
            let kept = old.get(index).copied().flatten().filter(|_| is_kept);
            let new = || if is_covered { None } else { self.collide_piece(physics, body, index) };
            colliders.push(kept.or_else(new));
        }
        for (index, collider) in old.into_iter().enumerate() {
            if colliders.get(index) != Some(&collider)
                && let Some(handle) = collider
            {
                physics.remove_collider(handle);
            }
        }
        body.colliders = colliders;
    }

    /// Pushes fragments away from the hit. Those of a free body push each other: its momentum stays what it was.
    fn push_apart(&self, physics: &mut Physics, parent: &Parent, born: &[BodyId], hit: &Pending) {
        let speed = self.materials[parent.material.0 as usize].push;
        let origin = parent.pose.point(hit.point);
        let mut pushes = Vec::with_capacity(born.len());
        let (mut momentum, mut mass) = (DVec3::ZERO, 0.0);
        for id in born {
            let handle = self.bodies[id].handle;
            let Some(rigid) = physics.bodies.get(handle).filter(|rigid| rigid.is_dynamic()) else { continue };
            let way = widen(rigid.translation()) - origin;
            let near = (1.0 - way.length() / (2.0 * hit.how.radius)).clamp(0.0, 1.0);
            let push = way.normalize_or_zero() * (speed * near);
            momentum += push * f64::from(rigid.mass());
            mass += f64::from(rigid.mass());
            pushes.push((handle, push));
        }
        let recoil = if parent.is_held || mass == 0.0 { DVec3::ZERO } else { momentum / mass };
        for (handle, push) in pushes {
            if let Some(rigid) = physics.bodies.get_mut(handle) {
                rigid.set_linvel(rigid.linvel() + narrow(push - recoil), true);
            }
        }
        if let Some(blast) = &hit.blast {
            born.iter().for_each(|&id| self.blast(physics, id, blast));
        }
    }
}

impl Parent {
    /// How fast a point of the world moves that goes with the body.
    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.center)
    }

    fn fragment(&self, compound: Compound, anchors: Vec<Aabb>) -> NewBody {
        let center = self.pose.point(compound.mass().center);
        NewBody {
            velocity: self.velocity_at(center),
            spin: self.spin,
            pose: self.pose,
            material: self.material,
            compound,
            anchors,
        }
    }
}
