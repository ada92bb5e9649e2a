//! The places of colliders that have gone, kept free until Rapier has taken note.
//!
//! Rapier looks for the pairs of a collider that has gone by its place in the set. Where another has taken that place within the same step, they are not
//! found, and stay in the table of pairs for ever: under fire it grew by a million in half a minute, and every step looked pairs up in it. So what goes
//! leaves a stand-in behind that touches nothing, until the next step is over.

use rapier3d::prelude::*;

use crate::Physics;

/// Stand-ins for colliders that have gone.
pub(crate) struct Vacant {
    places: Vec<ColliderHandle>,
    shape: SharedShape,
}

impl Default for Vacant {
    fn default() -> Vacant {
        Vacant::from(Vec::new())
    }
}

impl From<Vec<ColliderHandle>> for Vacant {
    fn from(places: Vec<ColliderHandle>) -> Vacant {
        Vacant { places, shape: SharedShape::ball(1.0) }
    }
}

impl Vacant {
    /// The stand-ins there are.
    pub fn places(&self) -> &[ColliderHandle] {
        &self.places
    }

    /// Takes the places of the colliders that went last, as many as are told: Rapier fills those first.
    pub fn take(&mut self, colliders: &mut ColliderSet, count: usize) {
        for _ in 0..count {
            self.places.push(colliders.insert(ColliderBuilder::new(self.shape.clone()).enabled(false)));
        }
    }

    /// To be called after a step of Rapier: the places are free.
    pub fn release(&mut self, physics: &mut Physics) {
        for place in self.places.drain(..) {
            physics.colliders.remove(place, physics.islands, physics.bodies, physics.soft_bodies, false);
        }
    }
}
