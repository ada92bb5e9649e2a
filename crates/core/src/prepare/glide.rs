//! All nodes moved at once, each down the slope of the cost.

use glam::DVec3;

/// The range of steps, of the size of an average cell.
const STEP_RANGE: [f64; 2] = [0.001, 0.3];
/// What a step's length is multiplied with where the slope goes on as before, where it turns, and after a step for the worse.
const LONGER: f64 = 1.25;
const SHORTER: f64 = 0.5;
const BACK: f64 = 0.4;
/// Nodes whose cells changed by this part of what the one changed that did most are to blame for a step for the worse.
const CULPRIT: f64 = 0.05;

/// Nodes on their way. Each takes steps of its own length: longer while the slope keeps its direction, shorter when it turns
/// (Riedmiller, Braun 1993). After a step that made things worse all go back, and those that did it take shorter steps.
pub(super) struct Glide {
    size: f64,
    lengths: Vec<f64>,
    /// What the best nodes cost, each and all together.
    costs: Vec<f64>,
    total: f64,
    nodes: Vec<DVec3>,
    slopes: Vec<DVec3>,
}

impl Glide {
    /// Starts with steps of a part of `size`, that of an average cell.
    pub fn new(nodes: usize, size: f64, first_step: f64) -> Glide {
        Glide {
            size,
            lengths: vec![size * first_step; nodes],
            costs: Vec::new(),
            total: f64::INFINITY,
            nodes: Vec::new(),
            slopes: vec![DVec3::ZERO; nodes],
        }
    }

    /// Where to go next, having come to `nodes`: what each costs, what all cost together, and how that grows with each.
    pub fn next(&mut self, nodes: &[DVec3], costs: Vec<f64>, total: f64, slopes: &[DVec3]) -> Vec<DVec3> {
        let [least, most] = STEP_RANGE.map(|part| part * self.size);
        if total < self.total {
            for ((length, slope), before) in self.lengths.iter_mut().zip(slopes).zip(&self.slopes) {
                let turn = slope.dot(*before);
                *length = match turn.partial_cmp(&0.0) {
                    Some(std::cmp::Ordering::Greater) => (*length * LONGER).min(most),
                    Some(std::cmp::Ordering::Less) => (*length * SHORTER).max(least),
                    _ => *length,
                };
            }
            (self.costs, self.total, self.nodes, self.slopes) =
                (costs, total, nodes.to_vec(), slopes.to_vec());
        } else {
            let change = |index: usize| (costs[index] - self.costs[index]).abs();
            let most = (0..costs.len()).map(change).fold(0.0, f64::max);
            for index in (0..costs.len()).filter(|&index| change(index) >= most * CULPRIT) {
                self.lengths[index] *= BACK;
            }
        }
        let step = |index: usize| self.slopes[index].normalize_or_zero() * self.lengths[index];
        self.nodes.iter().enumerate().map(|(index, &node)| node - step(index)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bowl that is steep along one axis and has a step in it.
    fn bowl(nodes: &[DVec3]) -> (Vec<f64>, Vec<DVec3>) {
        let cost =
            |n: &DVec3| n.x * n.x + 30.0 * n.y * n.y + 4.0 * n.z * n.z + if n.x < 0.2 { 3.0 } else { 0.0 };
        let slope = |n: &DVec3| DVec3::new(2.0 * n.x, 60.0 * n.y, 8.0 * n.z);
        (nodes.iter().map(cost).collect(), nodes.iter().map(slope).collect())
    }

    #[test]
    fn nodes_reach_the_bottom_and_stop_before_a_step_up() {
        let mut nodes = vec![DVec3::new(1.0, 0.3, -0.4), DVec3::new(2.0, -0.1, 0.3)];
        let mut glide = Glide::new(2, 1.0, 0.05);
        let mut costs = Vec::new();
        for _ in 0..120 {
            let (of_nodes, slopes) = bowl(&nodes);
            let total = of_nodes.iter().sum();
            nodes = glide.next(&nodes, of_nodes, total, &slopes);
            costs.push(bowl(&glide.nodes).0.iter().sum::<f64>());
        }
        assert!(costs.windows(2).all(|pair| pair[1] <= pair[0]), "never worse");
        assert!(
            glide.nodes.iter().all(|n| (0.2..0.35).contains(&n.x) && n.y.abs() < 0.05 && n.z.abs() < 0.05),
            "{:?}",
            &glide.nodes
        );
    }
}
