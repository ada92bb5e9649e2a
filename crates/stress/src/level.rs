//! One level of the hierarchy: sweeps over all bodies, and the way to the next coarser level.

use glam::DVec3;

use crate::aggregate::ALONE;
use crate::block::{Block, Real, Six, inverse, times};
use crate::bond::{Bonds, Symmetric, moved};
use crate::lanes::{Eight, LANES};
use crate::net::INSIDE;
use crate::sweep::{Backward, Forward, Resistance};

/// The stiffness matrix of a level, row by row: what binds a body to those before it, which says all, because the matrix is symmetric.
///
/// A row pulls from the bodies before it through transposed blocks and pushes them through the blocks themselves. So a sweep forward and
/// what it leaves take one pass over the blocks, and so does a sweep backward with the motions of the next level: memory is what
/// sweeps wait for. Eight rows that do not bind each other are swept side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level<T: Real, B: Bonds<T>> {
    pub groups: Vec<Group>,
    /// Of each entry: the bodies before, what binds them to the rows, and where gaps between aggregates are, seen from the rows and from the columns.
    pub columns: Vec<[u32; LANES]>,
    pub bonds: Vec<B>,
    pub hops: Vec<[[u32; LANES]; 2]>,
    /// Of each group: the inverse of each block on the diagonal, and how far a unit of load moves each body and how far it turns it, on average.
    pub inverse: Vec<Symmetric<T>>,
    pub softness: Vec<[Eight<T>; 2]>,
    ground: Vec<(u32, Block<T>)>,
    /// The place of each pair, and of each body.
    place_of: Vec<u32>,
    lane_of: Vec<u32>,
    /// The way to the next level.
    pub coarse: Coarsening<T>,
    /// Vectors to work with: the residual, and both halves of the answer. Their last row is nobody's.
    pub rest: Vec<Eight<T>>,
    pub before: Vec<Eight<T>>,
    pub after: Vec<Eight<T>>,
    /// Whether the last sweep moved each body.
    pub moves: Vec<bool>,
}

/// Up to eight bodies that do not bind each other, and their entries: in an entry each has one of the bodies before that it is bound to, or nobody.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub bodies: [u32; LANES],
    pub start: u32,
    /// Where those end that have a part of a block of the next level.
    pub middle: u32,
    pub end: u32,
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
    pub short_arm: Vec<Eight<T>>,
    /// Motions across gaps, two for each pair of the next level, and none for what is inside.
    pub gaps: Vec<Eight<T>>,
    /// Of each pair: the pair of the next level.
    pub above: Vec<u32>,
}

impl<T: Real, B: Bonds<T>> Level<T, B> {
    /// The level of some pairs of bodies, each with its pair of the next level. `bond` gives what binds a pair, its row being the first.
    pub fn new(
        bodies: usize,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
        above: &[u32],
        mut bond: impl FnMut(usize) -> B::One,
    ) -> Level<T, B> {
        let (groups, lane_of) = groups(bodies, pairs.clone(), above);
        let entries = groups.last().map_or(0, |group| group.end as usize);
        let nobody = bodies as u32;
        let mut level = Level {
            columns: vec![[nobody; LANES]; entries],
            bonds: vec![B::default(); entries],
            hops: vec![[[0; LANES]; 2]; entries],
            inverse: vec![Symmetric::default(); groups.len()],
            softness: vec![[Eight::default(); 2]; groups.len()],
            ground: Vec::new(),
            place_of: vec![0; above.len()],
            lane_of,
            coarse: Coarsening::default(),
            rest: vec![Eight::default(); bodies + 1],
            before: vec![Eight::default(); bodies + 1],
            after: vec![Eight::default(); bodies + 1],
            moves: vec![true; bodies + 1],
            groups,
        };
        level.moves[bodies] = false;
        let mut next = vec![0u32; bodies];
        for wanted in [true, false] {
            for (pair, (a, b)) in
                pairs.clone().enumerate().filter(|(pair, _)| (above[*pair] != INSIDE) == wanted)
            {
                let row = a.max(b) as usize;
                let lane = level.lane_of[row];
                let entry = level.groups[lane as usize / LANES].start + next[row];
                next[row] += 1;
                level.place_of[pair] = entry * LANES as u32 + lane % LANES as u32;
                level.columns[entry as usize][lane as usize % LANES] = a.min(b);
                level.set_bond(pair, (a, b), &bond(pair));
            }
        }
        level
    }

    /// Changes what binds a pair.
    pub fn set_bond(&mut self, pair: usize, (a, b): (u32, u32), bond: &B::One) {
        let (entry, lane) = split(self.place_of[pair]);
        self.bonds[entry].set(lane, &if a < b { bond.clone() } else { B::turned(bond) });
    }

    pub fn set_diagonal(&mut self, diagonal: &[Block]) {
        (0..).zip(diagonal).for_each(|(body, block)| self.set_diagonal_of(body, block));
    }

    pub fn set_diagonal_of(&mut self, body: usize, block: &Block) {
        let (group, lane) = split(self.lane_of[body]);
        let inverse = inverse(block);
        self.inverse[group].set(lane, &inverse);
        self.softness[group].iter_mut().zip(softness(&inverse)).for_each(|(to, x)| to.0[lane] = x);
    }

    pub fn set_ground(&mut self, ground: &[(u32, Block)]) {
        self.ground = ground.iter().map(|(body, block)| (*body, block.map(T::of))).collect();
    }

    pub fn set_ground_of(&mut self, body: u32, block: &Block) {
        let at = self.ground.binary_search_by_key(&body, |ground| ground.0);
        match at {
            Ok(at) => self.ground[at].1 = block.map(T::of),
            Err(at) if block.iter().any(|x| *x != 0.0) => self.ground.insert(at, (body, block.map(T::of))),
            Err(_) => {}
        }
    }

    /// Finds arms and hops, once the next level has its numbers.
    pub fn complete(
        &mut self,
        centres: &[DVec3],
        pairs: impl Iterator<Item = (u32, u32)>,
        (next_centres, next_pairs): (&[DVec3], &[(u32, u32)]),
    ) {
        let Coarsening { of, arm, short_arm, gaps, above } = &mut self.coarse;
        let arm_of = |(centre, &of): (&DVec3, &u32)| match of {
            ALONE => [0.0; 3],
            _ => (*centre - next_centres[of as usize]).to_array(),
        };
        *arm = centres.iter().zip(&*of).map(arm_of).collect();
        let short = |[x, y, z]: &[f64; 3]| Eight::row(&[*x, *y, *z, 0.0, 0.0, 0.0].map(T::of));
        *short_arm = arm.iter().map(short).chain([Eight::default()]).collect();
        let none = 2 * next_pairs.len() as u32;
        *gaps = vec![Eight::default(); none as usize + 1];
        self.hops.fill([[none; LANES]; 2]);
        for ((pair, &place), &above) in pairs.zip(&self.place_of).zip(&*above) {
            if above != INSIDE {
                let row = pair.0.max(pair.1);
                let is_turned = next_pairs[above as usize].0 != of[row as usize];
                let (entry, lane) = split(place);
                let [from_row, from_column] = &mut self.hops[entry];
                from_row[lane] = 2 * above + u32::from(is_turned);
                from_column[lane] = 2 * above + u32::from(!is_turned);
            }
        }
    }

    /// Sweeps forward from rest. What the sweep leaves is due to motions of bodies that came later, and to what is quiet: bodies side by side whose loads have
    /// less energy than that, each of them, stay where they are.
    pub fn sweep_forward(&mut self, loads: &[Six], scale: f64, quiet: f64) -> Swept {
        T::run(Forward { level: self, loads, scale, quiet: T::of(quiet) })
    }

    /// Sums up what is left for the bodies of the next level.
    pub fn restrict(&self, to: &mut [Six]) {
        to.fill([0.0; 6]);
        let Coarsening { of, arm, .. } = &self.coarse;
        for ((of, arm), rest) in of.iter().zip(arm).zip(&self.rest).filter(|((of, _), _)| **of != ALONE) {
            let to = &mut to[*of as usize];
            let [x, y, z, u, v, w, ..] = rest.0.map(T::wide);
            let [a, b, c] = *arm;
            let load = [x, y, z, u + b * z - c * y, v + c * x - a * z, w + a * y - b * x];
            (0..6).for_each(|k| to[k] += load[k]);
        }
    }

    /// Takes the motions of the next level, of its bodies and across its gaps as far as those are open, and sweeps backward.
    pub fn correct(&mut self, motions: &[Six], (gaps, is_open): (&[Six], &[bool]), quiet: f64) {
        let Coarsening { of, arm, gaps: own, .. } = &mut self.coarse;
        own.iter_mut().zip(gaps).for_each(|(own, gap)| *own = Eight::row(&gap.map(T::of)));
        for (body, block) in &self.ground {
            let body = *body as usize;
            if of[body] != ALONE {
                let motion = moved(&motions[of[body] as usize], &arm[body]);
                let pushed = times(block, &motion.map(T::of));
                (0..6).for_each(|k| self.rest[body].0[k] -= pushed[k]);
            }
        }
        // Where all gaps are open, hardly a body is quiet.
        let is_asked = is_open.is_empty() || is_open.contains(&false);
        let quiet = if is_asked { quiet } else { 0.0 };
        let is_open = if is_asked { is_open } else { &[] };
        T::run(Backward { level: self, is_open, quiet: T::of(quiet) });
    }

    /// The answer: both sweeps, and the motions of the next level between them. Those in `f64`, because they are large where
    /// the differences between neighbours, which alone count, are small.
    pub fn answer(&self, motions: &[Six], scale: f64, to: &mut [Six]) {
        let Coarsening { of, arm, .. } = &self.coarse;
        let sweeps = self.before.iter().zip(&self.after);
        for ((to, (x, y)), (of, arm)) in to.iter_mut().zip(sweeps).zip(of.iter().zip(arm)) {
            let carried = match *of {
                ALONE => [0.0; 6],
                of => moved(&motions[of as usize], arm),
            };
            for k in 0..6 {
                to[k] = (carried[k] + (x.0[k] + y.0[k]).wide()) * scale;
            }
        }
    }

    /// What resists the answer: the loads, less what the last sweep left of them.
    pub fn resistance(&self, loads: &[Six], scale: f64, to: &mut [Six]) {
        T::run(Resistance { level: self, loads, scale, to });
    }
}

/// Groups of bodies in their order, each as large as may be, with room for the entries of each, and where each body is in them.
fn groups(bodies: usize, pairs: impl Iterator<Item = (u32, u32)>, above: &[u32]) -> (Vec<Group>, Vec<u32>) {
    // Of each row: how many have a part of a block of the next level, how many there are, and the last of its columns.
    let mut rows = vec![(0u32, 0u32, None); bodies];
    for ((a, b), above) in pairs.zip(above) {
        let row = &mut rows[a.max(b) as usize];
        *row = (row.0 + u32::from(*above != INSIDE), row.1 + 1, row.2.max(Some(a.min(b))));
    }
    let nobody = bodies as u32;
    let mut groups: Vec<Group> = Vec::new();
    let mut lane_of = Vec::new();
    let mut count = LANES;
    for (body, (crossing, all, last)) in (0..).zip(rows) {
        let is_bound = |group: &Group| last >= Some(group.bodies[0]);
        if count == LANES || groups.last().is_some_and(is_bound) {
            let start = groups.last().map_or(0, |group| group.end);
            groups.push(Group { bodies: [nobody; LANES], start, middle: start, end: start });
            count = 0;
        }
        let at = groups.len() - 1;
        let group = &mut groups[at];
        group.bodies[count] = body;
        group.middle = group.middle.max(group.start + crossing);
        group.end = group.end.max(group.start + all);
        lane_of.push((at * LANES + count) as u32);
        count += 1;
    }
    (groups, lane_of)
}

/// Which eight, and which of them.
fn split(place: u32) -> (usize, usize) {
    (place as usize / LANES, place as usize % LANES)
}

/// How far a body goes and how far it turns under a unit of load, on average over all directions.
fn softness<T: Real>(inverse: &Block) -> [T; 2] {
    [0, 21].map(|at| T::of((inverse[at] + inverse[at + 7] + inverse[at + 14]) / 3.0))
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
    use crate::bond::Blocks;
    use crate::gradient::dot;

    const BODIES: usize = 8;

    fn times_one(factor: f64) -> Block {
        std::array::from_fn(|at| if at % 7 == 0 { factor } else { 0.0 })
    }

    /// A chain of bodies that the ground holds a little, in no aggregate.
    fn chain() -> Level<f64, Blocks<f64>> {
        let pairs = (0..BODIES as u32 - 1).map(|body| (body, body + 1));
        let above = [INSIDE; BODIES - 1];
        let mut level = Level::new(BODIES, pairs.clone(), &above, |_| times_one(-1.0));
        level.set_diagonal(&[times_one(2.5); BODIES]);
        (level.coarse.of, level.coarse.above) = (vec![ALONE; BODIES], above.to_vec());
        level.complete(&[DVec3::ZERO; BODIES], pairs, (&[], &[]));
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
            dot(&motions[6..7], &[[1.0, -2.0, 0.5, 0.3, 0.0, 1.0]]) + dot(&motions[1..2], &[[1e-3; 6]]);
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
