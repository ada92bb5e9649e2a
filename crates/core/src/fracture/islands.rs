//! What hangs together after the cuts.
//!
//! A flood fill over all bonds would take time with the compound, not with the hit. But a compound hangs together, so each
//! part it falls into holds a neighbour of a touched piece. From all those neighbours a search goes outward, one step each in turn:
//! parts that meet are one, and as soon as all but one have come to their end, that one has all the rest. So the time follows
//! the smaller parts and the way around the hole; only at worst the compound.

use std::collections::VecDeque;

use smithereens_geometry::UnionFind;

use crate::{Bond, Bonds};

/// What a search goes over. Pieces are named by their index; new ones come after all others.
pub(crate) struct Search<'a> {
    pub bonds: &'a Bonds,
    /// For each piece of the compound whether it was touched.
    pub touched: &'a [bool],
    /// Untouched pieces, sorted: at least one of each part.
    pub starts: &'a [u32],
    pub new_pieces: usize,
    pub new_bonds: &'a [Bond],
}

/// The parts that hang together.
#[derive(Debug, PartialEq)]
pub(crate) struct Islands {
    /// The new pieces of the part that has all untouched pieces but those of the others, if there is one.
    pub rest: Option<Vec<u32>>,
    /// The others, each in order, in order of their first pieces.
    pub others: Vec<Vec<u32>>,
}

/// No search has come to this piece.
const UNSEEN: u32 = u32::MAX;

struct Front<'a> {
    search: &'a Search<'a>,
    /// For each piece of the compound the start that came to it.
    seen: Vec<u32>,
    /// All pieces that were come to.
    visited: Vec<u32>,
    /// Starts, then new pieces.
    parts: UnionFind,
    /// For each part where it goes on.
    edge: Vec<VecDeque<u32>>,
}

impl Search<'_> {
    pub fn run(&self) -> Islands {
        let mut front = self.front();
        let mut open: Vec<u32> =
            (0..self.starts.len() as u32).filter(|&s| front.parts.root(s) == s).collect();
        while open.len() > 1 {
            let mut left = open.len();
            open.retain(|&part| {
                let is_open = left == 1 || front.step(part);
                left -= usize::from(!is_open);
                is_open
            });
        }
        let is_left = self.touched.contains(&false);
        let rest = open.first().map(|&part| front.parts.root(part));
        front.collect(rest, is_left)
    }

    fn member(&self, piece: u32, seen: &[u32]) -> u32 {
        match (piece as usize).checked_sub(self.touched.len()) {
            Some(new) => (self.starts.len() + new) as u32,
            None => seen[piece as usize],
        }
    }

    /// Every part at its start, and those joined that new bonds hold together.
    fn front(&self) -> Front<'_> {
        let mut seen = vec![UNSEEN; self.touched.len()];
        for (start, &piece) in self.starts.iter().enumerate() {
            seen[piece as usize] = start as u32;
        }
        let mut parts = UnionFind::new(self.starts.len() + self.new_pieces);
        for bond in self.new_bonds {
            parts.join(self.member(bond.a, &seen), self.member(bond.b, &seen));
        }
        let mut edge = vec![VecDeque::new(); self.starts.len()];
        for (start, &piece) in self.starts.iter().enumerate() {
            // The root is the least member: a start, as starts come first.
            edge[parts.root(start as u32) as usize].push_back(piece);
        }
        Front { search: self, seen, visited: self.starts.to_vec(), parts, edge }
    }
}

impl Front<'_> {
    /// Goes on from one piece of a part. Whether the part is still its own, and had one.
    fn step(&mut self, part: u32) -> bool {
        if self.parts.root(part) != part {
            return false;
        }
        let Some(piece) = self.edge[part as usize].pop_front() else { return false };
        let from = self.seen[piece as usize];
        let mut part = part;
        for bond in self.search.bonds.of(piece) {
            let next = bond.other(piece) as usize;
            if self.search.touched[next] {
                continue;
            }
            if self.seen[next] == UNSEEN {
                self.seen[next] = from;
                self.visited.push(next as u32);
                self.edge[part as usize].push_back(next as u32);
            } else {
                let met = self.parts.root(self.seen[next]);
                part = self.join(part, met);
            }
        }
        true
    }

    /// Makes two parts one.
    fn join(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        self.parts.join(a, b);
        let (kept, gone) = (a.min(b), a.max(b));
        let mut edge = std::mem::take(&mut self.edge[gone as usize]);
        if edge.len() > self.edge[kept as usize].len() {
            std::mem::swap(&mut edge, &mut self.edge[kept as usize]);
        }
        self.edge[kept as usize].append(&mut edge);
        kept
    }

    fn collect(mut self, rest: Option<u32>, is_left: bool) -> Islands {
        let mut pieces: Vec<(u32, u32)> = Vec::new();
        let mut rest_new = Vec::new();
        let first_new = self.search.touched.len() as u32;
        let new = first_new..first_new + self.search.new_pieces as u32;
        for piece in self.visited.into_iter().chain(new) {
            let member = self.search.member(piece, &self.seen);
            let part = self.parts.root(member);
            if Some(part) != rest {
                pieces.push((part, piece));
            } else if piece >= first_new {
                rest_new.push(piece);
            }
        }
        pieces.sort_unstable();
        let list = |part: &[(u32, u32)]| part.iter().map(|p| p.1).collect();
        let mut others: Vec<Vec<u32>> = pieces.chunk_by(|x, y| x.0 == y.0).map(list).collect();
        others.sort_unstable_by_key(|part| part[0]);
        Islands { rest: (rest.is_some() || is_left).then_some(rest_new), others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use smithereens_geometry::PlaneId;

    fn bond(a: u32, b: u32) -> Bond {
        Bond { a, b, id: PlaneId::new(0), area: 1.0, centroid: DVec3::ZERO }
    }

    /// A random number below `below`.
    fn draw(state: &mut u64, below: u32) -> u32 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) as u32 % below
    }

    /// All parts, found by joining all bonds.
    fn flood(search: &Search) -> Vec<Vec<u32>> {
        let all = search.touched.len() + search.new_pieces;
        let is_left = |piece: u32| !search.touched.get(piece as usize).is_some_and(|touched| *touched);
        let mut sets = UnionFind::new(all);
        for bond in search.bonds.iter().chain(search.new_bonds) {
            if is_left(bond.a) && is_left(bond.b) {
                sets.join(bond.a, bond.b);
            }
        }
        let mut parts = vec![Vec::new(); all];
        (0..all as u32).filter(|&p| is_left(p)).for_each(|p| parts[sets.root(p) as usize].push(p));
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// All parts as the search found them.
    fn found(search: &Search) -> Vec<Vec<u32>> {
        let Islands { rest, mut others } = search.run();
        if let Some(new) = rest {
            let is_taken =
                |piece: u32| search.touched[piece as usize] || others.iter().flatten().any(|&p| p == piece);
            let old = (0..search.touched.len() as u32).filter(|&piece| !is_taken(piece));
            let part = old.chain(new).collect();
            others.push(part);
            others.sort();
        }
        others
    }

    #[test]
    fn the_search_finds_what_a_flood_fill_finds() {
        let mut state = 1;
        for case in 0..500 {
            let count = 1 + draw(&mut state, 40);
            // A tree hangs together; some bonds more make rings.
            let mut bonds: Vec<Bond> = (1..count).map(|p| bond(draw(&mut state, p), p)).collect();
            for _ in 0..draw(&mut state, 10) {
                let (a, b) = (draw(&mut state, count), draw(&mut state, count));
                bonds.extend((a != b).then_some(bond(a, b)));
            }
            let bonds = Bonds::new(&bonds);
            let touched: Vec<bool> = (0..count).map(|_| draw(&mut state, 4) == 0).collect();
            let is_near =
                |&p: &u32| !touched[p as usize] && bonds.of(p).iter().any(|b| touched[b.other(p) as usize]);
            let starts: Vec<u32> = (0..count).filter(is_near).collect();
            let new_pieces = draw(&mut state, 5);
            let mut new_bonds = Vec::new();
            for new in count..count + new_pieces {
                let (start, other) =
                    (draw(&mut state, starts.len().max(1) as u32), draw(&mut state, new_pieces));
                new_bonds.extend(starts.get(start as usize).map(|&start| bond(new, start)));
                new_bonds.extend((count + other != new).then_some(bond(new, count + other)));
            }
            let search = Search {
                bonds: &bonds,
                touched: &touched,
                starts: &starts,
                new_pieces: new_pieces as usize,
                new_bonds: &new_bonds,
            };
            assert_eq!(found(&search), flood(&search), "case {case}");
        }
    }
}
