//! The shapes of a scene's bodies.

use std::f64::consts::{PI, TAU};

use glam::DVec2;
use serde::{Deserialize, Serialize};
use smithereens_planar::{Aabb, Compound, Convex, Shape as Polygon};

use super::Broken;

/// The shape of a body.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Shape {
    /// A box about the origin: its width and height.
    Box([f64; 2]),
    /// A disc about the origin: its radius.
    Disc(f64),
    /// A regular polygon about the origin.
    Regular(Regular),
    /// A ring about the origin.
    Ring(Ring),
    /// The least convex around points: Karo & Yu's users draw these so.
    Polygon(Vec<[f64; 2]>),
    /// A closed chain of corners, with holes.
    Chain(Chain),
    /// A disc with lobes and holes.
    Blob(Blob),
    /// A wall of bricks in one piece, that stands on the origin.
    Wall(Wall),
    /// An arch of stones in one piece, that stands on the origin.
    Arch(Arch),
    /// Convexes of a user's own, that touch.
    Pieces(Vec<Vec<[f64; 2]>>),
    /// What a fracture left, as it was written.
    Broken(Box<Broken>),
    /// That of a body before it, by its name.
    Of(String),
}

/// A regular polygon about the origin, with a corner on the x axis.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Regular {
    /// How many sides.
    pub sides: u32,
    /// From the middle to a corner.
    pub radius: f64,
}

/// A ring about the origin.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// Its outer radius.
    pub radius: f64,
    /// The radius of its hole.
    pub inner: f64,
}

/// A closed chain of corners, in whichever direction they run.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// The corners.
    pub points: Vec<[f64; 2]>,
    /// Chains around holes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<Vec<[f64; 2]>>,
}

/// A disc whose radius swells and shrinks on the way around.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Blob {
    /// Its mean radius.
    pub radius: f64,
    /// How many lobes.
    #[serde(default = "five")]
    pub lobes: u32,
    /// How deep they are, as a part of the radius.
    #[serde(default = "fifth")]
    pub depth: f64,
    /// Round holes: x, y and radius.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<[f64; 3]>,
}

/// A wall of bricks in one piece: courses of half a brick's shift.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// How many bricks long, and how many courses high.
    pub count: [u32; 2],
    /// The length and height of a brick.
    pub brick: [f64; 2],
}

/// An arch of stones in one piece.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Arch {
    /// The radius of its inner side.
    pub radius: f64,
    /// How thick it is.
    pub thickness: f64,
    /// How many stones.
    #[serde(default = "thirteen")]
    pub stones: u32,
    /// How far it goes around, in degrees: 180 for half a circle.
    #[serde(default = "half_turn")]
    pub angle: f64,
}

fn five() -> u32 {
    5
}

fn fifth() -> f64 {
    0.2
}

fn thirteen() -> u32 {
    13
}

fn half_turn() -> f64 {
    180.0
}

/// Corners of what is round, and more than these are a slip of the pen.
const ROUND: u32 = 40;
const BLOB: u32 = 90;
const MOST_PARTS: u64 = 20_000;

/// A compound of a shape, or what is wrong with it. `Of` is not known here.
pub(super) fn compound(shape: &Shape) -> Result<Compound, String> {
    match shape {
        Shape::Box(size) => hull(&Aabb::new(-DVec2::from(*size) * 0.5, DVec2::from(*size) * 0.5).corners()),
        Shape::Disc(radius) => hull(&circle(DVec2::ZERO, *radius, ROUND)),
        Shape::Regular(Regular { sides, radius }) if (3..=1000).contains(sides) => {
            hull(&circle(DVec2::ZERO, *radius, *sides))
        }
        Shape::Regular(_) => Err("a regular polygon has from 3 to 1000 sides".to_owned()),
        Shape::Ring(Ring { radius, inner }) => {
            polygon(&circle(DVec2::ZERO, *radius, ROUND), &[circle(DVec2::ZERO, *inner, ROUND)])
        }
        Shape::Polygon(points) => hull(&vectors(points)),
        Shape::Chain(chain) => {
            let holes: Vec<Vec<DVec2>> = chain.holes.iter().map(|hole| vectors(hole)).collect();
            polygon(&vectors(&chain.points), &holes)
        }
        Shape::Blob(own) => blob(own),
        Shape::Wall(own) => wall(own),
        Shape::Arch(own) => arch(own),
        Shape::Pieces(pieces) => {
            let convex = |(index, points): (usize, &Vec<[f64; 2]>)| {
                Convex::hull(&vectors(points)).ok_or_else(|| format!("piece {index} encloses no area"))
            };
            let convexes = pieces.iter().enumerate().map(convex).collect::<Result<Vec<_>, _>>()?;
            whole(convexes)
        }
        Shape::Broken(broken) => Ok(broken.compound.clone()),
        Shape::Of(_) => Err("a body like one that is like another".to_owned()),
    }
}

fn vectors(points: &[[f64; 2]]) -> Vec<DVec2> {
    points.iter().map(|&point| point.into()).collect()
}

/// The least convex around points. Through a polygon: its own edges carry no marks.
fn hull(points: &[DVec2]) -> Result<Compound, String> {
    let convex = Convex::hull(points).ok_or("the points enclose no area: give positive sizes")?;
    polygon(&convex.corners().collect::<Vec<_>>(), &[])
}

fn polygon(outer: &[DVec2], holes: &[Vec<DVec2>]) -> Result<Compound, String> {
    Polygon::new(outer, holes).map(|shape| Compound::from_shape(&shape)).map_err(|e| e.to_string())
}

fn circle(at: DVec2, radius: f64, corners: u32) -> Vec<DVec2> {
    (0..corners).map(|i| at + direction(TAU * f64::from(i) / f64::from(corners)) * radius).collect()
}

fn direction(angle: f64) -> DVec2 {
    let (sine, cosine) = libm::sincos(angle);
    DVec2::new(cosine, sine)
}

fn blob(own: &Blob) -> Result<Compound, String> {
    let corner = |i: u32| {
        let angle = TAU * f64::from(i) / f64::from(BLOB);
        let swell = 1.0 + own.depth * libm::cos(f64::from(own.lobes) * angle);
        direction(angle) * (own.radius * swell)
    };
    let outer: Vec<DVec2> = (0..BLOB).map(corner).collect();
    let hole = |&[x, y, radius]: &[f64; 3]| circle(DVec2::new(x, y), radius, ROUND / 2);
    polygon(&outer, &own.holes.iter().map(hole).collect::<Vec<_>>())
}

fn whole(convexes: Vec<Convex>) -> Result<Compound, String> {
    let compound = Compound::from_convexes(convexes).map_err(|error| error.to_string())?;
    match compound.islands().len() {
        1 => Ok(compound),
        many => Err(format!("it is of {many} parts that do not touch: make it so many bodies")),
    }
}

fn wall(own: &Wall) -> Result<Compound, String> {
    let ([columns, rows], brick) = (own.count, DVec2::from(own.brick));
    let is_sound = brick.min_element() > 0.0 && brick.is_finite() && columns > 0 && rows > 0;
    if !is_sound || (u64::from(columns) + 1) * u64::from(rows) > MOST_PARTS {
        return Err(format!("a wall is of 1 to {MOST_PARTS} bricks with a length and a height"));
    }
    let (left, right) = (-brick.x * f64::from(columns) * 0.5, brick.x * f64::from(columns) * 0.5);
    let mut bricks = Vec::new();
    for row in 0..rows {
        let low = brick.y * f64::from(row);
        let shift = if row % 2 == 1 { brick.x * 0.5 } else { 0.0 };
        for column in 0..columns + row % 2 {
            let from = left + brick.x * f64::from(column) - shift;
            let bounds = Aabb::new(
                DVec2::new(from.max(left), low),
                DVec2::new((from + brick.x).min(right), low + brick.y),
            );
            bricks.push(Convex::from_box(&bounds));
        }
    }
    whole(bricks)
}

fn arch(own: &Arch) -> Result<Compound, String> {
    let Arch { radius, thickness, stones, angle } = *own;
    let is_sound = radius > 0.0 && thickness > 0.0 && (radius + thickness).is_finite();
    if !(is_sound && (2..=500).contains(&stones) && angle > 0.0 && angle <= 270.0) {
        return Err("an arch has 2 to 500 stones, a radius, a thickness, and an angle up to 270".to_owned());
    }
    let turn = angle * PI / 180.0;
    let at = |i: u32| direction(PI * 0.5 - turn * 0.5 + turn * f64::from(i) / f64::from(stones));
    let stone = |i: u32| {
        let (a, b) = (at(i), at(i + 1));
        let outer = radius + thickness;
        Convex::hull(&[a * radius, a * outer, b * outer, b * radius])
    };
    whole((0..stones).filter_map(stone).collect())
}
