//! Nodes in order of how far they are from each other, so that the nearest to a place is found among few.

use glam::DVec3;
use rayon::prelude::*;

/// For each node all others, the nearest first, with half of how far they are.
pub(super) struct Around {
    others: Vec<Vec<(f64, u32)>>,
}

/// Times how far a place is: nodes that are twice as far and a hair cannot be the nearest, whatever the rounding.
const HAIR: f64 = 1.0 + 1e-12;

impl Around {
    pub fn new(nodes: &[DVec3]) -> Around {
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
    #[inline]
    pub fn nearest(&self, nodes: &[DVec3], start: u32, at: DVec3) -> u32 {
        let reach = nodes[start as usize].distance_squared(at);
        let (mut nearest, mut least) = (start, reach);
        let far = reach.sqrt() * HAIR;
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
            let around = Around::new(&nodes);
            for at in std::iter::repeat_with(|| place() * 0.5).take(40) {
                let far = |node: &u32| nodes[*node as usize].distance_squared(at);
                let nearest = (0..20).min_by(|a, b| far(a).total_cmp(&far(b)));
                assert!((0..20).all(|start| Some(around.nearest(&nodes, start, at)) == nearest));
            }
        }
    }
}
