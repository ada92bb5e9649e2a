//! Bodies that hold each other as metal does: joints that give way under a force, and go on resisting with it.
//!
//! A blow on metal is over within milliseconds, less than a step takes. So a step is cut into short ones here: in each, joints take what velocity
//! they can off what they join, by equal and opposite impulses, solved by projected Gauss-Seidel from where the last one ended. Momentum is kept,
//! and energy only goes.

use glam::{DMat3, DVec3};

/// How many short steps a step has, and how many rounds over all joints each.
const SHORT_STEPS: usize = 16;
const ROUNDS: usize = 12;

/// A body that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Zero for what is held.
    pub inverse_mass: f64,
    pub inverse_inertia: DMat3,
    pub center: DVec3,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// How far it has gone and turned since the step began.
    pub moved: DVec3,
    pub turned: DVec3,
}

impl Node {
    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(arm)
    }

    fn push(&mut self, impulse: DVec3, arm: DVec3) {
        self.velocity += impulse * self.inverse_mass;
        self.spin += self.inverse_inertia * arm.cross(impulse);
    }

    /// How its velocity at an arm answers impulses there.
    fn answer(&self, arm: DVec3) -> DMat3 {
        let cross = DMat3::from_cols(DVec3::X.cross(arm), DVec3::Y.cross(arm), DVec3::Z.cross(arm));
        // With [arm]× = -cross: -[arm]× I⁻¹ [arm]×.
        DMat3::from_diagonal(DVec3::splat(self.inverse_mass)) - cross * self.inverse_inertia * cross
    }
}

/// What two bodies hold each other with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    pub nodes: [usize; 2],
    pub at: DVec3,
    /// The force at which it gives way, in newtons, and the moment, in newton metres.
    pub force: f64,
    pub moment: f64,
}

/// One body presses on another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press {
    pub nodes: [usize; 2],
    pub at: DVec3,
    /// From the first to the second.
    pub along: DVec3,
}

/// A joint or a press, ready to be solved.
struct Row {
    nodes: [usize; 2],
    arms: [DVec3; 2],
    /// From velocity to impulse, of places and of turns.
    linear: DMat3,
    angular: DMat3,
    /// The most impulse a short step.
    limits: [f64; 2],
    /// Zero for a joint.
    along: DVec3,
    impulse: DVec3,
    twist: DVec3,
}

/// Moves all for a step: their velocities are those at its end, and what they have moved is added up.
pub(crate) fn advance(nodes: &mut [Node], joints: &[Joint], presses: &[Press], dt: f64) {
    let short = dt / SHORT_STEPS as f64;
    let mut rows: Vec<Row> = joints.iter().filter_map(|joint| of_joint(nodes, joint, short)).collect();
    rows.extend(presses.iter().filter_map(|press| of_press(nodes, press)));
    for _ in 0..SHORT_STEPS {
        rows.iter().for_each(|row| apply(nodes, row, row.impulse, row.twist));
        for _ in 0..ROUNDS {
            rows.iter_mut().for_each(|row| solve(nodes, row));
        }
        for node in nodes.iter_mut() {
            node.moved += node.velocity * short;
            node.turned += node.spin * short;
        }
    }
}

fn row(nodes: &[Node], pair: [usize; 2], at: DVec3) -> Option<Row> {
    let ends = pair.map(|node| nodes[node]);
    let arms = ends.map(|node| at - node.center);
    let linear = ends[0].answer(arms[0]) + ends[1].answer(arms[1]);
    let angular = ends[0].inverse_inertia + ends[1].inverse_inertia;
    if ends[0].inverse_mass + ends[1].inverse_mass <= 0.0 {
        return None;
    }
    let (linear, angular) = (linear.inverse(), angular.inverse());
    (linear.is_finite() && angular.is_finite()).then_some(Row {
        nodes: pair,
        arms,
        linear,
        angular,
        limits: [f64::INFINITY; 2],
        along: DVec3::ZERO,
        impulse: DVec3::ZERO,
        twist: DVec3::ZERO,
    })
}

fn of_joint(nodes: &[Node], joint: &Joint, short: f64) -> Option<Row> {
    let limits = [joint.force * short, joint.moment * short];
    Some(Row { limits, ..row(nodes, joint.nodes, joint.at)? })
}

fn of_press(nodes: &[Node], press: &Press) -> Option<Row> {
    Some(Row { along: press.along, ..row(nodes, press.nodes, press.at)? })
}

/// An impulse on the second node, and its opposite on the first.
fn apply(nodes: &mut [Node], row: &Row, impulse: DVec3, twist: DVec3) {
    for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
        let node = &mut nodes[row.nodes[side]];
        node.push(impulse * sign, row.arms[side]);
        node.spin += node.inverse_inertia * (twist * sign);
    }
}

fn solve(nodes: &mut [Node], row: &mut Row) {
    let [a, b] = row.nodes.map(|node| nodes[node]);
    let apart = b.velocity_at(row.arms[1]) - a.velocity_at(row.arms[0]);
    if row.along != DVec3::ZERO {
        // What presses only pushes.
        let answer = a.answer(row.arms[0]) + b.answer(row.arms[1]);
        let mobile = row.along.dot(answer * row.along);
        let before = row.impulse.dot(row.along);
        let wanted = (before - apart.dot(row.along) / mobile.max(f64::MIN_POSITIVE)).max(0.0);
        let push = row.along * (wanted - before);
        row.impulse = row.along * wanted;
        return apply(nodes, row, push, DVec3::ZERO);
    }
    let wanted = (row.impulse - row.linear * apart).clamp_length_max(row.limits[0]);
    let push = wanted - row.impulse;
    row.impulse = wanted;
    apply(nodes, row, push, DVec3::ZERO);
    let [a, b] = row.nodes.map(|node| nodes[node]);
    let wanted = (row.twist - row.angular * (b.spin - a.spin)).clamp_length_max(row.limits[1]);
    let twist = wanted - row.twist;
    row.twist = wanted;
    apply(nodes, row, DVec3::ZERO, twist);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(center: DVec3, velocity: DVec3) -> Node {
        Node {
            inverse_mass: 0.5,
            inverse_inertia: DMat3::from_diagonal(DVec3::splat(20.0)),
            center,
            velocity,
            spin: DVec3::ZERO,
            moved: DVec3::ZERO,
            turned: DVec3::ZERO,
        }
    }

    /// A body that a joint stops goes as far as its energy is worth.
    #[test]
    fn a_joint_that_gives_way_takes_force_times_way() {
        let held = Node { inverse_mass: 0.0, inverse_inertia: DMat3::ZERO, ..ball(DVec3::ZERO, DVec3::ZERO) };
        let mut nodes = [held, ball(DVec3::X, DVec3::Y * 3.0)];
        // 2 kg at 3 m/s are 9 J: 0.009 m against 1000 N.
        let joint = Joint { nodes: [0, 1], at: DVec3::X, force: 1000.0, moment: 1000.0 };
        advance(&mut nodes, &[joint], &[], 1.0 / 60.0);
        assert!(nodes[1].velocity.length() < 1e-9);
        assert!((nodes[1].moved.y - 0.009).abs() < 0.002, "{}", nodes[1].moved.y);
    }

    #[test]
    fn momentum_is_kept() {
        let places = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.3)];
        let mut nodes = places.map(|at| ball(at, DVec3::new(at.y, at.z, at.x) * 2.0 + DVec3::Z));
        let sum = |nodes: &[Node]| {
            let linear: DVec3 = nodes.iter().map(|n| n.velocity / n.inverse_mass).sum();
            let own = |n: &Node| n.center.cross(n.velocity / n.inverse_mass) + n.spin / 20.0;
            (linear, nodes.iter().map(own).sum::<DVec3>())
        };
        let before = sum(&nodes);
        let joint = |a, b, at| Joint { nodes: [a, b], at, force: 100.0, moment: 3.0 };
        let joints = [joint(0, 1, DVec3::X * 0.5), joint(1, 2, DVec3::new(1.0, 0.5, 0.1))];
        let press = Press { nodes: [0, 2], at: DVec3::ONE * 0.5, along: DVec3::NEG_X };
        advance(&mut nodes, &joints, &[press], 1.0 / 60.0);
        let after = sum(&nodes);
        assert!(before.0.abs_diff_eq(after.0, 1e-12) && before.1.abs_diff_eq(after.1, 1e-12));
    }
}
