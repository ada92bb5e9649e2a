//! Overloaded joints break, the others take over.

use crate::{Island, Stress, Utilisation};

/// How joints break.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breaking {
    /// In a round, joints break whose utilisation is at least this part of the highest.
    ///
    /// Near one, they break one after the other: what is overloaded only because something else has not broken yet stays whole. A beam that
    /// is far too long breaks at its root and not in a hundred places. Joints alike break together.
    pub share: f64,
    /// The most rounds. What is still overloaded then breaks in the next call.
    pub most_rounds: usize,
}

impl Default for Breaking {
    fn default() -> Breaking {
        Breaking { share: 0.98, most_rounds: 1000 }
    }
}

/// What broke.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Broken {
    /// The joints in the order in which they broke, each with what broke it.
    pub joints: Vec<(u32, Utilisation)>,
    /// Rounds that it took; loads were redistributed after each.
    pub rounds: usize,
    /// What hangs together now.
    pub islands: Vec<Island>,
    /// Whether something is overloaded still: the rounds did not suffice.
    pub is_overloaded: bool,
}

impl Broken {
    /// Nodes that nothing holds any more.
    pub fn falling(&self) -> impl Iterator<Item = u32> + '_ {
        self.islands.iter().filter(|island| !island.is_held).flat_map(|island| island.nodes.iter().copied())
    }
}

impl Stress {
    /// Solves, breaks the joints that are overloaded most, and solves again, until none is overloaded.
    ///
    /// ```
    /// use glam::DVec3;
    /// use smithereens_stress::{Breaking, Joint, Material, Node, Section, Stress, Structure};
    /// // Ten cubes of concrete in a row, held at one end: 20 m are too long, and break off at the wall.
    /// let size = DVec3::new(2.0, 0.5, 0.5);
    /// let at = |cube: f64| DVec3::X * (2.0 * cube);
    /// let mut nodes: Vec<Node> = (0..10).map(|cube| Node::boxed(at(f64::from(cube)), size, 2400.0)).collect();
    /// nodes.push(Node::held(at(-1.0)));
    /// let end = Section::rectangle(DVec3::Y * 0.5, DVec3::Z * 0.5);
    /// let mut joints: Vec<Joint> =
    ///     (1..10).map(|b| Joint::new(b - 1, b, at(f64::from(b) - 0.5), DVec3::X, end)).collect();
    /// joints.push(Joint::new(10, 0, at(-0.5), DVec3::X, end));
    /// let mut stress = Stress::new(Structure { nodes, joints, materials: vec![Material::concrete()] })?;
    /// stress.set_gravity(DVec3::NEG_Y * 9.81)?;
    /// let broken = stress.break_overloaded(&Breaking::default());
    /// assert_eq!(broken.joints[0].0, 9);
    /// assert_eq!(broken.falling().count(), 10);
    /// # Ok::<(), smithereens_stress::StressError>(())
    /// ```
    pub fn break_overloaded(&mut self, breaking: &Breaking) -> Broken {
        let mut broken = Broken::default();
        self.find_axes();
        loop {
            self.solve();
            let overloaded = self.overloaded();
            broken.is_overloaded = !overloaded.is_empty();
            if overloaded.is_empty() || broken.rounds >= breaking.most_rounds {
                break;
            }
            let most = overloaded.iter().map(|(_, own)| own.ratio).fold(0.0, f64::max);
            // A product of infinities is one: what is infinitely overloaded breaks together.
            let least = if most.is_finite() { most * breaking.share } else { most };
            for (joint, own) in overloaded.into_iter().filter(|(_, own)| own.ratio >= least) {
                if self.remove_joint(joint).is_ok() {
                    broken.joints.push((joint, own));
                }
            }
            broken.rounds += 1;
        }
        broken.islands = self.islands();
        broken
    }

    /// The joints that bear more than they can.
    pub fn overloaded(&self) -> Vec<(u32, Utilisation)> {
        let joints = 0..self.is_broken.len() as u32;
        let own = joints.filter_map(|joint| Some((joint, self.utilisation(joint)?)));
        own.filter(|(_, own)| own.ratio > 1.0).collect()
    }
}
