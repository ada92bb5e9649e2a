//! The cells of nodes as the samples see them, and how well hulls would fit what is in them.

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::UnionFind;

use super::hull_volume::HullVolume;
use super::relax::nearest;
use super::samples::{NONE, Samples};

/// Which cell a sample is in, and the square of how far the node is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Label {
    cell: u32,
    reach: f64,
}

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
    points: Vec<Label>,
    crossings: Vec<Label>,
    contents: Vec<Contents>,
    costs: Vec<Cost>,
    /// Labels that a trial has changed, as they were.
    changed_points: Vec<(u32, Label)>,
    changed_crossings: Vec<(u32, Label)>,
    loads: Vec<Load>,
    load_of_cell: Vec<u32>,
    tools: Tools,
}

/// The samples in a cell.
#[derive(Clone, Debug, Default)]
struct Contents {
    points: Vec<u32>,
    crossings: Vec<u32>,
    /// How far the farthest is from the node.
    reach: f64,
}

/// What is in a cell being measured, and what its hulls are made of: places, each with a point of the same part.
#[derive(Clone, Debug, Default)]
struct Load {
    contents: Contents,
    surface: Vec<(DVec3, u32)>,
    /// Whether a sample has left the cell.
    has_lost: bool,
}

/// Of the places around a point, those next to it along the axes.
const SIDES: usize = 6;
/// A hull of samples is a hair smaller than what it stands for: what cells cost at least, by what they hold and by what they cost
/// before they grew.
const HELD: f64 = 0.97;
const GROWN: f64 = 0.999;
/// Parts of fewer points than this are counted, but have no hull worth measuring.
const DUST: usize = 4;

impl<'a> Cells<'a> {
    /// Finds the cell of every sample and measures all.
    pub fn new(samples: &'a Samples, nodes: Vec<DVec3>) -> Cells<'a> {
        let label = |at: DVec3| {
            let (cell, reach) = nearest(&nodes, at);
            Label { cell: cell as u32, reach }
        };
        let points = samples.points.par_iter().map(|&p| label(p)).collect();
        let crossings = samples.crossings.par_iter().map(|c| label(c.at)).collect();
        let mut cells = Cells {
            samples,
            points,
            crossings,
            contents: vec![Contents::default(); nodes.len()],
            costs: vec![Cost::default(); nodes.len()],
            changed_points: Vec::new(),
            changed_crossings: Vec::new(),
            loads: Vec::new(),
            load_of_cell: vec![NONE; nodes.len()],
            tools: Tools::default(),
            nodes,
        };
        if let Some(first) = cells.contents.first_mut() {
            first.points = (0..samples.points.len() as u32).collect();
            first.crossings = (0..samples.crossings.len() as u32).collect();
            cells.measure_all();
        }
        cells
    }

    /// The nodes.
    pub fn nodes(&self) -> &[DVec3] {
        &self.nodes
    }

    /// The volume of all hulls, and how many parts there are.
    pub fn total(&self) -> Cost {
        self.costs.iter().fold(Cost::default(), |all, c| all.plus(c))
    }

    /// Moves a node, unless what that costs reaches `limit`. Returns the new cost if it moved.
    pub fn try_move(&mut self, node: usize, to: DVec3, price: &Price, limit: f64) -> Option<f64> {
        let from = std::mem::replace(&mut self.nodes[node], to);
        let touched = self.relabel(node as u32);
        if !touched.is_empty() {
            self.fill(&touched);
            let costs = self.measure_below(&touched, price, limit);
            self.empty(&touched);
            if let Some(costs) = costs {
                self.keep(&touched, &costs);
                return Some(price.of(&self.total()));
            }
        }
        self.nodes[node] = from;
        self.changed_points.iter().for_each(|&(i, label)| self.points[i as usize] = label);
        self.changed_crossings.iter().for_each(|&(i, label)| self.crossings[i as usize] = label);
        None
    }

    /// Moves a node that another search has found worth it.
    pub fn follow(&mut self, node: usize, to: DVec3, costs: &[Cost]) {
        self.nodes[node] = to;
        let touched = self.relabel(node as u32);
        self.fill(&touched);
        self.empty(&touched);
        self.keep(&touched, &vec![Cost::default(); touched.len()]);
        self.costs.copy_from_slice(costs);
    }

    /// The cost of each cell.
    pub fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// The costs of the cells being filled; `None` as soon as the total must reach the limit.
    fn measure_below(&mut self, touched: &[u32], price: &Price, limit: f64) -> Option<Vec<Cost>> {
        let is_touched = |cell: usize| self.load_of_cell[cell] != NONE;
        let others = (0..self.costs.len()).filter(|&cell| !is_touched(cell)).map(|cell| &self.costs[cell]);
        let mut sum = others.fold(Cost::default(), |all, c| all.plus(c));
        let mut costs: Vec<Cost> =
            (0..touched.len()).map(|index| self.at_least(index, touched[index])).collect();
        sum = costs.iter().fold(sum, |all, c| all.plus(c));
        // Cells that lost something tell most: what the others gained they can only have grown by.
        let mut order: Vec<usize> = (0..touched.len()).collect();
        order.sort_by_key(|&index| !self.loads[index].has_lost);
        for index in order {
            if price.of(&sum) >= limit {
                return None;
            }
            let cost = self.tools.cost(self.samples, &self.loads[index]);
            sum = Cost {
                hulls: sum.hulls + cost.hulls - costs[index].hulls,
                parts: sum.parts + cost.parts - costs[index].parts,
            };
            costs[index] = cost;
        }
        (price.of(&sum) < limit).then_some(costs)
    }

    /// What a cell being filled costs at least: as much as before if it has only grown, and what it holds in any case.
    fn at_least(&self, index: usize, cell: u32) -> Cost {
        let load = &self.loads[index];
        let held = load.contents.points.len() as f64 * self.samples.volume / self.samples.points.len() as f64;
        let parts = u32::from(!load.contents.points.is_empty());
        let before = self.costs[cell as usize].hulls;
        Cost { hulls: if load.has_lost { held * HELD } else { before * GROWN }, parts }
    }

    /// Takes over what was measured last.
    fn keep(&mut self, cells: &[u32], costs: &[Cost]) {
        for ((&cell, &cost), load) in cells.iter().zip(costs).zip(&mut self.loads) {
            self.costs[cell as usize] = cost;
            std::mem::swap(&mut self.contents[cell as usize], &mut load.contents);
            let contents = &mut self.contents[cell as usize];
            let of_points = contents.points.iter().map(|&p| self.points[p as usize].reach);
            let of_crossings = contents.crossings.iter().map(|&c| self.crossings[c as usize].reach);
            contents.reach = of_points.chain(of_crossings).fold(0.0, f64::max).sqrt();
        }
    }

    /// Labels samples anew after a node has moved. Returns the cells that lost or gained some, and that of the node if any did,
    /// ascending.
    fn relabel(&mut self, node: u32) -> Vec<u32> {
        self.changed_points.clear();
        self.changed_crossings.clear();
        let mut is_touched = vec![false; self.nodes.len()];
        for cell in 0..self.nodes.len() as u32 {
            let own = self.nodes[cell as usize];
            // A sample is taken by the node only if that is nearer than its own.
            let is_far = own.distance(self.nodes[node as usize]) > 2.0 * self.contents[cell as usize].reach;
            if cell == node || !is_far {
                self.relabel_cell(cell, node, &mut is_touched);
            }
        }
        (0..self.nodes.len() as u32).filter(|&c| is_touched[c as usize]).collect()
    }

    fn relabel_cell(&mut self, cell: u32, node: u32, is_touched: &mut [bool]) {
        let Cells { samples, nodes, points, crossings, changed_points, changed_crossings, .. } = self;
        let mut relabel = |at: DVec3, label: &mut Label| {
            let old = *label;
            if cell == node {
                let (cell, reach) = nearest(nodes, at);
                *label = Label { cell: cell as u32, reach };
            } else {
                let reach = nodes[node as usize].distance_squared(at);
                if reach >= old.reach {
                    return None;
                }
                *label = Label { cell: node, reach };
            }
            if label.cell != old.cell {
                is_touched[label.cell as usize] = true;
                is_touched[old.cell as usize] = true;
            }
            Some(old)
        };
        let contents = &self.contents[cell as usize];
        for &point in &contents.points {
            let old = relabel(samples.points[point as usize], &mut points[point as usize]);
            changed_points.extend(old.map(|old| (point, old)));
        }
        for &crossing in &contents.crossings {
            let old = relabel(samples.crossings[crossing as usize].at, &mut crossings[crossing as usize]);
            changed_crossings.extend(old.map(|old| (crossing, old)));
        }
    }

    /// Measures all cells, on all threads.
    fn measure_all(&mut self) {
        let all: Vec<u32> = (0..self.nodes.len() as u32).collect();
        self.fill(&all);
        let samples = self.samples;
        let cost = |tools: &mut Tools, load: &Load| tools.cost(samples, load);
        let costs: Vec<Cost> = self.loads.par_iter().map_init(Tools::default, cost).collect();
        self.empty(&all);
        self.keep(&all, &costs);
    }

    /// Ends the filling of cells.
    fn empty(&mut self, cells: &[u32]) {
        cells.iter().for_each(|&c| self.load_of_cell[c as usize] = NONE);
    }

    /// Collects what is in some cells.
    fn fill(&mut self, cells: &[u32]) {
        if self.loads.len() < cells.len() {
            self.loads.resize_with(cells.len(), Load::default);
        }
        for (index, &cell) in cells.iter().enumerate() {
            self.load_of_cell[cell as usize] = index as u32;
            let Load { contents, surface, has_lost } = &mut self.loads[index];
            *has_lost = false;
            contents.points.clear();
            contents.crossings.clear();
            surface.clear();
        }
        for (index, &cell) in cells.iter().enumerate() {
            let contents = &self.contents[cell as usize];
            for &point in &contents.points {
                let load = self.load_of_cell[self.points[point as usize].cell as usize] as usize;
                self.loads[load].contents.points.push(point);
                self.loads[index].has_lost |= load != index;
            }
            for &crossing in &contents.crossings {
                let load = self.load_of_cell[self.crossings[crossing as usize].cell as usize] as usize;
                self.loads[load].contents.crossings.push(crossing);
                self.loads[index].has_lost |= load != index;
            }
        }
        for (index, &cell) in cells.iter().enumerate() {
            let contents = std::mem::take(&mut self.loads[index].contents);
            contents.crossings.iter().for_each(|&c| self.fill_surface(cell, c));
            contents.points.iter().for_each(|&p| self.fill_inside(cell, p));
            self.loads[index].contents = contents;
        }
    }

    /// A crossing of a cell, and where cuts meet the surface next to it.
    fn fill_surface(&mut self, cell: u32, index: u32) {
        let samples = self.samples;
        let crossing = samples.crossings[index as usize];
        let inside = self.points[crossing.point as usize].cell;
        self.add(cell, crossing.at, [crossing.point, NONE]);
        if inside != cell {
            let at = self.cut(inside, cell, samples.points[crossing.point as usize], crossing.at);
            self.add(inside, at, [crossing.point, NONE]);
            self.add(cell, at, [crossing.point, NONE]);
        }
        for &other in samples.joined_to(index) {
            let beyond = self.crossings[other as usize].cell;
            // Of two cells that are filled, one does it for both.
            if beyond != cell && (self.load_of_cell[beyond as usize] == NONE || index < other) {
                let to = samples.crossings[other as usize];
                let at = self.cut(cell, beyond, crossing.at, to.at);
                self.add(cell, at, [crossing.point, to.point]);
                self.add(beyond, at, [to.point, crossing.point]);
            }
        }
    }

    /// The rims of cuts next to a point of a cell. What lies within a cut is in the hull of its rim.
    fn fill_inside(&mut self, cell: u32, point: u32) {
        let samples = self.samples;
        for crossing in samples.crossings_of(point) {
            let beyond = self.crossings[crossing as usize].cell;
            if beyond != cell && self.load_of_cell[beyond as usize] == NONE {
                let to = samples.crossings[crossing as usize].at;
                let at = self.cut(cell, beyond, samples.points[point as usize], to);
                self.add(cell, at, [point, NONE]);
            }
        }
        for (other, is_ahead) in samples
            .ahead(point)
            .into_iter()
            .map(|p| (p, true))
            .chain(samples.behind(point).into_iter().map(|p| (p, false)))
        {
            if other == NONE || self.points[other as usize].cell == cell {
                continue;
            }
            let beyond = self.points[other as usize].cell;
            let is_mine = is_ahead || self.load_of_cell[beyond as usize] == NONE;
            if is_mine && (self.is_at_rim(point, cell, beyond) || self.is_at_rim(other, cell, beyond)) {
                let [from, to] = [point, other].map(|p| samples.points[p as usize]);
                let at = self.cut(cell, beyond, from, to);
                self.add(cell, at, [point, NONE]);
                self.add(beyond, at, [other, NONE]);
            }
        }
    }

    /// Whether next to a point between two cells there is a third, or the outside.
    fn is_at_rim(&self, point: u32, x: u32, y: u32) -> bool {
        let is_other = |p: u32| p == NONE || ![x, y].contains(&self.points[p as usize].cell);
        self.samples.around(point).take(SIDES).any(is_other)
    }

    /// Adds a place to what spans the hull of a cell, if that cell is being filled. It goes with the part of the first of
    /// `points`, or of the points around it, that is in the cell: with none of another, or a search would shave off volume for nothing.
    fn add(&mut self, cell: u32, at: DVec3, points: [u32; 2]) {
        let Some(load) = self.loads.get_mut(self.load_of_cell[cell as usize] as usize) else { return };
        let is_here = |&p: &u32| p != NONE && self.points[p as usize].cell == cell;
        let own = points.into_iter().find(is_here);
        let own = own.or_else(|| self.samples.around(points[0]).find(is_here));
        if let Some(point) = own {
            load.surface.push((at, point));
        }
    }

    /// Where the bisector of two nodes cuts the way from one place to the other.
    fn cut(&self, a: u32, b: u32, from: DVec3, to: DVec3) -> DVec3 {
        let [a, b] = [a, b].map(|cell| self.nodes[cell as usize]);
        let nearer = |p: DVec3| b.distance_squared(p) - a.distance_squared(p);
        let (start, end) = (nearer(from), nearer(to));
        let part = if start == end { 0.5 } else { start / (start - end) };
        from.lerp(to, part.clamp(0.0, 1.0))
    }
}

/// Memory for measuring a cell, one a thread.
#[derive(Clone, Debug, Default)]
struct Tools {
    hull: HullVolume,
    sets: UnionFind,
    /// For each point of the solid, its index among those of the cell.
    local: Vec<u32>,
    places: Vec<DVec3>,
}

impl Tools {
    fn cost(&mut self, samples: &Samples, load: &Load) -> Cost {
        if load.contents.points.is_empty() {
            return Cost::default();
        }
        self.join(samples, load);
        let count = load.contents.points.len() as u32;
        let mut size = vec![0usize; count as usize];
        (0..count).for_each(|p| size[self.sets.root(p) as usize] += 1);
        let parts = (0..count).filter(|&p| size[p as usize] >= 1).count() as u32;
        let mut roots: Vec<u32> = (0..count).filter(|&p| size[p as usize] >= DUST).collect();
        if roots.is_empty() {
            roots = (0..count).filter(|&p| size[p as usize] > 0).take(1).collect();
        }
        let mut cost = Cost { hulls: 0.0, parts };
        for &root in &roots {
            self.places.clear();
            for &(at, point) in &load.surface {
                let is_here = roots.len() == 1 || self.sets.root(self.local[point as usize]) == root;
                if is_here {
                    self.places.push(at);
                }
            }
            cost.hulls += self.hull.of(&self.places);
        }
        load.contents.points.iter().for_each(|&p| self.local[p as usize] = NONE);
        cost
    }

    /// Finds the parts of what is in a cell: along the axes first, which mostly does, then across corners.
    fn join(&mut self, samples: &Samples, load: &Load) {
        self.local.resize(samples.points.len(), NONE);
        (0..).zip(&load.contents.points).for_each(|(index, &point)| self.local[point as usize] = index);
        self.sets.reset(load.contents.points.len());
        for (index, &point) in (0..).zip(&load.contents.points) {
            for other in samples.ahead(point) {
                self.join_to(index, other);
            }
        }
        if (0..load.contents.points.len() as u32).all(|p| self.sets.root(p) == 0) {
            return;
        }
        for (index, &point) in (0..).zip(&load.contents.points) {
            for other in samples.around(point) {
                self.join_to(index, other);
            }
        }
    }

    fn join_to(&mut self, index: u32, point: u32) {
        if point != NONE {
            let other = self.local[point as usize];
            if other != NONE {
                self.sets.join(index, other);
            }
        }
    }
}
