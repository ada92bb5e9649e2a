//! A direct solver for few bodies: Cholesky's factor within an envelope, in six by six blocks.
//!
//! Bodies are numbered from one end of the graph to the other (Cuthill and McKee, reversed), so that those of a chain, a tower or a
//! bridge have neighbours nearby, and what a row needs is short.

use crate::block::{Block, Six, add, transposed};

/// A symmetric positive definite matrix of blocks, factored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    /// Where each body comes.
    place: Vec<u32>,
    /// The first column of each row, and where its blocks start.
    first: Vec<u32>,
    start: Vec<u32>,
    /// Blocks of the lower triangle, row by row, from the first column to the diagonal. Those on the diagonal are inverted
    /// triangles.
    blocks: Vec<Block>,
}

/// Which blocks a factor has.
pub(crate) struct Envelope {
    place: Vec<u32>,
    first: Vec<u32>,
}

impl Envelope {
    /// Of a graph with so many bodies.
    pub fn new(bodies: usize, edges: &[(u32, u32)]) -> Envelope {
        let place = band_order(bodies, edges);
        let mut first: Vec<u32> = (0..bodies as u32).collect();
        for &(a, b) in edges {
            let (x, y) = (place[a as usize], place[b as usize]);
            let (low, high) = (x.min(y), x.max(y));
            first[high as usize] = first[high as usize].min(low);
        }
        Envelope { place, first }
    }

    /// How many products of blocks a factorisation takes.
    pub fn products(&self) -> u64 {
        let width = |(row, first): (u64, &u32)| row + 1 - u64::from(*first);
        (0..).zip(&self.first).map(width).map(|width| width * (width + 1) / 2).sum()
    }
}

impl Factor {
    /// A factor of nothing yet.
    pub fn new(envelope: Envelope) -> Factor {
        let Envelope { place, first } = envelope;
        let mut start = Vec::with_capacity(first.len() + 1);
        let mut total = 0u32;
        for (row, &first) in (0..).zip(&first) {
            start.push(total);
            total += row - first + 1;
        }
        start.push(total);
        Factor { place, first, start, blocks: vec![[0.0; 36]; total as usize] }
    }

    /// Factors a matrix of a diagonal and of blocks between pairs, each with the first of the pair as its row.
    pub fn decompose<'a>(&mut self, diagonal: &[Block], edges: impl Iterator<Item = (u32, u32, &'a Block)>) {
        self.blocks.fill([0.0; 36]);
        for (body, block) in diagonal.iter().enumerate() {
            let row = self.place[body];
            *self.at(row, row) = *block;
        }
        for (a, b, block) in edges {
            let (row, column) = (self.place[a as usize], self.place[b as usize]);
            if row > column {
                add(self.at(row, column), block);
            } else {
                add(self.at(column, row), &transposed(block));
            }
        }
        (0..self.first.len() as u32).for_each(|row| self.decompose_row(row));
    }

    fn index(&self, row: u32, column: u32) -> usize {
        (self.start[row as usize] + column - self.first[row as usize]) as usize
    }

    fn at(&mut self, row: u32, column: u32) -> &mut Block {
        let index = self.index(row, column);
        &mut self.blocks[index]
    }

    fn decompose_row(&mut self, row: u32) {
        for column in self.first[row as usize]..row {
            let at = self.index(row, column);
            let from = self.first[row as usize].max(self.first[column as usize]);
            let mut block = self.blocks[at];
            for inner in from..column {
                let (x, y) = (self.index(row, inner), self.index(column, inner));
                subtract_product(&mut block, &self.blocks[x], &self.blocks[y]);
            }
            let triangle = &self.blocks[self.index(column, column)];
            self.blocks[at] = times_transposed(&block, triangle);
        }
        let at = self.index(row, row);
        let before = self.blocks[at];
        let mut block = before;
        for inner in self.first[row as usize]..row {
            let x = self.index(row, inner);
            subtract_product(&mut block, &self.blocks[x], &self.blocks[x]);
        }
        self.blocks[at] = inverse_triangle(&block, &before);
    }

    /// Solves for the motions under loads.
    pub fn solve(&self, loads: &[Six], motions: &mut [Six]) {
        let mut x = vec![[0.0; 6]; loads.len()];
        self.place.iter().zip(loads).for_each(|(&place, load)| x[place as usize] = *load);
        for row in 0..self.first.len() {
            let mut sum = x[row];
            let first = self.first[row] as usize;
            for (column, block) in (first..row).zip(&self.blocks[self.start[row] as usize..]) {
                subtract(&mut sum, block, &x[column]);
            }
            x[row] = lower_times(&self.blocks[self.start[row + 1] as usize - 1], &sum);
        }
        for row in (0..self.first.len()).rev() {
            let own = lower_transposed_times(&self.blocks[self.start[row + 1] as usize - 1], &x[row]);
            x[row] = own;
            let first = self.first[row] as usize;
            for (column, block) in (first..row).zip(&self.blocks[self.start[row] as usize..]) {
                subtract_transposed(&mut x[column], block, &own);
            }
        }
        self.place.iter().zip(motions).for_each(|(&place, motion)| *motion = x[place as usize]);
    }
}

/// `to` −= `x` `y`ᵀ.
#[inline]
fn subtract_product(to: &mut Block, x: &Block, y: &Block) {
    for column in 0..6 {
        for inner in 0..6 {
            let factor = y[inner * 6 + column];
            for row in 0..6 {
                to[column * 6 + row] -= x[inner * 6 + row] * factor;
            }
        }
    }
}

/// `x` `y`ᵀ.
fn times_transposed(x: &Block, y: &Block) -> Block {
    let mut product = [0.0; 36];
    subtract_product(&mut product, x, y);
    product.map(|p| -p)
}

fn subtract(to: &mut Six, block: &Block, x: &Six) {
    for (column, x) in block.chunks_exact(6).zip(x) {
        to.iter_mut().zip(column).for_each(|(to, c)| *to -= c * x);
    }
}

fn subtract_transposed(to: &mut Six, block: &Block, x: &Six) {
    for (to, column) in to.iter_mut().zip(block.chunks_exact(6)) {
        *to -= column.iter().zip(x).map(|(c, x)| c * x).sum::<f64>();
    }
}

fn lower_times(triangle: &Block, x: &Six) -> Six {
    std::array::from_fn(|row| (0..=row).map(|c| triangle[c * 6 + row] * x[c]).sum())
}

fn lower_transposed_times(triangle: &Block, x: &Six) -> Six {
    std::array::from_fn(|row| (row..6).map(|c| triangle[row * 6 + c] * x[c]).sum())
}

/// What of a diagonal may be lost before it counts as zero: what is left then is rounding.
const LOST: f64 = 1e-13;

/// The inverse of the lower triangle of Cholesky's factor. A direction that nothing resists gets none: it does not move.
fn inverse_triangle(block: &Block, before: &Block) -> Block {
    let mut lower = [[0.0; 6]; 6];
    let mut inverse = [[0.0; 6]; 6];
    for row in 0..6 {
        for column in 0..=row {
            let inner: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let rest = block[column * 6 + row] - inner;
            lower[row][column] = if row > column {
                rest * inverse[column][column]
            } else if rest > before[row * 7] * LOST {
                rest.sqrt()
            } else {
                0.0
            };
        }
        let own = lower[row][row];
        inverse[row][row] = if own > 0.0 { 1.0 / own } else { 0.0 };
        for column in 0..row {
            let sum: f64 = (column..row).map(|k| lower[row][k] * inverse[k][column]).sum();
            inverse[row][column] = -sum * inverse[row][row];
        }
    }
    std::array::from_fn(|at| inverse[at % 6][at / 6])
}

/// Cuthill and McKee's order, reversed: the place of each body.
fn band_order(bodies: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); bodies];
    for &(a, b) in edges {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let degree = |body: &u32| neighbours[*body as usize].len();
    let mut order: Vec<u32> = Vec::with_capacity(bodies);
    let mut is_met = vec![false; bodies];
    let mut level = vec![u32::MAX; bodies];
    for body in 0..bodies as u32 {
        if is_met[body as usize] {
            continue;
        }
        let end = far_end(&neighbours, body, &mut level);
        let mut next = order.len();
        is_met[end as usize] = true;
        order.push(end);
        while next < order.len() {
            let from = order.len();
            for &other in &neighbours[order[next] as usize] {
                if !std::mem::replace(&mut is_met[other as usize], true) {
                    order.push(other);
                }
            }
            order[from..].sort_by_key(degree);
            next += 1;
        }
    }
    let mut place = vec![0; bodies];
    order.iter().rev().zip(0..).for_each(|(&body, at)| place[body as usize] = at);
    place
}

/// A body at an end of its part of the graph: walks from one end to the other until no end is farther.
fn far_end(neighbours: &[Vec<u32>], from: u32, level: &mut [u32]) -> u32 {
    let (mut end, mut depth) = (from, 0);
    loop {
        let mut met = vec![end];
        level[end as usize] = 0;
        let mut next = 0;
        while next < met.len() {
            let own = level[met[next] as usize];
            for &other in &neighbours[met[next] as usize] {
                if level[other as usize] == u32::MAX {
                    level[other as usize] = own + 1;
                    met.push(other);
                }
            }
            next += 1;
        }
        let farthest = met.last().map_or(0, |&last| level[last as usize]);
        if farthest <= depth {
            return end;
        }
        let least = met.iter().filter(|&&b| level[b as usize] == farthest);
        let far = least.min_by_key(|&&b| (neighbours[b as usize].len(), b)).copied().unwrap_or(end);
        met.iter().for_each(|&b| level[b as usize] = u32::MAX);
        (end, depth) = (far, farthest);
    }
}
