//! The pieces of a body as nodes and its bonds as joints: what forces go through. The plane lies in z = 0, bodies are as thick as the world's depth.
//!
//! In a body that breaks by nature a node is all that modes leave together, and all bonds between two nodes are one joint.

use std::collections::BTreeMap;

use glam::{DMat3, DVec2, DVec3};
use smithereens_planar::{Bond, Compound, Mass};
use smithereens_stress::{Breaking, Joint, Load, Node, Section, Stress, Structure, Support};

use crate::body::reaches_anchor;
use crate::{Body, Material};

/// Joints break in so many rounds a step: what is overloaded still does so in the next. A collapse takes its time.
const ROUNDS: usize = 8;
/// Loads that have changed by less than this part of the largest of them, and of the weight, are what they were.
const SAME_LOAD: f64 = 0.02;

/// The structure of a body, and what acts on it.
#[derive(Clone)]
pub(crate) struct Skeleton {
    stress: Stress,
    /// The node of each piece.
    node_of: Vec<u32>,
    /// The bonds of each joint.
    bonds: Vec<Vec<Bond>>,
    /// Loads as they are on average.
    loads: Vec<Load>,
    /// Loads of the last solve.
    solved: Vec<Load>,
    weight: f64,
    is_due: bool,
    /// The step in which the body got the pieces that this is made of, and whether it was held then.
    pub made_of: (u64, bool),
}

impl Skeleton {
    /// The structure of a body under a gravity in its own coordinates. Nothing if it is of one piece, or out of numbers' range.
    pub fn of(body: &Body, material: &Material, gravity: DVec2, depth: f64) -> Option<Skeleton> {
        let compound = &body.compound;
        let (node_of, nodes) = nodes(body, material.density * depth, depth);
        if nodes.len() < 2 {
            return None;
        }
        let mut joined: BTreeMap<(u32, u32), Vec<Bond>> = BTreeMap::new();
        let mut bonds: Vec<Vec<Bond>> = Vec::new();
        for &bond in compound.bonds() {
            let [a, b] = [bond.a, bond.b].map(|piece| node_of[piece as usize]);
            match (a == b, body.weakness.is_some()) {
                (true, _) => {}
                (false, true) => joined.entry((a.min(b), a.max(b))).or_default().push(bond),
                (false, false) => bonds.push(vec![bond]),
            }
        }
        bonds.extend(joined.into_values());
        let joints = bonds.iter().map(|bonds| joint(compound, bonds, &node_of, depth)).collect();
        let weight = nodes.iter().map(|node| node.mass).sum::<f64>() * gravity.length();
        let loads = vec![Load::default(); nodes.len()];
        let mut stress = Stress::new(Structure { nodes, joints, materials: vec![material.stress] }).ok()?;
        stress.set_gravity(gravity.extend(0.0)).ok()?;
        let solved = loads.clone();
        let made_of = (body.changed, body.is_fixed);
        Some(Skeleton { stress, node_of, bonds, loads, solved, weight, is_due: true, made_of })
    }

    /// A load at a point of a piece, in the body's coordinates.
    pub fn add(&self, to: &mut [Load], piece: usize, at: DVec2, force: DVec2) {
        let Some(node) = self.node_of.get(piece).map(|&node| node as usize) else { return };
        let load = Load::at(&self.stress.structure().nodes[node], at.extend(0.0), force.extend(0.0));
        to[node].force += load.force;
        to[node].torque += load.torque;
    }

    /// No loads.
    pub fn no_loads(&self) -> Vec<Load> {
        vec![Load::default(); self.loads.len()]
    }

    /// Takes in what acts on it now. Loads of contacts shake: they count on average over the last steps, of which this one is a share.
    pub fn bear(&mut self, contacts: &[Load], share: f64) {
        for (mean, now) in self.loads.iter_mut().zip(contacts) {
            mean.force += (now.force - mean.force) * share;
            mean.torque += (now.torque - mean.torque) * share;
        }
        let most = self.loads.iter().map(|load| load.force.length()).fold(self.weight, f64::max);
        let far = |(a, b): (&Load, &Load)| a.force.distance(b.force) > SAME_LOAD * most;
        if self.loads.iter().zip(&self.solved).any(far) {
            for (node, load) in (0..).zip(&self.loads) {
                // What is not finite is not taken in: the body is lost for it elsewhere.
                let _ = self.stress.set_load(node, *load);
            }
            self.solved.clone_from(&self.loads);
            self.is_due = true;
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
        broken.joints.iter().flat_map(|(joint, _)| self.bonds[*joint as usize].iter().copied()).collect()
    }

    /// How much of what it can bear each bond bears, as of the last solve.
    pub fn utilisations(&self) -> Vec<(Bond, f64)> {
        let of_joint = (0..).zip(&self.bonds).filter_map(|(joint, bonds)| {
            let ratio = self.stress.utilisation(joint)?.ratio;
            Some(bonds.iter().map(move |bond| (*bond, ratio)))
        });
        of_joint.flatten().collect()
    }
}

/// The node of each piece, and the nodes.
fn nodes(body: &Body, density: f64, depth: f64) -> (Vec<u32>, Vec<Node>) {
    let pieces = body.compound.pieces();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut node_of = Vec::with_capacity(pieces.len());
    let mut known: BTreeMap<u32, u32> = BTreeMap::new();
    for (index, piece) in pieces.iter().enumerate() {
        let name = body.weakness.as_ref().map_or(index as u32, |weakness| weakness.piece_of(piece));
        let node = *known.entry(name).or_insert(members.len() as u32);
        if node as usize == members.len() {
            members.push(Vec::new());
        }
        members[node as usize].push(index);
        node_of.push(node);
    }
    let node = |members: &Vec<usize>| {
        let mass = Mass::sum(members.iter().map(|&piece| pieces[piece].mass()));
        let is_held = members.iter().any(|&piece| reaches_anchor(&pieces[piece], &body.anchors));
        let support = if is_held { Support::Held } else { Support::Free };
        let (weight, turn) = (mass.area * density, mass.inertia * density);
        // About the axes in the plane: as of a plate of that depth.
        let flat = turn * 0.5 + weight * depth * depth / 12.0;
        let inertia = DMat3::from_diagonal(DVec3::new(flat, flat, turn));
        Node { centre: mass.center.extend(0.0), mass: weight, inertia, support }
    };
    (node_of, members.iter().map(node).collect())
}

/// Edges between two nodes as one section, as they look along their mean normal.
fn joint(compound: &Compound, bonds: &[Bond], node_of: &[u32], depth: f64) -> Joint {
    let [first, second] = [bonds[0].a, bonds[0].b].map(|piece| node_of[piece as usize]);
    let facing = |bond: &Bond| {
        let normal = normal_of(compound, bond);
        if node_of[bond.a as usize] == first { normal } else { -normal }
    };
    let sum: DVec2 = bonds.iter().map(|bond| facing(bond) * bond.length).sum();
    let normal = sum.try_normalize().unwrap_or_else(|| facing(&bonds[0]));
    let along = normal.perp();
    let seen = |bond: &Bond| bond.length * facing(bond).dot(normal).abs();
    let length: f64 = bonds.iter().map(seen).sum::<f64>().max(f64::MIN_POSITIVE);
    let middle = bonds.iter().map(|bond| bond.middle * seen(bond)).sum::<DVec2>() / length;
    let (area, deep) = (length * depth, DVec3::Z * depth);
    let bending: f64 = bonds
        .iter()
        .map(|bond| {
            let away = along.dot(bond.middle - middle);
            seen(bond) * depth * (seen(bond) * seen(bond) / 12.0 + away * away)
        })
        .sum();
    let along = along.extend(0.0);
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let second_moments = outer(along) * bending + outer(deep) * (area / 12.0);
    let section = Section { area, second: second_moments };
    Joint::new(first, second, middle.extend(0.0), normal.extend(0.0), section)
}

/// The way from the piece behind a bond to the one in front of it.
fn normal_of(compound: &Compound, bond: &Bond) -> DVec2 {
    let edges = compound.pieces()[bond.a as usize].convex().edges();
    let own = edges.iter().find(|edge| edge.cut.is_some_and(|cut| cut.id() == bond.id));
    own.map_or(DVec2::Y, |edge| edge.line.normal)
}
