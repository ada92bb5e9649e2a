//! Nodes moved one after the other, by chance, wherever that makes the hulls fit better.
//!
//! A departure from Müller et al. 2013, section 4.1, where a user places all nodes: the volume of the hulls around the parts is minimised
//! over the places of the nodes. Each node takes steps of its own length, longer after a success and shorter after a failure.

use glam::DVec3;
use rayon::prelude::*;

use super::cells::{Cells, Price};
use crate::draw::Draw;

/// The first step's length, of the size of an average cell.
const FIRST_STEP: f64 = 0.35;
/// What a step's length is multiplied with after a success and after a failure, and its range.
const LONGER: f64 = 1.4;
const SHORTER: f64 = 0.85;
const STEP_RANGE: [f64; 2] = [0.05, 1.5];
/// Steps that are tried at once, each on a thread; the best is taken. The same on one thread, for the same bits.
const AT_ONCE: usize = 2;

/// A node's way so far.
#[derive(Clone, Copy)]
struct Walk {
    length: f64,
    /// The last step, if it was a success: worth trying again.
    last: Option<DVec3>,
}

/// A search under way.
pub(super) struct Descent<'a, 'b> {
    /// Copies of one state, one for each step tried at once.
    copies: Vec<Cells<'a>>,
    price: Price,
    cost: f64,
    walks: Vec<Walk>,
    first_step: f64,
    draw: &'b mut Draw,
}

impl<'a, 'b> Descent<'a, 'b> {
    /// Starts from nodes and their cells.
    pub fn new(cells: Cells<'a>, price: Price, volume: f64, draw: &'b mut Draw) -> Descent<'a, 'b> {
        let count = cells.nodes().len();
        let first_step = FIRST_STEP * (volume / count.max(1) as f64).cbrt();
        Descent {
            cost: price.of(&cells.total()),
            price,
            walks: vec![Walk { length: first_step, last: None }; count],
            first_step,
            draw,
            copies: vec![cells; AT_ONCE],
        }
    }

    /// The nodes so far.
    pub fn nodes(&self) -> &[DVec3] {
        self.copies[0].nodes()
    }

    /// Tries to move each node once.
    pub fn round(&mut self) {
        (0..self.walks.len()).for_each(|node| self.step(node));
    }

    fn step(&mut self, node: usize) {
        let Walk { length, last } = self.walks[node];
        let from = self.nodes()[node];
        let mut steps = [DVec3::ZERO; AT_ONCE];
        steps.iter_mut().for_each(|step| *step = self.draw.normal() * length);
        steps[0] = last.unwrap_or(steps[0]);
        let (price, limit) = (self.price, self.cost);
        let costs: Vec<Option<f64>> = (self.copies.par_iter_mut(), steps.par_iter())
            .into_par_iter()
            .map(|(cells, &step)| cells.try_move(node, from + step, &price, limit))
            .collect();
        let cost = |copy: usize| costs[copy].unwrap_or(f64::INFINITY);
        let best = (1..AT_ONCE).fold(0, |best, copy| if cost(copy) < cost(best) { copy } else { best });
        let walk = &mut self.walks[node];
        if costs[best].is_none() {
            walk.length = (length * SHORTER).max(self.first_step * STEP_RANGE[0]);
            walk.last = None;
            return;
        }
        walk.length = (length * LONGER).min(self.first_step * STEP_RANGE[1]);
        walk.last = Some(steps[best]);
        self.cost = cost(best);
        let costs = self.copies[best].costs().to_vec();
        let others = self.copies.par_iter_mut().enumerate().filter(|(copy, _)| *copy != best);
        others.for_each(|(_, cells)| cells.follow(node, from + steps[best], &costs));
    }
}
