//! The part of an octree in the cells of several seeds, for local fracture (Section 4.7): as `clip`, but that there is no surface between cells of one
//! object.
//!
//! Such a share need not be convex, and so places are asked which seeds can be nearest somewhere in them. A seed is out of question where another is nearer throughout.
//! When all that are left are of the object, the place is taken as it is; when none is, it is left; in bricks each cell has its voxels, exactly, and a voxel
//! is cut if cells of two objects meet it.

use crate::cell::{Bisector, Sites, half_side, middle_of};
use crate::clip::{At, Growth, Made, Share};
use crate::look::Crossing;
use crate::member::Membership;
use crate::payload::Normal;
use crate::trunk::{Node, Spot};

/// An object of several seeds.
pub(crate) struct Region<'a> {
    pub sites: &'a Sites,
    pub object: u32,
}

impl Region<'_> {
    fn is_own(&self, seed: u32) -> bool {
        self.sites.objects[seed as usize] == self.object
    }

    /// Adds what a place holds of the cells of the object, where only these seeds can be nearest: those of the stack from `from` on.
    pub fn clip(&self, growth: &mut Growth, stack: &mut Vec<u32>, at: At, from: usize) -> Made {
        let own = stack[from..].iter().filter(|&&seed| self.is_own(seed)).count();
        if own == 0 {
            return Made::Nothing;
        }
        if own == stack.len() - from {
            return growth.take(at);
        }
        if at.depth == growth.source.trunk.depth() {
            return self.clip_brick(growth, &stack[from..], at);
        }
        let end = stack.len();
        let mut node = Node { first: growth.trunk.len(at.depth + 1), ..Node::default() };
        for octant in 0..8 {
            let spot = growth.source.trunk.child(at.depth, at.spot, octant);
            if spot == Spot::Empty {
                continue;
            }
            let child = At { depth: at.depth + 1, spot, code: at.code << 3 | octant };
            let half = half_side(growth.source.trunk, child.depth);
            self.sites.enter(stack, from..end, middle_of(child.code, half), half);
            let made = self.clip(growth, stack, child, end);
            stack.truncate(end);
            node.add(octant, made);
        }
        growth.finish(at.depth, node, false)
    }

    fn clip_brick(&self, growth: &mut Growth, seeds: &[u32], at: At) -> Made {
        let half = half_side(growth.source.trunk, at.depth);
        let middle = middle_of(at.code, half);
        let (mut meets, mut owned, mut foreign) = (0, 0, 0);
        let mut crossings: Vec<Crossing> = Vec::new();
        let mut membership = Membership::default();
        for &seed in seeds {
            let others = seeds.iter().filter(|&&other| other != seed);
            let planes: Vec<(u32, Bisector)> =
                others.map(|&other| (other, self.sites.bisector(seed as usize, other as usize))).collect();
            membership.find(!0, planes.iter().map(|(_, plane)| (plane, plane.at(middle) as f64)));
            if !self.is_own(seed) {
                foreign |= membership.meets;
                continue;
            }
            meets |= membership.meets;
            owned |= membership.owned;
            for ((other, plane), crossed) in planes.iter().zip(&membership.crossed) {
                let voxels = crossed & membership.meets;
                if !self.is_own(*other) && voxels != 0 {
                    let face = face_of(&mut growth.trunk.cuts.faces, plane.normal);
                    crossings.push(Crossing { voxels, face });
                }
            }
        }
        let share = Share { meets, within: meets & !foreign, owned, is_convex: false };
        growth.add_brick(at, &share, &crossings)
    }
}

/// The number of a normal among those of faces, the last ones looked at first: neighbouring bricks are cut by the same faces.
fn face_of(faces: &mut Vec<Normal>, normal: Normal) -> u32 {
    let known = faces.iter().rev().take(64).position(|&face| face == normal);
    if let Some(back) = known {
        return (faces.len() - 1 - back) as u32;
    }
    faces.push(normal);
    faces.len() as u32 - 1
}
