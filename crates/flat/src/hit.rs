//! What a hit does to a body: Karo & Yu, section 4.2, from the pattern's place to the new bodies' velocities.
//!
//! Departures: a pattern is extended instead of scaled unless asked for, turned at random or along the hit, and chosen by how hard that was; fragments
//! have the velocity that their place in the body had, not only its centre's; and what is pushed apart pushes back, so that momentum is kept.

use std::sync::Arc;

use glam::{DMat2, DVec2};
use serde::{Deserialize, Serialize};
use smithereens_planar::modes::Strike;
use smithereens_planar::pattern::Pattern;
use smithereens_planar::{
    Cover, Fracture, FractureError, FractureOptions, Fragment, Impact, Report, fracture,
};
use thiserror::Error;
use web_time::Instant;

use crate::replace::Breakage;
use crate::{Body, BodyId, Break, Cause, Choice, Event, PatternKind, Pose, Recipe, World};

/// How a pattern is turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turning {
    /// By chance, as the world's seed has it. Bricks and slices go with the body.
    #[default]
    Random,
    /// Its x axis goes the way of the hit.
    Along,
    /// Not at all: it goes with the world's axes.
    Not,
}

/// What drives fragments apart: outward from the hit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Push {
    /// A speed, in metres per second, that falls off to nothing at twice the radius.
    Speed(f64),
    /// The same impulse for each fragment, in newton seconds: step 6 of Karo & Yu's algorithm. The small ones fly far.
    Impulse(f64),
}

/// A hit on a body.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The body.
    pub body: BodyId,
    /// Where, in the world.
    pub at: DVec2,
    /// The way it travels, in the world. Zero: none.
    pub direction: DVec2,
    /// How hard, in multiples of what its material bears: decides which of the material's [`Break`]s it is, or what comes apart by nature.
    pub strength: f64,
    /// How far it reaches, in metres; infinite for all of the body. None: as far as the material has it.
    pub radius: Option<f64>,
    /// The pattern to break by, which spans -1 to 1. None: the material's.
    pub pattern: Option<Arc<Pattern>>,
    /// Half the width that the pattern gets, in metres. None: the radius, or half the body if that is infinite.
    pub size: Option<f64>,
    /// What becomes of the pattern where it is too small.
    pub cover: Cover,
    /// How the pattern is turned.
    pub turning: Turning,
    /// What drives fragments apart. None: as the material has it.
    pub push: Option<Push>,
}

impl Hit {
    /// A click: somewhat harder than what the material bears.
    pub fn at(body: BodyId, at: DVec2) -> Hit {
        Hit {
            body,
            at,
            direction: DVec2::ZERO,
            strength: 2.0,
            radius: None,
            pattern: None,
            size: None,
            cover: Cover::default(),
            turning: Turning::default(),
            push: None,
        }
    }
}

/// Why a hit is none.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum HitError {
    /// There is no such body.
    #[error("there is no body {}", .0.0)]
    NoBody(BodyId),
    /// A number is out of range.
    #[error("the hit's {name} is {value}: give a positive number")]
    OutOfRange {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A place or a way is not finite.
    #[error(transparent)]
    Fracture(#[from] FractureError),
}

/// How what no material tells of breaks: as much as a click should.
pub(crate) const PLAIN: Break =
    Break { above: 1.0, pattern: Choice::Kind(PatternKind::Falloff), cells: 24, radius: 0.5 };
/// A pattern is made for no more cells.
const MOST_CELLS: usize = 4096;
/// How many patterns of one kind and size there are to draw from.
const VARIANTS: u64 = 4;

/// A hit in the coordinates of a body's compound, with all that was left open decided.
pub(crate) struct Blow {
    pub point: DVec2,
    pub direction: DVec2,
    /// In newton seconds: what breaks by nature does so by this.
    pub impulse: DVec2,
    pub how: Break,
    /// A pattern of the user's own, and half its width.
    pub own: Option<(Arc<Pattern>, f64)>,
    pub reach: f64,
    pub cover: Cover,
    pub turning: Turning,
    pub push: Push,
    pub cause: Cause,
}

impl World {
    /// Hits a body, now. None: it did not break, for its faults hold, or nothing breaks its material and the hit brings no pattern.
    ///
    /// ```
    /// use smithereens_flat::{Hit, Material, NewBody, Options, Pose, World};
    /// use smithereens_planar::{Aabb, Shape};
    /// use glam::DVec2;
    /// let mut world = World::new(Options::default(), Material::table())?;
    /// let pane = Shape::new(&Aabb::square(1.0).corners(), &[])?;
    /// let id = world.add(NewBody::of(&pane, Pose::IDENTITY))?;
    /// let event = world.fracture(&Hit { strength: 8.0, ..Hit::at(id, DVec2::splat(0.3)) })?;
    /// assert!(event.is_some_and(|event| event.born.len() > 10));
    /// assert!((world.area() - 4.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fracture(&mut self, hit: &Hit) -> Result<Option<Event>, HitError> {
        let body = self.bodies.get(&hit.body).ok_or(HitError::NoBody(hit.body))?;
        check("strength", hit.strength, hit.strength > 0.0 && hit.strength.is_finite())?;
        check("radius", hit.radius.unwrap_or(1.0), hit.radius.is_none_or(|r| r > 0.0))?;
        check("size", hit.size.unwrap_or(1.0), hit.size.is_none_or(|s| s > 0.0 && s.is_finite()))?;
        if !hit.at.is_finite() {
            return Err(FractureError::NotFinite("point").into());
        }
        if !hit.direction.is_finite() {
            return Err(FractureError::NotFinite("direction").into());
        }
        let material = &self.materials[body.material.0 as usize];
        if hit.pattern.is_none() && material.strength.is_infinite() {
            return Ok(None);
        }
        let pose = self.frame(body).ok_or(HitError::NoBody(hit.body))?;
        let how = material.break_at(hit.strength.max(1.0)).unwrap_or(PLAIN);
        let direction = pose.direction_back(hit.direction);
        let point = pose.point_back(hit.at);
        let reach = hit.radius.unwrap_or(if body.weakness.is_some() { f64::INFINITY } else { how.radius });
        let half = if reach.is_finite() { reach } else { body.compound.bounds().extent() * 0.5 };
        let blow = Blow {
            point,
            direction,
            impulse: self.impulse_of_call(body, point, direction, hit.strength),
            own: hit.pattern.clone().map(|pattern| (pattern, hit.size.unwrap_or(half))),
            how: Break { radius: hit.size.unwrap_or(half), ..how },
            reach,
            cover: hit.cover,
            turning: hit.turning,
            push: hit.push.unwrap_or(Push::Speed(material.push)),
            cause: Cause::Hit,
        };
        Ok(self.strike(hit.body, &blow)?)
    }

    /// Breaks a body, by nature or by a pattern.
    pub(crate) fn strike(&mut self, id: BodyId, blow: &Blow) -> Result<Option<Event>, FractureError> {
        let start = Instant::now();
        let Some((body, pose)) = self.bodies.get(&id).and_then(|body| Some((body, self.frame(body)?))) else {
            return Ok(None);
        };
        let by_nature = if blow.own.is_none() { self.part(body, blow) } else { Parting::NoFault };
        let made = match by_nature {
            Parting::Holds => return Ok(None),
            Parting::Parts(fragments) => parted(body, fragments),
            Parting::NoFault => match self.cut(id, &pose, blow)? {
                Some(made) => made,
                None => return Ok(None),
            },
        };
        let breakage = Breakage { point: blow.point, reach: blow.reach, push: blow.push, cause: blow.cause };
        Ok(self.replace(id, made, &breakage, start))
    }

    /// Breaks a body by a pattern.
    fn cut(&mut self, id: BodyId, pose: &Pose, blow: &Blow) -> Result<Option<Fracture>, FractureError> {
        let draw = self.draw();
        let own = blow.own.as_ref().map(|(pattern, half)| (pattern.clone(), *half, false));
        let Some((pattern, half, goes_with_body)) = own.or_else(|| self.pattern(&blow.how, draw)) else {
            return Ok(None);
        };
        let turn = match blow.turning {
            Turning::Random if goes_with_body => DMat2::IDENTITY,
            Turning::Random => DMat2::from_cols(a_way(draw), a_way(draw).perp()),
            Turning::Along => DMat2::IDENTITY,
            Turning::Not => DMat2::from_cols(pose.direction_back(DVec2::X), pose.direction_back(DVec2::Y)),
        };
        let direction = if blow.turning == Turning::Along { blow.direction } else { DVec2::ZERO };
        let deformation = turn * DMat2::from_diagonal(DVec2::splat(half));
        let impact = Impact { point: blow.point, direction, radius: blow.reach, deformation };
        let options = FractureOptions { cover: blow.cover, min_area: self.options.smallest };
        fracture(&self.bodies[&id].compound, &pattern, &impact, &options).map(Some)
    }

    /// The pattern of a break, half its width, and whether it goes with the body's axes.
    fn pattern(&mut self, how: &Break, draw: u64) -> Option<(Arc<Pattern>, f64, bool)> {
        let kind = match &how.pattern {
            Choice::Named(name) => match self.library.named(name) {
                Some(named) => return Some((named.pattern.clone(), how.radius, false)),
                None => PatternKind::Voronoi,
            },
            Choice::Kind(kind) => *kind,
        };
        let cells = how.cells.clamp(2, MOST_CELLS).next_power_of_two();
        let key = (kind, cells, draw % VARIANTS);
        if let Some(known) = self.shelf.get(&key) {
            return Some((known.clone(), how.radius, kind.goes_with_body()));
        }
        let recipe = Recipe::of_kind(kind, cells, self.options.seed ^ (key.2 << 32));
        let made = Arc::new(recipe.pattern().ok()?);
        self.shelf.insert(key, made.clone());
        Some((made, how.radius, kind.goes_with_body()))
    }

    /// How a body that breaks by nature answers.
    fn part(&self, body: &Body, blow: &Blow) -> Parting {
        let Some(weakness) = &body.weakness else { return Parting::NoFault };
        let material = &self.materials[body.material.0 as usize];
        let mut pieces = body.compound.pieces().iter().map(|piece| weakness.piece_of(piece));
        let first = pieces.next();
        if pieces.all(|piece| Some(piece) == first) {
            return Parting::NoFault;
        }
        let strike = Strike {
            point: blow.point,
            impulse: blow.impulse,
            density: self.density(body.material),
            threshold: material.parting_speed(),
            radius: blow.reach,
            projection: material.projection,
        };
        match weakness.fracture(&body.compound, &strike) {
            Ok(fragments) if fragments.len() > 1 => Parting::Parts(fragments),
            Ok(_) => Parting::Holds,
            Err(_) => Parting::NoFault,
        }
    }

    /// The impulse of a hit by a call, in the body's coordinates: so many times what would give all of the body the speed at which its pieces part.
    pub(crate) fn impulse_of_call(&self, body: &Body, point: DVec2, direction: DVec2, times: f64) -> DVec2 {
        let mass = body.compound.mass();
        let ways = [direction, mass.center - point, DVec2::NEG_Y];
        let way = ways.into_iter().find_map(DVec2::try_normalize).unwrap_or(DVec2::NEG_Y);
        let material = &self.materials[body.material.0 as usize];
        way * (times * mass.area * self.density(body.material) * material.parting_speed())
    }
}

/// How a body answers a hit by nature.
enum Parting {
    /// It has no faults any more, or never had: it breaks as its material does.
    NoFault,
    /// They hold.
    Holds,
    /// It comes apart.
    Parts(Vec<Fragment>),
}

/// What coming apart along bonds made: nothing was cut, and nothing is lost.
pub(crate) fn parted(body: &Body, fragments: Vec<Fragment>) -> Fracture {
    let pieces = body.compound.pieces().len();
    let report = Report { touched: pieces, pieces, fragments: fragments.len(), ..Report::default() };
    Fracture { fragments, debris: Vec::new(), report }
}

fn check(name: &'static str, value: f64, is_sound: bool) -> Result<(), HitError> {
    if is_sound { Ok(()) } else { Err(HitError::OutOfRange { name, value }) }
}

/// The unit vector of a draw.
fn a_way(draw: u64) -> DVec2 {
    let part = (draw >> 11) as f64 / (1u64 << 53) as f64;
    let (sine, cosine) = libm::sincos(part * std::f64::consts::TAU);
    DVec2::new(cosine, sine)
}
