//! Who carries whom: what rests, on what, and what has to wake when that goes.

use std::collections::{BTreeMap, BTreeSet};

use rapier3d::prelude::*;
use smithereens::Aabb;

use crate::convert::widen;
use crate::load::Push;
use crate::watch::{body_of, owner_of};
use crate::{Body, BodyId, Physics};

/// A contact that pushes down on a body by more than this, of its impulse, does not carry it. Sideways is no matter: wedges and arches hold so.
const DOWNWARD: f64 = 0.1;

/// All that rests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resting {
    bodies: BTreeMap<BodyId, Rest>,
    /// What rests on each body.
    load: BTreeMap<BodyId, BTreeSet<BodyId>>,
}

/// Where a body rests, and on what.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    pub bounds: Aabb,
    /// The bodies that carry it; what is not ours and does not move is not among them.
    pub carriers: Vec<BodyId>,
    /// How it pushes them, if stress is looked at.
    pub pushes: Vec<Push>,
}

impl Resting {
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    pub fn contains(&self, id: BodyId) -> bool {
        self.bodies.contains_key(&id)
    }

    /// The box around something that rests.
    pub fn bounds(&self, id: BodyId) -> Option<Aabb> {
        self.bodies.get(&id).map(|rest| rest.bounds)
    }

    /// How something that rests pushes those that carry it.
    pub fn pushes(&self, id: BodyId) -> &[Push] {
        self.bodies.get(&id).map_or(&[], |rest| &rest.pushes)
    }

    pub fn insert(&mut self, id: BodyId, rest: Rest) {
        for carrier in &rest.carriers {
            self.load.entry(*carrier).or_default().insert(id);
        }
        self.bodies.insert(id, rest);
    }

    /// Whether it was there.
    pub fn remove(&mut self, id: BodyId) -> bool {
        let Some(rest) = self.bodies.remove(&id) else { return false };
        for carrier in rest.carriers {
            if let Some(load) = self.load.get_mut(&carrier) {
                load.remove(&id);
                if load.is_empty() {
                    self.load.remove(&carrier);
                }
            }
        }
        true
    }

    /// All that rests, in order of the bodies.
    pub fn iter(&self) -> impl Iterator<Item = (BodyId, &Rest)> {
        self.bodies.iter().map(|(id, rest)| (*id, rest))
    }

    /// Whether something rests on a body.
    pub fn is_loaded(&self, carrier: BodyId) -> bool {
        self.load.contains_key(&carrier)
    }

    /// What rests on a body.
    pub fn load_of(&self, carrier: BodyId) -> Vec<BodyId> {
        self.load.get(&carrier).into_iter().flatten().copied().collect()
    }

    /// What rests on a body and is in one of some boxes.
    pub fn load_within(&self, carrier: BodyId, boxes: &[Aabb]) -> Vec<BodyId> {
        let is_in = |id: &BodyId| boxes.iter().any(|b| b.overlaps(&self.bodies[id].bounds));
        self.load_of(carrier).into_iter().filter(is_in).collect()
    }

    /// What rests within a box.
    pub fn within(&self, bounds: &Aabb) -> Vec<BodyId> {
        let near = self.bodies.iter().filter(|(_, rest)| rest.bounds.overlaps(bounds));
        near.map(|(id, _)| *id).collect()
    }
}

/// What carries a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Carriers {
    /// Bodies of ours.
    pub bodies: Vec<BodyId>,
    /// Whether something that is not ours does, and does not move.
    pub on_ground: bool,
    /// Whether something that is not ours does, and may move away unnoticed.
    pub on_foreign: bool,
    /// Bodies of ours that are awake and heavier, and weigh on it.
    pub under: Vec<BodyId>,
    /// Whether something that is not ours does.
    pub under_foreign: bool,
}

impl Carriers {
    pub fn is_none(&self) -> bool {
        self.bodies.is_empty() && !self.on_ground && !self.on_foreign
    }

    /// What pushed a body up or sideways in the last step.
    pub fn of(physics: &Physics, body: &Body) -> Carriers {
        let mut found = Carriers::default();
        for handle in body.handles() {
            for pair in physics.narrow_phase.contact_pairs_with(handle) {
                let is_first = pair.collider1 == handle;
                let other = if is_first { pair.collider2 } else { pair.collider1 };
                match way(pair, if is_first { -1.0 } else { 1.0 }) {
                    Some(Way::Up) => found.add(physics, other),
                    Some(Way::Down) => found.add_above(physics, other, body),
                    None => {}
                }
            }
        }
        found.bodies.sort_unstable();
        found.bodies.dedup();
        found
    }

    fn add_above(&mut self, physics: &Physics, collider: ColliderHandle, body: &Body) {
        if let Some(heavier) = heavier(physics, collider, body) {
            match body_of(heavier) {
                Some(id) => self.under.push(id),
                None => self.under_foreign = true,
            }
        }
    }

    fn add(&mut self, physics: &Physics, collider: ColliderHandle) {
        // What broke or went in this step carries nothing any more.
        let Some(collider) = physics.colliders.get(collider) else { return };
        let rigid = || collider.parent().and_then(|handle| physics.bodies.get(handle));
        match owner_of(collider) {
            Some(id) => self.bodies.push(id),
            None if rigid().is_none_or(RigidBody::is_fixed) => self.on_ground = true,
            None => self.on_foreign = true,
        }
    }
}

/// The way a contact pushes.
enum Way {
    /// Up, or sideways.
    Up,
    Down,
}

/// The way a pair pushes one of its sides, if it does. `sign` tells which: plus one for the second.
fn way(pair: &ContactPair, sign: f64) -> Option<Way> {
    let mut way = None;
    for manifold in pair.solver_manifolds() {
        let impulse: f64 = manifold.points.iter().map(|point| f64::from(point.data.impulse)).sum();
        if impulse > 0.0 {
            if sign * widen(manifold.data.normal).y > -DOWNWARD {
                return Some(Way::Up);
            }
            way = Some(Way::Down);
        }
    }
    way
}

/// What a collider belongs to, if that moves freely and is heavier than a body.
fn heavier<'a>(physics: &'a Physics, collider: ColliderHandle, body: &Body) -> Option<&'a RigidBody> {
    let other = physics.colliders.get(collider).and_then(Collider::parent);
    let other = other.and_then(|handle| physics.bodies.get(handle));
    let mass = body.rigid(physics.bodies).map_or(0.0, RigidBody::mass);
    other.filter(|other| other.is_dynamic() && other.mass() > mass)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn loads_are_known_from_both_sides() {
        let at = |x: f64| Aabb::new(DVec3::new(x, 1.0, 0.0), DVec3::new(x + 1.0, 2.0, 1.0));
        let mut resting = Resting::default();
        for (id, carriers) in [(1, vec![0]), (2, vec![0, 1]), (3, vec![])] {
            let carriers = carriers.into_iter().map(BodyId).collect();
            resting.insert(BodyId(id), Rest { bounds: at(id as f64 * 2.0), carriers, pushes: Vec::new() });
        }
        assert_eq!(resting.load_of(BodyId(0)), [BodyId(1), BodyId(2)]);
        assert_eq!(resting.load_within(BodyId(0), &[at(3.5)]), [BodyId(2)]);
        assert_eq!(resting.within(&at(5.5)), [BodyId(3)]);
        assert!(resting.remove(BodyId(2)) && !resting.remove(BodyId(2)));
        assert_eq!(resting.load_of(BodyId(0)), [BodyId(1)]);
        assert!(!resting.is_loaded(BodyId(1)));
    }
}
