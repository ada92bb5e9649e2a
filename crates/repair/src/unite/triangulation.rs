//! Triangles between points of a plane, with edges that must be there. Every decision is an exact turn of three points.

use std::collections::{BTreeSet, HashMap, VecDeque};

/// Triangles by their directed edges, each with the corner across it; all wound counter-clockwise.
pub(super) struct Triangulation<F: Fn(u32, u32, u32) -> i32> {
    // Only looked up in; what is walked through is sorted first.
    apex: HashMap<(u32, u32), u32>,
    /// For each point another one with which it has an edge.
    spoke: HashMap<u32, u32>,
    fixed: BTreeSet<(u32, u32)>,
    turn: F,
}

/// A point lies outside, or an edge could not be had: never, as long as turns are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stuck;

impl<F: Fn(u32, u32, u32) -> i32> Triangulation<F> {
    /// One triangle; `turn` tells which way three points turn.
    pub fn new([a, b, c]: [u32; 3], turn: F) -> Triangulation<F> {
        let (apex, spoke, fixed) = (HashMap::new(), HashMap::new(), BTreeSet::new());
        let mut triangulation = Triangulation { apex, spoke, fixed, turn };
        triangulation.add(a, b, c);
        triangulation
    }

    fn add(&mut self, a: u32, b: u32, c: u32) {
        for (p, q, r) in [(a, b, c), (b, c, a), (c, a, b)] {
            self.apex.insert((p, q), r);
            self.spoke.insert(p, q);
        }
    }

    fn remove(&mut self, a: u32, b: u32, c: u32) {
        for edge in [(a, b), (b, c), (c, a)] {
            self.apex.remove(&edge);
        }
    }

    /// All triangles, each from its lowest corner, sorted.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let from_lowest = |(&(a, b), &c): (&(u32, u32), &u32)| (a < b && a < c).then_some([a, b, c]);
        let mut triangles: Vec<[u32; 3]> = self.apex.iter().filter_map(from_lowest).collect();
        triangles.sort_unstable();
        triangles
    }

    /// Adds a point inside the first triangle or on its border.
    pub fn insert(&mut self, point: u32, near: u32) -> Result<(), Stuck> {
        let ([a, b, c], turns) = self.locate(point, near)?;
        let zero = turns.iter().position(|t| *t == 0);
        match zero {
            None => {
                self.remove(a, b, c);
                self.add(a, b, point);
                self.add(b, c, point);
                self.add(c, a, point);
            }
            Some(k) => {
                let corners = [a, b, c];
                self.split_edge(corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3], point);
            }
        }
        Ok(())
    }

    fn split_edge(&mut self, a: u32, b: u32, c: u32, point: u32) {
        let across = self.apex.get(&(b, a)).copied();
        self.remove(a, b, c);
        self.add(a, point, c);
        self.add(point, b, c);
        if let Some(d) = across {
            self.remove(b, a, d);
            self.add(b, point, d);
            self.add(point, a, d);
        }
    }

    /// The triangle that holds a point, and the turns of its edges with it. Walks towards it; should that go round in circles,
    /// looks at all.
    fn locate(&self, point: u32, near: u32) -> Result<([u32; 3], [i32; 3]), Stuck> {
        let turns = |[a, b, c]: [u32; 3]| {
            [(self.turn)(a, b, point), (self.turn)(b, c, point), (self.turn)(c, a, point)]
        };
        let a = near;
        let b = *self.spoke.get(&a).ok_or(Stuck)?;
        let mut at = [a, b, *self.apex.get(&(a, b)).ok_or(Stuck)?];
        for _ in 0..self.apex.len() {
            let now = turns(at);
            let Some(k) = now.iter().position(|t| *t < 0) else { return Ok((at, now)) };
            let (a, b) = (at[k], at[(k + 1) % 3]);
            let Some(&apex) = self.apex.get(&(b, a)) else { break };
            at = [b, a, apex];
        }
        let all = self.triangles().into_iter().map(|triangle| (triangle, turns(triangle)));
        all.into_iter().find(|(_, turns)| turns.iter().all(|t| *t >= 0)).ok_or(Stuck)
    }

    /// Makes two points have an edge, by flipping those in the way (Sloan 1993). No point may lie between them.
    pub fn fix(&mut self, a: u32, b: u32) -> Result<(), Stuck> {
        if !self.has(a, b) {
            let mut in_the_way = self.crossed(a, b)?;
            let mut patience = 16 + in_the_way.len() * in_the_way.len() * 4;
            while let Some((p, q)) = in_the_way.pop_front() {
                patience = patience.checked_sub(1).ok_or(Stuck)?;
                match self.flip(p, q) {
                    None => in_the_way.push_back((p, q)),
                    Some((c, d)) => {
                        let is_end = [c, d].iter().any(|v| *v == a || *v == b);
                        if !is_end && (self.turn)(a, b, c) * (self.turn)(a, b, d) < 0 {
                            in_the_way.push_back((c, d));
                        }
                    }
                }
            }
            if !self.has(a, b) {
                return Err(Stuck);
            }
        }
        self.fixed.insert((a.min(b), a.max(b)));
        Ok(())
    }

    fn has(&self, a: u32, b: u32) -> bool {
        self.apex.contains_key(&(a, b)) || self.apex.contains_key(&(b, a))
    }

    /// The edges between two points, from one to the other.
    fn crossed(&self, a: u32, b: u32) -> Result<VecDeque<(u32, u32)>, Stuck> {
        let (mut right, mut left) = self.first_crossed(a, b).ok_or(Stuck)?;
        let mut edges = VecDeque::from([(right, left)]);
        loop {
            let apex = *self.apex.get(&(left, right)).ok_or(Stuck)?;
            if apex == b {
                return Ok(edges);
            }
            match (self.turn)(a, b, apex) {
                0 => return Err(Stuck),
                turn if turn < 0 => right = apex,
                _ => left = apex,
            }
            if edges.len() > self.apex.len() {
                return Err(Stuck);
            }
            edges.push_back((right, left));
        }
    }

    /// The edge across from `a` in the triangle through which the way to `b` begins.
    fn first_crossed(&self, a: u32, b: u32) -> Option<(u32, u32)> {
        let leaves = |x: u32, y: u32| (self.turn)(a, b, x) < 0 && (self.turn)(a, b, y) > 0;
        let start = *self.spoke.get(&a)?;
        let mut x = start;
        while let Some(&y) = self.apex.get(&(a, x)) {
            if leaves(x, y) {
                return Some((x, y));
            }
            x = y;
            if x == start {
                return None;
            }
        }
        // At the border: the other way round.
        let mut y = start;
        while let Some(&x) = self.apex.get(&(y, a)) {
            if leaves(x, y) {
                return Some((x, y));
            }
            y = x;
        }
        None
    }

    /// Puts the other diagonal in the place of an edge, and returns it; nothing, if that would fold over or at the border.
    fn flip(&mut self, p: u32, q: u32) -> Option<(u32, u32)> {
        let (c, d) = (*self.apex.get(&(p, q))?, *self.apex.get(&(q, p))?);
        if (self.turn)(p, d, c) <= 0 || (self.turn)(d, q, c) <= 0 {
            return None;
        }
        self.remove(p, q, c);
        self.remove(q, p, d);
        self.add(p, d, c);
        self.add(d, q, c);
        Some((c, d))
    }

    /// Flips edges that need not be there where `is_better` prefers the other diagonal: called with the edge's ends and the
    /// corners across it.
    pub fn improve(&mut self, is_better: impl Fn([u32; 2], [u32; 2]) -> bool) {
        let mut edges: Vec<(u32, u32)> = self.apex.keys().filter(|(a, b)| a < b).copied().collect();
        edges.sort_unstable();
        let mut queue = VecDeque::from(edges);
        let mut patience = queue.len() * 8;
        while let Some((p, q)) = queue.pop_front() {
            if patience == 0 {
                return;
            }
            patience -= 1;
            if self.fixed.contains(&(p.min(q), p.max(q))) {
                continue;
            }
            let (Some(&c), Some(&d)) = (self.apex.get(&(p, q)), self.apex.get(&(q, p))) else { continue };
            if is_better([p, q], [c, d]) && self.flip(p, q).is_some() {
                queue.extend([(p, c), (p, d), (q, c), (q, d)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_that_must_be_there_are() {
        let at = [[0, 0], [100, 0], [0, 100], [20, 20], [40, 10], [50, 50], [30, 60], [10, 30], [50, 0]];
        let turn = |a: u32, b: u32, c: u32| {
            let [p, q, r] = [a, b, c].map(|v| at[v as usize]);
            let area: i64 = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
            area.signum() as i32
        };
        let mut triangulation = Triangulation::new([0, 1, 2], turn);
        (3..9).for_each(|point| triangulation.insert(point, 0).unwrap());
        for (a, b) in [(7, 4), (6, 8), (2, 5)] {
            triangulation.fix(a, b).unwrap();
            assert!(triangulation.has(a, b));
        }
        let triangles = triangulation.triangles();
        assert!(triangles.iter().all(|&[a, b, c]| turn(a, b, c) > 0));
        // Six points, two of them on the border: each inside adds two triangles, each on the border one.
        assert_eq!(triangles.len(), 1 + 4 * 2 + 2);
    }
}
