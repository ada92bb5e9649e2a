//! Bodies from compounds, and fragments from bodies.
//!
//! A fragment inherits the velocity that its place in the parent had, v + ω × r. The fragment that kept most of the parent's pieces where they
//! were keeps its rigid body too: only the colliders near the hit are made anew.

use std::sync::Arc;

use glam::DVec3;
use rapier3d::prelude::*;
use rayon::prelude::*;
use smithereens::{Aabb, Compound, Convex, Fracture, Fragment, Piece};

use crate::body::{Seat, is_anchored};
use crate::collide::{Mould, Shapes};
use crate::convert::{mass_properties, narrow, narrow_pose, widen, widen_pose};
use crate::crumb::Throw;
use crate::ductile::joined;
use crate::grit::{Heap, Source};
use crate::jobs::Pending;
use crate::lump::lumps;
use crate::nature::Nature;
use crate::punch::Punch;
use crate::shape::width;
use crate::watch::user_data;
use crate::{Body, BodyId, Destruction, Event, Explosion, MaterialId, NewBody, Physics, Pose};

/// What is faster than this, in metres per second, and goes so many times its own length a second, is a bullet: it does not go through what
/// moves, either. Nothing goes through what is held; and bullets do go through each other, so that not all can be.
const BULLET_SPEED: f64 = 10.0;
const BULLET_LENGTHS: f64 = 30.0;

fn is_bullet(new: &NewBody) -> bool {
    let speed = new.velocity.length();
    speed > BULLET_SPEED && speed > BULLET_LENGTHS * new.compound.bounds().extent()
}

/// The state of a body as it breaks.
pub(crate) struct Parent {
    id: BodyId,
    material: MaterialId,
    nature: Option<Arc<Nature>>,
    /// Where its compound is.
    pose: Pose,
    /// Of its centre of mass, and where that is.
    velocity: DVec3,
    spin: DVec3,
    center: DVec3,
    is_held: bool,
    /// How much of its mass it still has.
    left: f64,
}

/// What becomes of a fragment.
enum Fate {
    /// It is too small to be kept.
    Small,
    /// Nothing would hold it.
    Thin,
    /// The body that broke goes on as it, with all pieces as one if they fill their hull.
    Heir(Option<Convex>),
    /// It becomes a body.
    Body(Shapes),
}

impl Destruction {
    /// Makes a rigid body and its colliders.
    pub(crate) fn spawn(
        &mut self,
        physics: &mut Physics,
        new: NewBody,
        shapes: Shapes,
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
        let nature = self.nature(new.weakness.as_ref());
        let cool_down = if parent.is_some() { self.cool_down_steps } else { 0 };
        let mut body = Body {
            colliders: Vec::new(),
            lump: None,
            compound: new.compound,
            material: new.material,
            nature,
            center: mass.center,
            left: 1.0,
            seat: Seat::Rigid(handle),
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
        self.collide_anew(physics, id, &mut body, shapes);
        if let Some(rigid) = physics.bodies.get_mut(handle) {
            rigid.recompute_mass_properties_from_colliders(physics.colliders);
        }
        self.bodies.insert(id, body);
        id
    }

    /// Puts what a fracture made in the place of the body that broke, by a hit if it was one. `reached` is where it broke, in the world.
    pub(crate) fn replace(
        &mut self,
        physics: &mut Physics,
        id: BodyId,
        fracture: Fracture,
        hit: Option<&Pending>,
        reached: Aabb,
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
        let density = self.density(parent.material) * parent.left;
        self.retired.mass += report.dropped.volume * density;
        let anchors = self.bodies[&id].anchors.clone();
        let bends = hit.is_some() && fracture.fragments.len() > 1 && self.is_ductile(parent.material);
        let joined = if bends { joined(&fracture.fragments) } else { Vec::new() };
        let fates = self.fates(&parent, &fracture.fragments, heir, bends);
        let middle = || parent.pose.point_back((reached.min + reached.max) * 0.5);
        let broke_at = hit.map_or_else(middle, |hit| hit.point);
        let by_nature = parent.nature.is_some();
        let grit = self.grit(&fracture.fragments, parent.material, broke_at, by_nature);
        let throw = Throw { hit: broke_at, push: self.materials[parent.material.0 as usize].push };
        let mut heaps = Vec::with_capacity(fracture.fragments.len());
        let mut rest = None;
        for (fragment, fate) in fracture.fragments.into_iter().zip(fates) {
            match fate {
                Fate::Small | Fate::Thin => {
                    event.retired += 1;
                    self.retired.small += usize::from(matches!(fate, Fate::Small));
                    self.retired.thin += usize::from(matches!(fate, Fate::Thin));
                    let mass = fragment.compound.mass().volume * density;
                    heaps.push(Heap::Retired(self.rubble(&fragment.compound, mass, &throw)));
                }
                Fate::Heir(lump) => {
                    heaps.push(Heap::Body(id));
                    rest = Some((fragment.compound, lump));
                }
                Fate::Body(shapes) => {
                    let new = parent.fragment(fragment.compound, anchors.clone());
                    let born = self.spawn(physics, new, shapes, Some(id));
                    if parent.left != 1.0 {
                        self.wear(physics, born, 0.0, parent.left);
                    }
                    event.born.push(born);
                    heaps.extend(event.born.last().map(|&born| Heap::Body(born)));
                }
            }
        }
        if let Some(hit) = hit.filter(|_| !bends) {
            self.push_away(physics, &parent, &event.born, hit);
        }
        self.wake_load_where_broken(physics, id, reached, &event.born);
        match rest {
            Some((rest, lump)) => self.keep(physics, &parent, rest, lump.as_ref()),
            None => drop(self.remove(physics, id)),
        }
        let source = parent.source(hit.and_then(|hit| hit.blast));
        self.fly(physics, &source, &grit, &heaps);
        if let Some(hit) = hit.filter(|_| bends) {
            if let Some(blast) = &hit.blast {
                event.born.iter().for_each(|&id| self.blast(physics, id, blast));
            }
            let members: Vec<BodyId> = heaps.iter().filter_map(Heap::body).collect();
            self.begin_bend(physics, parent.material, &joined, &members, hit);
        }
        self.fragments_of.entry(id).or_default().extend(&event.born);
        Some(event)
    }

    /// What a hit does to fragments besides making them.
    fn push_away(&mut self, physics: &mut Physics, parent: &Parent, born: &[BodyId], hit: &Pending) {
        self.push_apart(physics, parent, born, hit);
        if let Some(striker) = hit.striker {
            let at = parent.pose.point(hit.point);
            let direction = (parent.pose.turn * hit.direction).normalize_or_zero();
            let (radius, velocity) = (hit.how.radius, parent.velocity_at(at));
            self.punch(physics, &Punch { striker, at, direction, radius, velocity }, born);
        }
    }

    /// What becomes of each fragment. All of what bends are bodies, and none a lump; nor is what breaks by nature, whose pieces are trimmed to fit each other.
    fn fates(&self, parent: &Parent, fragments: &[Fragment], heir: Option<usize>, bends: bool) -> Vec<Fate> {
        let mould = Mould { thinnest: self.options.thinnest, nature: parent.nature.as_deref() };
        let air = if bends || mould.nature.is_some() { -1.0 } else { self.options.lump };
        let fate = |(index, (fragment, lump)): (usize, (&Fragment, Option<Convex>))| {
            let compound = &fragment.compound;
            if compound.mass().volume < self.options.smallest && !bends {
                Fate::Small
            } else if self.is_thin(compound) && !bends {
                Fate::Thin
            } else if Some(index) == heir {
                Fate::Heir(lump)
            } else {
                Fate::Body(Shapes::of(compound, lump.as_ref(), &mould))
            }
        };
        fragments.par_iter().zip(lumps(fragments, air)).enumerate().map(fate).collect()
    }

    /// Whether none of the pieces is thick enough to collide.
    pub(crate) fn is_thin(&self, compound: &Compound) -> bool {
        let is_thin = |piece: &Piece| piece.is_ghost() || width(piece.convex()) <= self.options.thinnest;
        compound.pieces().iter().all(|piece| is_thin(piece))
    }

    pub(crate) fn parent(&self, physics: &Physics, id: BodyId) -> Option<Parent> {
        let body = self.bodies.get(&id)?;
        let rigid = body.rigid(physics.bodies)?;
        let frame = widen_pose(rigid.position());
        Some(Parent {
            id,
            material: body.material,
            nature: body.nature.clone(),
            pose: Pose { at: frame.point(-body.center), ..frame },
            velocity: widen(rigid.linvel()),
            spin: widen(rigid.angvel()),
            center: widen(rigid.center_of_mass()),
            is_held: !rigid.is_dynamic(),
            left: body.left,
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
    pub(crate) fn keep(
        &mut self,
        physics: &mut Physics,
        parent: &Parent,
        rest: Compound,
        lump: Option<&Convex>,
    ) {
        let Some(mut body) = self.bodies.remove(&parent.id) else { return };
        let before = std::mem::replace(&mut body.compound, rest);
        if lump.is_some() || body.lump.is_some() {
            let old: Vec<ColliderHandle> = body.handles().collect();
            let mould = Mould { thinnest: self.options.thinnest, nature: parent.nature.as_deref() };
            let shapes = Shapes::about(&body.compound, body.center, lump, &mould);
            self.collide_anew(physics, parent.id, &mut body, shapes);
            old.into_iter().for_each(|handle| physics.remove_collider(handle, &mut self.vacant));
        } else {
            self.keep_colliders(physics, parent.id, &mut body, &before);
        }
        body.changed = self.step;
        let mass = *body.compound.mass();
        if let Some(rigid) = body.rigid_mut(physics.bodies) {
            rigid.set_additional_mass_properties(self.mass_properties(&body), true);
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

    /// The mass of a body about its frame, without what has become dust or chips.
    pub(crate) fn mass_properties(&self, body: &Body) -> MassProperties {
        let mass = body.compound.mass();
        let mut properties = mass_properties(mass, self.density(body.material) * body.left);
        properties.local_com = narrow(mass.center - body.center);
        properties
    }

    /// Pushes fragments away from the hit. Those of a free body push each other: its momentum stays what it was.
    fn push_apart(&self, physics: &mut Physics, parent: &Parent, born: &[BodyId], hit: &Pending) {
        let speed = self.materials[parent.material.0 as usize].push;
        let origin = parent.pose.point(hit.point);
        let mut pushes = Vec::with_capacity(born.len());
        let (mut momentum, mut mass) = (DVec3::ZERO, 0.0);
        for id in born {
            let Some(handle) = self.bodies[id].handle() else { continue };
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

    /// Where its dust and its chips come from.
    fn source(&self, blast: Option<Explosion>) -> Source {
        Source {
            pose: self.pose,
            material: self.material,
            blast,
            left: self.left,
            velocity: self.velocity,
            spin: self.spin,
            center: self.center,
        }
    }

    fn fragment(&self, compound: Compound, anchors: Vec<Aabb>) -> NewBody {
        let center = self.pose.point(compound.mass().center);
        NewBody {
            velocity: self.velocity_at(center),
            spin: self.spin,
            pose: self.pose,
            material: self.material,
            weakness: self.nature.as_ref().map(|nature| nature.weakness.clone()),
            compound,
            anchors,
        }
    }
}
