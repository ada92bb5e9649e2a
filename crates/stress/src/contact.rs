//! Dry joints: they open, turn about their edges, and slide.
//!
//! A joint that is only pressed together bears no tension. Where the thrust leaves the middle third of its section, a part of it opens, and what
//! stays closed is a smaller section about the thrust, three times as deep as the thrust is from the edge: there the pressure falls to
//! zero just where the joint opens. That section is the spring of the next solve, until nothing changes. At the edge it becomes
//! a hinge, as Heyman's voussoirs have (*The stone skeleton*, 1966); a structure that has a way to stand finds it, because thrusts move to where
//! joints stay closed. What has none turns about its hinges, and the thrust leaves the sections.

use glam::DVec3;

use crate::stress::link_of;
use crate::{Forces, Joint, Section, Solved, Stress};

/// What of a dry joint is in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contact {
    pub section: Section,
    pub point: DVec3,
    /// How far it reaches along the axes of the whole section.
    reach: [f64; 2],
    /// How stiff it is against shear, as a part of what it is without sliding.
    pub grip: f64,
    /// How stiff it is at all: next to nothing if it is open.
    pub press: f64,
}

/// The stiffness of an open joint: small enough to bear nothing, large enough to be a number.
const OPEN: f64 = 1e-6;
/// A hinge keeps this part of the section in contact.
const HINGE: f64 = 0.01;
/// A sliding joint keeps this part of its grip.
const LEAST_GRIP: f64 = 1e-4;
/// How much of a change is made at once: less than all, so that joints which depend on each other do not overshoot.
const STEP: f64 = 0.5;
/// Contacts that change by less than this part of the section have come to rest.
const AT_REST: f64 = 1e-3;

impl Contact {
    /// All of a joint.
    pub fn whole(joint: &Joint) -> Contact {
        let reach = [f64::INFINITY; 2];
        Contact { section: joint.section, point: joint.point, reach, grip: 1.0, press: 1.0 }
    }

    /// What is in contact under these forces, and how much has changed.
    fn next(&self, joint: &Joint, friction: f64, forces: &Forces) -> (Contact, f64) {
        let normal = joint.normal.normalize_or_zero();
        let axes = joint.section.principal(normal);
        let thrust = -forces.normal;
        if thrust <= 0.0 {
            let change = if self.press < 1.0 { 0.0 } else { 1.0 };
            return (Contact { press: OPEN, ..*self }, change);
        }
        let about = [-forces.bending.dot(axes.axes[1]), forces.bending.dot(axes.axes[0])];
        let (mut point, mut second, mut area) = (joint.point, joint.section.second, joint.section.area);
        let (mut reach, mut change) = ([0.0; 2], 0.0);
        for axis in 0..2 {
            let (full, direction) = (axes.reach[axis], axes.axes[axis]);
            let away = -about[axis] / thrust;
            let wanted = (1.5 * (full - away.abs())).clamp(full * HINGE, full);
            let before = self.reach[axis].min(full);
            let now = before + (wanted - before) * STEP;
            change = f64::max(change, (now - before).abs() / full);
            reach[axis] = now;
            point += direction * ((full - now) * away.signum());
            area *= now / full;
            second +=
                crate::section::outer(direction) * (axes.moments[axis] * (now * now / (full * full) - 1.0));
        }
        second *= area / joint.section.area;
        let (grip, slid) = self.next_grip(friction * thrust, forces.shear.length());
        let closed = if self.press < 1.0 { 1.0 } else { 0.0 };
        let contact = Contact { section: Section { area, second }, point, reach, grip, press: 1.0 };
        (contact, change.max(slid).max(closed))
    }

    /// Grips as much as friction allows.
    fn next_grip(&self, allowed: f64, shear: f64) -> (f64, f64) {
        let wanted = if shear > 0.0 { self.grip * (allowed / shear) } else { 1.0 };
        let grip = self.grip + (wanted.clamp(LEAST_GRIP, 1.0) - self.grip) * STEP;
        (grip, (grip - self.grip).abs() / self.grip)
    }
}

impl Stress {
    /// Opens and closes dry joints until they stay as they are.
    pub(crate) fn open_and_close(&mut self, solved: &mut Solved) {
        while solved.openings < self.options.most_openings {
            let mut change = 0.0;
            for at in 0..self.contacts.len() {
                let (index, contact) = self.contacts[at];
                let Some(forces) = self.forces(index) else { continue };
                let joint = &self.structure.joints[index as usize];
                let (next, changed) = contact.next(joint, self.material(joint).friction, &forces);
                change = f64::max(change, changed);
                if next != contact {
                    let link = link_of(&self.structure, &self.unknown_of, joint, &next);
                    self.contacts[at].1 = next;
                    self.change_link(index as usize, link);
                }
            }
            if change <= AT_REST {
                return;
            }
            solved.openings += 1;
            let again = self.solve_springs(None);
            solved.iterations += again.iterations;
            solved.error = again.error;
        }
    }
}
