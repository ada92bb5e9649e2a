//! Which pieces overlap, two by two.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::{Aabb, Convex, Tolerance};

use super::do_overlap;
use super::skins::common_share;
use crate::Piece;

/// The pieces that overlap, in an order in which those that do not fill their convexes come first, then the smaller.
pub(super) struct Pairs {
    order: Vec<u32>,
    fills: Vec<bool>,
    /// For each piece the ones after it in the order that it overlaps, in that order.
    after: Vec<Vec<u32>>,
    /// For each piece one after it in the order that it lies in.
    around: Vec<Option<u32>>,
    /// For pairs that both do not fill their convexes, how much of what they have in common is in both skins.
    shares: BTreeMap<(u32, u32), f64>,
}

impl Pairs {
    pub fn find(pieces: &[Piece], tolerance: &Tolerance) -> Pairs {
        let fills: Vec<bool> = pieces.iter().map(|piece| piece.fills_convex(tolerance)).collect();
        let mut order: Vec<u32> = (0..pieces.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let volume = |p: u32| pieces[p as usize].mass().volume;
            let by_fill = fills[a as usize].cmp(&fills[b as usize]);
            by_fill.then(volume(a).total_cmp(&volume(b))).then(a.cmp(&b))
        });
        let mut rank = vec![0u32; pieces.len()];
        order.iter().zip(0..).for_each(|(&piece, at)| rank[piece as usize] = at);
        let (after, around) = (vec![Vec::new(); pieces.len()], vec![None; pieces.len()]);
        let mut pairs = Pairs { order, fills, after, around, shares: BTreeMap::new() };
        let in_order = |(a, b): (u32, u32)| if rank[a as usize] < rank[b as usize] { (a, b) } else { (b, a) };
        let mut near: Vec<(u32, u32)> = near_pairs(pieces, tolerance).into_iter().map(in_order).collect();
        near.sort_unstable_by_key(|&(a, b)| (rank[a as usize], rank[b as usize]));
        pairs.add(pieces, &near, tolerance);
        pairs
    }

    /// Keeps the pairs that overlap. A piece inside another overlaps only that: what it has in common with others, that
    /// has as well.
    fn add(&mut self, pieces: &[Piece], near: &[(u32, u32)], tolerance: &Tolerance) {
        let meet = |&(a, b): &(u32, u32)| {
            let fills = self.fills[b as usize];
            meeting(&pieces[a as usize], &pieces[b as usize], fills, tolerance)
        };
        let found: Vec<Meeting> = near.par_iter().map(meet).collect();
        for (&(a, b), meeting) in near.iter().zip(found) {
            match meeting {
                Meeting::Apart => {}
                Meeting::Inside => self.around[a as usize] = self.around[a as usize].or(Some(b)),
                Meeting::Overlap(share) => {
                    self.after[a as usize].push(b);
                    self.shares.extend((share < 1.0).then_some(((a, b), share)));
                }
            }
        }
        for after in &mut self.after {
            after.retain(|&piece| self.around[piece as usize].is_none());
        }
    }

    /// The piece at a place in the order.
    pub fn by_rank(&self, rank: u32) -> u32 {
        self.order[rank as usize]
    }

    pub fn fills(&self, piece: u32) -> bool {
        self.fills[piece as usize]
    }

    pub fn after(&self, piece: u32) -> &[u32] {
        &self.after[piece as usize]
    }

    /// How much of what the first has in the convex of the second is in the second.
    pub fn share(&self, first: u32, second: u32) -> f64 {
        self.shares.get(&(first, second)).copied().unwrap_or(1.0)
    }

    pub fn around(&self, piece: u32) -> Option<u32> {
        self.around[piece as usize]
    }
}

/// How one piece meets another.
enum Meeting {
    Apart,
    /// The first is wholly in the second.
    Inside,
    /// They have something in common: this share of what the first has in the convex of the second.
    Overlap(f64),
}

/// How a piece meets another, which fills its convex or not.
fn meeting(first: &Piece, second: &Piece, fills: bool, tolerance: &Tolerance) -> Meeting {
    let (a, b) = (first.convex(), second.convex());
    let is_apart = |a: &Convex, b: &Convex| {
        a.faces().iter().any(|face| {
            // Most neighbours touch in a plane that is between them.
            b.vertices().iter().all(|&v| face.plane.distance(v) >= -tolerance.length())
        })
    };
    if is_apart(a, b) || is_apart(b, a) || !do_overlap(a, b, tolerance) {
        return Meeting::Apart;
    }
    match fills {
        true if a.vertices().iter().all(|&v| b.depth(v) <= tolerance.length()) => Meeting::Inside,
        true => Meeting::Overlap(1.0),
        false => common_share(first, second, tolerance).map_or(Meeting::Apart, Meeting::Overlap),
    }
}

/// Pairs of pieces whose boxes overlap by more than the tolerance: a sweep along the longest axis.
fn near_pairs(pieces: &[Piece], tolerance: &Tolerance) -> Vec<(u32, u32)> {
    let all = pieces.iter().fold(Aabb::EMPTY, |all, piece| all.union(*piece.bounds()));
    let axis = DVec3::AXES[all.size().max_position()];
    let shrunk = |piece: u32| pieces[piece as usize].bounds().grown(-tolerance.length() * 0.5);
    let mut order: Vec<u32> = (0..pieces.len() as u32).collect();
    order.sort_by(|&a, &b| shrunk(a).min.dot(axis).total_cmp(&shrunk(b).min.dot(axis)).then(a.cmp(&b)));
    let (mut pairs, mut open): (_, Vec<u32>) = (Vec::new(), Vec::new());
    for piece in order {
        let bounds = shrunk(piece);
        open.retain(|&other| shrunk(other).max.dot(axis) >= bounds.min.dot(axis));
        let overlapped = open.iter().filter(|&&other| shrunk(other).overlaps(&bounds));
        pairs.extend(overlapped.map(|&other| (other.min(piece), other.max(piece))));
        open.push(piece);
    }
    pairs
}
