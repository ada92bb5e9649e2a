//! A joint as a spring: what it does when the nodes that it joins move.

use glam::{DMat3, DVec3};

use crate::block::{Block, Real, Six, Spring, halves, six};
use crate::bond::Tie;
use crate::section::outer;
use crate::{Joint, Material, Node, Section};

/// In place of a node: what does not move.
pub(crate) const GROUND: u32 = u32::MAX;

/// A joint as a spring between two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The unknowns of its nodes, or [`GROUND`].
    pub a: u32,
    pub b: u32,
    pub point: DVec3,
    pub arm_a: DVec3,
    pub arm_b: DVec3,
    /// From `a` to `b`, of length one.
    pub normal: DVec3,
    /// Newtons per metre along the normal and across it.
    pub along: f64,
    pub across: f64,
    /// Newton metres per radian.
    pub angular: DMat3,
}

/// A node whose centre lies nearly in the plane of a joint is as far from it as this part of the distance to its point.
const LEAST_LENGTH: f64 = 0.1;

impl Link {
    /// The spring of a joint with a section at a point: `joint`'s own, or what is left of it.
    pub fn new(
        joint: &Joint,
        material: &Material,
        nodes: [&Node; 2],
        section: &Section,
        point: DVec3,
    ) -> Link {
        let normal = joint.normal.normalize_or_zero();
        let [arm_a, arm_b] = nodes.map(|node| point - node.centre);
        let length = [joint.point - nodes[0].centre, joint.point - nodes[1].centre]
            .iter()
            .zip(nodes)
            .filter(|(_, node)| !node.is_held())
            .map(|(arm, _)| arm.dot(normal).abs().max(arm.length() * LEAST_LENGTH))
            .sum::<f64>()
            .max(section.area.sqrt() * LEAST_LENGTH * LEAST_LENGTH);
        // A body that is sheared turns its pieces, and half of the shear goes there: with twice the modulus in the joints, what they
        // make up has the material's own.
        let (young, shear) = (material.young / length, 2.0 * material.shear_modulus() / length);
        let (bending, polar) = section.stiffness(normal);
        let angular = bending * young + outer(normal) * (polar * shear * 0.5);
        let (along, across) = (young * section.area, shear * section.area);
        Link { a: GROUND, b: GROUND, point, arm_a, arm_b, normal, along, across, angular }
    }

    /// What holds a body that nothing else holds, at its centre, alike in all directions.
    pub fn pin(body: u32, centre: DVec3, stiffness: f64, reach: f64) -> Link {
        let stiffness = if stiffness > 0.0 { stiffness } else { 1.0 };
        let angular =
            DMat3::from_diagonal(DVec3::splat(stiffness * if reach > 0.0 { reach * reach } else { 1.0 }));
        Link {
            a: GROUND,
            b: body,
            point: centre,
            arm_a: DVec3::ZERO,
            arm_b: DVec3::ZERO,
            normal: DVec3::X,
            along: stiffness,
            across: stiffness,
            angular,
        }
    }

    /// The same spring, so many times as stiff.
    pub fn times(self, factor: f64) -> Link {
        let (along, across) = (self.along * factor, self.across * factor);
        Link { along, across, angular: self.angular * factor, ..self }
    }

    /// As a spring, so many times as stiff.
    #[inline]
    fn spring<T: Real>(&self, factor: f64) -> Spring<T> {
        let more = (self.along - self.across) * factor;
        Spring {
            across: T::of(self.across * factor),
            more: T::of(more),
            normal: self.normal.to_array().map(T::of),
            angular: self.angular.to_cols_array().map(|x| T::of(x * factor)),
        }
    }

    /// What binds the motions of two bodies at the other ends of these arms, times a factor.
    #[inline]
    pub fn block<T: Real>(&self, arm_a: DVec3, arm_b: DVec3, factor: f64) -> Block<T> {
        self.spring(factor).block(arm_a.to_array().map(T::of), arm_b.to_array().map(T::of))
    }

    /// What binds the motions of its bodies, times a factor.
    pub fn tie<T: Real>(&self, factor: f64) -> Tie<T> {
        Tie {
            spring: self.spring(factor),
            arms: [self.arm_a, self.arm_b].map(|arm| arm.to_array().map(T::of)),
        }
    }

    /// The force and the moment at the point that pull `a` after `b`.
    #[inline]
    pub fn pull(&self, a: &Six, b: &Six) -> (DVec3, DVec3) {
        let ((ua, ta), (ub, tb)) = (halves(a), halves(b));
        let gap = (ub - ua) + (tb.cross(self.arm_b) - ta.cross(self.arm_a));
        let force = gap * self.across + self.normal * (self.normal.dot(gap) * (self.along - self.across));
        (force, self.angular * (tb - ta))
    }

    /// How stiff it is in all directions together.
    pub fn weight(&self) -> f64 {
        self.along + 2.0 * self.across
    }
}

/// A force and a moment at the end of an arm, as a load on the centre.
#[inline]
pub(crate) fn load(arm: DVec3, force: DVec3, moment: DVec3) -> Six {
    six(force, arm.cross(force) + moment)
}
