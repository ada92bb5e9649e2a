//! Sweeps over the bodies of a level, and what they leave: eight bodies at once.

use crate::block::{Real, Six};
use crate::bond::{Bonds, moved, sum_of_six};
use crate::lanes::{Eight, LANES, Lanes, Task};
use crate::level::{Level, Swept};

/// A sweep forward.
pub(crate) struct Forward<'a, T: Real, B: Bonds<T>> {
    pub level: &'a mut Level<T, B>,
    pub loads: &'a [Six],
    pub scale: f64,
    pub quiet: T,
}

impl<T: Real, B: Bonds<T>> Task<T> for Forward<'_, T, B> {
    type Output = Swept;

    #[inline(always)]
    fn run<L: Lanes<Number = T>>(self, lanes: L) -> Swept {
        let Forward { level, loads, scale, quiet } = self;
        let Level { groups, columns, bonds, inverse, softness, rest, before, moves, .. } = level;
        let (columns, bonds, moves) = (&columns[..], &bonds[..], &mut moves[..]);
        let (rest, before) = (&mut rest[..], &mut before[..]);
        let (mut taken, mut left_alone) = (0.0, 0.0);
        let is_whole = quiet <= T::default();
        for ((group, inverse), softness) in groups.iter().zip(&*inverse).zip(&*softness) {
            let entries = group.start as usize..group.end as usize;
            let mut due = loads_of(lanes, loads, &group.bodies, scale);
            for (at, bonds) in columns[entries.clone()].iter().zip(&bonds[entries.clone()]) {
                if is_whole || any_moves(moves, at) {
                    due = less(due, bonds.pull(&lanes.gather(before, at)));
                }
            }
            let energies = || energies(softness, &due).numbers().0;
            let is_moved = is_whole || energies().into_iter().any(|energy| energy >= quiet);
            tell(moves, &group.bodies, is_moved);
            if !is_moved {
                energies().into_iter().for_each(|energy| left_alone += energy.wide());
                L::scatter([lanes.zero(); 6], before, &group.bodies);
                L::scatter(due, rest, &group.bodies);
                continue;
            }
            let own = inverse.times(&due);
            product(&own, &due).numbers().0.into_iter().for_each(|energy| taken += energy.wide());
            L::scatter(own, before, &group.bodies);
            L::scatter([lanes.zero(); 6], rest, &group.bodies);
            for (at, bonds) in columns[entries.clone()].iter().zip(&bonds[entries]) {
                L::scatter_less(bonds.push(&own), rest, at);
            }
        }
        Swept { taken, left_alone }
    }
}

/// A sweep backward. A body pushes those before it by its own motion and, where that differs from theirs, by that of the next level at once.
pub(crate) struct Backward<'a, T: Real, B: Bonds<T>> {
    pub level: &'a mut Level<T, B>,
    /// Whether each gap counts; if it says nothing, all do.
    pub is_open: &'a [bool],
    pub quiet: T,
}

impl<T: Real, B: Bonds<T>> Task<T> for Backward<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Number = T>>(self, lanes: L) {
        let Backward { level, is_open, quiet } = self;
        let Level { groups, columns, bonds, hops, inverse, softness, rest, after, moves, coarse, .. } = level;
        let (columns, bonds, hops, moves) = (&columns[..], &bonds[..], &hops[..], &mut moves[..]);
        let (rest, after, short_arm, gaps) =
            (&mut rest[..], &mut after[..], &coarse.short_arm[..], &coarse.gaps[..]);
        let is_whole = quiet <= T::default();
        let is_open = |hops: &[[u32; LANES]; 2]| {
            is_open.is_empty() || hops[0].iter().any(|hop| is_open.get(*hop as usize / 2) == Some(&true))
        };
        for ((group, inverse), softness) in groups.iter().zip(&*inverse).zip(&*softness).rev() {
            let [start, middle, end] = [group.start, group.middle, group.end].map(|at| at as usize);
            let mut due = lanes.gather(rest, &group.bodies);
            for ((at, bonds), hops) in
                columns[start..middle].iter().zip(&bonds[start..middle]).zip(&hops[start..middle])
            {
                if is_open(hops) {
                    let [a, b, c, ..] = lanes.gather(short_arm, at);
                    due = less(due, bonds.pull(&moved(&lanes.gather(gaps, &hops[0]), &[a, b, c])));
                }
            }
            let energies = || energies(softness, &due).numbers().0;
            let is_moved = is_whole || energies().into_iter().any(|energy| energy >= quiet);
            let none = [lanes.zero(); 6];
            let (own, left) = if is_moved { (inverse.times(&due), none) } else { (none, due) };
            L::scatter(own, after, &group.bodies);
            L::scatter(left, rest, &group.bodies);
            tell(moves, &group.bodies, is_moved);
            let [a, b, c, ..] = lanes.gather(short_arm, &group.bodies);
            for ((at, bonds), hops) in
                columns[start..middle].iter().zip(&bonds[start..middle]).zip(&hops[start..middle])
            {
                if is_open(hops) {
                    let carried = moved(&lanes.gather(gaps, &hops[1]), &[a, b, c]);
                    L::scatter_less(bonds.push(&more(own, carried)), rest, at);
                } else if is_moved {
                    L::scatter_less(bonds.push(&own), rest, at);
                }
            }
            let inside = if is_moved { middle..end } else { 0..0 };
            for (at, bonds) in columns[inside.clone()].iter().zip(&bonds[inside]) {
                L::scatter_less(bonds.push(&own), rest, at);
            }
        }
    }
}

/// What resists the answer.
pub(crate) struct Resistance<'a, T: Real, B: Bonds<T>> {
    pub level: &'a Level<T, B>,
    pub loads: &'a [Six],
    pub scale: f64,
    pub to: &'a mut [Six],
}

impl<T: Real, B: Bonds<T>> Task<T> for Resistance<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Number = T>>(self, lanes: L) {
        let Resistance { level, loads, scale, to } = self;
        let (columns, bonds, moves) = (&level.columns[..], &level.bonds[..], &level.moves[..]);
        let (rest, after) = (&level.rest[..], &level.after[..]);
        for group in &level.groups {
            let entries = group.start as usize..group.end as usize;
            let mut left = lanes.gather(rest, &group.bodies);
            for (at, bonds) in columns[entries.clone()].iter().zip(&bonds[entries]) {
                if any_moves(moves, at) {
                    left = less(left, bonds.pull(&lanes.gather(after, at)));
                }
            }
            let rows = L::rows(left);
            for (lane, &body) in group.bodies.iter().enumerate() {
                let left = rows[lane].numbers().0;
                if let Some(load) = loads.get(body as usize) {
                    let to = &mut to[body as usize];
                    for k in 0..6 {
                        to[k] = load[k] - left[k].wide() * scale;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn any_moves(moves: &[bool], bodies: &[u32; LANES]) -> bool {
    bodies.iter().any(|body| moves[*body as usize])
}

/// Takes note of whether some bodies move. The last is nobody, and rests.
#[inline(always)]
fn tell(moves: &mut [bool], bodies: &[u32; LANES], is_moved: bool) {
    let nobody = moves.len() - 1;
    for &body in bodies {
        moves[body as usize] = is_moved && (body as usize) < nobody;
    }
}

/// The loads on some bodies, times a factor.
#[inline(always)]
fn loads_of<L: Lanes>(lanes: L, loads: &[Six], bodies: &[u32; LANES], scale: f64) -> [L; 6] {
    let mut rows = [Eight::default(); LANES];
    for (row, body) in rows.iter_mut().zip(bodies) {
        if let Some(load) = loads.get(*body as usize) {
            row.0.iter_mut().zip(load).for_each(|(to, load)| *to = L::Number::of(load * scale));
        }
    }
    let [a, b, c, d, e, f, g, h] = &rows;
    lanes.turned([a, b, c, d, e, f, g, h])
}

/// About the energy that loads have where they meet so much softness.
#[inline(always)]
fn energies<L: Lanes>(softness: &[Eight<L::Number>; 2], &[x, y, z, u, v, w]: &[L; 6]) -> L {
    let [goes, turns] = x.with_each(softness);
    goes * (x * x + y * y + z * z) + turns * (u * u + v * v + w * w)
}

#[inline(always)]
fn product<L: Lanes>(x: &[L; 6], y: &[L; 6]) -> L {
    sum_of_six(|k| x[k] * y[k])
}

#[inline(always)]
fn more<L: Lanes>(x: [L; 6], y: [L; 6]) -> [L; 6] {
    let mut sum = x;
    for k in 0..6 {
        sum[k] = x[k] + y[k];
    }
    sum
}

#[inline(always)]
fn less<L: Lanes>(x: [L; 6], y: [L; 6]) -> [L; 6] {
    let mut sum = x;
    for k in 0..6 {
        sum[k] = x[k] - y[k];
    }
    sum
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::block::Block;
    use crate::bond::Blocks;
    use crate::lanes::{run_plainly, run_wide};
    use crate::net::INSIDE;

    /// A net of bodies with bonds of all kinds of numbers, and gaps of which some are open.
    fn tangle() -> Level<f32, Blocks<f32>> {
        let some = |at: usize| libm::sin(at as f64 * 1.3);
        let bodies = 60;
        let pairs =
            (0..bodies).flat_map(|a| [1, 7, 11].map(|away| (a, a + away))).filter(|pair| pair.1 < bodies);
        let count = pairs.clone().count();
        let above: Vec<u32> =
            (0..count as u32).map(|pair| if pair % 3 > 0 { pair % 5 } else { INSIDE }).collect();
        let block = |pair: usize| std::array::from_fn(|at| some(pair * 36 + at) as f32 * 0.1);
        let mut level = Level::new(bodies as usize, pairs.clone(), &above, block);
        let own: Block = std::array::from_fn(|at| if at % 7 == 0 { 2.0 } else { 0.0 });
        level.set_diagonal(&vec![own; bodies as usize]);
        (level.coarse.of, level.coarse.above) = (vec![0; bodies as usize], above);
        let centres: Vec<DVec3> = (0..bodies as usize).map(|at| DVec3::splat(some(at))).collect();
        level.complete(&centres, pairs, (&[DVec3::ONE], &[(0, 0); 5]));
        level
    }

    /// What sweeps find in some registers: bits.
    fn found(is_wide: bool, quiet: f32) -> Vec<u32> {
        fn run<O: Task<f32>>(is_wide: bool, task: O) -> O::Output {
            if is_wide { run_wide(task) } else { run_plainly(task) }
        }
        let mut level = tangle();
        let loads: Vec<Six> =
            (0..60).map(|body| [libm::sin(f64::from(body)), 0.5, -0.3, 0.1, 0.0, 0.2]).collect();
        let mut to = loads.clone();
        let swept = run(is_wide, Forward { level: &mut level, loads: &loads, scale: 0.7, quiet });
        level.coarse.gaps.iter_mut().enumerate().for_each(|(at, gap)| gap.0[at % 6] = 0.01 * at as f32);
        let is_open = &[true, false, true, false, false];
        run(is_wide, Backward { level: &mut level, is_open, quiet });
        run(is_wide, Resistance { level: &level, loads: &loads, scale: 1.3, to: &mut to });
        let vectors = [&level.before, &level.after, &level.rest].into_iter().flatten().flat_map(|row| row.0);
        let told = to.as_flattened().iter().copied().chain([swept.taken, swept.left_alone]);
        vectors.chain(told.map(|x| x as f32)).map(f32::to_bits).collect()
    }

    #[test]
    fn narrow_registers_and_wide_ones_give_the_same_bits() {
        for quiet in [0.0, 1e-3, 1e-1] {
            assert_eq!(found(true, quiet), found(false, quiet));
        }
    }
}
