//! Nodes in order of how far they are from each other, so that the nearest to a place is found among few.

use glam::DVec3;
use rayon::prelude::*;

use super::samples::NONE;

/// Nodes, and what it takes to find the nearest to a place.
pub(super) struct Around<'a> {
    nodes: &'a [DVec3],
    /// For each node all others, the nearest first, with half of how far they are.
    others: Vec<Vec<(f64, u32)>>,
    /// How far each node has come since places were last followed, and the one that came farthest.
    steps: Vec<f64>,
    longest: f64,
}

/// Times how far a place is: nodes that are twice as far and a hair cannot be the nearest, whatever the rounding.
const HAIR: f64 = 1.0 + 1e-9;

impl<'a> Around<'a> {
    /// Nodes that have come from where they were `before`.
    pub fn new(nodes: &'a [DVec3], before: &[DVec3]) -> Around<'a> {
        let others = |(index, node): (usize, &DVec3)| {
            let half = |(other, at): (usize, &DVec3)| (node.distance(*at) * 0.5, other as u32);
            let mut list: Vec<(f64, u32)> =
                nodes.iter().enumerate().filter(|o| o.0 != index).map(half).collect();
            list.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            list
        };
        let others = nodes.par_iter().enumerate().map(others).collect();
        let steps: Vec<f64> = nodes.iter().zip(before).map(|(to, from)| to.distance(*from)).collect();
        let longest = steps.iter().copied().fold(0.0, f64::max);
        Around { nodes, others, steps, longest }
    }

    /// Finds the nodes nearest to places anew. Each place has a room, by which all other nodes are farther at least; as long as nodes have not
    /// come so much nearer to it, it is not asked for. Places that have no node yet begin with that of the place before.
    pub fn follow(&self, places: impl Iterator<Item = DVec3>, nearest: &mut [u32], rooms: &mut [f64]) {
        let mut start = 0;
        for (at, (nearest, room)) in places.zip(nearest.iter_mut().zip(rooms)) {
            if *nearest != NONE {
                start = *nearest;
                *room -= self.steps[start as usize] + self.longest;
            }
            if *room <= 0.0 {
                (*nearest, *room) = self.nearest(start, at);
                start = *nearest;
            }
        }
    }

    /// The node nearest to a place, the first of several, and by how much all others are farther at least. None that is twice as far from
    /// `start` as the place can be the nearest.
    fn nearest(&self, start: u32, at: DVec3) -> (u32, f64) {
        let nodes = self.nodes;
        let reach = nodes[start as usize].distance_squared(at);
        let (mut nearest, mut least, mut second) = (start, reach, f64::INFINITY);
        let far = reach.sqrt() * HAIR;
        let mut beyond = f64::INFINITY;
        for &(half, other) in &self.others[start as usize] {
            if half > far {
                beyond = 2.0 * half - far;
                break;
            }
            let reach = nodes[other as usize].distance_squared(at);
            if reach < least || (reach == least && other < nearest) {
                (nearest, least, second) = (other, reach, least);
            } else if reach < second {
                second = reach;
            }
        }
        let second = second.sqrt().min(beyond);
        (nearest, second - least.sqrt() - far * (HAIR - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::chance::Chance;

    #[test]
    fn the_nearest_is_the_first_of_the_nearest_wherever_the_search_starts() {
        let mut chance = Chance::new(3);
        for case in 0..50 {
            // Every other time on a grid, where many are equally near, and some at one place.
            let mut place = || if case % 2 == 0 { (chance.point() * 2.0).round() } else { chance.point() };
            let nodes: Vec<DVec3> = (0..20).map(|_| place()).collect();
            let around = Around::new(&nodes, &nodes);
            for at in std::iter::repeat_with(|| place() * 0.5).take(40) {
                let far = |node: &u32| nodes[*node as usize].distance_squared(at);
                let nearest = (0..20).min_by(|a, b| far(a).total_cmp(&far(b)));
                assert!((0..20).all(|start| Some(around.nearest(start, at).0) == nearest));
            }
        }
    }

    #[test]
    fn places_that_are_followed_have_the_nearest_node() {
        let mut chance = Chance::new(4);
        let mut nodes: Vec<DVec3> = (0..12).map(|_| chance.point()).collect();
        let places: Vec<DVec3> = (0..500).map(|_| chance.point()).collect();
        let (mut nearest, mut rooms) = (vec![NONE; places.len()], vec![0.0; places.len()]);
        for round in 0..40 {
            let before = nodes.clone();
            // Small steps mostly, some nodes not at all, and now and then one elsewhere.
            let reach = if round % 10 == 0 { 1.0 } else { 0.02 };
            for node in nodes.iter_mut().skip(round % 5) {
                *node += chance.point() * reach;
            }
            let around = Around::new(&nodes, &before);
            around.follow(places.iter().copied(), &mut nearest, &mut rooms);
            for (&at, &nearest) in places.iter().zip(&nearest) {
                assert_eq!(nearest, around.nearest(0, at).0, "round {round}");
            }
        }
    }
}
