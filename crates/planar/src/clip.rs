//! Cutting polygons with holes by a line: closed by construction.
//!
//! The side of every corner is one bit. Along each loop, edges that leave the kept side end in an exit and those that come back start in an
//! entry: there are as many of one as of the other. Both are sorted along the line and joined in order, so that the result is closed whatever
//! the rounding. Where an edge is cut depends on the edge and the line alone, walked from behind to front: both sides get the same bits.

use glam::DVec2;

use crate::line::{crossing, side_at};
use crate::nest::nest;
use crate::{Edge, Halfplane, Shape};

impl Shape {
    /// What lies in a halfplane: one shape for each part that hangs together.
    ///
    /// ```
    /// use smithereens_planar::{Aabb, Halfplane, Line, Shape, Side};
    /// use glam::DVec2;
    /// let frame = Shape::new(&Aabb::square(2.0).corners(), &[Aabb::square(1.0).corners().to_vec()])?;
    /// let upper = Halfplane { line: Line::new(DVec2::Y, 0.0), side: Side::Front, id: None };
    /// let arch = frame.clip(&upper);
    /// assert_eq!((arch.len(), arch[0].area()), (1, 6.0));
    /// # Ok::<(), smithereens_planar::ShapeError>(())
    /// ```
    pub fn clip(&self, halfplane: &Halfplane) -> Vec<Shape> {
        let mut chains = Chains::default();
        let mut loops: Vec<Vec<Edge>> = Vec::new();
        for edges in self.loops() {
            loops.extend(chains.take(edges, halfplane));
        }
        loops.extend(chains.joined(halfplane));
        nest(loops)
    }

    /// What lies in a halfplane, and what does not.
    pub fn split(&self, halfplane: &Halfplane) -> (Vec<Shape>, Vec<Shape>) {
        (self.clip(halfplane), self.clip(&halfplane.opposite()))
    }
}

/// Runs of edges on the kept side, each from an entry to an exit.
#[derive(Default)]
struct Chains {
    chains: Vec<Vec<Edge>>,
    exits: Vec<DVec2>,
}

impl Chains {
    /// Takes a loop apart, unless all of it is kept.
    fn take(&mut self, edges: &[Edge], halfplane: &Halfplane) -> Option<Vec<Edge>> {
        let distances: Vec<f64> = edges.iter().map(|edge| halfplane.line.distance(edge.start)).collect();
        let is_kept = |corner: usize| side_at(distances[corner % edges.len()]) == halfplane.side;
        if (0..edges.len()).all(is_kept) {
            return Some(edges.to_vec());
        }
        let entries = (0..edges.len()).filter(|&i| !is_kept(i) && is_kept(i + 1));
        for entry in entries {
            let mut chain = vec![Edge { start: cut(edges, &distances, entry), ..edges[entry] }];
            let mut corner = entry + 1;
            while is_kept(corner) {
                chain.push(edges[corner % edges.len()]);
                corner += 1;
            }
            self.chains.push(chain);
            self.exits.push(cut(edges, &distances, (corner - 1) % edges.len()));
        }
        None
    }

    /// The loops that the chains make with the line between them.
    fn joined(self, halfplane: &Halfplane) -> Vec<Vec<Edge>> {
        let along = halfplane.line.direction();
        let order = |points: &mut Vec<(f64, usize)>| points.sort_by(|x, y| x.0.total_cmp(&y.0));
        let place = |(index, &point): (usize, &DVec2)| (along.dot(point), index);
        let mut exits: Vec<(f64, usize)> = self.exits.iter().enumerate().map(place).collect();
        let starts: Vec<DVec2> = self.chains.iter().map(|chain| chain[0].start).collect();
        let mut entries: Vec<(f64, usize)> = starts.iter().enumerate().map(place).collect();
        order(&mut exits);
        order(&mut entries);
        let mut follower = vec![0; exits.len()];
        exits.iter().zip(&entries).for_each(|(exit, entry)| follower[exit.1] = entry.1);
        let mut is_used = vec![false; follower.len()];
        let mut loops = Vec::new();
        for first in 0..follower.len() {
            let mut edges = Vec::new();
            let mut chain = first;
            while !std::mem::replace(&mut is_used[chain], true) {
                edges.extend_from_slice(&self.chains[chain]);
                edges.push(halfplane.edge(self.exits[chain]));
                chain = follower[chain];
            }
            loops.push(edges);
        }
        loops
    }
}

/// Where the line cuts an edge.
fn cut(edges: &[Edge], distances: &[f64], edge: usize) -> DVec2 {
    let end = |corner: usize| (edges[corner].start, distances[corner]);
    let ends = [end(edge), end((edge + 1) % edges.len())];
    if ends[0].1 > 0.0 { crossing(ends[1], ends[0]) } else { crossing(ends[0], ends[1]) }
}
