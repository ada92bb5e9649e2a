//! Bodies that break by nature: how they answer a blow, and what their pieces collide as.
//!
//! Such a body comes apart along faults that were found when it was made ready, as its [`Weakness`] says. That is shared by all copies and
//! fragments of it, and so are the collision shapes of its pieces: each is made once, about the middle of its piece.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use rapier3d::prelude::SharedShape;
use rayon::prelude::*;
use smithereens::{Compound, Fracture, Piece};
use smithereens_modes::{Answer, Strike, Weakness};

use crate::jobs::Pending;
use crate::shape::shape;
use crate::{Body, BodyId, Destruction};

/// What a body that breaks by nature shares with its copies and fragments.
#[derive(Debug)]
pub(crate) struct Nature {
    pub weakness: Arc<Weakness>,
    thinnest: f64,
    /// The shape of each of the body's own pieces, about its middle; made when it is asked for.
    shapes: Vec<OnceLock<Option<SharedShape>>>,
}

impl Nature {
    fn new(weakness: Arc<Weakness>, thinnest: f64) -> Nature {
        let shapes = (0..weakness.len()).map(|_| OnceLock::new()).collect();
        Nature { weakness, thinnest, shapes }
    }

    /// Makes the shapes of a compound's pieces, on all threads.
    pub fn make_ready(&self, compound: &Compound) {
        let pieces: Vec<&Arc<Piece>> = compound.pieces().iter().collect();
        pieces.par_iter().for_each(|piece| drop(self.shape(piece)));
    }

    /// What a piece collides as, about its middle. None for what is too thin.
    pub fn shape(&self, piece: &Piece) -> Option<SharedShape> {
        match self.weakness.index_of(piece).and_then(|index| self.shapes.get(index)) {
            Some(known) => known.get_or_init(|| self.made(piece)).clone(),
            None => self.made(piece),
        }
    }

    fn made(&self, piece: &Piece) -> Option<SharedShape> {
        let center = piece.mass().center;
        let kept = shape(&self.weakness.collider(piece), center, self.thinnest);
        kept.or_else(|| shape(piece.convex(), center, self.thinnest))
    }
}

impl Body {
    /// What says where it breaks by nature, if that is known. Its copies and fragments share it.
    pub fn weakness(&self) -> Option<&Arc<Weakness>> {
        self.nature.as_ref().map(|nature| &nature.weakness)
    }

    /// The origin of a collider, in the compound's coordinates: that of a piece, or of all pieces as one.
    pub(crate) fn origin(&self, piece: Option<usize>) -> DVec3 {
        let piece = piece.filter(|_| self.nature.is_some());
        piece.map_or(self.center, |piece| self.compound.pieces()[piece].mass().center)
    }
}

impl Destruction {
    /// What bodies with a weakness share: one for all of them.
    pub(crate) fn nature(&mut self, weakness: Option<&Arc<Weakness>>) -> Option<Arc<Nature>> {
        let weakness = weakness?;
        let known = self.natures.iter().find(|nature| Arc::ptr_eq(&nature.weakness, weakness));
        if let Some(nature) = known {
            return Some(nature.clone());
        }
        self.natures.retain(|nature| Arc::strong_count(nature) > 1);
        let nature = Arc::new(Nature::new(weakness.clone(), self.options.thinnest));
        self.natures.push(nature.clone());
        Some(nature)
    }

    /// How a body answers a hit by nature. What has no faults within reach breaks as its material does: so does what has none at all, and
    /// what bends.
    pub(crate) fn answer(&self, hit: &Pending) -> Answer {
        let known = self.bodies.get(&hit.body).and_then(|body| Some((body, self.strike(body, hit)?)));
        let answer = known.and_then(|(body, strike)| body.weakness()?.answer(&body.compound, &strike).ok());
        answer.unwrap_or(Answer::NoFault)
    }

    /// Breaks a body by nature.
    pub(crate) fn part(&self, hit: &Pending) -> Option<Fracture> {
        let body = self.bodies.get(&hit.body)?;
        body.weakness()?.fracture(&body.compound, &self.strike(body, hit)?).ok()
    }

    fn strike(&self, body: &Body, hit: &Pending) -> Option<Strike> {
        let material = &self.materials[body.material.0 as usize];
        let threshold = material.parting_speed();
        let is_brittle = threshold.is_finite() && threshold > 0.0 && !self.is_ductile(body.material);
        is_brittle.then_some(Strike {
            point: hit.point,
            impulse: hit.impulse,
            density: material.density * body.left,
            threshold,
            radius: hit.how.radius,
            projection: material.projection,
        })
    }

    /// The impulse of a hit by a call, in the body's coordinates: so many times what would give all of the body the speed at which its pieces part.
    pub(crate) fn impulse_of_call(&self, id: BodyId, point: DVec3, direction: DVec3, times: f64) -> DVec3 {
        let Some(body) = self.bodies.get(&id) else { return DVec3::ZERO };
        let Some(weakness) = body.weakness() else { return DVec3::ZERO };
        let material = &self.materials[body.material.0 as usize];
        let inward = body.compound.mass().center - point;
        let ways = [direction, inward, DVec3::NEG_Y];
        let way = ways.into_iter().find_map(DVec3::try_normalize).unwrap_or(DVec3::NEG_Y);
        let whole = weakness.volume() * material.density * body.left * material.parting_speed();
        way * (times * whole)
    }
}
