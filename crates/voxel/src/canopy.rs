//! The first halvings of a tree, with the seeds that can be nearest somewhere in each place: found once for all cells, so that none of them asks about all others.

use std::ops::Range;

use crate::cell::{Sites, half_side, middle_of};
use crate::trunk::{Spot, Trunk};

/// How many halvings.
const HALVINGS: usize = 3;

/// The places and their seeds.
pub(crate) struct Canopy {
    places: Vec<Place>,
    seeds: Vec<u32>,
}

/// A place, and those of its octants that are not empty.
struct Place {
    seeds: Range<usize>,
    octants: Option<[Option<u32>; 8]>,
}

impl Canopy {
    pub fn of(sites: &Sites, trunk: &Trunk) -> Canopy {
        let mut canopy = Canopy { places: Vec::new(), seeds: Vec::new() };
        let all: Vec<u32> = (0..sites.points.len() as u32).collect();
        canopy.add(sites, trunk, (0, trunk.root(), 0), &all);
        canopy
    }

    fn add(&mut self, sites: &Sites, trunk: &Trunk, place: (usize, Spot, u32), above: &[u32]) -> u32 {
        let (depth, spot, code) = place;
        let half = half_side(trunk, depth);
        let start = self.seeds.len();
        let mut stack = above.to_vec();
        sites.enter(&mut stack, 0..above.len(), middle_of(code, half), half);
        self.seeds.extend_from_slice(&stack[above.len()..]);
        let seeds = start..self.seeds.len();
        let index = self.places.len();
        let is_last = depth == HALVINGS.min(trunk.depth()) || seeds.len() < 2;
        self.places.push(Place { seeds, octants: None });
        if !is_last {
            let here = stack.split_off(above.len());
            let octants = std::array::from_fn(|octant| {
                let octant = octant as u32;
                let child = (depth + 1, trunk.child(depth, spot, octant), code << 3 | octant);
                (child.1 != Spot::Empty).then(|| self.add(sites, trunk, child, &here))
            });
            self.places[index].octants = Some(octants);
        }
        index as u32
    }

    /// The seeds that can be nearest somewhere in a place, in order.
    pub fn seeds(&self, place: u32) -> &[u32] {
        &self.seeds[self.places[place as usize].seeds.clone()]
    }

    /// Its octants; none where it ends.
    pub fn octants(&self, place: u32) -> Option<&[Option<u32>; 8]> {
        self.places[place as usize].octants.as_ref()
    }
}
