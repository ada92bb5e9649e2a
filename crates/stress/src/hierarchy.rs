//! Levels of ever fewer rigid bodies: what makes conjugate gradients converge in a few steps.
//!
//! A body of a coarser level is an aggregate of bodies that moves as one. That is exact for what plain relaxation is worst at: parts
//! of a structure that move as a whole. Bonds inside an aggregate vanish, those between two add up, and the coarse problem is of
//! the same kind as the fine one. See `docs/algorithms/stress.md`.

use glam::DVec3;

use crate::aggregate::{ALONE, Across, Graph};
use crate::block::{Block, Real, Six, add, carried};
use crate::bond::{Blocks, Ties};
use crate::factor::{Envelope, Factor};
use crate::gradient::dot;
use crate::level::{Level, Swept, gaps, open_gaps};
use crate::link::{GROUND, Link};
use crate::net::{INSIDE, Net, merged};

/// A net is solved directly if that takes no more products of blocks than this: about half a millisecond.
const MOST_PRODUCTS: u64 = 16_000;
/// Nor is a larger net looked at: to number its bodies takes longer than to coarsen it.
const MOST_BODIES: usize = 1_500;

/// Bodies of a coarser level are too stiff: between two aggregates, two bodies deep, only one bond of two gives. So what they answer is too
/// short, by up to a half.
const OVERCORRECTION: f64 = 1.7;

/// A preconditioner.
#[derive(Clone, Debug)]
pub(crate) struct Hierarchy<T: Real> {
    pub(crate) fine: Option<Level<T, Ties<T>>>,
    /// The pair of the first level that each link is.
    pub(crate) pair_of: Vec<u32>,
    pub(crate) middle: Vec<Middle<T>>,
    pub(crate) top: Top,
    /// What stiffnesses are divided by, so that they fit a short number.
    pub(crate) unit: f64,
    /// What the loads that it was last asked about were multiplied by, for the same reason.
    scale: f64,
    /// What counted as quiet then.
    quiet: f64,
    /// How much the top level has changed since it was factored.
    pub(crate) drift: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Middle<T: Real> {
    pub net: Net,
    pub level: Level<T, Blocks<T>>,
    work: Work,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Top {
    pub net: Net,
    factor: Factor,
    work: Work,
    /// Whether the net has changed since it was factored.
    pub is_stale: bool,
}

/// Vectors of a level: what is asked, what of it is not answered yet, what is answered, the answer across its blocks, and where that counts.
#[derive(Clone, Debug, Default)]
struct Work {
    asked: Vec<Six>,
    loads: Vec<Six>,
    motions: Vec<Six>,
    gaps: Vec<Six>,
    is_open: Vec<bool>,
    /// What resists the first answer, and that answer.
    resistance: Vec<Six>,
    first: Vec<Six>,
}

impl Work {
    fn new(net: &Net) -> Work {
        let none = vec![[0.0; 6]; net.centres.len()];
        let gaps = vec![[0.0; 6]; 2 * net.pairs.len()];
        let is_open = vec![true; net.pairs.len()];
        Work {
            asked: none.clone(),
            loads: none.clone(),
            motions: none.clone(),
            gaps,
            is_open,
            resistance: none.clone(),
            first: none,
        }
    }

    /// Lengthens the answer for the level below.
    fn overcorrect(&mut self) {
        self.motions.iter_mut().flatten().for_each(|x| *x *= OVERCORRECTION);
        self.gaps.iter_mut().flatten().for_each(|x| *x *= OVERCORRECTION);
    }
}

/// What the hierarchy is made of: the bodies, the springs between them, and what binds bodies to the ground.
pub(crate) struct Springs<'a> {
    pub centres: &'a [DVec3],
    pub links: &'a [Link],
    pub ground: Vec<(u32, Block)>,
    /// The bodies in an order that lists neighbours near each other.
    pub visit: Vec<u32>,
}

impl<T: Real> Hierarchy<T> {
    /// Builds all levels.
    pub fn new(springs: &Springs) -> Hierarchy<T> {
        let mut pair_of = vec![INSIDE; springs.links.len()];
        let mut pairs = Pairs::default();
        for (link, pair) in springs.links.iter().zip(&mut pair_of) {
            if link.a != GROUND && link.b != GROUND && link.along > 0.0 {
                *pair = pairs.links.len() as u32;
                pairs.links.push(link);
                pairs.ends.push((link.a, link.b));
            }
        }
        let (fine, middle, top) = (None, Vec::new(), Top::default());
        let mut hierarchy =
            Hierarchy { fine, pair_of, middle, top, unit: 1.0, scale: 1.0, quiet: 0.0, drift: 0.0 };
        match direct_envelope(springs.centres.len(), &pairs.ends) {
            Some(envelope) => {
                let links = pairs.links.iter().copied();
                let net = Net::of_links(springs.centres, links, springs.ground.clone());
                hierarchy.top = Top::new(net, envelope);
            }
            None => hierarchy.build(springs, &pairs),
        }
        hierarchy
    }

    /// Builds the first level and those above it.
    fn build(&mut self, springs: &Springs, pairs: &Pairs) {
        let total: f64 = pairs.links.iter().map(|link| link.weight()).sum();
        self.unit = (total / (3.0 * pairs.links.len().max(1) as f64)).max(f64::MIN_POSITIVE);
        let (of, count) = first_aggregates(springs, pairs);
        let ends = pairs.ends.iter().copied();
        let (mut net, above) = Net::of_aggregates(springs.centres, &of, count, ends.clone());
        let ground = springs.ground.iter().map(|(body, block)| (*body, block.map(|x| x / self.unit)));
        let ground: Vec<(u32, Block)> = ground.collect();
        net.ground = carried_ground(&ground, springs.centres, &of, &net.centres);
        let mut diagonal = vec![[0.0; 36]; springs.centres.len()];
        // All that a link is for, while it is at hand.
        let bond = |pair: usize| {
            let link = pairs.links[pair];
            if above[pair] != INSIDE {
                let (a, b) = (of[link.a as usize], of[link.b as usize]);
                let arms = [a, b].map(|body| link.point - net.centres[body as usize]);
                net.add_block(above[pair], a, &link.block(arms[0], arms[1], -1.0 / self.unit));
            }
            add(&mut diagonal[link.a as usize], &link.block(link.arm_a, link.arm_a, 1.0 / self.unit));
            add(&mut diagonal[link.b as usize], &link.block(link.arm_b, link.arm_b, 1.0 / self.unit));
            link.tie(-1.0 / self.unit)
        };
        let mut fine = Level::new(springs.centres.len(), ends.clone(), &above, bond);
        ground.iter().for_each(|(body, block)| add(&mut diagonal[*body as usize], block));
        fine.set_diagonal(&diagonal);
        fine.set_ground(&ground);
        (fine.coarse.of, fine.coarse.above) = (of, above);
        self.coarsen(&mut fine, net);
        let next = self.net_above(0);
        fine.complete(springs.centres, ends, (&next.centres, &next.pairs));
        self.fine = Some(fine);
    }

    /// Builds the levels above the first.
    fn coarsen(&mut self, fine: &mut Level<T, Ties<T>>, mut net: Net) {
        loop {
            let bodies = net.centres.len();
            if let Some(envelope) = direct_envelope(bodies, &net.pairs) {
                self.top = Top::new(net, envelope);
                break;
            }
            let graph = net.graph();
            let (of, count) = graph.aggregates(net.ground.iter().map(|ground| ground.0), Across::Three);
            if count * 10 > bodies * 9 {
                let envelope = Envelope::new(bodies, &net.pairs);
                self.top = Top::new(net, envelope);
                break;
            }
            let order = graph.sweep_order();
            let new_of = net.renumber(&order);
            let below = match self.middle.last_mut() {
                Some(middle) => &mut middle.level.coarse.of,
                None => &mut fine.coarse.of,
            };
            below.iter_mut().filter(|of| **of != ALONE).for_each(|of| *of = new_of[*of as usize]);
            let of: Vec<u32> = order.iter().map(|&old| of[old as usize]).collect();
            let (mut coarse, above) = Net::of_aggregates(&net.centres, &of, count, net.pairs.iter().copied());
            for ((&(a, b), block), &above) in net.pairs.iter().zip(&net.blocks).zip(&above) {
                if above != INSIDE {
                    let arm = |x: u32| net.centres[x as usize] - coarse.centres[of[x as usize] as usize];
                    coarse.add_block(above, of[a as usize], &carried(block, arm(a), arm(b)));
                }
            }
            coarse.ground = carried_ground(&net.ground, &net.centres, &of, &coarse.centres);
            let block = |pair: usize| net.blocks[pair].map(T::of);
            let mut level = Level::new(bodies, net.pairs.iter().copied(), &above, block);
            net.find_diagonal();
            level.set_diagonal(&net.diagonal);
            level.set_ground(&net.ground);
            (level.coarse.of, level.coarse.above) = (of, above);
            self.middle.push(Middle { work: Work::new(&net), net, level });
            net = coarse;
        }
        let mut next = &self.top.net;
        for Middle { net, level, .. } in self.middle.iter_mut().rev() {
            level.complete(&net.centres, net.pairs.iter().copied(), (&next.centres, &next.pairs));
            next = net;
        }
    }

    /// The net that a level is coarsened to.
    fn net_above(&self, level: usize) -> &Net {
        self.middle.get(level).map_or(&self.top.net, |middle| &middle.net)
    }

    /// Whether its answers are exact, but for rounding.
    pub fn is_direct(&self) -> bool {
        self.fine.is_none()
    }

    /// How much energy the loads have, by estimate: loads times the motions that [`Hierarchy::answer`] would give. That takes half of an answer, because the sweeps
    /// back mirror those before. Bodies with less energy than what counts as quiet are left to the levels above.
    pub fn ask(&mut self, loads: &[Six], quiet: f64) -> Swept {
        let Some(fine) = &mut self.fine else {
            let Work { motions, .. } = &mut self.top.work;
            self.top.factor.solve(loads, motions);
            return Swept { taken: dot(loads, motions), left_alone: 0.0 };
        };
        let most = largest(loads);
        self.scale = if most > 0.0 { 1.0 / most } else { 1.0 };
        let unit = self.scale * self.scale * self.unit;
        self.quiet = quiet * unit;
        let Swept { taken, left_alone } = fine.sweep_forward(loads, self.scale, self.quiet);
        let work = next_work(&mut self.middle, &mut self.top);
        fine.restrict(&mut work.asked);
        work.loads.copy_from_slice(&work.asked);
        descend(&mut self.middle, &mut self.top, self.quiet);
        let work = next_work(&mut self.middle, &mut self.top);
        work.overcorrect();
        let coarse = dot(&work.asked, &work.motions);
        Swept { taken: (taken + coarse) / unit, left_alone: left_alone / unit }
    }

    /// About what moves under the loads that were asked about.
    pub fn answer(&mut self, motions: &mut [Six]) {
        let work = next_work(&mut self.middle, &mut self.top);
        match &mut self.fine {
            Some(fine) => {
                fine.correct(&work.motions, (&work.gaps, &work.is_open), self.quiet);
                fine.answer(&work.motions, 1.0 / (self.scale * self.unit), motions);
            }
            None => motions.copy_from_slice(&work.motions),
        }
    }

    /// What exactly resists the motion that was answered to these loads.
    pub fn resistance(&self, loads: &[Six], to: &mut [Six]) {
        match &self.fine {
            Some(fine) => fine.resistance(loads, 1.0 / self.scale, to),
            None => to.copy_from_slice(loads),
        }
    }
}

/// The largest of all numbers.
fn largest(loads: &[Six]) -> f64 {
    let mut most = [0.0; 6];
    for load in loads {
        (0..6).for_each(|k| most[k] = f64::max(most[k], load[k].abs()));
    }
    most.into_iter().fold(0.0, f64::max)
}

fn next_work<'a, T: Real>(middle: &'a mut [Middle<T>], top: &'a mut Top) -> &'a mut Work {
    match middle.first_mut() {
        Some(middle) => &mut middle.work,
        None => &mut top.work,
    }
}

/// Answers what the first of some levels is asked: twice, the second time about what the first answer left. Coarse levels have few
/// bodies, and a better answer of theirs saves steps of the whole.
fn descend<T: Real>(middle: &mut [Middle<T>], top: &mut Top, quiet: f64) {
    if middle.is_empty() {
        top.factor.solve(&top.work.loads, &mut top.work.motions);
        gaps(&top.net.centres, &top.net.pairs, &top.work.motions, &mut top.work.gaps);
        open_gaps(&top.net.blocks, &top.work.gaps, quiet, &mut top.work.is_open);
        return;
    }
    cycle(middle, top, quiet);
    let Middle { level, work, .. } = &mut middle[0];
    level.resistance(&work.loads, 1.0, &mut work.resistance);
    subtract(&mut work.loads, &work.resistance);
    std::mem::swap(&mut work.motions, &mut work.first);
    cycle(middle, top, quiet);
    let Middle { net, work, .. } = &mut middle[0];
    work.motions
        .as_flattened_mut()
        .iter_mut()
        .zip(work.first.as_flattened())
        .for_each(|(x, first)| *x += first);
    gaps(&net.centres, &net.pairs, &work.motions, &mut work.gaps);
    open_gaps(&net.blocks, &work.gaps, quiet, &mut work.is_open);
}

fn subtract(from: &mut [Six], x: &[Six]) {
    from.as_flattened_mut().iter_mut().zip(x.as_flattened()).for_each(|(from, x)| *from -= x);
}

/// Down to the top and up again.
fn cycle<T: Real>(middle: &mut [Middle<T>], top: &mut Top, quiet: f64) {
    let Some((Middle { level, work, .. }, rest)) = middle.split_first_mut() else { return };
    level.sweep_forward(&work.loads, 1.0, quiet);
    level.restrict(&mut next_work(rest, top).loads);
    descend(rest, top, quiet);
    let next = next_work(rest, top);
    next.overcorrect();
    level.correct(&next.motions, (&next.gaps, &next.is_open), quiet);
    level.answer(&next.motions, 1.0, &mut work.motions);
}

impl Top {
    fn new(mut net: Net, envelope: Envelope) -> Top {
        net.find_diagonal();
        let mut top = Top { work: Work::new(&net), net, factor: Factor::new(envelope), is_stale: true };
        top.settle();
        top
    }

    /// Factors the net if it has changed.
    pub fn settle(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            let edges = self.net.pairs.iter().zip(&self.net.blocks).map(|(&(a, b), block)| (a, b, block));
            self.factor.decompose(&self.net.diagonal, edges);
        }
    }
}

/// Links between two bodies, with those.
#[derive(Default)]
struct Pairs<'a> {
    links: Vec<&'a Link>,
    ends: Vec<(u32, u32)>,
}

/// The aggregates of the first level: bodies are looked at in the order that lists neighbours near each other.
fn first_aggregates(springs: &Springs, pairs: &Pairs) -> (Vec<u32>, usize) {
    let mut rank = vec![0; springs.centres.len()];
    springs.visit.iter().zip(0..).for_each(|(&body, at)| rank[body as usize] = at);
    let edges: Vec<(u32, u32, f64)> =
        pairs.links.iter().map(|l| (rank[l.a as usize], rank[l.b as usize], l.weight())).collect();
    let grounded = springs.ground.iter().map(|ground| rank[ground.0 as usize]);
    let (by_rank, count) = Graph::new(rank.len(), edges.iter().copied()).aggregates(grounded, Across::Two);
    (rank.iter().map(|&rank| by_rank[rank as usize]).collect(), count)
}

/// The envelope of a net that is worth to be solved directly.
fn direct_envelope(bodies: usize, pairs: &[(u32, u32)]) -> Option<Envelope> {
    if bodies > MOST_BODIES {
        return None;
    }
    let envelope = Envelope::new(bodies, pairs);
    (envelope.products() <= MOST_PRODUCTS).then_some(envelope)
}

/// What binds aggregates to the ground.
fn carried_ground(
    ground: &[(u32, Block)],
    centres: &[DVec3],
    of: &[u32],
    above: &[DVec3],
) -> Vec<(u32, Block)> {
    let mut carried_up: Vec<(u32, Block)> = Vec::new();
    for (body, block) in ground {
        let to = of[*body as usize];
        if to != ALONE {
            let arm = centres[*body as usize] - above[to as usize];
            carried_up.push((to, carried(block, arm, arm)));
        }
    }
    merged(carried_up)
}
