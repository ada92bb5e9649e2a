//! Conjugate gradients for eight right-hand sides at once.

use crate::hierarchy::Hierarchy;
use crate::panel::{Eight, Panel, lane_products};

/// What is left of the error in energy: its square root is seven digits.
const ACCURACY: f64 = 1e-14;
const MOST_STEPS: usize = 200;

/// Solves the hierarchy's finest system.
pub(crate) fn solve(hierarchy: &Hierarchy, mut rest: Panel) -> Panel {
    let mut x = vec![[0.0; 8]; rest.len()];
    let mut step = hierarchy.apply(0, &rest);
    let mut left = lane_products(&rest, &step);
    let goal = left.map(|left| left * ACCURACY);
    for _ in 0..MOST_STEPS {
        if left.iter().zip(&goal).all(|(left, goal)| left <= goal) {
            break;
        }
        let pull = hierarchy.levels[0].matrix.times(&step);
        let bend = lane_products(&step, &pull);
        // A lane that is done stays where it is.
        let length: Eight =
            std::array::from_fn(|k| if left[k] > goal[k] && bend[k] > 0.0 { left[k] / bend[k] } else { 0.0 });
        advance(&mut x, &length, &step);
        advance(&mut rest, &length.map(|length| -length), &pull);
        let gradient = hierarchy.apply(0, &rest);
        let now = lane_products(&rest, &gradient);
        let keep: Eight = std::array::from_fn(|k| if left[k] > 0.0 { now[k] / left[k] } else { 0.0 });
        for (step, gradient) in step.iter_mut().zip(&gradient) {
            *step = std::array::from_fn(|k| gradient[k] + keep[k] * step[k]);
        }
        left = now;
    }
    x
}

fn advance(x: &mut [Eight], length: &Eight, step: &[Eight]) {
    for (x, step) in x.iter_mut().zip(step) {
        x.iter_mut().zip(length.iter().zip(step)).for_each(|(x, (length, step))| *x += length * step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Net;
    use crate::panel::add;
    use crate::partition::Partition;

    #[test]
    fn a_long_chain_is_solved() {
        let n = 4000_u32;
        let edges: Vec<[u32; 2]> = (1..n).map(|cell| [cell - 1, cell]).collect();
        let stiff: Vec<f64> = edges.iter().map(|edge| 1.0 + f64::from(edge[0] % 7)).collect();
        let net = Net::new(vec![1.0; n as usize], edges, stiff.clone(), stiff);
        let parts = Partition::connected(net.len(), &net.edges, |_, _| true);
        let hierarchy = Hierarchy::new(&net, &parts, Some(1e-4));
        let load: Panel = (0..n).map(|i| std::array::from_fn(|k| f64::from(i == 500 * k as u32))).collect();
        let x = solve(&hierarchy, load.clone());
        let mut rest = hierarchy.levels[0].matrix.times(&x);
        rest.iter_mut().zip(&load).for_each(|(rest, load)| add(rest, -1.0, load));
        assert!(rest.iter().flatten().all(|rest| rest.abs() < 1e-5));
    }
}
