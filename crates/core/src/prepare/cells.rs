//! The cells of nodes as the samples see them, and how well hulls would fit what is in them.

use glam::DVec3;
use rayon::prelude::*;

use super::around::Around;
use super::gauge::{Gauge, Pulls, View};
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
    /// By how much all other nodes are farther from each at least.
    point_rooms: Vec<f64>,
    crossing_rooms: Vec<f64>,
    contents: Vec<Contents>,
    costs: Vec<Cost>,
    /// How the cost of each cell grows with the nodes that matter to it.
    pulls: Vec<Pulls>,
    /// How the cost of all grows with each node.
    slopes: Vec<DVec3>,
}

/// The samples in a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    pub points: Vec<u32>,
    pub crossings: Vec<u32>,
}

const SAMPLES_A_TASK: usize = 1024;

impl<'a> Cells<'a> {
    /// Finds the cell of every sample and measures all.
    pub fn new(samples: &'a Samples, nodes: Vec<DVec3>) -> Cells<'a> {
        Cells::unmeasured(samples, nodes).measured()
    }

    /// Finds the cell of every sample.
    pub fn unmeasured(samples: &'a Samples, nodes: Vec<DVec3>) -> Cells<'a> {
        let mut cells = Cells {
            samples,
            points: vec![NONE; samples.points.len()],
            crossings: vec![NONE; samples.crossings.len()],
            point_rooms: vec![0.0; samples.points.len()],
            crossing_rooms: vec![0.0; samples.crossings.len()],
            contents: vec![Contents::default(); nodes.len()],
            costs: vec![Cost::default(); nodes.len()],
            pulls: vec![Pulls::default(); nodes.len()],
            slopes: vec![DVec3::ZERO; nodes.len()],
            nodes,
        };
        if !cells.nodes.is_empty() {
            cells.label_all(&cells.nodes.clone());
        }
        cells
    }

    /// Moves all nodes at once, and measures the cells that have changed.
    pub fn move_all(&mut self, nodes: Vec<DVec3>) {
        let is_moved: Vec<bool> = nodes.iter().zip(&self.nodes).map(|(new, old)| new != old).collect();
        let nodes_before = std::mem::replace(&mut self.nodes, nodes);
        if is_moved.iter().all(|&moved| moved) {
            self.label_all(&nodes_before);
            self.measure(&is_moved);
        } else {
            let before = (self.points.clone(), self.crossings.clone());
            self.label_all(&nodes_before);
            self.measure(&self.changed_since(&before.0, &before.1, is_moved));
        }
    }

    /// The cells that measure otherwise than with other cells of points and of crossings and with other places of nodes. A cell sees
    /// samples next to its own, and points next to those.
    fn changed_since(&self, points: &[u32], crossings: &[u32], is_moved: Vec<bool>) -> Vec<bool> {
        let mut changed = is_moved.clone();
        let is_other = |now: u32, before: u32| now != before || is_moved[now as usize];
        let mut see = |cell: u32| changed[cell as usize] = true;
        for (point, (&now, &before)) in (0..).zip(self.points.iter().zip(points)) {
            if is_other(now, before) {
                [now, before].into_iter().for_each(&mut see);
                self.samples.crossings_of(point).for_each(|crossing| see(self.crossings[crossing as usize]));
                for beside in self.samples.beside(point).into_iter().filter(|&other| other != NONE) {
                    see(self.points[beside as usize]);
                    let next = self.samples.beside(beside).into_iter().filter(|&other| other != NONE);
                    next.for_each(|other| see(self.points[other as usize]));
                }
            }
        }
        for (crossing, (&now, &before)) in (0..).zip(self.crossings.iter().zip(crossings)) {
            if is_other(now, before) {
                [now, before].into_iter().for_each(&mut see);
                see(self.points[self.samples.crossings[crossing as usize].point as usize]);
                let joined = self.samples.joined_to(crossing).iter();
                joined.for_each(|&other| see(self.crossings[other as usize]));
            }
        }
        changed
    }

    /// Measures some cells, and adds up the slopes of all.
    fn measure(&mut self, wanted: &[bool]) {
        let (view, contents) = (self.view(), &self.contents);
        let cells: Vec<usize> = (0..contents.len()).filter(|&cell| wanted[cell]).collect();
        let measure = |&cell: &usize| Gauge::with(|gauge| gauge.measure(&view, cell as u32, &contents[cell]));
        let measured: Vec<(Cost, Pulls)> = cells.par_iter().map(measure).collect();
        for (cell, (cost, pulls)) in cells.into_iter().zip(measured) {
            (self.costs[cell], self.pulls[cell]) = (cost, pulls);
        }
        self.slopes.fill(DVec3::ZERO);
        for &(node, pull) in self.pulls.iter().flat_map(|pulls| pulls.iter()) {
            self.slopes[node as usize] += pull;
        }
    }

    /// Measures all cells.
    pub fn measured(mut self) -> Cells<'a> {
        self.measure(&vec![true; self.nodes.len()]);
        self
    }

    /// How many parts all cells hold, measured or not.
    pub fn parts(&self) -> usize {
        let parts = |contents: &Contents| Gauge::with(|gauge| gauge.parts(self.samples, contents) as usize);
        self.contents.par_iter().map(parts).sum()
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
        for cell in (0..grown.len()).filter(|&cell| grown[cell]) {
            let measure = |gauge: &mut Gauge| gauge.measure(&rest.view(), cell as u32, &rest.contents[cell]);
            rest.costs[cell] = Gauge::with(measure).0;
        }
        price.of(&rest.total())
    }

    /// Finds the cell of every sample, looking first around the one it was in.
    fn label_all(&mut self, nodes_before: &[DVec3]) {
        let Cells { samples, nodes, points, crossings, point_rooms, crossing_rooms, contents, .. } = self;
        let around = Around::new(nodes, nodes_before);
        let tasks = points.par_chunks_mut(SAMPLES_A_TASK).zip(point_rooms.par_chunks_mut(SAMPLES_A_TASK));
        tasks.zip(samples.points.par_chunks(SAMPLES_A_TASK)).for_each(|((cells, rooms), points)| {
            around.follow(points.iter().copied(), cells, rooms);
        });
        let tasks =
            crossings.par_chunks_mut(SAMPLES_A_TASK).zip(crossing_rooms.par_chunks_mut(SAMPLES_A_TASK));
        tasks.zip(samples.crossings.par_chunks(SAMPLES_A_TASK)).for_each(|((cells, rooms), crossings)| {
            around.follow(crossings.iter().map(|crossing| crossing.at), cells, rooms);
        });
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
    use crate::prepare::relax::{far_apart, relaxed};
    use smithereens_testing::chance::Chance;
    use smithereens_testing::fixtures;

    #[test]
    fn without_a_node_all_cost_about_what_the_others_cost_alone() {
        for (name, solid) in fixtures::all() {
            let samples = Samples::new(&solid, 3_000);
            let nodes = relaxed(&samples.points, far_apart(&samples.points, 9, 5), 2);
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

    #[test]
    fn moving_some_nodes_measures_what_a_new_start_does() {
        let mut chance = Chance::new(8);
        for (name, solid) in fixtures::all() {
            let samples = Samples::new(&solid, 3_000);
            let mut nodes = relaxed(&samples.points, far_apart(&samples.points, 14, 5), 2);
            let mut cells = Cells::new(&samples, nodes.clone());
            for round in 0..8 {
                for _ in 0..round % 3 + 1 {
                    let to = samples.points[chance.below(samples.points.len())];
                    nodes[chance.below(14)] = to;
                }
                cells.move_all(nodes.clone());
                let anew = Cells::new(&samples, nodes.clone());
                assert_eq!(cells.costs, anew.costs, "{name}, round {round}");
                assert_eq!(cells.slopes, anew.slopes, "{name}, round {round}");
                assert_eq!(cells.parts(), anew.total().parts as usize, "{name}, round {round}");
            }
        }
    }
}
