//! What a joint bears: forces, stresses, and how much of its strength they take.

use glam::DVec3;

use crate::section::Principal;
use crate::{Hold, Joint, Material};

/// What goes through a joint: at the centroid of its section, pulling `a` after `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Forces {
    /// Along the normal, in newtons. Positive is tension.
    pub normal: f64,
    /// Across the normal, in newtons.
    pub shear: DVec3,
    /// About axes in the plane, in newton metres.
    pub bending: DVec3,
    /// About the normal, in newton metres.
    pub torsion: f64,
}

/// How a joint fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// It is torn.
    Tension,
    /// It is crushed.
    Compression,
    /// It is sheared or twisted off, or slides.
    Shear,
    /// A dry joint turns about its edge.
    Hinge,
}

/// How much of a joint's strength is taken, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Utilisation {
    /// The worst stress as a part of what the material bears: above one, the joint is overloaded.
    pub ratio: f64,
    /// What it would fail by.
    pub failure: Failure,
    /// Where in the section that stress is.
    pub point: DVec3,
}

impl Forces {
    pub(crate) fn new(normal: DVec3, force: DVec3, moment: DVec3) -> Forces {
        let (along, torsion) = (force.dot(normal), moment.dot(normal));
        Forces { normal: along, shear: force - normal * along, bending: moment - normal * torsion, torsion }
    }

    /// What they take of a joint with these axes. `slack` is the tension that does not count as one, in a dry joint.
    pub(crate) fn utilisation(
        &self,
        joint: &Joint,
        material: &Material,
        axes: &Principal,
        slack: impl FnOnce() -> f64,
    ) -> Utilisation {
        match material.hold {
            Hold::Bonded => self.bonded(joint, material, &axes.bent_about(self.bending)),
            Hold::Dry => self.dry(joint, material, axes, slack()),
        }
    }

    /// Bending about one axis stretches along the other. This is ∫ x σ dA along both.
    fn about(&self, axes: &Principal) -> [f64; 2] {
        [-self.bending.dot(axes.axes[1]), self.bending.dot(axes.axes[0])]
    }

    /// Stresses at the corners of a rectangle: the normal force, and bending about both axes.
    fn bonded(&self, joint: &Joint, material: &Material, axes: &Principal) -> Utilisation {
        let (area, about) = (joint.section.area, self.about(axes));
        let mean = self.normal / area;
        let bent = [0, 1].map(|axis| about[axis] * axes.reach[axis] / axes.moments[axis]);
        let most = bent[0].abs() + bent[1].abs();
        let polar = axes.moments[0] + axes.moments[1];
        let corner = DVec3::new(axes.reach[0], axes.reach[1], 0.0).length();
        let sheared = self.shear.length() / area + self.torsion.abs() * corner / polar;
        let pressed = (-mean).max(0.0);
        let tension = ratio(mean + most, material.tension);
        let compression = ratio(most - mean, material.compression);
        let shear = ratio(sheared, material.shear + material.friction * pressed);
        let to = |sign: f64| {
            let away = [0, 1].map(|axis| axes.axes[axis] * (axes.reach[axis] * sign * signum(bent[axis])));
            joint.point + away[0] + away[1]
        };
        let worst = [
            (tension, Failure::Tension, to(1.0)),
            (compression, Failure::Compression, to(-1.0)),
            (shear, Failure::Shear, joint.point),
        ];
        pick(&worst)
    }

    /// A dry joint stands as long as the thrust is inside its section, what it presses on is not crushed, and nothing slides.
    fn dry(&self, joint: &Joint, material: &Material, axes: &Principal, slack: f64) -> Utilisation {
        let (thrust, about) = (-self.normal, self.about(axes));
        if thrust <= 0.0 {
            return Utilisation {
                ratio: ratio(-thrust, slack),
                failure: Failure::Tension,
                point: joint.point,
            };
        }
        let away = [0, 1].map(|axis| -about[axis] / thrust);
        let point = joint.point + axes.axes[0] * away[0] + axes.axes[1] * away[1];
        let part = [0, 1].map(|axis| away[axis].abs() / axes.reach[axis]);
        let left = joint.section.area * ((1.0 - part[0]) * (1.0 - part[1])).max(0.0);
        let crushed = if left > 0.0 { ratio(thrust / left, material.compression) } else { 0.0 };
        let arm = DVec3::new(axes.reach[0], axes.reach[1], 0.0).length();
        let slides = ratio(self.shear.length() + self.torsion.abs() / arm, material.friction * thrust);
        let worst = [
            (part[0].max(part[1]), Failure::Hinge, point),
            (crushed, Failure::Compression, point),
            (slides, Failure::Shear, point),
        ];
        pick(&worst)
    }
}

/// A stress as a part of a strength. No stress is none of any strength, not even of none.
fn ratio(stress: f64, strength: f64) -> f64 {
    if stress <= 0.0 { 0.0 } else { stress / strength }
}

fn signum(x: f64) -> f64 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

fn pick(worst: &[(f64, Failure, DVec3); 3]) -> Utilisation {
    let mut most = worst[0];
    for &one in &worst[1..] {
        if one.0 > most.0 {
            most = one;
        }
    }
    Utilisation { ratio: most.0, failure: most.1, point: most.2 }
}
