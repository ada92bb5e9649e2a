//! What a body collides as: one shape a piece, or one for all of them.
//!
//! Shapes are made on all threads before the first fragment of a fracture becomes a body: that is half of what it takes to make them bodies. Those of
//! bodies that break by nature are made before any hit.

use std::sync::Arc;

use glam::DVec3;
use rapier3d::prelude::*;
use smithereens::{Compound, Convex, Piece};

use crate::body::Seat;
use crate::convert::narrow;
use crate::cover::covered;
use crate::nature::Nature;
use crate::shape::shape;
use crate::watch::user_data;
use crate::{Body, BodyId, Destruction, Physics};

/// How shapes are made.
#[derive(Clone, Copy)]
pub(crate) struct Mould<'a> {
    pub thinnest: f64,
    /// What the body shares, if it breaks by nature.
    pub nature: Option<&'a Nature>,
}

impl Mould<'_> {
    /// The shape of a piece, about its own middle if its body breaks by nature, and about that of the body if not.
    fn piece(&self, piece: &Piece, center: DVec3) -> Option<SharedShape> {
        match self.nature {
            Some(nature) => nature.shape(piece),
            None => shape(piece.convex(), center, self.thinnest),
        }
    }

    /// The pieces that need no collider. Those of what breaks by nature reach into each other only before they are trimmed.
    fn covered(&self, compound: &Compound) -> Vec<bool> {
        match self.nature {
            Some(_) => vec![false; compound.pieces().len()],
            None => covered(compound),
        }
    }
}

/// The collision shapes of a compound.
pub(crate) struct Shapes {
    /// That of all pieces together, if they fill their hull.
    lump: Option<SharedShape>,
    /// For each piece its own; none for ghosts, for what others cover or is too thin, and in a lump.
    pieces: Vec<Option<SharedShape>>,
}

impl Shapes {
    /// The shapes of a new body, about its centre of mass. It collides as its hull if that is given.
    pub fn of(compound: &Compound, hull: Option<&Convex>, mould: &Mould) -> Shapes {
        Shapes::about(compound, compound.mass().center, hull, mould)
    }

    /// The same about another place.
    pub fn about(compound: &Compound, center: DVec3, hull: Option<&Convex>, mould: &Mould) -> Shapes {
        let lump = hull.and_then(|hull| shape(hull, center, mould.thinnest));
        let pieces = compound.pieces();
        let is_left_out = if lump.is_some() { vec![true; pieces.len()] } else { mould.covered(compound) };
        let shape = |(index, is_left_out): (usize, bool)| {
            let piece = &pieces[index];
            if is_left_out || piece.is_ghost() { None } else { mould.piece(piece, center) }
        };
        Shapes { lump, pieces: is_left_out.into_iter().enumerate().map(shape).collect() }
    }
}

impl Destruction {
    /// Gives a body all its colliders.
    pub(crate) fn collide_anew(&self, physics: &mut Physics, id: BodyId, body: &mut Body, shapes: Shapes) {
        body.lump = shapes.lump.map(|shape| self.collide(physics, id, body, None, shape));
        let shapes = shapes.pieces.into_iter().enumerate();
        let mut collide =
            |piece: usize, shape: SharedShape| self.collide(physics, id, body, Some(piece), shape);
        let colliders = shapes.map(|(piece, shape)| shape.map(|shape| collide(piece, shape))).collect();
        body.colliders = colliders;
    }

    /// Pieces that are where they were before keep their colliders; the others get some.
    pub(crate) fn keep_colliders(
        &mut self,
        physics: &mut Physics,
        id: BodyId,
        body: &mut Body,
        before: &Compound,
    ) {
        let old = std::mem::take(&mut body.colliders);
        let mut colliders = Vec::with_capacity(body.compound.pieces().len());
        let nature = body.nature.clone();
        let mould = Mould { thinnest: self.options.thinnest, nature: nature.as_deref() };
        for (index, is_covered) in mould.covered(&body.compound).into_iter().enumerate() {
            let piece = &body.compound.pieces()[index];
            let is_kept = before.pieces().get(index).is_some_and(|then| Arc::ptr_eq(then, piece));
            let kept = old.get(index).copied().flatten().filter(|_| is_kept);
            let new = || {
                let is_bare = is_covered || piece.is_ghost();
                let shape = if is_bare { None } else { mould.piece(piece, body.center) };
                shape.map(|shape| self.collide(physics, id, body, Some(index), shape))
            };
            colliders.push(kept.or_else(new));
        }
        for (index, collider) in old.into_iter().enumerate() {
            if colliders.get(index) != Some(&collider)
                && let Some(handle) = collider
            {
                physics.remove_collider(handle, &mut self.vacant);
            }
        }
        body.colliders = colliders;
    }

    /// Gives a body a collider, of one of its pieces or of all of them.
    fn collide(
        &self,
        physics: &mut Physics,
        id: BodyId,
        body: &Body,
        piece: Option<usize>,
        shape: SharedShape,
    ) -> ColliderHandle {
        let local = rapier3d::math::Pose::from_translation(narrow(body.origin(piece) - body.center));
        let material = &self.materials[body.material.0 as usize];
        let mut collider = ColliderBuilder::new(shape)
            .mass_properties(MassProperties::default())
            .user_data(user_data(id))
            .friction(material.friction as f32)
            .restitution(material.restitution as f32);
        if material.strength.is_finite() {
            collider = collider
                .active_events(ActiveEvents::CONTACT_FORCE_EVENTS)
                .contact_force_event_threshold(material.strength as f32);
        }
        match body.seat {
            Seat::Rigid(rigid) => {
                physics.colliders.insert_with_parent(collider.position(local), rigid, physics.bodies)
            }
            Seat::Rest(pose) => physics.colliders.insert(collider.position(pose * local)),
        }
    }
}
