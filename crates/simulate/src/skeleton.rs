//! The pieces of a body as nodes and its bonds as joints: what forces go through.
//!
//! Pieces that overlap are one node: their bonds do not break. In a body that breaks by nature a node is all that modes leave together, and all bonds between
//! two nodes are one joint: a fault is of hundreds of faces.

use std::collections::BTreeMap;

use glam::{DMat3, DVec3};
use smithereens::{Bond, Compound, Mass, UnionFind};
use smithereens_stress::{
    Breaking, Joint, Load, Material as Strengths, Node, Section, Stress, Structure, Support,
};

use crate::body::reaches_anchor;
use crate::{Body, Material};

/// Joints break in so many rounds a step: what is overloaded still does so in the next. A collapse takes its time.
const ROUNDS: usize = 8;
/// Loads that have changed by less than this part of the largest of them, and of the weight, are what they were.
const SAME_LOAD: f64 = 0.02;

/// The structure of a body, and what acts on it.
pub(crate) struct Skeleton {
    stress: Stress,
    /// The node of each piece.
    node_of: Vec<u32>,
    /// The bonds of each joint.
    bonds: Vec<Vec<Bond>>,
    /// Plane bonds of ghosts, with their nodes: they go with the last joint between those.
    with_ghosts: Vec<Bond>,
    /// Loads as they are on average.
    loads: Vec<Load>,
    /// Loads of the last solve.
    solved: Vec<Load>,
    weight: f64,
    is_due: bool,
    /// The step in which the body got the pieces that this is made of.
    pub changed: u64,
}

impl Skeleton {
    /// The structure of a body under a gravity in its own coordinates. Nothing if it is of one piece, or out of numbers' range.
    pub fn of(body: &Body, material: &Material, gravity: DVec3) -> Option<Skeleton> {
        let compound = &body.compound;
        let (node_of, nodes) = nodes(body, material.density * body.left);
        if nodes.len() < 2 {
            return None;
        }
        let is_ghost = |piece: u32| compound.pieces()[piece as usize].is_ghost();
        let is_between = |bond: &&Bond| node_of[bond.a as usize] != node_of[bond.b as usize];
        let (with_ghosts, bonds): (Vec<Bond>, Vec<Bond>) =
            compound.bonds().iter().filter(is_between).partition(|bond| is_ghost(bond.a) || is_ghost(bond.b));
        let bonds = joined(body, &node_of, bonds);
        let joint = |bonds: &Vec<Bond>| match bonds[..] {
            [bond] => joint(compound, &bond, &node_of),
            _ => fault(compound, bonds, &node_of),
        };
        let mut joints: Vec<Joint> = bonds.iter().map(joint).collect();
        let materials = strengths(material, &mut joints);
        let weight = nodes.iter().map(|node| node.mass).sum::<f64>() * gravity.length();
        let loads = vec![Load::default(); nodes.len()];
        let structure = Structure { nodes, joints, materials };
        let mut stress = Stress::new(structure).ok()?;
        stress.set_gravity(gravity).ok()?;
        let solved = loads.clone();
        let (changed, is_due) = (body.changed, true);
        Some(Skeleton { stress, node_of, bonds, with_ghosts, loads, solved, weight, is_due, changed })
    }

    /// A load at a point of a piece, in the body's coordinates.
    pub fn add(&self, to: &mut [Load], piece: usize, at: DVec3, force: DVec3) {
        let Some(node) = self.node_of.get(piece).map(|&node| node as usize) else { return };
        let load = Load::at(&self.stress.structure().nodes[node], at, force);
        to[node].force += load.force;
        to[node].torque += load.torque;
    }

    /// No loads.
    pub fn no_loads(&self) -> Vec<Load> {
        vec![Load::default(); self.loads.len()]
    }

    /// Takes in what acts on it now. Loads of contacts shake: they count on average over the last steps, of which this one is a share. Blows count
    /// at once.
    pub fn bear(&mut self, contacts: &[Load], blows: &[Load], share: f64) {
        for (mean, now) in self.loads.iter_mut().zip(contacts) {
            mean.force += (now.force - mean.force) * share;
            mean.torque += (now.torque - mean.torque) * share;
        }
        let all = |(mean, blow): (&Load, &Load)| Load {
            force: mean.force + blow.force,
            torque: mean.torque + blow.torque,
        };
        let wanted: Vec<Load> = self.loads.iter().zip(blows).map(all).collect();
        let most = wanted.iter().map(|load| load.force.length()).fold(self.weight, f64::max);
        let far = |(a, b): (&Load, &Load)| a.force.distance(b.force) > SAME_LOAD * most;
        if wanted.iter().zip(&self.solved).any(far) {
            for (node, load) in (0..).zip(&wanted) {
                // What is not finite is not taken in: the body is frozen for it elsewhere.
                let _ = self.stress.set_load(node, *load);
            }
            (self.solved, self.is_due) = (wanted, true);
        }
    }

    /// The bonds that break under what acts on it.
    pub fn break_overloaded(&mut self) -> Vec<Bond> {
        if !std::mem::take(&mut self.is_due) {
            return Vec::new();
        }
        let breaking = Breaking { most_rounds: ROUNDS, ..Breaking::default() };
        let broken = self.stress.break_overloaded(&breaking);
        self.is_due = broken.is_overloaded;
        let mut bonds: Vec<Bond> =
            broken.joints.iter().flat_map(|(joint, _)| self.bonds[*joint as usize].iter().copied()).collect();
        if !bonds.is_empty() {
            bonds.extend(self.loose_ghosts());
        }
        bonds
    }

    /// Where it bears most of what it can.
    pub fn highest(&mut self) -> Option<DVec3> {
        self.stress.solve();
        self.highest_stress().map(|(_, point)| point)
    }

    /// The same as of the last solve, with how much of it that is.
    pub fn highest_stress(&self) -> Option<(f64, DVec3)> {
        self.stress.highest().map(|(_, own)| (own.ratio, own.point))
    }

    /// Bonds of ghosts between nodes that no joint holds together any more.
    fn loose_ghosts(&self) -> Vec<Bond> {
        let pair = |bond: &Bond| {
            let (a, b) = (self.node_of[bond.a as usize], self.node_of[bond.b as usize]);
            (a.min(b), a.max(b))
        };
        let mut is_held: BTreeMap<(u32, u32), bool> = BTreeMap::new();
        for (joint, bonds) in (0..).zip(&self.bonds) {
            *is_held.entry(pair(&bonds[0])).or_default() |= self.stress.is_broken(joint) == Some(false);
        }
        let is_loose = |bond: &&Bond| is_held.get(&pair(bond)) == Some(&false);
        self.with_ghosts.iter().filter(is_loose).copied().collect()
    }
}

/// The node of each piece, and the nodes.
fn nodes(body: &Body, density: f64) -> (Vec<u32>, Vec<Node>) {
    let pieces = body.compound.pieces();
    let mut sets = UnionFind::new(pieces.len());
    let nature: Option<Vec<u32>> =
        body.weakness().map(|weakness| pieces.iter().map(|piece| weakness.piece_of(piece)).collect());
    let is_one = |bond: &&Bond| {
        let piece = |piece: u32| nature.as_ref().map(|of| of[piece as usize]);
        bond.is_overlap() || (nature.is_some() && piece(bond.a) == piece(bond.b))
    };
    body.compound.bonds().iter().filter(is_one).for_each(|bond| sets.join(bond.a, bond.b));
    let mut node_of = vec![u32::MAX; pieces.len()];
    let mut members: Vec<Vec<usize>> = Vec::new();
    for piece in 0..pieces.len() {
        let root = sets.root(piece as u32) as usize;
        if node_of[root] == u32::MAX {
            node_of[root] = members.len() as u32;
            members.push(Vec::new());
        }
        node_of[piece] = node_of[root];
        members[node_of[piece] as usize].push(piece);
    }
    let node = |members: &Vec<usize>| {
        let masses: Vec<Mass> = members
            .iter()
            .map(|&piece| pieces[piece].mass().times(density * pieces[piece].weight()))
            .collect();
        let mass = Mass::total(masses.iter());
        let is_held = members.iter().any(|&piece| reaches_anchor(&pieces[piece], &body.anchors));
        let support = if is_held { Support::Held } else { Support::Free };
        Node { centre: mass.center, mass: mass.volume, inertia: mass.inertia(), support }
    };
    (node_of, members.iter().map(node).collect())
}

/// What joints bear: all the same, or each by its angle to the fibres.
fn strengths(material: &Material, joints: &mut [Joint]) -> Vec<Strengths> {
    let Some(fibres) = material.fibres else { return vec![material.stress] };
    (0..).zip(joints.iter_mut()).for_each(|(index, joint)| joint.material = index);
    joints.iter().map(|joint| fibres.strengths(&material.stress, joint.normal)).collect()
}

/// The bonds of each joint: one each, or in a body that breaks by nature all between the same two nodes.
fn joined(body: &Body, node_of: &[u32], bonds: Vec<Bond>) -> Vec<Vec<Bond>> {
    if body.nature.is_none() {
        return bonds.into_iter().map(|bond| vec![bond]).collect();
    }
    let mut joined: BTreeMap<(u32, u32), Vec<Bond>> = BTreeMap::new();
    for bond in bonds {
        let (a, b) = (node_of[bond.a as usize], node_of[bond.b as usize]);
        joined.entry((a.min(b), a.max(b))).or_default().push(bond);
    }
    joined.into_values().collect()
}

/// Many faces between two nodes as one section, as they look along their mean normal.
fn fault(compound: &Compound, bonds: &[Bond], node_of: &[u32]) -> Joint {
    let [first, second] = [bonds[0].a, bonds[0].b].map(|piece| node_of[piece as usize]);
    let facing = |bond: &Bond| {
        let normal = compound.plane_of(bond).map_or(DVec3::Y, |plane| plane.normal);
        if node_of[bond.a as usize] == first { normal } else { -normal }
    };
    let sum = bonds.iter().fold(DVec3::ZERO, |sum, bond| sum + facing(bond) * bond.area);
    let normal = sum.try_normalize().unwrap_or_else(|| facing(&bonds[0]));
    let seen = |bond: &Bond| bond.area * facing(bond).dot(normal).abs();
    let area: f64 = bonds.iter().map(seen).sum();
    let point = bonds.iter().fold(DVec3::ZERO, |sum, bond| sum + bond.centroid * seen(bond)) / area;
    let flat = |across: DVec3| across - normal * across.dot(normal);
    let in_plane = DMat3::IDENTITY - outer(normal);
    // Of each face its own moments, as those of a square, and those of its distance.
    let second_moments = bonds.iter().fold(DMat3::ZERO, |sum, bond| {
        let own = in_plane * (seen(bond) * bond.area / 12.0);
        sum + own + outer(flat(bond.centroid - point)) * seen(bond)
    });
    Joint::new(first, second, point, normal, Section { area, second: second_moments })
}

/// A vector times itself.
fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

fn joint(compound: &Compound, bond: &Bond, node_of: &[u32]) -> Joint {
    let normal = compound.plane_of(bond).map_or(DVec3::Y, |plane| plane.normal);
    let is_sound = |section: &smithereens::Section| {
        let second = section.second;
        [second.x_axis.x, second.y_axis.y, second.z_axis.z].iter().all(|moment| *moment >= 0.0)
    };
    let (point, section) = match compound.section_of(bond).filter(is_sound) {
        Some(section) => (section.centroid, Section { area: section.area, second: section.second }),
        None => (bond.centroid, Section::square(bond.area, normal)),
    };
    Joint::new(node_of[bond.a as usize], node_of[bond.b as usize], point, normal, section)
}
