//! The cells of nodes as the samples see them, and how well hulls would fit what is in them.

use glam::DVec3;
use rayon::prelude::*;

use super::gauge::{Gauge, View};
use super::samples::{NONE, Samples};

/// What a cell costs: the volume of the hulls of the parts in it, and how many they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    pub hulls: f64,
    pub parts: u32,
}

/// What nodes are judged by: the volume of the hulls, and something for parts too many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price {
    /// More parts than this cost extra.
    pub parts: usize,
    /// What each of those costs.
    pub part_too_many: f64,
}

impl Price {
    pub fn of(&self, cost: &Cost) -> f64 {
        let too_many = (cost.parts as usize).saturating_sub(self.parts);
        cost.hulls + self.part_too_many * too_many as f64
    }
}

impl Cost {
    fn plus(self, other: &Cost) -> Cost {
        Cost { hulls: self.hulls + other.hulls, parts: self.parts + other.parts }
    }
}

/// Nodes, the cell of each sample, and the cost of each cell.
#[derive(Clone)]
pub(super) struct Cells<'a> {
    samples: &'a Samples,
    nodes: Vec<DVec3>,
    /// The cell of each point and of each crossing.
    points: Vec<u32>,
    crossings: Vec<u32>,
    contents: Vec<Contents>,
    costs: Vec<Cost>,
    /// How the cost of all grows with each node.
    slopes: Vec<DVec3>,
}

/// The samples in a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    pub points: Vec<u32>,
    pub crossings: Vec<u32>,
}

const SAMPLES_A_TASK: usize = 4096;

impl<'a> Cells<'a> {
    /// Finds the cell of every sample and measures all.
    pub fn new(samples: &'a Samples, nodes: Vec<DVec3>) -> Cells<'a> {
        let mut cells = Cells {
            samples,
            points: vec![0; samples.points.len()],
            crossings: vec![0; samples.crossings.len()],
            contents: vec![Contents::default(); nodes.len()],
            costs: vec![Cost::default(); nodes.len()],
            slopes: vec![DVec3::ZERO; nodes.len()],
            nodes: Vec::new(),
        };
        if !nodes.is_empty() {
            cells.move_all(nodes);
        }
        cells
    }

    /// Moves all nodes at once.
    pub fn move_all(&mut self, nodes: Vec<DVec3>) {
        self.nodes = nodes;
        self.label_all();
        let (view, contents) = (self.view(), &self.contents);
        let measure = |gauge: &mut Gauge, cell: usize| gauge.measure(&view, cell as u32, &contents[cell]);
        let measured: Vec<(Cost, Vec<(u32, DVec3)>)> =
            (0..contents.len()).into_par_iter().map_init(Gauge::default, measure).collect();
        self.slopes.fill(DVec3::ZERO);
        for (cell, (cost, pulls)) in measured.into_iter().enumerate() {
            self.costs[cell] = cost;
            pulls.into_iter().for_each(|(node, pull)| self.slopes[node as usize] += pull);
        }
    }

    fn view(&self) -> View<'_> {
        View { samples: self.samples, nodes: &self.nodes, points: &self.points, crossings: &self.crossings }
    }

    /// What all would cost without one of the nodes, but for a thousandth: what is in its cell goes to others, and those are measured again.
    pub fn price_without(&self, gone: usize, price: &Price) -> f64 {
        let mut rest = self.clone();
        let Contents { points, crossings } = std::mem::take(&mut rest.contents[gone]);
        let mut others: Vec<u32> = (0..self.nodes.len() as u32).filter(|&node| node != gone as u32).collect();
        others.sort_by(|&a, &b| {
            let far = |node: u32| self.nodes[node as usize].distance_squared(self.nodes[gone]);
            far(a).total_cmp(&far(b)).then(a.cmp(&b))
        });
        let mut grown = vec![false; self.nodes.len()];
        let mut heir = |at: DVec3| {
            let cell = nearest_of(&self.nodes, &others, gone, at);
            grown[cell as usize] = true;
            cell
        };
        for &point in &points {
            let cell = heir(self.samples.points[point as usize]);
            rest.points[point as usize] = cell;
            rest.contents[cell as usize].points.push(point);
        }
        for crossing in crossings {
            let cell = heir(self.samples.crossings[crossing as usize].at);
            rest.crossings[crossing as usize] = cell;
            rest.contents[cell as usize].crossings.push(crossing);
        }
        // What only lay beside it has a new neighbour.
        for &point in &points {
            let beside = self.samples.around(point).filter(|&other| other != NONE);
            beside.for_each(|other| grown[self.points[other as usize] as usize] = true);
        }
        grown[gone] = false;
        rest.costs[gone] = Cost::default();
        let mut gauge = Gauge::default();
        for cell in (0..grown.len()).filter(|&cell| grown[cell]) {
            rest.costs[cell] = gauge.measure(&rest.view(), cell as u32, &rest.contents[cell]).0;
        }
        price.of(&rest.total())
    }

    /// Finds the cell of every sample, looking first around the one it was in.
    fn label_all(&mut self) {
        let Cells { samples, nodes, points, crossings, contents, .. } = self;
        let around = Around::new(nodes);
        let label = |cell: &mut u32, at: DVec3| *cell = around.nearest(nodes, *cell, at);
        let tasks = points.par_chunks_mut(SAMPLES_A_TASK).zip(samples.points.par_chunks(SAMPLES_A_TASK));
        tasks.for_each(|(cells, at)| cells.iter_mut().zip(at).for_each(|(c, &at)| label(c, at)));
        let tasks =
            crossings.par_chunks_mut(SAMPLES_A_TASK).zip(samples.crossings.par_chunks(SAMPLES_A_TASK));
        tasks
            .for_each(|(cells, of)| cells.iter_mut().zip(of).for_each(|(c, crossing)| label(c, crossing.at)));
        contents.iter_mut().for_each(Contents::clear);
        (0..).zip(&*points).for_each(|(point, &cell)| contents[cell as usize].points.push(point));
        (0..).zip(&*crossings).for_each(|(crossing, &cell)| contents[cell as usize].crossings.push(crossing));
    }

    /// The nodes.
    pub fn nodes(&self) -> &[DVec3] {
        &self.nodes
    }

    /// How the cost of all grows with each node.
    pub fn slopes(&self) -> &[DVec3] {
        &self.slopes
    }

    /// The volume of all hulls, and how many parts there are.
    pub fn total(&self) -> Cost {
        self.costs.iter().fold(Cost::default(), |all, c| all.plus(c))
    }

    /// The nodes in order of the air in the hulls of their cells, most first.
    pub fn by_air(&self) -> Vec<usize> {
        let each = self.samples.volume / self.samples.points.len() as f64;
        let air = |cell: usize| self.costs[cell].hulls - self.contents[cell].points.len() as f64 * each;
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by(|&a, &b| air(b).total_cmp(&air(a)));
        order
    }

    /// Half the way from a node to the point of its cell that is farthest from it.
    pub fn half_way_to_farthest(&self, cell: usize) -> DVec3 {
        let ways = self.contents[cell].points.iter();
        let ways = ways.map(|&point| self.samples.points[point as usize] - self.nodes[cell]);
        let farthest = ways.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
        farthest.unwrap_or(DVec3::ZERO) * 0.5
    }

    /// The nodes in order of how much is in their cells, least first.
    pub fn by_volume(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&cell| self.contents[cell].points.len());
        order
    }

    /// What each cell costs.
    pub fn costs(&self, price: &Price) -> Vec<f64> {
        let cost = |cost: &Cost| cost.hulls + price.part_too_many * cost.parts.saturating_sub(1) as f64;
        self.costs.iter().map(cost).collect()
    }
}

impl Contents {
    fn clear(&mut self) {
        self.points.clear();
        self.crossings.clear();
    }
}

/// For each node all others, the nearest first, with half of how far they are.
struct Around {
    others: Vec<Vec<(f64, u32)>>,
}

impl Around {
    fn new(nodes: &[DVec3]) -> Around {
        let others = |(index, node): (usize, &DVec3)| {
            let half = |(other, at): (usize, &DVec3)| (node.distance(*at) * 0.5, other as u32);
            let mut list: Vec<(f64, u32)> =
                nodes.iter().enumerate().filter(|o| o.0 != index).map(half).collect();
            list.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            list
        };
        Around { others: nodes.par_iter().enumerate().map(others).collect() }
    }

    /// The node nearest to a place; the first of several. None that is twice as far from `start` as the place can be it.
    fn nearest(&self, nodes: &[DVec3], start: u32, at: DVec3) -> u32 {
        let reach = nodes[start as usize].distance_squared(at);
        let (mut nearest, mut least) = (start, reach);
        let far = reach.sqrt();
        for &(half, other) in &self.others[start as usize] {
            if half > far {
                break;
            }
            let reach = nodes[other as usize].distance_squared(at);
            if reach < least || (reach == least && other < nearest) {
                (nearest, least) = (other, reach);
            }
        }
        nearest
    }
}

/// Of nodes in order of how far they are from one that is gone, the nearest to a place in its cell.
fn nearest_of(nodes: &[DVec3], others: &[u32], gone: usize, at: DVec3) -> u32 {
    let far = nodes[gone].distance(at);
    let (mut nearest, mut least) = (gone as u32, f64::INFINITY);
    for &other in others {
        let node = nodes[other as usize];
        if node.distance(nodes[gone]) - far > least {
            break;
        }
        let reach = node.distance(at);
        if reach < least {
            (nearest, least) = (other, reach);
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::relax::spread;
    use smithereens_testing::fixtures;

    #[test]
    fn without_a_node_all_cost_about_what_the_others_cost_alone() {
        for (name, solid) in fixtures::all() {
            let samples = Samples::new(&solid, 3_000);
            let nodes = spread(&samples, 9, 5, 2);
            let cells = Cells::new(&samples, nodes.clone());
            let price = Price { parts: 6, part_too_many: 0.02 * samples.volume };
            for gone in 0..nodes.len() {
                let others = (0..nodes.len()).filter(|&node| node != gone).map(|node| nodes[node]).collect();
                let alone = price.of(&Cells::new(&samples, others).total());
                let without = cells.price_without(gone, &price);
                assert!((without - alone).abs() < 1e-3 * alone, "{name}, node {gone}: {without} for {alone}");
            }
        }
    }
}
