//! What a fracture grinds to dust: of each face that it laid open a thin layer, and all of what is too small to be a body.
//!
//! The mass is taken from the fragments: their shape stays, and they weigh less by it. So bodies, dust and what is retired weigh together what was
//! there at first.

use glam::DVec3;
use rayon::prelude::*;
use smithereens::{Exposed, Fragment, Piece};
use smithereens_dust::Puff;

use crate::convert::widen;
use crate::{Body, BodyId, Destruction, MaterialId, Physics, Pose};

/// No more than this part of a fragment's mass becomes dust by one fracture, however many faces it has.
const MOST_SHED: f64 = 0.1;

/// The dust of a fragment, before it is known how fast it flies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grit {
    /// The part of its mass that its faces give off.
    part: f64,
    /// Triangles of the fragment's coordinates, and how much of the dust comes from each, as a part of all.
    faces: Vec<([DVec3; 3], f64)>,
    /// Where there is no face.
    middle: DVec3,
}

/// A body that has just broken.
pub(crate) struct Source {
    pub pose: Pose,
    /// How much of its mass the body still had.
    pub left: f64,
    /// Of its centre of mass, and where that is.
    pub velocity: DVec3,
    pub spin: DVec3,
    pub center: DVec3,
}

/// What became of a fragment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Heap {
    /// A body.
    Body(BodyId),
    /// Too small or too thin: so many kilograms.
    Retired(f64),
}

impl Heap {
    /// The body, if it is one.
    pub(crate) fn body(&self) -> Option<BodyId> {
        match self {
            Heap::Body(id) => Some(*id),
            Heap::Retired(_) => None,
        }
    }
}

impl Destruction {
    /// Has fractures give off dust from now on: whoever asks for it takes it with [`Destruction::take_puffs`] after each step. A [`Cloud`](crate::Cloud)
    /// does.
    pub fn give_off_dust(&mut self) {
        self.puffs.get_or_insert_default();
    }

    /// The dust of the last steps.
    pub fn take_puffs(&mut self) -> Vec<Puff> {
        self.puffs.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The mass of a body: what its volume weighs, but for what has become dust.
    pub(crate) fn mass_of(&self, body: &Body) -> f64 {
        body.compound.mass().volume * self.density(body.material) * body.left
    }

    /// Whether a material gives off dust here.
    fn is_dusty(&self, material: MaterialId) -> bool {
        self.puffs.is_some() && self.materials[material.0 as usize].dust > 0.0
    }

    /// The dust of each fragment of a body that was hit at a point; none at all where there is to be none.
    pub(crate) fn grit(&self, fragments: &[Fragment], material: MaterialId, hit: DVec3) -> Vec<Grit> {
        if !self.is_dusty(material) {
            return Vec::new();
        }
        let (dust, density) = (self.materials[material.0 as usize].dust, self.density(material));
        fragments.par_iter().map(|fragment| Grit::of(fragment, hit, dust, density)).collect()
    }

    /// Lets dust fly, now that fragments move: from the faces of bodies, and all of what was retired.
    pub(crate) fn fly(&mut self, physics: &mut Physics, from: &Source, grit: &[Grit], heaps: &[Heap]) {
        if grit.is_empty() {
            self.retired.mass += heaps.iter().map(Heap::retired).sum::<f64>();
            return;
        }
        for (grit, heap) in grit.iter().zip(heaps) {
            let (mass, motion) = match *heap {
                Heap::Retired(mass) => (mass, from.motion()),
                Heap::Body(id) => {
                    let Some(given) = self.wear(physics, id, grit.part, from.left) else { continue };
                    (given, self.motion(physics, id).unwrap_or(from.motion()))
                }
            };
            let (velocity, spin, center) = motion;
            let velocity_at = |at: DVec3| velocity + spin.cross(at - center);
            if let Some(puffs) = self.puffs.as_mut().filter(|_| mass > 0.0) {
                puffs.extend(grit.puffs(&from.pose, mass, velocity_at));
            }
        }
    }

    /// Takes a part of a body's mass; how much that is, in kilograms.
    pub(crate) fn wear(&mut self, physics: &mut Physics, id: BodyId, part: f64, left: f64) -> Option<f64> {
        let density = self.density(self.bodies.get(&id)?.material);
        let body = self.bodies.get_mut(&id)?;
        body.left = left * (1.0 - part);
        let given = body.compound.mass().volume * density * (left - body.left);
        let body = self.bodies.get(&id)?;
        let rigid = body.rigid_mut(physics.bodies)?;
        rigid.set_additional_mass_properties(self.mass_properties(body), false);
        rigid.recompute_mass_properties_from_colliders(physics.colliders);
        Some(given)
    }

    fn motion(&self, physics: &Physics, id: BodyId) -> Option<(DVec3, DVec3, DVec3)> {
        let rigid = self.bodies.get(&id)?.rigid(physics.bodies)?;
        Some((widen(rigid.linvel()), widen(rigid.angvel()), widen(rigid.center_of_mass())))
    }
}

impl Source {
    fn motion(&self) -> (DVec3, DVec3, DVec3) {
        (self.velocity, self.spin, self.center)
    }
}

impl Heap {
    fn retired(&self) -> f64 {
        match *self {
            Heap::Retired(mass) => mass,
            Heap::Body(_) => 0.0,
        }
    }
}

impl Grit {
    fn of(fragment: &Fragment, hit: DVec3, dust: f64, density: f64) -> Grit {
        let open: f64 = fragment.exposed.iter().map(|exposed| exposed.area).sum();
        let mass = fragment.compound.mass();
        let pieces = fragment.compound.pieces();
        let face = |exposed: &Exposed| {
            Some((triangle(pieces.get(exposed.piece as usize)?, exposed, hit)?, exposed.area))
        };
        let mut faces: Vec<([DVec3; 3], f64)> = fragment.exposed.iter().filter_map(face).collect();
        let area: f64 = faces.iter().map(|(_, area)| area).sum();
        faces.iter_mut().for_each(|(_, part)| *part /= area);
        let part = (dust * open / (mass.volume * density)).min(MOST_SHED);
        Grit { part: if part > 0.0 { part } else { 0.0 }, faces, middle: mass.center }
    }

    fn puffs(&self, pose: &Pose, mass: f64, velocity: impl Fn(DVec3) -> DVec3) -> impl Iterator<Item = Puff> {
        let puff = move |corners: [DVec3; 3], mass: f64| {
            let corners = corners.map(|corner| pose.point(corner));
            Puff { corners, velocity: velocity(corners[0]), mass }
        };
        let (faces, last) = match self.faces.split_last() {
            Some((last, faces)) => (faces, last.0),
            None => (&[][..], [self.middle; 3]),
        };
        // The last has what is left: nothing is lost to rounding.
        let left = mass - faces.iter().map(|(_, part)| mass * part).sum::<f64>();
        let all = faces.iter().map(move |(corners, part)| (*corners, mass * part)).chain([(last, left)]);
        all.filter(|(_, mass)| *mass > 0.0).map(move |(corners, mass)| puff(corners, mass))
    }
}

/// A triangle as large as what is open of a face. Dust from it soon looks like dust from the face, and a piece has many.
///
/// What is open of a face that others cover in part is next to the hit: there the triangle is, else in the middle.
fn triangle(piece: &Piece, exposed: &Exposed, hit: DVec3) -> Option<[DVec3; 3]> {
    let convex = piece.convex();
    let face = convex.faces().iter().position(|face| face.cut == Some(exposed.cut))?;
    let points: Vec<DVec3> = convex.face_points(face).collect();
    let corners = [0, points.len() / 3, 2 * points.len() / 3].map(|index| points[index]);
    let area = 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
    let scale = (exposed.area / area).sqrt().min(MOST_SCALE);
    let far = |point: &DVec3| point.distance_squared(hit);
    let nearest = corners.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
    let fixed = if scale < 1.0 { nearest } else { (corners[0] + corners[1] + corners[2]) / 3.0 };
    (area > 0.0).then(|| corners.map(|corner| fixed + (corner - fixed) * scale))
}

/// A sliver between three corners of a face is not blown up to more than this.
const MOST_SCALE: f64 = 2.0;
