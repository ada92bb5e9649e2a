//! A structure under loads: loads in, forces through joints out.

use glam::DVec3;

use crate::aggregate::Graph;
use crate::block::{Six, add};
use crate::contact::Contact;
use crate::gradient::{Gradient, Limits, dot};
use crate::islands::Parts;
use crate::link::{GROUND, Link, load};
use crate::local::Region;
use crate::precondition::{Digits, Preconditioner};
use crate::section::Principal;
use crate::{Forces, Hold, Joint, Material, Node, StressError, Structure, Utilisation};

/// How exact, and how long at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The error that the stresses may have, as a part of them: over all joints together, weighed by the energy in each.
    pub accuracy: f64,
    /// The most steps of a solve.
    pub most_iterations: usize,
    /// The most times that dry joints are looked at again, to see which have opened or closed.
    pub most_openings: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { accuracy: 3e-4, most_iterations: 200, most_openings: 300 }
    }
}

/// What acts on a node besides gravity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// In newtons.
    pub force: DVec3,
    /// In newton metres, about the node's centre.
    pub torque: DVec3,
}

impl Load {
    /// A force that acts at a point of a node.
    pub fn at(node: &Node, point: DVec3, force: DVec3) -> Load {
        Load { force, torque: (point - node.centre).cross(force) }
    }
}

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// The steps it took; none if nothing had changed.
    pub iterations: usize,
    /// The error that is left, by estimate.
    pub error: f64,
    /// How often dry joints were looked at.
    pub openings: usize,
}

/// A structure under loads.
///
/// Forces are those of the last [`Stress::solve`]. A change to loads or joints is cheap, and so is the next solve: it starts from the last
/// answer and keeps what prepared it.
#[derive(Clone, Debug)]
pub struct Stress {
    pub(crate) structure: Structure,
    pub(crate) options: Options,
    pub(crate) is_broken: Vec<bool>,
    /// The unknown of each node, and the node of each unknown.
    pub(crate) unknown_of: Vec<u32>,
    pub(crate) node_of: Vec<u32>,
    pub(crate) centres: Vec<DVec3>,
    /// The spring of each joint; that of a broken one has no stiffness.
    pub(crate) links: Vec<Link>,
    pub(crate) parts: Parts,
    gravity: DVec3,
    loads: Vec<Load>,
    /// What acts on each unknown, and what of it nothing resists yet.
    pub(crate) applied: Vec<Six>,
    pub(crate) rest: Vec<Six>,
    pub(crate) motions: Vec<Six>,
    /// The force and moment at the point of each link.
    pub(crate) pulls: Vec<(DVec3, DVec3)>,
    /// The largest force on an unknown.
    heaviest: f64,
    /// The axes of each joint's section, if they have been asked for.
    axes: Vec<Principal>,
    /// What is left of each dry joint.
    pub(crate) contacts: Vec<(u32, Contact)>,
    pub(crate) preconditioner: Option<Preconditioner>,
    digits: Digits,
    gradient: Gradient,
    /// Steps that the first solve with this hierarchy took.
    fresh_iterations: usize,
    is_changed: bool,
    /// Whether loads or islands have changed, and which unknowns have joints or loads that did.
    pub(crate) are_loads_changed: bool,
    pub(crate) changed: Vec<u32>,
    /// Unknowns that steps gain little on: they are solved directly.
    pub(crate) hard: Vec<u32>,
}

impl Stress {
    /// Takes a structure that nothing acts on yet.
    pub fn new(structure: Structure) -> Result<Stress, StressError> {
        Stress::with_options(structure, Options::default())
    }

    /// Takes a structure that nothing acts on yet, to be solved as exactly as is said.
    pub fn with_options(structure: Structure, options: Options) -> Result<Stress, StressError> {
        structure.check()?;
        let nodes = structure.nodes.len();
        let edges = structure.joints.iter().map(|j| (j.a, j.b, 1.0));
        let mut node_of = Graph::new(nodes, edges).sweep_order();
        node_of.retain(|&node| !structure.nodes[node as usize].is_held());
        let mut unknown_of = vec![GROUND; nodes];
        node_of.iter().zip(0..).for_each(|(&node, unknown)| unknown_of[node as usize] = unknown);
        let own = |joint: &Joint| link_of(&structure, &unknown_of, joint, &Contact::whole(joint));
        let links: Vec<Link> = structure.joints.iter().map(own).collect();
        let is_dry = |joint: &Joint| structure.materials[joint.material as usize].hold == Hold::Dry;
        let dry = (0..).zip(&structure.joints).filter(|(_, joint)| is_dry(joint));
        let none = vec![[0.0; 6]; node_of.len()];
        Ok(Stress {
            options,
            is_broken: vec![false; links.len()],
            centres: node_of.iter().map(|&node| structure.nodes[node as usize].centre).collect(),
            contacts: dry.map(|(index, joint)| (index, Contact::whole(joint))).collect(),
            parts: Parts::default(),
            gravity: DVec3::ZERO,
            loads: vec![Load::default(); nodes],
            applied: none.clone(),
            rest: none.clone(),
            motions: none,
            pulls: vec![(DVec3::ZERO, DVec3::ZERO); links.len()],
            heaviest: 0.0,
            axes: Vec::new(),
            preconditioner: None,
            digits: Digits::default(),
            gradient: Gradient::default(),
            fresh_iterations: 0,
            is_changed: true,
            are_loads_changed: true,
            changed: Vec::new(),
            hard: Vec::new(),
            structure,
            unknown_of,
            node_of,
            links,
        })
    }

    /// What was put in. Broken joints are still in it; see [`Stress::is_broken`].
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Sets gravity, in m/s².
    pub fn set_gravity(&mut self, gravity: DVec3) -> Result<(), StressError> {
        if !gravity.is_finite() {
            return Err(StressError::GravityNotFinite);
        }
        self.are_loads_changed |= self.gravity != gravity;
        self.is_changed |= self.are_loads_changed;
        self.gravity = gravity;
        Ok(())
    }

    /// Sets what acts on a node besides gravity. What acts on a held node does nothing.
    pub fn set_load(&mut self, node: u32, load: Load) -> Result<(), StressError> {
        let nodes = self.loads.len() as u32;
        let own = self.loads.get_mut(node as usize).ok_or(StressError::LoadOnNothing { node, nodes })?;
        if !(load.force.is_finite() && load.torque.is_finite()) {
            return Err(StressError::LoadNotFinite(node));
        }
        if *own != load {
            *own = load;
            (self.is_changed, self.are_loads_changed) = (true, true);
            self.changed.extend(Some(self.unknown_of[node as usize]).filter(|&unknown| unknown != GROUND));
        }
        Ok(())
    }

    /// Takes all loads away but gravity.
    pub fn clear_loads(&mut self) {
        let is_loaded = self.loads.iter().any(|load| *load != Load::default());
        self.are_loads_changed |= is_loaded;
        self.is_changed |= is_loaded;
        self.loads.fill(Load::default());
    }

    /// Breaks a joint.
    pub fn remove_joint(&mut self, joint: u32) -> Result<(), StressError> {
        let joints = self.links.len() as u32;
        if self.is_broken.get(joint as usize).copied() != Some(false) {
            return Err(StressError::NoSuchJoint { joint, joints });
        }
        self.is_broken[joint as usize] = true;
        self.change_link(joint as usize, self.links[joint as usize].times(0.0));
        self.parts.forget(&self.links, joint as usize);
        self.is_changed = true;
        Ok(())
    }

    /// Whether a joint is broken; nothing if there is none.
    pub fn is_broken(&self, joint: u32) -> Option<bool> {
        self.is_broken.get(joint as usize).copied()
    }

    /// Finds the forces through all joints. Does nothing if nothing has changed.
    pub fn solve(&mut self) -> Solved {
        if !std::mem::take(&mut self.is_changed) {
            return Solved::default();
        }
        self.hold_islands();
        if std::mem::take(&mut self.are_loads_changed) {
            self.apply_loads();
        }
        let region = self.relax_near_changes();
        let mut solved = self.solve_springs(region);
        if !self.contacts.is_empty() {
            self.open_and_close(&mut solved);
        }
        solved
    }

    /// Takes over loads and gravity, and what of them nothing resists.
    fn apply_loads(&mut self) {
        let loads = self.node_of.iter().map(|&node| {
            let own = &self.loads[node as usize];
            let weight = self.gravity * self.structure.nodes[node as usize].mass;
            crate::block::six(own.force + weight, own.torque)
        });
        let mut applied: Vec<Six> = loads.collect();
        self.relieve(&mut applied);
        for ((rest, new), old) in self.rest.iter_mut().zip(&applied).zip(&self.applied) {
            (0..6).for_each(|k| rest[k] += new[k] - old[k]);
        }
        self.applied = applied;
        let force = |load: &Six| crate::block::halves(load).0.length();
        self.heaviest = self.applied.iter().map(force).fold(0.0, f64::max);
    }

    /// Solves for the springs as they are.
    pub(crate) fn solve_springs(&mut self, mut region: Option<Region>) -> Solved {
        let mut solved = Solved::default();
        loop {
            let is_fresh = self.preconditioner.is_none();
            if is_fresh {
                self.gradient.forget();
                self.hard.clear();
            }
            let kept = self.preconditioner.take();
            let mut preconditioner =
                kept.unwrap_or_else(|| Preconditioner::new(&self.springs(), self.digits));
            preconditioner.settle();
            let before = solved.iterations;
            let wanted = self.options.accuracy * if is_fresh { FRESH } else { 1.0 };
            let is_solved = self.refine(&mut preconditioner, &mut region, wanted, &mut solved);
            let taken = solved.iterations - before;
            if is_fresh {
                self.fresh_iterations = taken;
            }
            // Worn out by changes, it is made anew when it is next needed.
            let is_worn = taken > 2 * self.fresh_iterations + WORN_OUT;
            if is_solved || solved.iterations >= self.options.most_iterations {
                self.preconditioner = (is_solved && !is_worn).then_some(preconditioner);
                return solved;
            }
            if is_fresh {
                if std::mem::replace(&mut self.digits, Digits::Long) == Digits::Long {
                    return solved;
                }
                // Where too few digits have led may be far away without a sign of it.
                self.motions.fill([0.0; 6]);
                self.measure();
                region = None;
            }
        }
    }

    /// Steps until what is measured agrees with what the steps promise. Whether it does.
    fn refine(
        &mut self,
        preconditioner: &mut Preconditioner,
        region: &mut Option<Region>,
        wanted: f64,
        solved: &mut Solved,
    ) -> bool {
        let mut patience = if self.hard.is_empty() { PATIENCE } else { usize::MAX };
        for _ in 0..MOST_REFINEMENTS {
            let vectors = (&self.applied[..], &mut self.motions[..], &mut self.rest[..]);
            let most = self.options.most_iterations - solved.iterations;
            let limits = Limits { accuracy: wanted, most, patience };
            let course = self.gradient.solve(preconditioner, vectors, region.as_ref(), limits);
            solved.iterations += course.iterations;
            solved.error = course.error;
            if course.iterations == 0 {
                return course.error <= self.options.accuracy;
            }
            let promised = norm(&self.rest);
            if course.is_slow {
                *region = Some(self.widen(region.as_ref()));
                patience = usize::MAX;
            }
            self.measure();
            if course.is_lost {
                return false;
            }
            let is_kept = norm(&self.rest) <= promised * KEPT && !course.is_slow;
            if is_kept && !preconditioner.is_direct() {
                return course.error <= self.options.accuracy;
            }
            // Steps leave alone what is solved directly: nothing may be left there when they start.
            if let Some(region) = &region {
                self.relax(region);
            }
        }
        false
    }

    /// Adds to a region what steps gain little on, and remembers it for the solves that follow.
    fn widen(&mut self, region: Option<&Region>) -> Region {
        let hardest = self.gradient.hardest(&self.rest, HARDEST);
        self.hard = self.next_to(hardest);
        self.region_of(region.map_or(Vec::new(), |region| region.bodies.clone()))
    }

    /// Pulls of all links at the motions as they are, and what of the loads is left.
    fn measure(&mut self) {
        self.rest.copy_from_slice(&self.applied);
        let still = [0.0; 6];
        let at = |unknown: u32| if unknown == GROUND { &still } else { &self.motions[unknown as usize] };
        let pins = self.parts.pins.iter().map(|pin| (pin, None));
        let links = self.links.iter().zip(self.pulls.iter_mut().map(Some));
        for (link, kept) in links.chain(pins) {
            let (force, moment) = link.pull(at(link.a), at(link.b));
            if link.a != GROUND {
                add(&mut self.rest[link.a as usize], &load(link.arm_a, force, moment));
            }
            if link.b != GROUND {
                add(&mut self.rest[link.b as usize], &load(link.arm_b, -force, -moment));
            }
            if let Some(kept) = kept {
                *kept = (force, moment);
            }
        }
    }

    /// What goes through a joint; nothing through a broken one.
    pub fn forces(&self, joint: u32) -> Option<Forces> {
        if self.is_broken(joint)? {
            return None;
        }
        let (own, link) = (&self.structure.joints[joint as usize], &self.links[joint as usize]);
        let (force, moment) = self.pulls[joint as usize];
        Some(Forces::new(link.normal, force, moment + (link.point - own.point).cross(force)))
    }

    /// How much of a joint's strength is taken; nothing of a broken one's.
    pub fn utilisation(&self, joint: u32) -> Option<Utilisation> {
        let forces = self.forces(joint)?;
        let (own, at) = (&self.structure.joints[joint as usize], joint as usize);
        let axes = self.axes.get(at).copied().unwrap_or_else(|| axes_of(own));
        Some(forces.utilisation(own, self.material(own), &axes, || self.slack(at)))
    }

    /// Finds the axes of all sections, once for all who look at all joints again and again.
    pub(crate) fn find_axes(&mut self) {
        if self.axes.is_empty() {
            self.axes = self.structure.joints.iter().map(axes_of).collect();
        }
    }

    /// Of all joints the one with most of its strength taken.
    pub fn highest(&self) -> Option<(u32, Utilisation)> {
        let mut highest: Option<(u32, Utilisation)> = None;
        let joints = 0..self.links.len() as u32;
        for (joint, own) in joints.filter_map(|joint| Some((joint, self.utilisation(joint)?))) {
            if highest.is_none_or(|(_, most)| own.ratio > most.ratio) {
                highest = Some((joint, own));
            }
        }
        highest
    }

    /// How a node has moved: its displacement in metres and its rotation in radians. Islands that nothing holds count from one of their
    /// nodes.
    pub fn motion(&self, node: u32) -> Option<(DVec3, DVec3)> {
        let unknown = *self.unknown_of.get(node as usize)?;
        Some(self.motions.get(unknown as usize).map_or((DVec3::ZERO, DVec3::ZERO), crate::block::halves))
    }

    pub(crate) fn material(&self, joint: &Joint) -> &Material {
        &self.structure.materials[joint.material as usize]
    }

    /// The tension of a dry joint that is rounding: a hundredth of what acts on the nodes that it joins.
    fn slack(&self, joint: usize) -> f64 {
        let acts = |unknown: u32| match self.applied.get(unknown as usize) {
            Some(applied) => crate::block::halves(applied).0.length(),
            None => 0.0,
        };
        let link = &self.links[joint];
        acts(link.a).max(acts(link.b)).max(self.heaviest * f64::EPSILON.sqrt()) * SLACK
    }
}

/// Tension in a dry joint below this part of a node's load does not count.
const SLACK: f64 = 0.02;
/// With a hierarchy that has just been made, errors become as small as this part of what they may be: that takes a step more, and solves after
/// small changes take one less.
const FRESH: f64 = 0.7;
/// An answer is refined at most so often.
const MOST_REFINEMENTS: usize = 8;
/// Steps that gain too little for longer than this go on with a direct solve of the bodies that they gain least on.
const PATIENCE: usize = 10;
/// So many of those, and their neighbours.
const HARDEST: usize = 32;
/// What steps promise is kept if no more than this many times as much is left.
const KEPT: f64 = 2.0;
/// Steps beyond twice those of a fresh hierarchy that make it worn out.
const WORN_OUT: usize = 6;

fn norm(x: &[Six]) -> f64 {
    dot(x, x).sqrt()
}

fn axes_of(joint: &Joint) -> Principal {
    joint.section.principal(joint.normal.normalize_or_zero())
}

/// The spring of a joint, or of what is left of it.
pub(crate) fn link_of(structure: &Structure, unknown_of: &[u32], joint: &Joint, contact: &Contact) -> Link {
    let material = &structure.materials[joint.material as usize];
    let nodes = [joint.a, joint.b].map(|node| &structure.nodes[node as usize]);
    let link = Link::new(joint, material, nodes, &contact.section, contact.point);
    let [a, b] = [joint.a, joint.b].map(|node| unknown_of[node as usize]);
    Link { a, b, across: link.across * contact.grip, ..link }.times(contact.press)
}
