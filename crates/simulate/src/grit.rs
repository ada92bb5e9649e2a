//! What a fracture grinds off: of each face that it laid open a thin layer, as dust and as chips, and all of what is too small to be a body.
//!
//! The mass is taken from the fragments: their shape stays, and they weigh less by it. So bodies, dust, debris and what is retired weigh together what was
//! there at first.

use glam::DVec3;
use rayon::prelude::*;
use smithereens::{Compound, Cut, Exposed, Fragment, Piece};
use smithereens_dust::Puff;

use crate::convert::widen;
use crate::crumb::{Crumb, Draws, Flake, Rubble, Shed, Throw, flakes};
use crate::{Body, BodyId, DebrisOptions, Destruction, Explosion, MaterialId, Physics, Pose};

/// No more than this part of a fragment's mass becomes dust and chips by one fracture, however many faces it has.
const MOST_SHED: f64 = 0.1;
/// Dust and chips come from so many faces of a fragment, the largest: a fault of a body that breaks by nature has thousands.
const MOST_FACES: usize = 256;
/// A blast throws chips no faster than this, in metres per second: they are light, and the air would stop them.
const FASTEST: f64 = 12.0;

/// The dust and the chips of a fragment, before it is known how fast they fly.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grit {
    /// The part of its mass that its faces give off as dust.
    dust: f64,
    /// The same as chips, and these.
    debris: f64,
    flakes: Vec<Flake>,
    /// Triangles of the fragment's coordinates, and how much of the dust comes from each, as a part of all.
    faces: Vec<([DVec3; 3], f64)>,
    /// Where there is no face.
    middle: DVec3,
}

/// A body that has just broken.
pub(crate) struct Source {
    pub pose: Pose,
    pub material: MaterialId,
    /// What blew it up, if that was so.
    pub blast: Option<Explosion>,
    /// How much of its mass the body still had.
    pub left: f64,
    /// Of its centre of mass, and where that is.
    pub velocity: DVec3,
    pub spin: DVec3,
    pub center: DVec3,
}

/// What became of a fragment.
#[derive(Clone, Debug)]
pub(crate) enum Heap {
    /// A body.
    Body(BodyId),
    /// Too small or too thin.
    Retired(Rubble),
}

/// What a square metre of broken face gives off.
struct Shedding<'a> {
    /// In kilograms, of dust and of chips.
    dust: f64,
    debris: f64,
    density: f64,
    options: Option<&'a DebrisOptions>,
    throw: Throw,
    /// Whether it is a body that breaks by nature: its convexes are without the faces of cuts.
    by_nature: bool,
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

    /// The mass of a body: what its volume weighs, but for what has become dust or chips.
    pub(crate) fn mass_of(&self, body: &Body) -> f64 {
        body.compound.mass().volume * self.density(body.material) * body.left
    }

    /// Whether a material gives off dust here.
    fn is_dusty(&self, material: MaterialId) -> bool {
        self.puffs.is_some() && self.materials[material.0 as usize].dust > 0.0
    }

    /// Has fractures give off debris from now on: [`Debris`](crate::Debris) takes it after each step.
    pub(crate) fn give_off_debris(&mut self, options: DebrisOptions) {
        self.shed = Some(Shed { options, crumbs: Vec::new() });
    }

    /// The debris of the last step.
    pub(crate) fn take_crumbs(&mut self) -> Vec<Crumb> {
        self.shed.as_mut().map(|shed| std::mem::take(&mut shed.crumbs)).unwrap_or_default()
    }

    fn debris_options(&self) -> Option<&DebrisOptions> {
        self.shed.as_ref().map(|shed| &shed.options)
    }

    /// The dust and the chips of each fragment of a body that was hit at a point; none at all where there are to be none.
    pub(crate) fn grit(
        &self,
        fragments: &[Fragment],
        material: MaterialId,
        hit: DVec3,
        by_nature: bool,
    ) -> Vec<Grit> {
        let of = &self.materials[material.0 as usize];
        let dust = if self.puffs.is_some() { of.dust } else { 0.0 };
        let debris = if self.shed.is_some() { of.debris } else { 0.0 };
        if dust + debris <= 0.0 {
            return Vec::new();
        }
        let (options, throw) = (self.debris_options(), Throw { hit, push: of.push });
        let shedding = Shedding { dust, debris, density: of.density, options, throw, by_nature };
        let grit = |(index, fragment): (usize, &Fragment)| {
            Grit::of(fragment, &shedding, &mut self.draws_of(self.next_id, index))
        };
        fragments.par_iter().enumerate().map(grit).collect()
    }

    /// Numbers for a fragment of the body that broke when this was the next number.
    fn draws_of(&self, next_id: u64, fragment: usize) -> Draws {
        Draws::of(&[self.options.seed, self.step, next_id, self.retired.all() as u64, fragment as u64])
    }

    /// What becomes of something of a mass that is a body no more.
    pub(crate) fn rubble(&self, compound: &Compound, mass: f64, throw: &Throw) -> Rubble {
        Rubble::of(compound, mass, self.debris_options(), throw, &mut self.draws_of(self.next_id, usize::MAX))
    }

    /// Lets dust and chips fly, now that fragments move: from the faces of bodies, and all of what was retired.
    pub(crate) fn fly(&mut self, physics: &mut Physics, from: &Source, grit: &[Grit], heaps: &[Heap]) {
        for (index, heap) in heaps.iter().enumerate() {
            match (heap, grit.get(index)) {
                (Heap::Retired(rubble), grit) => self.scatter(from, rubble, grit),
                (Heap::Body(id), Some(grit)) => self.shed(physics, from, *id, grit),
                (Heap::Body(_), None) => {}
            }
        }
    }

    /// All of something that is a body no more: chips if it is large enough, else dust if its material gives off any, else it is gone.
    pub(crate) fn scatter(&mut self, from: &Source, rubble: &Rubble, grit: Option<&Grit>) {
        let is_dusty = self.is_dusty(from.material);
        if !rubble.flakes.is_empty() {
            self.drop_flakes(from, from.motion(), &rubble.flakes, rubble.mass);
        } else if let (Some(grit), Some(puffs), true) = (grit, self.puffs.as_mut(), is_dusty) {
            puffs.extend(grit.puffs(&from.pose, rubble.mass, |at| from.motion().at(at)));
        } else {
            self.retired.mass += rubble.mass;
        }
    }

    /// What the faces of a body give off: its mass is less by it.
    fn shed(&mut self, physics: &mut Physics, from: &Source, id: BodyId, grit: &Grit) {
        let part = grit.dust + grit.debris;
        let Some(given) = self.wear(physics, id, part, from.left).filter(|given| *given > 0.0) else {
            return;
        };
        let motion = self.motion(physics, id).unwrap_or(from.motion());
        let chips = given * (grit.debris / part);
        if chips > 0.0 {
            self.drop_flakes(from, motion, &grit.flakes, chips);
        }
        if let Some(puffs) = self.puffs.as_mut().filter(|_| grit.dust > 0.0) {
            puffs.extend(grit.puffs(&from.pose, given - chips, |at| motion.at(at)));
        }
    }

    /// Lets chips fall that have so much mass together.
    fn drop_flakes(&mut self, from: &Source, motion: Motion, flakes: &[Flake], mass: f64) {
        let Some(shed) = &mut self.shed else { return };
        let all: f64 = flakes.iter().map(|flake| flake.volume).sum();
        shed.crumbs.extend(flakes.iter().map(|flake| {
            let (at, mass) = (from.pose.point(flake.at), mass * (flake.volume / all));
            let blown = from.blast.map_or(DVec3::ZERO, |blast| blown(&blast, at, flake.volume, mass));
            Crumb {
                material: from.material,
                mass,
                volume: flake.volume,
                at,
                velocity: motion.at(at) + from.pose.turn * flake.throw + blown,
                spin: motion.spin,
                draw: flake.draw,
            }
        }));
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

    pub(crate) fn motion(&self, physics: &Physics, id: BodyId) -> Option<Motion> {
        let rigid = self.bodies.get(&id)?.rigid(physics.bodies)?;
        Some(Motion {
            velocity: widen(rigid.linvel()),
            spin: widen(rigid.angvel()),
            center: widen(rigid.center_of_mass()),
        })
    }
}

/// How something moves: its centre of mass, and about it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion {
    pub velocity: DVec3,
    pub spin: DVec3,
    pub center: DVec3,
}

impl Motion {
    /// The velocity at a place.
    fn at(&self, place: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(place - self.center)
    }
}

impl Source {
    fn motion(&self) -> Motion {
        Motion { velocity: self.velocity, spin: self.spin, center: self.center }
    }
}

/// How fast a blast makes a chip.
pub(crate) fn blown(blast: &Explosion, at: DVec3, volume: f64, mass: f64) -> DVec3 {
    let (way, area) = (at - blast.at, libm::pow(volume, 2.0 / 3.0));
    let speed = blast.impulse * blast.falloff(way.length()) * area / mass;
    way.normalize_or_zero() * speed.min(FASTEST)
}

impl Grit {
    fn of(fragment: &Fragment, shedding: &Shedding, draws: &mut Draws) -> Grit {
        let Shedding { dust, debris, density, options, throw, by_nature } = shedding;
        let open: f64 = fragment.exposed.iter().map(|exposed| exposed.area).sum();
        let mass = fragment.compound.mass();
        let pieces = fragment.compound.pieces();
        let mut exposed: Vec<&Exposed> = fragment.exposed.iter().collect();
        if *by_nature && exposed.len() > MOST_FACES {
            exposed.sort_by(|x, y| y.area.total_cmp(&x.area).then((x.piece, x.cut).cmp(&(y.piece, y.cut))));
            exposed.truncate(MOST_FACES);
        }
        let face = |exposed: &Exposed| {
            let piece = pieces.get(exposed.piece as usize)?;
            Some((triangle(piece, exposed, throw.hit, *by_nature)?, exposed.area))
        };
        let mut faces: Vec<([DVec3; 3], f64)> = exposed.into_iter().filter_map(face).collect();
        let area: f64 = faces.iter().map(|(_, area)| area).sum();
        faces.iter_mut().for_each(|(_, part)| *part /= area);
        let part = (dust * open / (mass.volume * density)).min(MOST_SHED);
        let dust = if part > 0.0 { part } else { 0.0 };
        let (wanted, most) = (debris * open / density, (MOST_SHED - dust) * mass.volume);
        let flakes =
            options.map(|options| flakes(&faces, wanted, most, options, throw, draws)).unwrap_or_default();
        let debris = flakes.iter().map(|flake| flake.volume).sum::<f64>() / mass.volume;
        Grit { dust, debris, flakes, faces, middle: mass.center }
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
fn triangle(piece: &Piece, exposed: &Exposed, hit: DVec3, by_nature: bool) -> Option<[DVec3; 3]> {
    let points =
        if by_nature { face_of_skin(piece, exposed.cut) } else { face_of_convex(piece, exposed.cut) }?;
    let corners = [0, points.len() / 3, 2 * points.len() / 3].map(|index| points[index]);
    let area = 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
    let scale = (exposed.area / area).sqrt().min(MOST_SCALE);
    let far = |point: &DVec3| point.distance_squared(hit);
    let nearest = corners.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
    let fixed = if scale < 1.0 { nearest } else { (corners[0] + corners[1] + corners[2]) / 3.0 };
    (area > 0.0).then(|| corners.map(|corner| fixed + (corner - fixed) * scale))
}

/// The corners of the face of a convex that a cut made.
fn face_of_convex(piece: &Piece, cut: Cut) -> Option<Vec<DVec3>> {
    let convex = piece.convex();
    let face = convex.faces().iter().position(|face| face.cut == Some(cut))?;
    Some(convex.face_points(face).collect())
}

/// The same of a skin, where the convex only encloses it.
fn face_of_skin(piece: &Piece, cut: Cut) -> Option<Vec<DVec3>> {
    let mesh = piece.skin()?.mesh();
    let face = mesh.faces.iter().position(|face| face.cut == Some(cut))?;
    Some(mesh.loops_of(face).next()?.iter().map(|&vertex| mesh.positions[vertex as usize]).collect())
}

/// A sliver between three corners of a face is not blown up to more than this.
const MOST_SCALE: f64 = 2.0;
