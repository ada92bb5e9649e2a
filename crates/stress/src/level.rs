//! One level of the hierarchy: sweeps over all bodies, and the way to the next coarser level.

use glam::DVec3;

use crate::aggregate::ALONE;
use crate::block::{Block, Real, Six, inverse, packed, transposed};
use crate::net::INSIDE;

/// The stiffness matrix of a level, row by row: what binds a body to those before it, which says all, because the matrix is symmetric.
///
/// A row pulls from the bodies before it through transposed blocks and pushes them through the blocks themselves. So a sweep forward and
/// what it leaves take one pass over the blocks, and so does a sweep backward with the motions of the next level: memory is what
/// sweeps wait for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level<T: Real> {
    /// Where the blocks of each row start, and where those end that are part of a block of the next level.
    start: Vec<u32>,
    crossing: Vec<u32>,
    /// The body before, and what its row has to this one.
    column: Vec<u32>,
    blocks: Vec<T::Packed>,
    /// The inverse of each block on the diagonal.
    inverse: Vec<T::Packed>,
    /// How far a unit of load moves each body and how far it turns it, on average.
    softness: Vec<[T; 2]>,
    ground: Vec<(u32, T::Packed)>,
    /// The block of each pair.
    pub entry_of: Vec<u32>,
    /// The way to the next level.
    pub coarse: Coarsening<T>,
    /// Vectors to work with: the residual, and both halves of the answer.
    rest: Vec<Six<T>>,
    before: Vec<Six<T>>,
    after: Vec<Six<T>>,
    /// Whether the last sweep moved each body.
    moves: Vec<bool>,
}

/// The energy of the loads that a sweep forward has met, if one backward follows it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Swept {
    /// Of loads times motions, what both sweeps together come to.
    pub taken: f64,
    /// About that of all bodies that were left alone.
    pub left_alone: f64,
}

/// Which body of the next level moves each body, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coarsening<T> {
    pub of: Vec<u32>,
    /// From the centre of that body to the centre of this one.
    pub arm: Vec<[f64; 3]>,
    /// The same, as short as blocks are.
    pub short_arm: Vec<[T; 3]>,
    /// Of each block that is part of one of the next level: the gaps there, seen from its row and from its column.
    pub hop: Vec<[u32; 2]>,
    /// Motions across gaps, two for each pair of the next level.
    pub gaps: Vec<Six<T>>,
    /// Of each pair: the pair of the next level.
    pub above: Vec<u32>,
}

impl<T: Real> Level<T> {
    /// The level of some pairs of bodies, each with its pair of the next level. `block` gives that of a pair, its row being the first.
    pub fn new(
        bodies: usize,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
        above: &[u32],
        mut block: impl FnMut(usize) -> Block<T>,
    ) -> Level<T> {
        let mut start = vec![0u32; bodies + 2];
        pairs.clone().for_each(|(a, b)| start[a.max(b) as usize + 2] += 1);
        (2..bodies + 2).for_each(|at| start[at] += start[at - 1]);
        let count = start[bodies + 1] as usize;
        let (mut column, mut entry_of) = (vec![0; count], vec![0; count]);
        let mut crossing = Vec::new();
        for wanted in [true, false] {
            for (((a, b), entry), above) in pairs.clone().zip(&mut entry_of).zip(above) {
                if (*above != INSIDE) == wanted {
                    let at = &mut start[a.max(b) as usize + 1];
                    column[*at as usize] = a.min(b);
                    *entry = *at;
                    *at += 1;
                }
            }
            if wanted {
                crossing = start[1..].to_vec();
            }
        }
        start.pop();
        crossing.pop();
        let mut blocks = vec![T::Packed::default(); count];
        for ((pair, (a, b)), entry) in pairs.enumerate().zip(&entry_of) {
            let block = block(pair);
            blocks[*entry as usize] = T::pack(&if a < b { block } else { transposed(&block) });
        }
        let none = vec![[T::default(); 6]; bodies];
        let (rest, before, after) = (none.clone(), none.clone(), none);
        let moves = vec![true; bodies];
        let (inverse, softness) = (Vec::new(), Vec::new());
        let (ground, coarse) = (Vec::new(), Coarsening::default());
        Level {
            start,
            crossing,
            column,
            blocks,
            inverse,
            softness,
            ground,
            entry_of,
            coarse,
            rest,
            before,
            after,
            moves,
        }
    }

    /// Changes the block of a pair.
    pub fn set_block(&mut self, pair: usize, (a, b): (u32, u32), block: &Block<T>) {
        let entry = self.entry_of[pair] as usize;
        self.blocks[entry] = T::pack(&if a < b { *block } else { transposed(block) });
    }

    pub fn set_diagonal(&mut self, diagonal: &[Block]) {
        let inverse: Vec<Block> = diagonal.iter().map(inverse).collect();
        self.softness = inverse.iter().map(softness).collect();
        self.inverse = inverse.iter().map(packed::<T>).collect();
    }

    pub fn set_diagonal_of(&mut self, body: usize, block: &Block) {
        let inverse = inverse(block);
        (self.inverse[body], self.softness[body]) = (packed::<T>(&inverse), softness(&inverse));
    }

    pub fn set_ground(&mut self, ground: &[(u32, Block)]) {
        self.ground = ground.iter().map(|(body, block)| (*body, packed::<T>(block))).collect();
    }

    pub fn set_ground_of(&mut self, body: u32, block: &Block) {
        let at = self.ground.binary_search_by_key(&body, |ground| ground.0);
        match at {
            Ok(at) => self.ground[at].1 = packed::<T>(block),
            Err(at) if block.iter().any(|x| *x != 0.0) => self.ground.insert(at, (body, packed::<T>(block))),
            Err(_) => {}
        }
    }

    fn row(&self, body: usize) -> std::ops::Range<usize> {
        self.start[body] as usize..self.start[body + 1] as usize
    }

    /// Sweeps forward from rest. What the sweep leaves is due to motions of bodies that came later, and to what is quiet: a body whose loads have less energy
    /// than that stays where it is.
    #[inline(never)]
    pub fn sweep_forward(&mut self, loads: &[Six], scale: f64, quiet: f64) -> Swept {
        let quiet = T::of(quiet);
        let (mut taken, mut left_alone) = (0.0, T::default());
        let is_whole = quiet <= T::default();
        for (body, load) in loads.iter().enumerate() {
            let row = self.row(body);
            let entries = || self.column[row.clone()].iter().zip(&self.blocks[row.clone()]);
            let mut due = std::array::from_fn(|k| T::of(load[k] * scale));
            if is_whole || entries().any(|(&other, _)| self.moves[other as usize]) {
                let mut pushed = T::Sum::default();
                entries().for_each(|(&other, block)| {
                    T::add_transposed(&mut pushed, block, &self.before[other as usize])
                });
                subtract(&mut due, &T::total(&pushed));
            }
            let energy = || energy(&self.softness[body], &due);
            self.moves[body] = is_whole || energy() >= quiet;
            if !self.moves[body] {
                left_alone += energy();
                (self.before[body], self.rest[body]) = ([T::default(); 6], due);
                continue;
            }
            let own = T::times(&self.inverse[body], &due);
            taken += product(&own, &due).wide();
            (self.before[body], self.rest[body]) = (own, [T::default(); 6]);
            for (&other, block) in entries() {
                subtract(&mut self.rest[other as usize], &T::times(block, &own));
            }
        }
        Swept { taken, left_alone: left_alone.wide() }
    }

    /// Sums up what is left for the bodies of the next level.
    pub fn restrict(&self, to: &mut [Six]) {
        to.fill([0.0; 6]);
        let Coarsening { of, arm, .. } = &self.coarse;
        for ((of, arm), rest) in of.iter().zip(arm).zip(&self.rest).filter(|((of, _), _)| **of != ALONE) {
            let to = &mut to[*of as usize];
            let [x, y, z, u, v, w] = rest.map(T::wide);
            let [a, b, c] = *arm;
            let load = [x, y, z, u + b * z - c * y, v + c * x - a * z, w + a * y - b * x];
            (0..6).for_each(|k| to[k] += load[k]);
        }
    }

    /// Takes the motions of the next level, of its bodies and across its gaps as far as those are open, and sweeps backward.
    pub fn correct(&mut self, motions: &[Six], (gaps, is_open): (&[Six], &[bool]), quiet: f64) {
        let Coarsening { of, arm, gaps: own, .. } = &mut self.coarse;
        own.iter_mut().zip(gaps).for_each(|(own, gap)| *own = gap.map(T::of));
        for (body, block) in &self.ground {
            let body = *body as usize;
            if of[body] != ALONE {
                let motion = moved(&motions[of[body] as usize], &arm[body]);
                subtract(&mut self.rest[body], &T::times(block, &motion.map(T::of)));
            }
        }
        // Where all gaps are open, hardly a body is quiet.
        let is_asked = is_open.is_empty() || is_open.contains(&false);
        let quiet = if is_asked { quiet } else { 0.0 };
        self.sweep_backward(is_open, T::of(quiet));
    }

    /// A body pushes those before it by its own motion and, where that differs from theirs, by that of the next level at once.
    #[inline(never)]
    fn sweep_backward(&mut self, is_open: &[bool], quiet: T) {
        let Coarsening { short_arm, hop, gaps, .. } = &self.coarse;
        let is_whole = quiet <= T::default();
        for body in (0..self.after.len()).rev() {
            let (start, middle, end) =
                (self.start[body] as usize, self.crossing[body] as usize, self.start[body + 1] as usize);
            let blocks = self.column[start..middle].iter().zip(&self.blocks[start..middle]);
            let crossing = || blocks.clone().zip(&hop[start..middle]);
            let is_open = |hop: &[u32; 2]| is_open[hop[0] as usize / 2];
            let mut due = self.rest[body];
            if hop[start..middle].iter().any(is_open) {
                let mut pushed = T::Sum::default();
                for ((&other, block), hop) in crossing().filter(|(_, hop)| is_open(hop)) {
                    let carried = moved(&gaps[hop[0] as usize], &short_arm[other as usize]);
                    T::add_transposed(&mut pushed, block, &carried);
                }
                subtract(&mut due, &T::total(&pushed));
            }
            let moves = is_whole || energy(&self.softness[body], &due) >= quiet;
            let (own, left) = match moves {
                true => (T::times(&self.inverse[body], &due), [T::default(); 6]),
                false => ([T::default(); 6], due),
            };
            (self.moves[body], self.after[body], self.rest[body]) = (moves, own, left);
            for ((&other, block), hop) in crossing().filter(|(_, hop)| moves || is_open(hop)) {
                let mut both = own;
                if is_open(hop) {
                    add(&mut both, &moved(&gaps[hop[1] as usize], &short_arm[body]));
                }
                subtract(&mut self.rest[other as usize], &T::times(block, &both));
            }
            let inside = if moves { middle..end } else { 0..0 };
            for (&other, block) in self.column[inside.clone()].iter().zip(&self.blocks[inside]) {
                subtract(&mut self.rest[other as usize], &T::times(block, &own));
            }
        }
    }

    /// The answer: both sweeps, and the motions of the next level between them. Those in `f64`, because they are large where
    /// the differences between neighbours, which alone count, are small.
    pub fn answer(&self, motions: &[Six], scale: f64, to: &mut [Six]) {
        for (body, to) in to.iter_mut().enumerate() {
            let (x, y, of) = (&self.before[body], &self.after[body], self.coarse.of[body]);
            let local: Six = std::array::from_fn(|k| (x[k] + y[k]).wide());
            let carried = match of {
                ALONE => [0.0; 6],
                _ => moved(&motions[of as usize], &self.coarse.arm[body]),
            };
            *to = std::array::from_fn(|k| (carried[k] + local[k]) * scale);
        }
    }

    /// What resists the answer: the loads, less what the last sweep left of them.
    #[inline(never)]
    pub fn resistance(&self, loads: &[Six], scale: f64, to: &mut [Six]) {
        for (body, to) in to.iter_mut().enumerate() {
            let row = self.row(body);
            let entries = || self.column[row.clone()].iter().zip(&self.blocks[row.clone()]);
            let mut left = self.rest[body];
            if entries().any(|(&other, _)| self.moves[other as usize]) {
                let mut pushed = T::Sum::default();
                for (&other, block) in entries() {
                    T::add_transposed(&mut pushed, block, &self.after[other as usize]);
                }
                subtract(&mut left, &T::total(&pushed));
            }
            (0..6).for_each(|k| to[k] = loads[body][k] - left[k].wide() * scale);
        }
    }
}

/// About the energy that a load has where it meets so much softness.
#[inline(always)]
fn energy<T: Real>(softness: &[T; 2], &[x, y, z, u, v, w]: &Six<T>) -> T {
    softness[0] * (x * x + y * y + z * z) + softness[1] * (u * u + v * v + w * w)
}

#[inline(always)]
fn product<T: Real>(x: &Six<T>, y: &Six<T>) -> T {
    ((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3])) + (x[4] * y[4] + x[5] * y[5])
}

/// How far a body goes and how far it turns under a unit of load, on average over all directions.
fn softness<T: Real>(inverse: &Block) -> [T; 2] {
    [0, 21].map(|at| T::of((inverse[at] + inverse[at + 7] + inverse[at + 14]) / 3.0))
}

#[inline(always)]
fn add<T: Real>(to: &mut Six<T>, x: &Six<T>) {
    (0..6).for_each(|k| to[k] += x[k]);
}

#[inline(always)]
fn subtract<T: Real>(from: &mut Six<T>, x: &Six<T>) {
    (0..6).for_each(|k| from[k] -= x[k]);
}

/// A motion at the end of an arm.
#[inline(always)]
fn moved<T: Real>(motion: &Six<T>, arm: &[T; 3]) -> Six<T> {
    let [x, y, z, u, v, w] = *motion;
    let [a, b, c] = *arm;
    [x + v * c - w * b, y + w * a - u * c, z + u * b - v * a, u, v, w]
}

/// The motions across gaps between bodies, two for each pair: of the second against the first at the second's centre, and back.
pub(crate) fn gaps(centres: &[DVec3], pairs: &[(u32, u32)], motions: &[Six], to: &mut [Six]) {
    for (&(a, b), to) in pairs.iter().zip(to.chunks_exact_mut(2)) {
        let [a, b] = [a, b].map(|body| body as usize);
        let away = (centres[b] - centres[a]).to_array();
        let (from, there) = (moved(&motions[a], &away), &motions[b]);
        let (back, here) = (moved(&motions[b], &away.map(|x| -x)), &motions[a]);
        to[0] = std::array::from_fn(|k| there[k] - from[k]);
        to[1] = std::array::from_fn(|k| here[k] - back[k]);
    }
}

/// Which gaps count: those whose springs hold at least so much energy, about, by what is on their diagonals. If those are most, all do.
pub(crate) fn open_gaps(blocks: &[Block], gaps: &[Six], quiet: f64, to: &mut [bool]) {
    for ((block, [there, back]), to) in blocks.iter().zip(gaps.as_chunks().0).zip(to.iter_mut()) {
        let held: f64 = (0..6).map(|k| block[7 * k] * there[k] * back[k]).sum();
        *to = held.abs() >= quiet;
    }
    let open = to.iter().filter(|is_open| **is_open).count();
    if open as f64 >= to.len() as f64 * MOST {
        to.fill(true);
    }
}

/// If more than this part of all gaps is open, to ask of each costs more than it saves.
const MOST: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    const BODIES: usize = 8;

    fn times_one(factor: f64) -> Block {
        std::array::from_fn(|at| if at % 7 == 0 { factor } else { 0.0 })
    }

    /// A chain of bodies that the ground holds a little, in no aggregate.
    fn chain() -> Level<f64> {
        let pairs = (0..BODIES as u32 - 1).map(|body| (body, body + 1));
        let above = [INSIDE; BODIES - 1];
        let mut level = Level::new(BODIES, pairs, &above, |_| times_one(-1.0));
        level.set_diagonal(&[times_one(2.5); BODIES]);
        level.coarse.of = vec![ALONE; BODIES];
        level.coarse.hop = vec![[0; 2]; BODIES - 1];
        level.coarse.short_arm = vec![[0.0; 3]; BODIES];
        level
    }

    /// Loads on one end of the chain: how all move, and what is said to resist it.
    fn swept(quiet: f64) -> (Vec<Six>, Vec<Six>, Swept) {
        let mut level = chain();
        let mut loads = vec![[0.0; 6]; BODIES];
        (loads[6], loads[1]) = ([1.0, -2.0, 0.5, 0.3, 0.0, 1.0], [1e-3; 6]);
        let (mut motions, mut resistance) = (loads.clone(), loads.clone());
        let swept = level.sweep_forward(&loads, 1.0, quiet);
        level.correct(&[], (&[], &[]), quiet);
        level.answer(&[], 1.0, &mut motions);
        level.resistance(&loads, 1.0, &mut resistance);
        (motions, resistance, swept)
    }

    #[test]
    fn what_resists_is_told_exactly_whatever_is_left_alone() {
        for quiet in [0.0, 1e-4, 1e-2, 10.0] {
            let (motions, resistance, _) = swept(quiet);
            for (body, found) in resistance.iter().enumerate() {
                for (k, found) in found.iter().enumerate() {
                    let at = |body: usize| motions.get(body).map_or(0.0, |motion| motion[k]);
                    let wanted = 2.5 * at(body) - at(body + 1) - at(body.wrapping_sub(1));
                    assert!((found - wanted).abs() < 1e-12, "{quiet}: {found} instead of {wanted}");
                }
            }
        }
    }

    #[test]
    fn a_sweep_forward_tells_what_both_sweeps_come_to() {
        let (motions, _, Swept { taken, .. }) = swept(0.0);
        let wanted =
            product(&motions[6], &[1.0, -2.0, 0.5, 0.3, 0.0, 1.0]) + product(&motions[1], &[1e-3; 6]);
        assert!((taken - wanted).abs() < 1e-12, "{taken} instead of {wanted}");
    }

    #[test]
    fn quiet_bodies_stay_where_they_are_and_their_energy_is_told() {
        let (motions, _, Swept { left_alone, .. }) = swept(1e-2);
        let is_still = |body: usize| motions[body] == [0.0; 6];
        assert!(is_still(0) && is_still(1) && !is_still(5) && !is_still(6) && !is_still(7));
        assert!((left_alone - 6e-6 / 2.5).abs() < 1e-12, "{left_alone}");
        assert!((0..BODIES).all(|body| swept(0.0).0[body] != [0.0; 6]));
    }
}
