//! Ductile bodies bend before they tear.
//!
//! Müller et al. 2013, future work: the fragments of a ductile body are bodies of their own for a few steps, and are then put together as they
//! are by now. Here they hold each other meanwhile, along the seams between them, with what their material bears (see [`crate::plastic`]); a
//! seam that is stretched by more than the material's ductility tears. What still hangs together then is one body again, with a dent in it.

use std::collections::BTreeMap;

use glam::{DAffine3, DMat3, DVec3};
use rapier3d::prelude::*;
use serde::{Deserialize, Serialize};
use smithereens::{Compound, Fragment, Moved, PlaneId, Seam, UnionFind, seams};

use crate::convert::{narrow, widen};
use crate::jobs::Pending;
use crate::plastic::{self, Joint, Node, Press};
use crate::shape::width;
use crate::{BodyId, Destruction, MaterialId, Physics, Pose};

/// What has become of ductile bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bends {
    /// Bodies put together again.
    pub mended: usize,
    /// Seams between fragments that tore.
    pub torn: usize,
    /// Bodies that could not be put together: their fragments go on by themselves.
    pub failed: usize,
}

/// A body that bends: its fragments, and what holds them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Bend {
    material: MaterialId,
    /// The step in which it is put together.
    until: u64,
    members: Vec<Member>,
    links: Vec<Link>,
    striker: Option<Striker>,
}

/// A fragment of a body that bends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Member {
    body: BodyId,
    /// The step in which it got its pieces: seams name those.
    changed: u64,
    owed: Owed,
}

/// In a step a body goes with its mean velocity; what its velocity and spin at the end are more than that is owed to it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Owed {
    velocity: DVec3,
    spin: DVec3,
}

/// All seams between two members.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Link {
    members: [u32; 2],
    /// In the coordinates that all members have.
    at: DVec3,
    area: f64,
    /// How thick it is, and from the middle of one member to that of the other.
    thickness: f64,
    length: f64,
    is_torn: bool,
    seams: Vec<Joined>,
}

/// A seam between two members.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Joined {
    pieces: [u32; 2],
    plane: u64,
    area: f64,
    at: DVec3,
}

/// What hit the body, and pushes on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Striker {
    handle: RigidBodyHandle,
    /// The members that it pushes.
    members: Vec<u32>,
    /// Where, and which way, in the coordinates of the body.
    at: DVec3,
    along: DVec3,
    owed: Owed,
}

/// Fragments of one body do not collide while it bends.
const BENDING: Group = Group::GROUP_32;
/// A member whose middle is this close to the hit, of the size of what hit, is pushed by it.
const PUSHED: f64 = 1.0;

impl Destruction {
    /// What has become of ductile bodies.
    pub fn bends(&self) -> &Bends {
        &self.bends
    }

    /// Whether a body is a part of one that is bending now.
    pub fn is_bending(&self, id: BodyId) -> bool {
        self.bending.iter().any(|bend| bend.members.iter().any(|member| member.body == id))
    }

    pub(crate) fn is_ductile(&self, material: MaterialId) -> bool {
        self.materials[material.0 as usize].ductility > 0.0 && self.options.bend_steps > 0
    }

    /// Fragments begin to bend; each has its body.
    pub(crate) fn begin_bend(
        &mut self,
        physics: &mut Physics,
        material: MaterialId,
        joined: &[(Seam, [f64; 2])],
        members: &[BodyId],
        hit: &Pending,
    ) {
        let until = self.step + self.options.bend_steps;
        for &id in members {
            let Some(body) = self.bodies.get_mut(&id) else { continue };
            body.safe_until = body.safe_until.max(until + 1);
            (body.still, body.still_steps) = (None, 0);
        }
        let bodies = || members.iter().filter_map(|id| self.bodies.get(id));
        for handle in bodies().flat_map(|body| body.handles()) {
            if let Some(collider) = physics.colliders.get_mut(handle) {
                let groups = InteractionGroups::new(BENDING, Group::ALL & !BENDING, InteractionTestMode::And);
                collider.set_collision_groups(groups);
            }
        }
        let centers: Vec<DVec3> = bodies().map(|body| body.compound.mass().center).collect();
        let member = |&body: &BodyId| {
            let changed = self.bodies.get(&body).map_or(0, |body| body.changed);
            Member { body, changed, owed: Owed::default() }
        };
        let members: Vec<Member> = members.iter().map(member).collect();
        let striker = hit.striker.and_then(|handle| striker(physics, handle, hit, &centers));
        self.bending.push(Bend { material, until, members, links: links(joined, &centers), striker });
    }

    /// Bodies that bend go on for a step; those whose time is over are put together.
    pub(crate) fn bend(&mut self, physics: &mut Physics, dt: f64) {
        for mut bend in std::mem::take(&mut self.bending) {
            self.tear(physics, &mut bend);
            if self.step < bend.until {
                self.yield_for_a_step(physics, &mut bend, dt);
                self.bending.push(bend);
            } else {
                self.mend(physics, bend);
            }
        }
    }

    /// Links that are stretched too far tear, and so do those of members that are gone or not what they were.
    fn tear(&mut self, physics: &Physics, bend: &mut Bend) {
        let ductility = self.materials[bend.material.0 as usize].ductility;
        let pose = |member: &Member| {
            let body = self.bodies.get(&member.body).filter(|body| body.changed == member.changed)?;
            let is_there = body.rigid(physics.bodies).is_some_and(|rigid| rigid.is_enabled());
            self.pose(physics.bodies, member.body).filter(|pose| is_there && pose.is_sound())
        };
        let poses: Vec<Option<Pose>> = bend.members.iter().map(pose).collect();
        for link in bend.links.iter_mut().filter(|link| !link.is_torn) {
            let stretch = match link.members.map(|member| poses[member as usize]) {
                [Some(a), Some(b)] => link.stretch(&a, &b),
                _ => f64::INFINITY,
            };
            if stretch > ductility {
                link.is_torn = true;
                self.bends.torn += 1;
            }
        }
    }

    /// Members move for a step as what holds them lets them.
    fn yield_for_a_step(&self, physics: &mut Physics, bend: &mut Bend, dt: f64) {
        let handles: Vec<Option<RigidBodyHandle>> =
            bend.members.iter().map(|member| self.bodies.get(&member.body)?.handle()).collect();
        let owed = bend.members.iter().map(|member| member.owed);
        let mut nodes: Vec<Node> = handles
            .iter()
            .zip(owed)
            .map(|(handle, owed)| handle.map_or_else(nothing, |handle| node(physics, handle, owed)))
            .collect();
        let middle = |id: BodyId, at: DVec3| self.pose(physics.bodies, id).map(|pose| pose.point(at));
        let tension = self.materials[bend.material.0 as usize].stress.tension;
        let joint = |link: &Link| {
            let [a, b] = link.members.map(|member| member as usize);
            let ends = [a, b].map(|member| middle(bend.members[member].body, link.at));
            let at = (ends[0]? + ends[1]?) * 0.5;
            let force = tension * link.area;
            Some(Joint { nodes: [a, b], at, force, moment: force * link.thickness * 0.25 })
        };
        let joints: Vec<Joint> = bend.links.iter().filter(|link| !link.is_torn).filter_map(joint).collect();
        let mut presses = Vec::new();
        if let Some(striker) = &bend.striker {
            nodes.push(node(physics, striker.handle, striker.owed));
            for &member in &striker.members {
                let Some(pose) = self.pose(physics.bodies, bend.members[member as usize].body) else {
                    continue;
                };
                let (at, along) = (pose.point(striker.at), pose.turn * striker.along);
                presses.push(Press { nodes: [nodes.len() - 1, member as usize], at, along });
            }
        }
        plastic::advance(&mut nodes, &joints, &presses, dt);
        let striker = bend.striker.as_mut().map(|striker| (Some(striker.handle), &mut striker.owed));
        let members = handles.into_iter().zip(bend.members.iter_mut().map(|member| &mut member.owed));
        for (node, (handle, owed)) in nodes.iter().zip(members.chain(striker)) {
            let rigid = handle.and_then(|handle| physics.bodies.get_mut(handle));
            if let Some(rigid) = rigid.filter(|rigid| rigid.is_dynamic()) {
                let (velocity, spin) = (node.moved / dt, node.turned / dt);
                *owed = Owed { velocity: node.velocity - velocity, spin: node.spin - spin };
                rigid.set_linvel(narrow(velocity), true);
                rigid.set_angvel(narrow(spin), true);
            }
        }
    }

    /// Puts together what still holds together.
    fn mend(&mut self, physics: &mut Physics, mut bend: Bend) {
        self.settle_debts(physics, &mut bend);
        let mut sets = UnionFind::new(bend.members.len());
        let holding = bend.links.iter().filter(|link| !link.is_torn);
        holding.for_each(|link| sets.join(link.members[0], link.members[1]));
        let mut clusters: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for member in 0..bend.members.len() as u32 {
            clusters.entry(sets.root(member)).or_default().push(member);
        }
        for cluster in clusters.into_values() {
            if cluster.len() > 1 && self.mend_cluster(physics, &bend, &cluster).is_none() {
                self.bends.failed += 1;
            } else if cluster.len() == 1 {
                self.retire_if_small(physics, bend.members[cluster[0] as usize].body);
            }
        }
    }

    /// What bodies are owed they get, and they collide again as all do.
    fn settle_debts(&self, physics: &mut Physics, bend: &mut Bend) {
        let striker = bend.striker.as_ref().map(|striker| (striker.handle, striker.owed));
        let mut debts: Vec<(RigidBodyHandle, Owed)> = striker.into_iter().collect();
        for member in &bend.members {
            let Some(body) = self.bodies.get(&member.body) else { continue };
            debts.extend(body.handle().map(|handle| (handle, member.owed)));
            for handle in body.handles() {
                if let Some(collider) = physics.colliders.get_mut(handle) {
                    collider.set_collision_groups(InteractionGroups::all());
                }
            }
        }
        for (handle, owed) in debts {
            let rigid = physics.bodies.get_mut(handle);
            if let Some(rigid) = rigid.filter(|rigid| rigid.is_dynamic()) {
                rigid.set_linvel(rigid.linvel() + narrow(owed.velocity), true);
                rigid.set_angvel(rigid.angvel() + narrow(owed.spin), true);
            }
        }
    }

    /// Fragments too small or too thin to be bodies were some only as long as they bent.
    fn retire_if_small(&mut self, physics: &mut Physics, id: BodyId) {
        let Some(body) = self.bodies.get(&id) else { return };
        let is_small = body.compound.mass().volume < self.options.smallest;
        if (is_small || self.is_thin(&body.compound))
            && let Some(body) = self.remove(physics, id)
        {
            self.retired.small += usize::from(is_small);
            self.retired.thin += usize::from(!is_small);
            self.retired.mass += self.mass_of(&body);
        }
    }

    /// Makes one body of some members. None: they cannot be put together.
    fn mend_cluster(&mut self, physics: &mut Physics, bend: &Bend, cluster: &[u32]) -> Option<()> {
        let order = self.base_first(physics, bend, cluster);
        let ids: Vec<BodyId> = order.iter().map(|&member| bend.members[member as usize].body).collect();
        let base = *ids.first()?;
        let poses = ids.iter().map(|&id| self.pose(physics.bodies, id)).collect::<Option<Vec<_>>>()?;
        let is_held = |id: &BodyId| !self.bodies[id].is_free(physics.bodies);
        let maps: Vec<DAffine3> = ids
            .iter()
            .zip(&poses)
            .map(|(id, pose)| {
                // What is held has not moved, but for rounding.
                let is_still = *id == base || is_held(id) && is_held(&base);
                if is_still { DAffine3::IDENTITY } else { affine(&poses[0]).inverse() * affine(pose) }
            })
            .collect();
        let parts =
            ids.iter().zip(&maps).map(|(id, &map)| Moved { compound: &self.bodies[id].compound, map });
        let compound = Compound::bent(&parts.collect::<Vec<_>>(), &bend.seams_of(&order))?;
        let motion = self.common_motion(physics, &ids);
        let mass: f64 = ids.iter().map(|id| self.mass_of(&self.bodies[id])).sum();
        let density = self.density(bend.material);
        let parent = self.parent(physics, base)?;
        if let Some(body) = self.bodies.get_mut(&base) {
            body.left = mass / (compound.mass().volume * density);
        }
        self.keep(physics, &parent, compound, None);
        self.move_on(physics, base, motion);
        for (&id, map) in ids.iter().zip(&maps).skip(1) {
            self.redirect(id, base, map);
            self.remove(physics, id);
        }
        self.bends.mended += 1;
        Some(())
    }

    /// Members, the one first that the whole goes on as: of those that are held, or else of all, the oldest. That is the body that was hit, if it is
    /// among them.
    fn base_first(&self, physics: &Physics, bend: &Bend, cluster: &[u32]) -> Vec<u32> {
        let rank = |member: &u32| {
            let id = bend.members[*member as usize].body;
            let is_free = self.bodies.get(&id).is_none_or(|body| body.is_free(physics.bodies));
            (is_free, id)
        };
        let mut order = cluster.to_vec();
        order.sort_by_key(rank);
        order
    }

    /// The momentum of some bodies, that about the origin, and the inertia about it, without what each has of its own.
    fn common_motion(&self, physics: &Physics, ids: &[BodyId]) -> [DVec3; 2] {
        let (mut momentum, mut spin) = (DVec3::ZERO, DVec3::ZERO);
        for rigid in ids.iter().filter_map(|id| self.bodies[id].rigid(physics.bodies)) {
            let (mass, at) = (f64::from(rigid.mass()), widen(rigid.center_of_mass()));
            let own = widen(rigid.linvel()) * mass;
            momentum += own;
            spin += at.cross(own) + inverse_inertia(rigid).inverse() * widen(rigid.angvel());
        }
        [momentum, spin]
    }

    /// A body goes on with a momentum, and one about the origin.
    fn move_on(&self, physics: &mut Physics, id: BodyId, [momentum, spin]: [DVec3; 2]) {
        let rigid = self.bodies.get(&id).and_then(|body| body.rigid_mut(physics.bodies));
        let Some(rigid) = rigid.filter(|rigid| rigid.is_dynamic()) else { return };
        let own = spin - widen(rigid.center_of_mass()).cross(momentum);
        let (velocity, turn) = (momentum / f64::from(rigid.mass()), inverse_inertia(rigid) * own);
        if velocity.is_finite() && turn.is_finite() {
            rigid.set_linvel(narrow(velocity), true);
            rigid.set_angvel(narrow(turn), true);
        }
    }

    /// Hits that wait for a body go to another that it is a part of now.
    fn redirect(&mut self, from: BodyId, to: BodyId, map: &DAffine3) {
        for hit in self.pending.iter_mut().filter(|hit| hit.body == from) {
            hit.body = to;
            hit.point = map.transform_point3(hit.point);
            hit.direction = map.transform_vector3(hit.direction);
        }
        self.fragments_of.entry(from).or_default().push(to);
    }
}

impl Bend {
    /// The seams that hold some members, which are named by their place in the list.
    fn seams_of(&self, order: &[u32]) -> Vec<Seam> {
        let place = |member: u32| order.iter().position(|&own| own == member).map(|place| place as u32);
        let mut found = Vec::new();
        for link in self.links.iter().filter(|link| !link.is_torn) {
            let [Some(a), Some(b)] = link.members.map(place) else { continue };
            found.extend(link.seams.iter().map(|seam| Seam {
                parts: [a, b],
                pieces: seam.pieces,
                id: PlaneId::new(seam.plane),
                area: seam.area,
                centroid: seam.at,
            }));
        }
        found
    }
}

impl Link {
    /// How far it is stretched: by how much its sides are apart, and its outer fibres for being bent, of the length that stretches.
    fn stretch(&self, a: &Pose, b: &Pose) -> f64 {
        let apart = a.point(self.at).distance(b.point(self.at));
        let angle = a.turn.angle_between(b.turn);
        (apart + angle * self.thickness * 0.5) / self.length
    }
}

/// Where fragments touch, and how thick they are there.
pub(crate) fn joined(fragments: &[Fragment]) -> Vec<(Seam, [f64; 2])> {
    let thick =
        |part: u32, piece: u32| width(fragments[part as usize].compound.pieces()[piece as usize].convex());
    let thickness = |seam: &Seam| [0, 1].map(|side| thick(seam.parts[side], seam.pieces[side]));
    seams(fragments).into_iter().map(|seam| (seam, thickness(&seam))).collect()
}

/// One link for all seams between two members. A seam names the pieces of the lower member first, or the sides of its plane would be lost: so links
/// are by ordered pairs.
fn links(joined: &[(Seam, [f64; 2])], centers: &[DVec3]) -> Vec<Link> {
    let mut links: BTreeMap<[u32; 2], Link> = BTreeMap::new();
    for (seam, thickness) in joined {
        let [Some(a), Some(b)] = seam.parts.map(|part| centers.get(part as usize)) else { continue };
        let link = links.entry(seam.parts).or_insert_with(|| Link {
            members: seam.parts,
            at: DVec3::ZERO,
            area: 0.0,
            thickness: 0.0,
            length: a.distance(*b),
            is_torn: false,
            seams: Vec::new(),
        });
        link.at += seam.centroid * seam.area;
        link.area += seam.area;
        link.thickness = link.thickness.max(thickness[0].min(thickness[1]));
        let Seam { pieces, area, centroid: at, .. } = *seam;
        link.seams.push(Joined { pieces, plane: seam.id.number(), area, at });
    }
    let is_sound = |link: &Link| link.area > 0.0 && link.length > 0.0 && link.thickness.is_finite();
    let mut links: Vec<Link> = links.into_values().filter(is_sound).collect();
    links.iter_mut().for_each(|link| link.at /= link.area);
    links
}

/// What pushes, and which members: those under it, or else the nearest.
fn striker(physics: &Physics, handle: RigidBodyHandle, hit: &Pending, centers: &[DVec3]) -> Option<Striker> {
    let rigid = physics.bodies.get(handle).filter(|rigid| rigid.is_dynamic())?;
    let boxes =
        rigid.colliders().iter().filter_map(|&own| physics.colliders.get(own)).map(|c| c.compute_aabb());
    let reach = PUSHED * boxes.map(|own| f64::from(own.half_extents().max_element())).fold(0.0, f64::max);
    let far = |center: &DVec3| center.distance(hit.point);
    let nearest = (0..).zip(centers).min_by(|x, y| far(x.1).total_cmp(&far(y.1)))?.0;
    let is_pushed = |(member, center): &(u32, &DVec3)| *member == nearest || far(center) < reach;
    let members = (0..).zip(centers).filter(is_pushed).map(|(member, _)| member).collect();
    let along = hit.direction.normalize_or_zero();
    (along != DVec3::ZERO).then(|| Striker { handle, members, at: hit.point, along, owed: Owed::default() })
}

/// A body that is gone.
fn nothing() -> Node {
    Node {
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
        center: DVec3::ZERO,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        moved: DVec3::ZERO,
        turned: DVec3::ZERO,
    }
}

fn node(physics: &Physics, handle: RigidBodyHandle, owed: Owed) -> Node {
    let Some(rigid) = physics.bodies.get(handle) else { return nothing() };
    let center = widen(rigid.center_of_mass());
    if !rigid.is_dynamic() {
        return Node { center, ..nothing() };
    }
    Node {
        inverse_mass: 1.0 / f64::from(rigid.mass()),
        inverse_inertia: inverse_inertia(rigid),
        center,
        velocity: widen(rigid.linvel()) + owed.velocity,
        spin: widen(rigid.angvel()) + owed.spin,
        ..nothing()
    }
}

fn inverse_inertia(rigid: &RigidBody) -> DMat3 {
    let inverse = rigid.mass_properties().effective_world_inv_inertia;
    let [x, y, z] = [Vector::X, Vector::Y, Vector::Z].map(|axis| widen(inverse * axis));
    DMat3::from_cols(x, y, z)
}

fn affine(pose: &Pose) -> DAffine3 {
    DAffine3::from_rotation_translation(pose.turn, pose.at)
}
