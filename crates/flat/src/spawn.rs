//! Bodies from compounds, and bodies that go.

use std::sync::Arc;

use glam::DVec2;
use rapier2d::prelude::*;
use smithereens_planar::modes::Weakness;
use smithereens_planar::{Aabb, Compound, Piece, Shape};
use thiserror::Error;

use crate::body::is_anchored;
use crate::convert::{mass_properties, narrow, narrow_convex, narrow_pose};
use crate::outline::Outline;
use crate::watch::user_data;
use crate::{Body, BodyId, MaterialId, Pose, World};

/// Why a body cannot be.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SpawnError {
    /// There is no such material.
    #[error("there is no material {0}: the world has {1}")]
    NoMaterial(u32, usize),
    /// A number of its material is out of range.
    #[error("a number of the material {0:?} is out of range")]
    Material(String),
    /// A number of the pose or the velocity is NaN or infinite.
    #[error("the body's {0} is not finite")]
    NotFinite(&'static str),
    /// It has no mass.
    #[error("the body's mass is {0} kg: its area and the density of its material must be positive")]
    NoMass(f64),
    /// None of its pieces is thick enough to collide.
    #[error("the body is thinner than {0} m everywhere: nothing would hold it")]
    Thin(f64),
}

/// A body to be.
#[derive(Clone, Debug)]
pub struct NewBody {
    /// Its pieces and bonds.
    pub compound: Compound,
    /// Where the compound's frame is in the world.
    pub pose: Pose,
    /// The velocity of its centre of mass, in metres per second.
    pub velocity: DVec2,
    /// How it turns, in radians per second, counter-clockwise.
    pub spin: f64,
    /// What it is made of.
    pub material: MaterialId,
    /// Whether it is held everywhere, and what breaks off as well: the same as an anchor around all of it.
    pub fixed: bool,
    /// Boxes in the compound's coordinates: it is held while one of its pieces reaches into one of them.
    pub anchors: Vec<Aabb>,
    /// Where it breaks by nature, of a compound that was made ready for that.
    pub weakness: Option<Arc<Weakness>>,
    /// What it is called.
    pub name: String,
}

impl NewBody {
    /// At rest at a pose, free to fall, of the first material.
    pub fn at(compound: Compound, pose: Pose) -> NewBody {
        NewBody {
            compound,
            pose,
            velocity: DVec2::ZERO,
            spin: 0.0,
            material: MaterialId(0),
            fixed: false,
            anchors: Vec::new(),
            weakness: None,
            name: String::new(),
        }
    }

    /// The same of a shape.
    pub fn of(shape: &Shape, pose: Pose) -> NewBody {
        NewBody::at(Compound::from_shape(shape), pose)
    }

    /// Its anchors, and one around all of it if it is fixed.
    fn all_anchors(&self) -> Arc<[Aabb]> {
        let bounds = self.compound.bounds();
        let around = self.fixed.then(|| bounds.grown(bounds.extent()));
        self.anchors.iter().copied().chain(around).collect()
    }
}

/// What a new body has from the one that it is a fragment of.
pub(crate) struct Origin {
    pub parent: BodyId,
    pub root: BodyId,
    pub name: Arc<str>,
    pub anchors: Arc<[Aabb]>,
    pub first_cut: u64,
    pub safe_until: u64,
}

/// What is faster than this many of its own lengths a step may go through things: it is watched more closely.
const BULLET_LENGTHS: f64 = 0.5;

impl World {
    /// Adds a body.
    pub fn add(&mut self, new: NewBody) -> Result<BodyId, SpawnError> {
        let material = self.materials.get(new.material.0 as usize);
        let material = material.ok_or(SpawnError::NoMaterial(new.material.0, self.materials.len()))?;
        if !material.is_sound() {
            return Err(SpawnError::Material(material.name.clone()));
        }
        if !new.pose.is_sound() {
            return Err(SpawnError::NotFinite("pose"));
        }
        if !new.velocity.is_finite() || !new.spin.is_finite() {
            return Err(SpawnError::NotFinite("velocity"));
        }
        let mass = new.compound.mass().area * self.density(new.material);
        if !(mass.is_finite() && mass > 0.0) {
            return Err(SpawnError::NoMass(mass));
        }
        if self.is_thin(&new.compound) {
            return Err(SpawnError::Thin(self.options.thinnest));
        }
        Ok(self.spawn(new, None))
    }

    /// Takes a body away, with its area and mass.
    pub fn remove(&mut self, id: BodyId) -> Option<Body> {
        let body = self.bodies.remove(&id)?;
        self.skeletons.remove(&id);
        self.physics.remove_body_with_colliders(body.handle, true);
        if self.drag.is_some_and(|drag| drag.body == id) {
            self.drag = None;
        }
        Some(body)
    }

    /// Says which edges of a body count as broken: those whose mark has this number or a higher one.
    pub(crate) fn set_first_cut(&mut self, id: BodyId, first_cut: u64) {
        if let Some(body) = self.bodies.get_mut(&id) {
            body.first_cut = first_cut;
            body.outline = Arc::new(Outline::new(&body.compound, first_cut));
        }
    }

    /// Whether none of the pieces is thick enough to collide.
    pub(crate) fn is_thin(&self, compound: &Compound) -> bool {
        let is_thin = |piece: &Arc<Piece>| self.shape(piece, DVec2::ZERO).is_none();
        compound.pieces().iter().all(is_thin)
    }

    fn shape(&self, piece: &Piece, center: DVec2) -> Option<SharedShape> {
        narrow_convex(piece.convex(), center, self.options.thinnest)
    }

    /// Makes a rigid body and its colliders.
    pub(crate) fn spawn(&mut self, new: NewBody, origin: Option<Origin>) -> BodyId {
        let id = BodyId(self.next_id);
        self.next_id += 1;
        let anchors = origin.as_ref().map_or_else(|| new.all_anchors(), |origin| origin.anchors.clone());
        let first_cut = origin.as_ref().map_or_else(|| first_cut(&new.compound), |origin| origin.first_cut);
        let is_fixed = is_anchored(&new.compound, &anchors);
        let mass = *new.compound.mass();
        let kind = if is_fixed { RigidBodyType::Fixed } else { RigidBodyType::Dynamic };
        let pose = Pose { at: new.pose.point(mass.center), ..new.pose };
        let way = new.velocity.length() * self.options.step;
        let rigid = RigidBodyBuilder::new(kind)
            .pose(narrow_pose(&pose))
            .linvel(narrow(new.velocity))
            .angvel(new.spin as f32)
            .additional_mass_properties(mass_properties(&mass, DVec2::ZERO, self.density(new.material)))
            .ccd_enabled(way > BULLET_LENGTHS * new.compound.bounds().size().min_element())
            .user_data(user_data(id));
        let handle = self.physics.bodies.insert(rigid);
        let mut body = Body {
            id,
            name: origin.as_ref().map_or_else(|| new.name.as_str().into(), |origin| origin.name.clone()),
            outline: Arc::new(Outline::new(&new.compound, first_cut)),
            compound: new.compound,
            material: new.material,
            weakness: new.weakness,
            center: mass.center,
            handle,
            colliders: Vec::new(),
            anchors,
            parent: origin.as_ref().map(|origin| origin.parent),
            root: origin.as_ref().map_or(id, |origin| origin.root),
            born: self.steps,
            changed: self.steps,
            safe_until: origin.as_ref().map_or(0, |origin| origin.safe_until),
            is_fixed,
            first_cut,
        };
        body.colliders =
            (0..body.compound.pieces().len()).map(|piece| self.insert_collider(&body, piece)).collect();
        if let Some(rigid) = self.physics.bodies.get_mut(handle) {
            rigid.recompute_mass_properties_from_colliders(&self.physics.colliders);
        }
        self.bodies.insert(id, body);
        id
    }

    /// Makes the collider of a piece, unless it is too thin.
    pub(crate) fn insert_collider(&mut self, body: &Body, piece: usize) -> Option<ColliderHandle> {
        let shape = self.shape(&body.compound.pieces()[piece], body.center)?;
        let material = &self.materials[body.material.0 as usize];
        let threshold = material.strength * self.options.depth;
        let events =
            if threshold.is_finite() { ActiveEvents::CONTACT_FORCE_EVENTS } else { ActiveEvents::empty() };
        let collider = ColliderBuilder::new(shape)
            .density(0.0)
            .friction(material.friction as f32)
            .restitution(material.restitution as f32)
            .active_events(events)
            .contact_force_event_threshold(threshold as f32)
            .user_data(user_data(body.id));
        let PhysicsWorld { colliders, bodies, .. } = &mut self.physics;
        Some(colliders.insert_with_parent(collider, body.handle, bodies))
    }

    /// Takes away bodies that left the box, and such whose state is no number any more.
    pub(crate) fn remove_lost(&mut self) {
        let is_lost = |body: &&Body| {
            let Some(bounds) = self.bounds_of(body) else { return true };
            let is_finite = bounds.min.is_finite() && bounds.max.is_finite();
            !is_finite || self.options.bounds.is_some_and(|room| !room.meets(&bounds))
        };
        let lost: Vec<BodyId> = self.bodies.values().filter(is_lost).map(|body| body.id).collect();
        for id in lost {
            self.retired.left += 1;
            self.retire(id);
        }
    }

    /// Takes away the smallest free bodies until there are no more than allowed.
    pub(crate) fn keep_to_cap(&mut self) {
        let many = self.bodies.len().saturating_sub(self.options.most_bodies);
        if many == 0 {
            return;
        }
        let free = self.bodies.values().filter(|body| !body.is_fixed);
        let mut order: Vec<(f64, BodyId)> = free.map(|body| (body.compound.mass().area, body.id)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, id) in order.into_iter().take(many) {
            self.retired.over_cap += 1;
            self.retire(id);
        }
    }

    fn retire(&mut self, id: BodyId) {
        if let Some(body) = self.remove(id) {
            let area = body.compound.mass().area;
            self.retired.area += area;
            self.retired.mass += area * self.density(body.material);
        }
    }
}

/// The number of the first mark that a fracture will leave. A shape's own edges have none; convexes of a user's own have marks all around.
pub(crate) fn first_cut(compound: &Compound) -> u64 {
    let has_border = |piece: &Arc<Piece>| piece.convex().edges().iter().any(|edge| edge.cut.is_none());
    if compound.pieces().iter().any(has_border) { 0 } else { compound.next_line() }
}
