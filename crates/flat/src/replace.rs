//! What a fracture made takes the place of the body that broke.
//!
//! A fragment inherits the velocity that its place in the body had, v + ω × r, and its spin. The largest fragment that the impact did not reach is
//! the body: it keeps its number, and the colliders of all pieces that stayed.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec2;
use rapier2d::prelude::*;
use smithereens_planar::{Compound, Fracture, Fragment, Piece};
use web_time::Instant;

use crate::body::is_anchored;
use crate::convert::{mass_properties, narrow, widen};
use crate::debris::Chip;
use crate::motion::Motion;
use crate::outline::Outline;
use crate::spawn::Origin;
use crate::{BodyId, Cause, Event, NewBody, Pose, Push, World};

/// Where and why a body broke, in the coordinates of its compound.
pub(crate) struct Breakage {
    pub point: DVec2,
    pub reach: f64,
    pub push: Push,
    pub cause: Cause,
}

/// No push makes anything faster than this, in metres per second.
const MOST_PUSH: f64 = 30.0;

impl World {
    /// Puts what a fracture made in the place of the body that broke. None: it did not break.
    pub(crate) fn replace(
        &mut self,
        id: BodyId,
        made: Fracture,
        breakage: &Breakage,
        start: Instant,
    ) -> Option<Event> {
        if made.fragments.len() == 1 && made.debris.is_empty() && breakage.cause != Cause::Stress {
            return None;
        }
        let body = self.bodies.get(&id)?;
        let (pose, motion) = (self.frame(body)?, Motion::of(self.physics.bodies.get(body.handle)?));
        let density = self.density(body.material);
        self.retired.area += made.report.dropped.area;
        self.retired.mass += made.report.dropped.area * density;
        self.retired.slivers += made.report.dropped.count;
        let mut event = Event {
            step: self.steps,
            body: id,
            cause: breakage.cause,
            at: pose.point(breakage.point),
            touched: made.report.touched,
            fragments: made.fragments.len(),
            born: Vec::new(),
            debris: made.debris.len(),
            time: std::time::Duration::ZERO,
        };
        let (bodies, small) = self.sorted(made.fragments);
        event.debris += small.len();
        let heir = heir(&bodies);
        let chips: Vec<Arc<Piece>> = made.debris.into_iter().chain(small).collect();
        self.shed(id, &chips, &pose, &motion);
        let mut rest = None;
        for (index, fragment) in bodies.into_iter().enumerate() {
            if Some(index) == heir {
                rest = Some(fragment.compound);
            } else {
                event.born.extend(self.spawn_fragment(id, fragment.compound, &pose, &motion));
            }
        }
        self.push_apart(&event, breakage);
        self.drag_follows(id, &event.born);
        for projectile in &mut self.projectiles {
            projectile.spare_fragments(id, &event.born);
        }
        self.skeletons.remove(&id);
        match rest {
            Some(rest) => self.keep(id, rest, &pose, &motion),
            None => drop(self.remove(id)),
        }
        event.time = start.elapsed();
        self.events.push(event.clone());
        Some(event)
    }

    /// The fragments that become bodies, and the pieces of those too small or too thin for that.
    fn sorted(&self, fragments: Vec<Fragment>) -> (Vec<Fragment>, Vec<Arc<Piece>>) {
        let is_body = |fragment: &Fragment| {
            fragment.compound.mass().area >= self.options.smallest && !self.is_thin(&fragment.compound)
        };
        let (bodies, small): (Vec<Fragment>, Vec<Fragment>) = fragments.into_iter().partition(is_body);
        let pieces = small.iter().flat_map(|fragment| fragment.compound.pieces()).cloned();
        (bodies, pieces.collect())
    }

    /// Pieces that are no bodies fall as debris.
    fn shed(&mut self, id: BodyId, pieces: &[Arc<Piece>], pose: &Pose, motion: &Motion) {
        let Some(body) = self.bodies.get(&id) else { return };
        let (material, density) = (body.material, self.density(body.material));
        for piece in pieces {
            let center = pose.point(piece.mass().center);
            let chip = Chip {
                pose: Pose { at: center, ..*pose },
                velocity: motion.at(center),
                spin: motion.spin,
                material,
                density,
                born: self.steps,
                is_lying: false,
                piece: piece.clone(),
            };
            self.debris.add(chip, &self.options, &mut self.retired);
        }
    }

    fn spawn_fragment(
        &mut self,
        id: BodyId,
        compound: Compound,
        pose: &Pose,
        motion: &Motion,
    ) -> Option<BodyId> {
        let parent = self.bodies.get(&id)?;
        let cool_down = (self.options.cool_down / self.options.step).ceil() as u64;
        let origin = Origin {
            parent: id,
            root: parent.root,
            name: parent.name.clone(),
            anchors: parent.anchors.clone(),
            first_cut: parent.first_cut,
            safe_until: self.steps.saturating_add(cool_down),
        };
        let center = pose.point(compound.mass().center);
        let new = NewBody {
            velocity: motion.at(center),
            spin: motion.spin,
            material: parent.material,
            weakness: parent.weakness.clone(),
            ..NewBody::at(compound, *pose)
        };
        Some(self.spawn(new, Some(origin)))
    }

    /// The body goes on as what is left of it.
    fn keep(&mut self, id: BodyId, rest: Compound, pose: &Pose, motion: &Motion) {
        let Some(mut body) = self.bodies.remove(&id) else { return };
        let before = std::mem::replace(&mut body.compound, rest);
        let old = before.pieces().iter().zip(std::mem::take(&mut body.colliders));
        let name = |piece: &Arc<Piece>| Arc::as_ptr(piece).addr();
        let mut colliders: BTreeMap<usize, Option<ColliderHandle>> =
            old.map(|(piece, collider)| (name(piece), collider)).collect();
        let kept: Vec<_> =
            body.compound.pieces().iter().map(|piece| colliders.remove(&name(piece))).collect();
        for (index, kept) in kept.into_iter().enumerate() {
            let collider = kept.unwrap_or_else(|| self.insert_collider(&body, index));
            body.colliders.push(collider);
        }
        // In the order of pieces, not of where they are in memory.
        for piece in before.pieces() {
            if let Some(Some(gone)) = colliders.remove(&name(piece)) {
                self.physics.remove_collider(gone);
            }
        }
        body.outline = Arc::new(Outline::new(&body.compound, body.first_cut));
        body.changed = self.steps;
        let was_fixed = body.is_fixed;
        body.is_fixed = is_anchored(&body.compound, &body.anchors);
        let mass = *body.compound.mass();
        let properties = mass_properties(&mass, mass.center - body.center, self.density(body.material));
        let PhysicsWorld { bodies, colliders, .. } = &mut self.physics;
        if let Some(rigid) = bodies.get_mut(body.handle) {
            rigid.set_additional_mass_properties(properties, true);
            if was_fixed && !body.is_fixed {
                rigid.set_body_type(RigidBodyType::Dynamic, true);
            }
            rigid.recompute_mass_properties_from_colliders(colliders);
            if rigid.is_dynamic() {
                rigid.set_linvel(narrow(motion.at(pose.point(mass.center))), true);
            }
        }
        self.bodies.insert(id, body);
    }

    /// Pushes fragments away from the hit. Those of a body that was free push each other: its momentum stays what it was.
    fn push_apart(&mut self, event: &Event, breakage: &Breakage) {
        let Some(parent) = self.bodies.get(&event.body) else { return };
        let is_held = parent.is_fixed;
        let reach = breakage.reach.min(parent.compound.bounds().extent());
        let mut pushes = Vec::with_capacity(event.born.len());
        let (mut momentum, mut all) = (DVec2::ZERO, 0.0);
        for id in &event.born {
            let Some(body) = self.bodies.get(id).filter(|body| !body.is_fixed) else { continue };
            let Some(rigid) = self.physics.bodies.get(body.handle) else { continue };
            let mass = f64::from(rigid.mass());
            let away = widen(rigid.center_of_mass()) - event.at;
            let speed = match breakage.push {
                Push::Speed(speed) => speed * (1.0 - away.length() / (2.0 * reach)).clamp(0.0, 1.0),
                Push::Impulse(impulse) => (impulse / mass).min(MOST_PUSH),
            };
            let push = away.normalize_or_zero() * speed;
            momentum += push * mass;
            all += mass;
            pushes.push((body.handle, push));
        }
        let recoil = if is_held || all == 0.0 { DVec2::ZERO } else { momentum / all };
        for (handle, push) in pushes {
            if let Some(rigid) = self.physics.bodies.get_mut(handle) {
                rigid.set_linvel(rigid.linvel() + narrow(push - recoil), true);
            }
        }
    }
}

/// The fragment that the body goes on as: the largest of what lies beyond the impact.
fn heir(fragments: &[Fragment]) -> Option<usize> {
    let rest = fragments.iter().enumerate().filter(|(_, fragment)| fragment.colour.is_none());
    let rest = rest.map(|(index, fragment)| (fragment.compound.mass().area, index));
    rest.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, index)| index)
}
